//! Answers objectives that are not prepared: explains that they need a model, and does only what works without one.

use serde_json::json;

use crate::demo::request::{DemoRequest, Speaker};
use crate::demo::scenario::{ChangeState, Scenario};
use crate::demo::stream::DemoReply;
use crate::demo::text;
use crate::demo::text::{bullets, clean, count, sentences};
use nexus_model::provider::demo::{DEMO_OBJECTIVES, NEEDS_MODEL};

const HEADING: &str = "## Plan: the objective, sentence by sentence";
const NOTE: &str = "notes.md";
/// The last line of the note.
const NOTE_MARK: &str = "Copied by the Nexus demo. No model has read it.";
/// Max sentences of an objective that become items.
const SENTENCES: usize = 8;

/// The answer to a message that is not prepared, in a session that plays a scenario.
pub(super) fn unknown_task(request: &DemoRequest, scenario: &Scenario) -> DemoReply {
    if request.is_explained {
        return short(request);
    }
    let texts = request.texts();
    let is_made = |state| state == ChangeState::Made;
    let follow_ups = scenario.follow_ups.iter().filter(|change| !is_made(change.state(&texts)));
    let offers = std::iter::once("fix the findings").chain(follow_ups.map(|change| change.title));
    let offers: Vec<String> = offers.map(|offer| format!("*{offer}*")).collect();
    DemoReply::with_text(format!(
        "**{NEEDS_MODEL}** Connect one in Settings and send it again. The demo of **{}** has these:\n\n{}",
        scenario.title,
        bullets(offers)
    ))
}

/// The answer of an agent that the demo does not play.
pub(super) fn other(request: &DemoRequest) -> DemoReply {
    if request.is_explained {
        return short(request);
    }
    DemoReply::with_text(format!(
        "**{NEEDS_MODEL}** It plays Architect, Engineer and Critic, but not {}. Connect a model in Settings and ask again.",
        clean(&request.name, 40)
    ))
}

/// The answer to an objective that is not prepared.
pub(super) fn reply(request: &DemoRequest) -> DemoReply {
    let has_plan = request.mind.scratchpad.lines().any(|line| line == HEADING);
    let plays = !request.mind.objective.trim().is_empty() && request.continues();
    match request.speaker {
        Speaker::Architect if plays && !has_plan => plan(request),
        Speaker::Engineer if plays && has_plan => note(request),
        Speaker::Critic if plays && has_plan => check(request),
        Speaker::Architect | Speaker::Engineer | Speaker::Critic if request.is_explained => short(request),
        Speaker::Architect | Speaker::Engineer | Speaker::Critic => DemoReply::with_text(needs_model()),
        Speaker::Other => other(request),
    }
}

/// The answer after another agent has explained why.
fn short(request: &DemoRequest) -> DemoReply {
    DemoReply::with_text(match request.speaker {
        Speaker::Critic => "I have nothing to check: this needs a model.",
        Speaker::Engineer => "I cannot change files for this: it needs a model.",
        Speaker::Architect | Speaker::Other => "I have nothing to add without a model.",
    })
}

fn needs_model() -> String {
    let offers = DEMO_OBJECTIVES.iter().map(|one| format!("*{}*", one.objective));
    format!(
        "**{NEEDS_MODEL}** Connect one in Settings and send it again, or choose a prepared objective:\n\n{}",
        bullets(offers)
    )
}

/// The Architect: the sentences of the objective as a checklist.
fn plan(request: &DemoRequest) -> DemoReply {
    if let Some(scratchpad_write) = request.scratchpad_write() {
        return DemoReply::with_text(match scratchpad_write.error() {
            Some(error) => format!("The scratchpad was not written: {error}."),
            None => "Your sentences are on the scratchpad.".to_owned(),
        });
    }
    if !request.offers("update_nexus_state") {
        return DemoReply::with_text(needs_model());
    }
    let items = sentences(&request.mind.objective, SENTENCES);
    let items: Vec<String> = items.iter().map(|sentence| format!("- [ ] A model: {sentence}")).collect();
    let block = format!(
        "{HEADING}\n{}\n- [ ] Engineer: write {NOTE}: the objective, word for word\n- [ ] Critic: check that {NOTE} contains it",
        items.join("\n")
    );
    let text = format!(
        "{}\n\nTo show how we share a plan, I copied {} of your objective to the scratchpad. This is not \
         a real plan.",
        needs_model(),
        count(items.len(), "sentence")
    );
    let pad = text::joined(&request.mind.scratchpad, &block);
    DemoReply::with_text(text).call("update_nexus_state", json!({ "scratchpad": pad }))
}

/// The Engineer: copies the objective into a file.
fn note(request: &DemoRequest) -> DemoReply {
    let objective = request.mind.objective.trim();
    if let Some(call) = request.calls_on("write_file", NOTE).last() {
        if let Some(error) = call.error() {
            return DemoReply::with_text(format!("{NOTE} was not written: {error}."));
        }
        if let Some((_, args)) = request.tick(|item| item.file() == Some(NOTE)) {
            return DemoReply::with_text(format!("{NOTE} is written. I tick that."))
                .call("update_nexus_state", args);
        }
        return DemoReply::with_text(format!("{NOTE} contains your words. Nothing else is built."));
    }
    if request.has_file(NOTE) || !request.offers("write_file") {
        return short(request);
    }
    let content = format!("# Objective\n\n{objective}\n\n---\n\n{NOTE_MARK}\n");
    DemoReply::with_text(format!("Without a model I can only copy your words into {NOTE}."))
        .call("write_file", json!({ "name": NOTE, "content": content }))
}

/// The Critic: checks that the file exists and contains the objective.
fn check(request: &DemoRequest) -> DemoReply {
    if !request.unread([NOTE]).is_empty() && request.offers("read_file") {
        return DemoReply::with_text(format!("I read {NOTE}.")).call("read_file", json!({ "name": NOTE }));
    }
    let texts = request.texts();
    let holds = texts.get(NOTE).is_some_and(|text| text.contains(request.mind.objective.trim()));
    let found = match (request.has_file(NOTE), holds) {
        (true, true) => format!("{NOTE} is there and contains the objective, word for word."),
        (true, false) => format!("{NOTE} is there but does not contain the objective."),
        (false, _) => format!("{NOTE} is not there."),
    };
    let items = text::items(&request.mind.scratchpad);
    let open = items.iter().filter(|item| !item.done && item.owner == "A model").count();
    let text = format!("{found} Nothing else is built: {} left for a model.", count(open, "sentence"));
    if request.scratchpad_write().is_some() || request.calls.iter().any(|call| call.tool == "accept_work") {
        return DemoReply::with_text("The demo cannot check more than that.");
    }
    let mut reply = DemoReply::with_text(text.clone());
    if let Some((_, args)) = request.tick(|item| holds && item.is("Critic", "check that notes.md")) {
        reply = reply.call("update_nexus_state", args);
    }
    if request.offers("accept_work") {
        reply = reply.call("accept_work", json!({ "accepted": false, "reasons": text }));
    }
    reply
}
