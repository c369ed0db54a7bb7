//! Requests that the fake provider received, with queries for flows: agent, prompt, ending.

use std::time::Instant;

use nexus_model::provider::Protocol;
use serde_json::Value;

use super::reading::{self, Said, Who};
use super::rules::Refusal;

/// The agents of the first roster, in their order.
const AGENTS: [&str; 3] = ["Architect", "Engineer", "Critic"];

/// How the exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The answer is still being sent.
    Open,
    /// Sent to its end.
    Whole,
    /// The client hung up before the end.
    Aborted,
    /// The script cut it.
    Cut,
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Its place among all requests, from 0.
    pub(crate) number: usize,
    pub(crate) at: Instant,
    pub(crate) protocol: Protocol,
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Null when there was none, or it was not JSON.
    pub(crate) body: Value,
    /// Why the provider refused it by itself; `None` for scripted answers, errors included.
    pub(crate) refusal: Option<Refusal>,
    pub(crate) ending: Ending,
}

impl Request {
    /// The model that is asked; empty for other calls.
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
        reading::system_text(self.protocol, &self.body)
    }

    /// Whether the Core is asked, and no agent.
    pub(crate) fn is_of_core(&self) -> bool {
        self.system_text().starts_with("You are Core,")
    }

    /// Whether the Archivist is asked, and no agent.
    pub(crate) fn is_of_archivist(&self) -> bool {
        self.system_text().starts_with("You are Archivist,")
    }

    /// The agent who is speaking: the one whom the system prompt names first.
    pub(crate) fn agent(&self) -> Option<&'static str> {
        let system = self.system_text();
        AGENTS
            .into_iter()
            .filter_map(|name| system.find(name).map(|place| (place, name)))
            .min()
            .map(|(_, name)| name)
    }

    /// The conversation, oldest first.
    pub(crate) fn said(&self) -> Vec<Said> {
        reading::conversation(self.protocol, &self.body)
    }

    /// All that the model was told, system prompt first.
    pub(crate) fn all_text(&self) -> String {
        let mut all = vec![self.system_text()];
        all.extend(self.said().iter().map(|said| said.texts.join("\n")));
        all.join("\n")
    }

    /// The text of the last message of the user that has any.
    pub(crate) fn last_user_text(&self) -> String {
        let said = self.said();
        let said = said.iter().rev().filter(|said| said.who == Who::User);
        said.map(|said| said.texts.join("\n")).find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The shared mind as the model was shown it when the turn began: what lies between the last line `<mind>` and
    /// the last `</mind>`.
    pub(crate) fn mind_block(&self) -> Option<String> {
        let said = self.said();
        let texts =
            said.iter().rev().filter(|said| said.who == Who::User).flat_map(|said| said.texts.iter().rev());
        let mut blocks = texts.filter_map(|text| {
            // Neighbouring messages may have been joined; the block begins a line.
            let place = if text.trim_start().starts_with("<mind>") {
                text.find("<mind>")
            } else {
                text.rfind("\n<mind>").map(|place| place + 1)
            };
            text.get(place? + "<mind>".len()..)
        });
        blocks.next().map(|block| block.rsplit_once("</mind>").map_or(block, |(inside, _)| inside).to_owned())
    }

    /// The names of the functions that the model may call.
    pub(crate) fn tools(&self) -> Vec<&str> {
        reading::tools(self.protocol, &self.body)
    }

    /// What the tools said in this round: the results at the end, each with `id`, `name` and `response`.
    pub(crate) fn tool_results(&self) -> Vec<Value> {
        let said = self.said();
        let mut last: Vec<&Said> = said.iter().rev().take_while(|said| !said.results.is_empty()).collect();
        last.reverse();
        last.into_iter().flat_map(|said| said.results.clone()).collect()
    }

    /// How many steps with function calls lie between the query and this request.
    pub(crate) fn round(&self) -> usize {
        let said = self.said();
        let turn: Vec<&Said> =
            said.iter().rev().take_while(|said| said.who == Who::Model || !said.results.is_empty()).collect();
        // Where each call is a message of its own, those in a row are one step.
        let has_called = |said: &&Said| !said.calls.is_empty();
        let starts = turn.windows(2).filter(|pair| match pair {
            [later, earlier] => has_called(earlier) && !has_called(later),
            _ => false,
        });
        starts.count() + usize::from(turn.first().is_some_and(has_called))
    }
}
