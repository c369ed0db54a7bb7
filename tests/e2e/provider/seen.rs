//! What the fake provider received. Never judges it.
//!
//! Owns [`Request`] and the questions that flows ask of one: whose it was, what the model was told,
//! how it ended.

use serde_json::Value;

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

/// One request, with what became of it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Its place among all requests, from 0.
    pub(crate) number: usize,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Null when there was none, or it was not JSON.
    pub(crate) body: Value,
    /// Why the provider refused it by itself; `None` for scripted answers, errors included.
    pub(crate) refusal: Option<Refusal>,
    pub(crate) ending: Ending,
}

impl Request {
    /// The model that the path names; empty for other calls.
    pub(crate) fn model(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split_once(':').map_or("", |(model, _)| model)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The system instruction.
    pub(crate) fn system_text(&self) -> String {
        self.body.get("systemInstruction").map(texts).unwrap_or_default()
    }

    /// The agent who is speaking: the one whom the system instruction names first.
    pub(crate) fn agent(&self) -> Option<&'static str> {
        let system = self.system_text();
        AGENTS
            .into_iter()
            .filter_map(|name| system.find(name).map(|place| (place, name)))
            .min()
            .map(|(_, name)| name)
    }

    pub(crate) fn contents(&self) -> &[Value] {
        list(&self.body, "contents")
    }

    /// All that the model was told, system instruction first.
    pub(crate) fn all_text(&self) -> String {
        let mut all = vec![self.system_text()];
        all.extend(self.contents().iter().map(texts));
        all.join("\n")
    }

    /// The text of the last user content that has any.
    pub(crate) fn last_user_text(&self) -> String {
        let said = self.contents().iter().rev().filter(|content| role(content) == "user");
        said.map(texts).find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The shared mind as the model was shown it when the turn began: what lies between `<mind>` and the last
    /// `</mind>` of the newest text that begins with one.
    pub(crate) fn mind_block(&self) -> Option<&str> {
        let said = self.contents().iter().rev().filter(|content| role(content) == "user");
        let parts = said.flat_map(|content| list(content, "parts"));
        let texts = parts.filter_map(|part| part.get("text").and_then(Value::as_str));
        let mut blocks = texts.filter_map(|text| text.trim_start().strip_prefix("<mind>"));
        blocks.next().map(|block| block.rsplit_once("</mind>").map_or(block, |(inside, _)| inside))
    }

    /// The names of the functions that the model may call.
    pub(crate) fn tools(&self) -> Vec<&str> {
        let groups = list(&self.body, "tools").iter();
        let functions = groups.flat_map(|group| list(group, "functionDeclarations"));
        functions.filter_map(|function| function.get("name").and_then(Value::as_str)).collect()
    }

    /// The function responses of the last content: what the tools said in this round.
    pub(crate) fn tool_results(&self) -> Vec<Value> {
        let last = self.contents().last().map(|content| list(content, "parts")).unwrap_or_default();
        last.iter().filter_map(|part| part.get("functionResponse").cloned()).collect()
    }

    /// How many answers with function calls lie between the query and this request.
    pub(crate) fn round(&self) -> usize {
        let has = |content: &Value, kind| list(content, "parts").iter().any(|part| part.get(kind).is_some());
        self.contents()
            .iter()
            .rev()
            .take_while(|content| role(content) == "model" || has(content, "functionResponse"))
            .filter(|content| has(content, "functionCall"))
            .count()
    }
}

fn role(content: &Value) -> &str {
    content.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn texts(content: &Value) -> String {
    let parts = list(content, "parts").iter();
    let texts: Vec<_> = parts.filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
    texts.join("\n")
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
