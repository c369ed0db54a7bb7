//! Requests that the fake provider received, with queries for flows: agent, prompt, outcome.

use nexus_model::provider::Protocol;
use serde_json::Value;

use super::parsing::{self, Author, SentMessage};
use super::rules::ApiError;

/// The default agents in order.
const AGENTS: [&str; 3] = ["Architect", "Engineer", "Critic"];

/// How the exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The reply is still being sent.
    Open,
    /// Sent completely.
    Whole,
    /// The client disconnected before the end.
    Aborted,
    /// The script broke the connection.
    Cut,
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Index among all requests, from 0.
    pub(crate) number: usize,
    pub(crate) protocol: Protocol,
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Null if there was none, or it was not JSON.
    pub(crate) body: Value,
    /// Why the provider rejected it; `None` for scripted replies, errors included.
    pub(crate) api_error: Option<ApiError>,
    pub(crate) ending: Ending,
}

impl Request {
    /// The requested model; empty for other requests.
    pub(crate) fn model(&self) -> &str {
        if self.protocol != Protocol::Gemini {
            return self.body.get("model").and_then(Value::as_str).unwrap_or_default();
        }
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split_once(':').map_or("", |(model, _)| model)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The system prompt.
    pub(crate) fn system_text(&self) -> String {
        parsing::system_text(self.protocol, &self.body)
    }

    /// True for a request of the Core.
    pub(crate) fn is_of_core(&self) -> bool {
        self.system_text().starts_with("You are Core,")
    }

    /// True for a request of the Archivist.
    pub(crate) fn is_of_archivist(&self) -> bool {
        self.system_text().starts_with("You are Archivist,")
    }

    /// The agent of the request: the first one that the system prompt names.
    pub(crate) fn agent(&self) -> Option<&'static str> {
        let system = self.system_text();
        AGENTS
            .into_iter()
            .filter_map(|name| system.find(name).map(|place| (place, name)))
            .min()
            .map(|(_, name)| name)
    }

    /// The conversation, oldest first.
    pub(crate) fn messages(&self) -> Vec<SentMessage> {
        parsing::conversation(self.protocol, &self.body)
    }

    /// All text of the request, system prompt first.
    pub(crate) fn all_text(&self) -> String {
        let mut all = vec![self.system_text()];
        all.extend(self.messages().iter().map(|message| message.texts.join("\n")));
        all.join("\n")
    }

    /// The last non-empty user text.
    pub(crate) fn last_user_text(&self) -> String {
        let messages = self.messages();
        let messages = messages.iter().rev().filter(|message| message.who == Author::User);
        messages.map(|message| message.texts.join("\n")).find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The shared mind as shown to the model at the beginning of the turn: the text between the last line `<mind>`
    /// and the last `</mind>`.
    pub(crate) fn mind_block(&self) -> Option<String> {
        let messages = self.messages();
        let texts = messages
            .iter()
            .rev()
            .filter(|message| message.who == Author::User)
            .flat_map(|message| message.texts.iter().rev());
        let mut blocks = texts.filter_map(|text| {
            // Consecutive messages may have been joined; the block begins a line.
            let place = if text.trim_start().starts_with("<mind>") {
                text.find("<mind>")
            } else {
                text.rfind("\n<mind>").map(|place| place + 1)
            };
            text.get(place? + "<mind>".len()..)
        });
        blocks.next().map(|block| block.rsplit_once("</mind>").map_or(block, |(inside, _)| inside).to_owned())
    }

    /// Tool results of this round: the results at the end, each with `id`, `name` and `response`.
    pub(crate) fn tool_results(&self) -> Vec<Value> {
        let messages = self.messages();
        let mut last: Vec<&SentMessage> =
            messages.iter().rev().take_while(|message| !message.results.is_empty()).collect();
        last.reverse();
        last.into_iter().flat_map(|message| message.results.clone()).collect()
    }

    /// Number of steps with function calls between the query and this request.
    pub(crate) fn round(&self) -> usize {
        let messages = self.messages();
        let turn: Vec<&SentMessage> = messages
            .iter()
            .rev()
            .take_while(|message| message.who == Author::Model || !message.results.is_empty())
            .collect();
        // If each call is a message of its own, consecutive ones are one step.
        let has_called = |message: &&SentMessage| !message.calls.is_empty();
        let starts = turn.windows(2).filter(|pair| match pair {
            [later, earlier] => has_called(earlier) && !has_called(later),
            _ => false,
        });
        starts.count() + usize::from(turn.first().is_some_and(has_called))
    }
}
