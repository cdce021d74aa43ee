//! Whatever the bytes are, there is an answer, and it is the same every time.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::tool::{CLASS, DEPLOYMENT, lint_bytes};

const PIECES: [&str; 28] = [
    "---\n",
    "...\n",
    "- ",
    ": ",
    "? ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "&a ",
    "*a",
    "<<: ",
    "\"",
    "'",
    "|\n",
    ">-\n",
    "\n",
    "  ",
    "\t",
    "#",
    "%YAML 1.1\n",
    "!!int ",
    "spec",
    "replicas",
    "-1",
    "apiVersion: machine.sapcloud.io/v1alpha1\nkind: Machine\n",
    "\u{feff}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_get_an_answer(bytes in vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(lint_bytes(&bytes, &[]), lint_bytes(&bytes, &[]));
    }

    #[test]
    fn any_pieces_of_yaml_get_an_answer(pieces in vec(select(&PIECES[..]), 0..60)) {
        let text = pieces.concat();
        prop_assert_eq!(lint_bytes(text.as_bytes(), &[]), lint_bytes(text.as_bytes(), &[]));
    }

    #[test]
    fn a_good_object_with_a_piece_put_in_gets_an_answer(at in any::<prop::sample::Index>(), piece in select(&PIECES[..]), whole in select(&[CLASS, DEPLOYMENT][..])) {
        let text = format!("{}{piece}{}", &whole[..at.index(whole.len())], &whole[at.index(whole.len())..]);
        lint_bytes(text.as_bytes(), &[]);
    }
}
