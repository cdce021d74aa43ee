//! Kubeconfig files: for each identity one with its certificate inside, and a template for the user data of VMs.
//! Everything is embedded, so that a file can be copied anywhere on this machine.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::pki::CertificateAndKey;

/// What a kubelet's user data has where the machine's own bootstrap token comes in.
pub const BOOTSTRAP_TOKEN_PLACEHOLDER: &str = "<<BOOTSTRAP_TOKEN>>";

/// How a user proves who it is.
pub(crate) enum Credential<'a> {
    Certificate(&'a CertificateAndKey),
    Token(&'a str),
}

/// The text of a kubeconfig. It is JSON, which every reader of YAML reads.
pub(crate) fn render(server: &str, ca_pem: &str, user: &str, credential: &Credential<'_>) -> String {
    let credential = match credential {
        Credential::Certificate(CertificateAndKey { certificate, key }) => json!({
            "client-certificate-data": STANDARD.encode(certificate),
            "client-key-data": STANDARD.encode(key),
        }),
        Credential::Token(token) => json!({ "token": token }),
    };
    let config: Value = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{
            "name": "testbed",
            "cluster": { "server": server, "certificate-authority-data": STANDARD.encode(ca_pem) },
        }],
        "users": [{ "name": user, "user": credential }],
        "contexts": [{ "name": "testbed", "context": { "cluster": "testbed", "user": user } }],
        "current-context": "testbed",
    });
    format!("{config:#}\n")
}

#[cfg(test)]
mod tests {
    use kube::config::Kubeconfig;

    use super::*;
    use crate::{identity::Identity, pki::Pki};

    const SERVER: &str = "https://127.0.0.1:6443";

    #[test]
    fn kube_reads_back_server_authority_and_certificate() {
        let pki = Pki::generate().unwrap();
        let issued = pki.issue_client(Identity::Webhook).unwrap();
        let text = render(SERVER, &pki.ca_pem(), "webhook", &Credential::Certificate(&issued));

        let config = Kubeconfig::from_yaml(&text).unwrap();
        assert_eq!(config.current_context.as_deref(), Some("testbed"));
        let cluster = config.clusters[0].cluster.as_ref().unwrap();
        assert_eq!(cluster.server.as_deref(), Some(SERVER));
        let authority = STANDARD.decode(cluster.certificate_authority_data.as_ref().unwrap()).unwrap();
        assert_eq!(String::from_utf8(authority).unwrap(), pki.ca_pem());
        let user = config.auth_infos[0].auth_info.as_ref().unwrap();
        let certificate = STANDARD.decode(user.client_certificate_data.as_ref().unwrap()).unwrap();
        assert_eq!(String::from_utf8(certificate).unwrap(), issued.certificate);
        assert!(user.client_key_data.is_some());
    }

    #[test]
    fn the_template_holds_the_placeholder_as_its_token() {
        let text = render(SERVER, "ca", "kubelet", &Credential::Token(BOOTSTRAP_TOKEN_PLACEHOLDER));
        assert_eq!(text.matches(BOOTSTRAP_TOKEN_PLACEHOLDER).count(), 1);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["users"][0]["user"]["token"], BOOTSTRAP_TOKEN_PLACEHOLDER);
    }
}
