//! Which persistent volumes are persistent disks of Compute Engine.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;

const DRIVER: &str = "pd.csi.storage.gke.io";

/// Names of in-tree disks and handles of CSI volumes; volumes of others are skipped.
pub(crate) fn ids(volumes: &[PersistentVolumeSpec]) -> Vec<String> {
    let id = |volume: &PersistentVolumeSpec| {
        let in_tree = volume.gce_persistent_disk.as_ref().map(|disk| disk.pd_name.clone());
        let csi = volume.csi.as_ref().filter(|csi| csi.driver == DRIVER);
        in_tree.or_else(|| csi.map(|csi| csi.volume_handle.clone()))
    };
    volumes.iter().filter_map(id).filter(|id| !id.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, GCEPersistentDiskVolumeSource};

    use super::*;

    #[test]
    fn in_tree_disks_and_csi_volumes_are_named_and_others_skipped() {
        let csi = |driver: &str, handle: &str| PersistentVolumeSpec {
            csi: Some(CSIPersistentVolumeSource {
                driver: driver.into(),
                volume_handle: handle.into(),
                ..CSIPersistentVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let in_tree = PersistentVolumeSpec {
            gce_persistent_disk: Some(GCEPersistentDiskVolumeSource {
                pd_name: "disk-1".into(),
                ..GCEPersistentDiskVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let volumes = [
            in_tree,
            csi("ebs.csi.aws.com", "vol-1"),
            csi(DRIVER, "projects/p/zones/z/disks/pvc-1"),
            PersistentVolumeSpec::default(),
        ];
        assert_eq!(ids(&volumes), ["disk-1", "projects/p/zones/z/disks/pvc-1"]);
    }
}
