use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn session(number: u128) -> SessionId {
    SessionId::from(number)
}

fn message(number: u128) -> SearchLocation {
    SearchLocation::Message(MessageId::from(number))
}

/// The formula implemented naively: reads every text for every term.
fn find_naive(
    texts: &BTreeMap<SearchLocation, (SessionId, Millis, String)>,
    words: &[String],
) -> Vec<(SearchLocation, f64)> {
    let read = |text: &str| {
        let mut found = Vec::new();
        each_word(text, |word, _| found.push(word.to_owned()));
        found
    };
    let texts: Vec<_> = texts
        .iter()
        .map(|(place, (_, at, text))| (*place, *at, read(text)))
        .filter(|(.., read)| !read.is_empty())
        .collect();
    let often = |read: &[String], word: &str| -> f64 {
        let allows_prefix = word.chars().count() >= 2 || !word.is_ascii();
        let one = |other: &String| match other.as_str() {
            other if other == word => 1.0,
            other if allows_prefix && other.starts_with(word) => 0.5,
            _ => 0.0,
        };
        read.iter().map(one).sum()
    };
    let mut scored: Vec<(SearchLocation, Millis, f64)> = Vec::new();
    for (place, at, read) in &texts {
        let field: Vec<_> = texts.iter().filter(|(other, ..)| other.field() == place.field()).collect();
        let usual = field.iter().map(|(.., read)| read.len()).sum::<usize>() as f64 / field.len() as f64;
        let (mut score, mut found) = (0.0, 0.0);
        for word in words {
            let f = often(read, word);
            if f == 0.0 {
                continue;
            }
            let n = texts.iter().filter(|(.., read)| often(read, word) > 0.0).count() as f64;
            let idf = (1.0 + (texts.len() as f64 - n + 0.5) / (n + 0.5)).ln();
            score += idf * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * read.len() as f64 / usual));
            found += 1.0;
        }
        if found > 0.0 {
            scored.push((*place, *at, score * place.field().weight() * found / words.len() as f64));
        }
    }
    scored.sort_by(|a, b| b.2.total_cmp(&a.2).then((b.1, b.0).cmp(&(a.1, a.0))));
    scored.into_iter().map(|(place, _, score)| (place, score)).collect()
}

#[derive(Clone, Debug)]
enum IndexStep {
    Put(u8, String),
    Remove(u8),
}

fn place_of(number: u8) -> SearchLocation {
    let id = u128::from(number / 6) + 1;
    match number % 6 {
        0 => SearchLocation::Session(session(id), SearchField::Label),
        1 => SearchLocation::Session(session(id), SearchField::Title),
        2 => SearchLocation::Session(session(id), SearchField::Keywords),
        3 => SearchLocation::Session(session(id), SearchField::Summary),
        4 => SearchLocation::Memory(MemoryId::from(id)),
        _ => message(id),
    }
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["tax", "taxes", "form", "a", "the", "漢字", "字変換", "Été", "x1"]),
        0..9,
    )
    .prop_map(|words| words.join(" "))
}

fn steps() -> impl Strategy<Value = Vec<IndexStep>> {
    let step = prop_oneof![
        4 => (0u8..40, text()).prop_map(|(at, text)| IndexStep::Put(at, text)),
        1 => (0u8..40).prop_map(IndexStep::Remove),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #[test]
    fn index_ranks_like_the_naive_formula(steps in steps(), words in text(), sweeps in any::<bool>()) {
        let mut index = SearchIndex::new(usize::MAX);
        let mut texts = BTreeMap::new();
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                IndexStep::Put(at, text) => {
                    let (place, at) = (place_of(at), Millis(number as u64));
                    prop_assert!(index.put(session(1), place, at, &text));
                    // Putting the same text again changes nothing, not even its time.
                    let same = texts.get(&place).is_some_and(|(_, _, old)| *old == text);
                    if !same {
                        texts.insert(place, (session(1), at, text));
                    }
                }
                IndexStep::Remove(at) => {
                    index.remove(place_of(at));
                    texts.remove(&place_of(at));
                }
            }
        }
        if sweeps {
            index.sweep();
        }
        let words = search_terms(&words);
        let indexed: Vec<_> = index.find(&words, |_| true).into_iter().map(|hit| (hit.place, hit.score)).collect();
        let expected = find_naive(&texts, &words);
        prop_assert_eq!(indexed.len(), expected.len());
        for (indexed, expected) in indexed.iter().zip(&expected) {
            prop_assert!((indexed.1 - expected.1).abs() < 1e-9, "{:?} {:?}", indexed, expected);
        }
        let known: Vec<_> = index.places().collect();
        prop_assert_eq!(known, texts.keys().copied().collect::<Vec<_>>());
    }
}

#[test]
fn texts_with_more_and_rarer_terms_rank_first() {
    let mut index = SearchIndex::new(usize::MAX);
    for (number, text) in [
        (1, "we talked about the form of the table"),
        (2, "the tax form is due in May, said the tax office"),
        (3, "tax and tax and tax"),
        (4, "the weather"),
    ] {
        index.put(session(number), message(number), Millis(number as u64), text);
    }
    let found = |words: &str| -> Vec<u128> {
        index.find(&search_terms(words), |_| true).iter().map(|hit| hit.session.bits()).collect()
    };
    assert_eq!(found("tax form"), [2, 3, 1]);
    assert_eq!(found("WEATHER"), [4]);
    assert_eq!(found("weath"), [4], "a prefix matches");
    assert!(found("eather").is_empty() && found("").is_empty());
    assert_eq!(
        index.find(&search_terms("tax form"), |id| id != session(2)).len(),
        2,
        "hidden sessions are not shown"
    );
}

#[test]
fn titles_rank_above_messages() {
    let mut index = SearchIndex::new(usize::MAX);
    index.put(session(1), message(1), Millis(9), "the budget of the year");
    index.put(
        session(2),
        SearchLocation::Session(session(2), SearchField::Title),
        Millis(1),
        "the budget of the year",
    );
    let hits = index.find(&search_terms("budget"), |_| true);
    assert_eq!(
        hits.iter().map(|hit| hit.place.field()).collect::<Vec<_>>(),
        [SearchField::Title, SearchField::Message]
    );
    assert!(hits[0].score > hits[1].score && hits.iter().all(|hit| hit.found == 1));
}

#[test]
fn capacity_is_bounded_and_overflow_reported() {
    let mut index = SearchIndex::new(6);
    assert!(index.put(session(1), message(1), Millis(1), "one two three"));
    assert!(index.put(session(1), message(2), Millis(2), "four five six seven"));
    assert!(!index.put(session(1), message(3), Millis(3), "eight"));
    assert!(index.is_full() && !index.knows(message(3)));
    assert!(index.find(&search_terms("eight"), |_| true).is_empty());
}

#[test]
fn ten_thousand_messages_are_searched_quickly() {
    let mut index = SearchIndex::new(usize::MAX);
    let body = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor ".repeat(8);
    for number in 0..10_000u128 {
        index.put(session(1), message(number), Millis(1), &format!("{body} marker{number} common"));
    }
    let begun = std::time::Instant::now();
    let hits = index.find(&search_terms("marker7777 common"), |_| true);
    assert_eq!(hits[0].place, message(7_777));
    assert_eq!(hits.len(), 10_000);
    // A hundred times the actual time; browsers are a few times slower than this.
    assert!(begun.elapsed() < std::time::Duration::from_secs(5));
}
