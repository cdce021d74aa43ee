//! Points about the steps after creation.

use millwright_api::MachineCode;

use super::scene::{Scene, must};
use super::{Bench, Broken, Kept, Offered, Verdict, expect_that};
use crate::{Initialization, Instance};

/// `status` says that steps are missing until `initialize` did them; doing them twice is harmless. Where
/// there are none, `initialize` says so or agrees.
pub async fn initialization_converges(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (machine, created) = scene.born(1).await?;
    let census = scene.cloud.census().await;
    if scene.cloud.initialization_steps() == Offered::No {
        expect_done(
            "status of a VM without steps after creation",
            &must("status", scene.status(&machine).await)?,
        )?;
        return match scene.provider.initialize(scene.target(&machine)).await {
            Ok(instance) => expect_done("initialize without steps", &instance).map(|()| Kept::Yes),
            Err(error) if error.code == MachineCode::Unimplemented => Ok(Kept::Yes),
            Err(error) => Err(Broken(format!(
                "initialize without steps must succeed or be Unimplemented; it said {error}"
            ))),
        };
    }
    let fresh = must("status before initialize", scene.status(&machine).await)?;
    expect_that(matches!(fresh.initialization, Initialization::Missing { .. }), || {
        "status must say that steps are missing before initialize; it said that none are".into()
    })?;
    for time in ["first", "second"] {
        let what = format!("the {time} initialize");
        let instance = must(&what, scene.provider.initialize(scene.target(&machine)).await)?;
        expect_done(&what, &instance)?;
        let seen = must("status after initialize", scene.status(&machine).await)?;
        expect_done(&format!("status after {what}"), &seen)?;
        expect_that(seen.provider_id == created.provider_id, || {
            format!("{what} must keep VM {:?}; status now names {:?}", created.provider_id, seen.provider_id)
        })?;
        scene.expect_census(census, &format!("after {what}")).await?;
    }
    Ok(Kept::Yes)
}

fn expect_done(what: &str, instance: &Instance) -> Result<(), Broken> {
    expect_that(instance.initialization == Initialization::Done, || {
        format!("{what} must say that no step is missing; it said {:?}", instance.initialization)
    })
}
