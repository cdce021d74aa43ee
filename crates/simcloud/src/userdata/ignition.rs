//! Ignition v3: `storage.files` with their contents in data URLs.

use serde::Deserialize;

use super::{Disk, UserDataError, data_url};

#[derive(Deserialize)]
struct Config {
    ignition: Ignition,
    #[serde(default)]
    storage: Storage,
}

#[derive(Deserialize)]
struct Ignition {
    version: String,
}

#[derive(Default, Deserialize)]
struct Storage {
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    #[serde(default)]
    contents: Contents,
}

#[derive(Default, Deserialize)]
struct Contents {
    source: Option<String>,
    compression: Option<String>,
}

pub(super) fn parse(text: &str) -> Result<Disk, UserDataError> {
    let config: Config =
        serde_json::from_str(text).map_err(|error| UserDataError::Ignition(error.to_string()))?;
    let version = config.ignition.version;
    if !version.starts_with("3.") {
        return Err(UserDataError::Ignition(format!("version {version:?} is not supported; use 3.x")));
    }
    let mut disk = Disk::default();
    for File { path, contents } in config.storage.files {
        let content =
            decode(contents).map_err(|reason| UserDataError::File { path: path.clone(), reason })?;
        disk.files.insert(path, content);
    }
    Ok(disk)
}

fn decode(contents: Contents) -> Result<Vec<u8>, String> {
    if let Some(compression) = contents.compression.filter(|compression| !compression.is_empty()) {
        return Err(format!("compression {compression:?} is not supported; leave it out"));
    }
    contents.source.map_or_else(|| Ok(Vec::new()), |source| data_url::decode(&source))
}
