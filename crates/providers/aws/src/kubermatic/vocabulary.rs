//! The fields of `cloudProvider: aws`.

use millwright_provider::kubermatic::{Form, OperatingSystem, SpecField, VmName, Vocabulary};

use super::rules::FORM;
use crate::secrets::{ACCESS_KEY_ID, EXTERNAL_ID, ROLE_ARN, SECRET_ACCESS_KEY};

/// The words of this cloud.
pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    cloud_provider: "aws",
    vm_name: VmName::Spec,
    operating_systems: OperatingSystem::ALL,
    rule: FORM.id,
    fields: &[
        SpecField::new("accessKeyId", Form::Text, "id of an access key")
            .credential(ACCESS_KEY_ID)
            .or_env(&["AWS_ACCESS_KEY_ID"]),
        SpecField::new("secretAccessKey", Form::Text, "secret of the access key")
            .credential(SECRET_ACCESS_KEY)
            .or_env(&["AWS_SECRET_ACCESS_KEY"]),
        SpecField::new("assumeRoleARN", Form::Text, "role to assume with the access key")
            .credential(ROLE_ARN)
            .or_env(&["AWS_ASSUME_ROLE_ARN"]),
        SpecField::new("assumeRoleExternalID", Form::Text, "external id that the role asks for")
            .credential(EXTERNAL_ID)
            .or_env(&["AWS_ASSUME_ROLE_EXTERNAL_ID"]),
        SpecField::new("region", Form::Text, "region, such as eu-west-1").required(),
        SpecField::new("availabilityZone", Form::Text, "zone, such as eu-west-1a").required(),
        SpecField::new("vpcId", Form::Text, "network; the subnet decides").required(),
        SpecField::new("subnetId", Form::Text, "subnet of the network interface").required(),
        SpecField::new("securityGroupIDs", Form::Texts, "security groups of the network interface")
            .required(),
        SpecField::new("instanceProfile", Form::Text, "name of the instance profile").required(),
        SpecField::new("instanceType", Form::Text, "instance type, such as m5.large").required(),
        SpecField::new("ami", Form::Text, "image; empty: the newest one of the operating system"),
        SpecField::new("diskSize", Form::PlainInteger, "size of the root disk in GiB").required(),
        SpecField::new("diskType", Form::Text, "standard (the default), gp2, gp3, io1, st1 or sc1"),
        SpecField::new(
            "diskIops",
            Form::PlainInteger,
            "operations a second, for io1 and gp3; not used for others",
        ),
        SpecField::new("ebsVolumeEncrypted", Form::Flag, "whether the root disk is encrypted"),
        SpecField::new("tags", Form::PlainMap, "tags of the VM, its disk and its network interface"),
        SpecField::new("assignPublicIP", Form::PlainFlag, "a public address; true when left out"),
        SpecField::new("isSpotInstance", Form::PlainFlag, "a VM that may be taken away"),
        SpecField::new("spotInstanceConfig.maxPrice", Form::Text, "highest price in US dollars for an hour"),
        SpecField::new("spotInstanceConfig.persistentRequest", Form::Flag, "EC2 serves the request again"),
        SpecField::new(
            "spotInstanceConfig.interruptionBehavior",
            Form::Text,
            "stop (the default), hibernate or terminate; of a persistent request",
        ),
    ],
};
