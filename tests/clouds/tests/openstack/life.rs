//! The calls of a machine's life, counted on the wire.

use std::time::{Duration, Instant};

use millwright_clouds as clouds;
use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, Initialization,
    Instance, Inventory, MachineView, Provider, ProviderError, Target, UserData,
};
use serde_json::Value;

use super::lab::ProjectCloud;
use super::tenant::alone;

/// What a test has of a class.
pub(crate) struct Class {
    pub(crate) spec: Value,
    pub(crate) credentials: Credentials,
}

impl Class {
    pub(crate) fn of(cloud: &ProjectCloud) -> Self {
        Self { spec: cloud.spec(), credentials: cloud.credentials() }
    }

    pub(crate) fn target<'a>(&'a self, machine: &'a MachineView) -> Target<'a> {
        let class = ClassView {
            dialect: Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec: &self.spec,
            node_template: None,
        };
        let deadline = Deadline::after(Instant::now(), Duration::from_secs(60));
        Target { class, machine, credentials: &self.credentials, deadline }
    }
}

pub(crate) fn machine(number: usize) -> MachineView {
    MachineView {
        name: format!("worker-{number}"),
        namespace: "demo".into(),
        uid: Some(format!("00000000-0000-4000-8000-{number:012}")),
        ..MachineView::default()
    }
}

/// Creates until the server is there, as the host does.
pub(crate) async fn born(
    provider: &dyn Provider,
    class: &Class,
    machine: &mut MachineView,
) -> Result<Instance, ProviderError> {
    loop {
        match provider.create(class.target(machine), &UserData::new("#cloud-config".into())).await? {
            CreateOutcome::Created(instance) => {
                machine.provider_id = Some(instance.provider_id.clone());
                machine.state = None;
                return Ok(instance);
            }
            CreateOutcome::InProgress { state, retry_after, .. } => {
                machine.state = Some(state);
                tokio::time::sleep(retry_after.min(Duration::from_millis(500))).await;
            }
        }
    }
}

/// Deletes until nothing is left, as the host does.
pub(crate) async fn died(provider: &dyn Provider, class: &Class, machine: &MachineView) {
    let target = class.target(machine);
    for _ in 0..600 {
        let request = DeleteRequest { target: class.target(machine), keep_volumes: &[] };
        match provider.delete(request).await.unwrap() {
            DeleteOutcome::Gone => panic!("no single look calls a server gone"),
            DeleteOutcome::Unproven => {
                let listed =
                    provider.list(target.class, &class.credentials, class.target(machine).deadline).await;
                if !Inventory::of(listed.unwrap(), provider).holds_any_of(machine) {
                    return;
                }
            }
            DeleteOutcome::InProgress { .. } => {}
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the server of {} is still there", machine.name);
}

/// What is called, without ids and filters.
fn shape(call: &clouds::Call) -> String {
    let path = call.path.split('?').next().unwrap();
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && !part.starts_with("v2") && *part != "v3").collect();
    let is_id = |part: &&str| part.len() > 30;
    let parts: Vec<&str> = parts.into_iter().map(|part| if is_id(&part) { "ID" } else { part }).collect();
    format!("{} {}", call.method, parts.join("/"))
}

fn count(calls: &[clouds::Call], wanted: &str) -> usize {
    calls.iter().filter(|call| shape(call) == wanted).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_life_is_one_create_and_one_delete_and_few_looks() {
    let _turn = alone().await;
    let cloud = ProjectCloud::new().await;
    let (provider, class) = (cloud.provider(), Class::of(&cloud));
    let mut machine = machine(1);

    let created = born(&*provider, &class, &mut machine).await.unwrap();
    assert!(matches!(created.initialization, Initialization::Missing { .. }));
    let calls = cloud.proxy.calls();
    let changing: Vec<String> = calls.iter().filter(|call| !call.reads_in_openstack()).map(shape).collect();
    assert_eq!(changing, ["POST ports", "POST servers"]);
    for looked_up_once in ["POST auth/tokens", "GET images", "GET security-groups", "GET ports"] {
        assert_eq!(count(&calls, looked_up_once), 1, "{looked_up_once}");
    }

    cloud.proxy.forget();
    provider.initialize(class.target(&machine)).await.unwrap();
    let calls: Vec<String> = cloud.proxy.calls().iter().map(shape).collect();
    assert_eq!(calls, ["GET servers/detail", "GET servers/detail", "GET ports", "PUT ports/ID"]);

    cloud.proxy.forget();
    let seen = provider.status(class.target(&machine)).await.unwrap();
    assert_eq!(seen.initialization, Initialization::Done);
    let calls: Vec<String> = cloud.proxy.calls().iter().map(shape).collect();
    assert_eq!(calls, ["GET servers/detail", "GET servers/detail", "GET ports"]);

    cloud.proxy.forget();
    died(&*provider, &class, &machine).await;
    let calls = cloud.proxy.calls();
    let changing: Vec<String> = calls.iter().filter(|call| !call.reads_in_openstack()).map(shape).collect();
    assert_eq!(changing, ["DELETE servers/ID", "DELETE ports/ID"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_that_are_looked_up_together_share_one_list() {
    let _turn = alone().await;
    let cloud = ProjectCloud::new().await;
    let (provider, class) = (cloud.provider(), Class::of(&cloud));
    let mut machines: Vec<MachineView> = (1..=3).map(machine).collect();
    for machine in &mut machines {
        born(&*provider, &class, machine).await.unwrap();
    }
    cloud.proxy.forget();
    // The first list waits in the proxy until all have asked, so that nobody can come too late.
    cloud.arm(clouds::When::Nth(1), clouds::Effect::Delay(Duration::from_secs(2)), |call| {
        call.path.contains("/servers/detail")
    });
    let asked: Vec<_> = (0..10)
        .map(|number| {
            let (provider, class, machine) = (&provider, &class, &machines[number % 3]);
            async move { provider.status(class.target(machine)).await.unwrap() }
        })
        .collect();
    let mut asked: Vec<_> = asked.into_iter().map(Box::pin).collect();
    let all = std::future::poll_fn(|context| {
        asked.retain_mut(|one| one.as_mut().poll(context).is_pending());
        if asked.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    });
    all.await;
    let calls = cloud.proxy.calls();
    // Who asks a moment after the first list has begun is answered by a second one, never by one of its own.
    // Each list is its page and the empty one that ends it.
    assert!(count(&calls, "GET servers/detail") <= 4, "{}", count(&calls, "GET servers/detail"));
    assert!(count(&calls, "GET ports") <= 3, "{}", count(&calls, "GET ports"));
}
