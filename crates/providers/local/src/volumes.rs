//! Which persistent volumes are disks of the simulated cloud.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;

/// The CSI driver under which the simulated cloud's disks appear.
const DRIVER: &str = "disk.simcloud.millwright.dev";

/// Disk ids; volumes of others are skipped.
pub(crate) fn ids(volumes: &[PersistentVolumeSpec]) -> Vec<String> {
    let own = volumes.iter().filter_map(|volume| volume.csi.as_ref()).filter(|csi| csi.driver == DRIVER);
    own.map(|csi| csi.volume_handle.clone()).collect()
}
