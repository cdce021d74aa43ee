//! Which watches are meant.

/// Which watches are meant: all, those of a resource, those of a client, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watches {
    resource: Option<String>,
    who: Option<String>,
}

impl Watches {
    /// Every watch.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Those of a resource, by its plural name.
    #[must_use]
    pub fn of(resource: &str) -> Self {
        Self { resource: Some(resource.to_owned()), who: None }
    }

    /// Of these, those of a client.
    #[must_use]
    pub fn by(self, who: &str) -> Self {
        Self { who: Some(who.to_owned()), ..self }
    }

    pub(crate) fn covers(&self, resource: &str, who: &str) -> bool {
        self.covers_resource(resource) && self.who.as_deref().is_none_or(|wanted| wanted == who)
    }

    pub(crate) fn covers_resource(&self, resource: &str) -> bool {
        self.resource.as_deref().is_none_or(|wanted| wanted == resource)
    }
}
