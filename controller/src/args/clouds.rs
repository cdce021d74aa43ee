//! Where clouds are.

use millwright_cloud_http::Endpoints;

use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Clouds")]
pub(super) struct CloudArgs {
    /// A cloud's API at another place than the usual one, as NAME=URL: a private cloud, a test. May be given for each of
    /// aws.ec2, aws.sts, aws.metadata, azure.resource-manager, azure.login, azure.metadata, gcp.compute, gcp.token and
    /// gcp.metadata. Holds for all classes, and no class or Secret can say it, for credentials are sent there. Where
    /// OpenStack is, its Secrets say.
    #[arg(long, value_name = "NAME=URL")]
    cloud_endpoint: Vec<String>,
}

impl CloudArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<Endpoints> {
        let before = mistakes.count();
        for text in &self.cloud_endpoint {
            if let Err(error) = Endpoints::parse([text.as_str()]) {
                // What stands before an @ may be a password.
                let shown =
                    if text.contains('@') { text.split('=').next().unwrap_or_default() } else { text };
                mistakes.add("--cloud-endpoint", shown, error.to_string());
            }
        }
        if mistakes.count() > before {
            return None;
        }
        Endpoints::parse(self.cloud_endpoint.iter().map(String::as_str)).ok()
    }
}
