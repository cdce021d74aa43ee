//! Points about user data: the VM reads what was meant, to the byte.

use std::collections::BTreeMap;

use millwright_api::MachineCode;

use super::scene::{Scene, machine, must, must_fail};
use super::{Bench, Census, Kept, Verdict, expect_that};
use crate::{Credentials, UserData};

/// Line ends, quotes, characters beyond ASCII and the white space at both ends arrive as they are.
pub async fn user_data_arrives_to_the_byte(bench: &dyn Bench) -> Verdict {
    let texts = [
        "\n#cloud-config\r\nruncmd:\n\t- echo \"$HOME\" 'a' `b` \\n %s {{ .x }} <<EOF & ünï ☃ 🦀\n \n\n",
        "{\"ignition\":{\"version\":\"3.4.0\"}}",
        "I2Nsb3VkLWNvbmZpZw==",
    ];
    for text in texts {
        let scene = Scene::set(bench).await;
        let created = scene.create_with(&mut machine(1), &UserData::new(text.to_owned())).await;
        let created = must("create", created)?;
        let Some(received) = scene.cloud.received_user_data(&created.provider_id).await else {
            return Ok(Kept::NotOffered("the stand-in does not say what a VM reads"));
        };
        expect_that(received == text.as_bytes(), || {
            format!("the VM must read {text:?}; it reads {:?}", String::from_utf8_lossy(&received))
        })?;
    }
    Ok(Kept::Yes)
}

/// User data of the largest size works; one byte more is refused offline, and by `create` before there is a VM.
pub async fn user_data_over_the_limit_is_refused(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let Some(limit) = scene.cloud.user_data_limit() else {
        return Ok(Kept::NotOffered("the cloud names no limit"));
    };
    let over = "x".repeat(limit + 1);
    let mistakes = scene.provider.validate_credentials(&with_user_data(&scene.credentials, &over));
    expect_that(mistakes.iter().any(|mistake| mistake.to_string().contains(UserData::SECRET_KEY)), || {
        format!("validate_credentials must refuse userData over {limit} bytes by name; it said {mistakes:?}")
    })?;
    let outcome = scene.create_with(&mut machine(1), &UserData::new(over)).await;
    must_fail("create with user data over the limit", MachineCode::InvalidArgument, outcome)?;
    scene.expect_census(Census::default(), "after a creation that was refused for its user data").await?;
    let largest = UserData::new("x".repeat(limit));
    must("create with user data of the largest size", scene.create_with(&mut machine(1), &largest).await)?;
    Ok(Kept::Yes)
}

fn with_user_data(credentials: &Credentials, text: &str) -> Credentials {
    let user_data = BTreeMap::from([(UserData::SECRET_KEY.to_owned(), text.as_bytes().to_vec())]);
    let all =
        credentials.keys().map(|key| (key.to_owned(), credentials.bytes(key).unwrap_or_default().to_vec()));
    Credentials::merge([all.collect(), user_data])
}
