//! The offline half of the fake provider.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use millwright_api::MachineCode;
use millwright_provider::{
    ClassView, Credentials, FieldError, FieldErrorKind, ProviderError, Requirement, Rule, Scope, SecretKey,
    SpecRules, UserData,
};
use serde_json::{Value, json};

use crate::flaw::Flaw;
use crate::provider::FakeProvider;

pub(crate) const DRIVER: &str = "csi.fake.example";
pub(crate) const USER_DATA_LIMIT: usize = 1024;
const PREFIX: &str = "fake:///";
const MISSING: Rule = Rule::error("fake/missing", "MachineClass, Secret", "What is needed is there.");
const FOREIGN: Rule = Rule::error("cloud", "MachineClass", "Nobody of this name is there.");
const KNOWN: Rule = Rule::error("fake/known", "MachineClass, Secret", "What is there can be used.");

/// The cloud's id in one of our two spellings.
pub(crate) fn id_of(provider_id: &str) -> Option<&str> {
    let id = provider_id.strip_prefix(PREFIX).unwrap_or(provider_id);
    id.starts_with("vm-").then_some(id)
}

pub(crate) fn provider_id(id: &str) -> String {
    format!("{PREFIX}{id}")
}

fn missing(path: &str) -> FieldError {
    FieldError::new(MISSING.id, path, FieldErrorKind::Required, "must be set")
}

impl SpecRules for FakeProvider {
    fn names(&self) -> &'static [&'static str] {
        if self.flaw == Flaw::HasNoName { &[] } else { &["fake"] }
    }

    fn schema(&self) -> Value {
        let required = match self.flaw {
            Flaw::OptionalZone => json!(["endpoint", "size"]),
            _ => json!(["endpoint", "size", "zone"]),
        };
        json!({
            "type": "object",
            "required": required,
            "properties": {"boot": {"type": "object", "required": ["image"]}, "disk": {"minimum": 1}},
        })
    }

    fn rules(&self) -> &'static [Rule] {
        match self.flaw {
            Flaw::ForgetsARule => &[KNOWN],
            Flaw::NamesARuleOfOthers => &[MISSING, KNOWN, FOREIGN],
            _ => &[MISSING, KNOWN],
        }
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        &[
            SecretKey {
                name: "token",
                aliases: &[],
                requirement: Requirement::Required,
                meaning: "API token",
            },
            SecretKey {
                name: UserData::SECRET_KEY,
                aliases: &[],
                requirement: Requirement::Required,
                meaning: "what a VM starts with",
            },
        ]
    }

    fn add_defaults(&self, spec: &mut Value) {
        if self.flaw == Flaw::DefaultsReplaceGarbage && !spec.is_object() {
            *spec = json!({});
        }
        let Some(fields) = spec.as_object_mut() else { return };
        fields.entry("disk").or_insert(json!(20));
        match self.flaw {
            Flaw::DefaultsOverwrite => {
                fields.insert("size".into(), json!("large"));
            }
            Flaw::DefaultsGrow => {
                let grown = fields.get("disk").and_then(Value::as_i64).unwrap_or_default() + 1;
                fields.insert("disk".into(), json!(grown));
            }
            Flaw::RefusesItsOwnDefaults => {
                fields.entry("disk").or_insert(json!(0));
                fields.entry("mode").or_insert(json!("mystery"));
            }
            _ => {}
        }
    }

    fn validate(&self, class: &ClassView<'_>, _old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        let mut mistakes = Vec::new();
        if class.spec.get("tags").is_none() {
            mistakes.push(missing("providerSpec.tags"));
        }
        if let Some(mode) = class.spec.get("mode") {
            let detail = format!("{mode} is no mode");
            mistakes.push(FieldError::new(
                KNOWN.id,
                "providerSpec.mode",
                FieldErrorKind::NotSupported,
                detail,
            ));
        }
        mistakes
    }

    fn validate_credentials(&self, credentials: &Credentials) -> Vec<FieldError> {
        let mut mistakes = Vec::new();
        if credentials.text("token").is_none() && self.flaw != Flaw::AcceptsNoToken {
            mistakes.push(missing("token"));
        }
        match credentials.bytes(UserData::SECRET_KEY) {
            None => mistakes.push(missing(UserData::SECRET_KEY)),
            Some(text) if text.len() > USER_DATA_LIMIT && self.flaw != Flaw::SendsAnyLength => {
                let detail = format!("is over {USER_DATA_LIMIT} bytes");
                mistakes.push(FieldError::new(
                    KNOWN.id,
                    UserData::SECRET_KEY,
                    FieldErrorKind::Invalid,
                    detail,
                ));
            }
            Some(_) => {}
        }
        mistakes
    }

    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        let tag = |prefix: &str| {
            let tags = class.spec.get("tags").and_then(Value::as_object);
            let found = tags.and_then(|tags| tags.keys().find(|key| key.starts_with(prefix))).cloned();
            match found {
                None if self.flaw == Flaw::NoScopeMeansEverything => Ok(String::new()),
                None => Err(ProviderError::new(
                    MachineCode::InvalidArgument,
                    format!("class {}: providerSpec.tags has no key that starts with {prefix}", class.name),
                )),
                Some(found) => Ok(found),
            }
        };
        let (cluster, role) = (tag("kubernetes.io/cluster/")?, tag("kubernetes.io/role/")?);
        Ok(Scope { cluster, role, location: String::new() })
    }

    fn canonical_id(&self, id: &str) -> Result<String, ProviderError> {
        if self.flaw == Flaw::TakesAnyId || (self.flaw == Flaw::KnowsOneSpelling && !id.is_empty()) {
            return Ok(id.to_owned());
        }
        id_of(id).map(provider_id).ok_or_else(|| {
            ProviderError::new(
                MachineCode::InvalidArgument,
                format!("{id:?} is no id of this cloud; write {PREFIX}vm-…"),
            )
        })
    }

    fn volume_ids(&self, volumes: &[PersistentVolumeSpec]) -> Vec<String> {
        let csi = volumes.iter().filter_map(|volume| volume.csi.as_ref());
        csi.filter(|csi| csi.driver == DRIVER || self.flaw == Flaw::ClaimsEveryVolume)
            .map(|csi| csi.volume_handle.clone())
            .collect()
    }
}
