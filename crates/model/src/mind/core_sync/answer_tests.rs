use proptest::prelude::*;

use super::*;
use serde_json::json;

fn read_patch(text: &str) -> Result<SyncPatch, &'static str> {
    read_answer(&[MessagePart::text(text)])
}

fn patch(scratchpad: &str) -> SyncPatch {
    SyncPatch { objective: None, scratchpad: Some(scratchpad.into()), reasoning: "why".into() }
}

#[test]
fn plain_fenced_and_surrounded_json_is_read() {
    let json = r#"{"scratchpad": "- [x] a {b}\n```\ncode\n```", "reasoning": " why "}"#;
    let expected = Ok(patch("- [x] a {b}\n```\ncode\n```"));
    for text in [
        json.to_owned(),
        format!("\n {json}\n"),
        format!("```json\n{json}\n```"),
        format!("Here you are:\n\n```\n{json}\n```\nAnything else?"),
        format!("I looked. {json} That is all."),
    ] {
        assert_eq!(read_patch(&text), expected, "{text}");
    }
}

#[test]
fn null_and_absent_mean_unchanged() {
    let read = read_patch(r#"{"objective": null, "reasoning": "fine", "other": 1}"#).unwrap();
    assert_eq!(read, SyncPatch { reasoning: "fine".into(), ..SyncPatch::default() });
}

#[test]
fn answer_without_patch_is_an_error() {
    for text in ["", "Nothing to do.", "[1, 2]", "{", "}{", "```json\n```", "\"text\""] {
        assert_eq!(read_patch(text), Err("The answer is not JSON."), "{text}");
    }
    assert_eq!(read_patch(r#"{"plan": "x"}"#), Err("The answer is JSON, but no patch."));
    assert_eq!(read_patch(r#"{"scratchpad": ["a"]}"#), Err("A field of the answer is not a text."));
}

proptest! {
    #[test]
    fn patch_is_parsed_from_plain_fenced_and_surrounded_json(
        objective in proptest::option::of("(?s).{0,40}"),
        scratchpad in "(?s).{0,80}",
        before in "[^{}`]{0,20}",
        after in "[^{}`]{0,20}",
    ) {
        let patch = SyncPatch { objective, scratchpad: Some(scratchpad), reasoning: "r".into() };
        let json = nexus_text::json::write(&patch).unwrap();
        prop_assert_eq!(read_patch(&json), Ok(patch.clone()));
        prop_assert_eq!(read_patch(&format!("```json\n{json}\n```")), Ok(patch.clone()));
        prop_assert_eq!(read_patch(&format!("{before}{json}{after}")), Ok(patch));
    }

    #[test]
    fn any_text_is_parsed_without_panic(text in "(?s).{0,200}") {
        let _read = read_patch(&text).is_ok();
    }
}

#[test]
fn schema_is_read_from_its_file() {
    assert_eq!(schema()["required"], json!(["reasoning"]));
}
