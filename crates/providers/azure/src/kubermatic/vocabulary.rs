//! The fields of `cloudProvider: azure`.

use millwright_provider::kubermatic::{Form, OperatingSystem, SpecField, VmName, Vocabulary};

use super::rules::FORM;
use crate::secrets::{CLIENT_ID, CLIENT_SECRET, SUBSCRIPTION, TENANT};

/// The words of this cloud.
pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    cloud_provider: "azure",
    vm_name: VmName::Object,
    operating_systems: &[
        OperatingSystem::Ubuntu,
        OperatingSystem::Rhel,
        OperatingSystem::Flatcar,
        OperatingSystem::RockyLinux,
    ],
    rule: FORM.id,
    fields: &[
        SpecField::new("subscriptionID", Form::Text, "subscription in which the VMs are")
            .account(SUBSCRIPTION.name)
            .or_env(&["AZURE_SUBSCRIPTION_ID"]),
        SpecField::new("tenantID", Form::Text, "Entra tenant of the service principal")
            .credential(TENANT.name)
            .or_env(&["AZURE_TENANT_ID"]),
        SpecField::new("clientID", Form::Text, "id of the service principal")
            .credential(CLIENT_ID.name)
            .or_env(&["AZURE_CLIENT_ID"]),
        SpecField::new("clientSecret", Form::Text, "secret of the service principal")
            .credential(CLIENT_SECRET.name)
            .or_env(&["AZURE_CLIENT_SECRET"]),
        SpecField::new("location", Form::Text, "location, such as westeurope").required(),
        SpecField::new("resourceGroup", Form::Text, "resource group of the VMs").required(),
        SpecField::new(
            "vnetResourceGroup",
            Form::Text,
            "resource group of the network; that of the VMs when left out",
        ),
        SpecField::new("vmSize", Form::Text, "size, such as Standard_D2s_v5").required(),
        SpecField::new("vnetName", Form::Text, "network").required(),
        SpecField::new("subnetName", Form::Text, "subnet").required(),
        SpecField::new("loadBalancerSku", Form::Text, "not used"),
        SpecField::new("routeTableName", Form::Text, "not used"),
        SpecField::new("availabilitySet", Form::Text, "availability set, by name"),
        SpecField::new("assignAvailabilitySet", Form::PlainFlag, "false: the availability set is not used"),
        SpecField::new("securityGroupName", Form::Text, "security group of the network interface, by name"),
        SpecField::new("zones", Form::PlainTexts, "zone, one at most"),
        SpecField::new("imagePlan.name", Form::PlainText, "plan that is bought with the image"),
        SpecField::new("imagePlan.publisher", Form::PlainText, "its publisher"),
        SpecField::new("imagePlan.product", Form::PlainText, "its product"),
        SpecField::new("imageReference.publisher", Form::PlainText, "publisher of a marketplace image"),
        SpecField::new("imageReference.offer", Form::PlainText, "its offer"),
        SpecField::new("imageReference.sku", Form::PlainText, "its SKU"),
        SpecField::new("imageReference.version", Form::PlainText, "its version; latest when left out"),
        SpecField::new("imageID", Form::Text, "resource id of an own image; wins over imageReference"),
        SpecField::new("enableAcceleratedNetworking", Form::PlainFlag, "accelerated networking"),
        SpecField::new(
            "enableBootDiagnostics",
            Form::PlainFlag,
            "pictures of the screen and the log of the serial line",
        ),
        SpecField::new(
            "osDiskSize",
            Form::PlainInteger,
            "GiB of the root disk; that of the image when left out",
        ),
        SpecField::new("osDiskSKU", Form::PlainText, "Standard_LRS, StandardSSD_LRS or Premium_LRS"),
        SpecField::new("dataDiskSize", Form::PlainInteger, "GiB of a data disk; none when left out"),
        SpecField::new("dataDiskSKU", Form::PlainText, "as osDiskSKU; Standard_LRS when left out"),
        SpecField::new("assignPublicIP", Form::Flag, "must be false: public addresses are not made"),
        SpecField::new("publicIPSKU", Form::PlainText, "not used without a public address"),
        SpecField::new("tags", Form::PlainMap, "tags of the VM, its disks and its network interface"),
        SpecField::new("securityProfile.securityType", Form::PlainText, "TrustedLaunch or Standard"),
        SpecField::new(
            "securityProfile.secureBootEnabled",
            Form::PlainFlag,
            "secure boot, with TrustedLaunch",
        ),
        SpecField::new("securityProfile.vTpmEnabled", Form::PlainFlag, "virtual TPM, with TrustedLaunch"),
    ],
};
