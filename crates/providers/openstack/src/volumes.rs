//! Which persistent volumes are Cinder's.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;

/// The CSI driver of Cinder.
const DRIVER: &str = "cinder.csi.openstack.org";

/// Ids of Cinder's volumes; those of others are skipped.
pub(crate) fn ids(volumes: &[PersistentVolumeSpec]) -> Vec<String> {
    volumes.iter().filter_map(id).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

fn id(volume: &PersistentVolumeSpec) -> Option<&str> {
    if let Some(cinder) = &volume.cinder {
        return Some(&cinder.volume_id);
    }
    volume.csi.as_ref().filter(|csi| csi.driver == DRIVER).map(|csi| csi.volume_handle.as_str())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, CinderPersistentVolumeSource};

    use super::*;

    #[test]
    fn in_tree_and_csi_volumes_are_named_and_others_skipped() {
        let csi = |driver: &str, handle: &str| PersistentVolumeSpec {
            csi: Some(CSIPersistentVolumeSource {
                driver: driver.into(),
                volume_handle: handle.into(),
                ..CSIPersistentVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let in_tree = PersistentVolumeSpec {
            cinder: Some(CinderPersistentVolumeSource {
                volume_id: "vol-1".into(),
                ..CinderPersistentVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let volumes = [
            in_tree,
            csi(DRIVER, "vol-2"),
            csi("ebs.csi.aws.com", "vol-3"),
            csi(DRIVER, ""),
            PersistentVolumeSpec::default(),
        ];
        assert_eq!(ids(&volumes), ["vol-1", "vol-2"]);
    }
}
