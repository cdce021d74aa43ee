use serde_json::json;

use super::{MACHINES, born, gone, list, nowhere, swept, swept_with, vm};
use crate::fake::{machine, status};
use millwright_provider::{LeftoverKind, Listed, ListedKind};

const ONLY_LISTED: [&str; 1] = ["list"];

#[tokio::test(start_paused = true)]
async fn a_renamed_vm_of_a_machine_that_the_index_knows_is_not_even_looked_up() {
    for (known, uid) in [(born("m", "fake://1"), None), (machine("m"), Some("uid-m"))] {
        let (calls, asked) = swept(vm("fake://1", "renamed", uid), &[known], gone()).await;
        assert_eq!((calls, asked.len()), (ONLY_LISTED.map(str::to_owned).to_vec(), 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_renamed_vm_of_a_machine_that_only_the_live_list_shows_is_never_deleted() {
    for (living, uid) in [(born("m", "fake://1"), None), (machine("m"), Some("uid-m"))] {
        let answers = [list(&[machine("other"), living]), gone()];
        let (calls, asked) = swept_with(vm("fake://1", "renamed", uid), &[], answers).await;
        assert_eq!(calls, ONLY_LISTED);
        assert_eq!(asked, [MACHINES]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_live_list_that_fails_or_is_no_list_of_machines_deletes_nothing() {
    for answer in [
        (500, status(500, "InternalError")),
        (403, status(403, "Forbidden")),
        nowhere(),
        (200, json!({})),
        (200, json!({ "items": [] })),
        (200, json!({ "kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [] })),
        (0, json!(null)),
    ] {
        let (calls, asked) = swept_with(vm("fake://1", "m", None), &[], [answer.clone(), gone()]).await;
        assert_eq!((calls, asked.len()), (ONLY_LISTED.map(str::to_owned).to_vec(), 1), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_disk_of_a_machine_that_is_being_born_stays_whatever_machine_its_name_is_read_as() {
    let disk = Listed {
        kind: ListedKind::Leftover(LeftoverKind::Disk),
        ..vm("w-kubelet-0-data-disk", "w-kubelet", Some("uid-w"))
    };
    assert_eq!(swept(disk.clone(), &[machine("w")], gone()).await.0, ONLY_LISTED);
    assert_eq!(swept_with(disk.clone(), &[], [list(&[machine("w")]), gone()]).await.0, ONLY_LISTED);
    assert_eq!(swept(disk, &[machine("v")], gone()).await.0, ["list", "delete w-kubelet None"]);
}
