//! Points about a class that nobody can read any more, or not yet: its VMs are looked after all the same.

use serde_json::{Value, json};

use super::rules::remove;
use super::scene::{Scene, must};
use super::{Bench, Broken, Census, Kept, Verdict, expect_that};
use crate::MachineView;

/// By a class whose other fields are missing, or hold what they can not hold, its VMs are listed and deleted: an orphan of such a
/// class would be nobody's, and a machine of it could never go.
pub async fn vms_of_a_class_with_mistakes_are_listed_and_deleted(bench: &dyn Bench) -> Verdict {
    let mut scene = Scene::set(bench).await;
    let home = scene.cloud.home_fields();
    let is_home =
        |field: &str| home.iter().any(|needed| *needed == field || needed.starts_with(&format!("{field}.")));
    let fields = scene.cloud.required_fields();
    let mut spared: Vec<&str> = fields.into_iter().filter(|field| !is_home(field)).collect();
    expect_that(!spared.is_empty(), || {
        format!("some required field must be spared by lists; these are said to be needed: {home:?}")
    })?;
    // What holds others goes last, or they could not be taken out any more.
    spared.sort_by_key(|field| std::cmp::Reverse(field.len()));
    // Two machines: clouds remember for a while what was made for one.
    for (number, wrong) in [(1, None), (2, Some(json!([{ "odd": -1 }])))] {
        let valid = scene.cloud.spec();
        let (machine, created) = scene.born(number).await?;
        scene.spec = broken(&valid, &spared, wrong.as_ref())?;
        let how = format!(
            "by a class with the fields {spared:?} {}",
            if wrong.is_some() { "wrong" } else { "missing" }
        );
        let listed = must(&format!("list {how}"), scene.list().await)?;
        let ids: Vec<&str> = listed.iter().map(|entry| entry.id.as_str()).collect();
        expect_that(ids == [created.provider_id.as_str()], || {
            format!("list {how} must show {:?}; it shows {listed:?}", created.provider_id)
        })?;
        let mut forgotten = MachineView { provider_id: None, node_name: None, ..machine };
        must(&format!("delete {how}"), scene.delete(&mut forgotten).await)?;
        scene.expect_census(Census::default(), &format!("after a deletion {how}")).await?;
        scene.spec = valid;
    }
    Ok(Kept::Yes)
}

/// The spec with those fields taken out, or with that value in their places.
fn broken(spec: &Value, fields: &[&str], wrong: Option<&Value>) -> Result<Value, Broken> {
    let mut spec = spec.clone();
    for field in fields {
        remove(&mut spec, field)?;
    }
    for (field, wrong) in fields.iter().zip(wrong.into_iter().cycle()) {
        let (parent, key) = field.rsplit_once('.').map_or(("", *field), |(parent, key)| (parent, key));
        let pointer =
            if parent.is_empty() { String::new() } else { format!("/{}", parent.replace('.', "/")) };
        // One whose parent is gone as well is wrong with its parent.
        if let Some(parent) = spec.pointer_mut(&pointer).and_then(Value::as_object_mut) {
            parent.insert(key.to_owned(), wrong.clone());
        }
    }
    Ok(spec)
}
