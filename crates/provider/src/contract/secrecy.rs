//! Points about credentials: never shown, and never remembered for too long.

use std::collections::BTreeMap;
use std::error::Error as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use millwright_api::MachineCode;

use super::failures::Machines;
use super::scene::{Scene, USER_DATA, class_of, machine, must, must_fail};
use super::{Bench, Broken, Call, Effect, Kept, Refusal, Verdict, When, expect_that};
use crate::{Credentials, ProviderError};

const TOO_SHORT: usize = 8;

/// No error, refused field or `Debug` output shows a credential or user data, plain or in base64.
pub async fn no_message_shows_a_credential(bench: &dyn Bench) -> Verdict {
    let mut scene = Scene::set(bench).await;
    let machines = Machines::of(&scene).await?;
    let mut secrets = Secrets::default();
    secrets.add_all(&scene.credentials)?;
    secrets.add_all(&scene.cloud.refused_credentials())?;
    secrets.add("userData", USER_DATA.trim().as_bytes())?;

    for refusal in Refusal::ALL {
        scene.strike(Call::Any, When::Always, Effect::Refuse(refusal)).await;
        secrets.search_errors(machines.perform_all(&scene).await)?;
        scene.cloud.clear_faults().await;
    }
    for row in scene.cloud.error_rows() {
        scene.cloud.provoke(&row).await;
        let outcome = scene.perform(row.operation, &machines.absent, &machines.present).await;
        secrets.search_errors([(row.name.to_owned(), outcome)])?;
        scene.cloud.clear_faults().await;
    }
    let good = std::mem::replace(&mut scene.credentials, scene.cloud.refused_credentials());
    secrets.search_errors(machines.perform_all(&scene).await)?;
    scene.credentials = good;
    for garbled in garbled(&scene.credentials) {
        for mistake in scene.provider.validate_credentials(&garbled) {
            secrets.search("validate_credentials", &format!("{mistake} {mistake:?}"))?;
        }
        scene.credentials = garbled;
        secrets.search_errors([("status".to_owned(), scene.status(&machines.present).await.map(drop))])?;
    }
    scene.credentials = scene.cloud.credentials();
    if let Some(unreachable) = scene.cloud.unreachable_spec() {
        scene.spec = unreachable;
        secrets.search_errors(machines.perform_all(&scene).await)?;
    }
    Ok(Kept::Yes)
}

/// Credentials that the cloud does not know are unauthenticated, not an absence.
pub async fn refused_credentials_are_unauthenticated(bench: &dyn Bench) -> Verdict {
    let mut scene = Scene::set(bench).await;
    let machines = Machines::of(&scene).await?;
    scene.credentials = scene.cloud.refused_credentials();
    for (what, outcome) in machines.perform_all(&scene).await {
        must_fail(&format!("{what} with refused credentials"), MachineCode::Unauthenticated, outcome)?;
    }
    Ok(Kept::Yes)
}

/// A rotated credential is used in the next call, and the old one is not used in its place.
pub async fn a_rotated_credential_is_used_at_once(bench: &dyn Bench) -> Verdict {
    let mut scene = Scene::set(bench).await;
    let (known, _) = scene.born(1).await?;
    let rotated = scene.cloud.rotate_credentials().await;
    expect_that(rotated.fingerprint() != scene.credentials.fingerprint(), || {
        "the scripted cloud must return new credentials; it returned the old ones".into()
    })?;
    let outcome = scene.status(&known).await;
    must_fail("status with the credentials of before", MachineCode::Unauthenticated, outcome)?;
    scene.credentials = rotated;
    must("status with the new credentials", scene.status(&known).await)?;
    must("create with the new credentials", scene.create(&mut machine(2)).await)?;
    Ok(Kept::Yes)
}

/// Each key that a provider needs is asked for by name when it is missing, and good ones are accepted.
pub async fn every_missing_credential_is_named(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let class = class_of(&scene.spec);
    let mistakes = scene.provider.validate_credentials(&scene.credentials);
    expect_that(mistakes.is_empty(), || {
        format!(
            "the good credentials of class {:?} must be accepted; validate_credentials said {mistakes:?}",
            class.name
        )
    })?;
    for key in
        scene.provider.secret_keys().iter().filter(|key| key.requirement == crate::Requirement::Required)
    {
        let spellings: Vec<&str> = key.aliases.iter().copied().chain([key.name]).collect();
        let mut rest = values(&scene.credentials);
        rest.retain(|name, _| !spellings.contains(&name.as_str()));
        let mistakes = scene.provider.validate_credentials(&Credentials::merge([rest]));
        expect_that(mistakes.iter().any(|mistake| mistake.to_string().contains(key.name)), || {
            format!("validate_credentials must name the missing key {:?}; it said {mistakes:?}", key.name)
        })?;
    }
    Ok(Kept::Yes)
}

fn values(credentials: &Credentials) -> BTreeMap<String, Vec<u8>> {
    credentials
        .keys()
        .map(|key| (key.to_owned(), credentials.bytes(key).unwrap_or_default().to_vec()))
        .collect()
}

/// Each credential once with bytes at its end that no form allows.
fn garbled(credentials: &Credentials) -> Vec<Credentials> {
    let all = values(credentials);
    let mut garbled = Vec::new();
    for key in all.keys() {
        for tail in [&b"\n\x01bad"[..], b"\xff\xfe"] {
            let mut one = all.clone();
            one.entry(key.clone()).or_default().extend_from_slice(tail);
            garbled.push(Credentials::merge([one]));
        }
    }
    garbled
}

/// What must not be found, with the name under which to complain.
#[derive(Default)]
struct Secrets(Vec<(String, String)>);

impl Secrets {
    fn add_all(&mut self, credentials: &Credentials) -> Result<(), Broken> {
        values(credentials).iter().try_for_each(|(key, value)| self.add(key, value))
    }

    fn add(&mut self, key: &str, value: &[u8]) -> Result<(), Broken> {
        expect_that(value.len() >= TOO_SHORT, || {
            format!("the bench's credential {key:?} must have at least {TOO_SHORT} bytes to be searched for")
        })?;
        let mut needles = vec![String::from_utf8_lossy(value).into_owned()];
        // Inside a longer base64 text a value can start at any of three places; only whole groups are certain.
        for start in 0..3 {
            let whole = &value[start..start + (value.len() - start) / 3 * 3];
            needles.extend([STANDARD_NO_PAD.encode(whole), URL_SAFE_NO_PAD.encode(whole)]);
        }
        self.0.extend(needles.into_iter().map(|needle| (key.to_owned(), needle)));
        Ok(())
    }

    fn search(&self, what: &str, text: &str) -> Result<(), Broken> {
        match self.0.iter().find(|(_, needle)| text.contains(needle.as_str())) {
            // The text itself is not repeated: it would show the secret once more.
            Some((key, _)) => Err(Broken(format!("{what} must not show credential {key:?}; its error does"))),
            None => Ok(()),
        }
    }

    fn search_errors(
        &self,
        outcomes: impl IntoIterator<Item = (String, Result<(), ProviderError>)>,
    ) -> Result<(), Broken> {
        for (what, outcome) in outcomes {
            let Err(error) = outcome else { continue };
            let mut text =
                format!("{error} {error:?} {}", error.state.as_ref().map_or("", |state| state.as_str()));
            let mut cause = error.source();
            while let Some(error) = cause {
                text.push_str(&format!(" {error} {error:?}"));
                cause = error.source();
            }
            self.search(&what, &text)?;
        }
        Ok(())
    }
}
