//! The installation in the hands of the real cert-manager: its controller and CA injector 1.11.5, built from Go modules, beside an API
//! server with config/default as kustomize builds it. 1.11 is the last release whose programs are in the module that a proxy serves; it has
//! the same cert-manager.io/v1. docs/decisions/0019-real-cert-manager-in-tests.md says what follows from that.
//!
//! Two things stand in for a node: the Service leads to a process on 127.0.0.1 in place of pods (so the port in the registrations is that
//! of the process), and the test writes the Secret's volume, as late and by the same swap of links as a kubelet. The API server checks the
//! name of the Service in the certificate, as in a cluster.

mod certificate;
mod load;
mod secret_volume;
mod site;

use serde_json::Value;

use self::certificate::Issued;
use self::load::Load;
use self::site::{CA, SERVING, Site};
use crate::patience::until;
use crate::runtime::run;

const HOST: &str = "millwright-webhook.millwright-system.svc";

#[test]
fn cert_manager_issues_injects_and_renews_without_a_failed_request() {
    run(async {
        let mut site = Site::build().await;
        let first = site.issued(SERVING).await;
        assert_is_for_the_service_and_fits_the_deployment(&site, &first).await;
        site.start_webhook(&first).await;
        until("both registrations trust what signed it", async || site.trusts(&first).await.then_some(()))
            .await;
        until("a bad object is refused", async || site.refuses_a_bad_object().await.then_some(())).await;

        let load = Load::start(&site);
        until("the first certificate is served", async || load.last_served(&first).then_some(())).await;
        site.renew(SERVING).await;
        let second = site.issued_after(SERVING, &first).await;
        assert_ne!(second.public_key(), first.public_key(), "a renewed certificate has a key of its own");
        site.project(&second);
        until("the second certificate is served", async || load.last_served(&second).then_some(())).await;

        let authority = site.issued(CA).await;
        site.renew(CA).await;
        let renewed = site.issued_after(CA, &authority).await;
        assert_eq!(
            renewed.public_key(),
            authority.public_key(),
            "with another key, nobody would trust the serving certificate between the two moments at which the API server and the \
             webhook learn of it: spec.privateKey.rotationPolicy of the CA must be Never"
        );
        site.renew(SERVING).await;
        let third = site.issued_after(SERVING, &second).await;
        assert_eq!(third.authority, renewed.certificate, "signed by the renewed authority");
        until("both registrations trust the new authority", async || site.trusts(&third).await.then_some(()))
            .await;
        let before = load.counts();
        until("the new authority is asked to trust the old certificate, many times", async || {
            let now = load.counts();
            let (admissions, late) =
                (now.admissions - before.admissions, now.served_late - before.served_late);
            (admissions >= 20 && late >= 20 && load.last_served(&second)).then_some(())
        })
        .await;
        site.project(&third);
        until("the third certificate is served", async || load.last_served(&third).then_some(())).await;
        assert!(site.refuses_a_bad_object().await);

        let counts = load.stop().await;
        eprintln!("requests beside two renewals and a new authority: {counts}");
        site.end().await;
    });
}

async fn assert_is_for_the_service_and_fits_the_deployment(site: &Site, issued: &Issued) {
    let wanted = site.get(&["certificate", SERVING]).await;
    let names: Vec<&str> =
        wanted["spec"]["dnsNames"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(issued.dns_names(), names);
    assert!(names.contains(&HOST), "{names:?}");
    assert_eq!(site.get(&["secret", &issued.secret]).await["type"], "kubernetes.io/tls");
    assert_eq!(wanted["spec"]["secretName"], issued.secret);

    let deployment = site.get(&["deployment", "millwright-webhook"]).await;
    let pod = &deployment["spec"]["template"]["spec"];
    let volume = find(&pod["volumes"], |volume| volume["secret"]["secretName"] == issued.secret);
    let container = &pod["containers"][0];
    let mount = find(&container["volumeMounts"], |mount| mount["name"] == volume["name"]);
    let folder = mount["mountPath"].as_str().unwrap();
    let arguments = container["args"].to_string();
    for file in ["tls.crt", "tls.key"] {
        assert!(arguments.contains(&format!("={folder}/{file}")), "{folder}/{file} is not in {arguments}");
    }
}

fn find(list: &Value, wanted: impl Fn(&Value) -> bool) -> &Value {
    list.as_array()
        .and_then(|list| list.iter().find(|one| wanted(one)))
        .unwrap_or_else(|| panic!("not in {list}"))
}
