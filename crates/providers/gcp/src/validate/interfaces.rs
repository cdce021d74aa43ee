//! Mistakes in the network interfaces.

use millwright_provider::FieldError;
use serde_json::Value;

use super::{entries, invalid, is_true, required, text};
use crate::rule_list;

pub(super) fn validate(spec: &Value, mistakes: &mut Vec<FieldError>) {
    for (index, interface) in entries(spec, "networkInterfaces") {
        let at = format!("providerSpec.networkInterfaces[{index}]");
        if text(interface, "network").is_empty() && text(interface, "subnetwork").is_empty() {
            let detail = "must name a network or a subnetwork";
            mistakes.push(required(rule_list::NETWORK_INTERFACE, at.clone(), detail));
        }
        let range = text(interface, "ipCidrRange");
        let field = format!("{at}.ipCidrRange");
        if !range.is_empty() && !is_mask(range) {
            let detail = format!("{range:?} must be a mask from /0 to /32, such as /24");
            mistakes.push(invalid(rule_list::ALIAS_RANGE, field, detail));
        } else if range.is_empty() && is_true(interface, "useAliasIPs") {
            let detail = "must be a mask such as /24 when useAliasIPs is true";
            mistakes.push(required(rule_list::ALIAS_RANGE, field, detail));
        }
    }
}

fn is_mask(range: &str) -> bool {
    let bits = range.strip_prefix('/').filter(|bits| bits.bytes().all(|byte| byte.is_ascii_digit()));
    bits.and_then(|bits| bits.parse::<u8>().ok()).is_some_and(|bits| bits <= 32)
}
