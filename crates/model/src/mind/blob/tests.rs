use super::*;
use proptest::prelude::*;

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
            let text = image_text(&bytes).unwrap();
            let image = ImageFile::of(&text).unwrap();
            assert_eq!((image.mime, image.bytes()), (mime, bytes.len() as u64));
            assert!(image.is_sound());
            assert_eq!(disk_bytes(&text), bytes);
        }
    }
    assert_eq!(image_text(b"<svg/>"), None);
    assert_eq!(image_text(b""), None);
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
        assert_eq!(&*shown_text(&Arc::from(text)), text);
    }
    let broken = ImageFile::of("data:image/png;base64,Y?==").unwrap();
    assert!(!broken.is_sound());
    assert_eq!(&*shown_text(&Arc::from("data:image/png;base64,YWI=")), "image/png, 2 bytes (37ca2d49)\n");
}

proptest! {
    #[test]
    fn base64_round_trips(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let text = base64_of(&bytes);
        prop_assert_eq!(&text, &nexus_text::testing::base64(&bytes, false));
        prop_assert_eq!(bytes_of(&text), Some(bytes));
    }
}
