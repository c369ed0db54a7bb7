//! Answers that a test queues for each agent, and what the agents were sent.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use leptos::prelude::document;
use nexus_engine::tests::{Scripted, ScriptedChunk, calls, says};
use serde_json::{Value, json};

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;

/// Answers of each agent in the order in which it gives them. An agent without one says "Unasked.".
#[derive(Clone, Default)]
pub(crate) struct Replies(Rc<RefCell<BTreeMap<String, VecDeque<Scripted>>>>);

impl Replies {
    /// Opens the war room, whose agents will give these answers.
    pub(crate) async fn open() -> (MountedPage, Self) {
        let replies = Self::default();
        (MountedPage::open(replies.script()).await, replies)
    }

    pub(crate) fn script(&self) -> impl FnMut(&str, &Value) -> Scripted + use<> {
        let queues = Rc::clone(&self.0);
        move |agent, _| {
            let mut queues = queues.borrow_mut();
            queues.get_mut(agent).and_then(VecDeque::pop_front).unwrap_or_else(|| says("Unasked."))
        }
    }

    pub(crate) fn queue(&self, agent: &str, answer: Scripted) {
        self.0.borrow_mut().entry(agent.to_owned()).or_default().push_back(answer);
    }

    /// Queues these texts, an answer each.
    pub(crate) fn queue_texts(&self, agent: &str, texts: &[&str]) {
        texts.iter().for_each(|text| self.queue(agent, says(text)));
    }
}

/// This text first, and the rest of the answer a second later.
pub(crate) fn after_a_second(text: &str, mut rest: Scripted) -> Scripted {
    let mut said = says(text);
    said.beats.truncate(1);
    rest.beats.splice(0..0, said.beats.into_iter().chain([ScriptedChunk::Wait(1_000)]));
    rest
}

/// An answer that writes this file.
pub(crate) fn writes(name: &str, content: &str) -> Scripted {
    calls(&[("write_file", json!({ "name": name, "content": content }))])
}

/// A request to a model, as Gemini's body.
pub(crate) struct Sent(pub(crate) Value);

impl Sent {
    fn texts(content: &Value) -> impl Iterator<Item = &str> {
        content["parts"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str())
    }

    fn contents(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.0["contents"].as_array().into_iter().flatten()
    }

    /// All texts, with the system prompt.
    pub(crate) fn text(&self) -> String {
        let all = std::iter::once(&self.0["systemInstruction"]).chain(self.contents());
        all.flat_map(Self::texts).collect::<Vec<_>>().join("\n")
    }

    /// The last text of the user.
    pub(crate) fn question(&self) -> String {
        let of_user = self.contents().rev().filter(|content| content["role"] == "user");
        let mut texts = of_user.map(|content| Self::texts(content).collect::<Vec<_>>().join("\n"));
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The mind as it was shown at the beginning of the turn.
    pub(crate) fn mind(&self) -> String {
        let text = self.question();
        let block = text.rsplit_once("<mind>\n").map(|(_, block)| block).unwrap_or_default();
        block.split("</mind>").next().unwrap_or_default().to_owned()
    }

    /// Names of the offered tools.
    pub(crate) fn tools(&self) -> Vec<&str> {
        let groups = self.0["tools"].as_array().into_iter().flatten();
        let declared =
            groups.flat_map(|group| group["functionDeclarations"].as_array().into_iter().flatten());
        declared.filter_map(|each| each["name"].as_str()).collect()
    }

    /// Results of the calls in the answer before.
    pub(crate) fn results(&self) -> Vec<&Value> {
        let last = self.contents().next_back().and_then(|content| content["parts"].as_array());
        last.into_iter().flatten().filter_map(|part| part.get("functionResponse")).collect()
    }
}

impl MountedPage {
    /// Requests of an agent, oldest first.
    pub(crate) fn sent(&self, agent: &str) -> Vec<Sent> {
        let requests = self.tab.requests.borrow();
        let of_agent = requests.iter().filter(|(name, _)| name == agent);
        of_agent.map(|(_, body)| Sent(body.clone())).collect()
    }

    /// Clicks the last match.
    pub(crate) async fn click_last(&self, selector: impl Into<Selector>) {
        let selector = selector.into();
        self.see(selector.clone()).await;
        self.all(selector).last().unwrap().click();
        self.settle().await;
    }

    /// Waits until the title of the document has this text.
    pub(crate) async fn see_title(&self, words: &str) {
        self.until(&format!("{words:?} in the title"), || document().title().contains(words)).await;
    }

    /// Opens the settings with all their sections, and waits for this field.
    pub(crate) async fn open_settings_at(&self, field: impl Into<Selector>) {
        self.open_settings().await;
        let field = field.into();
        self.until(&format!("{field} to exist"), || self.count(field.clone()) > 0).await;
        self.open_sections().await;
    }

    /// Opens whatever is folded.
    pub(crate) async fn open_sections(&self) {
        for folded in self.all(Selector::css("details:not([open])")) {
            folded.set_attribute("open", "").unwrap();
        }
        self.settle().await;
    }

    /// Returns from another screen to the war room.
    pub(crate) async fn go_back(&self) {
        self.back().await;
        self.see(WAR_ROOM).await;
    }
}
