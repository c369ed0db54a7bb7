//! Content hashes: `integrity` attributes, and short ones for file names.

use sha2::{Digest, Sha384};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of an `integrity` attribute.
pub(crate) fn integrity(bytes: &[u8]) -> String {
    format!("sha384-{}", base64(&Sha384::digest(bytes)))
}

/// The first sixteen hexadecimal digits: enough to tell builds apart.
pub(crate) fn short(bytes: &[u8]) -> String {
    hex(&Sha384::digest(bytes)).chars().take(16).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let group = (0..3)
            .fold(0_usize, |group, place| group << 8 | usize::from(three.get(place).copied().unwrap_or(0)));
        for place in 0..4 {
            let digit = ALPHABET.get(group >> (18 - 6 * place) & 63).copied().unwrap_or(b'=');
            text.push(if place > three.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_the_test_vectors_of_rfc_4648() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn integrity_matches_the_browser_s() {
        assert_eq!(
            integrity(b"alert('Hello, world.');"),
            "sha384-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T62em8MUt1FLm52t+eX6xO"
        );
    }
}
