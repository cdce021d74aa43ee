local hs = {}
local status = obj.status or {}

if obj.metadata.deletionTimestamp ~= nil then
  hs.status = "Progressing"
  hs.message = "Pending deletion"
  if status.lastOperation ~= nil and status.lastOperation.description ~= nil then
    hs.message = "Pending deletion: " .. status.lastOperation.description
  end
  return hs
end

-- Older controllers do not write the generation.
if status.observedGeneration ~= nil and obj.metadata.generation ~= nil
    and status.observedGeneration < obj.metadata.generation then
  hs.status = "Progressing"
  hs.message = "Waiting for the controller to look at generation " .. tostring(obj.metadata.generation)
  return hs
end

local phase = ""
if status.currentStatus ~= nil and status.currentStatus.phase ~= nil then
  phase = status.currentStatus.phase
end

local healths = {
  [""] = "Progressing",
  Pending = "Progressing",
  Available = "Healthy",
  Running = "Healthy",
  Terminating = "Progressing",
  Unknown = "Degraded",
  Failed = "Degraded",
  CrashLoopBackOff = "Degraded",
  InPlaceUpdating = "Progressing",
  InPlaceUpdateSuccessful = "Progressing",
  InPlaceUpdateFailed = "Degraded",
}
hs.status = healths[phase] or "Progressing"

if phase == "" then
  hs.message = "Waiting for the controller"
elseif hs.status == "Healthy" then
  hs.message = phase
else
  local reason = status.failureMessage
  if (reason == nil or reason == "") and status.lastOperation ~= nil then
    reason = status.lastOperation.description
  end
  hs.message = phase
  if reason ~= nil and reason ~= "" then
    hs.message = phase .. ": " .. reason
  end
end
return hs
