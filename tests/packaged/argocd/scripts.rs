//! The scripts of deploy/argocd against the tests beside them, and the ConfigMap that is made of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::engine::{ask, scripts};
use crate::house::house;
use crate::runtime::run;

const GROUP: &str = "machine.sapcloud.io";
const KINDS: [&str; 4] = ["Machine", "MachineClass", "MachineDeployment", "MachineSet"];
const ACTIONS: [&str; 3] = ["pause", "restart", "resume"];

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn health(kind: &str) -> PathBuf {
    scripts().join(GROUP).join(kind).join("health.lua")
}

fn discovery() -> PathBuf {
    scripts().join(GROUP).join("MachineDeployment/actions/discovery.lua")
}

fn action(name: &str) -> PathBuf {
    scripts().join(GROUP).join("MachineDeployment/actions").join(name).join("action.lua")
}

fn config_map() -> PathBuf {
    scripts().with_file_name("customizations").join("argocd-cm.yaml")
}

fn block(into: &mut String, key: &str, depth: usize, text: &str) {
    writeln!(into, "{:depth$}{key}: |", "").unwrap();
    for line in text.lines() {
        let depth = if line.is_empty() { 0 } else { depth + 2 };
        writeln!(into, "{:depth$}{line}", "").unwrap();
    }
}

fn rendered() -> String {
    let mut text = "# Made of ../resource_customizations by `UPDATE_DOCS=1 cargo test -p millwright-tests --test packaged \
                    argocd::scripts`.\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: argocd-cm\ndata:\n"
        .to_owned();
    for kind in KINDS {
        let key = format!("resource.customizations.health.{GROUP}_{kind}");
        block(&mut text, &key, 2, &read(&health(kind)));
    }
    let mut actions = String::new();
    block(&mut actions, "discovery.lua", 0, &read(&discovery()));
    actions.push_str("definitions:\n");
    for name in ACTIONS {
        writeln!(actions, "- name: {name}").unwrap();
        block(&mut actions, "action.lua", 2, &read(&action(name)));
    }
    block(&mut text, &format!("resource.customizations.actions.{GROUP}_MachineDeployment"), 2, &actions);
    text
}

#[test]
fn every_script_says_what_the_tests_beside_it_want() {
    run(async {
        // The control plane is built first.
        house().await;
        let passed: Vec<String> = ask("suite", &[&scripts()], &Value::Null).await;
        let tested = |file: &Path| passed.iter().any(|test| test.ends_with(&file.display().to_string()));
        for kind in KINDS {
            let mut files = 0;
            for file in fs::read_dir(health(kind).with_file_name("testdata")).unwrap() {
                let file = file.unwrap().path();
                assert!(tested(&file), "{} is no test's input", file.display());
                files += 1;
            }
            assert!(files > 2, "{kind} has {files} tests");
        }
        for name in ACTIONS {
            assert!(passed.iter().any(|test| test.starts_with(&format!("{name} of "))), "{name} has no test");
        }
    });
}

#[test]
fn the_config_map_is_made_of_the_scripts() {
    let (wanted, path) = (rendered(), config_map());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    assert!(read(&path) == wanted, "{} is old; its first line says how to make it anew", path.display());

    let map: Value = serde_saphyr::from_str(&wanted).unwrap();
    let data = map["data"].as_object().unwrap();
    let mut known = BTreeSet::new();
    for kind in KINDS {
        let key = format!("resource.customizations.health.{GROUP}_{kind}");
        assert_eq!(data[&key], json!(read(&health(kind))), "{kind}");
        known.insert(key);
    }
    let key = format!("resource.customizations.actions.{GROUP}_MachineDeployment");
    let actions: Value = serde_saphyr::from_str(data[&key].as_str().unwrap()).unwrap();
    assert_eq!(actions["discovery.lua"], json!(read(&discovery())));
    let definitions = ACTIONS.map(|name| json!({ "name": name, "action.lua": read(&action(name)) }));
    assert_eq!(actions["definitions"], json!(definitions));
    known.insert(key);
    assert_eq!(data.keys().cloned().collect::<BTreeSet<_>>(), known);
}
