//! What happens beside the straight way: terms to be accepted, identities without a secret, tokens that end, room that is not there.

use http::StatusCode;
use millwright_api::MachineCode;
use millwright_clouds::azure::{ArmError, AzureFault, Misfortune, Settings, Stock, Strikes};
use millwright_provider::{Credentials, MachineView, Provider as _, UserData};
use serde_json::json;

use crate::lab::{Lab, credentials, our_spec, target};
use crate::life::{born, machine};

fn secret() -> Credentials {
    credentials(Settings::default().client_secret)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terms_of_an_image_are_accepted_once_for_all_machines() {
    let lab = Lab::default();
    let cloud = lab.cloud(Settings::default()).await;
    let mut spec = our_spec();
    spec["properties"]["storageProfile"]["imageReference"] =
        json!({ "urn": "sap:gardenlinux:greatest:1877.5.0" });
    for number in 0..3 {
        born(&*cloud.provider, &spec, &secret(), &mut machine(number)).await;
    }
    let journal = cloud.fake.journal();
    let count = |operation: &str| journal.iter().filter(|entry| entry.operation == operation).count();
    assert_eq!(["GET images", "GET agreements", "PUT agreements"].map(count), [1, 1, 1]);
    assert_eq!(cloud.fake.stock().vms, 3);
    assert_eq!(lab.violations.lock().clone(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_managed_identity_needs_no_secret() {
    let lab = Lab::default();
    let cloud = lab.cloud(Settings::default()).await;
    let settings = Settings::default();
    let keys = [
        ("clientID", settings.client_id),
        ("useManagedIdentity", "true"),
        ("subscriptionID", settings.subscription),
        ("tenantID", settings.tenant),
        ("userData", "#cloud-config"),
    ];
    let credentials =
        Credentials::merge([keys.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into()]);
    born(&*cloud.provider, &our_spec(), &credentials, &mut machine(1)).await;
    let journal = cloud.fake.journal();
    let logins: Vec<_> = journal.iter().filter(|entry| entry.operation == "token").collect();
    assert_eq!(logins.len(), 1, "{logins:?}");
    assert_eq!(logins[0].path, "/metadata/identity/oauth2/token");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ended_is_replaced() {
    let lab = Lab::default();
    let cloud = lab.cloud(Settings::default()).await;
    let (spec, credentials, mut machine) = (our_spec(), secret(), machine(1));
    born(&*cloud.provider, &spec, &credentials, &mut machine).await;
    cloud.fake.expire_tokens();
    let first = cloud.provider.status(target(&spec, &machine, &credentials)).await;
    if let Err(error) = first {
        assert_eq!(error.code, MachineCode::Unauthenticated, "{error}");
    }
    cloud.provider.status(target(&spec, &machine, &credentials)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vm_for_which_there_is_no_room_leaves_nothing_behind() {
    for (name, misfortune) in [("told at once", at_once()), ("told later", later())] {
        let lab = Lab::default();
        let cloud = lab.cloud(Settings::default()).await;
        cloud.fake.arm(AzureFault {
            fits: Box::new(|entry| entry.operation == "PUT virtualMachines"),
            strikes: Strikes::Always,
            misfortune,
        });
        let (spec, credentials, mut machine) = (our_spec(), secret(), machine(1));
        let error = refused(&cloud, &spec, &credentials, &mut machine).await;
        assert_eq!(error.code, MachineCode::ResourceExhausted, "{name}: {error}");
        assert!(error.message.contains("ZonalAllocationFailed"), "{name}: {error}");
        let patience = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        while cloud.fake.stock() != Stock::default() {
            assert!(tokio::time::Instant::now() < patience, "{name}: {:?}", cloud.fake.stock());
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!(lab.violations.lock().clone(), Vec::<String>::new());
    }
}

fn why() -> ArmError {
    ArmError::new(StatusCode::CONFLICT, "ZonalAllocationFailed", "There is no room in zone 1.")
}

fn at_once() -> Misfortune {
    Misfortune::Refuse(why(), Vec::new())
}

fn later() -> Misfortune {
    Misfortune::FailLater(why())
}

async fn refused(
    cloud: &crate::lab::AzureCloud,
    spec: &serde_json::Value,
    credentials: &Credentials,
    machine: &mut MachineView,
) -> millwright_provider::ProviderError {
    let user_data = UserData::new("#cloud-config".into());
    for _ in 0..100 {
        match cloud.provider.create(target(spec, machine, credentials), &user_data).await {
            Err(error) => return error,
            Ok(millwright_provider::CreateOutcome::InProgress { state, .. }) => machine.state = Some(state),
            Ok(made) => panic!("{made:?} must be refused"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("it is neither made nor refused");
}
