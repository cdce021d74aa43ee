//! Which persistent volumes are EBS volumes.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;

const DRIVER: &str = "ebs.csi.aws.com";

/// Volume ids; volumes of others are skipped.
pub(crate) fn ids(volumes: &[PersistentVolumeSpec]) -> Vec<String> {
    volumes.iter().filter_map(id).collect()
}

fn id(volume: &PersistentVolumeSpec) -> Option<String> {
    if let Some(csi) = &volume.csi {
        return (csi.driver == DRIVER).then(|| csi.volume_handle.clone());
    }
    // `aws://ZONE/vol-1`, `aws:///vol-1` or `vol-1`.
    let written = &volume.aws_elastic_block_store.as_ref()?.volume_id;
    let last = match written.strip_prefix("aws://") {
        Some(rest) => rest.rsplit('/').next()?,
        None => written,
    };
    (last.starts_with("vol-") && !last.contains('/')).then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{AWSElasticBlockStoreVolumeSource, CSIPersistentVolumeSource};

    use super::*;

    #[test]
    fn every_kind_of_ebs_volume_is_named_and_no_other() {
        let in_tree = |id: &str| PersistentVolumeSpec {
            aws_elastic_block_store: Some(AWSElasticBlockStoreVolumeSource {
                volume_id: id.into(),
                ..AWSElasticBlockStoreVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let csi = |driver: &str, handle: &str| PersistentVolumeSpec {
            csi: Some(CSIPersistentVolumeSource {
                driver: driver.into(),
                volume_handle: handle.into(),
                ..CSIPersistentVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        };
        let volumes = [
            in_tree("aws://eu-west-1a/vol-1"),
            in_tree("aws:///vol-2"),
            in_tree("vol-3"),
            in_tree("aws://eu-west-1a/snap-1"),
            in_tree("eu-west-1a/vol-9"),
            csi("ebs.csi.aws.com", "vol-4"),
            csi("efs.csi.aws.com", "fs-1"),
            PersistentVolumeSpec::default(),
        ];
        assert_eq!(ids(&volumes), ["vol-1", "vol-2", "vol-3", "vol-4"]);
    }
}
