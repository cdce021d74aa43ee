local actions = {}
local paused = obj.spec.paused == true
local deleting = obj.metadata.deletionTimestamp ~= nil

actions["pause"] = { ["disabled"] = paused or deleting }
actions["resume"] = { ["disabled"] = not paused or deleting }
-- A paused deployment would take the new template and do nothing about it.
actions["restart"] = { ["disabled"] = paused or deleting }
return actions
