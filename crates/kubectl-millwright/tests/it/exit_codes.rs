//! Exit codes and what stands beside them.

use std::fs;

use crate::tool::{CLASS, DEPLOYMENT, root, tool};

fn warned() -> String {
    format!("{CLASS}---\n{}", DEPLOYMENT.replace("workers-v1", "workers-v2"))
}

#[test]
fn nothing_wrong_is_0_an_error_is_1_and_a_warning_is_1_when_strict() {
    let bad = DEPLOYMENT.replace("replicas: 3", "replicas: -3");
    for (text, flags, code, summary) in [
        (DEPLOYMENT, &[][..], 0, "no mistakes (1 object in 1 file)\n"),
        (&bad, &[], 1, "1 error, 0 warnings in 1 file (1 object in 1 file)\n"),
        (&warned(), &[], 0, "0 errors, 1 warning in 1 file (2 objects in 1 file)\n"),
        (&warned(), &["--strict"], 1, "0 errors, 1 warning in 1 file (2 objects in 1 file)\n"),
        (
            "kind: Pod\n",
            &[],
            0,
            "nothing of machine.sapcloud.io to judge (0 objects in 1 file; 1 document of other kinds skipped)\n",
        ),
    ] {
        let said = tool(&[&["lint", "-"], flags].concat(), &root(), text);
        assert_eq!(said.code, code, "{}", said.out);
        assert!(said.out.ends_with(summary), "{}", said.out);
        assert_eq!(said.err, "");
    }
}

#[test]
fn quiet_prints_what_fails_and_nothing_else() {
    let said = tool(&["lint", "-q", "-"], &root(), &warned());
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    let said = tool(&["lint", "-q", "--strict", "-"], &root(), &warned());
    assert_eq!((said.code, said.out.lines().count()), (1, 1), "{}", said.out);
}

#[test]
fn what_can_not_be_read_or_asked_is_2_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, says) in [
        (&["lint", "gone.yaml"][..], "gone.yaml can't be read: No such file"),
        (&["lint", "."], "there is no file to read below ."),
        (&["lint"], "<FILES>"),
        (&["lint", "--outptu=json", "-"], "--outptu"),
        (&["lint", "--output=xml", "-"], "xml"),
        (&["rules", "duraton"], "did you mean \"duration\"?"),
    ] {
        let said = tool(arguments, folder.path(), "");
        assert_eq!(said.code, 2, "{arguments:?} {}", said.err);
        assert!(said.err.contains(says), "{}", said.err);
        assert_eq!(said.out, "");
    }
}

#[test]
fn folders_are_walked_in_order_and_each_file_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["b", "a/deep", ".hidden"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    let bad = |name: &str| {
        DEPLOYMENT
            .replace("name: workers\n", &format!("name: {name}\n"))
            .replace("replicas: 3", "replicas: -3")
    };
    fs::write(at("b/one.yml"), bad("one")).unwrap();
    fs::write(at("a/deep/two.yaml"), bad("two")).unwrap();
    fs::write(at("a/deep/kustomization.yaml"), "resources: [").unwrap();
    fs::write(at("a/three.json"), "{").unwrap();
    fs::write(at("a/four.txt"), "{").unwrap();
    fs::write(at(".hidden/five.yaml"), "{").unwrap();
    std::os::unix::fs::symlink(at("a"), at("b/loop")).unwrap();
    let said = tool(&["lint", ".", "b/one.yml", "./b"], folder.path(), "");
    let files: Vec<&str> = said.out.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(files[..3], ["./a/deep/two.yaml", "./a/three.json", "./b/one.yml"], "{}", said.out);
    assert!(said.out.ends_with("3 errors, 0 warnings in 3 files (2 objects in 3 files)\n"), "{}", said.out);
}

#[test]
fn colours_are_for_terminals() {
    let said = tool(&["lint", "-"], &root(), &DEPLOYMENT.replace("replicas: 3", "replicas: -3"));
    assert!(!said.out.contains('\u{1b}'));
}

#[test]
fn version_help_and_rules_need_nothing() {
    let version = tool(&["version"], &root(), "");
    assert_eq!(
        (version.code, version.out),
        (0, format!("kubectl-millwright {}\n", env!("CARGO_PKG_VERSION")))
    );
    let help = tool(&["help", "lint"], &root(), "");
    assert!(
        help.code == 0 && help.out.contains("Exit codes:") && help.out.contains("kubectl millwright lint"),
        "{}",
        help.out
    );
    let rules = tool(&["rules"], &root(), "");
    let ids: Vec<&str> = rules.out.lines().collect();
    for id in &ids {
        let said = tool(&["rules", id], &root(), "");
        assert!(
            said.code == 0 && said.out.starts_with(&format!("{id} (")) && said.out.lines().count() >= 3,
            "{}",
            said.out
        );
    }
    assert!(ids.contains(&"duration") && ids.contains(&"field-type") && ids.contains(&"lint/syntax"));
}
