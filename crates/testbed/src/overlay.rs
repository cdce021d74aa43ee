//! Writes the kustomization that installs the project into a testbed, as deploy/testbed/README.md tells users to.

use std::{
    io,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{checkout, private_file};

/// What the API server is told about the webhook.
#[derive(Debug, Clone, Copy)]
pub enum Registration<'a> {
    /// It listens on this port of 127.0.0.1, with a certificate signed by this authority.
    Webhook {
        /// Its https port.
        port: u16,
        /// The authority's certificate as PEM.
        ca_pem: &'a str,
    },
    /// There is none: CRDs, namespace and rights only.
    None,
}

/// Writes the kustomization into a folder below `folder`; yields that one, for `kubectl apply -k`.
pub fn write(folder: &Path, registration: Registration<'_>) -> io::Result<PathBuf> {
    let folder = folder.join("manifests").join("installation");
    std::fs::create_dir_all(&folder)?;
    // Without symbolic links, else `..` leads elsewhere than it seems.
    let folder = folder.canonicalize()?;
    let to_root = checkout::relative(&folder, &checkout::root().canonicalize()?);
    private_file::write(&folder.join("kustomization.yaml"), &render(&to_root, registration))?;
    Ok(folder)
}

fn render(to_root: &Path, registration: Registration<'_>) -> String {
    let root = to_root.display();
    match registration {
        Registration::Webhook { port, ca_pem } => {
            let ca = STANDARD.encode(ca_pem);
            let patches = [("Mutating", "mutate", 1), ("Validating", "validate", 2)]
                .map(|(sort, path, entries)| {
                    let to = format!("{{url: \"https://127.0.0.1:{port}/{path}\", caBundle: {ca}}}");
                    let entries = (0..entries).map(|index| {
                        format!("    - op: replace\n      path: /webhooks/{index}/clientConfig\n      value: {to}\n")
                    });
                    let entries: String = entries.collect();
                    format!("- target: {{kind: {sort}WebhookConfiguration, name: millwright}}\n  patch: |-\n{entries}")
                })
                .concat();
            format!("{HEAD}- {root}/deploy/testbed\npatches:\n{patches}")
        }
        Registration::None => {
            format!("{HEAD}- {root}/config/namespace\n- {root}/config/crd\n- {root}/config/rbac\n")
        }
    }
}

const HEAD: &str = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n";

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(text: &str) -> Value {
        serde_saphyr::from_str(text).unwrap()
    }

    #[test]
    fn both_registrations_get_the_webhooks_address_and_authority() {
        let registration = Registration::Webhook { port: 4001, ca_pem: "PEM" };
        let overlay = read(&render(Path::new("../../.."), registration));
        assert_eq!(overlay["resources"][0], "../../../deploy/testbed");
        for (index, path) in ["mutate", "validate"].iter().enumerate() {
            let patch = read(overlay["patches"][index]["patch"].as_str().unwrap());
            assert_eq!(patch[0]["value"]["url"], format!("https://127.0.0.1:4001/{path}"));
            assert_eq!(patch[0]["value"]["caBundle"], STANDARD.encode("PEM"));
            let entries = patch.as_array().unwrap();
            assert_eq!(entries.len(), index + 1, "deletions are a second entry of the validating ones");
            assert!(entries.iter().all(|entry| entry["value"] == patch[0]["value"]));
        }
    }

    #[test]
    fn without_a_webhook_none_is_registered() {
        let overlay = read(&render(Path::new(".."), Registration::None));
        assert!(overlay.get("patches").is_none());
        assert_eq!(overlay["resources"].as_array().unwrap().len(), 3);
        assert!(!overlay["resources"].to_string().contains("webhook"));
    }

    #[test]
    fn what_is_written_leads_to_the_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let written = write(folder.path(), Registration::None).unwrap();
        let overlay = read(&std::fs::read_to_string(written.join("kustomization.yaml")).unwrap());
        let base = overlay["resources"][0].as_str().unwrap();
        assert!(written.join(base).join("kustomization.yaml").is_file(), "{base}");
    }
}
