//! docs/providers/gcp.md says what the code does.

use std::path::Path;

use millwright_cloud_http::Where;
use millwright_provider::{ClassView, Dialect, SpecRules as _};
use millwright_provider_gcp::{ERRORS, GcpRules};
use serde_json::Value;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/providers/gcp.md");
    std::fs::read_to_string(&path).unwrap()
}

#[test]
fn the_page_lists_every_row_of_the_table_of_errors() {
    let page = page();
    let rows: Vec<String> = ERRORS
        .0
        .iter()
        .map(|row| {
            let place = match row.at {
                Where::Code => "code",
                Where::Message => "message",
            };
            format!("| {place} | `{}` | {} |", row.matches, row.code.name())
        })
        .collect();
    assert!(
        page.contains(&rows.join("\n")),
        "docs/providers/gcp.md must hold these rows:\n{}",
        rows.join("\n")
    );
}

#[test]
fn the_sample_class_of_the_page_is_accepted() {
    let page = page();
    let yaml = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let class: Value = serde_saphyr::from_str(yaml).unwrap();
    assert_eq!(class["provider"], "GCP");
    let spec = &class["providerSpec"];
    let view = ClassView {
        dialect: Dialect::Gardener,
        name: "sample",
        namespace: "sample",
        spec,
        node_template: None,
    };
    assert_eq!(GcpRules.validate(&view, None), []);
    let schema = jsonschema::validator_for(&GcpRules.schema()).unwrap();
    let wrong: Vec<String> = schema.iter_errors(spec).map(|error| error.to_string()).collect();
    assert_eq!(wrong, Vec::<String>::new());
}
