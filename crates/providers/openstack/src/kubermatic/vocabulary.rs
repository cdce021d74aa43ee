//! The fields of `cloudProvider: openstack`.

use millwright_provider::kubermatic::{Form, OperatingSystem, SpecField, VmName, Vocabulary};

use super::rules::FORM;
use crate::secrets::{APP_ID, APP_SECRET, AUTH_URL, DOMAIN_NAME, PASSWORD, TENANT_ID, TENANT_NAME, USERNAME};

/// The words of this cloud. Images are named, so there is one for every operating system.
pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    cloud_provider: "openstack",
    vm_name: VmName::Spec,
    operating_systems: OperatingSystem::ALL,
    rule: FORM.id,
    fields: &[
        SpecField::new("identityEndpoint", Form::Text, "address of Keystone")
            .credential(AUTH_URL)
            .or_env(&["OS_AUTH_URL"]),
        SpecField::new("username", Form::Text, "name of the user")
            .credential(USERNAME)
            .or_env(&["OS_USERNAME", "OS_USER_NAME"]),
        SpecField::new("password", Form::Text, "password of the user")
            .credential(PASSWORD)
            .or_env(&["OS_PASSWORD"]),
        SpecField::new(
            "applicationCredentialID",
            Form::Text,
            "id of an application credential, instead of a user",
        )
        .credential(APP_ID)
        .or_env(&["OS_APPLICATION_CREDENTIAL_ID"]),
        SpecField::new("applicationCredentialSecret", Form::Text, "secret of the application credential")
            .credential(APP_SECRET)
            .or_env(&["OS_APPLICATION_CREDENTIAL_SECRET"]),
        SpecField::new("domainName", Form::Text, "name of the domain")
            .credential(DOMAIN_NAME)
            .or_env(&["OS_DOMAIN_NAME"]),
        SpecField::new("projectName", Form::Text, "name of the project")
            .credential(TENANT_NAME)
            .or_env(&["OS_PROJECT_NAME"]),
        SpecField::new("projectID", Form::Text, "id of the project")
            .credential(TENANT_ID)
            .or_env(&["OS_PROJECT_ID"]),
        SpecField::new("tenantName", Form::Text, "older name of projectName")
            .credential(TENANT_NAME)
            .or_env(&["OS_TENANT_NAME"]),
        SpecField::new("tenantID", Form::Text, "older name of projectID")
            .credential(TENANT_ID)
            .or_env(&["OS_TENANT_ID"]),
        SpecField::new(
            "tokenId",
            Form::NotServed,
            "a token ends while machines live; use an application credential",
        ),
        SpecField::new("region", Form::Text, "region").required().or_env(&["OS_REGION_NAME"]),
        SpecField::new("instanceReadyCheckPeriod", Form::Text, "not used: nothing waits inside a call"),
        SpecField::new("instanceReadyCheckTimeout", Form::Text, "not used: nothing waits inside a call"),
        SpecField::new("computeAPIVersion", Form::Text, "not used: the microversion is chosen here"),
        SpecField::new("image", Form::Text, "image, by name or id").required(),
        SpecField::new("flavor", Form::Text, "flavor, by name").required(),
        SpecField::new(
            "securityGroups",
            Form::Texts,
            "security groups; kubernetes-v1 when left out, which must be there",
        ),
        SpecField::new("network", Form::Text, "network, by name or id; this or networks"),
        SpecField::new("networks", Form::Texts, "networks, by name or id"),
        SpecField::new("subnet", Form::Text, "not used: Neutron chooses in the network"),
        SpecField::new(
            "floatingIpPool",
            Form::NotServed,
            "floating addresses are not made yet; leave it out and let a router lead outside",
        ),
        SpecField::new("availabilityZone", Form::Text, "zone; the cloud chooses when left out"),
        SpecField::new("trustDevicePath", Form::Flag, "not used"),
        SpecField::new(
            "rootDiskSizeGB",
            Form::PlainInteger,
            "GiB of a root disk that is a volume; the flavor's disk when left out",
        ),
        SpecField::new("rootDiskVolumeType", Form::Text, "type of that volume"),
        SpecField::new("nodeVolumeAttachLimit", Form::PlainInteger, "not used"),
        SpecField::new("serverGroup", Form::Text, "server group, by id"),
        SpecField::new("configDrive", Form::Flag, "user data on a drive of its own"),
        SpecField::new("disablePortSecurity", Form::Flag, "must be false: port security stays on"),
        SpecField::new("tags", Form::PlainMap, "metadata of the server"),
    ],
};
