//! Where a VM is placed when its class does not say: an annotation of the machine's node template, in EC2's words.

use millwright_api::MachineCode;
use millwright_provider::{MachineView, ProviderError};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::spec::Placement;

const ANNOTATION: &str = "machine.sapcloud.io/awsPlacement";

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
struct Written {
    affinity: Option<String>,
    availabilityzone: Option<String>,
    groupid: Option<String>,
    groupname: Option<String>,
    hostid: Option<String>,
    hostresourcegrouparn: Option<String>,
    partitionnumber: Option<i32>,
    tenancy: Option<String>,
}

/// The placement that a machine's annotation asks for. Keys match without case, as Go reads them.
pub(crate) fn of(machine: &MachineView) -> Result<Option<Placement>, ProviderError> {
    let Some(text) = machine.node_annotations.get(ANNOTATION) else { return Ok(None) };
    let read = serde_json::from_str::<Map<String, Value>>(text).and_then(|written| {
        let lower = written.into_iter().map(|(key, value)| (key.to_lowercase(), value));
        Written::deserialize(Value::Object(lower.collect()))
    });
    let written = read.map_err(|error| {
        let message = format!(
            "machine {}: annotation {ANNOTATION} of its node template is no placement of EC2: {error}; write JSON such as \
             {{\"Tenancy\":\"dedicated\"}}",
            machine.name
        );
        ProviderError::new(MachineCode::InvalidArgument, message)
    })?;
    Ok(Some(Placement {
        affinity: written.affinity,
        availability_zone: written.availabilityzone,
        group_id: written.groupid,
        group_name: written.groupname,
        host_id: written.hostid,
        host_resource_group_arn: written.hostresourcegrouparn,
        partition_number: written.partitionnumber,
        tenancy: written.tenancy,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Placement>, ProviderError> {
        let node_annotations = [(ANNOTATION.to_owned(), text.to_owned())].into();
        of(&MachineView { name: "m".into(), node_annotations, ..MachineView::default() })
    }

    #[test]
    fn a_placement_is_read_in_ec2s_words() {
        let placement = read(r#"{"Tenancy":"host","HostId":"h-1","PARTITIONNUMBER":2,"GroupName":null}"#);
        let expected = Placement {
            tenancy: Some("host".into()),
            host_id: Some("h-1".into()),
            partition_number: Some(2),
            ..Placement::default()
        };
        assert_eq!(placement.expect("a placement"), Some(expected));
        assert_eq!(of(&MachineView::default()).expect("none"), None);
    }

    #[test]
    fn an_annotation_that_cannot_be_read_stops_the_creation() {
        for text in ["", "dedicated", "[]", r#"{"Tenancy":1}"#] {
            assert_eq!(read(text).expect_err(text).code, MachineCode::InvalidArgument);
        }
    }
}
