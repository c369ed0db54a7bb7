//! Checks each language of `public/languages` against the English texts in the sources, in both directions.
//!
//! The sources are read as tokens, so that `view!` is covered too. A text is the literal in `tr(…)`, `Text(…)`,
//! `tr_in(…)`, `known(…)` and `keywords(…)`, both literals of `notice(…)`, the template of `text!(…)` and of each row and
//! case of `texts! { … }`, and the two nouns of `count(…)` and `counted(…)`; also the tables of settings, providers,
//! commands and templates, and the page before the program. `crates/view/src/strings` contains no other form.
//!
//! Texts of engine, model and codecs are covered too: each sentence there is a template of `translate_template`
//! (`nexus_view::language`), or is listed in [`NOT_TOLD`], or is in a file that writes only for models or servers.

#![allow(clippy::unwrap_used, clippy::string_slice, clippy::indexing_slicing, reason = "these are tests")]

mod plurals;
mod screens;
#[path = "languages/tokens.rs"]
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use nexus_model::agent::defaults::templates;
use nexus_model::provider::presets::DEMO_OBJECTIVES;
use nexus_model::provider::presets::PRESETS;
use nexus_model::run::PauseCause;
use nexus_model::run::templates::graph_templates;
use nexus_model::settings::schema::{AnySetting, SCHEMA};
use nexus_view::language::{
    Format, Language, TEMPLATE_PREFIX, Text, choose, count, places, translate_template,
};
use nexus_view::mention::slash::SLASH_COMMANDS;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use serde_json::{Map, Value};

use crate::languages::tokens::{is_named, literal, read, root, sources};

/// Texts of the page before boot.js has run.
const OF_THE_SHELL: [&str; 4] = [
    "Starting…",
    "Write your message while Nexus starts",
    "What should we build?",
    "Nexus runs entirely in this page, in JavaScript and WebAssembly. JavaScript is turned off here: allow it for this site, then reload the page.",
];

/// Literals among the strings that are not translated: for models or files, or keys of the editor's phrases.
const NO_TEXTS: [&str; 10] = [
    "The objective is met, every file works as it stands, and nothing asked for is left open.",
    "run {}\n{}\n\nnodes\n",
    "{turns} of {} turns",
    "waits for {waits}",
    "Find",
    "Replace",
    "match case",
    "by word",
    "replace all",
    "Go to line",
];
/// Functions with a number and the two nouns of what it counts.
const COUNTS: [&str; 2] = ["count", "counted"];

/// The texts of the interface.
const STRINGS: [&str; 2] = ["crates/view/src/strings.rs", "crates/view/src/strings"];

/// Folders whose texts are read by people as well as by models and logs.
const SPEAKING: [&str; 4] = ["crates/engine/src", "crates/model/src", "crates/providers/src", "src/browser"];

/// Files of these that write only for models, servers and files, or contain texts of servers; by suffix.
const NOT_SPEAKING: &[&str] = &[
    "/agent/defaults.rs",
    "/backup/export.rs",
    "/calls/prompt.rs",
    "/calls/retry.rs",
    "/checks/files.rs",
    "/command_loop/purge.rs",
    "/context/history.rs",
    "/core_sync/wording.rs",
    "/demo.rs",
    "/encode.rs",
    "/providers/src/error.rs",
    "/jobs/prompts.rs",
    "/mind/blob.rs",
    "/mind/sandbox.rs",
    "/ollama.rs",
    "/presets.rs",
    "/provider/vision.rs",
    "/queries/inspect.rs",
    "/run/context_pack.rs",
    "/run/terminal.rs",
    "/settings/schema.rs",
    "/tools/read_preview_console.rs",
    "/turns.rs",
];

/// Further sentences for models, logs and patterns only.
const NOT_TOLD: &[&str] = &[
    "(Both have an image of that name, or one of them. It stays as it is here.)",
    "(It was removed here. The worker's version:)\n{there}",
    "(The worker removed it.)",
    "- FAILED {0}: {1}{at}\n  {message}",
    ".git .hg .svn node_modules bower_components target dist build out vendor .venv venv __pycache__ .cache .next .gradle .idea .vscode",
    "A file is active that you are not allowed to see.",
    "An image has no lines. Whoever may see it is shown it where a message names it with #.",
    "Archivist of {label}",
    "Both versions:\n{shown}",
    "Clash in",
    "Cut after line {shown_to}; read on from there.",
    "End your turn now. The answer comes as an envelope of the operator.",
    "Everything is idle. Decide what comes next, or finish the run.",
    "Google Gemini",
    "It also changed the {name} of its copy. That is not merged: the {name} here stands. Take over what is needed. It reads there:\n{0}",
    "It changed no files.",
    "It had said:\n\n{reply}",
    "It works now, on its own copy of the files. Its report comes to you later, as a <report>. Do not wait for it in this turn, and do not do its task meanwhile.",
    "Merged into the files: {0}.",
    "None of its files was merged.",
    "Nothing has changed since your last turn. Start a node, ask the operator, or finish the run.",
    "Nothing of its files was merged.",
    "Only {0} are shown. Look for more of the text, or in fewer files.",
    "Takes what you propose for each clash, and why. Call it once; it is your whole answer.",
    "Takes what you want to change in the mind, and why. Call it once; it is your whole answer.",
    "The operator stopped the task “{title}” before it was done.",
    "The run ends with your turn.",
    "The task “{title}” came to nothing: the worker's session is not on this device any more.",
    "The task “{title}” failed: {0}",
    "The task “{title}” is done.",
    "There is no active file.",
    "again after",
    "embedding tts whisper transcribe image dall-e moderation realtime audio sora davinci babbage instruct translate",
    "not accepted",
    "not read",
    "not read: {bytes} bytes of {modified}",
    "nothing changed: it was like this already",
    "retry after",
    "retry in",
    "stop eos eos_token end end_turn stop_sequence stop_token stop_str complete completed done finish finished normal success",
    "try again in",
    "unknown variant",
    "{0} and {more} more",
    "{name} was not merged, because the same lines were changed here meanwhile. It stands as it was here. Write again what is still needed.",
    "{of}, lane {place}: {model}",
    "{to} runs when your turn has ended.",
    "{to} runs when the operator starts it.",
    "{year}-{month}-{day}T{hour}:{minute}:{second}Z",
    "how long does it take",
    "artifacts/{0}/turn-{1}.patch",
    "{0}: too large to show",
    "logs/{0}/turn-{turn}.log",
    "reports/{0}/turn-{turn}.json",
    "nexus key {VERSION}\n{0}\n{1}",
    "the end",
    "{key}_quarantine_{number}",
    "{open} one\n{ours}{middle}\n{theirs}{end} other",
];

/// Console output of the frames of previews and checks.
const OF_FRAMES: [(&str, &[&str]); 2] = [
    (
        "preview",
        &[
            "More than {MOST_LINES} lines; the rest is left out.",
            "Blocked: {now}. Nothing leaves the preview.",
            "Form submission blocked. Nothing leaves the preview.",
            "Request blocked: {method} {name}. Nothing leaves the preview.",
            "The file {name} is not in this session.",
            "{name} is not an image that a browser can show.",
        ],
    ),
    (
        "check",
        &[
            "It took longer than {ms} ms.",
            "Does not parse: {0}",
            "Stopped: no output for a while. Is there an infinite loop?",
            "Stopped: it wrote too much output.",
            "Stopped: the time for all checks is over.",
            "The sandbox failed: {0}",
        ],
    ),
];

/// Formats numbers and dates in English, and asks the platform in other languages.
const ENGLISH: &str = "strings/format.rs";

fn is_word(text: &str) -> bool {
    let mut outside = true;
    text.chars().any(|sign| {
        outside = match sign {
            '{' => false,
            '}' => true,
            _ => outside,
        };
        outside && sign.is_ascii_alphabetic()
    })
}

fn is_sign(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(sign)) if sign.as_char() == wanted)
}

/// The template with numbers for unnamed placeholders, as in `text!`.
fn numbered(template: &str) -> String {
    let mut pieces = template.split("{}");
    let first = pieces.next().unwrap().to_owned();
    pieces.enumerate().fold(first, |text, (number, piece)| format!("{text}{{{number}}}{piece}"))
}

/// Texts, and literals in no form of a text.
#[derive(Default)]
struct Found {
    texts: BTreeMap<String, String>,
    bare: Vec<String>,
}

impl Found {
    fn of(paths: &[&str]) -> Self {
        let mut found = Self::default();
        sources(paths).into_iter().for_each(|(place, tokens)| found.walk(tokens, &place));
        found
    }

    fn add(&mut self, text: String, place: &str) {
        // Quotation marks depend on the language too.
        if is_word(&text) || text.contains('“') {
            self.texts.entry(text).or_insert_with(|| place.to_owned());
        }
    }

    fn walk(&mut self, tokens: TokenStream, place: &str) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let before = |steps: usize| at.checked_sub(steps).and_then(|at| tokens.get(at));
            if let TokenTree::Group(group) = token {
                self.group(group, before(1), before(2), place);
            } else {
                self.bare(&tokens, at, place);
            }
        }
    }

    fn group(&mut self, group: &Group, before: Option<&TokenTree>, earlier: Option<&TokenTree>, place: &str) {
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let literals: Vec<String> = inner.iter().filter_map(literal).collect();
        let first = inner.first().and_then(literal);
        let is_call = group.delimiter() == Delimiter::Parenthesis;
        let is_text_call = ["tr", "Text", "known", "keywords"].iter().any(|name| is_named(before, name));
        match first {
            _ if is_named(earlier, "texts") && is_sign(before, '!') => match first {
                Some(_) => literals.into_iter().for_each(|text| self.add(text, place)),
                None => self.table(inner, place),
            },
            Some(_) if is_call && is_named(before, "notice") => {
                literals.into_iter().for_each(|text| self.add(text, place));
            }
            Some(text) if is_call && is_text_call => self.add(text, place),
            Some(context) if is_call && is_named(before, "tr_in") => {
                self.add(format!("{context}|{}", literals[1]), place);
            }
            Some(template) if is_call && is_named(earlier, "text") => {
                self.add(numbered(&template), place);
                self.walk(inner.into_iter().skip(1).collect(), place);
            }
            _ if is_call && COUNTS.iter().any(|name| is_named(before, name)) && literals.len() >= 2 => {
                let (one, many) = (&literals[literals.len() - 2], &literals[literals.len() - 1]);
                self.texts.entry(format!("{one}|{many}")).or_insert_with(|| place.to_owned());
            }
            Some(_) | None => self.walk(group.stream(), place),
        }
    }

    /// Reads the rows of `texts!`: the template of each follows its `=`. In the cases of a function, a template follows
    /// the `=>`, and the advice of a notice the comma after it.
    fn table(&mut self, tokens: Vec<TokenTree>, place: &str) {
        let mut others = TokenStream::new();
        let mut is_template = false;
        for token in tokens {
            match (&token, literal(&token).filter(|_| is_template)) {
                (_, Some(template)) => self.add(numbered(&template), place),
                (TokenTree::Group(cases), None)
                    if cases.delimiter() == Delimiter::Brace && cases.to_string().contains("=>") =>
                {
                    self.table(cases.stream().into_iter().collect(), place);
                }
                (_, None) => others.extend([token.clone()]),
            }
            is_template = matches!(&token, TokenTree::Punct(sign) if "=>,".contains(sign.as_char()));
        }
        self.walk(others, place);
    }

    /// Records a literal that looks like a sentence or a title but is in no form of a text.
    fn bare(&mut self, tokens: &[TokenTree], at: usize, place: &str) {
        let Some(text) = tokens.get(at).and_then(literal) else { return };
        let begins = text.chars().next().is_some_and(|first| first.is_ascii_uppercase());
        let has_words =
            text.split([' ', '\u{a0}']).filter(|word| is_word(word) && word.len() > 1).count() > 1;
        let is_pattern =
            matches!(tokens.get(at + 1), Some(TokenTree::Punct(sign)) if "|=".contains(sign.as_char()));
        let is_compared = matches!(at.checked_sub(1).and_then(|at| tokens.get(at)), Some(TokenTree::Punct(sign)) if sign.as_char() == '|');
        let of_code = text.contains(['<', '#']) || text.contains("://");
        if is_word(&text) && (begins || has_words) && !is_pattern && !is_compared && !of_code {
            self.bare.push(format!("{place}: {text:?}"));
        }
    }
}

/// True for a sentence or a template of one.
fn is_sentence(text: &str) -> bool {
    let bare: String =
        text.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, rest)| rest)).collect();
    let words = bare.split_whitespace().filter(|word| is_word(word) && word.len() > 1).count();
    words > 1 || words == 1 && text.matches('{').count() > 1
}

/// The template of a `format!` as `told` searches it: trimmed and without format specifiers.
fn template(text: &str) -> String {
    let mut pieces = text.trim().split('{');
    let first = pieces.next().unwrap().to_owned();
    let mut unnamed = 0;
    pieces.fold(first, |made, piece| {
        let Some((place, rest)) = piece.split_once('}') else { return format!("{made}{{{piece}") };
        let name = place.split(':').next().unwrap();
        if !name.is_empty() {
            return format!("{made}{{{name}}}{rest}");
        }
        unnamed += 1;
        format!("{made}{{{}}}{rest}", unnamed - 1)
    })
}

/// The sentences of a file as templates.
fn sentences(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            // Nouns of counts are no sentences.
            TokenTree::Ident(word) if word == "counted" => at += 1,
            TokenTree::Group(group) => sentences(group.stream(), found),
            TokenTree::Literal(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => {
                let is_pattern =
                    matches!(tokens.get(at), Some(TokenTree::Punct(sign)) if "|=".contains(sign.as_char()));
                found.extend(
                    literal(token)
                        .filter(|text| is_sentence(text) && !is_pattern)
                        .map(|text| template(&text)),
                );
            }
        }
    }
}

/// Templates of texts that are stored in English and shown in the language of the interface.
fn of_the_engine() -> Vec<(String, String)> {
    let is_excluded = |file: &str| {
        NOT_SPEAKING.iter().any(|end| file.ends_with(end))
            || ["/demo/", "/tests/", "testing"].iter().any(|part| file.contains(part))
    };
    let mut found = Vec::new();
    let mut unused: BTreeSet<&str> = NOT_TOLD.iter().copied().collect();
    for (file, tokens) in sources(&SPEAKING).into_iter().filter(|(file, _)| !is_excluded(file)) {
        let mut templates = BTreeSet::new();
        sentences(tokens, &mut templates);
        for text in templates {
            if !NOT_TOLD.contains(&&*text) {
                found.push((text, file.clone()));
            } else {
                unused.remove(&*text);
            }
        }
    }
    assert!(unused.is_empty(), "no longer in the sources: {unused:#?}");
    for (name, texts) in OF_FRAMES {
        let page = read(&format!("public/{name}.html"));
        for text in texts {
            let first = text.split('{').max_by_key(|piece| piece.len()).unwrap();
            let written = first.split_once('}').map_or(first, |(_, rest)| rest);
            assert!(page.contains(written), "{name}.html does not write {text:?}");
            found.push(((*text).to_owned(), format!("{name}.html")));
        }
    }
    found
}

/// The English texts of the program, each with its source file.
fn texts() -> BTreeMap<String, String> {
    let mut found = Found::of(&["crates/view/src", "src/ui"]);
    let counted = Found::of(&SPEAKING).texts.into_iter().filter(|(text, _)| text.contains('|'));
    found.texts.extend(counted);
    for (setting, info) in &SCHEMA {
        let names = match setting {
            AnySetting::Choice(choice) => choice.kind.options.iter().map(|(_, name)| *name).collect(),
            AnySetting::Check(_)
            | AnySetting::Number(_)
            | AnySetting::Text(_)
            | AnySetting::Own(_)
            | AnySetting::Rows(_) => Vec::new(),
        };
        let own = [info.label, info.hint, info.error, info.keywords, info.imported.unwrap_or_default()];
        for text in own.into_iter().chain(names) {
            found.add(text.to_owned(), "the schema of settings");
        }
    }
    for preset in &PRESETS {
        for text in preset.steps().iter().copied().chain(preset.cors_switch) {
            found.add(text.to_owned(), "the presets of providers");
        }
    }
    for command in SLASH_COMMANDS {
        found.add(command.about.to_owned(), "the commands of the composer");
    }
    for agent in templates().iter().filter(|agent| !agent.description.is_empty()) {
        found.add(agent.description.clone(), "the templates of agents");
    }
    for one in &DEMO_OBJECTIVES {
        found.add(one.title.to_owned(), "the objectives of the demo");
    }
    for template in graph_templates() {
        found.add(template.name.clone(), "the graph templates");
        found.add(template.about.clone(), "the graph templates");
    }
    for (text, place) in of_the_engine() {
        found.add(format!("{TEMPLATE_PREFIX}{text}"), &place);
    }
    for script in ["boot", "recovery", "dump", "watchdog"] {
        let text = read(&format!("public/{script}.js"));
        for rest in text.split("tr(\"").skip(1) {
            found.add(rest.split_once('"').unwrap().0.to_owned(), script);
        }
    }
    let page = read("index.html").split_whitespace().collect::<Vec<_>>().join(" ");
    for text in OF_THE_SHELL {
        assert!(page.contains(text), "{text}");
        found.add(text.to_owned(), "index.html");
    }
    found.texts
}

/// The language files by name.
fn languages() -> Vec<(String, Map<String, Value>)> {
    let folder = fs::read_dir(root().join("public/languages")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path()).map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let words = serde_json::from_str(&text).unwrap();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), words)
    });
    files.collect()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = places(text).filter(|name| !name.contains('"')).collect();
    names.sort_unstable();
    names
}

/// Every text needs a translation in each file, and every translation its text.
#[test]
fn each_language_has_every_text_and_no_other() {
    let texts = texts();
    assert!(texts.len() > 2_000, "texts were not found: {}", texts.len());
    let mut wrong = Vec::new();
    for (file, words) in languages() {
        for (text, place) in texts.iter().filter(|(text, _)| !words.contains_key(*text)) {
            wrong.push(format!("{file} lacks {text:?} of {place}"));
        }
        for text in words.keys().filter(|text| !text.is_empty() && !texts.contains_key(*text)) {
            wrong.push(format!("{file} translates {text:?}, which is not in the sources"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_translation_has_the_placeholders_and_plural_forms_of_its_text() {
    let mut wrong = Vec::new();
    for (file, words) in languages() {
        let mut forms = BTreeSet::new();
        for (text, translation) in &words {
            let is_right = match translation {
                Value::String(own) => {
                    let edges = |text: &str| (text.starts_with(' '), text.ends_with(' '));
                    !own.is_empty() && sorted(own) == sorted(text) && edges(own) == edges(text)
                }
                Value::Object(own) => {
                    forms.insert(own.keys().cloned().collect::<Vec<_>>());
                    let each = |form: &Value| form.as_str().is_some_and(|form| sorted(form) == ["n"]);
                    text.contains('|') && own.contains_key("other") && own.values().all(each)
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
            };
            if !is_right {
                wrong.push(format!("{file}: {text:?} → {translation}"));
            }
        }
        // All counts of a language have the same plural forms.
        assert_eq!(forms.len(), 1, "{file}: {forms:?}");
        assert!(words.get("").is_some_and(Value::is_string), "{file} has no name");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn all_strings_can_be_translated() {
    let mut found = Found::of(&STRINGS);
    found.bare.retain(|bare| {
        !bare.contains(ENGLISH) && !NO_TEXTS.iter().any(|known| bare.ends_with(&format!(": {known:?}")))
    });
    assert!(found.bare.is_empty(), "write these with Text, tr, text! or count: {:#?}", found.bare);
}

#[test]
fn no_two_constants_have_the_same_text() {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (place, tokens) in sources(&STRINGS) {
        for piece in tokens.to_string().split("const ").skip(1) {
            if let Some((name, rest)) = piece.split_once(" : Text = Text (")
                && let Some((literal, _)) = rest.split_once(") ;")
            {
                let literal = literal.trim().trim_end_matches(',').trim();
                names.entry(literal.to_owned()).or_default().push(format!("{place}: {name}"));
            }
        }
    }
    assert!(names.len() > 1_000, "{}", names.len());
    names.retain(|_, places| places.len() > 1);
    assert!(names.is_empty(), "a text that several places show is in strings/common.rs: {names:#?}");
}

/// The German file is read by the program.
#[test]
fn german_texts_are_translated() {
    let (_, words) = languages().into_iter().find(|(file, _)| file == "de.json").unwrap();
    let platform = |what: Format<'_>| match what {
        Format::Plural(number) => Some(if number == 1 { "one" } else { "other" }.to_owned()),
        Format::Number(number, _) => Some(number.to_string()),
        Format::Money(_) | Format::Day(_) | Format::Time(_) | Format::List(_) => Some(String::new()),
    };
    choose(Language::read(&Value::Object(words).to_string(), Box::new(platform)).unwrap());
    assert_eq!(Text("Settings").get(), "Einstellungen");
    assert_eq!(
        (count(1, "turn", "turns"), count(3, "turn", "turns")),
        ("1 Beitrag".into(), "3 Beiträge".into())
    );
    assert_eq!(nexus_view::strings::agents::mute_of("Ada", true), "Stummschaltung von Ada aufheben");
    assert_eq!(nexus_view::strings::first_start::local_found(1), "1 Modell gefunden.");
    // Texts that the engine stored in English.
    let pause = PauseCause::NodeLimit {
        node: "build".into(),
        evidence: "It has made 3 model calls, its limit.".to_owned(),
    };
    let shown = nexus_view::strings::pause(&pause).advice;
    assert!(shown.starts_with("Der Knoten hat 3 Modellaufrufe gemacht, das ist seine Grenze. "), "{shown}");
    let pause = PauseCause::Loop { evidence: "a was called 3 times with the same arguments".to_owned() };
    let shown = nexus_view::strings::pause(&pause).advice;
    assert!(shown.starts_with("a wurde 3-mal mit denselben Argumenten aufgerufen. "), "{shown}");
    assert_eq!(
        translate_template("It has had 1 turn, its limit."),
        "Der Knoten hat 1 Beitrag gehabt, das ist seine Grenze."
    );
    assert_eq!(
        translate_template("1 of 2 tests passed. Tests skipped: 1."),
        "Bestandene Tests: 1 von 2. Übersprungene Tests: 1."
    );
}

#[test]
fn boot_js_formats_what_the_program_asks_for() {
    let (program, boot) = (read("src/ui/hooks/page.rs"), read("public/boot.js"));
    let asked =
        program.split("Format::").skip(1).filter_map(|arm| arm.split_once("=> (\"")?.1.split('"').next());
    let table = boot.split("const make = {").nth(1).unwrap().split("};").next().unwrap();
    let made = table.lines().filter_map(|line| line.split_once(": (")).map(|(kind, _)| kind.trim());
    assert_eq!(asked.collect::<BTreeSet<_>>(), made.collect::<BTreeSet<_>>());
}
