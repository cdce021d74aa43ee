//! The contract suite.

use millwright_provider::contract::run_all;

use crate::lab::Lab;

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_keeps_its_contract() {
    let report = run_all(&Lab).await;
    println!("{report}");
    report.assert_kept();
    let not_offered: Vec<_> = report.not_offered().collect();
    // Names are unique in a zone; lists of a zone are consistent; there is nothing to do after a creation.
    assert_eq!(
        not_offered,
        ["create_while_lists_lag_makes_one_vm", "several_vms_of_a_machine_are_out_of_range"],
        "{report}"
    );
}
