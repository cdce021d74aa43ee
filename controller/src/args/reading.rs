//! Reads a flag's text. The error says what is allowed, and nothing else.

use std::str::FromStr;
use std::time::Duration;

use millwright_api::GoDuration;

/// A duration as Go writes them, zero or more.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    GoDuration(text.to_owned())
        .parse()
        .map_err(|_| "write zero or more, with a unit (ns, us, ms, s, m or h), as in 90s or 1h30m".to_owned())
}

/// A duration of more than zero.
pub(super) fn some_time(text: &str) -> Result<Duration, String> {
    duration(text)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "write more than zero, with a unit (ms, s, m or h), as in 90s or 1h30m".to_owned())
}

/// A whole number as far as Go's 32 bits go.
pub(super) fn whole_from<N>(least: i32) -> impl FnOnce(&str) -> Result<N, String>
where
    N: TryFrom<i32>,
{
    move |text| {
        let number = text.parse().ok().filter(|number: &i32| *number >= least);
        number
            .and_then(|number| N::try_from(number).ok())
            .ok_or_else(|| format!("write a whole number from {least} to {}", i32::MAX))
    }
}

/// Yes or no, in all the ways Go takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

pub(super) fn switch(text: &str) -> Result<Switch, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Switch::On),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Switch::Off),
        _ => Err("write true or false".to_owned()),
    }
}

/// Whatever has a reader of its own, with what is allowed said here.
pub(super) fn parsed<T: FromStr>(allowed: &'static str) -> impl FnOnce(&str) -> Result<T, String> {
    move |text| text.parse().map_err(|_| allowed.to_owned())
}

/// The entries of a comma list, without blanks around them.
pub(super) fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_read_as_go_reads_them() {
        for on in ["1", "t", "T", "true", "TRUE", "True"] {
            assert_eq!(switch(on), Ok(Switch::On), "{on}");
        }
        for off in ["0", "f", "F", "false", "FALSE", "False"] {
            assert_eq!(switch(off), Ok(Switch::Off), "{off}");
        }
        for neither in ["", "yes", "no", "tRUE", "on"] {
            assert!(switch(neither).is_err(), "{neither:?}");
        }
    }

    #[test]
    fn whole_numbers_keep_their_bounds() {
        assert_eq!(whole_from::<u32>(0)("0"), Ok(0));
        assert_eq!(whole_from::<u32>(0)("2147483647"), Ok(2_147_483_647));
        for bad in ["-1", "2147483648", "1.5", "", "many"] {
            assert!(whole_from::<u32>(0)(bad).is_err(), "{bad:?}");
        }
        assert!(whole_from::<usize>(1)("0").is_err());
    }

    #[test]
    fn blanks_and_empty_entries_of_a_list_do_not_count() {
        assert_eq!(entries(" a , b,,c, ").collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
