//! Microsoft's separate clouds, and where each of them is.

use serde::Deserialize;

/// A cloud of Microsoft's with accounts of its own, as `cloudConfiguration.name` spells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
pub enum Cloud {
    /// The public one.
    #[default]
    #[serde(rename = "AzurePublic")]
    Public,
    /// The one in China, run by 21Vianet.
    #[serde(rename = "AzureChina")]
    China,
    /// The one for authorities of the USA.
    #[serde(rename = "AzureGovernment")]
    Government,
}

impl Cloud {
    /// Its name in a class.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "AzurePublic",
            Self::China => "AzureChina",
            Self::Government => "AzureGovernment",
        }
    }

    /// Where its Resource Manager is; also for whom a token is asked.
    #[must_use]
    pub const fn resource_manager(self) -> &'static str {
        match self {
            Self::Public => "https://management.azure.com",
            Self::China => "https://management.chinacloudapi.cn",
            Self::Government => "https://management.usgovcloudapi.net",
        }
    }

    /// Where its Entra gives tokens.
    #[must_use]
    pub const fn login(self) -> &'static str {
        match self {
            Self::Public => "https://login.microsoftonline.com",
            Self::China => "https://login.chinacloudapi.cn",
            Self::Government => "https://login.microsoftonline.us",
        }
    }
}
