//! The contract suite.

use millwright_provider::contract::run_all;

use crate::lab::Lab;

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_keeps_its_contract() {
    let lab = Lab::default();
    let report = run_all(&lab).await;
    println!("{report}");
    report.assert_kept();
    let not_offered: Vec<_> = report.not_offered().collect();
    assert_eq!(not_offered, NOT_OFFERED, "{report}");
    let violations = lab.violations.lock().clone();
    assert!(violations.is_empty(), "Azure would not have understood: {violations:#?}");
}

/// Lists of Compute and Network come from where the things are, and show them at once.
const NOT_OFFERED: &[&str] = &["create_while_lists_lag_makes_one_vm"];
