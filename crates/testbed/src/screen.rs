//! What the demo and the bench print. On a terminal a line about what is waited for is written over and over; elsewhere each change of it is a line.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use crate::progress::Progress;

/// How lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The last line may change.
    Terminal,
    /// Every line stays.
    Plain,
}

/// Where lines go.
pub(crate) struct Screen {
    style: Style,
    inner: Mutex<Inner>,
}

struct Inner {
    out: Box<dyn Write + Send>,
    /// What is waited for, as shown last, and since when.
    state: Option<(String, Instant)>,
    frame: usize,
}

const FRAMES: [&str; 4] = ["|", "/", "-", "\\"];
/// A line that wraps can't be written over.
const WIDTH: usize = 76;
const WIPE: &str = "\r\x1b[2K";

impl Screen {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        let out = std::io::stdout();
        let style = if out.is_terminal() { Style::Terminal } else { Style::Plain };
        Self::new(style, Box::new(out))
    }

    fn new(style: Style, out: Box<dyn Write + Send>) -> Self {
        Self { style, inner: Mutex::new(Inner { out, state: None, frame: 0 }) }
    }

    /// The beginning of a step.
    pub(crate) fn title(&self, title: &str) {
        self.print(&format!("\n{title}\n"));
    }

    /// A command, as a user types it.
    pub(crate) fn command(&self, command: &str) {
        self.print(&format!("  $ {command}\n"));
    }

    /// What a command printed, or any other text, indented.
    pub(crate) fn text(&self, text: &str) {
        self.print(&text.lines().map(|line| format!("    {line}\n")).collect::<String>());
    }

    /// Something was seen to happen.
    pub(crate) fn seen(&self, what: &str, took: Duration) {
        self.print(&format!("  ok  {what} ({:.1} s)\n", took.as_secs_f64()));
    }

    /// What is waited for looks like this now. To be called often: a spinner turns with it.
    pub(crate) fn state(&self, state: &str) {
        let mut inner = self.inner.lock();
        let Inner { out, state: shown, frame } = &mut *inner;
        let is_new = shown.as_ref().is_none_or(|(text, _)| text != state);
        let since = shown.as_ref().map_or_else(Instant::now, |(_, since)| *since);
        *shown = Some((state.to_owned(), since));
        let text: String = match self.style {
            Style::Terminal => {
                *frame += 1;
                let line =
                    format!("  {}   {} s  {state}", FRAMES[*frame % FRAMES.len()], since.elapsed().as_secs());
                format!("{WIPE}{}", line.chars().take(WIDTH).collect::<String>())
            }
            Style::Plain if is_new => format!("  ..  {state}\n"),
            Style::Plain => return,
        };
        show(out, &text);
    }

    /// Waits for `work` and shows that it goes on.
    pub(crate) async fn during<T>(&self, what: &str, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            self.state(what);
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(Duration::from_millis(150)) => {}
            }
        }
    }

    fn print(&self, text: &str) {
        let mut inner = self.inner.lock();
        let was_live = inner.state.take().is_some() && self.style == Style::Terminal;
        show(&mut inner.out, if was_live { WIPE } else { "" });
        show(&mut inner.out, text);
    }
}

/// Nothing is left to tell anybody when standard output is closed.
fn show(out: &mut Box<dyn Write + Send>, text: &str) {
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

impl Progress for Screen {
    fn say(&self, line: &str) {
        self.text(line);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn shown(style: Style, play: impl FnOnce(&Screen)) -> String {
        let paper = Paper::default();
        play(&Screen::new(style, Box::new(paper.clone())));
        String::from_utf8(paper.0.lock().clone()).unwrap()
    }

    #[test]
    fn plain_lines_say_each_change_once() {
        let text = shown(Style::Plain, |screen| {
            screen.title("1. Birth");
            screen.command("kubectl get nodes");
            for state in ["none", "none", "one", "one"] {
                screen.state(state);
            }
            screen.seen("one node", Duration::from_millis(1250));
            screen.state("one");
        });
        assert_eq!(
            text,
            "\n1. Birth\n  $ kubectl get nodes\n  ..  none\n  ..  one\n  ok  one node (1.2 s)\n  ..  one\n"
        );
    }

    #[test]
    fn a_terminals_last_line_is_wiped_before_the_next() {
        let text = shown(Style::Terminal, |screen| {
            screen.state("waiting");
            screen.state(&"x".repeat(500));
            screen.seen("done", Duration::ZERO);
            screen.text("a\nb");
        });
        let last = text.rsplit(WIPE).next().unwrap();
        assert_eq!(last, "  ok  done (0.0 s)\n    a\n    b\n");
        assert!(text.split(WIPE).all(|line| line.len() <= WIDTH), "{text}");
        assert!(!text[..text.len() - last.len()].contains('\n'), "{text}");
    }
}
