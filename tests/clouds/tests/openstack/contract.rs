//! The contract suite.

use millwright_provider::contract::run_all;

use super::lab::Lab;
use super::tenant::alone;

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_keeps_its_contract() {
    let _turn = alone().await;
    let report = run_all(&Lab).await;
    println!("{report}");
    report.assert_kept();
    let not_offered: Vec<_> = report.not_offered().collect();
    assert_eq!(not_offered, ["create_while_lists_lag_makes_one_vm", "delete_keeps_volumes"], "{report}");
}
