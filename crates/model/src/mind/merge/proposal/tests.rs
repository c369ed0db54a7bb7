use proptest::prelude::*;

use super::*;
use nexus_text::json;
use serde_json::json;

fn conflict(ours: &str, theirs: &str) -> (ContentHash, Conflict) {
    let conflict = Conflict { base: "two\n".into(), ours: ours.into(), theirs: theirs.into() };
    (ContentHash::of_text(&format!("{ours}|{theirs}")), conflict)
}

fn two() -> Vec<(ContentHash, Conflict)> {
    vec![conflict("OURS\n", "THEIRS\n"), conflict("left\n", "right\n")]
}

fn read(answer: &Value) -> Result<MergeAnswer, &'static str> {
    read_answer(&[MessagePart::text(answer.to_string())], &two())
}

fn one(number: u64, text: &str) -> Value {
    json!({"clash": number, "text": text, "why": "because"})
}

#[test]
fn each_conflict_gets_its_lines_and_a_one_line_reason() {
    let asked = two();
    let long = "so ".repeat(400);
    let answer = json!({"proposals": [
        {"clash": 2, "text": "", "why": long},
        {"clash": 1, "text": "BOTH\n", "why": " keeps\nboth\u{202E} "},
    ]});
    let (proposals, without) = read(&answer).unwrap();
    assert!(without.is_empty());
    let read: Vec<_> = proposals.iter().map(|it| (&it.conflict, it.text.as_str())).collect();
    assert_eq!(read, [(&asked[0].0, "BOTH\n"), (&asked[1].0, "")]);
    assert_eq!(proposals[0].why, "keeps both⟨U+202E⟩");
    assert!(proposals[1].why.ends_with('…') && proposals[1].why.chars().count() == PROPOSAL_WHY_CHARS + 1);
}

#[test]
fn each_invalid_proposal_is_omitted_with_its_reason() {
    let giant = "x".repeat(PROPOSAL_BYTES_FOR_TESTS);
    let cases = [
        (json!([one(1, "BOTH\n")]), NoProposalReason::Missing),
        (json!([one(1, "BOTH\n"), {"clash": 2, "why": "no text"}]), NoProposalReason::Missing),
        (json!([one(1, "BOTH\n"), {"clash": 2, "text": ["left"]}]), NoProposalReason::Missing),
        (json!([one(1, "BOTH\n"), one(2, "left\n"), one(2, "right\n")]), NoProposalReason::Twice),
        (json!([one(1, "BOTH\n"), one(2, &giant)]), NoProposalReason::Long),
        (
            json!([one(1, "BOTH\n"), one(2, "<<<<<<< ours\nleft\n=======\nright\n>>>>>>> theirs\n")]),
            NoProposalReason::Marks,
        ),
        (json!([one(1, "BOTH\n"), one(2, "left\n=======\nright\n")]), NoProposalReason::Marks),
        (json!([one(1, "BOTH\n"), one(2, "le\u{200B}ft\n")]), NoProposalReason::Hidden),
    ];
    for (list, why) in cases {
        let (proposals, without) = read(&json!({"proposals": list})).unwrap();
        assert_eq!(proposals.len(), 1, "{why:?}");
        assert_eq!(without, [UnresolvedConflict { conflict: two()[1].0, why }]);
    }
}

const PROPOSAL_BYTES_FOR_TESTS: usize = crate::limits::PROPOSAL_BYTES + 1_000;

#[test]
fn answer_without_valid_proposals_is_an_error() {
    let cases = [
        (
            json!({"proposals": [one(1, "a\n"), one(3, "b\n")]}),
            "The answer is about a conflict that was not asked about.",
        ),
        (json!({"proposals": [one(0, "a\n")]}), "The answer is about a conflict that was not asked about."),
        (json!({"proposals": [{"text": "a\n"}]}), "The answer is about a conflict that was not asked about."),
        (json!({"proposals": []}), "The answer proposes nothing for the conflicts."),
        (json!({"proposals": "all"}), "The answer is JSON, but holds no proposals."),
        (json!({"scratchpad": "x"}), "The answer is JSON, but holds no proposals."),
        (
            json!({"proposals": [one(1, ">>>>>>> x\n"), one(2, ">>>>>>> x\n")]}),
            "The proposal contains conflict markers.",
        ),
    ];
    for (answer, words) in cases {
        assert_eq!(read(&answer), Err(words), "{answer}");
    }
    assert_eq!(read_answer(&[MessagePart::text("Take ours.")], &two()), Err("The answer is not JSON."));
}

#[test]
fn conflict_markers_that_a_side_contains_are_allowed() {
    let asked = vec![conflict("Title\n=======\n", "<<<<<<< kept as an example\n")];
    let text = "Title\n=======\n<<<<<<< kept as an example\n";
    let answer = json!({"proposals": [one(1, text)]});
    let (proposals, _) = read_answer(&[MessagePart::text(answer.to_string())], &asked).unwrap();
    assert_eq!(proposals[0].text, text);
}

proptest! {
    #[test]
    fn proposals_are_parsed_from_plain_fenced_and_surrounded_json(text in "[a-z \n]{0,40}", why in "[a-z]{0,12}") {
        let object = json!({"proposals": [
            {"clash": 1, "text": text, "why": why}, {"clash": 2, "text": "left\n", "why": ""},
        ]});
        let written = json::write(&object).unwrap();
        let expected = read_answer(&[MessagePart::text(written.clone())], &two()).unwrap();
        prop_assert_eq!(&expected.0[0].text, &text);
        for text in [format!("```json\n{written}\n```"), format!("Here: {written} That is all.")] {
            prop_assert_eq!(read_answer(&[MessagePart::text(text)], &two()), Ok(expected.clone()));
        }
    }

    #[test]
    fn any_text_is_parsed_without_panic(text in "(?s).{0,200}") {
        let _read = read_answer(&[MessagePart::text(text)], &two()).is_ok();
    }
}

#[test]
fn schema_is_read_from_its_file() {
    assert_eq!(schema()["required"], json!(["proposals"]));
}
