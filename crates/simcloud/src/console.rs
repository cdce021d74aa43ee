//! A VM's console: the last lines of what happened to it, for whoever asks why it did not join.
//!
//! Equal lines in a row are counted, not repeated, so that an hour of retries is one line.

use std::collections::VecDeque;

use jiff::Timestamp;

const LINES: usize = 40;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Console {
    lines: VecDeque<Line>,
}

#[derive(Clone, Debug, PartialEq)]
struct Line {
    first: Timestamp,
    last: Timestamp,
    text: String,
    times: u32,
}

impl Console {
    pub(crate) fn print(&mut self, now: Timestamp, text: String) {
        if let Some(line) = self.lines.back_mut().filter(|line| line.text == text) {
            line.last = now;
            line.times += 1;
            return;
        }
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(Line { first: now, last: now, text, times: 1 });
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let show = |line: &Line| match line.times {
            1 => format!("{:.3} {}", line.first, line.text),
            times => format!("{:.3} {} ({times} times until {:.3})", line.first, line.text, line.last),
        };
        self.lines.iter().map(show).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn repeated_lines_are_counted() {
        let mut console = Console::default();
        console.print(at(0), "connecting".into());
        console.print(at(1), "refused".into());
        console.print(at(2), "refused".into());
        console.print(at(3), "refused".into());
        assert_eq!(
            console.lines(),
            [
                "1970-01-01T00:00:00.000Z connecting",
                "1970-01-01T00:00:01.000Z refused (3 times until 1970-01-01T00:00:03.000Z)"
            ]
        );
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let mut console = Console::default();
        for n in 0..100 {
            console.print(at(n), format!("line {n}"));
        }
        let lines = console.lines();
        assert_eq!(lines.len(), LINES);
        assert!(lines[LINES - 1].ends_with("line 99"));
    }
}
