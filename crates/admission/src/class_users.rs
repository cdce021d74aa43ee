//! Who names a class, in words for messages.

use crate::Kind;
use crate::facts::{ClassUser, Standing};

/// Users that are named.
const NAMED: usize = 5;

/// The machines among them; none when there is none.
pub(crate) fn machines(users: &[ClassUser]) -> Option<String> {
    told(users.iter().filter(|user| user.kind == Kind::Machine))
}

/// Those that stay; none when all are on their way out.
pub(crate) fn staying(users: &[ClassUser]) -> Option<String> {
    told(users.iter().filter(|user| user.standing == Standing::There))
}

fn told<'a>(users: impl Iterator<Item = &'a ClassUser>) -> Option<String> {
    let mut named = Vec::new();
    let mut more = 0;
    for user in users {
        if named.len() < NAMED {
            named.push(format!("{} {:?}", user.kind.as_str(), user.name));
        } else {
            more += 1;
        }
    }
    if named.is_empty() {
        return None;
    }
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(format!("{}{more}", named.join(", ")))
}
