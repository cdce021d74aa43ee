//! Points about the offline half: defaults, schema, validation, volumes.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, NFSVolumeSource, PersistentVolumeSpec};
use serde_json::{Value, json};

use super::scene::{Scene, class_of};
use super::{Bench, Broken, Kept, Verdict, expect_that};
use crate::{Credentials, FieldError, Provider, Requirement};

/// Defaults are idempotent, leave what was written alone (also keys that nobody knows) and add nothing inside lists.
pub async fn defaults_keep_what_was_written(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let mut written = scene.spec.clone();
    if let Some(fields) = written.as_object_mut() {
        fields.insert("x-nobody-knows".into(), json!({"kept": [1, null, {"a": ""}]}));
    }
    for written in [scene.spec.clone(), written, json!({})] {
        let mut once = written.clone();
        scene.provider.add_defaults(&mut once);
        kept_in("providerSpec", &written, &once)?;
        let mut twice = once.clone();
        scene.provider.add_defaults(&mut twice);
        expect_that(once == twice, || format!("defaults must be idempotent; {once} became {twice}"))?;
    }
    Ok(Kept::Yes)
}

/// A spec that is no object is left as it is, and reading it panics nowhere.
pub async fn unreadable_specs_are_left_alone(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    for written in [Value::Null, json!(true), json!(1.5), json!("text"), json!([]), json!([{}])] {
        let mut defaulted = written.clone();
        scene.provider.add_defaults(&mut defaulted);
        expect_that(defaulted == written, || {
            format!("defaults must leave {written} alone; they made {defaulted}")
        })?;
        let class = class_of(&written);
        let _mistakes = scene.provider.validate(&class, Some(&scene.class()));
        let _mistakes = scene.provider.validate(&scene.class(), Some(&class));
        expect_that(scene.provider.scope(&class).is_err(), || {
            format!("{written} has no scope; scope found one")
        })?;
    }
    Ok(Kept::Yes)
}

/// The valid spec is accepted by schema and rules, before and after defaults, as a new one and as an update of itself.
pub async fn the_valid_spec_is_accepted(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let mut defaulted = scene.spec.clone();
    scene.provider.add_defaults(&mut defaulted);
    for spec in [&scene.spec, &defaulted] {
        let mut mistakes = mistakes_of(scene.provider.as_ref(), spec)?;
        let class = class_of(spec);
        mistakes.extend(scene.provider.validate(&class, Some(&class)).iter().map(ToString::to_string));
        expect_that(mistakes.is_empty(), || {
            format!("{spec} must be accepted; the mistakes found are {mistakes:?}")
        })?;
    }
    Ok(Kept::Yes)
}

/// Each field that must be there is named when it is missing, also after defaults.
pub async fn every_missing_field_is_named(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let fields = scene.cloud.required_fields();
    expect_that(!fields.is_empty(), || {
        "the scripted cloud must name the required fields; it names none".into()
    })?;
    for field in fields {
        let mut spec = scene.spec.clone();
        remove(&mut spec, field)?;
        scene.provider.add_defaults(&mut spec);
        let mistakes = mistakes_of(scene.provider.as_ref(), &spec)?;
        let path = format!("providerSpec.{field}");
        expect_that(mistakes.iter().any(|mistake| mistake.starts_with(&path)), || {
            format!("without {path} that field must be named; the mistakes found are {mistakes:?}")
        })?;
    }
    Ok(Kept::Yes)
}

/// Takes a field out of a spec that must have it.
pub(super) fn remove(spec: &mut Value, field: &str) -> Result<(), Broken> {
    let pointer = format!("/{}", field.replace('.', "/"));
    let removed = pointer
        .rsplit_once('/')
        .and_then(|(parent, key)| spec.pointer_mut(parent)?.as_object_mut()?.shift_remove(key));
    expect_that(removed.is_some(), || {
        format!("the scripted cloud's valid spec must have field {field:?}; it has not")
    })
}

/// The provider has a name, and knows that user data comes from the Secret.
pub async fn the_provider_introduces_itself(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let names = scene.provider.names();
    expect_that(names.first().is_some_and(|name| !name.is_empty()), || {
        format!("names must not be empty; they are {names:?}")
    })?;
    let keys = scene.provider.secret_keys();
    let user_data = keys.iter().find(|key| key.name == crate::UserData::SECRET_KEY);
    expect_that(user_data.is_some_and(|key| key.requirement == Requirement::Required), || {
        format!("secret_keys must require {:?}; they are {keys:?}", crate::UserData::SECRET_KEY)
    })?;
    Ok(Kept::Yes)
}

/// Volumes of other systems are skipped, own ones are named.
pub async fn volumes_of_others_are_skipped(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let nfs =
        PersistentVolumeSpec { nfs: Some(NFSVolumeSource::default()), ..PersistentVolumeSpec::default() };
    let foreign = PersistentVolumeSpec {
        csi: Some(CSIPersistentVolumeSource {
            driver: "csi.nobody.example".into(),
            volume_handle: "vol-1".into(),
            ..CSIPersistentVolumeSource::default()
        }),
        ..PersistentVolumeSpec::default()
    };
    let mut volumes = vec![nfs, foreign, PersistentVolumeSpec::default()];
    let mut wanted = Vec::new();
    if let Some((own, id)) = scene.cloud.own_volume() {
        volumes.insert(1, own);
        wanted.push(id);
    }
    let ids = scene.provider.volume_ids(&volumes);
    expect_that(ids == wanted, || {
        format!("volume_ids must return {wanted:?} of those volumes; it returned {ids:?}")
    })?;
    Ok(Kept::Yes)
}

/// Every mistake carries a rule that the provider lists; the ids begin with its name in lower case, and each is there once.
pub async fn every_mistake_names_a_listed_rule(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let prefix = format!("{}/", scene.provider.names().first().copied().unwrap_or_default().to_lowercase());
    let mut ids = BTreeSet::new();
    for rule in scene.provider.rules() {
        let id = rule.id.as_str();
        let words = id.strip_prefix(&prefix).unwrap_or_default();
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let good = words.split('-').all(|word| !word.is_empty() && word.bytes().all(letter));
        expect_that(good, || {
            format!("a rule must be called {prefix} and lower-case words joined by '-'; one is {id:?}")
        })?;
        expect_that(ids.insert(rule.id), || format!("a rule must be listed once; {id:?} is there twice"))?;
        expect_that(!rule.at.is_empty() && !rule.says.is_empty(), || {
            format!("rule {id:?} must say where it is looked at and what must hold")
        })?;
    }
    let listed = |mistake: &FieldError| {
        expect_that(ids.contains(&mistake.rule), || {
            format!("every mistake must carry a listed rule; {:?} of {mistake} is not", mistake.rule.as_str())
        })
    };
    for spec in broken_specs(&scene) {
        let (broken, whole) = (class_of(&spec), scene.class());
        let validate = |class, old| scene.provider.validate(class, old);
        validate(&broken, None).iter().try_for_each(listed)?;
        validate(&broken, Some(&whole)).iter().try_for_each(listed)?;
        validate(&whole, Some(&broken)).iter().try_for_each(listed)?;
    }
    let odd = scene.credentials.keys().map(|key| (key.to_owned(), vec![0xff, b'\n']));
    for credentials in [Credentials::default(), Credentials::merge([odd.collect()])] {
        scene.provider.validate_credentials(&credentials).iter().try_for_each(listed)?;
    }
    Ok(Kept::Yes)
}

/// Specs with something wrong: without one of their fields, with another value in it, without a scope, or none at all.
fn broken_specs(scene: &Scene) -> Vec<Value> {
    let mut specs = scene.cloud.specs_without_scope();
    specs.extend([Value::Null, json!([]), json!({})]);
    for key in scene.spec.as_object().into_iter().flat_map(|fields| fields.keys()) {
        for other in [None, Some(Value::Null), Some(json!(-7)), Some(json!("a b:/?")), Some(json!({"x": {}}))]
        {
            let mut spec = scene.spec.clone();
            let Some(fields) = spec.as_object_mut() else { continue };
            match other {
                None => drop(fields.shift_remove(key)),
                Some(other) => drop(fields.insert(key.clone(), other)),
            }
            specs.push(spec);
        }
    }
    specs
}

/// Mistakes by schema and by rules, each starting with its path.
fn mistakes_of(provider: &dyn Provider, spec: &Value) -> Result<Vec<String>, Broken> {
    let schema = jsonschema::validator_for(&provider.schema())
        .map_err(|error| Broken(format!("schema must be a JSON Schema; it is not: {error}")))?;
    let by_schema = schema.iter_errors(spec).map(|error| {
        let mut path = format!("providerSpec{}", error.instance_path().as_str().replace('/', "."));
        if let jsonschema::error::ValidationErrorKind::Required { property } = error.kind() {
            path = format!("{path}.{}", property.as_str().unwrap_or_default());
        }
        format!("{path}: {error}")
    });
    let mut mistakes: Vec<String> = by_schema.collect();
    mistakes.extend(provider.validate(&class_of(spec), None).iter().map(ToString::to_string));
    Ok(mistakes)
}

/// Every value of `written` stands in `defaulted` too; lists are the same.
fn kept_in(path: &str, written: &Value, defaulted: &Value) -> Result<(), Broken> {
    match (written, defaulted) {
        (Value::Object(written), Value::Object(defaulted)) => written.iter().try_for_each(|(key, value)| {
            let now = defaulted.get(key).unwrap_or(&Value::Null);
            kept_in(&format!("{path}.{key}"), value, now)
        }),
        _ => expect_that(written == defaulted, || {
            format!("defaults must leave {path} alone; {written} became {defaulted}")
        }),
    }
}
