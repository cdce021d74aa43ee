//! Creates through the API server, several a second, all as dry runs: good classes that must come back with their defaults, and bad ones
//! that must be refused with the rule they break. Both answers prove that the webhook was asked and trusted.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Api;
use kube::api::PostParams;
use millwright_api::MachineClass;
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::stage::Stage;
use crate::manifests;

/// Callers at one time.
const CALLERS: usize = 4;
const PAUSE: Duration = Duration::from_millis(100);

/// Goes on until it is ended.
pub(crate) struct Load {
    outcome: Arc<Mutex<Outcome>>,
    enough: CancellationToken,
    callers: JoinSet<()>,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    accepted: usize,
    refused: usize,
    failed: Vec<String>,
}

impl Load {
    pub(crate) fn begin(stage: &Stage) -> Self {
        let (outcome, enough) = (Arc::<Mutex<Outcome>>::default(), CancellationToken::new());
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let api: Api<MachineClass> = Api::namespaced(stage.house.client.clone(), &stage.namespace);
            let (outcome, enough) = (Arc::clone(&outcome), enough.clone());
            callers.spawn(async move {
                // To the end of a request: one that is broken off would be counted as neither.
                while !enough.is_cancelled() {
                    call(&api, caller, &outcome).await;
                    tokio::time::sleep(PAUSE).await;
                }
            });
        }
        Self { outcome, enough, callers }
    }

    pub(crate) async fn end(self) -> Outcome {
        self.enough.cancel();
        self.callers.join_all().await;
        std::mem::take(&mut *self.outcome.lock())
    }
}

impl Outcome {
    pub(crate) fn assert_none_failed(&self) {
        assert!(self.failed.is_empty(), "{self}: {:#?}", self.failed);
        assert!(self.accepted > 20 && self.refused > 20, "too few to prove anything: {self}");
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { accepted, refused, failed } = self;
        let all = accepted + refused + failed.len();
        write!(
            f,
            "{all} requests: {accepted} accepted, {refused} refused as they must be, {} failed",
            failed.len()
        )
    }
}

async fn call(api: &Api<MachineClass>, caller: usize, outcome: &Mutex<Outcome>) {
    let params = PostParams { dry_run: true, ..PostParams::default() };
    let good = manifests::class(&format!("good-{caller}"), "any", "http://127.0.0.1:1");
    let mut bad = good.clone();
    bad["providerSpec"]["diskGiB"] = json!(0);
    let [good, bad] = [good, bad].map(|class| serde_json::from_value::<MachineClass>(class).unwrap());

    let answer = api.create(&params, &good).await;
    let accepted = match answer {
        Ok(class) => {
            let said = serde_json::to_value(class).unwrap();
            if said["providerSpec"]["diskGiB"] == 20 { Ok(()) } else { Err(format!("no defaults in {said}")) }
        }
        Err(error) => Err(error.to_string()),
    };
    let refused = match api.create(&params, &bad).await {
        Ok(_) => Err("a bad class was accepted".to_owned()),
        Err(kube::Error::Api(status)) if status.code == 422 && status.message.contains("diskGiB") => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    let mut outcome = outcome.lock();
    let Outcome { accepted: good, refused: bad, failed } = &mut *outcome;
    for (count, result) in [(good, accepted), (bad, refused)] {
        match result {
            Ok(()) => *count += 1,
            Err(reason) => failed.push(reason),
        }
    }
}
