//! Keeps the operator's own words in the objective when the Core changes it.
//!
//! A sentence changes only if the operator used one of its changed words since the last sync, or the word names a file
//! that changed since. A sentence is added only if half of its words qualify. Articles and pronouns do not count, so
//! "our timer" never becomes "the timer". Compares words, not meaning.

use nexus_text::vec_map::VecSet;

/// Objectives with more sentences stay unchanged.
const SENTENCES: usize = 300;
/// Minimum length of the common prefix of two forms of a word.
const STEM: usize = 4;
/// Maximum length of their different endings.
const ENDING: usize = 3;

/// Words without content: articles, pronouns, prepositions and auxiliaries of some languages.
const FUNCTION_WORDS: &str = "a an the this that these those it its i me my mine we us our ours you your yours he him his \
     she her hers they them their theirs some any each every all both such so as at by for from in into of off on onto out \
     over to up with within and or but if then than also just only very really is are was were be been being do does did \
     has have had will would shall should can could may might must not no please which who what there here \
     der die das den dem des ein eine einen einem einer eines unser unsere unseren unserem unserer unseres mein meine dein \
     deine euer eure ihr ihre sein seine dieser diese dieses und oder aber auch mit von vom zu zum zur im am auf für aus bei \
     ist sind war wird werden soll sollen \
     le la les un une des du de notre nos votre vos leur leurs mon ma mes ton ta tes son sa ses ce cet cette ces et ou dans \
     pour avec sur par est sont \
     el los las una unos unas nuestro nuestra nuestros nuestras su sus mi mis tu tus este esta estos estas y o en con por \
     para es son";

/// Content words in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(VecSet<String>);

impl Words {
    pub fn of(text: &str) -> Self {
        let mut words = Self::default();
        words.add(text);
        words
    }

    pub fn add(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.map(str::to_lowercase);
        self.0.extend(words.filter(|word| !FUNCTION_WORDS.split_whitespace().any(|other| other == word)));
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(word) || self.0.iter().any(|other| is_form_of(word, other))
    }

    fn without(&self, other: &Self) -> Vec<&str> {
        self.0.iter().map(String::as_str).filter(|word| !other.has(word)).collect()
    }

    /// True if `said` contains at least half of them.
    fn was_said(&self, said: &Self) -> bool {
        let count = self.0.iter().filter(|word| said.has(word)).count();
        count > 0 && count * 2 >= self.0.len()
    }

    fn shares_half(&self, other: &Self) -> bool {
        let least = self.0.len().min(other.0.len());
        let shared = self.0.len() - self.without(other).len();
        least > 0 && shared * 2 >= least
    }
}

/// True if two words are forms of one, such as "stop" and "stops".
fn is_form_of(a: &str, b: &str) -> bool {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str| word.chars().count().saturating_sub(same);
    same >= STEM
        && rest(a) <= ENDING
        && rest(b) <= ENDING
        && !a.chars().chain(b.chars()).any(char::is_numeric)
}

/// The objective that the Core may write: `wanted`, but with each sentence of `own` that changed without a reason in
/// `said` restored.
pub fn with_own_sentences(own: &str, wanted: &str, said: &Words) -> String {
    if own.trim().is_empty() {
        return wanted.to_owned();
    }
    let (old, new) = (sentences(own), sentences(wanted));
    if old.len() > SENTENCES || new.len() > SENTENCES {
        return own.to_owned();
    }
    let mut out: Vec<&str> = Vec::new();
    let (mut at, mut changed) = ((0, 0), false);
    for (from, to) in common(&old, &new).into_iter().chain([(old.len(), new.len())]) {
        let (removed, added) =
            (old.get(at.0..from).unwrap_or_default(), new.get(at.1..to).unwrap_or_default());
        changed |= settle_block(removed, added, said, &mut out);
        out.extend(old.get(from).copied());
        at = (from.saturating_add(1), to.saturating_add(1));
    }
    if changed { join_sentences(&out, own.contains('\n') || wanted.contains('\n')) } else { own.to_owned() }
}

/// Settles the sentences between two common ones. Returns true if a sentence of the operator changed or one was added.
fn settle_block<'t>(removed: &[&'t str], inserted: &[&'t str], said: &Words, out: &mut Vec<&'t str>) -> bool {
    let mut changed = false;
    let mut rest = removed;
    for new in inserted {
        let words = Words::of(new);
        let same = rest.iter().position(|old| words.shares_half(&Words::of(old)));
        if let Some(place) = same {
            let (dropped, from) = rest.split_at(place);
            changed |= drop_some(dropped, said, out);
            let Some((old, after)) = from.split_first() else { continue };
            rest = after;
            let own = Words::of(old);
            let (added, left) = (words.without(&own), own.without(&words));
            let reason = if added.is_empty() { left } else { added };
            let is_justified = reason.iter().any(|word| said.has(word));
            out.push(if is_justified { new } else { old });
            changed |= is_justified;
        } else if words.was_said(said) {
            out.push(new);
            changed = true;
        }
    }
    changed | drop_some(rest, said, out)
}

/// Drops the sentences that the operator mentioned since, and keeps the others.
fn drop_some<'t>(removed: &[&'t str], said: &Words, out: &mut Vec<&'t str>) -> bool {
    let before = out.len();
    out.extend(removed.iter().filter(|old| !Words::of(old).0.iter().any(|word| said.has(word))));
    out.len() - before < removed.len()
}

/// Splits a text into sentences, each with its trailing whitespace. A line end also ends a sentence.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut from, mut ended) = (0, false);
    let mut chars = text.char_indices().peekable();
    while let Some((_, c)) = chars.next() {
        ended |= matches!(c, '\n' | '。' | '！' | '？');
        let next = chars.peek().copied();
        ended |= matches!(c, '.' | '!' | '?' | '…') && next.is_some_and(|(_, next)| next.is_whitespace());
        let Some((at, _)) = next.filter(|(_, next)| ended && !next.is_whitespace()) else { continue };
        found.extend(text.get(from..at));
        (from, ended) = (at, false);
    }
    found.extend(text.get(from..).filter(|rest| !rest.trim().is_empty()));
    found
}

/// The indexes of a longest common subsequence of sentences.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let is_same = |a: usize, b: usize| match (old.get(a), new.get(b)) {
        (Some(old), Some(new)) => old.trim() == new.trim(),
        (Some(_) | None, _) => false,
    };
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    let read = |longest: &[u32], a: usize, b: usize| longest.get(a * width + b).copied().unwrap_or_default();
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            let value = match is_same(a, b) {
                true => read(&longest, a + 1, b + 1) + 1,
                false => read(&longest, a + 1, b).max(read(&longest, a, b + 1)),
            };
            if let Some(cell) = longest.get_mut(a * width + b) {
                *cell = value;
            }
        }
    }
    let (mut a, mut b, mut found) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if is_same(a, b) {
            found.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if read(&longest, a + 1, b) >= read(&longest, a, b + 1) {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}

/// Joins sentences, adding missing whitespace between them.
fn join_sentences(sentences: &[&str], has_lines: bool) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if !text.is_empty() && !text.ends_with(char::is_whitespace) {
            text.push(if has_lines { '\n' } else { ' ' });
        }
        text.push_str(sentence);
    }
    text
}

#[cfg(test)]
mod tests;
