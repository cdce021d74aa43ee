//! Microsoft's generated models as a strict check of request bodies.
//!
//! A Go program (tests/clouds/azure) decodes a body into its model and encodes it again; what does not survive is unknown to the vendor.
//! One process serves all tests of a test program. It ends when its standard input does, and so with the process that started it.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
};

use millwright_testbed::{BinariesError, GoModule, Progress, StandardError};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

const MODULE: GoModule = GoModule {
    name: "azure-models",
    what: "the check by Azure's generated models",
    otherwise: "",
    files: &[
        ("go.mod", include_str!("../../azure/go.mod")),
        ("go.sum", include_str!("../../azure/go.sum")),
        ("main.go", include_str!("../../azure/main.go")),
    ],
    named_after: "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v7",
    programs: &[],
    folders: &[],
    variables: |_| Vec::new(),
    takes: "1 minute",
    packages: 40,
};

static SHARED: OnceCell<Models> = OnceCell::const_new();

/// The check, ready to be asked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Models(Arc<Mutex<Running>>);

#[derive(Debug)]
struct Running {
    // Its standard input is closed before it is waited for.
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    _child: Child,
}

/// Why a body can not be checked.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// The program could not be built.
    #[error(transparent)]
    Build(#[from] BinariesError),
    /// It could not be started or asked.
    #[error("the check by Azure's generated models can not be asked: {0}")]
    Ask(#[from] std::io::Error),
    /// It answered something else.
    #[error("the check by Azure's generated models answered {0:?}, which is no answer")]
    NoAnswer(String),
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    unknown: Vec<String>,
    #[serde(default)]
    unreadable: String,
}

impl Models {
    /// The one of this process; built first when it is not there, which takes about a minute.
    ///
    /// # Errors
    /// When there is no Go, or no module to be had.
    pub async fn shared() -> Result<Self, ModelsError> {
        SHARED.get_or_try_init(|| Self::start(&StandardError)).await.cloned()
    }

    async fn start(progress: &dyn Progress) -> Result<Self, ModelsError> {
        let folder = MODULE.built(progress).await?;
        let mut child =
            Command::new(folder.join(MODULE.name)).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (asks, answers) = pipes.ok_or_else(|| std::io::Error::other("the program has no pipes"))?;
        Ok(Self(Arc::new(Mutex::new(Running { asks, answers: BufReader::new(answers), _child: child }))))
    }

    /// What the model of that name does not know of a body; empty when it knows everything.
    ///
    /// # Errors
    /// When nobody answers.
    pub fn objections(&self, model: &str, body: &Value) -> Result<Vec<String>, ModelsError> {
        let mut running = self.0.lock();
        writeln!(running.asks, "{}", json!({ "model": model, "body": body }))?;
        running.asks.flush()?;
        let mut line = String::new();
        running.answers.read_line(&mut line)?;
        let Ok(answer) = serde_json::from_str::<Answer>(&line) else {
            return Err(ModelsError::NoAnswer(line));
        };
        let unreadable = Some(answer.unreadable).filter(|text| !text.is_empty());
        let unknown = answer.unknown.into_iter().map(|path| format!("{path} is unknown to {model}"));
        Ok(unknown.chain(unreadable).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_the_vendors_model_does_not_know_is_named_by_its_path() {
        let models = Models::shared().await.unwrap();
        let good =
            json!({ "location": "westeurope", "properties": { "hardwareProfile": { "vmSize": "x" } } });
        assert_eq!(models.objections("VirtualMachine", &good).unwrap(), Vec::<String>::new());
        let misspelt = json!({ "properties": { "osProfile": { "customdata": "x" } }, "tags": {} });
        assert_eq!(
            models.objections("VirtualMachine", &misspelt).unwrap(),
            ["$.properties.osProfile.customdata is unknown to VirtualMachine"]
        );
        let mistyped = json!({ "properties": { "diskSizeGB": "50" } });
        assert!(models.objections("Disk", &mistyped).unwrap()[0].contains("DiskSizeGB"));
    }

    #[test]
    fn the_module_says_its_version() {
        assert_eq!(MODULE.version(), "v7.3.0");
    }
}
