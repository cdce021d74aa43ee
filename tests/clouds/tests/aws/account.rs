//! The stand-in's account behind the provider's back: EC2's and IAM's query protocol by hand, so that no SDK is on both sides.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(crate) const REGION: &str = "eu-west-1";
/// Of Moto's own images; it names /dev/sda1 as its root disk.
pub(crate) const AMI: &str = "ami-12c6146b";

/// An account, reached without the proxy.
#[derive(Clone)]
pub(crate) struct Account {
    url: String,
    client: reqwest::Client,
}

/// The place in which VMs are made.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) subnet: String,
    pub(crate) group: String,
}

impl Account {
    pub(crate) fn at(url: &str) -> Self {
        let client =
            reqwest::Client::builder().no_proxy().timeout(std::time::Duration::from_secs(120)).build();
        Self { url: url.to_owned(), client: client.unwrap() }
    }

    /// One call that must succeed, and its answer.
    pub(crate) async fn call(&self, service: &str, action: &str, parameters: &[(&str, &str)]) -> String {
        let mut form =
            vec![("Action", action), ("Version", if service == "ec2" { "2016-11-15" } else { "2010-05-08" })];
        form.extend_from_slice(parameters);
        let scope = format!("AKIASETUP/20260101/{REGION}/{service}/aws4_request");
        let authorization = format!("AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0");
        let body: Vec<String> =
            form.iter().map(|(key, value)| format!("{}={}", encoded(key), encoded(value))).collect();
        let request = self.client.post(&self.url).header("authorization", authorization);
        let request =
            request.header("content-type", "application/x-www-form-urlencoded").body(body.join("&"));
        let answer = request.send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{action}: {status} {text}");
        text
    }

    pub(crate) async fn ec2(&self, action: &str, parameters: &[(&str, &str)]) -> String {
        self.call("ec2", action, parameters).await
    }

    /// What every VM of the tests needs: an instance profile, a subnet, a security group.
    pub(crate) async fn prepare(&self) -> Place {
        self.call("iam", "CreateInstanceProfile", &[("InstanceProfileName", "nodes")]).await;
        let zone = format!("{REGION}a");
        let filter = [("Filter.1.Name", "availability-zone"), ("Filter.1.Value.1", zone.as_str())];
        let subnet = first(&self.ec2("DescribeSubnets", &filter).await, "subnetId");
        let filter = [("Filter.1.Name", "group-name"), ("Filter.1.Value.1", "default")];
        let group = first(&self.ec2("DescribeSecurityGroups", &filter).await, "groupId");
        Place { subnet, group }
    }

    /// An instance with those tags on all its parts, and its id.
    pub(crate) async fn run(&self, place: &Place, tags: &[(&str, &str)]) -> String {
        let mut parameters: Vec<(String, String)> = [
            ("ImageId", AMI),
            ("InstanceType", "m5.large"),
            ("MinCount", "1"),
            ("MaxCount", "1"),
            ("NetworkInterface.1.DeviceIndex", "0"),
            ("NetworkInterface.1.SubnetId", &place.subnet),
            ("NetworkInterface.1.SecurityGroupId.1", &place.group),
            ("NetworkInterface.1.DeleteOnTermination", "true"),
            ("BlockDeviceMapping.1.DeviceName", "/dev/sda1"),
            ("BlockDeviceMapping.1.Ebs.VolumeSize", "8"),
            ("BlockDeviceMapping.1.Ebs.DeleteOnTermination", "true"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
        for (number, kind) in (1..).zip(["instance", "volume", "network-interface"]) {
            parameters.push((format!("TagSpecification.{number}.ResourceType"), kind.into()));
            parameters.extend(tagged(&format!("TagSpecification.{number}."), tags));
        }
        let parameters: Vec<(&str, &str)> =
            parameters.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        first(&self.ec2("RunInstances", &parameters).await, "instanceId")
    }

    /// Ids of what a describing call shows in elements of that name.
    pub(crate) async fn ids(&self, action: &str, parameters: &[(&str, &str)], element: &str) -> Vec<String> {
        let mut ids = values(&self.ec2(action, parameters).await, element);
        ids.sort();
        ids.dedup();
        ids
    }

    /// Instances that are not terminated.
    pub(crate) async fn vms(&self) -> Vec<String> {
        let there = ["pending", "running", "stopping", "stopped"];
        let names: Vec<String> = (1..=there.len()).map(|number| format!("Filter.1.Value.{number}")).collect();
        let mut parameters = vec![("Filter.1.Name", "instance-state-name")];
        parameters.extend(names.iter().map(String::as_str).zip(there));
        let mut ids = Vec::new();
        let mut token = String::new();
        loop {
            let mut asked = parameters.clone();
            if !token.is_empty() {
                asked.push(("NextToken", &token));
            }
            let answer = self.ec2("DescribeInstances", &asked).await;
            ids.extend(values(&answer, "instanceId").into_iter().filter(|id| id.starts_with("i-")));
            match values(&answer, "nextToken").pop().filter(|next| !next.is_empty()) {
                Some(next) => token = next,
                None => break,
            }
        }
        ids.sort();
        ids.dedup();
        ids
    }

    /// The user data as the instance reads it.
    pub(crate) async fn user_data(&self, id: &str) -> Vec<u8> {
        let asked = [("InstanceId", id), ("Attribute", "userData")];
        let answer = self.ec2("DescribeInstanceAttribute", &asked).await;
        STANDARD.decode(first(&answer, "value")).unwrap()
    }
}

/// Tags as parameters behind a prefix.
pub(crate) fn tagged(prefix: &str, tags: &[(&str, &str)]) -> Vec<(String, String)> {
    let numbered = (1..).zip(tags);
    let pairs = numbered.flat_map(|(number, (key, value))| {
        [
            (format!("{prefix}Tag.{number}.Key"), (*key).to_owned()),
            (format!("{prefix}Tag.{number}.Value"), (*value).to_owned()),
        ]
    });
    pairs.collect()
}

/// Texts of elements of that name.
pub(crate) fn values(xml: &str, element: &str) -> Vec<String> {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let parts = xml.split(open.as_str()).skip(1);
    parts.filter_map(|part| part.split_once(close.as_str()).map(|(text, _)| text.trim().to_owned())).collect()
}

/// The first of them.
pub(crate) fn first(xml: &str, element: &str) -> String {
    values(xml, element).into_iter().next().unwrap_or_else(|| panic!("no {element} in {xml}"))
}

fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
