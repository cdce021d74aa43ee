//! Colours of a terminal.

/// Whether what is printed has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// It goes to a file or another program.
    Plain,
    /// It goes to a terminal.
    Coloured,
}

impl Paint {
    /// The text in a colour, by its number among the terminal's.
    pub(crate) fn with(self, colour: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\u{1b}[{colour}m{text}\u{1b}[0m"),
        }
    }
}
