//! Images as files of a session: the text of such a file is a data URL.
//!
//! So images are stored, sent, merged and exported like texts, always whole. The URL is never shown: people see the
//! image, models its name, type and size.

use std::sync::Arc;

use crate::limits::IMAGE_BYTES;
use crate::mind::blob::{base64_of, bytes_of, decoded_bytes, is_shown};
use nexus_text::content_hash::ContentHash;

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

    /// Size in bytes.
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

/// The file text for the bytes of an image; `None` if browsers cannot display it.
pub fn text_of(bytes: &[u8]) -> Option<String> {
    let mime = match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => "image/avif",
        _ => return None,
    };
    Some(format!("data:{mime};base64,{}", base64_of(bytes)))
}

/// The bytes of a file on disk: of the image, or of the text.
pub fn disk_bytes(text: &str) -> Vec<u8> {
    let image = ImageFile::of(text).and_then(|image| bytes_of(image.base64));
    image.unwrap_or_else(|| text.as_bytes().to_vec())
}

/// A line of text that replaces an image in diffs: type, size, and part of its hash.
pub fn in_words(text: &str) -> Option<String> {
    let image = ImageFile::of(text)?;
    let hash = ContentHash::of_text(text).to_string();
    Some(format!("{} ({})\n", image.about(), hash.chars().take(8).collect::<String>()))
}

/// The text of a file for display by lines.
pub fn shown(text: &Arc<str>) -> Arc<str> {
    in_words(text).map_or_else(|| Arc::clone(text), Arc::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn image_is_detected_by_its_bytes_and_round_trips() {
        let heads: [(&[u8], &str); 5] = [
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\0\0\0\0WEBP", "image/webp"),
            (b"\0\0\0\x20ftypavif", "image/avif"),
        ];
        for (head, mime) in heads {
            for more in 0..4usize {
                let bytes = [head, vec![7; more].as_slice()].concat();
                let text = text_of(&bytes).unwrap();
                let image = ImageFile::of(&text).unwrap();
                assert_eq!((image.mime, image.bytes()), (mime, bytes.len() as u64));
                assert!(image.is_sound());
                assert_eq!(disk_bytes(&text), bytes);
            }
        }
        assert_eq!(text_of(b"<svg/>"), None);
        assert_eq!(text_of(b""), None);
    }

    #[test]
    fn other_text_is_not_an_image() {
        for text in [
            "",
            "data:",
            "data:text/plain;base64,YQ==",
            "data:image/svg+xml;base64,YQ==",
            "data:image/png;base64,",
            "data:image/png;base64,YQ==\nmore",
            " data:image/png;base64,YQ==",
        ] {
            assert_eq!(ImageFile::of(text), None, "{text}");
            assert_eq!(disk_bytes(text), text.as_bytes());
            assert_eq!(&*shown(&Arc::from(text)), text);
        }
        let broken = ImageFile::of("data:image/png;base64,Y?==").unwrap();
        assert!(!broken.is_sound());
        assert_eq!(&*shown(&Arc::from("data:image/png;base64,YWI=")), "image/png, 2 bytes (37ca2d49)\n");
    }

    proptest! {
        #[test]
        fn base64_round_trips(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = base64_of(&bytes);
            prop_assert_eq!(&text, &nexus_text::testing::base64(&bytes, false));
            prop_assert_eq!(bytes_of(&text), Some(bytes));
        }
    }
}
