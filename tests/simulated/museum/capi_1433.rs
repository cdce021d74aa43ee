//! kubernetes-sigs/cluster-api #1433: bootstrap data with its tokens stood in objects that many may read.

use super::prelude::*;

#[test]
fn user_data_and_tokens_stand_in_secrets_alone() {
    let played = in_world(alone(), |world| async move {
        solo_running(&world).await;
        // Also where the cloud repeats them in its errors; the observer looks at every object and every log line.
        world.cloud.set_token(&millwright_simcloud::Secret::new("another-token"));
        world.apply(objects::machine("second"));
        world.rest(Duration::from_secs(900)).await;
        world.cloud.set_token(&millwright_simcloud::Secret::new(objects::TOKEN));
        world.until_running(2).await;
        let all = ["machines", "machineclasses", "nodes", "events"]
            .map(|kind| serde_json::json!(world.operator.list(kind)));
        let text = serde_json::json!(all).to_string();
        assert!(!text.contains(objects::TOKEN) && !text.contains(objects::PASSWORD));
    });
    played.clean();
}
