//! docs/reference/providers is written from what the linked providers say of themselves.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use millwright_provider::kubermatic::{self, VmName, Vocabulary};
use millwright_provider::{Requirement, SpecRules};
use millwright_webhook::linked_providers;
use serde_json::{Value, json};

use crate::schema_table;

const HINT: &str =
    "This page is written by `UPDATE_DOCS=1 cargo test -p millwright-webhook --test it _page`.";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/providers")
}

/// Every file of the folder, by name.
fn files() -> BTreeMap<String, String> {
    let providers = linked_providers().unwrap();
    let mut files = BTreeMap::new();
    let mut index = format!(
        "# Providers\n\nWhat may stand in a MachineClass's `providerSpec` and Secrets, provider by provider. {HINT}\n\n\
         | `provider` | fields, defaults, keys | JSON Schema | Kubermatic's dialect |\n|---|---|---|---|\n"
    );
    for name in providers.names() {
        let provider = providers.get(name).unwrap();
        let file = name.to_lowercase();
        let mut dialect = String::new();
        if let Some(vocabulary) = provider.kubermatic() {
            let schema = format!("{file}.kubermatic.schema.json");
            dialect = format!("[{}]({schema})", vocabulary.cloud_provider);
            files.insert(schema, pretty(&kubermatic::schema(vocabulary)));
        }
        writeln!(index, "| `{name}` | [page]({file}.md) | [schema]({file}.schema.json) | {dialect} |")
            .unwrap();
        files.insert(format!("{file}.schema.json"), pretty(&provider.schema()));
        files.insert(format!("{file}.md"), page(provider.as_ref(), &file));
    }
    files.insert("README.md".to_owned(), index);
    files
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

fn page(provider: &dyn SpecRules, file: &str) -> String {
    let names: Vec<String> = provider.names().iter().map(|name| format!("`{name}`")).collect();
    let mut page = format!(
        "# Provider {}\n\nA MachineClass says `provider:` {}, in any case of letters. Keys of `providerSpec` match without case too; unknown ones are \
         told and ignored. As JSON Schema: [{file}.schema.json]({file}.schema.json). {HINT}\n",
        provider.names()[0],
        names.join(" or "),
    );
    page.push_str("\n## Fields\n\n| field | | what must hold | meaning |\n|---|---|---|---|\n");
    page.push_str(&schema_table::rows("providerSpec", &provider.schema()));
    defaults(provider, &mut page);
    page.push_str("\n## Rules beyond the schema\n\n| rule | where |\n|---|---|\n");
    for rule in provider.rules() {
        writeln!(page, "| [`{id}`](../rules.md#{id}) | {} |", rule.at, id = rule.id).unwrap();
    }
    secret_keys(provider, &mut page);
    if let Some(vocabulary) = provider.kubermatic() {
        dialect(vocabulary, file, &mut page);
    }
    page
}

fn defaults(provider: &dyn SpecRules, page: &mut String) {
    let mut spec = json!({});
    provider.add_defaults(&mut spec);
    page.push_str("\n## Defaults\n\n");
    if spec == json!({}) {
        page.push_str(
            "The webhook writes nothing into a spec; what is assumed of fields left out stands above.\n",
        );
    } else {
        writeln!(
            page,
            "The webhook writes this into a spec that says nothing, and never changes what is written:\n"
        )
        .unwrap();
        writeln!(page, "```json\n{}```", pretty(&spec)).unwrap();
    }
}

fn secret_keys(provider: &dyn SpecRules, page: &mut String) {
    page.push_str("\n## Keys of its Secrets\n\n| key | | meaning |\n|---|---|---|\n");
    for key in provider.secret_keys() {
        let names: Vec<String> =
            [key.name].iter().chain(key.aliases).map(|name| format!("`{name}`")).collect();
        writeln!(page, "| {} | {} | {} |", names.join(" or "), required(key.requirement), key.meaning)
            .unwrap();
    }
}

fn dialect(vocabulary: &Vocabulary, file: &str, page: &mut String) {
    let systems: Vec<&str> = vocabulary.operating_systems.iter().map(|system| system.as_str()).collect();
    let name = match vocabulary.vm_name {
        VmName::Spec => "spec.name",
        VmName::Object => "metadata.name",
    };
    write!(
        page,
        "\n## Kubermatic's dialect\n\n`providerSpec.value` with `cloudProvider: {}` means the same VM \
         ([decision 23](../../decisions/0023-two-dialects-one-spec.md)). A VM has the machine's `{name}` and is known by the machine's UID. There are \
         images for {}; others must be named. As JSON Schema: [{file}.kubermatic.schema.json]({file}.kubermatic.schema.json). Fields below \
         `cloudProviderSpec`; another one is refused:\n\n\
         | field | | what must hold | environment instead | key of a Secret in Gardener's dialect | meaning |\n|---|---|---|---|---|---|\n",
        vocabulary.cloud_provider,
        systems.join(", "),
    )
    .unwrap();
    for field in vocabulary.fields {
        let environment: Vec<String> = field.environment.iter().map(|name| format!("`{name}`")).collect();
        let key = field.secret_key.map(|key| format!("`{key}`")).unwrap_or_default();
        writeln!(
            page,
            "| `{}` | {} | {} | {} | {key} | {} |",
            field.path,
            required(field.requirement),
            field.form.words(),
            environment.join(", "),
            field.meaning
        )
        .unwrap();
    }
}

const fn required(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Required => "required",
        Requirement::Optional => "",
    }
}

#[test]
fn the_providers_page_is_what_the_providers_say() {
    let wanted = files();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(folder()).unwrap();
        for entry in fs::read_dir(folder()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for (name, text) in &wanted {
            fs::write(folder().join(name), text).unwrap();
        }
        return;
    }
    let there = fs::read_dir(folder()).into_iter().flatten();
    let there: BTreeMap<String, String> = there
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&there), names(&wanted), "files of docs/reference/providers");
    let other: Vec<&String> = wanted.keys().filter(|name| there[*name] != wanted[*name]).collect();
    assert!(
        other.is_empty(),
        "docs/reference/providers: {other:?} are not what the providers say; write them anew with\n  \
         UPDATE_DOCS=1 cargo test -p millwright-webhook --test it _page"
    );
}

#[test]
fn every_field_of_every_provider_is_explained() {
    let providers = linked_providers().unwrap();
    for name in providers.names() {
        let rows = schema_table::rows("providerSpec", &providers.get(name).unwrap().schema());
        let bare: Vec<&str> = rows.lines().filter(|row| row.ends_with("|  |")).collect();
        assert!(!rows.is_empty() && bare.is_empty(), "{name}: fields without a description: {bare:#?}");
    }
}
