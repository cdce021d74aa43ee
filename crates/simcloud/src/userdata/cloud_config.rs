//! cloud-config: `write_files` and `hostname`; everything else is left to machines that exist.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::{Disk, UserDataError};

#[derive(Deserialize)]
struct CloudConfig {
    #[serde(default)]
    write_files: Vec<WriteFile>,
    hostname: Option<String>,
}

#[derive(Deserialize)]
struct WriteFile {
    path: String,
    #[serde(default)]
    content: String,
    encoding: Option<String>,
}

pub(super) fn parse(text: &str) -> Result<Disk, UserDataError> {
    let config: CloudConfig =
        serde_saphyr::from_str(text).map_err(|error| UserDataError::CloudConfig(error.to_string()))?;
    let mut disk = Disk { host_name: config.hostname, ..Disk::default() };
    for file in config.write_files {
        let content =
            decode(&file).map_err(|reason| UserDataError::File { path: file.path.clone(), reason })?;
        disk.files.insert(file.path, content);
    }
    Ok(disk)
}

fn decode(file: &WriteFile) -> Result<Vec<u8>, String> {
    match file.encoding.as_deref() {
        None | Some("" | "text/plain") => Ok(file.content.clone().into_bytes()),
        Some("b64" | "base64") => {
            // Block scalars wrap long base64; white space is no part of it.
            let packed: String = file.content.split_whitespace().collect();
            STANDARD.decode(packed).map_err(|error| format!("content is not base64: {error}"))
        }
        Some(other) => Err(format!("encoding {other:?} is not supported; use b64 or none")),
    }
}
