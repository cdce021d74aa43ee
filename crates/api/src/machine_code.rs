//! The 18 machine codes in which every provider reports what went wrong, and their text form, which
//! is part of the API: other programs parse it out of `lastOperation.description`.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal,)+) => {
        /// A machine code, numbered as gRPC numbers its codes, plus `Uninitialized`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum MachineCode {
            $($(#[doc = $doc])+ $name = $number,)+
        }

        impl MachineCode {
            /// All codes by ascending number.
            pub const ALL: [Self; 18] = [$(Self::$name,)+];

            /// The name that `lastOperation.errorCode` carries.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => spelled(stringify!($name)),)+
                }
            }

            /// The code of a name; names that nobody defined mean `Unknown`.
            #[must_use]
            pub fn from_name(name: &str) -> Self {
                match name {
                    "OK" => Self::Ok,
                    $(stringify!($name) => Self::$name,)+
                    _ => Self::Unknown,
                }
            }
        }
    };
}

/// Go spells this one code in capitals.
const fn spelled(name: &'static str) -> &'static str {
    if name.len() == 2 { "OK" } else { name }
}

codes! {
    /// No error.
    Ok = 0,
    /// The call was cancelled by the caller.
    Canceled = 1,
    /// An error that nothing more is known of.
    Unknown = 2,
    /// The request can not work, whatever the state of the cloud.
    InvalidArgument = 3,
    /// No answer in time; the call may have had its effect.
    DeadlineExceeded = 4,
    /// There is no such VM.
    NotFound = 5,
    /// Something else already has that name.
    AlreadyExists = 6,
    /// The credentials are good but not allowed to do this.
    PermissionDenied = 7,
    /// A quota is used up or the cloud has no capacity.
    ResourceExhausted = 8,
    /// The cloud is not in a state in which this can be done.
    FailedPrecondition = 9,
    /// Given up because of a conflict; may be tried again.
    Aborted = 10,
    /// More than one VM answers to the name.
    OutOfRange = 11,
    /// The provider does not offer the call.
    Unimplemented = 12,
    /// The provider or the cloud is broken.
    Internal = 13,
    /// The cloud can not be reached or asks to wait; may be tried again.
    Unavailable = 14,
    /// Data was lost.
    DataLoss = 15,
    /// The credentials are missing or refused.
    Unauthenticated = 16,
    /// The VM exists, its post-creation steps are not done.
    Uninitialized = 17,
}

impl MachineCode {
    /// The text form of an error: `machine codes error: code = [X] message = [Y]`.
    #[must_use]
    pub fn to_text(self, message: &str) -> String {
        format!("machine codes error: code = [{}] message = [{message}]", self.name())
    }
}

impl fmt::Display for MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A code and its message, read back from text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCode {
    /// The code; `Unknown` for a name that nobody defined.
    pub code: MachineCode,
    /// The message between the second brackets, nested brackets included.
    pub message: String,
}

impl ParsedCode {
    /// Reads the text form, wherever it stands in `text`. Brackets inside the message survive, also unbalanced ones.
    #[must_use]
    pub fn find_in(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("code = [")?;
        let (name, rest) = rest.split_once("] message = [")?;
        let message = rest.rsplit_once(']').map_or(rest, |(message, _)| message);
        Some(Self { code: MachineCode::from_name(name), message: message.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_its_text_form_with_brackets_in_the_message() {
        for code in MachineCode::ALL {
            for message in ["quota used up", "vm [a] in [b]", "unbalanced ] here", "open [ here", ""] {
                let parsed =
                    ParsedCode::find_in(&format!("Cloud provider message - {}", code.to_text(message)));
                assert_eq!(parsed, Some(ParsedCode { code, message: message.into() }));
            }
        }
    }

    #[test]
    fn codes_keep_their_numbers() {
        assert_eq!(MachineCode::ResourceExhausted as i32, 8);
        assert_eq!(MachineCode::Uninitialized as i32, 17);
        assert!(MachineCode::ALL.iter().enumerate().all(|(number, code)| *code as usize == number));
    }

    #[test]
    fn the_code_of_no_error_is_spelled_in_capitals() {
        assert_eq!(MachineCode::Ok.name(), "OK");
        assert_eq!(MachineCode::from_name("OK"), MachineCode::Ok);
    }

    #[test]
    fn an_undefined_name_means_unknown() {
        assert_eq!(MachineCode::from_name("Frobnicated"), MachineCode::Unknown);
    }
}
