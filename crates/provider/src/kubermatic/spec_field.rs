//! One field of a cloud's part of the value, as data.

use crate::Requirement;

/// A field of `cloudProviderSpec`.
#[derive(Clone, Copy, Debug)]
pub struct SpecField {
    /// Where it stands below `cloudProviderSpec`, such as `spotInstanceConfig.maxPrice`.
    pub path: &'static str,
    /// What may stand there.
    pub form: Form,
    /// Whether it must be there once references are resolved.
    pub requirement: Requirement,
    /// Environment variables that stand in when it is empty, the first one that is set.
    pub environment: &'static [&'static str],
    /// The key of a Gardener Secret of the same cloud, when it is a credential.
    pub secret_key: Option<&'static str>,
    /// Whether a credential may be seen.
    pub privacy: Privacy,
    /// How a credential is written.
    pub encoding: Encoding,
    /// What it is, for messages and docs.
    pub meaning: &'static str,
}

/// What may stand in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A text, or a reference to one.
    Text,
    /// True or false, or a reference to it.
    Flag,
    /// A list of texts or references.
    Texts,
    /// A text and no reference.
    PlainText,
    /// A list of texts and no reference.
    PlainTexts,
    /// A whole number.
    PlainInteger,
    /// True or false and no reference.
    PlainFlag,
    /// A map of texts whose keys are the user's.
    PlainMap,
    /// Nothing, or an empty text: Kubermatic reads it, and what it asks for is not done here. Its meaning says what to do instead.
    NotServed,
}

/// Whether a credential may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// Nobody but the cloud may see it: it leaves the spec.
    Secret,
    /// It names an account and proves nothing: it stays in the spec too.
    Public,
}

/// How a credential is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    Plain,
    /// In base64, or as it is when it begins like a JSON object.
    Base64OrJson,
}

impl SpecField {
    /// An optional field that holds no credential.
    #[must_use]
    pub const fn new(path: &'static str, form: Form, meaning: &'static str) -> Self {
        Self {
            path,
            form,
            requirement: Requirement::Optional,
            environment: &[],
            secret_key: None,
            privacy: Privacy::Secret,
            encoding: Encoding::Plain,
            meaning,
        }
    }

    /// The same, but it must be there.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { requirement: Requirement::Required, ..self }
    }

    /// The same, with environment variables that stand in for it.
    #[must_use]
    pub const fn or_env(self, environment: &'static [&'static str]) -> Self {
        Self { environment, ..self }
    }

    /// The same, as a credential under that key.
    #[must_use]
    pub const fn credential(self, secret_key: &'static str) -> Self {
        Self { secret_key: Some(secret_key), ..self }
    }

    /// The same, as a credential that is no secret.
    #[must_use]
    pub const fn account(self, secret_key: &'static str) -> Self {
        Self { privacy: Privacy::Public, ..self.credential(secret_key) }
    }

    /// The same, in another encoding.
    #[must_use]
    pub const fn written_in(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }
}

impl Form {
    /// In words, for messages and docs.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Text => "a text or a reference",
            Self::Flag => "true, false or a reference",
            Self::Texts => "a list of texts or references",
            Self::PlainText => "a text",
            Self::PlainTexts => "a list of texts",
            Self::PlainInteger => "a whole number",
            Self::PlainFlag => "true or false",
            Self::PlainMap => "a map of texts",
            Self::NotServed => "left out",
        }
    }

    /// Whether a reference may stand there.
    pub(super) const fn takes_references(self) -> bool {
        matches!(self, Self::Text | Self::Flag | Self::Texts)
    }
}
