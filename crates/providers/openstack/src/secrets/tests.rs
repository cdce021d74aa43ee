//! Which keys go together, and that no value is ever repeated.

use std::collections::BTreeMap;

use super::*;

const PEM: &str = "-----BEGIN CERTIFICATE-----\nhush\n-----END CERTIFICATE-----";

fn credentials(pairs: &[(&str, &str)]) -> Credentials {
    let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.as_bytes().to_vec()));
    Credentials::merge([pairs.collect::<BTreeMap<_, _>>()])
}

fn fields(pairs: &[(&str, &str)]) -> Vec<String> {
    let mut pairs = pairs.to_vec();
    pairs.push(("userData", "#cloud-config"));
    if !pairs.iter().any(|(key, _)| *key == AUTH_URL) {
        pairs.push((AUTH_URL, "https://hush.example.com:5000/v3"));
    }
    let mistakes = validate(&credentials(&pairs));
    assert!(!format!("{mistakes:?}").contains("hush"), "{mistakes:?}");
    mistakes.into_iter().map(|mistake| mistake.field).collect()
}

const USER: [(&str, &str); 4] =
    [(USERNAME, "hush"), (PASSWORD, "hush"), (DOMAIN_NAME, "d"), (TENANT_NAME, "t")];

#[test]
fn each_way_to_say_who_calls_is_taken() {
    let none: [&str; 0] = [];
    assert_eq!(fields(&USER), none);
    let by_id =
        [(USERNAME, "u"), (PASSWORD, "hush"), (DOMAIN_ID, "d"), (TENANT_ID, "t"), (USER_DOMAIN_ID, "e")];
    assert_eq!(fields(&by_id), none);
    assert_eq!(fields(&[(APP_ID, "i"), (APP_SECRET, "hush")]), none);
    let by_name = [(APP_NAME, "n"), (APP_SECRET, "hush"), (USERNAME, "u"), (USER_DOMAIN_NAME, "d")];
    assert_eq!(fields(&by_name), none);
}

#[test]
fn what_is_missing_or_too_much_is_named() {
    assert_eq!(fields(&[]), [USERNAME, PASSWORD, DOMAIN_NAME, TENANT_NAME]);
    assert_eq!(fields(&[(APP_ID, "i")]), [APP_SECRET]);
    assert_eq!(fields(&[(APP_SECRET, "hush")]), [APP_ID]);
    assert_eq!(fields(&[(APP_NAME, "n"), (APP_SECRET, "hush")]), [USERNAME, DOMAIN_NAME]);
    assert_eq!(fields(&[(APP_ID, "i"), (APP_SECRET, "hush"), (PASSWORD, "hush")]), [PASSWORD]);
    assert_eq!(fields(&[&USER[..], &[(AUTH_URL, " ")]].concat()), [AUTH_URL]);
    assert_eq!(fields(&[&USER[..], &[(CLIENT_CERT, PEM)]].concat()), [CLIENT_KEY]);
    assert_eq!(fields(&[&USER[..], &[(CA_CERT, "hush")]].concat()), [CA_CERT]);
    assert_eq!(fields(&[&USER[..], &[(INSECURE, "True")]].concat()), [INSECURE]);
    assert_eq!(fields(&[&USER[..], &[(TENANT_ID, "a\nhush")]].concat()), [TENANT_ID]);
}

#[test]
fn an_address_of_keystone_is_read_with_and_without_its_version() {
    for text in
        ["https://k.example.com:5000", "https://k.example.com:5000/", "https://k.example.com:5000/v3/"]
    {
        assert_eq!(read_auth_url(text).unwrap(), "https://k.example.com:5000");
    }
    assert_eq!(read_auth_url("http://h/identity/v3").unwrap(), "http://h/identity");
    for text in ["k.example.com", "ftp://h", "https://u:hush@h/v3", "https://h/v3?x=y", ""] {
        assert!(!read_auth_url(text).unwrap_err().contains("hush"));
    }
}

#[test]
fn user_data_is_bounded_by_what_nova_takes() {
    assert_eq!(USER_DATA_LIMIT.div_ceil(3) * 4, 65532);
    let long = "x".repeat(USER_DATA_LIMIT + 1);
    let mut pairs = USER.to_vec();
    pairs.extend([(AUTH_URL, "https://h"), (UserData::SECRET_KEY, long.as_str())]);
    let mistakes = validate(&credentials(&pairs));
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    assert!(mistakes[0].detail.contains("49149"), "{mistakes:?}");
}
