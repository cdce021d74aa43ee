//! Why a text is no maintenance window.

use std::fmt;

/// What is wrong with it, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowError {
    /// Nothing is written.
    Empty,
    /// More windows than anybody needs.
    TooMany {
        /// How many may be.
        most: usize,
    },
    /// Not five fields, `for`, a length and perhaps `in` and a zone.
    Shape {
        /// The window.
        window: String,
    },
    /// One of the five fields can not be read.
    Calendar {
        /// The five fields.
        fields: String,
        /// What is wrong with them.
        reason: String,
    },
    /// The fields name no day that ever comes.
    Never {
        /// The five fields.
        fields: String,
    },
    /// The length is no duration, or too short or too long.
    Length {
        /// The length.
        length: String,
    },
    /// No such time zone.
    Zone {
        /// Its name.
        zone: String,
    },
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str(
                "there is no window; write one such as \"0 22 * * SAT for 4h in Europe/Berlin\", or always",
            ),
            Self::TooMany { most } => write!(f, "there are too many windows; write at most {most}"),
            Self::Shape { window } => write!(
                f,
                "{window:?} is no window; write minute, hour, day of month, month and day of week, then for and a \
                 length, then in and a time zone where it is not UTC, as in \"0 22 * * SAT for 4h in Europe/Berlin\"; \
                 separate several by |"
            ),
            Self::Calendar { fields, reason } => write!(
                f,
                "the calendar {fields:?} can't be read: {reason}; write minute (0-59), hour (0-23), day of month (1-31), \
                 month (1-12, JAN-DEC) and day of week (0-7, SUN-SAT) as in crontab"
            ),
            Self::Never { fields } => {
                write!(f, "the calendar {fields:?} names no day that comes within four years")
            }
            Self::Length { length } => {
                write!(f, "{length:?} can't be a window's length; write 1m to 744h, such as 90m or 4h")
            }
            Self::Zone { zone } => write!(
                f,
                "there is no time zone {zone:?}; write a name of the tz database such as Europe/Berlin or UTC"
            ),
        }
    }
}

impl std::error::Error for WindowError {}
