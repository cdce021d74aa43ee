//! The contract suite. Nova builds hundreds of servers in it, so it takes minutes; `.ci/run` lets it go on beside the other tests,
//! and knows it by its name.

use millwright_provider::contract::run_all;

use super::lab::Lab;
use super::tenant::alone;

#[tokio::test(flavor = "multi_thread")]
async fn openstack_keeps_its_contract() {
    let _turn = alone().await;
    let report = run_all(&Lab).await;
    println!("{report}");
    report.assert_kept();
    let not_offered: Vec<_> = report.not_offered().collect();
    assert_eq!(not_offered, ["create_while_lists_lag_makes_one_vm", "delete_keeps_volumes"], "{report}");
}
