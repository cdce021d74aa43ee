//! YAML as kubectl reads it, and what is said where it can't be read.

use crate::tool::{CLASS, DEPLOYMENT, brief, lint, lint_bytes};

#[test]
fn a_tab_as_indentation_is_an_error_with_its_place_and_other_documents_go_on() {
    let text =
        format!("kind: Pod\nspec:\n\ta: 1\n---\n{}", DEPLOYMENT.replace("replicas: 3", "replicas: -3"));
    let got = lint(&text);
    assert_eq!(got.len(), 2, "{got:?}");
    assert!(got[0].starts_with("3:") && got[0].contains("error: no YAML: "), "{got:?}");
    assert!(got[0].ends_with("[lint/syntax]"), "{got:?}");
    assert!(got[1].starts_with("11:3: "), "{got:?}");
}

#[test]
fn a_quote_without_end_spoils_its_document_alone() {
    let got = brief(&format!(
        "a: \"open\nb: 1\n---\n{CLASS}---\n{}",
        DEPLOYMENT.replace("replicas: 3", "replicas: -3")
    ));
    assert_eq!(got.len(), 2, "{got:?}");
    assert!(got[0].ends_with("[lint/syntax]") && got[1].ends_with("spec.replicas [count]"), "{got:?}");
}

#[test]
fn a_template_is_one_error_that_says_what_to_do() {
    for text in ["replicas: {{ .Values.replicas }}\n", "{{- if .Values.on }}\nkind: Pod\n{{- end }}\n"] {
        let got = lint(text);
        assert_eq!(got.len(), 1, "{got:?}");
        assert!(got[0].starts_with("1:") && got[0].contains("render it first"), "{got:?}");
    }
}

#[test]
fn a_key_that_stands_twice_is_told_and_the_last_one_is_judged() {
    let text = DEPLOYMENT.replace("  replicas: 3\n", "  replicas: 3\n  paused: false\n  replicas: -3\n");
    assert_eq!(
        brief(&text),
        [
            "9:3 key \"replicas\" stands in line 7 already; kubectl takes the last one and says nothing [lint/key-unique]",
            "9:3 spec.replicas [count]"
        ]
    );
}

#[test]
fn words_that_yaml_makes_flags_or_numbers_of_are_no_texts() {
    let text = DEPLOYMENT
        .replace("{kind: MachineClass, name: workers-v1}", "{kind: MachineClass, name: on}")
        .replace("  namespace: pool\n", "  namespace: pool\n  labels: {zone: 1, spot: yes, kept: \"yes\"}\n")
        .replace("replicas: 3", "replicas: 03.0");
    assert_eq!(
        brief(&text),
        [
            "6:12 metadata.labels[zone] [field-type]",
            "6:21 metadata.labels[spot] [field-type]",
            "15:35 spec.template.spec.class.name [field-type]"
        ]
    );
}

#[test]
fn a_document_behind_the_end_of_another_one_is_not_read_by_kubectl() {
    let got = lint("kind: Pod\n...\nkind: Pod\n");
    assert_eq!(got.len(), 1, "{got:?}");
    assert!(got[0].starts_with("3:1: error: kubectl reads nothing behind"), "{got:?}");
}

#[test]
fn aliases_of_aliases_end_in_an_error_and_not_in_all_memory() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let before = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(", "));
    }
    let got = lint(&text);
    assert_eq!(got.len(), 1, "{got:?}");
    assert!(got[0].contains("with every alias written out"), "{got:?}");
}

#[test]
fn an_alias_inside_itself_and_unknown_ones_are_errors() {
    for text in
        ["a: &a [*a]\n", "a: *b\n", "<<: [1]\n", "? [a]\n: 1\n", "~: 1\n", "a: .inf\n", "a: !!int x\n"]
    {
        let got = lint(text);
        assert!(got.len() == 1 && got[0].contains("[lint/syntax]"), "{text}: {got:?}");
    }
}

#[test]
fn deep_nesting_is_an_error_and_not_the_end_of_the_stack() {
    for text in ["[".repeat(100_000), "{a: ".repeat(100_000), "{\"a\":".repeat(100_000), "- ".repeat(100_000)]
    {
        let got = lint(&text);
        assert!(got.len() == 1 && got[0].contains("[lint/syntax]"), "{got:?}");
    }
    let lines: String = (0..250)
        .map(|level| {
            format!(
                "a{level}: &a{level} [{}]\n",
                if level == 0 { "x".into() } else { format!("*a{}", level - 1) }
            )
        })
        .collect();
    assert!(lint(&lines)[0].contains("levels"), "{:?}", lint(&lines));
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let got = lint_bytes(b"a: 1\nb: \xff\n", &[]);
    assert_eq!(got, ["2:4: error: a byte here is not UTF-8; save the file as UTF-8 [lint/syntax]"]);
}

#[test]
fn comments_and_empty_documents_are_nothing() {
    assert!(lint("").is_empty());
    assert!(lint("# only this\n---\n---\n# and this\n").is_empty());
}
