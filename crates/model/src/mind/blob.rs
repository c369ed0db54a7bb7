//! Attachments as base64, queries over the blobs in a message, and images as files of a session.
//!
//! A blob's content address is the hash of its base64 text, the form that browsers and providers use. The text of an
//! image file is a data URL, so images are stored, sent, merged and exported like texts, always whole. The URL is
//! never shown: people see the image, models its name, type and size.

use std::sync::Arc;

use crate::limits::{ATTACHMENT_BYTES, IMAGE_BYTES};
use crate::message::content::{MessagePart, PartBody};
use nexus_text::content_hash::ContentHash;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBlob {
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
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |value: u32| {
        let place = usize::try_from(value & 63).unwrap_or_default();
        char::from(DIGITS.get(place).copied().unwrap_or_default())
    };
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let value =
            (0..3).fold(0u32, |value, at| value << 8 | u32::from(three.get(at).copied().unwrap_or_default()));
        for place in 0..4usize {
            text.push(if place <= three.len() { digit(value >> (18 - 6 * place)) } else { '=' });
        }
    }
    text
}

/// The decoded length of a base64 text; `None` if it is invalid.
fn decoded_bytes(base64: &str) -> Option<u64> {
    let digits = base64.trim_end_matches('=');
    let padding = base64.len() - digits.len();
    let fits = base64.len().is_multiple_of(4) && padding <= 2;
    let clean = digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    (fits && clean).then(|| u64::try_from(base64.len() / 4 * 3 - padding).unwrap_or(u64::MAX))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageFile<'t> {
    pub mime: &'t str,
    pub base64: &'t str,
}

impl<'t> ImageFile<'t> {
    /// Parses a file's text as an image; `None` for any other text.
    pub fn of(text: &'t str) -> Option<Self> {
        let (mime, base64) = text.strip_prefix("data:")?.split_once(";base64,")?;
        let base64 = base64.trim_end();
        // One character at a time: the standard library compares many bytes at once for one, not for several.
        let has_space = base64.contains('\n') || base64.contains(' ');
        let is_image = is_shown(mime) && !base64.is_empty() && !has_space;
        is_image.then_some(Self { mime, base64 })
    }

    pub fn bytes(&self) -> u64 {
        let padding = self.base64.len() - self.base64.trim_end_matches('=').len();
        u64::try_from((self.base64.len() / 4 * 3).saturating_sub(padding)).unwrap_or(u64::MAX)
    }

    /// True if it is valid base64 of at most [`IMAGE_BYTES`].
    pub fn is_sound(&self) -> bool {
        decoded_bytes(self.base64).is_some_and(|bytes| bytes > 0 && bytes <= IMAGE_BYTES)
    }

    pub fn about(&self) -> String {
        format!("{}, {} bytes", self.mime, self.bytes())
    }
}

/// The media type of a shown image or a document, by its first bytes, whatever its name says.
pub fn attachment_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => Some("image/avif"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        _ => None,
    }
}

/// The file text for the bytes of an image; `None` if browsers cannot display it.
pub fn image_text(bytes: &[u8]) -> Option<String> {
    let mime = attachment_type(bytes).filter(|mime| is_shown(mime))?;
    Some(format!("data:{mime};base64,{}", base64_of(bytes)))
}

pub fn disk_bytes(text: &str) -> Vec<u8> {
    let image = ImageFile::of(text).and_then(|image| bytes_of(image.base64));
    image.unwrap_or_else(|| text.as_bytes().to_vec())
}

/// The text of a file for display by lines; of an image a line with its type, its size and part of its hash.
pub fn shown_text(text: &Arc<str>) -> Arc<str> {
    let Some(image) = ImageFile::of(text) else { return Arc::clone(text) };
    let hash = ContentHash::of_text(text).to_string();
    Arc::from(format!("{} ({})\n", image.about(), hash.chars().take(8).collect::<String>()))
}

#[cfg(test)]
mod tests;
