//! Where one document of a stream ends and the next begins, so that a broken one does not take the others with it. As kubectl does it:
//! lines that start with `---`, or JSON objects one after the other.

use serde::de::IgnoredAny;

use crate::yaml::{Flaw, Place};

/// The text of one document and where it begins in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: Place,
}

impl Chunk<'_> {
    /// A place in this text, as a place in the file.
    pub(crate) fn place(&self, line: usize, column: usize) -> Place {
        let column = if line <= 1 { column + self.start.column - 1 } else { column };
        Place { line: line.max(1) + self.start.line - 1, column }
    }
}

/// The documents of a text, in order.
pub(crate) fn split(text: &str) -> Vec<Result<Chunk<'_>, Flaw>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        split_json(text)
    } else {
        split_yaml(Chunk { text, start: Place::START })
    }
}

fn split_json(text: &str) -> Vec<Result<Chunk<'_>, Flaw>> {
    let mut chunks = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut begin = 0;
    while let Some(next) = stream.next() {
        let rest = after_blanks(text, begin);
        if let Err(error) = next {
            // What is no JSON may be YAML that starts with a brace, or go on as YAML after the first object.
            if chunks.len() <= 1 {
                chunks.extend(split_yaml(rest));
            } else {
                let place = Place { line: error.line().max(1), column: error.column().max(1) };
                chunks.push(Err(Flaw { place, message: format!("no JSON: {}", bare(&error)) }));
            }
            return chunks;
        }
        let end = stream.byte_offset();
        chunks.push(Ok(Chunk {
            text: &text[begin + (text.len() - begin - rest.text.len())..end],
            start: rest.start,
        }));
        begin = end;
    }
    chunks
}

/// The message without the place that it ends with.
fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// The rest of a text from its next character that is not blank.
fn after_blanks(text: &str, begin: usize) -> Chunk<'_> {
    let rest = text[begin..].trim_start();
    let before = &text[..text.len() - rest.len()];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    Chunk { text: rest, start: Place { line, column: before[line_start..].chars().count() + 1 } }
}

fn split_yaml(whole: Chunk<'_>) -> Vec<Result<Chunk<'_>, Flaw>> {
    let mut chunks = Vec::new();
    let (mut begin, mut start, mut offset) = (0, whole.start, 0);
    for (line, text) in (whole.start.line..).zip(whole.text.split_inclusive('\n')) {
        let after = offset + text.len();
        if let Some(tail) = text.strip_prefix("---") {
            chunks.push(Ok(Chunk { text: &whole.text[begin..offset], start }));
            let tail = tail.trim();
            if !tail.is_empty() && !tail.starts_with('#') {
                let message = format!(
                    "kubectl takes nothing but a comment after ---, and here is {tail:?}; put it on a line of its own"
                );
                chunks.push(Err(Flaw { place: Place { line, column: 1 }, message }));
            }
            (begin, start) = (after, Place { line: line + 1, column: 1 });
        }
        offset = after;
    }
    chunks.push(Ok(Chunk { text: &whole.text[begin..], start }));
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(String, usize, usize)> {
        let chunks = split(text).into_iter().map(Result::unwrap);
        chunks.map(|chunk| (chunk.text.to_owned(), chunk.start.line, chunk.start.column)).collect()
    }

    #[test]
    fn separators_end_documents_and_lines_go_on_counting() {
        let got = texts("# head\n---\na: 1\n--- # next\r\nb: 2\n");
        assert_eq!(got, [("# head\n".into(), 1, 1), ("a: 1\n".into(), 3, 1), ("b: 2\n".into(), 5, 1)]);
    }

    #[test]
    fn json_objects_follow_each_other_without_a_separator() {
        let got = texts("\u{feff}\n {\"a\": 1}{\"b\":\n 2}\n");
        assert_eq!(got, [("{\"a\": 1}".into(), 2, 2), ("{\"b\":\n 2}".into(), 2, 10)]);
    }

    #[test]
    fn a_brace_may_begin_yaml_too() {
        assert_eq!(texts("{a: 1}\n---\nb: 2\n").len(), 2);
    }

    #[test]
    fn content_behind_a_separator_is_refused_as_kubectl_refuses_it() {
        let flaws: Vec<Flaw> = split("a: 1\n--- {b: 2}\n").into_iter().filter_map(Result::err).collect();
        assert_eq!(flaws.len(), 1);
        assert_eq!(flaws[0].place, Place { line: 2, column: 1 });
    }
}
