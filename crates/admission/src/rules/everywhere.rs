//! Rules that hold wherever such a field stands.

use millwright_provider::Rule;

pub(crate) const FIELD_TYPE: Rule = Rule::error(
    "field-type",
    "every kind: every field",
    "A field holds what the API says: a string, a whole number, true or false, an object or a list.",
);
pub(crate) const FIELD_UNKNOWN: Rule = Rule::warning(
    "field-unknown",
    "every kind: every object in it",
    "Every key is one that somebody reads; another one is told with what was probably meant. The API server prunes most of \
     them and says so itself; those in `nodeTemplate` and in the metadata of templates it keeps.",
);
pub(crate) const FIELD_WITHOUT_EFFECT: Rule = Rule::warning(
    "field-without-effect",
    "every kind: metadata of templates, `nodeTemplate.spec`, MachineSet `spec.machineClass`",
    "The API has the field, but nobody reads it there: of a template's metadata only labels and annotations, of a node's spec \
     only taints.",
);
pub(crate) const OBJECT_NAME: Rule = Rule::error(
    "object-name",
    "every kind: `metadata.name`",
    "It is there, or a `generateName` is, and spelled as the API server wants names.",
);
pub(crate) const NAME_LENGTH: Rule = Rule::error(
    "name-length",
    "Machine, MachineSet, MachineDeployment: `metadata.name`",
    "A machine's name ends at 63 characters, because it becomes a host name and the value of a label. Sets add 6 to their name \
     for it, deployments 12: their names end at 57 and 51. For sets and machines that a controller makes it is a warning.",
);
pub(crate) const QUANTITY: Rule = Rule::error(
    "quantity",
    "MachineClass: `nodeTemplate.capacity`, `nodeTemplate.virtualCapacity`",
    "An amount is a Kubernetes quantity, zero or more, such as `4`, `500m` or `16Gi`.",
);
pub(crate) const ANNOTATION_KNOWN: Rule = Rule::warning(
    "annotation-known",
    "Machine, MachineSet, MachineDeployment: annotations in the domain `machine.sapcloud.io` and those that autoscalers read",
    "An annotation that is nearly one that is read, or stands under a prefix of which every key is known, is one that is read.",
);
pub(crate) const COUNT: Rule = Rule::error(
    "count",
    "every kind: counts, seconds, revisions",
    "A count is a whole number from the least value that means something (0, or 1 for `progressDeadlineSeconds`) up to \
     2147483647.",
);
pub(crate) const LABEL: Rule = Rule::error(
    "label",
    "every kind: labels of objects, templates, nodes and selectors",
    "Keys and values are spelled as the API server wants them on the machine or node: it would refuse them later, in a \
     place where nobody looks.",
);
pub(crate) const ANNOTATION: Rule = Rule::error(
    "annotation",
    "every kind: annotations of objects, templates and nodes",
    "Keys are spelled as the API server wants them, and values are texts.",
);
