//! Never writes a file.
//!
//! Owns the Architect's part: turn the objective and the message into a plan on the scratchpad, and keep it true to
//! what the operator says next.

use serde_json::{Map, Value, json};

use super::brief::{Brief, Intent, intent_with};
use super::plan::{self, Plan};
use super::scene::Scene;
use super::stream::Reply;
use super::wish::clauses;
use super::words::{clean, count, listed};
use super::worker::{answer_question, greeting, introduced};

const OBJECTIVE_MOST: usize = 2_000;

pub(super) fn reply(scene: &Scene) -> Reply {
    if let Some(noted) = scene.noted() {
        return closing(scene, noted.problem());
    }
    let plan = Plan::read(&scene.mind.scratchpad);
    let later_round = scene.round.is_some_and(|round| round.number > 1);
    let intent = intent_with(&scene.message, &scene.mind.objective);
    match (intent, plan) {
        (_, Some(plan)) if later_round => standing(scene, &plan),
        (Intent::Question, _) => answer_question(scene, "As the one who keeps the plan"),
        (Intent::Courtesy, _) => {
            greeting(scene, "Give me an objective and I will break it down into a plan.")
        }
        (Intent::GoOn, Some(plan)) if plan.fits(&scene.mind.objective) => standing(scene, &plan),
        (Intent::GoOn, None) if scene.mind.objective.trim().is_empty() => {
            greeting(scene, "There is no objective yet. Say what you want to have, and I will plan it.")
        }
        (Intent::Work, Some(plan)) if plan.fits(&scene.mind.objective) => amend(scene, &plan),
        (Intent::GoOn | Intent::Work, _) => draw_up(scene),
    }
}

/// A plan for an objective that has none.
fn draw_up(scene: &Scene) -> Reply {
    let given = scene.mind.objective.trim();
    let objective = if given.is_empty() { limited(&scene.message) } else { given.to_owned() };
    let goes_on = intent_with(&scene.message, given) == Intent::GoOn;
    let wishes = if given.is_empty() || goes_on { "" } else { &scene.message };
    let brief = Brief::of(&objective, wishes);
    let files = brief.kind.files(&brief.title);
    // What the operator brought along is changed, not written anew; an older plan's files make room for the new ones.
    let brought = Plan::read(&scene.mind.scratchpad).is_none()
        && files.first().is_some_and(|main| scene.file_names().contains(main));
    let to_write = if brought { &[][..] } else { &files[..] };
    let scratchpad = plan::with_plan(&scene.mind.scratchpad, &objective, &brief, to_write);

    let thought = format!(
        "The objective reads “{}”. By its words this is a {}. I name it “{}” and look for the features that the \
         operator named.",
        clean(&objective, 90),
        brief.kind.label(),
        brief.title
    );
    let mut text = String::new();
    text.push_str(&introduced(scene, "Architect"));
    text.push_str(&format!(
        "**{}** will be a {}: {}.\n\nWhat it must show, in your words:\n\n",
        brief.title,
        brief.kind.label(),
        listed(&files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>())
    ));
    for feature in &brief.features {
        text.push_str(&format!("- {feature}\n"));
    }
    if !scene.offers("update_nexus_state") {
        text.push_str(&format!(
            "\nI may not write the scratchpad here, so this is the plan:\n\n{scratchpad}\n"
        ));
        return Reply::new(thought, text);
    }
    text.push_str("\nI put the plan on the scratchpad, one line for each piece of work.");
    let mut args = Map::new();
    if given.is_empty() {
        args.insert("objective".to_owned(), objective.into());
    }
    args.insert("scratchpad".to_owned(), scratchpad.into());
    Reply::new(thought, text).call("update_nexus_state", Value::Object(args))
}

fn limited(text: &str) -> String {
    text.trim().chars().take(OBJECTIVE_MOST).collect()
}

/// What a message adds to the plan: its clauses that do not wait there already.
pub(super) fn news(scene: &Scene, plan: &Plan) -> Vec<String> {
    let mut clauses = clauses(&scene.message);
    clauses.retain(|clause| !plan.items.iter().any(|item| !item.done && item.text == *clause));
    clauses
}

/// The plan with what a new message asks for.
fn amend(scene: &Scene, plan: &Plan) -> Reply {
    let news = news(scene, plan);
    let open = plan.open_of("Engineer").count();
    let thought = format!(
        "There is a plan for “{}”: {} of {} ticked. The message asks for {}.",
        plan.title,
        plan.done(),
        count(plan.items.len(), "item"),
        if news.is_empty() { "nothing that is not on it".to_owned() } else { listed(&news) }
    );
    if news.is_empty() || !scene.offers("update_nexus_state") {
        let text = if news.is_empty() {
            format!("That is on the plan already, with {} open for the Engineer.", count(open, "item"))
        } else {
            format!("I may not write the scratchpad here. For the Engineer: {}.", listed(&news))
        };
        return Reply::new(thought, introduced(scene, "Architect") + &text);
    }
    let text = format!(
        "{}New for **{}**: {}. I add {} to the plan and leave what is ticked as it is.",
        introduced(scene, "Architect"),
        plan.title,
        listed(&news),
        if news.len() == 1 { "that" } else { "these" }
    );
    let scratchpad = plan::with_items(&scene.mind.scratchpad, &news, false);
    Reply::new(thought, text).call("update_nexus_state", json!({ "scratchpad": scratchpad }))
}

/// The plan needs no change.
fn standing(scene: &Scene, plan: &Plan) -> Reply {
    let open: Vec<String> = plan.open_of("Engineer").map(|item| item.text.clone()).collect();
    let state = format!("{} of {} ticked", plan.done(), count(plan.items.len(), "item"));
    let text = if open.is_empty() {
        format!("The plan stands, {state}; nothing is open for the Engineer. Critic, please decide.")
    } else {
        format!("The plan stands, {state}. Open for the Engineer: {}.", listed(&open))
    };
    let thought = format!("The plan for “{}” fits the objective: {state}.", plan.title);
    Reply::new(thought, introduced(scene, "Architect") + &text)
}

/// After the scratchpad was written, or was not.
fn closing(scene: &Scene, problem: Option<String>) -> Reply {
    if let Some(problem) = problem {
        let text = format!(
            "The plan could not be written: {problem}. Engineer, please work from what I said above."
        );
        return Reply::new("", text);
    }
    let written = scene.noted().and_then(|call| call.arg("scratchpad")).unwrap_or_default();
    let Some(plan) = Plan::read(written) else { return Reply::new("", "The scratchpad is written.") };
    let open = plan.open_of("Engineer").count();
    let text = format!(
        "The plan holds {}; {} open for the Engineer. Engineer, please build; Critic, please check against “done when”.",
        count(plan.items.len(), "item"),
        open
    );
    Reply::new("", text)
}
