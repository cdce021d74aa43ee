//! config/samples as a user takes them: gaps filled in, applied, and they work, with the installation that config/ makes.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::Api;
use millwright_api::Machine;
use millwright_testbed::OurProgram;
use millwright_testbed::ours::{CONTROL_NAMESPACE, start_controller, start_simcloud};

use crate::history::is_available;
use crate::house::house;
use crate::patience::until;
use crate::runtime::run;

const SAMPLES: &str = "config/samples";

#[test]
fn the_samples_with_their_gaps_filled_in_become_nodes() {
    run(async {
        let house = house().await;
        let _only_one = house.sample_namespace.lock().await;
        let testbed = &house.testbed;
        let mut simcloud = start_simcloud(testbed, &house.executables[&OurProgram::Simcloud]).await.unwrap();
        house.secrets.add(simcloud.cloud.token());
        let controller = &house.executables[&OurProgram::Controller];
        let mut controller = start_controller(testbed, controller, &["--v=4"]).await.unwrap();

        let folder = house.folder("samples");
        let authority = STANDARD.encode(testbed.ca_pem());
        fill(
            &folder,
            &[
                ("FILL-IN-TOKEN-OF-SIMCLOUD", simcloud.cloud.token()),
                ("http://127.0.0.1:8090", simcloud.cloud.url()),
                ("https://FILL-IN-API-SERVER:6443", testbed.server_url()),
                ("FILL-IN-CA-AS-BASE64", &authority),
            ],
        );
        house.kubectl_must(&["apply", "-k", &folder.display().to_string()]).await;
        let machines: Api<Machine> = Api::namespaced(house.client.clone(), CONTROL_NAMESPACE);
        until("three machines of the samples run", async || {
            let list = machines.list(&Default::default()).await.ok()?;
            (list.iter().filter(|machine| is_available(machine)).count() == 3).then_some(())
        })
        .await;
        assert_eq!(simcloud.cloud.vms().await.unwrap().len(), 3);
        let namespace = ["--namespace", CONTROL_NAMESPACE];
        let delete = ["delete", "machinedeployment,machineclass", "--all", "--timeout=80s"];
        house.kubectl_must(&[&namespace[..], &delete].concat()).await;
        assert!(simcloud.cloud.vms().await.unwrap().is_empty());

        for process in [&mut controller.process, &mut simcloud.process] {
            process.terminate(Duration::from_secs(60)).await;
            assert!(process.exited().unwrap().success(), "{} did not end in good order", process.name());
            house.secrets.log_must_be_clean(process.log());
        }
    });
}

#[test]
fn every_bad_sample_is_refused_for_each_of_its_mistakes() {
    run(async {
        let house = house().await;
        let root = millwright_testbed::root().join(SAMPLES).join("invalid");
        for (file, mistakes) in [("machineclass.yaml", 3), ("machinedeployment.yaml", 5)] {
            let file = root.join(file).display().to_string();
            let said = house.kubectl(&["apply", "-f", &file]).await;
            assert!(!said.status.success());
            let bullets = said.stderr.lines().filter(|line| line.trim_start().starts_with("* ")).count();
            assert_eq!(bullets, mistakes, "{}", said.stderr);
        }
    });
}

fn fill(folder: &Path, gaps: &[(&str, &str)]) {
    std::fs::create_dir_all(folder.join("local")).unwrap();
    let source = millwright_testbed::root().join(SAMPLES);
    let files = [
        "kustomization.yaml",
        "local/secret.yaml",
        "local/machineclass.yaml",
        "local/machinedeployment.yaml",
    ];
    for file in files {
        let mut text = std::fs::read_to_string(source.join(file)).unwrap();
        for (gap, filling) in gaps {
            text = text.replace(gap, filling);
        }
        assert!(!text.contains("FILL-IN"), "{file} has a gap that nobody fills");
        std::fs::write(folder.join(file), text).unwrap();
    }
}
