//! Never sees files or plans.
//!
//! Owns the understanding of an objective: its title, the kind of work, the features it names, and what a message
//! wants from the agents. Words are matched against tables; there is no grammar.

mod vocabulary;

pub(super) use vocabulary::VERBS;
use vocabulary::{
    ASIDES, ASKING, COURTESIES, FEATURE_BREAKS, FEATURE_FILLERS, FILLERS, GOING_ON, GOING_ON_FILL,
    NAME_MARKS, SENTENCE_ENDS, THINGS, TITLE_ENDS,
};

use super::words::{capital, clean, mentions, split_at_any, strip_front, words};
use super::works::{Kind, data::DATA_WORDS, document, script, web};

/// What is to be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Brief {
    /// At most 48 characters.
    pub(super) title: String,
    pub(super) kind: Kind,
    /// In the operator's words, at most six; the kind's own where none are named.
    pub(super) features: Vec<String>,
}

/// What a message wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    /// Nothing but an answer.
    Question,
    /// Not even that: a greeting, thanks.
    Courtesy,
    /// Begin or go on with what is planned.
    GoOn,
    /// Something new.
    Work,
}

const TITLE_MOST: usize = 48;
const FEATURE_MOST: usize = 64;
const FEATURES_MOST: usize = 6;

impl Brief {
    /// Understands `objective`, with `wishes` that came with it.
    pub(super) fn of(objective: &str, wishes: &str) -> Self {
        let kind = Kind::of(&format!("{objective}\n{wishes}"));
        let source = if objective.trim().is_empty() { wishes } else { objective };
        let (name, rest) = title(source);
        let mut features = Vec::new();
        collect(rest, &mut features);
        if source != wishes {
            collect(wishes, &mut features);
        }
        if features.is_empty() {
            features = kind.usual_features().iter().map(|feature| (*feature).to_owned()).collect();
        }
        Self { title: name, kind, features }
    }
}

/// The name of the work, and the part of `text` that says more than its name.
fn title(text: &str) -> (String, &str) {
    let text =
        text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '-' | '"' | '“'));
    let text = strip_front(text, FILLERS);
    let (first, after) = match split_at_any(text, SENTENCE_ENDS) {
        Some((first, after)) if !first.trim().is_empty() => (first, after),
        Some(_) | None => (text, ""),
    };
    let (head, tail) = match purpose(first).or_else(|| split_at_any(first, TITLE_ENDS)) {
        Some((head, _)) if !head.trim().is_empty() => (head, first.get(head.len()..).unwrap_or_default()),
        Some(_) | None => (first, ""),
    };
    let named = split_at_any(first, NAME_MARKS).map(|(_, name)| {
        split_at_any(name, TITLE_ENDS)
            .or_else(|| split_at_any(name, &[" and "]))
            .map_or(name, |(name, _)| name)
    });
    let name = clean(named.unwrap_or(head), TITLE_MOST);
    let name = capital(name.trim_matches(|c: char| c.is_whitespace() || ".,:;!?\"“”'`".contains(c)));
    let rest = if tail.is_empty() { after } else { text.get(head.len()..).unwrap_or_default() };
    (if name.is_empty() { "Untitled idea".to_owned() } else { name }, rest)
}

/// "A script to …": what a thing is for is no part of its name, while "a letter to …" is. Only where nothing else
/// ends the name before.
fn purpose(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = split_at_any(text, &[" to "])?;
    let thing = words(head).pop()?;
    let ends_before = split_at_any(head, TITLE_ENDS).is_some();
    (THINGS.contains(&thing.as_str()) && !ends_before).then_some((head, rest))
}

fn collect(text: &str, features: &mut Vec<String>) {
    // Far more text than six features can come from is not looked at.
    let mut rest: &str = text.get(..text.floor_char_boundary(4_000)).unwrap_or_default();
    while !rest.is_empty() && features.len() < FEATURES_MOST {
        let (piece, after) = split_at_any(rest, FEATURE_BREAKS).unwrap_or((rest, ""));
        rest = after;
        let known =
            |feature: &String| features.iter().any(|known| known.to_lowercase() == feature.to_lowercase());
        features.extend(feature(piece).filter(|feature| !known(feature)));
    }
}

/// A clause as a feature, if it says anything.
pub(super) fn feature(clause: &str) -> Option<String> {
    let clause = clause.trim().trim_start_matches(|c: char| !c.is_alphanumeric());
    let lower = clause.to_lowercase();
    if ASIDES.iter().any(|aside| lower.starts_with(aside)) || intent(clause) == Intent::GoOn {
        return None;
    }
    if ["called ", "named ", "titled "].iter().any(|mark| lower.starts_with(mark)) {
        return None;
    }
    let bare = clean(strip_front(clause, FEATURE_FILLERS), FEATURE_MOST);
    let bare = bare.trim_matches(|c: char| c.is_whitespace() || ".,:;!?\"“”`)]}".contains(c));
    let letters = bare.chars().filter(|c| c.is_alphanumeric()).count();
    let ideographs = bare.chars().any(|c| c as u32 > 0x2e80);
    (letters >= 3 || (ideographs && letters > 0)).then(|| bare.to_owned())
}

/// What `message` wants where `objective` is known. Who sends the objective once more wants to begin.
pub(super) fn intent_with(message: &str, objective: &str) -> Intent {
    let message = message.trim();
    if !message.is_empty() && message == objective.trim() { Intent::GoOn } else { intent(message) }
}

/// What `message` wants.
pub(super) fn intent(message: &str) -> Intent {
    let said = words(message);
    let all_in =
        |lists: &[&[&str]]| said.iter().all(|word| lists.iter().any(|list| list.contains(&word.as_str())));
    if said.len() <= 10
        && mentions(message, GOING_ON)
        && all_in(&[GOING_ON, GOING_ON_FILL, &["build", "make", "do"]])
    {
        return Intent::GoOn;
    }
    if said.len() <= 6 && all_in(&[COURTESIES]) {
        return if said.is_empty() && message.trim().is_empty() { Intent::GoOn } else { Intent::Courtesy };
    }
    let polite =
        strip_front(message, &["please", "can", "could", "would", "will", "you", "we", "also", "and", "now"]);
    if words(polite).first().is_some_and(|first| VERBS.contains(&first.as_str())) {
        return Intent::Work;
    }
    let asks = message.trim_end().ends_with(['?', '؟', '？'])
        || said.first().is_some_and(|first| ASKING.contains(&first.as_str()));
    if asks { Intent::Question } else { Intent::Work }
}

/// Words that settle the kind of work, strongest first.
pub(super) fn kind_of(text: &str) -> Kind {
    // The kind is settled by how an objective begins, not by its appendix.
    let text = text.get(..text.floor_char_boundary(4_000)).unwrap_or(text);
    if let Some(language) = script::language_of(text) {
        return Kind::Script(language);
    }
    if mentions(text, web::SURE_WORDS) {
        return Kind::Web(web::archetype_of(text));
    }
    if mentions(text, DATA_WORDS) {
        return Kind::Data;
    }
    match (document::form_of(text), web::named_archetype(text)) {
        (Some((form, place)), Some((_, other))) if place <= other => Kind::Document(form),
        (Some((form, _)), None) => Kind::Document(form),
        (_, Some((archetype, _))) => Kind::Web(archetype),
        (None, None) => Kind::Web(web::archetype_of(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_features_come_from_the_operators_words() {
        let brief = Brief::of("Build a tip calculator that splits the bill, and remembers the last tip", "");
        assert_eq!(brief.title, "Tip calculator");
        assert_eq!(brief.features, ["splits the bill", "remembers the last tip"]);
        assert_eq!(brief.kind.label(), "web page (calculator)");

        let brief =
            Brief::of("Please make a landing page for a bakery called Crumb and Co with opening hours", "");
        assert_eq!(brief.title, "Crumb and Co");
        assert_eq!(brief.features, ["opening hours"]);

        let brief = Brief::of("node script to sum numbers and sort lines", "");
        assert_eq!(brief.title, "Node script");
        assert_eq!(brief.features, ["sum numbers", "sort lines"]);

        let brief = Brief::of("", "");
        assert_eq!(brief.title, "Untitled idea");
        assert!(!brief.features.is_empty());

        assert_eq!(Brief::of("قائمة مهام بسيطة", "").title, "قائمة مهام بسيطة");
    }

    #[test]
    fn kinds_follow_the_words() {
        for (objective, label) in [
            ("a pomodoro timer", "web page (timer)"),
            ("todo list", "web page (list)"),
            ("Snake game", "web page (snake game)"),
            ("a python script that counts words in a page", "script (Python)"),
            ("a command line tool in Rust to sort lines", "script (Rust)"),
            ("guide to growing tomatoes", "document (guide)"),
            ("a csv of planets", "data table"),
            ("landing page for a rust conference", "web page (landing page)"),
            ("A quiz app about capitals", "web page (quiz)"),
            ("something for birds", "web page (list)"),
            ("a letter to my landlord", "document (letter)"),
        ] {
            assert_eq!(Kind::of(objective).label(), label, "{objective}");
        }
    }

    #[test]
    fn messages_are_told_apart() {
        for (message, wanted) in [
            ("hello", Intent::Courtesy),
            ("Thanks, great work!", Intent::Courtesy),
            ("What is the plan?", Intent::Question),
            ("is it done", Intent::Question),
            ("Can you make it blue?", Intent::Work),
            ("go", Intent::GoOn),
            ("Fix the review findings", Intent::GoOn),
            ("build it", Intent::GoOn),
            ("add a search box", Intent::Work),
            ("blue", Intent::Work),
            ("a todo list", Intent::Work),
            ("ما هذا؟", Intent::Question),
            ("make it blue", Intent::Work),
        ] {
            assert_eq!(intent(message), wanted, "{message}");
        }
    }
}
