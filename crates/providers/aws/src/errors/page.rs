//! The error table in docs/providers/aws.md is the one that is compiled in. `UPDATE_DOCS=1` writes it there.

use std::fmt::Write as _;

use millwright_cloud_http::Where;

use super::TABLE;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/providers/aws.md");
const BEGIN: &str = "<!-- errors: begin -->\n";
const END: &str = "<!-- errors: end -->";

fn table() -> String {
    let mut table = String::from("| EC2 says | Machine code |\n|---|---|\n");
    for row in TABLE.0 {
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

#[test]
fn the_page_has_the_rates_that_are_compiled_in() {
    use crate::session::Class;
    let page = std::fs::read_to_string(PAGE).expect("the page");
    for class in Class::ALL {
        let row = page.lines().find(|line| line.contains(&format!("`{}:<region>`", class.name())));
        let rate = class.rate();
        let wanted = format!("| {} a second, {} at once |", rate.per_second, rate.burst);
        assert!(row.is_some_and(|row| row.contains(&wanted)), "{}: {wanted}", class.name());
    }
}
