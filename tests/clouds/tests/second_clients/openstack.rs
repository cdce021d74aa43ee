//! OpenStack's client for Python drives the services.

use millwright_clouds::{Admin, OpenStack};

use crate::script::run;

#[tokio::test(flavor = "multi_thread")]
async fn openstacks_client_brings_a_server_to_life_and_to_its_end() {
    let openstack = OpenStack::shared().await.unwrap();
    run("openstack_second_client.py", &[openstack.auth_url()], &[("OS_PASSWORD", Admin::PASSWORD)]).await;
}
