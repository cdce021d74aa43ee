//! Makes another input of one: by bytes, which breaks the JSON, or by its values, which breaks the object.

use serde_json::Value;

use crate::json_changes::change;
use crate::{Corpus, Random};

/// The changes of one seed.
#[derive(Clone, Debug)]
pub struct Mutator {
    random: Random,
}

impl Mutator {
    /// Changes by this chance.
    #[must_use]
    pub fn new(random: Random) -> Self {
        Self { random }
    }

    /// One of the corpus, changed `times` times.
    pub fn next(&mut self, corpus: &Corpus, times: usize) -> Vec<u8> {
        let mut body = self.random.of(&corpus.inputs).cloned().unwrap_or_default();
        // Most changes keep the JSON whole, else hardly anything would get past the parser.
        if self.random.below(5) == 0 {
            for _ in 0..times {
                self.change_bytes(&mut body, corpus);
            }
            return body;
        }
        let Ok(mut review) = serde_json::from_slice::<Value>(&body) else {
            self.change_bytes(&mut body, corpus);
            return body;
        };
        let other = self.random.of(&corpus.inputs).and_then(|other| serde_json::from_slice(other).ok());
        for _ in 0..times {
            change(&mut review, other.as_ref(), &corpus.words, &mut self.random);
        }
        review.to_string().into_bytes()
    }

    fn change_bytes(&mut self, body: &mut Vec<u8>, corpus: &Corpus) {
        let random = &mut self.random;
        let at = random.below(body.len() + 1);
        let end = (at + random.below(64)).min(body.len());
        match random.below(7) {
            0 => drop(body.drain(at..end)),
            1 => body.truncate(at),
            2 => {
                let byte = u8::try_from(random.below(256)).unwrap_or_default();
                body.insert(at, byte);
            }
            3 => {
                if let Some(byte) = body.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            4 => {
                let word = random.of(&corpus.words).cloned().unwrap_or_default();
                body.splice(at..at, word.into_bytes());
            }
            5 => {
                let piece = body[at..end].repeat(1 + random.below(20));
                body.splice(at..at, piece);
            }
            _ => {
                let other = random.of(&corpus.inputs).cloned().unwrap_or_default();
                let from = random.below(other.len() + 1);
                body.truncate(at);
                body.extend_from_slice(&other[from..]);
            }
        }
    }
}
