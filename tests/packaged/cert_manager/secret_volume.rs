//! A Secret's volume, as a kubelet writes it: all files change together, by a swap of links. When they do is the test's choice; a kubelet
//! takes up to a minute or two.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::certificate::Issued;

/// A folder with what a Secret held when it was last shown.
pub(super) struct SecretVolume {
    folder: PathBuf,
    version: u32,
}

impl SecretVolume {
    pub(super) fn mount(folder: PathBuf, first: &Issued) -> Self {
        fs::create_dir_all(&folder).unwrap();
        for name in first.files.keys() {
            symlink(Path::new("..data").join(name), folder.join(name)).unwrap();
        }
        let mut volume = Self { folder, version: 0 };
        volume.show(first);
        volume
    }

    pub(super) fn show(&mut self, issued: &Issued) {
        let before = fs::read_link(self.folder.join("..data"));
        self.version += 1;
        let data = format!("..version-{}", self.version);
        fs::create_dir(self.folder.join(&data)).unwrap();
        for (name, content) in &issued.files {
            fs::write(self.folder.join(&data).join(name), content).unwrap();
        }
        symlink(&data, self.folder.join("..data_tmp")).unwrap();
        fs::rename(self.folder.join("..data_tmp"), self.folder.join("..data")).unwrap();
        if let Ok(before) = before {
            fs::remove_dir_all(self.folder.join(before)).unwrap();
        }
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
