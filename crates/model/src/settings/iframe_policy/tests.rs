use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The fields of a message, as the browser adapter extracts them.
fn shape(message: &Value) -> EmbedMessage {
    let field = |name: &str, most: usize| match message.get(name) {
        None => FieldText::Absent,
        Some(Value::String(text)) if text.encode_utf16().count() > most => FieldText::Long,
        Some(Value::String(text)) => FieldText::Text(text.clone()),
        Some(_) => FieldText::Other,
    };
    EmbedMessage {
        nexus: message.get("nexus").and_then(Value::as_f64),
        draft: field("draft", EMBEDDED_BYTES),
        id: field("id", EMBEDDED_ID_BYTES),
        fields: message.as_object().map_or(0, serde_json::Map::len),
    }
}

fn of(message: Value) -> Result<DraftRequest, EmbedRejection> {
    read(shape(&message))
}

fn world(rows: &[(&str, Value)]) -> World {
    let mut world = World::default();
    for (name, value) in rows {
        world.settings.insert((*name).to_owned(), Arc::new(value.clone()));
    }
    world
}

#[test]
fn draft_is_parsed() {
    let read = of(json!({ "nexus": 1, "draft": " What is this?\r\n\tA line. \n" })).unwrap();
    assert_eq!(read, DraftRequest { text: "What is this?\n\tA line.".into(), id: None });
    let named = of(json!({ "nexus": 1, "draft": "Grüße 👩‍💻 שלום", "id": "a-1" })).unwrap();
    assert_eq!((named.text.as_str(), named.id.as_deref()), ("Grüße 👩‍💻 שלום", Some("a-1")));
}

#[test]
fn other_messages_are_rejected() {
    let long = "x".repeat(EMBEDDED_BYTES + 1);
    // Short in UTF-16 units, long in bytes.
    let wide = "世".repeat(EMBEDDED_BYTES / 2);
    for (message, why) in [
        (json!(null), EmbedRejection::Shape),
        (json!("draft"), EmbedRejection::Shape),
        (json!([1, "x"]), EmbedRejection::Shape),
        (json!({}), EmbedRejection::Shape),
        (json!({ "draft": "x" }), EmbedRejection::Shape),
        (json!({ "nexus": "1", "draft": "x" }), EmbedRejection::Shape),
        (json!({ "nexus": true, "draft": "x" }), EmbedRejection::Shape),
        (json!({ "nexus": 2, "draft": "x" }), EmbedRejection::Version),
        (json!({ "nexus": 1.5, "draft": "x" }), EmbedRejection::Version),
        (json!({ "nexus": 1 }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": null }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": ["x"] }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": { "text": "x" } }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": 1 }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": "x", "send": true }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": "x", "id": 1 }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": "x", "id": "" }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": "x", "id": "a b" }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": "x", "id": "x".repeat(EMBEDDED_ID_BYTES + 1) }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": "x", "id": "a", "more": 1 }), EmbedRejection::Shape),
        (json!({ "nexus": 1, "draft": "" }), EmbedRejection::Empty),
        (json!({ "nexus": 1, "draft": " \n\t " }), EmbedRejection::Empty),
        (json!({ "nexus": 1, "draft": long }), EmbedRejection::TooLong),
        (json!({ "nexus": 1, "draft": wide }), EmbedRejection::TooLong),
        (json!({ "nexus": 1, "draft": "a\u{0}b" }), EmbedRejection::Hidden),
        (json!({ "nexus": 1, "draft": "a\u{1b}[31mb" }), EmbedRejection::Hidden),
        (json!({ "nexus": 1, "draft": "a\rb" }), EmbedRejection::Hidden),
        (json!({ "nexus": 1, "draft": "a\u{85}b" }), EmbedRejection::Hidden),
        (json!({ "nexus": 1, "draft": "exe\u{202e}txt" }), EmbedRejection::Hidden),
        (json!({ "nexus": 1, "draft": "a\u{200b}b" }), EmbedRejection::Hidden),
        (json!({ "nexus": 1, "draft": "a\u{e0041}" }), EmbedRejection::Hidden),
    ] {
        assert_eq!(of(message.clone()), Err(why), "{message:.80}");
    }
}

#[test]
fn origin_must_be_exact_and_secure() {
    for (entered, origin) in [
        ("https://docs.example", "https://docs.example"),
        (" https://Docs.Example/ ", "https://docs.example"),
        ("docs.example", "https://docs.example"),
        ("https://docs.example:443", "https://docs.example"),
        ("https://docs.example:8443", "https://docs.example:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("http://[::1]:9000", "http://[::1]:9000"),
    ] {
        assert_eq!(exact_origin(entered).as_deref(), Ok(origin), "{entered}");
        assert_eq!(exact_origin(origin).as_deref(), Ok(origin), "{origin}");
    }
    for (entered, wrong) in [
        ("", EmbedderError::Address(AddressError::Empty)),
        ("*", EmbedderError::Address(AddressError::Host)),
        ("https://*.example", EmbedderError::Address(AddressError::Host)),
        ("null", EmbedderError::Address(AddressError::Host)),
        ("file:///a", EmbedderError::Address(AddressError::Scheme)),
        ("data:text/html,x", EmbedderError::Address(AddressError::Scheme)),
        ("https://docs.example/app", EmbedderError::Path),
        ("https://docs.example?x", EmbedderError::Address(AddressError::Query)),
        ("https://user@docs.example", EmbedderError::Address(AddressError::KeyInside)),
        ("http://docs.example", EmbedderError::NotSafe),
        ("http://192.168.1.5", EmbedderError::NotSafe),
        ("http://localhost.evil.example", EmbedderError::NotSafe),
    ] {
        let found = exact_origin(entered);
        // A name without a dot is a host of the local network, and gets `https`.
        if entered == "null" {
            assert_eq!(found.as_deref(), Ok("https://null"), "the origin `null` matches no page");
            continue;
        }
        assert_eq!(found, Err(wrong), "{entered}");
    }
}

#[test]
fn only_allowed_pages_may_place_drafts() {
    let rows = world(&[
        ("page/https://docs.example", json!(true)),
        ("page/https://late.example", json!(false)),
        ("page/https://gone.example", json!(null)),
        ("page/https://odd.example", json!("yes")),
        ("page/*", json!(true)),
        ("page/null", json!(true)),
        ("page/http://docs.example", json!(true)),
        ("page/https://docs.example/below", json!(true)),
    ]);
    assert_eq!(may_place(&rows, "https://docs.example"), Ok(()));
    assert_eq!(may_place(&rows, "https://late.example"), Err(EmbedRejection::Rests));
    for origin in [
        "https://gone.example",
        "https://odd.example",
        "https://other.example",
        "http://docs.example",
        "https://docs.example:8443",
        "https://docs.example.evil.example",
        "https://docs.example/below",
        "https://DOCS.example",
        "null",
        "*",
        "",
    ] {
        assert_eq!(may_place(&rows, origin), Err(EmbedRejection::NotAllowed), "{origin}");
    }
    assert_eq!(may_place(&World::default(), "https://docs.example"), Err(EmbedRejection::NotAllowed));
    assert_eq!(embedders(&rows).len(), 2);
}

#[test]
fn row_needs_exact_origin_and_their_number_is_limited() {
    let mut all = World::default();
    for number in 0..EMBEDDERS {
        let name = row(&format!("https://a{number}.example"));
        assert_eq!(check(&all, &name), Ok(()));
        all.settings.insert(name, Arc::new(json!(true)));
    }
    assert_eq!(check(&all, "page/https://new.example"), Err(EmbedderError::TooMany));
    assert_eq!(check(&all, "page/https://a0.example"), Ok(()), "existing rows can be changed");
    assert_eq!(check(&all, "theme"), Ok(()));
    assert_eq!(check(&World::default(), "page/https://a.example/"), Err(EmbedderError::Path));
    assert_eq!(check(&World::default(), "page/http://a.example"), Err(EmbedderError::NotSafe));
}

#[test]
fn drafts_are_limited_in_number() {
    let mut marks = String::new();
    for _ in 0..EMBEDDED_DRAFTS {
        marks = marked(&marks, "https://a.example").unwrap();
    }
    assert_eq!(marked(&marks, "https://a.example"), Err(EmbedRejection::Full));
    assert_eq!(crate::session::pages_in(&marks), ["https://a.example"]);
}

#[test]
fn flood_is_rate_limited_then_ignored_and_notified_once() {
    let mut limiter = EmbedRateLimiter::new(Millis(0));
    let admissions: Vec<_> = (0..1_000).map(|_| limiter.admit(Millis(5))).collect();
    let count = |wanted| admissions.iter().filter(|one| **one == wanted).count();
    assert_eq!(count(Admission::Process), usize::try_from(EMBEDDED_AT_ONCE).unwrap());
    assert_eq!(count(Admission::Drop), usize::try_from(EMBEDDED_FLOOD).unwrap() - 1);
    assert_eq!(admissions.last(), Some(&Admission::Mute));
    assert_eq!(limiter.admit(Millis(1_005)), Admission::Process, "accepted again later");
    assert_eq!(limiter.admit(Millis(1_006)), Admission::Drop);
    assert!(limiter.tells("https://a.example") && !limiter.tells("https://a.example"));
    let notified = (0..100).filter(|number| limiter.tells(&format!("https://{number}.example"))).count();
    assert_eq!(notified, EMBEDDED_NOTICES - 1);
}

#[test]
fn repeated_draft_is_recognised_by_its_id() {
    let mut limiter = EmbedRateLimiter::new(Millis(0));
    let draft = |id: Option<&str>| DraftRequest { text: "x".into(), id: id.map(str::to_owned) };
    limiter.placed("https://a.example", &draft(Some("1")));
    limiter.placed("https://a.example", &draft(None));
    assert!(limiter.has_placed("https://a.example", &draft(Some("1"))));
    assert!(!limiter.has_placed("https://b.example", &draft(Some("1"))));
    assert!(!limiter.has_placed("https://a.example", &draft(None)));
    for number in 0..1_000 {
        limiter.placed("https://a.example", &draft(Some(&number.to_string())));
    }
    assert!(limiter.placed.len() <= IDS_KNOWN);
}

proptest! {
    #[test]
    fn rate_limit_is_never_exceeded(gaps in proptest::collection::vec(0u64..3_000, 1..300)) {
        let mut limiter = EmbedRateLimiter::new(Millis(0));
        let mut now = 0;
        let mut looked = 0u64;
        for gap in gaps {
            now += gap;
            looked += u64::from(limiter.admit(Millis(now)) == Admission::Process);
        }
        prop_assert!(looked <= u64::from(EMBEDDED_AT_ONCE) + now / EMBEDDED_EACH_MS);
    }

    #[test]
    fn placed_draft_has_no_invisible_characters(text in any::<String>()) {
        if let Ok(placing) = of(json!({ "nexus": 1, "draft": text })) {
            prop_assert!(placing.text.len() <= EMBEDDED_BYTES && !placing.text.trim().is_empty());
            let seen = placing.text.replace(JOINERS, "");
            prop_assert_eq!(reveal(&seen), seen);
        }
    }
}
