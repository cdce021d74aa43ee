//! What the Secret holds, between its bytes and the plan's view. Read leniently: each part that is broken is one that is missing, and
//! said.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use millwright_api::keys::annotations::{CERTIFICATE_AUTHORITY_PUBLISHED, CERTIFICATE_ISSUED};

use super::anchor::{Anchor, merge};
use super::authority::Authority;
use super::pair::{Pair, Trust};
use super::server_names::ServerNames;

const CA_CERTIFICATE: &str = "ca.crt";
const CA_KEY: &str = "ca.key";
const OTHER_CAS: &str = "ca-old.crt";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";

/// The state of a rotation. All of it is in the Secret, so that another leader goes on where one ended.
#[derive(Clone, Default)]
pub(crate) struct Content {
    /// Signs what is issued from now on.
    pub(crate) authority: Option<Authority>,
    /// Trusted besides it, because there may be certificates of theirs that are still served.
    pub(crate) others: Vec<Anchor>,
    /// What replicas serve.
    pub(crate) serving: Option<Pair>,
    /// Since when both configurations have trusted exactly these CAs.
    pub(crate) published: Option<Timestamp>,
    /// Since when there has been a serving certificate of the CA that signs.
    pub(crate) issued: Option<Timestamp>,
}

impl Content {
    /// Everybody whom API servers must trust, the newest first.
    pub(crate) fn anchors(&self) -> Vec<Anchor> {
        let mut anchors: Vec<Anchor> = self.authority.iter().map(|ca| ca.anchor().clone()).collect();
        merge(&mut anchors, self.others.iter().cloned());
        anchors
    }

    /// The same as a caBundle.
    pub(crate) fn bundle(&self) -> String {
        self.anchors().iter().map(Anchor::pem).collect()
    }

    /// What a replica takes from it: nothing that is not trusted through these CAs, for that is somebody's mistake. A certificate for
    /// other names is taken: while the Service is being renamed there are replicas of both names.
    pub(crate) fn to_serve(&self, names: &ServerNames, now: Timestamp) -> Option<&Pair> {
        self.serving.as_ref().filter(|pair| pair.trust(&self.anchors(), names, now) != Trust::None)
    }

    /// Reads a Secret. What is wrong with it is told beside what is left of it, without a word of its values.
    pub(crate) fn read(secret: &Secret) -> (Self, Vec<&'static str>) {
        let mut faults = Vec::new();
        let text = |key: &str| {
            let bytes = &secret.data.as_ref()?.get(key)?.0;
            std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty())
        };
        let time = |key: &str| secret.metadata.annotations.as_ref()?.get(key)?.parse().ok();

        let mut others = Anchor::all_in(text(OTHER_CAS).unwrap_or_default().as_bytes());
        let anchor = Anchor::all_in(text(CA_CERTIFICATE).unwrap_or_default().as_bytes()).into_iter().next();
        let authority = match anchor {
            None => {
                faults.push("ca.crt holds no certificate of a CA");
                None
            }
            Some(anchor) => {
                let loaded = Authority::load(anchor.clone(), text(CA_KEY).unwrap_or_default());
                if loaded.is_none() {
                    faults.push("ca.key is not the private key of ca.crt");
                    // It signed what is served, and must be trusted until that is replaced.
                    merge(&mut others, [anchor]);
                }
                loaded
            }
        };
        let serving = match (text(CERTIFICATE), text(KEY)) {
            // While a new CA becomes known there may be none.
            (None, None) => None,
            (certificate, key) => {
                let pair = Pair::load(certificate.unwrap_or_default(), key.unwrap_or_default());
                if pair.is_err() {
                    faults.push("tls.crt and tls.key are not a certificate and its private key");
                }
                pair.ok()
            }
        };
        let (published, issued) = (time(CERTIFICATE_AUTHORITY_PUBLISHED), time(CERTIFICATE_ISSUED));
        (Self { authority, others, serving, published, issued }, faults)
    }

    /// Writes all of it into a Secret; what else is in `metadata` stays.
    pub(crate) fn write(&self, mut metadata: ObjectMeta) -> Secret {
        let annotations = metadata.annotations.get_or_insert_default();
        for (key, time) in
            [(CERTIFICATE_AUTHORITY_PUBLISHED, self.published), (CERTIFICATE_ISSUED, self.issued)]
        {
            match time {
                Some(time) => annotations.insert(key.to_owned(), time.to_string()),
                None => annotations.remove(key),
            };
        }
        metadata.managed_fields = None;
        let mut data = BTreeMap::new();
        let mut put = |key: &str, text: &str| {
            data.insert(key.to_owned(), ByteString(text.as_bytes().to_vec()));
        };
        if let Some(authority) = &self.authority {
            put(CA_CERTIFICATE, &authority.anchor().pem());
            put(CA_KEY, authority.key());
        }
        if !self.others.is_empty() {
            put(OTHER_CAS, &self.others.iter().map(Anchor::pem).collect::<String>());
        }
        if let Some(pair) = &self.serving {
            put(CERTIFICATE, pair.certificate());
            put(KEY, pair.key());
        }
        Secret { metadata, data: Some(data), ..Secret::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const YEAR: Duration = Duration::from_secs(365 * 86_400);

    fn now() -> Timestamp {
        Timestamp::from_second(1_800_000_000).unwrap()
    }

    fn names() -> ServerNames {
        ServerNames::new("hook", "ns", &[]).unwrap()
    }

    fn whole() -> Content {
        let (authority, old) =
            (Authority::generate(now(), YEAR).unwrap(), Authority::generate(now(), YEAR).unwrap());
        Content {
            serving: Some(authority.issue(&names(), now(), YEAR).unwrap()),
            authority: Some(authority),
            others: vec![old.anchor().clone()],
            published: Some(now()),
            issued: Some(now()),
        }
    }

    #[test]
    fn what_is_written_is_read_and_what_others_noted_on_the_secret_stays() {
        let content = whole();
        let labels = BTreeMap::from([("team".to_owned(), "blue".to_owned())]);
        let metadata = ObjectMeta { labels: Some(labels.clone()), ..ObjectMeta::default() };
        let secret = content.write(metadata);
        assert_eq!(secret.metadata.labels, Some(labels));
        let (read, faults) = Content::read(&secret);
        assert!(faults.is_empty() && read.serving == content.serving, "{faults:?}");
        assert_eq!(
            (read.bundle(), read.published, read.issued),
            (content.bundle(), Some(now()), Some(now()))
        );
        assert_eq!(read.authority.unwrap().key(), content.authority.unwrap().key());
    }

    #[test]
    fn each_broken_part_is_told_and_the_others_are_used() {
        let whole = whole();
        for (key, faults, has_authority, serves, trusted) in [
            (CA_CERTIFICATE, &["ca.crt holds no certificate of a CA"][..], false, true, 1),
            (CA_KEY, &["ca.key is not the private key of ca.crt"], false, true, 2),
            (OTHER_CAS, &[], true, true, 1),
            (CERTIFICATE, &["tls.crt and tls.key are not a certificate and its private key"], true, false, 2),
            (KEY, &["tls.crt and tls.key are not a certificate and its private key"], true, false, 2),
        ] {
            for broken in [None, Some("garbage"), Some("\u{0}")] {
                let mut secret = whole.write(ObjectMeta::default());
                let data = secret.data.as_mut().unwrap();
                match broken {
                    Some(text) => data.insert(key.to_owned(), ByteString(text.as_bytes().to_vec())),
                    None => data.remove(key),
                };
                let (read, told) = Content::read(&secret);
                assert_eq!(told, faults, "{key} {broken:?}");
                assert_eq!(
                    (read.authority.is_some(), read.serving.is_some()),
                    (has_authority, serves),
                    "{key}"
                );
                assert_eq!(read.anchors().len(), trusted, "{key}");
            }
        }
        let (nothing, told) = Content::read(&Secret::default());
        assert_eq!((told.len(), nothing.anchors().len()), (1, 0));
    }

    #[test]
    fn a_certificate_of_a_stranger_is_not_served_and_one_for_another_name_is() {
        let mut content = whole();
        assert!(content.to_serve(&names(), now()).is_some());
        assert!(content.to_serve(&ServerNames::new("other", "ns", &[]).unwrap(), now()).is_some());
        assert!(content.to_serve(&names(), now() + 2 * YEAR).is_none());
        content.serving =
            Some(Authority::generate(now(), YEAR).unwrap().issue(&names(), now(), YEAR).unwrap());
        assert!(content.to_serve(&names(), now()).is_none());
    }
}
