use super::*;

#[test]
fn hash_of_abc_is_known() {
    let hash = ContentHash::of_text("abc");
    let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hash.to_string(), digits);
    assert_eq!(ContentHash::read(digits), Some(hash));
    assert_eq!(format!("{hash:?}"), "Hash(ba7816bf8f01)");
}

#[test]
fn stored_form_is_the_digits() {
    let hash = ContentHash::of_text("abc");
    let json = serde_json::to_string(&hash).unwrap();
    assert_eq!(json, format!("\"{hash}\""));
    assert_eq!(serde_json::from_str::<ContentHash>(&json).unwrap(), hash);
    let mut by_bytes: Vec<_> = ["a", "b", "c", "d"].map(ContentHash::of_text).to_vec();
    by_bytes.sort_unstable();
    assert!(by_bytes.is_sorted_by_key(ContentHash::to_string), "in the order of the rows' keys");
}

#[test]
fn damaged_address_points_to_nothing() {
    let upper = ContentHash::of_text("abc").to_string().to_uppercase();
    let stored = ["", "nowhere", &upper, &"0".repeat(63), &"0".repeat(65), &"é".repeat(32)];
    for text in stored {
        assert_eq!(ContentHash::read(text), None, "{text}");
        let json = serde_json::to_string(text).unwrap();
        let read: ContentHash = serde_json::from_str(&json).unwrap();
        assert_ne!(read, ContentHash::of_text(text));
        assert_eq!(read, serde_json::from_str(&json).unwrap(), "the same text, the same address");
    }
    assert!(serde_json::from_str::<ContentHash>("7").is_err());
}

#[test]
fn canonical_json_ignores_key_order() {
    let one: serde_json::Value = serde_json::from_str(r#"{"b":[1,{"d":0,"c":null}],"a":"x\n"}"#).unwrap();
    let two: serde_json::Value = serde_json::from_str(r#"{"a":"x\n","b":[1,{"c":null,"d":0}]}"#).unwrap();
    assert_eq!(canonical_json(&one), r#"{"a":"x\n","b":[1,{"c":null,"d":0}]}"#);
    assert_eq!(ContentHash::of_json(&one), ContentHash::of_json(&two));
}
