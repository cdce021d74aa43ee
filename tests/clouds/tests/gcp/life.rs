//! What the life of a machine costs, counted on the wire.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use millwright_cloud_http::{CloudAccess, Transport, TransportError};
use millwright_clouds::gcp::Settings;
use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::{
    CreateOutcome, Credentials, DeleteOutcome, DeleteRequest, MachineView, Provider as _, UserData,
};
use millwright_provider_gcp::GcpProvider;
use parking_lot::Mutex;
use serde_json::Value;

use crate::lab::{GcpCloud, access, machine, our_spec, target};

/// A way whose clock a test can set on, as the host's waits would.
#[derive(Debug)]
struct Hastened {
    by: Arc<dyn Transport>,
    ahead: Mutex<Duration>,
}

#[async_trait]
impl Transport for Hastened {
    fn now(&self) -> Instant {
        self.by.now() + *self.ahead.lock()
    }

    async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
        within: Duration,
    ) -> Result<http::Response<Vec<u8>>, TransportError> {
        self.by.exchange(request, within).await
    }
}

struct Fleet {
    cloud: GcpCloud,
    provider: GcpProvider,
    clock: Arc<Hastened>,
    spec: Value,
    credentials: Credentials,
}

impl Fleet {
    async fn start() -> Self {
        let cloud = GcpCloud::start(Settings::default()).await;
        let usual = access(&cloud.fake);
        let clock = Arc::new(Hastened { by: usual.transport.clone(), ahead: Mutex::default() });
        let access = CloudAccess { transport: clock.clone(), ..usual };
        let credentials = cloud.credentials();
        Self { cloud, provider: GcpProvider::new(access), clock, spec: our_spec(), credentials }
    }

    fn wait(&self, time: Duration) {
        *self.clock.ahead.lock() += time;
    }

    fn target<'a>(&'a self, machine: &'a MachineView) -> millwright_provider::Target<'a> {
        let mut target = target(&self.spec, machine, &self.credentials);
        target.deadline = millwright_provider::Deadline::after(self.clock.now(), Duration::from_secs(60));
        target
    }
}

async fn join<F: Future>(calls: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = calls.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut waiting = false;
        for (call, output) in calls.iter_mut().zip(&mut outputs) {
            if output.is_none() {
                match call.as_mut().poll(context) {
                    std::task::Poll::Ready(ready) => *output = Some(ready),
                    std::task::Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

/// Five machines live and die; what they ask of the cloud is counted.
#[tokio::test]
async fn a_life_is_one_insert_and_one_delete_and_polls_are_shared() {
    let fleet = Fleet::start().await;
    let mut machines: Vec<MachineView> = (1..=5).map(machine).collect();
    let user_data = UserData::new("#cloud-config".into());

    let begun =
        join(machines.iter().map(|machine| fleet.provider.create(fleet.target(machine), &user_data))).await;
    for (outcome, machine) in begun.into_iter().zip(&mut machines) {
        let CreateOutcome::InProgress { provider_id, state, retry_after } = outcome.unwrap() else {
            panic!("a creation goes on")
        };
        assert_eq!((provider_id, retry_after), (None, Duration::from_secs(5)));
        machine.state = Some(state);
    }
    assert_eq!(fleet.cloud.journal(), ["instances.insert"; 5]);
    fleet.wait(Duration::from_secs(5));
    let made =
        join(machines.iter().map(|machine| fleet.provider.create(fleet.target(machine), &user_data))).await;
    for (outcome, machine) in made.into_iter().zip(&mut machines) {
        let CreateOutcome::Created(instance) = outcome.unwrap() else { panic!("the VM runs") };
        machine.provider_id = Some(instance.provider_id);
        machine.state = None;
    }
    assert_eq!(fleet.cloud.journal()[5..], ["instances.list"], "five births share one look");
    assert_eq!(fleet.cloud.count("token"), 1);

    let asked = fleet.cloud.journal().len();
    fleet.provider.status(fleet.target(&machines[0])).await.unwrap();
    assert_eq!(fleet.cloud.journal()[asked..], ["instances.get"]);

    let delete =
        |machine| fleet.provider.delete(DeleteRequest { target: fleet.target(machine), keep_volumes: &[] });
    let asked = fleet.cloud.journal().len();
    let begun = join(machines.iter().map(delete)).await;
    for (outcome, machine) in begun.into_iter().zip(&mut machines) {
        let DeleteOutcome::InProgress { state, .. } = outcome.unwrap() else { panic!("a deletion goes on") };
        machine.state = Some(state);
    }
    let mut calls = fleet.cloud.journal().split_off(asked);
    calls.sort();
    let expected: Vec<_> = ["instances.delete"; 5].into_iter().chain(["instances.get"; 5]).collect();
    assert_eq!(calls, expected);
    fleet.wait(Duration::from_secs(5));
    let asked = fleet.cloud.journal().len();
    let delete =
        |machine| fleet.provider.delete(DeleteRequest { target: fleet.target(machine), keep_volumes: &[] });
    for outcome in join(machines.iter().map(delete)).await {
        assert_eq!(outcome.unwrap(), DeleteOutcome::Unproven);
    }
    assert_eq!(
        fleet.cloud.journal()[asked..],
        ["instances.list", "disks.list"],
        "five deaths share one look"
    );
    assert!(fleet.cloud.fake.vms().is_empty() && fleet.cloud.fake.disks().is_empty());
}
