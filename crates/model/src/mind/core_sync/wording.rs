//! Keeps the operator's own words in the objective when the Core changes it.
//!
//! A sentence changes only if the operator used one of its new words since the last sync, or the word names a file that
//! changed since. A sentence is added only if half of its words qualify. A sentence or clause is dropped only if the
//! operator turned one of its words round, as "no beep" does with "It beeps"; to repeat a requirement never drops it.
//! Articles and pronouns do not count, so "our timer" never becomes "the timer". Compares words, not meaning.

use nexus_text::diff::differences;
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

/// Words that negate those after them in their clause, or those before them if no content follows.
const NEGATIONS: &str = "no not never without neither nor don doesn didn isn aren wasn shouldn mustn won cannot \
     nicht nie niemals kein keine keinen keiner keines ohne statt anstatt \
     pas jamais sans lieu nunca sin lugar";
/// Verbs that do the same, and are content themselves.
const REMOVALS: &str = "remove drop skip forget omit entferne streiche vergiss";
/// Words after a negation that leave it to those before it: "the beep is not needed".
const NEEDS: &str = "t needed necessary required wanted important longer more mehr nötig gewünscht wichtig";
/// Words that begin a clause, as punctuation does.
const CONTRASTS: &str = "but sondern mais sino";

/// Content words in lower case, each with whether it is negated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    said: VecSet<(String, bool)>,
    /// Words of file names, which say nothing for or against a sentence.
    names: VecSet<String>,
}

impl Words {
    pub fn of(text: &str) -> Self {
        let mut words = Self::default();
        words.add(text);
        words
    }

    pub fn add(&mut self, text: &str) {
        clauses(text).for_each(|clause| self.add_clause(clause));
    }

    pub fn add_name(&mut self, name: &str) {
        self.names.extend(words_of(name));
    }

    fn add_clause(&mut self, clause: &str) {
        let (mut before, mut after): (Vec<String>, Vec<String>) = Default::default();
        let (mut last, mut is_negated) = (String::new(), false);
        for word in words_of(clause) {
            if is_in(CONTRASTS, &word) {
                self.add_words(&mut before, &mut after, is_negated);
                is_negated = false;
            }
            let is_content = !is_in(FUNCTION_WORDS, &word) && !is_in(NEGATIONS, &word);
            if is_content && !(is_negated && is_in(NEEDS, &word)) {
                if is_negated { &mut after } else { &mut before }.push(word.clone());
            }
            is_negated |= is_in(NEGATIONS, &word)
                || is_in(REMOVALS, &word)
                || matches!((last.as_str(), word.as_str()), ("instead", "of") | ("rather", "than"));
            last = word;
        }
        self.add_words(&mut before, &mut after, is_negated);
    }

    fn add_words(&mut self, before: &mut Vec<String>, after: &mut Vec<String>, is_negated: bool) {
        let is_backward = is_negated && after.is_empty();
        self.said.extend(before.drain(..).map(|word| (word, is_backward)));
        self.said.extend(after.drain(..).map(|word| (word, true)));
    }

    fn repeats(&self, (word, is_negated): &(String, bool)) -> bool {
        self.said.iter().any(|(other, negated)| negated == is_negated && is_form_of(word, other))
    }

    fn has(&self, word: &(String, bool)) -> bool {
        self.repeats(word) || self.names.iter().any(|other| is_form_of(&word.0, other))
    }

    /// True if they contain one of the other words, but negated where that is not, or the reverse.
    fn turned_from(&self, other: &Self) -> bool {
        other.said.iter().any(|(word, is_negated)| self.repeats(&(word.clone(), !is_negated)))
    }

    fn without(&self, other: &Self) -> Vec<&(String, bool)> {
        self.said.iter().filter(|word| !other.has(word)).collect()
    }

    /// True if `said` contains at least half of them.
    fn was_said(&self, said: &Self) -> bool {
        let count = self.said.iter().filter(|word| said.has(word)).count();
        count > 0 && count * 2 >= self.said.len()
    }

    /// How many of them the other contains, negated or not.
    fn shared(&self, other: &Self) -> usize {
        let is_in = |word: &str| other.said.iter().any(|(other, _)| is_form_of(word, other));
        self.said.iter().filter(|(word, _)| is_in(word)).count()
    }

    fn shares_half(&self, other: &Self) -> bool {
        let least = self.said.len().min(other.said.len());
        least > 0 && self.shared(other) * 2 >= least
    }
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|other| other == word)
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

/// Splits at punctuation, but not within names such as "store.rs".
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split([',', ';', '(', ')', '!', '?', '…', '–', '—', '\n', '。', '！', '？', '，', '、']);
    lines.flat_map(|line| line.split(". ")).flat_map(|line| line.split(": "))
}

/// True if two words are forms of one, such as "stop" and "stops".
fn is_form_of(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
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
    fn trimmed<'t>(sentences: &[&'t str]) -> Vec<&'t str> {
        sentences.iter().map(|one| one.trim()).collect()
    }
    let (old, new) = (sentences(own), sentences(wanted));
    if old.len() > SENTENCES || new.len() > SENTENCES {
        return own.to_owned();
    }
    let mut out: Vec<&str> = Vec::new();
    let (mut at, mut changed) = (0, false);
    for (removed, added) in differences(&trimmed(&old), &trimmed(&new)) {
        out.extend(old.get(at..removed.start).unwrap_or_default());
        at = removed.end;
        let (removed, added) = (old.get(removed).unwrap_or_default(), new.get(added).unwrap_or_default());
        changed |= settle_block(removed, added, said, &mut out);
    }
    out.extend(old.get(at..).unwrap_or_default());
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
            let is_justified = may_replace(old, &words, said);
            out.push(if is_justified { new } else { old });
            changed |= is_justified;
        } else if words.was_said(said) {
            out.push(new);
            changed = true;
        }
    }
    changed | drop_some(rest, said, out)
}

/// True if the operator said a new word, or turned from a missing one; repeated words and whole clauses do not go
/// missing otherwise.
fn may_replace(old: &str, new: &Words, said: &Words) -> bool {
    let own = Words::of(old);
    let (added, left) = (new.without(&own), own.without(new));
    let is_turned = |words: &Words| said.turned_from(words);
    let is_kept = |word: &(String, bool)| said.repeats(word) && !said.repeats(&(word.0.clone(), !word.1));
    let mut parts = clauses(old).map(Words::of);
    if left.iter().any(|word| is_kept(word))
        || parts.any(|part| !part.said.is_empty() && part.shared(new) == 0 && !is_turned(&part))
    {
        return false;
    }
    if added.is_empty() {
        left.iter().any(|(word, is_negated)| said.repeats(&(word.clone(), !is_negated)))
    } else {
        added.iter().any(|word| said.has(word))
    }
}

/// True if the operator turned from a clause, and repeated no other.
fn may_drop(old: &str, said: &Words) -> bool {
    let parts: Vec<Words> = clauses(old).map(Words::of).collect();
    let is_turned = |part: &Words| said.turned_from(part);
    let is_repeated = |part: &Words| part.said.iter().any(|word| said.repeats(word));
    parts.iter().any(is_turned) && parts.iter().all(|part| is_turned(part) || !is_repeated(part))
}

/// Drops the sentences that the operator turned from, and keeps the others.
fn drop_some<'t>(removed: &[&'t str], said: &Words, out: &mut Vec<&'t str>) -> bool {
    let before = out.len();
    out.extend(removed.iter().filter(|old| !may_drop(old, said)));
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
