//! The table of errors in docs/providers/azure.md is the one that is compiled in.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;

use millwright_cloud_http::Where;
use millwright_provider_azure::ERROR_ROWS;

const BEGIN: &str =
    "<!-- errors: UPDATE_DOCS=1 cargo test -p millwright-provider-azure --features client --test page -->\n";
const END: &str = "<!-- end of errors -->\n";

#[test]
fn the_page_prints_the_errors_as_they_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/providers/azure.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut table = String::from("\n| where | what | code |\n|---|---|---|\n");
    for row in ERROR_ROWS {
        let place = match row.at {
            Where::Code => "code",
            Where::Message => "message",
        };
        let http = if row.http == 0 { String::new() } else { format!(" with HTTP status {}", row.http) };
        table.push_str(&format!("| {place}{http} | `{}` | {} |\n", row.matches, row.code.name()));
    }
    table.push('\n');
    let expected = format!("{before}{BEGIN}{table}{END}{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected, "set UPDATE_DOCS=1 to write the page anew");
}
