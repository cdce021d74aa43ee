//! The command line of `simcloud`.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Parser;
use thiserror::Error;

use crate::config::Config;
use crate::secret::Secret;
use crate::settings::{Settings, SettingsError};

/// A simulated cloud: an HTTP API with VMs that boot, read their user data and join a Kubernetes cluster as nodes.
#[derive(Debug, Parser)]
#[command(name = "simcloud", version)]
pub struct Flags {
    /// Address to listen on; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// File to keep the state in, so that VMs survive a restart; in memory only without it.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// File whose first line is the API token.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The API token, when no file is given.
    #[arg(long = "token", env = "SIMCLOUD_TOKEN", hide_env_values = true, hide = true)]
    pub token: Option<String>,
    /// Kubeconfig with which the simulator registers nodes of VMs that boot in mode "direct".
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// File to write the address (host:port) to once it is known.
    #[arg(long, value_name = "FILE")]
    pub port_file: Option<PathBuf>,
    /// YAML file with sizes, images, zones, quotas, kubeletVersion and orderSeconds.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Why the command line cannot be followed.
#[derive(Debug, Error)]
pub enum FlagsError {
    /// No token was given.
    #[error("no API token; set SIMCLOUD_TOKEN or give --token-file a file with one line")]
    NoToken,
    /// The token file cannot be read.
    #[error("token file {path}: {source}; give --token-file a file that this user may read")]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The port file cannot be written.
    #[error("port file {path}: {source}; give --port-file a path in a folder that this user may write")]
    PortFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The configuration file.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

impl Flags {
    /// Reads the files that the flags name.
    ///
    /// # Errors
    /// When one of them cannot be used, or there is no token.
    pub fn config(&self) -> Result<Config, FlagsError> {
        let Self { listen, state, token_file, token, kubeconfig, port_file: _, config } = self;
        let settings = config.as_deref().map_or_else(|| Ok(Settings::default()), Settings::read)?;
        let token = match token_file {
            Some(path) => {
                first_line(path).map_err(|source| FlagsError::TokenFile { path: path.clone(), source })?
            }
            None => token.clone().unwrap_or_default(),
        };
        if token.is_empty() {
            return Err(FlagsError::NoToken);
        }
        Ok(Config {
            listen: *listen,
            token: Secret::new(token),
            state: state.clone(),
            kubeconfig: kubeconfig.clone(),
            settings,
        })
    }

    /// Writes the port file, if one is wanted; readers see all of it or nothing.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn publish(&self, address: SocketAddr) -> Result<(), FlagsError> {
        let Some(path) = &self.port_file else { return Ok(()) };
        write(path, &format!("{address}\n"))
            .map_err(|source| FlagsError::PortFile { path: path.clone(), source })
    }
}

fn first_line(path: &Path) -> io::Result<String> {
    Ok(std::fs::read_to_string(path)?.lines().next().unwrap_or_default().trim().to_owned())
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder)?;
    std::fs::write(file.path(), text)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(arguments: &[&str]) -> Flags {
        Flags::parse_from(std::iter::once("simcloud").chain(arguments.iter().copied()))
    }

    #[test]
    fn the_token_file_wins_and_only_its_first_line_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "hush \nmore\n").unwrap();
        let flags = flags(&["--token-file", path.to_str().unwrap(), "--token", "other"]);
        let config = flags.config().unwrap();
        assert_eq!(config.token.reveal(), "hush");
        assert!(!format!("{config:?}").contains("hush"));
    }

    #[test]
    fn without_a_token_the_error_says_where_one_comes_from() {
        let error = Flags { token: None, ..flags(&[]) }.config().unwrap_err().to_string();
        assert!(error.contains("SIMCLOUD_TOKEN") && error.contains("--token-file"), "{error}");
    }

    #[test]
    fn the_port_file_holds_the_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("port");
        let flags = flags(&["--port-file", path.to_str().unwrap()]);
        flags.publish("127.0.0.1:4242".parse().unwrap()).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "127.0.0.1:4242\n");
    }
}
