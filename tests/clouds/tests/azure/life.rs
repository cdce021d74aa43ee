//! How many calls a machine's life takes.

use std::time::Duration;

use millwright_clouds::azure::{Entry, Settings, Stock};
use millwright_provider::{
    CreateOutcome, Credentials, DeleteOutcome, DeleteRequest, Inventory, MachineView, Provider, UserData,
};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::lab::{AzureCloud, Lab, credentials, our_spec, target};

const MACHINES: usize = 5;
/// As long as the stand-in asks for.
const PAUSE: Duration = Duration::from_secs(1);
const MOST_CALLS: usize = 60;

pub(crate) fn machine(number: usize) -> MachineView {
    MachineView {
        name: format!("pool-a-{number}"),
        namespace: "demo".into(),
        uid: Some(format!("00000000-0000-4000-8000-{number:012}")),
        ..MachineView::default()
    }
}

pub(crate) async fn born(
    provider: &dyn Provider,
    spec: &Value,
    credentials: &Credentials,
    machine: &mut MachineView,
) {
    let user_data = UserData::new("#cloud-config".into());
    for _ in 0..MOST_CALLS {
        match provider.create(target(spec, machine, credentials), &user_data).await.unwrap() {
            CreateOutcome::Created(instance) => {
                machine.provider_id = Some(instance.provider_id);
                machine.state = None;
                return;
            }
            CreateOutcome::InProgress { provider_id, state, retry_after } => {
                machine.provider_id = provider_id.or_else(|| machine.provider_id.take());
                machine.state = Some(state);
                tokio::time::sleep(retry_after.min(PAUSE)).await;
            }
        }
    }
    panic!("{} is not born", machine.name);
}

/// Deletes until only a list can tell more: no single look calls a VM gone.
async fn died(provider: &dyn Provider, spec: &Value, credentials: &Credentials, machine: &mut MachineView) {
    for _ in 0..MOST_CALLS {
        let request = DeleteRequest { target: target(spec, machine, credentials), keep_volumes: &[] };
        match provider.delete(request).await.unwrap() {
            DeleteOutcome::Gone => panic!("{} is called gone after one look", machine.name),
            DeleteOutcome::Unproven => return,
            DeleteOutcome::InProgress { state, retry_after } => {
                machine.state = Some(state);
                tokio::time::sleep(retry_after.min(PAUSE)).await;
            }
        }
    }
    panic!("{} does not die", machine.name);
}

fn count(journal: &[Entry], operation: &str) -> usize {
    journal.iter().filter(|entry| entry.operation == operation).count()
}

fn told(what: &str, journal: &[Entry]) {
    let mut operations: Vec<&str> = journal.iter().map(|entry| entry.operation.as_str()).collect();
    operations.sort_unstable();
    let kinds: Vec<String> = operations
        .chunk_by(|one, other| one == other)
        .map(|calls| format!("{} × {}", calls.len(), calls[0]))
        .collect();
    println!("{what} of {MACHINES} machines: {}", kinds.join(", "));
}

async fn all_at_once<F>(
    cloud: &AzureCloud,
    machines: &mut Vec<MachineView>,
    step: impl Fn(std::sync::Arc<dyn Provider>, MachineView) -> F,
) where
    F: Future<Output = MachineView> + Send + 'static,
{
    let mut steps = JoinSet::new();
    for machine in machines.drain(..) {
        steps.spawn(step(cloud.provider.clone(), machine));
    }
    *machines = steps.join_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_that_live_together_share_their_polls() {
    let lab = Lab::default();
    let settings = Settings {
        vm_takes: Duration::from_millis(500),
        vm_deletion_takes: Duration::from_millis(500),
        ..Settings::default()
    };
    let cloud = lab.cloud(settings).await;
    let mut machines: Vec<_> = (0..MACHINES).map(machine).collect();

    all_at_once(&cloud, &mut machines, |provider, mut machine| async move {
        let credentials = credentials(Settings::default().client_secret);
        born(&*provider, &our_spec(), &credentials, &mut machine).await;
        machine
    })
    .await;
    let birth = cloud.fake.journal();
    told("birth", &birth);
    assert_eq!(
        cloud.fake.stock(),
        Stock { vms: MACHINES, nics: MACHINES, disks: 2 * MACHINES, addresses: 0 }
    );
    assert_eq!(count(&birth, "PUT virtualMachines"), MACHINES, "one creation for each");
    assert_eq!(count(&birth, "PUT networkInterfaces"), MACHINES, "one interface for each");
    let changing = birth.iter().filter(|entry| entry.is_changing()).count();
    assert_eq!(changing, 2 * MACHINES, "and nothing else is changed");
    assert_eq!(count(&birth, "GET virtualMachines"), 0, "no machine is asked for alone");
    assert_eq!(count(&birth, "token"), 1);

    all_at_once(&cloud, &mut machines, |provider, mut machine| async move {
        let credentials = credentials(Settings::default().client_secret);
        died(&*provider, &our_spec(), &credentials, &mut machine).await;
        machine.state = None;
        machine
    })
    .await;
    let death = cloud.fake.journal().split_off(birth.len());
    told("death", &death);
    assert_eq!(count(&death, "DELETE virtualMachines"), MACHINES, "one deletion for each");
    let changing = death.iter().filter(|entry| entry.is_changing()).count();
    assert_eq!(changing, MACHINES, "what belongs to a VM goes along with it");
    assert_eq!(count(&death, "GET virtualMachines"), 0);

    let spec = our_spec();
    let credentials = credentials(Settings::default().client_secret);
    let patience = tokio::time::Instant::now() + Duration::from_secs(60);
    loop {
        let asked = target(&spec, &machines[0], &credentials);
        let listed = cloud.provider.list(asked.class, &credentials, asked.deadline).await.unwrap();
        let inventory = Inventory::of(listed, &*cloud.provider);
        if !machines.iter().any(|machine| inventory.holds_any_of(machine)) {
            break;
        }
        assert!(tokio::time::Instant::now() < patience, "they are still listed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(cloud.fake.stock(), Stock::default());
    assert_eq!(lab.violations.lock().clone(), Vec::<String>::new());
}
