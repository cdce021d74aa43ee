//! Lists: order, pages, versions, selectors.

use serde_json::json;

use super::{CONFIG_MAPS, Case, MACHINES, config_map, machine, with};
use crate::step::{delete, get, post};

pub(super) fn cases() -> Vec<Case> {
    let labelled = |name, value: &str| with(config_map(name), "labels", json!({ "l": value, "both": "yes" }));
    vec![
        (
            "lists",
            vec![
                get(MACHINES),
                post(MACHINES, machine("b")),
                post(MACHINES, machine("a-b")),
                post(MACHINES, machine("a")).save("third"),
                get(MACHINES).save("list"),
                get(format!("{MACHINES}?limit=2")).save("page"),
                delete(format!("{MACHINES}/b")),
                get(format!("{MACHINES}?limit=2&continue=$continue:page;")),
                get(format!("{MACHINES}?limit=2&continue=nonsense")),
                get(format!("{MACHINES}?limit=1&continue=$continue:page;&resourceVersion=$rv:third;")),
                get(format!("{MACHINES}?resourceVersion=$rv:third;&resourceVersionMatch=Exact")),
                get(format!("{MACHINES}?resourceVersion=0&resourceVersionMatch=Exact")),
                get(format!("{MACHINES}?resourceVersionMatch=Exact")),
                get(format!("{MACHINES}?resourceVersion=$rv:list;&resourceVersionMatch=NotOlderThan")),
                get(format!("{MACHINES}?resourceVersion=1&resourceVersionMatch=NotOlderThan")),
                get(format!("{MACHINES}?resourceVersion=$rv:third;&limit=1")),
                get(format!("{MACHINES}?resourceVersion=9999999999")),
                get(format!("{MACHINES}?resourceVersion=word")),
                get(format!("{MACHINES}?limit=1&labelSelector=none")),
                get(MACHINES).accept("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
            ],
        ),
        (
            "lists-of-built-ins",
            vec![
                post(CONFIG_MAPS, labelled("a", "1")),
                post(CONFIG_MAPS, labelled("b", "2")),
                post(CONFIG_MAPS, config_map("c")),
                get(CONFIG_MAPS),
                get(format!("{CONFIG_MAPS}?limit=2")).save("page"),
                get(format!("{CONFIG_MAPS}?limit=2&continue=$continue:page;")),
                get(format!("{CONFIG_MAPS}?labelSelector=l%3D1")),
                get(format!("{CONFIG_MAPS}?labelSelector=l%20in%20(1,2),both%3D%3Dyes")),
                get(format!("{CONFIG_MAPS}?labelSelector=l%20notin%20(1)")),
                get(format!("{CONFIG_MAPS}?labelSelector=!l")),
                get(format!("{CONFIG_MAPS}?labelSelector=l!%3D1,l")),
                get(format!("{CONFIG_MAPS}?labelSelector=l%20in%201")),
                get(format!("{CONFIG_MAPS}?labelSelector=both&limit=1")),
                get(format!("{CONFIG_MAPS}?fieldSelector=metadata.name%3Db")),
                get(format!("{CONFIG_MAPS}?fieldSelector=metadata.name!%3Db")),
                get(format!("{CONFIG_MAPS}?fieldSelector=data%3Db")),
                get(format!("{CONFIG_MAPS}?fieldSelector=metadata.name")),
            ],
        ),
    ]
}
