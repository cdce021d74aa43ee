//! Images of the marketplace by name.

/// An image of the marketplace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Urn {
    pub(crate) publisher: String,
    pub(crate) offer: String,
    pub(crate) sku: String,
    pub(crate) version: String,
}

impl Urn {
    /// `publisher:offer:sku:version`, none of them empty.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':').map(str::to_owned);
        let mut next = || parts.next().filter(|part| !part.is_empty());
        let urn = Self { publisher: next()?, offer: next()?, sku: next()?, version: next()? };
        parts.next().is_none().then_some(urn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_urn_has_four_parts() {
        assert_eq!(Urn::read("p:o:s:1.0.0").unwrap().version, "1.0.0");
        for text in ["", "p:o:s", "p:o:s:", "p::s:v", "p:o:s:v:w"] {
            assert_eq!(Urn::read(text), None, "{text}");
        }
    }
}
