//! The program of tests/argocd: built once, asked with objects, answering in JSON. What is asked is the tests' business.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use millwright_testbed::{GoModule, StandardError};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::OnceCell;

/// Far longer than any answer takes on a busy machine.
const LONGEST_ANSWER: Duration = Duration::from_secs(90);

const MODULE: GoModule = GoModule {
    name: "argocd",
    what: "Argo CD's engine",
    otherwise: "",
    files: &[
        ("go.mod", include_str!("../../argocd/go.mod")),
        ("go.sum", include_str!("../../argocd/go.sum")),
        ("main.go", include_str!("../../argocd/main.go")),
        ("actions.go", include_str!("../../argocd/actions.go")),
        ("diff.go", include_str!("../../argocd/diff.go")),
        ("health.go", include_str!("../../argocd/health.go")),
        ("ignore.go", include_str!("../../argocd/ignore.go")),
        ("lua.go", include_str!("../../argocd/lua.go")),
        ("suite.go", include_str!("../../argocd/suite.go")),
        ("waves.go", include_str!("../../argocd/waves.go")),
    ],
    named_after: "github.com/argoproj/gitops-engine",
    programs: &[],
    folders: &[],
    variables: |_| Vec::new(),
    takes: "1 to 3 minutes",
    packages: 900,
};

static BUILT: OnceCell<Result<PathBuf, String>> = OnceCell::const_new();

/// What Argo CD says of an object.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Judgement {
    /// By our script.
    pub(super) script: Health,
    /// In the end: it does not ask the script of what is being deleted.
    pub(super) shown: Health,
}

/// A health with its text.
#[derive(Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub(super) struct Health {
    pub(super) status: String,
    pub(super) message: String,
}

/// The folder of the scripts.
pub(super) fn scripts() -> PathBuf {
    millwright_testbed::root().join("deploy/argocd/resource_customizations")
}

/// The health of an object.
pub(super) async fn health(object: &Value) -> Judgement {
    ask("health", &[&scripts()], object).await
}

/// The actions on an object that can be chosen.
pub(super) async fn actions(object: &Value) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Action {
        name: String,
        disabled: bool,
    }
    let actions: Vec<Action> = ask("actions", &[&scripts()], object).await;
    actions.into_iter().filter(|action| !action.disabled).map(|action| action.name).collect()
}

/// The merge patch that an action sends.
pub(super) async fn act(action: &str, object: &Value) -> Value {
    ask("act", &[&scripts(), Path::new(action)], object).await
}

/// Asks for a list of objects.
pub(super) async fn ask_of_all<T: DeserializeOwned>(
    command: &str,
    arguments: &[&Path],
    objects: &[Value],
) -> T {
    ask(command, arguments, &json!({ "apiVersion": "v1", "kind": "List", "items": objects })).await
}

/// Asks with this on standard input.
pub(super) async fn ask<T: DeserializeOwned>(command: &str, arguments: &[&Path], input: &Value) -> T {
    let built =
        BUILT.get_or_init(async || MODULE.built(&StandardError).await.map_err(|error| error.to_string()));
    let folder =
        built.await.as_ref().unwrap_or_else(|error| panic!("there is no engine of Argo CD: {error}"));
    let mut child = Command::new(folder.join(MODULE.name))
        .arg(command)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_string();
    let whole = async {
        // Who reads nothing closes early.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        child.wait_with_output().await.unwrap()
    };
    let output = tokio::time::timeout(LONGEST_ANSWER, whole).await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}
