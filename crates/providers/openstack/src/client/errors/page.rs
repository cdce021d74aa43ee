//! The error table in docs/providers/openstack.md is the one that is compiled in. `UPDATE_DOCS=1` writes it there.

use std::fmt::Write as _;

use millwright_cloud_http::Where;

use super::error_table;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/providers/openstack.md");
const BEGIN: &str = "<!-- errors: begin -->\n";
const END: &str = "<!-- errors: end -->";

fn table() -> String {
    let mut table = String::from("| OpenStack says | Machine code |\n|---|---|\n");
    for row in error_table().0 {
        let said = match row.at {
            Where::Code => format!("`{}`", row.matches),
            Where::Message => format!("a message with “{}”", row.matches),
        };
        writeln!(table, "| {said} | `{}` |", row.code).expect("a string takes all");
    }
    table
}

#[test]
fn the_page_has_the_table_that_is_compiled_in() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the table's beginning");
    let (found, after) = rest.split_once(END).expect("the table's end");
    let expected = table();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, format!("{before}{BEGIN}{expected}{END}{after}"))
            .expect("the page can be written");
        return;
    }
    assert_eq!(found, expected, "run this test with UPDATE_DOCS=1");
}
