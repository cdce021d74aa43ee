local hs = {}
local status = obj.status or {}
local wanted = obj.spec.replicas or 0

if obj.metadata.deletionTimestamp ~= nil then
  hs.status = "Progressing"
  hs.message = "Pending deletion; machines left: " .. tostring(status.replicas or 0)
  return hs
end

if obj.metadata.generation ~= nil and (status.observedGeneration or 0) < obj.metadata.generation then
  hs.status = "Progressing"
  hs.message = "Waiting for the controller to look at generation " .. tostring(obj.metadata.generation)
  return hs
end

local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end

local function is_true(type)
  return conditions[type] ~= nil and conditions[type].status == "True"
end

local function text_of(type)
  return conditions[type].message or conditions[type].reason or ""
end

for _, type in ipairs({ "Frozen", "Stalled", "ReplicaFailure" }) do
  if is_true(type) then
    hs.status = "Degraded"
    hs.message = type .. ": " .. text_of(type)
    return hs
  end
end

if obj.spec.paused then
  hs.status = "Suspended"
  hs.message = "MachineDeployment is paused: no rollout goes on"
  return hs
end

-- The label without the condition was put there by a person.
if obj.metadata.labels ~= nil and obj.metadata.labels.freeze == "True" then
  hs.status = "Suspended"
  hs.message = "Frozen by hand (label freeze=True): no machine is created"
  return hs
end

-- ProgressDeadlineExceeded, MachineSetCreateError.
local progressing = conditions["Progressing"]
if progressing ~= nil and progressing.status == "False" then
  hs.status = "Degraded"
  hs.message = (progressing.reason or "Progressing") .. ": " .. (progressing.message or "")
  return hs
end

if is_true("RolloutHeld") then
  local healths = {
    OutsideMaintenanceWindow = "Suspended",
    MaintenanceWindowUnreadable = "Degraded",
  }
  hs.status = healths[conditions["RolloutHeld"].reason] or "Progressing"
  hs.message = "Rollout is held: " .. text_of("RolloutHeld")
  return hs
end

local replicas = status.replicas or 0
local updated = status.updatedReplicas or 0
local available = status.availableReplicas or 0
if updated == wanted and replicas == wanted and available >= wanted then
  if is_true("Reconciling") then
    hs.status = "Progressing"
    hs.message = text_of("Reconciling")
    return hs
  end
  hs.status = "Healthy"
  hs.message = "machines available: " .. tostring(available)
  return hs
end

if status.failedMachines ~= nil and #status.failedMachines > 0 then
  local machine = status.failedMachines[1]
  hs.status = "Degraded"
  hs.message = "machines failed: " .. tostring(#status.failedMachines) .. "; " .. (machine.name or "one of them")
  if machine.lastOperation ~= nil and machine.lastOperation.description ~= nil then
    hs.message = hs.message .. ": " .. machine.lastOperation.description
  end
  return hs
end

hs.status = "Progressing"
hs.message = "machines: " .. tostring(wanted) .. " wanted, " .. tostring(replicas) .. " there, " .. tostring(updated)
    .. " of the newest template, " .. tostring(available) .. " available"
return hs
