//! Rules that hold wherever such a field stands.

use millwright_provider::Rule;

pub(crate) const FIELD_TYPE: Rule = Rule::error(
    "field-type",
    "every kind: every field",
    "A field holds what the API says: a string, a whole number, true or false, an object or a list.",
);
pub(crate) const COUNT: Rule = Rule::error(
    "count",
    "every kind: counts, seconds, revisions",
    "A count is a whole number from the least value that means something (0, or 1 for `progressDeadlineSeconds`) up to \
     2147483647.",
);
pub(crate) const LABEL: Rule = Rule::error(
    "label",
    "every kind: labels of templates, of nodes and of selectors",
    "Keys and values are spelled as the API server wants them on the machine or node: it would refuse them later, in a \
     place where nobody looks.",
);
pub(crate) const ANNOTATION: Rule = Rule::error(
    "annotation",
    "every kind: annotations of templates and of nodes",
    "Keys are spelled as the API server wants them, and values are texts.",
);
