//! Never decides.
//!
//! Owns the words that give away what an operator means. English only: other languages get the defaults.

/// Words in front of a title.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const FILLERS: &[&str] = &[
    "please", "can", "could", "would", "will", "you", "i", "we", "want", "need", "wish", "like", "to",
    "let's", "let", "lets", "us", "me", "build", "make", "create", "write", "design", "develop",
    "implement", "code", "generate", "draft", "give", "show", "prepare", "do", "a", "an", "the", "some",
    "new", "simple", "small", "little", "working", "hi", "hello", "hey", "of", "i'd", "have", "objective",
    "goal", "task",
];

/// Words in front of a feature.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const FEATURE_FILLERS: &[&str] = &[
    "it", "that", "which", "should", "must", "can", "will", "also", "has", "have", "a", "an", "the", "and",
    "with", "where", "you", "i", "one", "users", "people", "lets", "let", "me", "us", "includes", "include",
    "including", "add", "to", "please", "there", "is", "are", "be", "able", "plus", "make", "use", "using",
    "some", "in", "python", "rust", "javascript", "node",
];

/// Where a title ends and the rest of a sentence begins.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const TITLE_ENDS: &[&str] = &[
    " with ", " that ", " which ", " where ", " using ", " including ", " so ", " and it ", " in python",
    " in rust", " in javascript", " as a ", ", ", ": ", "; ", " (", " – ", " — ",
];

/// What stands before a proper name.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const NAME_MARKS: &[&str] = &[
    " called ", " named ", " titled ",
];

/// Where a sentence ends.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const SENTENCE_ENDS: &[&str] = &[
    ". ", "! ", "? ", "\n", "。", "！", "？",
];

/// Where one feature ends and the next begins.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const FEATURE_BREAKS: &[&str] = &[
    ", ", ";", "\n", ". ", "! ", " and ", " with ", " that ", " which ", " where ", " plus ",
    " as well as ", " including ", "•", "、", "，", "。",
];

/// Openings of clauses that tell about the operator or the setting, not about the work.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const ASIDES: &[&str] = &[
    "i ", "i'm ", "we ", "my ", "our ", "this is", "it is", "it's", "for ", "thanks", "because",
];

/// Words of greetings and thanks.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const COURTESIES: &[&str] = &[
    "hi", "hello", "hey", "thanks", "thank", "thx", "great", "nice", "cool", "good", "ok", "okay",
    "perfect", "lovely", "awesome", "wow", "bye", "morning", "evening", "afternoon", "everyone", "all",
    "team", "you", "very", "much", "so", "job", "work", "well", "done", "there",
];

/// Words that open a question.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const ASKING: &[&str] = &[
    "what", "why", "how", "who", "when", "where", "which", "is", "are", "does", "do", "did", "explain",
    "tell", "describe", "summarize", "summarise", "has", "have", "was", "were",
];

/// Verbs that ask for work.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const VERBS: &[&str] = &[
    "add", "build", "make", "create", "write", "change", "rename", "remove", "delete", "drop", "set", "use",
    "put", "turn", "call", "give", "include", "insert", "show", "hide", "replace", "increase", "decrease",
    "design", "let", "draft", "implement", "title", "colour", "color", "paint", "need", "want", "update",
    "switch", "rewrite", "extend",
];

/// Words that ask to begin or to go on.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const GOING_ON: &[&str] = &[
    "go", "start", "begin", "continue", "proceed", "go on", "go ahead", "next", "finish", "fix", "address",
    "resume", "build it", "make it", "do it", "keep going", "carry on", "get going", "let's go", "lets go",
    "work on it",
];

/// Words that may stand beside those without adding a wish.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const GOING_ON_FILL: &[&str] = &[
    "it", "on", "ahead", "with", "the", "review", "findings", "finding", "them", "this", "that", "all",
    "now", "please", "plan", "work", "your", "rest", "and", "these", "open", "items", "building", "then",
    "let's", "lets", "ok", "okay", "objective", "everything", "critic", "critic's", "to", "by", "points",
    "issues", "team", "everyone", "started", "us",
];

/// Things whose name ends where "to" tells what they are for.
#[rustfmt::skip]
pub(in crate::engine::rehearsal) const THINGS: &[&str] = &[
    "script", "program", "tool", "app", "application", "page", "website", "site", "calculator", "converter",
    "tracker", "timer", "list", "game", "widget", "quiz", "cli",
];
