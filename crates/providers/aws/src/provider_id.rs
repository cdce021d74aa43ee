//! Provider ids: `aws:///REGION/i-…` as Gardener writes them, `aws:///ZONE/i-…` as the cloud controller and Kubermatic do. Both
//! are understood; the one to compare is the first.

use millwright_api::MachineCode;
use millwright_provider::ProviderError;

pub(crate) const SCHEME: &str = "aws://";

/// The instance's own id inside a provider id, which must be of that region: nobody there knows others, and a VM that is unknown
/// there is not gone for that.
#[cfg(feature = "client")]
pub(crate) fn instance_in<'a>(provider_id: &'a str, region: &str) -> Result<&'a str, ProviderError> {
    let (place, id) = parts(provider_id)?;
    if region_of(place) == region_of(region) {
        return Ok(id);
    }
    let message =
        format!("provider id {provider_id:?} names a VM outside of {region}, the region of the class");
    Err(ProviderError::new(MachineCode::InvalidArgument, message))
}

/// The spelling to compare: with the region.
pub(crate) fn canonical(provider_id: &str) -> Result<String, ProviderError> {
    parts(provider_id).map(|(place, id)| of(region_of(place), id))
}

/// The id of an instance with a region or a zone.
pub(crate) fn of(place: &str, instance_id: &str) -> String {
    format!("{SCHEME}/{place}/{instance_id}")
}

/// The region of a zone (`eu-west-1a`, `us-west-2-lax-1a`), or of a region: all up to the first number.
fn region_of(place: &str) -> &str {
    let mut end = 0;
    for segment in place.split('-') {
        let digits = segment.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            return &place[..end + digits];
        }
        end += segment.len() + 1;
    }
    place
}

fn parts(provider_id: &str) -> Result<(&str, &str), ProviderError> {
    let rest = provider_id.strip_prefix(SCHEME).map(|rest| rest.trim_start_matches('/'));
    let is_place = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let is_instance = |text: &str| {
        text.strip_prefix("i-")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    match rest.and_then(|rest| rest.rsplit_once('/')) {
        Some((place, id)) if is_place(place) && is_instance(id) => Ok((place, id)),
        _ => Err(ProviderError::new(
            MachineCode::InvalidArgument,
            format!("provider id {provider_id:?} is not of AWS; its ids are aws:///<region or zone>/i-<id>"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn region_and_zone_name_the_same_instance() {
        for (id, same) in [
            ("aws:///eu-west-1/i-0abc", "aws:///eu-west-1/i-0abc"),
            ("aws:///eu-west-1a/i-0abc", "aws:///eu-west-1/i-0abc"),
            ("aws://eu-west-1a/i-0abc", "aws:///eu-west-1/i-0abc"),
            ("aws:///us-west-2-lax-1a/i-0abc", "aws:///us-west-2/i-0abc"),
            ("aws:///us-gov-west-1b/i-0abc", "aws:///us-gov-west-1/i-0abc"),
            ("aws:///us-east-1-wl1-bos-wlz-1/i-0abc", "aws:///us-east-1/i-0abc"),
            ("aws:///private/i-0abc", "aws:///private/i-0abc"),
        ] {
            assert_eq!(canonical(id).expect(id), same);
            #[cfg(feature = "client")]
            assert_eq!(
                instance_in(id, &same["aws:///".len()..same.len() - "/i-0abc".len()]).expect(id),
                "i-0abc"
            );
        }
    }

    #[cfg(feature = "client")]
    #[test]
    fn a_vm_of_another_region_is_not_taken_for_one_that_is_gone() {
        for id in ["aws:///eu-west-2/i-0abc", "aws:///eu-west-2a/i-0abc", "aws:///us-gov-west-1a/i-0abc"] {
            let refused = instance_in(id, "eu-west-1").expect_err(id);
            assert_eq!(refused.code, MachineCode::InvalidArgument);
            assert!(refused.message.contains("outside of eu-west-1"), "{refused}");
        }
    }

    #[test]
    fn ids_of_others_are_refused() {
        for id in [
            "",
            "aws://",
            "aws:///i-1",
            "aws:///eu-west-1/",
            "aws:///eu-west-1/vol-1",
            "aws:///eu-west-1/i-",
            "aws:///eu-west-1/i-1?x",
            "aws:///eu/west/i-1",
            "gce://p/z/i-1",
            "local:///a/i-1",
        ] {
            assert_eq!(canonical(id).expect_err(id).code, MachineCode::InvalidArgument);
        }
    }
}
