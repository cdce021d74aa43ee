//! The optional configuration file: what the cloud sells and how much of it there is.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::catalog::{Catalog, Image, Size, Zone};
use crate::quota::Quota;

/// What the configuration file may set; what it leaves out keeps its default.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// Replaces the built-in sizes.
    pub sizes: Vec<Size>,
    /// Replaces the built-in images.
    pub images: Vec<Image>,
    /// Replaces the built-in zones.
    pub zones: Vec<Zone>,
    /// The quotas of a cloud that has no state yet; later ones come over the API.
    pub quotas: Vec<Quota>,
    /// The version that nodes report.
    pub kubelet_version: String,
    /// How long a creation or deletion of a VM goes on after its call was answered (202, with an order to ask about);
    /// without it, it is done when the call is answered.
    pub order_seconds: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        let Catalog { sizes, images, zones } = Catalog::default();
        let kubelet_version = "v1.35.3".to_owned();
        Self { sizes, images, zones, quotas: Vec::new(), kubelet_version, order_seconds: None }
    }
}

/// Why a configuration file cannot be used.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// It cannot be read.
    #[error("configuration file {path}: {source}; give --config a file that this user may read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not what it should be.
    #[error("configuration file {path}: {reason}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Settings {
    /// Reads a YAML file.
    ///
    /// # Errors
    /// When the file cannot be read, has unknown fields, or offers nothing of some kind.
    pub fn read(path: &Path) -> Result<Self, SettingsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| SettingsError::Unreadable { path: path.to_owned(), source })?;
        let invalid = |reason: String| SettingsError::Invalid { path: path.to_owned(), reason };
        let settings: Self = serde_saphyr::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        let lists = [
            ("sizes", settings.sizes.is_empty()),
            ("images", settings.images.is_empty()),
            ("zones", settings.zones.is_empty()),
        ];
        if let Some(seconds) = settings.order_seconds.filter(|seconds| !(0.0..=86_400.0).contains(seconds)) {
            return Err(invalid(format!("orderSeconds: {seconds} is not between 0 and 86400")));
        }
        match lists.iter().find(|(_, empty)| *empty) {
            Some((list, _)) => {
                Err(invalid(format!("{list}: must not be empty; leave it out to keep the default")))
            }
            None => Ok(settings),
        }
    }

    pub(crate) fn catalog(&self) -> Catalog {
        Catalog { sizes: self.sizes.clone(), images: self.images.clone(), zones: self.zones.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, SettingsError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Settings::read(file.path())
    }

    #[test]
    fn what_is_left_out_keeps_its_default() {
        let settings =
            read("quotas:\n- {zone: local-a, size: large, limit: 3, scarcity: capacity}\n").unwrap();
        assert_eq!(settings.quotas.len(), 1);
        assert_eq!(settings.catalog(), Catalog::default());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("quota: []\n", "quota"),
            ("sizes: []\n", "sizes: must not be empty"),
            ("sizes: [{name: x}]\n", "cpu"),
            ("orderSeconds: -1\n", "orderSeconds: -1 is not between"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text} gives {error}");
        }
    }
}
