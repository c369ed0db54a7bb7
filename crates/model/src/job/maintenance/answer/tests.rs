use proptest::prelude::*;

use super::*;
use serde_json::json;

#[test]
fn summary_is_parsed_from_surrounding_text_and_limited() {
    let json = json!({
        "title": "One two three four five six seven eight nine",
        "summary": " The operator wants a timer. ",
        "keywords": ["Timer", "timer", "two words", "", 7, "a", "b", "c", "d", "e", "f", "g"],
    });
    for text in [json.to_string(), format!("```json\n{json}\n```"), format!("Here: {json} Done.")] {
        let read = read_summary(&text).unwrap();
        assert_eq!(read.title, "One two three four five six seven eight");
        assert_eq!(read.summary, "The operator wants a timer.");
        assert_eq!(read.keywords, ["timer", "two", "a", "b", "c", "d", "e", "f"]);
    }
    let long = json!({"summary": "é".repeat(9_000)}).to_string();
    assert_eq!(read_summary(&long).unwrap().summary.chars().count(), SUMMARY_CHARS);
}

#[test]
fn answer_without_summary_is_an_error() {
    for text in ["", "A timer.", "[1]", "{", "```\n```"] {
        assert_eq!(read_summary(text), Err("The answer is not JSON."), "{text}");
    }
    for text in ["{}", "{\"summary\": 1}", "{\"summary\": \" \"}"] {
        assert_eq!(read_summary(text), Err("The answer is JSON, but holds no summary."), "{text}");
    }
}

#[test]
fn memories_are_parsed_from_object_list_and_single_fact() {
    let expected =
        vec![Fact { content: "Likes tabs.".into(), importance: 5, message: Some(2), ..Fact::default() }];
    let list = r#"[{"content": " Likes  tabs. ", "importance": 9, "message": 2}]"#;
    for text in [
        format!("{{\"memories\": {list}}}"),
        list.to_owned(),
        format!("```json\n{list}\n```"),
        r#"{"content": "Likes tabs.", "importance": 5, "message": 2}"#.to_owned(),
    ] {
        assert_eq!(read_memories(&text), Ok(expected.clone()), "{text}");
    }
    assert_eq!(read_memories(r#"{"memories": []}"#), Ok(Vec::new()));
    assert_eq!(read_memories(r#"{"memories": [{"importance": 3}, " ", null]}"#), Ok(Vec::new()));
    assert_eq!(read_memories("nothing"), Err("The answer is not JSON."));
    assert!(read_memories("{\"memories\": \"no\"}").is_err());
}

#[test]
fn changes_without_a_memory_id_are_skipped() {
    let list = json!({"memories": [
        {"action": "add", "id": "", "content": "Is called Ada.", "scope": "everywhere"},
        {"action": "change", "id": "A1", "content": "Likes spaces.", "message": 1},
        {"action": "retire", "id": "B2", "content": ""},
        {"action": "widen", "id": "C3"},
        {"action": "retire", "id": ""},
        {"action": "change", "id": "D4", "content": " "},
    ]});
    let read = read_memories(&list.to_string()).unwrap();
    let actions: Vec<_> = read.iter().map(|fact| (fact.action.clone(), fact.everywhere)).collect();
    let of = |id: &str| id.to_owned();
    let expected = [
        (FactAction::Add, true),
        (FactAction::Change(of("A1")), false),
        (FactAction::Retire(of("B2")), false),
        (FactAction::Widen(of("C3")), false),
    ];
    assert_eq!(actions, expected);
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_panic(text in "(?s).{0,200}") {
        let _summary = read_summary(&text).is_ok();
        if let Ok(facts) = read_memories(&text) {
            prop_assert!(facts.iter().all(|fact| (1..=5).contains(&fact.importance)));
        }
    }

    #[test]
    fn facts_round_trip(
        content in "[a-zA-Z0-9{}\\[\\]\"`]{1,60}", importance in 1u8..=5, message in 1usize..9,
    ) {
        let fact = Fact { content: trimmed(&content), importance, message: Some(message), ..Fact::default() };
        let text = json!({"memories": [{"content": content, "importance": importance, "message": message}]});
        prop_assert_eq!(read_memories(&text.to_string()), Ok(vec![fact]));
    }
}

#[test]
fn schemas_are_read_from_their_files() {
    assert_eq!(summary_schema()["required"], json!(["title", "summary", "keywords"]));
    assert_eq!(memory_schema()["required"], json!(["memories"]));
}
