//! What comes from Go: Google's description of the compute API, out of its Go module, and RSA keys.
//!
//! Neither is kept in the repository: the one is Google's, the other must be nobody's.

use std::path::PathBuf;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_testbed::{BinariesError, GoModule, StandardError};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::OnceCell;

const MODULE: GoModule = GoModule {
    name: "gcp-api",
    what: "the description of GCP's compute API",
    otherwise: "",
    files: &[
        ("go.mod", include_str!("../../gcp/go.mod")),
        ("go.sum", include_str!("../../gcp/go.sum")),
        ("main.go", include_str!("../../gcp/main.go")),
    ],
    named_after: "google.golang.org/api",
    programs: &[],
    folders: &[("google.golang.org/api", "compute/v1")],
    variables: |_| Vec::new(),
    takes: "half a minute",
    packages: 60,
};

static SHARED: OnceCell<ApiFiles> = OnceCell::const_new();

/// Description and keys, for all tests of a process.
#[derive(Debug)]
pub struct ApiFiles {
    /// The description, as Google's discovery service gives it out.
    pub description: Value,
    /// Keys of service accounts.
    pub keys: Vec<KeyPair>,
}

/// A key of a service account.
#[derive(Clone, Debug)]
pub struct KeyPair {
    /// PKCS #8 in PEM.
    pub private_pem: String,
    /// PKCS #1 in DER.
    pub public_der: Vec<u8>,
}

/// Why there are none.
#[derive(Debug, thiserror::Error)]
pub enum NoApiFiles {
    /// The program could not be built.
    #[error(transparent)]
    Build(#[from] BinariesError),
    /// A file or a program can not be used.
    #[error("{path}: {reason}")]
    Unusable {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

#[derive(Deserialize)]
struct Pair {
    private: String,
    public: String,
}

impl ApiFiles {
    /// Those of this process; built first when they are not there.
    ///
    /// # Errors
    /// When there is no Go, or no module to be had.
    pub async fn shared() -> Result<&'static Self, NoApiFiles> {
        SHARED.get_or_try_init(Self::make).await
    }

    async fn make() -> Result<Self, NoApiFiles> {
        let folder = MODULE.built(&StandardError).await?;
        let path = folder.join("v1").join("compute-api.json");
        let unusable = |path: &PathBuf, reason: String| NoApiFiles::Unusable { path: path.clone(), reason };
        let text = std::fs::read_to_string(&path).map_err(|error| unusable(&path, error.to_string()))?;
        let description = serde_json::from_str(&text).map_err(|error| unusable(&path, error.to_string()))?;
        let program = folder.join(MODULE.name);
        let failed = |reason: String| unusable(&program, reason);
        let output = Command::new(&program).arg("3").output().map_err(|error| failed(error.to_string()))?;
        let pairs: Vec<Pair> =
            serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
        let keys = pairs.into_iter().map(|pair| {
            let public_der = STANDARD.decode(&pair.public).map_err(|error| failed(error.to_string()))?;
            Ok(KeyPair { private_pem: pair.private, public_der })
        });
        Ok(Self { description, keys: keys.collect::<Result<_, NoApiFiles>>()? })
    }
}
