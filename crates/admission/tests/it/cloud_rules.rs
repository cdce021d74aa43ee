//! The offline half of an invented cloud, with one of everything a provider may have.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use millwright_api::MachineCode;
use millwright_provider::{
    ClassView, Credentials, FieldError, FieldErrorKind, ProviderError, Requirement, Rule, Scope, SecretKey,
    SpecRules,
};
use serde_json::{Value, json};

const READABLE: Rule = Rule::error("cloud/readable", "MachineClass: `providerSpec`", "It can be read.");
const SIZE: Rule = Rule::error("cloud/size", "MachineClass: `providerSpec.size`", "It is no monster.");
const ROLE: Rule = Rule::error("cloud/role", "MachineClass: `providerSpec.tags`", "They name a role.");
const BOOT: Rule = Rule::error("cloud/boot-stays", "MachineClass: `providerSpec.boot.mode`", "It stays.");

pub(crate) struct CloudRules;

impl SpecRules for CloudRules {
    fn names(&self) -> &'static [&'static str] {
        &["cloud", "nimbus"]
    }

    fn schema(&self) -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["size", "tags"],
            "additionalProperties": false,
            "properties": {
                "size": {"type": "string", "enum": ["small", "medium", "large"], "description": "Size of the VM."},
                "diskGiB": {"type": "integer", "minimum": 1, "description": "Size of the disk."},
                "tags": {"type": "object", "propertyNames": {"maxLength": 30}, "additionalProperties": {"type": "string"}, "description": "Tags of the VM."},
                "boot": {"$ref": "#/$defs/boot"},
                "spot": {"type": ["boolean", "null"]},
                "protection": {"enum": ["weak", "strong", "", null]},
                "zones": {"type": ["array", "null"], "minItems": 1},
                "nics": {"type": "array", "items": {
                    "type": "object", "required": ["subnet"],
                    "properties": {"subnet": {"type": "string", "minLength": 1}}
                }},
                "address": {"oneOf": [
                    {"type": "string"},
                    {"type": "object", "required": ["pool"], "properties": {"pool": {"type": "string"}}}
                ]}
            },
            "$defs": {"boot": {
                "type": "object",
                "properties": {
                    "mode": {"enum": ["kubelet", "direct", "never"], "description": "How the VM joins."},
                    "delay": {"type": "string"}
                }
            }}
        })
    }

    fn rules(&self) -> &'static [Rule] {
        &[READABLE, SIZE, ROLE, BOOT]
    }

    fn secret_keys(&self) -> &'static [SecretKey] {
        const {
            &[
                SecretKey {
                    name: "accessKey",
                    aliases: &["ACCESS_KEY"],
                    requirement: Requirement::Required,
                    meaning: "key of the account",
                },
                SecretKey {
                    name: "userData",
                    aliases: &[],
                    requirement: Requirement::Required,
                    meaning: "what a VM starts with",
                },
                SecretKey {
                    name: "proxy",
                    aliases: &[],
                    requirement: Requirement::Optional,
                    meaning: "the way to the cloud",
                },
            ]
        }
    }

    fn add_defaults(&self, spec: &mut Value) {
        let Some(spec) = spec.as_object_mut() else { return };
        spec.entry("diskGiB").or_insert(json!(20));
        let boot = spec.entry("boot").or_insert(json!({}));
        if let Some(boot) = boot.as_object_mut() {
            boot.entry("mode").or_insert(json!("kubelet"));
        }
    }

    fn validate(&self, class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let invalid = |rule: Rule, field: &str, detail: &str| {
            FieldError::new(rule.id, field, FieldErrorKind::Invalid, detail)
        };
        // As a provider would: it can't read a spec of the wrong types, and says so at the root.
        if class.spec.get("diskGiB").is_some_and(|disk| !disk.is_u64()) {
            errors.push(invalid(READABLE, "providerSpec", "can't be read"));
        }
        if class.spec["size"] == "huge" {
            errors.push(invalid(
                SIZE,
                "providerSpec.size",
                "typed rule on a field the schema refused already",
            ));
        }
        let tags = class.spec.get("tags").and_then(Value::as_object);
        if tags.is_none_or(|tags| !tags.contains_key("kubernetes.io/role/node")) {
            errors.push(invalid(ROLE, "providerSpec.tags", "must contain the key kubernetes.io/role/node"));
        }
        if old.is_some_and(|old| old.spec["boot"]["mode"] != class.spec["boot"]["mode"]) {
            let detail = "can't change; make a new class";
            errors.push(FieldError::new(
                BOOT.id,
                "providerSpec.boot.mode",
                FieldErrorKind::Forbidden,
                detail,
            ));
        }
        errors
    }

    fn validate_credentials(&self, _: &Credentials) -> Vec<FieldError> {
        Vec::new()
    }

    /// By the first tag, and by the size, as if each size were made elsewhere.
    fn scope(&self, class: &ClassView<'_>) -> Result<Scope, ProviderError> {
        let none = || ProviderError::new(MachineCode::InvalidArgument, "no tags");
        let tags = class.spec.get("tags").and_then(Value::as_object).ok_or_else(none)?;
        let cluster = tags.keys().next().cloned().ok_or_else(none)?;
        let location = class.spec["size"].as_str().unwrap_or_default().to_owned();
        Ok(Scope { cluster, role: "node".to_owned(), location })
    }

    fn canonical_id(&self, provider_id: &str) -> Result<String, ProviderError> {
        Ok(provider_id.to_owned())
    }

    fn volume_ids(&self, _: &[PersistentVolumeSpec]) -> Vec<String> {
        Vec::new()
    }
}
