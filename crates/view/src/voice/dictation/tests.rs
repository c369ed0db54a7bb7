use super::*;
use proptest::prelude::*;

#[test]
fn interim_words_are_replaced_and_typed_text_stays() {
    let mut text = Dictation::append_to("Dear all,");
    assert_eq!(text.apply_result("Dear all,", "", "right"), "Dear all, right");
    assert_eq!(text.apply_result("Dear all, right", "", "write a"), "Dear all, write a");
    assert_eq!(text.apply_result("Dear all, write a", "Write a page.", ""), "Dear all, Write a page.");
    assert_eq!(text.apply_result("Dear all, Write a page.", "", "with"), "Dear all, Write a page. with");
    // Typed in front of the interim text.
    assert_eq!(
        text.apply_result("DEAR all, Write a page. with", "With me.", ""),
        "DEAR all, Write a page. With me."
    );
    // Text typed behind it stays.
    assert_eq!(
        text.apply_result("DEAR all, Write a page. With me.", "", "and"),
        "DEAR all, Write a page. With me. and"
    );
    assert_eq!(
        text.apply_result("DEAR all, Write a page. With me. and!", "now", ""),
        "DEAR all, Write a page. With me. and! now"
    );
    // The field was cleared meanwhile.
    assert_eq!(text.apply_result("", "again", ""), "again");
}

#[test]
fn repeated_results_are_taken_once() {
    assert_eq!(new_words(None, " write a page "), "write a page");
    assert_eq!(new_words(Some("write a"), "write a page"), "page");
    assert_eq!(new_words(Some("write a"), "write a"), "");
    assert_eq!(new_words(Some("write a"), "write apples"), "write apples");
    assert_eq!(new_words(Some("go"), "go on"), "go on");
}

#[derive(Clone, Debug)]
enum DictationStep {
    Type(String),
    Hear(String, String),
}

fn steps() -> impl Strategy<Value = Vec<DictationStep>> {
    let word = "[a-zé語 ]{0,8}";
    let step = prop_oneof![
        "[A-Z]{1,5}".prop_map(DictationStep::Type),
        (word, word).prop_map(|(good, interim)| DictationStep::Hear(good, interim)),
    ];
    prop::collection::vec(step, 0..30)
}

proptest! {
    /// Typed text and final results are never lost, and stay in order.
    #[test]
    fn typed_text_and_final_results_are_not_lost(start in "[A-Z ]{0,12}", steps in steps()) {
        let mut dictation = Dictation::append_to(&start);
        let (mut field, mut expected) = (start.clone(), vec![start]);
        for step in steps {
            match step {
                DictationStep::Type(typed) => {
                    field.push_str(&typed);
                    expected.push(typed);
                }
                DictationStep::Hear(good, interim) => {
                    field = dictation.apply_result(&field, &good, &interim).to_owned();
                    expected.push(good.trim().to_owned());
                }
            }
        }
        let mut rest = field.as_str();
        for piece in expected {
            let after = rest.split_once(piece.as_str()).map(|(_, after)| after);
            prop_assert!(after.is_some(), "{piece:?} is missing in {field:?}");
            rest = after.unwrap();
        }
    }
}
