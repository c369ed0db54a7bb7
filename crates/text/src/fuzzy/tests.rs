use super::*;
use proptest::prelude::*;

fn order<'t>(words: &str, texts: &[&'t str]) -> Vec<&'t str> {
    let mut found: Vec<_> = texts.iter().filter_map(|text| Some((find(words, text)?.score, *text))).collect();
    found.sort_by_key(|(score, _)| -score);
    found.into_iter().map(|(_, text)| text).collect()
}

fn is_in_order(needle: &str, text: &str) -> bool {
    let mut rest = text.chars();
    needle.chars().all(|letter| rest.any(|other| folded(other) == folded(letter)))
}

#[test]
fn word_starts_win_over_inner_letters() {
    assert_eq!(order("bp", &["Subpart", "Board: preview"]), ["Board: preview", "Subpart"]);
    assert_eq!(order("set", &["Reset everything", "Settings"]), ["Settings", "Reset everything"]);
    assert_eq!(order("nf", &["Unfold agents", "New file"]), ["New file", "Unfold agents"]);
}

#[test]
fn adjacent_letters_win() {
    assert_eq!(order("core", &["Uncool surface", "Score"]), ["Score", "Uncool surface"]);
    assert_eq!(find("core", "Score of the core").unwrap().places, [13, 14, 15, 16]);
}

#[test]
fn words_match_in_any_order_and_score_more_in_order() {
    assert!(find("engineer mute", "Mute Engineer").is_some());
    let (as_is, turned) = (find("mute engineer", "Mute Engineer"), find("engineer mute", "Mute Engineer"));
    assert!(as_is.unwrap().score > turned.unwrap().score);
    assert_eq!(find("mute critic", "Mute Engineer"), None);
}

#[test]
fn capitals_begin_words_and_case_is_ignored() {
    assert_eq!(find("sa", "someMainApp").unwrap().places, [0, 8]);
    assert_eq!(find("ÜBER", "über uns").unwrap().places, [0, 1, 2, 3]);
    assert_eq!(find("", "anything"), Some(FuzzyMatch { score: 0, places: Vec::new() }));
    assert_eq!(find("a", ""), None);
}

#[test]
fn cost_of_long_texts_is_capped() {
    let text = "ab".repeat(100_000);
    assert!(find(&"ab".repeat(50_000), &text).is_some());
}

proptest! {
    #[test]
    fn word_matches_exactly_when_its_letters_occur_in_order(needle in "[a-cA-C]{1,5}", text in "[a-dA-D ./]{0,12}") {
        prop_assert_eq!(find(&needle, &text).is_some(), is_in_order(&needle, &text));
    }

    #[test]
    fn positions_ascend_and_match_the_letters(needle in "[a-c]{1,5}", text in "[a-cA-C ]{0,20}") {
        if let Some(found) = find(&needle, &text) {
            let letters: Vec<char> = text.chars().collect();
            prop_assert!(found.places.is_sorted_by(|a, b| a < b));
            let matched: String = found.places.iter().map(|place| folded(letters[*place])).collect();
            prop_assert_eq!(matched, needle);
        }
    }

    #[test]
    fn no_alignment_scores_higher(needle in "[ab]{1,4}", text in "[abAB ]{0,9}") {
        let letters: Vec<char> = text.chars().collect();
        let wanted: Vec<char> = needle.chars().collect();
        let mut most = None;
        each_alignment(&wanted, &letters, 0, &mut Vec::new(), &mut |places| {
            let mut score = 0;
            for (number, place) in places.iter().enumerate() {
                score += LETTER;
                score += if begins_word(&letters, *place) { WORD } else { 0 };
                score += if *place == 0 { FIRST } else { 0 };
                if number > 0 {
                    score += if places[number - 1] + 1 == *place { RUN } else { GAP };
                }
            }
            most = most.max(Some(score));
        });
        prop_assert_eq!(find(&needle, &text).map(|found| found.score), most);
    }

    #[test]
    fn any_text_is_accepted(needle in ".{0,30}", text in ".{0,60}") {
        drop(find(&needle, &text));
    }
}

fn each_alignment(
    wanted: &[char],
    letters: &[char],
    from: usize,
    places: &mut Vec<usize>,
    hear: &mut dyn FnMut(&[usize]),
) {
    let Some((first, rest)) = wanted.split_first() else { return hear(places) };
    for place in from..letters.len() {
        if folded(letters[place]) == *first {
            places.push(place);
            each_alignment(rest, letters, place + 1, places, hear);
            places.pop();
        }
    }
}
