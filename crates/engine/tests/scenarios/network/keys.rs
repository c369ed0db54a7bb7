//! A key echoed by a host reaches no event, row, notice or export.

use proptest::prelude::*;

use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, tab};
use nexus_model::provider::{Provider, ProviderErrorKind};
use nexus_text::redact::{REDACTED_KEY, is_secret};
use nexus_text::testing::{KEY_PATTERN, echoed_form};

/// Another provider, whose key this host must not get.
fn other() -> Provider {
    let base_url = "https://models.example/v1".to_owned();
    Provider { id: "other".into(), label: "Other".into(), base_url, ..Provider::gemini() }
}

/// A host's answer that contains this text.
fn body(kind: usize, words: &str) -> String {
    let text = format!(
        "{{\"candidates\":[{{\"content\":{{\"role\":\"model\",\"parts\":[{{\"text\":\"{words}\"}}]}}}}]}}"
    );
    let error = format!("{{\"error\":{{\"code\":400,\"message\":\"{words}\",\"status\":\"{words}\"}}}}");
    let end = "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}]}";
    match kind {
        0 => format!("<html>{words}</html>"),
        1 => error,
        2 => format!("data: {text}\n\ndata: {end}\n\n"),
        3 => format!("data: {text}\n\ndata: {error}\n\n"),
        4 => format!("data: {text}\n\ndata: {{\"candidates\": [{words}\n\n"),
        _ => format!(
            ": {words}\n\nretry: {words}\n\ndata: {{\"candidates\":[{{\"finishReason\":\"{words}\"}}]}}\n\n"
        ),
    }
}

/// The body split at these indexes.
fn pieces(body: &str, cuts: &[prop::sample::Index]) -> Vec<ScriptedChunk> {
    let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(body.len())).collect();
    places.extend([0, body.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| ScriptedChunk::Raw(body.as_bytes()[pair[0]..pair[1]].to_vec())).collect()
}

/// Everything stored and exported of a session.
fn everything(tab: &Tab) -> String {
    let exported = nexus_engine::tests::exports::exported_text(&tab.store);
    format!("{:?}{:?}{:?}{}{exported}", tab.world(), tab.events(), tab.app_events(), tab.store.image())
}

proptest! {
    #![proptest_config(ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(24) })]

    #[test]
    fn echoed_key_reaches_no_event_row_notice_or_export(
        keys in (KEY_PATTERN.prop_filter("a secret", |key| is_secret(key)), KEY_PATTERN.prop_filter("a secret", |key| is_secret(key))),
        kind in 0usize..6,
        status in prop_oneof![Just(200u16), Just(400), Just(401), Just(403), Just(404), Just(500)],
        echoes in proptest::collection::vec(("[a-z ]{0,12}", any::<bool>(), 0usize..8), 1..4),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..10),
    ) {
        let key = |own: bool| if own { &keys.0 } else { &keys.1 };
        let words: String =
            echoes.iter().map(|(words, own, number)| format!("{words} {} ", echoed_form(key(*own), *number))).collect();
        let beats = pieces(&body(kind, &words), &cuts);
        let tab = tab(move |_, _| Scripted { status, beats: beats.clone() });
        tab.running.handle.keys.put(&Provider::gemini(), &keys.0);
        tab.running.handle.keys.put(&other(), &keys.1);
        let mut shown = tab.running.bus.subscribe_transient();
        tab.say("@Critic go").unwrap();
        tab.pass(120_000);
        let handle = tab.running.handle.clone();
        let listed = tab.wait_for(async move { handle.list_models("gemini".into()).await });
        let mut all = format!("{listed:?}{}", everything(&tab));
        while let Ok(signal) = shown.try_recv() {
            all.push_str(&format!("{signal:?}"));
        }
        for (key, number) in [&keys.0, &keys.1].into_iter().flat_map(|key| (0..8).map(move |number| (key, number))) {
            prop_assert!(!all.contains(&echoed_form(key, number)), "form {number} of {key}");
        }
        prop_assert!(all.contains(REDACTED_KEY), "the received text is kept without the key");
    }
}

#[test]
fn error_of_another_host_is_reported_without_any_providers_key() {
    let tab = tab(|_, _| Scripted {
        status: 401,
        beats: vec![
            ScriptedChunk::Bytes("no account for zq81-one-of-".into()),
            ScriptedChunk::Bytes("mine and 0th3r-keys".into()),
        ],
    });
    tab.running.handle.keys.put(&Provider::gemini(), "zq81-one-of-mine");
    tab.running.handle.keys.put(&other(), "0th3r-keys");
    tab.say("@Critic go").unwrap();
    let world = tab.world();
    let failure = world.turns.values().find_map(|turn| turn.failure.clone()).unwrap();
    assert_eq!(failure.category, ProviderErrorKind::Authentication);
    assert_eq!(failure.message, "no account for [key] and [key]");
}
