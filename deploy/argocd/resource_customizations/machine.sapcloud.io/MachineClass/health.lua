-- A class has no status: it is in order as soon as it is there. A deleted one stays until nothing names it any more.
local hs = {}

if obj.metadata.deletionTimestamp ~= nil then
  hs.status = "Progressing"
  hs.message = "Pending deletion"
  if obj.metadata.finalizers ~= nil and #obj.metadata.finalizers > 0 then
    hs.message = "Pending deletion; blocked by finalizers: " .. table.concat(obj.metadata.finalizers, ", ")
        .. "; machines, machine sets or machine deployments still name this class"
  end
  return hs
end

hs.status = "Healthy"
hs.message = ""
return hs
