//! The samples of config/samples with their gaps filled in, as a user would: token, endpoint, API server and its authority.

use std::{
    io,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};

use super::error::DemoError;
use crate::{checkout, cloud::Cloud, private_file, testbed::Testbed};

/// Where the filled-in samples lie.
pub(super) struct Samples {
    /// A kustomization: a Secret, a class, a deployment of three.
    pub(super) pool: PathBuf,
    /// A second class.
    pub(super) new_class: PathBuf,
    /// A class with three mistakes.
    pub(super) bad_class: PathBuf,
}

const FILES: [&str; 4] =
    ["kustomization.yaml", "local/secret.yaml", "local/machineclass.yaml", "local/machinedeployment.yaml"];

/// What the samples leave open, and what belongs there.
type Gaps<'a> = [(&'static str, &'a str)];

impl Samples {
    /// Writes them below the testbed's data folder.
    pub(super) fn write(testbed: &Testbed, cloud: &Cloud) -> Result<Self, DemoError> {
        let source = checkout::root().join("config/samples");
        let target = testbed.data_dir().join("manifests").join("pool");
        let authority = STANDARD.encode(testbed.ca_pem());
        let gaps = [
            ("FILL-IN-TOKEN-OF-SIMCLOUD", cloud.token()),
            ("http://127.0.0.1:8090", cloud.url()),
            ("https://FILL-IN-API-SERVER:6443", testbed.server_url()),
            ("FILL-IN-CA-AS-BASE64", &authority),
        ];
        let make = |folder: &Path| std::fs::create_dir_all(folder).map_err(DemoError::file("create", folder));
        make(&target.join("local"))?;
        for file in FILES {
            let text = read(&source.join(file))?;
            write(&target.join(file), &fill(&text, &gaps))?;
        }
        let class = fill(&read(&source.join("local/machineclass.yaml"))?, &gaps);
        let new_class = testbed.data_dir().join("manifests").join("workers-v2.yaml");
        write(&new_class, &second_version(&class))?;
        Ok(Self { pool: target, new_class, bad_class: source.join("invalid/machineclass.yaml") })
    }
}

fn read(path: &Path) -> Result<String, DemoError> {
    std::fs::read_to_string(path).map_err(DemoError::file("read", path))
}

fn write(path: &Path, text: &str) -> Result<(), DemoError> {
    let written: io::Result<()> = private_file::write(path, text);
    written.map_err(DemoError::file("write", path))
}

fn fill(text: &str, gaps: &Gaps<'_>) -> String {
    gaps.iter().fold(text.to_owned(), |text, (gap, filling)| text.replace(gap, filling))
}

/// The class once more, under a new name and with a larger size.
fn second_version(class: &str) -> String {
    class.replace("workers-v1", "workers-v2").replace("size: small", "size: medium")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_have_the_gaps_that_are_filled() {
        let gaps = [
            ("FILL-IN-TOKEN-OF-SIMCLOUD", "hush"),
            ("http://127.0.0.1:8090", "http://127.0.0.1:1"),
            ("https://FILL-IN-API-SERVER:6443", "https://127.0.0.1:2"),
            ("FILL-IN-CA-AS-BASE64", "Q0E="),
        ];
        let source = checkout::root().join("config/samples");
        let all: String = FILES.iter().map(|file| read(&source.join(file)).unwrap()).collect();
        for (gap, _) in gaps {
            assert!(all.contains(gap), "{gap}");
        }
        let filled = fill(&all, &gaps);
        assert!(!filled.contains("FILL-IN"), "{filled}");
        for (_, filling) in gaps {
            assert!(filled.contains(filling), "{filling}");
        }
    }

    #[test]
    fn the_second_version_differs_in_name_and_size() {
        let class = read(&checkout::root().join("config/samples/local/machineclass.yaml")).unwrap();
        let second = second_version(&class);
        assert!(second.contains("name: workers-v2") && second.contains("size: medium"), "{second}");
        assert!(!second.contains("workers-v1") && !second.contains("size: small"), "{second}");
    }
}
