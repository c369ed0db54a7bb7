//! Fuzzy matching by letters in order: `bp` finds *Board: preview*.
//!
//! Every search word must match. Letters at word starts and runs of letters score higher. Searches all alignments for
//! the best one, in time of the product of both lengths, which are capped. Recency and availability are up to the
//! caller.

use crate::small_sort::SmallSort as _;

/// The maximum number of letters of a search word that count.
const NEEDLE: usize = 40;
const TEXT: usize = 200;

const LETTER: i32 = 4;
const WORD: i32 = 10;
const RUN: i32 = 10;
const FIRST: i32 = 6;
const GAP: i32 = -4;
/// Bonus for words in the order in which they were entered.
const ORDER: i32 = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzyMatch {
    pub score: i32,
    /// The positions of the matched letters, counted in characters, ascending.
    pub places: Vec<usize>,
}

/// Finds words in a text by their letters, ignoring case; `None` if a letter is missing. An empty search matches
/// everything, without positions.
pub fn find(words: &str, text: &str) -> Option<FuzzyMatch> {
    let text: Vec<char> = text.chars().take(TEXT).collect();
    let small: Vec<char> = text.iter().map(|letter| folded(*letter)).collect();
    let mut found = FuzzyMatch { score: 0, places: Vec::new() };
    let mut last_end = None;
    for word in words.split_whitespace() {
        let needle: Vec<char> = word.chars().take(NEEDLE).map(folded).collect();
        let one = best(&needle, &small, &text)?;
        let begins = one.places.first().copied();
        if last_end.is_some() && begins > last_end {
            found.score += ORDER;
        }
        last_end = one.places.last().copied();
        found.score += one.score;
        found.places.extend(one.places);
    }
    found.places.small_sort();
    found.places.dedup();
    Some(found)
}

/// Folds a letter to one letter: some become several in lower case, which would shift positions.
fn folded(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

/// True if a word begins here: after a character that is no letter, or with a capital inside a word.
fn begins_word(text: &[char], place: usize) -> bool {
    let Some(here) = text.get(place).copied() else { return false };
    let before = place.checked_sub(1).and_then(|before| text.get(before)).copied();
    match before {
        None => true,
        Some(before) => {
            here.is_alphanumeric()
                && (!before.is_alphanumeric() || (before.is_lowercase() && here.is_uppercase()))
        }
    }
}

/// An alignment of the letters so far that ends at one position.
#[derive(Clone, Copy)]
struct Alignment {
    score: i32,
    from: usize,
}

fn best(needle: &[char], small: &[char], text: &[char]) -> Option<FuzzyMatch> {
    let mut rows: Vec<Vec<Option<Alignment>>> = Vec::with_capacity(needle.len());
    for (number, letter) in needle.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|number| rows.get(number));
        let mut row = Vec::with_capacity(small.len());
        // The best alignment that ended before the position, and where.
        let mut open: Option<(i32, usize)> = None;
        for (place, here) in small.iter().enumerate() {
            let own =
                LETTER + if begins_word(text, place) { WORD } else { 0 } + if place == 0 { FIRST } else { 0 };
            let step = if letter != here {
                None
            } else if number == 0 {
                Some(Alignment { score: own, from: place })
            } else {
                let at = |place: usize| before.and_then(|row| row.get(place)).copied().flatten();
                let run = place.checked_sub(1).and_then(|from| Some((at(from)?.score + RUN, from)));
                let gap = open.map(|(score, from)| (score + GAP, from));
                let way = match (run, gap) {
                    (Some(run), Some(gap)) if gap.0 > run.0 => Some(gap),
                    (Some(run), _) => Some(run),
                    (None, gap) => gap,
                };
                way.map(|(score, from)| Alignment { score: score + own, from })
            };
            row.push(step);
            let ended = before.and_then(|row| row.get(place)).copied().flatten();
            if let Some(ended) = ended
                && open.is_none_or(|(score, _)| ended.score >= score)
            {
                open = Some((ended.score, place));
            }
        }
        rows.push(row);
    }
    let ends = rows.last()?.iter().enumerate();
    let (mut place, end) = ends
        .filter_map(|(place, step)| step.map(|step| (place, step)))
        // The first of equals: `max_by_key` would return the last.
        .reduce(|best, other| if other.1.score > best.1.score { other } else { best })?;
    let mut places = Vec::with_capacity(rows.len());
    for row in rows.iter().rev() {
        places.push(place);
        place = row.get(place).copied().flatten()?.from;
    }
    places.reverse();
    Some(FuzzyMatch { score: end.score, places })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order<'t>(words: &str, texts: &[&'t str]) -> Vec<&'t str> {
        let mut found: Vec<_> =
            texts.iter().filter_map(|text| Some((find(words, text)?.score, *text))).collect();
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
        let (as_is, turned) =
            (find("mute engineer", "Mute Engineer"), find("engineer mute", "Mute Engineer"));
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
}
