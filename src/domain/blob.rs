//! Never decodes: bytes travel as the base64 text that browsers and providers speak.
//!
//! Owns bytes that the operator attaches to a message, before the ledger keeps them by their content address. The
//! address is that of the base64 text.

use crate::domain::hash::Hash;
use crate::domain::limits::ATTACHMENT_BYTES;
use crate::domain::part::{Part, PartBody};

/// Something that is attached to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBlob {
    /// The name that the operator knows it by.
    pub name: String,
    /// The media type, such as `image/png`.
    pub mime: String,
    /// The bytes as standard base64 with padding, without line breaks.
    pub base64: String,
}

impl NewBlob {
    /// The part that stands for it in a message; `None` where the text is no base64, empty, or of more than
    /// [`ATTACHMENT_BYTES`].
    pub fn part(&self) -> Option<Part> {
        let bytes = decoded_bytes(&self.base64)?;
        (bytes > 0 && bytes <= ATTACHMENT_BYTES).then(|| {
            let (name, mime) = (self.name.clone(), self.mime.clone());
            PartBody::Blob { hash: Hash::of_text(&self.base64), mime, name, bytes }.into()
        })
    }
}

/// Whether models can be shown blobs of this media type as pictures.
pub fn is_picture(mime: &str) -> bool {
    ["image/png", "image/jpeg", "image/webp", "image/gif", "image/heic", "image/heif"].contains(&mime)
}

/// The pictures among `parts`: their addresses, in order.
pub fn pictures_of(parts: &[Part]) -> impl Iterator<Item = &Hash> {
    blobs_of(parts).filter(|(_, mime)| is_picture(mime)).map(|(hash, _)| hash)
}

/// The blobs among `parts`: address and media type, in order.
pub fn blobs_of(parts: &[Part]) -> impl Iterator<Item = (&Hash, &str)> {
    parts.iter().filter_map(|part| match &part.body {
        PartBody::Blob { hash, mime, .. } => Some((hash, mime.as_str())),
        PartBody::Text { .. }
        | PartBody::Thinking { .. }
        | PartBody::Json { .. }
        | PartBody::ToolCall(_)
        | PartBody::ToolResult(_) => None,
    })
}

/// How many bytes a base64 text stands for; `None` where it is none.
fn decoded_bytes(base64: &str) -> Option<u64> {
    let digits = base64.trim_end_matches('=');
    let padding = base64.len() - digits.len();
    let fits = base64.len().is_multiple_of(4) && padding <= 2;
    let clean = digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    (fits && clean).then(|| u64::try_from(base64.len() / 4 * 3 - padding).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(base64: &str) -> Option<u64> {
        let blob = NewBlob { name: "a.png".into(), mime: "image/png".into(), base64: base64.into() };
        blob.part().map(|part| {
            let PartBody::Blob { bytes, .. } = part.body else { panic!("{part:?}") };
            bytes
        })
    }

    #[test]
    fn the_bytes_are_counted_without_decoding() {
        assert_eq!(bytes_of("YQ=="), Some(1));
        assert_eq!(bytes_of("YWI="), Some(2));
        assert_eq!(bytes_of("YWJj"), Some(3));
        assert_eq!(bytes_of("+/+/"), Some(3));
    }

    #[test]
    fn what_is_no_base64_is_no_part() {
        for text in ["", "====", "YQ", "Y===", "YW\nJj", "YQ==YQ==", "data:image/png;base64,YQ==", "ä==="] {
            assert_eq!(bytes_of(text), None, "{text}");
        }
        let large = "A".repeat(usize::try_from(ATTACHMENT_BYTES).unwrap() / 3 * 4 + 8);
        assert_eq!(bytes_of(&large), None);
    }

    #[test]
    fn only_what_models_can_look_at_is_a_picture() {
        assert!(is_picture("image/png") && is_picture("image/webp"));
        assert!(!is_picture("image/svg+xml") && !is_picture("text/plain"));
    }
}
