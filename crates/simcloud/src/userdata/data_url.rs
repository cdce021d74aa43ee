//! Data URLs (RFC 2397), percent-encoded or base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The bytes in a data URL; the error says what is wrong with it.
pub(super) fn decode(url: &str) -> Result<Vec<u8>, String> {
    let rest =
        url.strip_prefix("data:").ok_or("source is not a data: URL; nothing is fetched from elsewhere")?;
    let (media_type, data) = rest.split_once(',').ok_or("the data: URL has no comma")?;
    let bytes = unescape(data)?;
    if media_type.ends_with(";base64") {
        return STANDARD.decode(bytes).map_err(|error| format!("the data: URL is not base64: {error}"));
    }
    Ok(bytes)
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (digit(rest.next()), digit(rest.next())) {
            (Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits are one byte"));
            }
            _ => return Err("the data: URL has a % without two hexadecimal digits".to_owned()),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read() {
        assert_eq!(decode("data:,a%20b%0a").unwrap(), b"a b\n");
        assert_eq!(decode("data:;base64,YSBi").unwrap(), b"a b");
        assert_eq!(decode("data:text/plain;charset=utf-8;base64,YSBi").unwrap(), b"a b");
        assert_eq!(decode("data:,").unwrap(), b"");
    }

    #[test]
    fn what_is_not_a_data_url_says_why() {
        for (url, expected) in [
            ("https://example.com", "not a data: URL"),
            ("data:oops", "no comma"),
            ("data:,%4", "%"),
            ("data:,%zz", "%"),
            ("data:;base64,***", "not base64"),
        ] {
            let error = decode(url).unwrap_err();
            assert!(error.contains(expected), "{url} gives {error}");
        }
    }
}
