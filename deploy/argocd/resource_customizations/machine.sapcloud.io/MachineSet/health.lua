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

for _, condition in ipairs(status.machineSetCondition or {}) do
  if condition.status == "True" then
    if condition.type == "Frozen" or condition.type == "Stalled" or condition.type == "ReplicaFailure" then
      hs.status = "Degraded"
      hs.message = condition.type .. ": " .. (condition.message or condition.reason or "")
      return hs
    end
  end
end

-- The label without the condition was put there by a person.
if obj.metadata.labels ~= nil and obj.metadata.labels.freeze == "True" then
  hs.status = "Suspended"
  hs.message = "Frozen by hand (label freeze=True): no machine is created"
  return hs
end

local replicas = status.replicas or 0
local available = status.availableReplicas or 0
if replicas == wanted and available >= wanted then
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
hs.message = "machines: " .. tostring(wanted) .. " wanted, " .. tostring(replicas) .. " there, "
    .. tostring(available) .. " available"
return hs
