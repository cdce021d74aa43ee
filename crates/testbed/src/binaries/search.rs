//! Looks for a folder that has all five programs. One that has some is passed over: kubectl on PATH is no control plane.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::program::Program;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// A folder with everything.
    Found(PathBuf),
    /// Nothing; when the user named a folder, why it is not used.
    Missing { passed_over: Option<String> },
}

/// Looks in the folder the user named, then in each folder of PATH.
pub(super) fn search(assets: Option<&Path>, path: &[PathBuf]) -> Search {
    if let Some(folder) =
        assets.into_iter().chain(path.iter().map(PathBuf::as_path)).find(|folder| lacks(folder).is_empty())
    {
        return Search::Found(folder.to_owned());
    }
    let passed_over = assets.map(|folder| {
        let lacking: Vec<_> = lacks(folder).into_iter().map(Program::name).collect();
        format!("KUBEBUILDER_ASSETS={} is not used: it lacks {}", folder.display(), lacking.join(", "))
    });
    Search::Missing { passed_over }
}

fn lacks(folder: &Path) -> Vec<Program> {
    Program::ALL.into_iter().filter(|program| !is_executable(&folder.join(program.name()))).collect()
}

fn is_executable(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn folder_with(programs: &[Program]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for program in programs {
            let file = folder.path().join(program.name());
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    #[test]
    fn the_named_folder_comes_before_path() {
        let (named, on_path) = (folder_with(&Program::ALL), folder_with(&Program::ALL));
        let found = search(Some(named.path()), &[on_path.path().to_owned()]);
        assert_eq!(found, Search::Found(named.path().to_owned()));
    }

    #[test]
    fn a_named_folder_that_is_not_whole_is_passed_over_for_path() {
        let (named, on_path) = (folder_with(&[Program::Etcd, Program::Kubectl]), folder_with(&Program::ALL));
        let found = search(Some(named.path()), &[on_path.path().to_owned()]);
        assert_eq!(found, Search::Found(on_path.path().to_owned()));
    }

    #[test]
    fn the_reason_names_what_the_named_folder_lacks() {
        let named = folder_with(&[Program::Etcd, Program::KubeApiserver, Program::Kubectl]);
        let Search::Missing { passed_over: Some(reason) } = search(Some(named.path()), &[]) else {
            panic!("nothing is there")
        };
        assert!(reason.contains(&named.path().display().to_string()), "{reason}");
        assert!(reason.ends_with("lacks kube-controller-manager, kube-scheduler"), "{reason}");
    }

    #[test]
    fn programs_scattered_over_path_are_no_control_plane() {
        let (kubectl, rest) = (folder_with(&[Program::Kubectl]), folder_with(&Program::ALL[..4]));
        let found = search(None, &[kubectl.path().to_owned(), rest.path().to_owned()]);
        assert_eq!(found, Search::Missing { passed_over: None });
    }

    #[test]
    fn a_file_that_is_not_executable_is_no_program() {
        let folder = folder_with(&Program::ALL);
        let etcd = folder.path().join("etcd");
        std::fs::set_permissions(&etcd, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(search(None, &[folder.path().to_owned()]), Search::Missing { passed_over: None });
    }
}
