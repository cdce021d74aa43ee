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
    assert!(not_offered.is_empty(), "{report}");
    let violations = lab.violations.lock().clone();
    assert!(violations.is_empty(), "Azure would not have understood: {violations:#?}");
}
