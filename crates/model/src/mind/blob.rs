//! Attachments as base64, and queries over the blobs in a message.
//!
//! A blob's content address is the hash of its base64 text, the form that browsers and providers use.

use crate::limits::ATTACHMENT_BYTES;
use crate::message::content::{MessagePart, PartBody};
use nexus_text::content_hash::ContentHash;

/// An attachment of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBlob {
    /// The file name.
    pub name: String,
    /// For example `image/png`.
    pub mime: String,
    /// Standard base64 with padding, without line breaks.
    pub base64: String,
}

impl NewBlob {
    /// The message part for it; `None` if the base64 is invalid, empty, or longer than [`ATTACHMENT_BYTES`].
    pub fn part(&self) -> Option<MessagePart> {
        let bytes = decoded_bytes(&self.base64)?;
        (bytes > 0 && bytes <= ATTACHMENT_BYTES).then(|| {
            let (name, mime) = (self.name.clone(), self.mime.clone());
            PartBody::Blob { hash: ContentHash::of_text(&self.base64), mime, name, bytes }.into()
        })
    }
}

/// True if models accept this media type as an image.
pub fn is_picture(mime: &str) -> bool {
    ["image/png", "image/jpeg", "image/webp", "image/gif", "image/heic", "image/heif"].contains(&mime)
}

/// True for documents that models read page by page, if their protocol supports it.
pub fn is_document(mime: &str) -> bool {
    mime == "application/pdf"
}

/// True if browsers display this media type. Not the same set as [`is_picture`].
pub fn is_shown(mime: &str) -> bool {
    ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"].contains(&mime)
}

/// The blobs among `parts`: hash and media type, in order.
pub fn blobs_of(parts: &[MessagePart]) -> impl Iterator<Item = (&ContentHash, &str)> {
    parts.iter().filter_map(|part| {
        let PartBody::Blob { hash, mime, .. } = &part.body else { return None };
        Some((hash, mime.as_str()))
    })
}

/// Decodes base64; `None` if it is invalid.
pub fn bytes_of(base64: &str) -> Option<Vec<u8>> {
    let count = usize::try_from(decoded_bytes(base64)?).ok()?;
    let mut bytes = Vec::with_capacity(count);
    let (mut buffer, mut bits) = (0u32, 0u32);
    for digit in base64.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        buffer = (buffer << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).unwrap_or_default());
            buffer &= (1 << bits) - 1;
        }
    }
    Some(bytes)
}

/// Encodes standard base64 with padding.
pub fn base64_of(bytes: &[u8]) -> String {
    let digit = |value: u32| match u8::try_from(value & 63).unwrap_or_default() {
        value @ 0..=25 => b'A' + value,
        value @ 26..=51 => b'a' + value - 26,
        value @ 52..=61 => b'0' + value - 52,
        62 => b'+',
        _ => b'/',
    };
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let value =
            (0..3).fold(0u32, |value, at| value << 8 | u32::from(three.get(at).copied().unwrap_or_default()));
        for place in 0..4usize {
            text.push(if place <= three.len() { char::from(digit(value >> (18 - 6 * place))) } else { '=' });
        }
    }
    text
}

/// The decoded length of a base64 text; `None` if it is invalid.
pub(crate) fn decoded_bytes(base64: &str) -> Option<u64> {
    let digits = base64.trim_end_matches('=');
    let padding = base64.len() - digits.len();
    let fits = base64.len().is_multiple_of(4) && padding <= 2;
    let clean = digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    (fits && clean).then(|| u64::try_from(base64.len() / 4 * 3 - padding).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_of(base64: &str) -> Option<u64> {
        let blob = NewBlob { name: "a.png".into(), mime: "image/png".into(), base64: base64.into() };
        blob.part().map(|part| {
            let PartBody::Blob { bytes, .. } = part.body else { panic!("{part:?}") };
            bytes
        })
    }

    #[test]
    fn decoded_length_is_computed_without_decoding() {
        assert_eq!(count_of("YQ=="), Some(1));
        assert_eq!(count_of("YWI="), Some(2));
        assert_eq!(count_of("YWJj"), Some(3));
        assert_eq!(count_of("+/+/"), Some(3));
    }

    #[test]
    fn base64_is_decoded() {
        assert_eq!(bytes_of("aGVsbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(bytes_of("+/+/AP8=").as_deref(), Some(&[0xfb, 0xff, 0xbf, 0x00, 0xff][..]));
        assert_eq!((bytes_of(""), bytes_of("YQ")), (Some(Vec::new()), None));
        for text in ["YQ==", "YWI=", "YWJj", "AAAAAA=="] {
            assert_eq!(u64::try_from(bytes_of(text).unwrap().len()).ok(), count_of(text), "{text}");
        }
    }

    #[test]
    fn invalid_base64_gives_no_part() {
        for text in ["", "====", "YQ", "Y===", "YW\nJj", "YQ==YQ==", "data:image/png;base64,YQ==", "ä==="] {
            assert_eq!(count_of(text), None, "{text}");
        }
        let large = "A".repeat(usize::try_from(ATTACHMENT_BYTES).unwrap() / 3 * 4 + 8);
        assert_eq!(count_of(&large), None);
    }

    #[test]
    fn pictures_are_the_image_types_of_models() {
        assert!(is_picture("image/png") && is_picture("image/webp"));
        assert!(!is_picture("image/svg+xml") && !is_picture("text/plain"));
        // Browsers support a different set.
        assert!(is_shown("image/avif") && !is_picture("image/avif"));
        assert!(!is_shown("image/heic") && !is_shown("image/svg+xml"));
    }
}
