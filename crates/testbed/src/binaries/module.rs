//! A Go module below tests/, carried inside a Rust program, so that a build needs no source tree beside it: what is in it, what its build
//! is called, and what belongs to it. How it is built is `go`'s part, where it is kept `cache`'s.

use std::{io, path::Path};

use sha2::{Digest, Sha256};

/// A Go module of this repository whose executable tests run. Its go.mod says which Go it needs.
#[derive(Debug)]
pub struct GoModule {
    /// What its folder below tests/ and its executable are called.
    pub name: &'static str,
    /// What messages call it, such as `the control plane`.
    pub what: &'static str,
    /// What to do where there is no Go, to be read after `install Go 1.25 or newer`; may be empty.
    pub otherwise: &'static str,
    /// Its files, each with its path in the module and its text.
    pub files: &'static [(&'static str, &'static str)],
    /// The required module whose version the build is named after, such as `k8s.io/kubernetes`.
    pub named_after: &'static str,
    /// The names that the executable is linked under; the folder of a build has each of them.
    pub programs: &'static [&'static str],
    /// Folders of required modules, each as module and path in it; the folder of a build has a copy under its last name.
    pub folders: &'static [(&'static str, &'static str)],
    /// The variables that the linker sets, for that version.
    pub variables: fn(&str) -> Vec<(String, String)>,
    /// About how long a first build takes on 2 cores.
    pub takes: &'static str,
    /// About how many packages that compiles; only progress lines say it.
    pub packages: usize,
}

impl GoModule {
    /// The version that its builds are named after, such as `v1.35.3`.
    pub fn version(&self) -> &'static str {
        self.go_mod()
            .find_map(|line| {
                line.trim_start_matches("require ").strip_prefix(self.named_after)?.strip_prefix(' ')
            })
            .and_then(|rest| rest.split_whitespace().next())
            .expect("go.mod requires the module that the build is named after, and a test reads it")
    }

    /// The oldest Go release that compiles it: `go 1.25.0` is (1, 25).
    pub(super) fn oldest_go(&self) -> (u32, u32) {
        self.go_mod()
            .find_map(|line| {
                let mut numbers = line.strip_prefix("go ")?.split('.').map(str::parse);
                Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
            })
            .expect("go.mod says which Go it needs, and a test reads it")
    }

    fn go_mod(&self) -> impl Iterator<Item = &'static str> {
        let text = self.files.iter().find(|(name, _)| *name == "go.mod").map_or("", |(_, text)| *text);
        text.lines().map(str::trim)
    }

    /// Changes with every file of the module, with what else a build holds, and with the machine it is for.
    pub(super) fn key(&self) -> String {
        let mut hash = Sha256::new();
        for (name, text) in self.files.iter().chain(self.folders) {
            // Lengths keep two different sets of files from running into the same bytes.
            hash.update((name.len() as u64).to_be_bytes());
            hash.update(name);
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        let digest: String = hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let (name, version) = (self.name, self.version());
        format!("{name}-{version}-{}-{}-{digest}", std::env::consts::OS, std::env::consts::ARCH)
    }

    /// Lays the module out in `folder`.
    pub(super) fn write_to(&self, folder: &Path) -> io::Result<()> {
        for (name, text) in self.files {
            let file = folder.join(name);
            if let Some(parent) = file.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(file, text)?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Nothing that could be built.
    pub(in super::super) const SMALL: GoModule = GoModule {
        name: "small",
        what: "the small one",
        otherwise: ", or do without",
        files: &[("go.mod", "module small\n\ngo 1.25.0\n\nrequire example.org/large v1.2.3 // indirect\n")],
        named_after: "example.org/large",
        programs: &[],
        folders: &[],
        variables: |_| Vec::new(),
        takes: "no time",
        packages: 7,
    };

    /// That `module` has all files of its folder below tests/, and only those.
    pub(crate) fn assert_carries_its_source_tree(module: &GoModule) {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(module.name);
        let folder = tempfile::tempdir().unwrap();
        module.write_to(folder.path()).unwrap();
        assert_same(folder.path(), &source);
    }

    fn assert_same(one: &Path, other: &Path) {
        let names = |root: &Path| {
            let mut names: Vec<_> =
                std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(one), names(other), "{}", other.display());
        for name in names(one) {
            if one.join(&name).is_dir() {
                assert_same(&one.join(&name), &other.join(&name));
            }
        }
    }

    #[test]
    fn the_version_is_that_of_the_required_module_it_is_named_after() {
        assert_eq!(SMALL.version(), "v1.2.3");
        let block = GoModule {
            files: &[(
                "go.mod",
                "go 1.26\n\nrequire (\n\texample.org/larger v9.9.9\n\texample.org/large v1.2.4\n)\n",
            )],
            ..SMALL
        };
        assert_eq!(block.version(), "v1.2.4");
        assert_eq!(block.oldest_go(), (1, 26));
        assert_eq!(SMALL.oldest_go(), (1, 25));
    }

    #[test]
    fn the_key_names_module_version_and_machine_and_changes_with_what_a_build_holds() {
        assert!(SMALL.key().starts_with("small-v1.2.3-"), "{}", SMALL.key());
        assert!(SMALL.key().contains(std::env::consts::ARCH), "{}", SMALL.key());
        assert_eq!(SMALL.key(), SMALL.key());
        let with_folder = GoModule { folders: &[("example.org/large", "deploy/crds")], ..SMALL };
        assert_ne!(with_folder.key(), SMALL.key());
    }
}
