//! Never builds.
//!
//! Owns what any agent can say: the introduction, answers to questions and greetings; and the parts of personas that
//! are not one of the three, and of the Core.

use serde_json::json;

use super::brief::{Intent, intent_with};
use super::plan::{self, Plan};
use super::scene::Scene;
use super::stream::Reply;
use super::words::{clean, count, listed};

/// The sentence that says who speaks, in the first turn of a conversation; empty later.
pub(super) fn introduced(scene: &Scene, name: &str) -> String {
    if scene.opening && scene.steps.is_empty() {
        format!(
            "This is Rehearsal: no model is called, and I, the {name}, compute my part on this device from your words.\n\n"
        )
    } else {
        String::new()
    }
}

/// An answer to a question, from what the mind holds.
pub(super) fn answer_question(scene: &Scene, angle: &str) -> Reply {
    let plan = Plan::read(&scene.mind.scratchpad);
    let thought =
        "The message asks something and wants no work: I answer from the mind and leave it as it is.";
    let mut facts = Vec::new();
    match &plan {
        Some(plan) => {
            facts.push(format!(
                "the plan for **{}** has {}, {} ticked",
                plan.title,
                count(plan.items.len(), "item"),
                plan.done()
            ));
            let open: Vec<&str> =
                plan.items.iter().filter(|item| !item.done).map(|item| item.text.as_str()).collect();
            if !open.is_empty() {
                facts.push(format!("open: {}", listed(&open)));
            }
        }
        None if scene.mind.objective.trim().is_empty() => facts.push("there is no objective yet".to_owned()),
        None => facts
            .push(format!("the objective is “{}” and has no plan yet", clean(&scene.mind.objective, 120))),
    }
    let names = scene.file_names();
    facts.push(if names.is_empty() {
        "no file exists".to_owned()
    } else {
        format!("the files are {}", listed(&names))
    });
    let text = format!(
        "{}{angle}, I can say what the mind holds: {}. More than that only a real model can answer.",
        introduced(scene, &scene.name),
        facts.join("; ")
    );
    Reply::new(thought, text)
}

/// An answer to a message without work in it.
pub(super) fn greeting(scene: &Scene, offer: &str) -> Reply {
    let sender = clean(&scene.sender, 40);
    let hello = if sender.is_empty() { "Hello.".to_owned() } else { format!("Hello {sender}.") };
    Reply::new("", format!("{}{hello} {offer}", introduced(scene, &scene.name)))
}

/// Any other persona: a remark from its own angle, kept on the scratchpad.
pub(super) fn reply(scene: &Scene) -> Reply {
    let about = clean(&scene.persona, 120);
    let angle =
        if about.is_empty() { format!("As {}", scene.name) } else { format!("As {}, {about}", scene.name) };
    if let Some(noted) = scene.noted() {
        return Reply::new(
            "",
            match noted.problem() {
                Some(problem) => format!("My remark could not be kept: {problem}."),
                None => "My remark is on the scratchpad, for whoever works next.".to_owned(),
            },
        );
    }
    match intent_with(&scene.message, &scene.mind.objective) {
        Intent::Question => return answer_question(scene, &angle),
        Intent::Courtesy => return greeting(scene, "Tell me what to look at."),
        Intent::GoOn | Intent::Work => {}
    }
    let agreed = plan::agreed(scene);
    let open = Plan::read(&scene.mind.scratchpad)
        .map_or(0, |plan| plan.items.iter().filter(|item| !item.done).count());
    let remark = format!(
        "- {}: for **{}** I would look first at {} ({} open, {}).",
        clean(&scene.name, 40),
        agreed.title,
        agreed.features.first().map_or("the objective", String::as_str),
        count(open, "item"),
        count(scene.file_names().len(), "file")
    );
    let thought = format!("My angle is {}. I add one remark and leave the work to the others.", scene.name);
    let text = format!("{}{angle}, I have one remark:\n\n{remark}", introduced(scene, &scene.name));
    if !scene.offers("update_nexus_state") || scene.mind.scratchpad.contains(&remark) {
        return Reply::new(thought, text);
    }
    let scratchpad = plan::joined(&scene.mind.scratchpad, &remark);
    Reply::new(thought, text).call("update_nexus_state", json!({ "scratchpad": scratchpad }))
}

/// The Core: a patch, as JSON, that ticks what the files already hold and notes files that the plan does not name.
pub(super) fn synthesis(scene: &Scene) -> Reply {
    let scratchpad = &scene.mind.scratchpad;
    let names = scene.file_names();
    let filled = |name: &str| scene.mind.files.iter().any(|file| file.name == name && file.bytes > 0);
    let items = plan::items(scratchpad);
    let done: Vec<_> = items.iter().filter(|item| !item.done && item.file().is_some_and(filled)).collect();
    let ticked: Vec<&str> = done.iter().filter_map(|item| item.file()).collect();
    let lines: Vec<usize> = done.iter().map(|item| item.line).collect();
    // Without a plan there is nothing that a file could be missing from.
    let unnamed: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !items.is_empty() && filled(name) && !scratchpad.contains(*name))
        .collect();
    let mut reasons = Vec::new();
    let mut text = scratchpad.clone();
    if !ticked.is_empty() {
        text = plan::with_ticks(&text, &lines);
        reasons.push(format!("ticked {}, which the files hold", listed(&ticked)));
    }
    if !unnamed.is_empty() {
        let notes: Vec<_> = unnamed
            .iter()
            .map(|name| format!("- Core: {name} is there, and the plan did not name it."))
            .collect();
        text = plan::joined(&text, &notes.join("\n"));
        reasons.push(format!("noted {}, which the plan did not name", listed(&unnamed)));
    }
    if reasons.is_empty() {
        let open = items.iter().filter(|item| !item.done).count();
        let reasoning = format!(
            "Rehearsal compared the plan with {}: {} open, nothing to change.",
            count(names.len(), "file"),
            count(open, "item")
        );
        return Reply::new("", json!({ "reasoning": reasoning }).to_string());
    }
    let reasoning = format!("Rehearsal compared the plan with the files and {}.", reasons.join(", and "));
    Reply::new("", json!({ "scratchpad": text, "reasoning": reasoning }).to_string())
}
