//! Amazon's client for Python drives Moto with what we add to it.

use millwright_clouds::{Moto, MotoOptions};

use crate::script::run;

#[tokio::test(flavor = "multi_thread")]
async fn amazons_client_sees_what_we_add_to_moto() {
    let moto = Moto::start(MotoOptions::default()).await.unwrap();
    run("aws_second_client.py", &[moto.url()], &[]).await;
}
