//! Which persistent volumes are disks of Azure.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;

const DRIVER: &str = "disk.csi.azure.com";

/// Names of in-tree disks and handles of CSI's; volumes of others are skipped.
pub(crate) fn ids(volumes: &[PersistentVolumeSpec]) -> Vec<String> {
    volumes.iter().filter_map(id).collect()
}

fn id(volume: &PersistentVolumeSpec) -> Option<String> {
    if let Some(disk) = &volume.azure_disk {
        return Some(disk.disk_name.clone());
    }
    let csi = volume.csi.as_ref().filter(|csi| csi.driver == DRIVER)?;
    Some(csi.volume_handle.clone())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{
        AzureDiskVolumeSource, CSIPersistentVolumeSource, NFSVolumeSource, PersistentVolumeSpec,
    };

    #[test]
    fn disks_are_named_and_others_skipped() {
        let csi = |driver: &str| PersistentVolumeSpec {
            csi: Some(CSIPersistentVolumeSource {
                driver: driver.into(),
                volume_handle: "/subscriptions/s/d".into(),
                ..CSIPersistentVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let in_tree = PersistentVolumeSpec {
            azure_disk: Some(AzureDiskVolumeSource {
                disk_name: "d-1".into(),
                ..AzureDiskVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let nfs =
            PersistentVolumeSpec { nfs: Some(NFSVolumeSource::default()), ..PersistentVolumeSpec::default() };
        let ids = super::ids(&[csi("file.csi.azure.com"), in_tree, nfs, csi("disk.csi.azure.com")]);
        assert_eq!(ids, ["d-1", "/subscriptions/s/d"]);
    }
}
