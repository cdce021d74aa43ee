//! The contract suite.

use millwright_provider::contract::run_all;

use crate::lab::Lab;

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_keeps_its_contract() {
    let report = run_all(&Lab::open().await).await;
    println!("{report}");
    report.assert_kept();
    assert_eq!(report.not_offered().collect::<Vec<_>>(), [""; 0], "{report}");
}
