-- The mark of `kubectl rollout restart`: an annotation of the template, so a new machine set and new machines.
local os = require("os")
local template = obj.spec.template
template.metadata = template.metadata or {}
template.metadata.annotations = template.metadata.annotations or {}
template.metadata.annotations["kubectl.kubernetes.io/restartedAt"] = os.date("!%Y-%m-%dT%XZ")
return obj
