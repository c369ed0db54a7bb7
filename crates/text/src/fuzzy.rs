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
    let before = place.checked_sub(1).and_then(|before| text.get(before));
    let (Some(here), Some(before)) = (text.get(place), before) else { return place == 0 };
    here.is_alphanumeric() && (!before.is_alphanumeric() || (before.is_lowercase() && here.is_uppercase()))
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
        let before = rows.last();
        let at = |place: usize| before.and_then(|row| row.get(place)).copied().flatten();
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
                let run = place.checked_sub(1).and_then(|from| Some((at(from)?.score + RUN, from)));
                let gap = open.map(|(score, from)| (score + GAP, from));
                let way = gap.filter(|gap| run.is_none_or(|run| gap.0 > run.0)).or(run);
                way.map(|(score, from)| Alignment { score: score + own, from })
            };
            row.push(step);
            if let Some(ended) = at(place)
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
mod tests;
