//! Random histories, in no provider's format and not always valid.
//!
//! They contain calls without results, results without calls, ids of every form, and empty texts.

use std::sync::Arc;

use nexus_model::llm::PromptEntry;
use nexus_model::message::content::{
    MessagePart, OpaqueData, PartBody, ToolArgs, ToolCall, ToolResult, calls_of,
};
use nexus_model::provider::vision::omit_images;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::makers::{MAKERS, Maker};
use crate::e2e::provider::{Answer, IssuedData};

/// Plan of a step.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A user message.
    Said { parts: Vec<SaidPart> },
    /// An answer of this model as its provider sends it.
    Answered {
        maker: usize,
        thinks: bool,
        hides: bool,
        texts: usize,
        calls: Vec<(usize, usize)>,
        results: Results,
    },
    /// An answer that only an import or an older version could contain.
    Odd { parts: Vec<OddPart>, results: Results },
    /// Results without calls.
    Orphans(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum SaidPart {
    Text,
    Nothing,
    Blank,
    Json,
    /// An image with stored bytes.
    Image,
    /// An image without.
    LostImage,
    Document,
}

#[derive(Clone, Debug)]
pub(super) enum OddPart {
    Text,
    Nothing,
    Trailing,
    Thinking,
    Json,
    /// A call with this id, name and arguments, by index.
    Call {
        id: usize,
        name: usize,
        args: usize,
        own: bool,
    },
    /// A text with opaque data of another provider.
    Foreign,
}

/// Results of an answer's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Results {
    All,
    None,
    First,
    Twice,
    Strange,
}

const NAMES: [&str; 7] = [
    "read_file",
    "update_nexus_state",
    "größe lesen",
    "",
    "a.b:c",
    "list_files",
    "really_a_very_long_name_for_a_tool_that_no_provider_would_ever_take_as_it_is_because_it_is_too_long",
];

const IDS: [&str; 8] = [
    "",
    "0",
    "functions.read_file:0",
    "call with blanks",
    "größe",
    "toolu_01EcJNDtgucTvxugUxuGcJmF",
    "an id so long that nobody who limits ids would take it as it is, whatever it may mean to whom it is from",
    "call_1",
];

const SPEAKERS: [&str; 5] = ["Ada", "Zoë 🦀", "Инженер", "建築家", "O'Hara \"Bo\""];

fn arguments(number: usize) -> ToolArgs {
    match number % 7 {
        0 => ToolArgs::Parsed(json!({})),
        1 => ToolArgs::Parsed(json!({ "name": "größe.rs", "lines": [1, 2] })),
        2 => ToolArgs::Broken("{\"name\": \"hal".to_owned()),
        3 => ToolArgs::Parsed(json!("a text")),
        4 => ToolArgs::Parsed(json!([1, 2])),
        5 => ToolArgs::Parsed(Value::Null),
        _ => ToolArgs::Broken(String::new()),
    }
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..9)
}

fn step() -> impl Strategy<Value = Step> {
    let said_part = prop_oneof![
        6 => Just(SaidPart::Text),
        1 => Just(SaidPart::Nothing),
        1 => Just(SaidPart::Blank),
        1 => Just(SaidPart::Json),
        1 => Just(SaidPart::Image),
        1 => Just(SaidPart::LostImage),
        1 => Just(SaidPart::Document),
    ];
    let odd_part = prop_oneof![
        3 => Just(OddPart::Text),
        1 => Just(OddPart::Nothing),
        1 => Just(OddPart::Trailing),
        1 => Just(OddPart::Thinking),
        1 => Just(OddPart::Json),
        1 => Just(OddPart::Foreign),
        4 => (0..IDS.len(), 0..NAMES.len(), 0..7_usize, any::<bool>())
            .prop_map(|(id, name, args, own)| OddPart::Call { id, name, args, own }),
    ];
    let calls = vec((0..2_usize, 0..2_usize), 0..4);
    prop_oneof![
        5 => vec(said_part, 1..4).prop_map(|parts| Step::Said { parts }),
        6 => (0..MAKERS.len(), any::<bool>(), any::<bool>(), 0..3_usize, calls, results()).prop_map(
            |(maker, thinks, hides, texts, calls, results)| {
                Step::Answered { maker, thinks, hides, texts, calls, results }
            }
        ),
        2 => (vec(odd_part, 0..5), results()).prop_map(|(parts, results)| Step::Odd { parts, results }),
        1 => (1..3_usize).prop_map(Step::Orphans),
    ]
}

fn results() -> impl Strategy<Value = Results> {
    prop_oneof![
        6 => Just(Results::All),
        1 => Just(Results::None),
        1 => Just(Results::First),
        1 => Just(Results::Twice),
        1 => Just(Results::Strange),
    ]
}

/// A history as the engine passes it to a codec, with facts about it.
#[derive(Default)]
pub(super) struct History {
    pub(super) entries: Vec<PromptEntry>,
    pub(super) blobs: VecMap<ContentHash, Arc<str>>,
    pub(super) issued: IssuedData,
    /// Texts of people and agents in order; each is unique.
    pub(super) texts: Vec<String>,
    /// Opaque strings that only this maker may receive; `None` means nobody.
    pub(super) secrets: Vec<(Option<Maker>, String)>,
    /// Those of them that the current turn needs back.
    pub(super) needed: Vec<(Maker, String)>,
    pub(super) images: usize,
    /// Number of images that are described instead of sent.
    pub(super) hidden: usize,
    count: usize,
}

impl History {
    /// Builds a history of these steps. It ends with a user message or with results, as prompts do.
    pub(super) fn of(steps: &[Step]) -> Self {
        let mut history = Self::default();
        for step in steps {
            history.take(step);
        }
        let is_asked = matches!(
            history.entries.last(),
            Some(PromptEntry::User(parts)) if parts.iter().any(|part| matches!(&part.body, PartBody::Text { text } if !text.trim().is_empty()))
        );
        if !is_asked && !matches!(history.entries.last(), Some(PromptEntry::ToolResults(_))) {
            history.take(&Step::Said { parts: vec![SaidPart::Text] });
        }
        history
    }

    /// Prepares it for a model without vision.
    pub(super) fn hide_images(&mut self) {
        let hashes: Vec<ContentHash> = self.blobs.keys().cloned().collect();
        omit_images(&mut self.entries, &hashes);
        self.hidden = std::mem::take(&mut self.images);
    }

    fn word(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{kind}-{:04}.", self.count)
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Said { parts } => {
                self.needed.clear();
                let parts = parts.iter().map(|part| self.said(*part)).collect();
                self.entries.push(PromptEntry::User(parts));
            }
            Step::Answered { maker, thinks, hides, texts, calls, results } => {
                let Some(maker) = MAKERS.get(*maker).copied() else { return };
                let before: Vec<String> = self.issued.keys().cloned().collect();
                let answer = self.answer(*thinks, *hides, *texts, calls);
                let parts = maker.answer(&answer, &mut self.issued);
                let fresh: Vec<String> =
                    self.issued.keys().filter(|key| !before.contains(key)).cloned().collect();
                for key in fresh {
                    let secret = key.strip_prefix("detail:").unwrap_or(&key).to_owned();
                    self.secrets.push((Some(maker), secret.clone()));
                    if *results == Results::All && !calls.is_empty() {
                        self.needed.push((maker, secret));
                    }
                }
                self.answered(parts, *results);
            }
            Step::Odd { parts, results } => {
                let parts = parts.iter().map(|part| self.odd(part)).collect();
                self.answered(parts, *results);
            }
            Step::Orphans(count) => {
                let answers = (0..*count).map(|number| {
                    let word = self.word("orphan");
                    ToolResult {
                        call_id: format!("lost-{number}"),
                        name: "read_file".to_owned(),
                        result: json!({ "text": word }),
                        is_error: number == 1,
                    }
                });
                let answers = answers.collect();
                self.needed.clear();
                self.entries.push(PromptEntry::ToolResults(answers));
            }
        }
    }

    /// Adds an answer with calls and their results.
    fn answered(&mut self, parts: Vec<MessagePart>, results: Results) {
        let calls: Vec<ToolCall> = calls_of(&parts).cloned().collect();
        self.entries.push(PromptEntry::Assistant(parts));
        if calls.is_empty() {
            self.needed.clear();
            return;
        }
        let answer = |call: &ToolCall| ToolResult {
            call_id: call.id.clone(),
            name: call.name.clone(),
            result: json!({ "done": true, "größe": "🦀" }),
            is_error: call.name.is_empty(),
        };
        let mut answers: Vec<ToolResult> = calls.iter().map(answer).collect();
        match results {
            Results::All => {}
            Results::None => return,
            Results::First => answers.truncate(1),
            Results::Twice => answers.extend(calls.first().map(answer)),
            Results::Strange => {
                if let Some(first) = answers.first_mut() {
                    first.call_id = "somebody else's".to_owned();
                }
            }
        }
        self.entries.push(PromptEntry::ToolResults(answers));
    }

    fn answer(&mut self, thinks: bool, hides: bool, texts: usize, calls: &[(usize, usize)]) -> Answer {
        let mut answer = Answer::new();
        if thinks {
            answer = answer.thinking(&self.word("thought"));
        }
        if hides {
            answer = answer.hidden_thought();
        }
        for _ in 0..texts {
            let word = self.word("answer");
            answer = answer.text(&word);
            self.texts.push(word);
        }
        let made = calls.iter().map(|(name, args)| {
            let args = if *args == 0 { json!({}) } else { json!({ "name": "größe.rs" }) };
            (*NAMES.get(*name).unwrap_or(&"read_file"), args)
        });
        if calls.is_empty() { answer } else { answer.calls(made) }
    }

    fn said(&mut self, part: SaidPart) -> MessagePart {
        match part {
            SaidPart::Text => {
                let word = self.word("said");
                let speaker = SPEAKERS.get(self.count % SPEAKERS.len()).unwrap_or(&"Ada");
                let text = format!("[{speaker}] {word}");
                self.texts.push(text.clone());
                MessagePart::text(format!("{text}\nAnd more."))
            }
            SaidPart::Nothing => MessagePart::text(""),
            SaidPart::Blank => MessagePart::text(" \n"),
            SaidPart::Json => PartBody::Json { value: json!({ "größe": [1, null] }) }.into(),
            SaidPart::Image => {
                self.images += 1;
                let bytes = format!("aGk{:04}=", self.count % 10_000);
                let hash = ContentHash::of_text(&bytes);
                self.blobs.insert(hash, bytes.into());
                blob(hash, "image/png")
            }
            SaidPart::LostImage => blob(ContentHash::of_text("lost"), "image/png"),
            SaidPart::Document => blob(ContentHash::of_text("document"), "application/pdf"),
        }
    }

    fn odd(&mut self, part: &OddPart) -> MessagePart {
        match part {
            OddPart::Text => {
                let word = self.word("odd");
                self.texts.push(word.clone());
                MessagePart::text(word)
            }
            OddPart::Nothing => MessagePart::text(""),
            OddPart::Trailing => {
                let word = self.word("odd");
                self.texts.push(word.clone());
                MessagePart::text(format!("{word} \n\n"))
            }
            OddPart::Thinking => {
                let word = self.word("thought");
                self.secrets.push((None, word.clone()));
                MessagePart::thinking(word)
            }
            OddPart::Json => PartBody::Json { value: json!([1]) }.into(),
            OddPart::Foreign => {
                let (word, secret) = (self.word("odd"), self.word("secret"));
                self.texts.push(word.clone());
                self.secrets.push((None, secret.clone()));
                let data =
                    json!({ "thoughtSignature": secret, "signature": secret, "encrypted_content": secret });
                let opaque = OpaqueData { provider: "gone".into(), model: "gone".to_owned(), data };
                MessagePart { opaque: Some(opaque), ..MessagePart::text(word) }
            }
            OddPart::Call { id, name, args, own } => PartBody::ToolCall(ToolCall {
                id: (*IDS.get(*id).unwrap_or(&"")).to_owned(),
                own_id: *own,
                name: (*NAMES.get(*name).unwrap_or(&"")).to_owned(),
                args: arguments(*args),
            })
            .into(),
        }
    }
}

fn blob(hash: ContentHash, mime: &str) -> MessagePart {
    PartBody::Blob { hash, mime: mime.to_owned(), name: "größe".to_owned(), bytes: 5 }.into()
}
