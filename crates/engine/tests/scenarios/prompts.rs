//! Snapshot tests of whole prompts, one file under `snapshots/` for every kind of context.

use crate::{edit, has_results};
use serde_json::{Value, json};

use crate::context::pictures::{picture, show};
use crate::snapshot;
use nexus_engine::calls::prompt::prompt_of;
use nexus_engine::tests::{Scripted, Tab, calls, says, tab};
use nexus_model::command::{Command, MergeRequest};
use nexus_model::id::{Millis, SessionId};
use nexus_model::llm::{Prompt, PromptEntry};
use nexus_model::message::content::{MessagePart, PartBody};
use nexus_model::mind::MindWrite;
use nexus_model::provider::{ModelInfo, ModelList};
use nexus_model::settings::schema::{CORE_AUTO, MEMORY_AUTO, SUMMARY_AUTO};

fn part(part: &MessagePart) -> String {
    match &part.body {
        PartBody::Text { text } => text.trim_end().to_owned(),
        PartBody::Thinking { text } => format!("(thinking) {text}"),
        PartBody::Blob { name, mime, hash, .. } => format!("(blob {name}, {mime}, {hash})"),
        PartBody::ToolCall(call) => format!("(call {} {:?})", call.name, call.args),
        PartBody::Json { .. } | PartBody::ToolResult(_) => serde_json::to_string(&part.body).unwrap(),
    }
}

/// A prompt as text, in request order.
fn shown(prompt: &Prompt) -> String {
    let mut out = format!("==== system\n{}\n\n==== tools\n", prompt.system);
    for tool in &prompt.tools {
        let arguments = tool.parameters["properties"].as_object().into_iter().flat_map(|all| all.keys());
        out.push_str(&format!("{}({})\n", tool.name, arguments.cloned().collect::<Vec<_>>().join(", ")));
    }
    for entry in &prompt.entries {
        let (name, lines): (_, Vec<String>) = match entry {
            PromptEntry::User(parts) => ("user", parts.iter().map(part).collect()),
            PromptEntry::Assistant(parts) => ("assistant", parts.iter().map(part).collect()),
            PromptEntry::ToolResults(all) => {
                ("tool results", all.iter().map(|one| format!("{} → {}", one.name, one.result)).collect())
            }
        };
        out.push_str(&format!("\n==== {name}\n{}\n", lines.join("\n")));
    }
    for (hash, base64) in &prompt.blobs {
        out.push_str(&format!("\n==== blob {hash}\n{base64}\n"));
    }
    out
}

/// The prompt of each call of the newest turn.
fn prompts(tab: &Tab) -> Vec<Prompt> {
    let world = tab.world();
    let turn = world.ancestry(tab.session_row().head).find(|turn| !turn.calls.is_empty()).unwrap();
    turn.calls.iter().map(|call| prompt_of(&world, turn, &call.recipe).unwrap()).collect()
}

fn holds(name: &str, prompt: &Prompt) {
    in_order(prompt);
    snapshot(name, &shown(prompt));
}

/// Checks the order: stable parts first (system, summary, turns), then mind, memories, time and query, then only what
/// the turn itself did.
fn in_order(prompt: &Prompt) {
    let texts: Vec<String> = prompt
        .entries
        .iter()
        .map(|entry| match entry {
            PromptEntry::User(parts) => parts.iter().map(part).collect::<Vec<_>>().join("\n"),
            PromptEntry::Assistant(_) | PromptEntry::ToolResults(_) => String::new(),
        })
        .collect();
    assert!(prompt.system.starts_with("You are "));
    let blocks = |tag: &str| {
        let is_it = |text: &&String| text.starts_with(tag);
        texts.iter().filter(is_it).count()
    };
    assert_eq!(blocks("<mind>"), 1, "one mind");
    assert!(blocks("<summary") <= 1 && texts[1..].iter().all(|text| !text.starts_with("<summary")));
    let query_index = texts.iter().position(|text| text.starts_with("<mind>")).unwrap();
    assert!(texts[query_index + 1..].iter().all(String::is_empty), "only the turn's own follows");
    let query = &texts[query_index];
    let at = |tag: &str| query.find(tag);
    assert!(at("</mind>") < at("<now>"));
    assert!(
        at("<memories>").is_none_or(|at| query.find("</mind>") < Some(at) && Some(at) < query.find("<now>"))
    );
    assert!(at("<now>") < at("<message") || at("<now>") < at("<report"));
}

/// A tab without automatic jobs.
fn quiet(script: impl FnMut(&str, &Value) -> Scripted + 'static) -> Tab {
    let tab = tab(script);
    for name in [SUMMARY_AUTO.name(), MEMORY_AUTO.name(), CORE_AUTO.name()] {
        tab.send(Command::ChangeSetting { name: name.into(), value: false.into() }).unwrap();
    }
    tab
}

fn files(tab: &Tab) {
    let file = |name: &str, text: &str| MindWrite::File { name: name.into(), text: text.into() };
    edit(
        tab,
        vec![
            MindWrite::Objective("A timer for the kitchen".into()),
            MindWrite::Scratchpad("- [x] Architect: plan\n- [ ] Engineer: build".into()),
            file("index.html", "<h1>Timer</h1>\n<p id=\"left\">3:00</p>\n"),
            file("notes/sounds.md", "A bell.\n"),
            MindWrite::Activate("index.html".into()),
        ],
    );
}

/// Six questions to the Architect; all but the newest three are summarised.
fn summarised(tab: &Tab) {
    tab.archivist.borrow_mut().script =
        Some(Box::new(|_| says("The operator wants a timer. The plan stands, a bell was chosen.")));
    for number in 1..=6 {
        tab.say(&format!("@Architect question {number}")).unwrap();
    }
    let (session, agent) = (tab.session, "architect".into());
    tab.send(Command::Compact { session, agent, focus: String::new() }).unwrap();
    tab.settle();
    assert_eq!(tab.world().compactions.len(), 1);
}

/// Adds two memories.
fn remembered(tab: &Tab) {
    let before = tab.archivist.borrow_mut().script.take();
    tab.archivist.borrow_mut().script = Some(Box::new(|_| {
        let facts = json!([
            {"content": "The operator prefers tabs.", "importance": 4, "message": 1},
            {"content": "The operator is called Ada.", "importance": 5, "message": 1},
        ]);
        says(&json!({ "memories": facts }).to_string())
    }));
    tab.send(Command::ChangeSetting { name: MEMORY_AUTO.name().into(), value: true.into() }).unwrap();
    tab.say("@Architect I prefer tabs").unwrap();
    tab.say("@Architect and I am Ada").unwrap();
    tab.pass(10_000);
    tab.send(Command::ChangeSetting { name: MEMORY_AUTO.name().into(), value: false.into() }).unwrap();
    assert_eq!(tab.world().memories.len(), 2);
    tab.archivist.borrow_mut().script = before;
}

#[test]
fn snapshot_of_a_plain_request_and_of_the_next_call_in_its_turn() {
    let tab = quiet(|agent, body| match agent {
        "Architect" if !has_results(body) => {
            calls(&[("update_nexus_state", json!({"scratchpad": "- [ ] Engineer: build it"}))])
        }
        "Engineer" if !has_results(body) => {
            calls(&[("write_file", json!({"name": "index.html", "content": "<h1>Hi</h1>\n"}))])
        }
        _ => says(&format!("{agent} is done.")),
    });
    tab.say("Build a page").unwrap();
    holds("plain-after-others", &prompts(&tab)[0]);
    tab.say("@Engineer once more").unwrap();
    holds("plain-with-own-turns", &prompts(&tab)[0]);
    holds("plain-after-a-tool", &prompts(&tab)[1]);
}

#[test]
fn snapshot_with_a_summary() {
    let tab = quiet(|agent, _| says(&format!("{agent} answers.")));
    summarised(&tab);
    tab.say("@Architect question 7").unwrap();
    holds("summary", &prompts(&tab)[0]);
}

#[test]
fn snapshot_with_memories() {
    let tab = quiet(|agent, _| says(&format!("{agent} answers.")));
    remembered(&tab);
    tab.say("@Architect what do I prefer?").unwrap();
    holds("memories", &prompts(&tab)[0]);
}

#[test]
fn snapshot_with_summary_memories_and_files_and_the_next_request_begins_as_this_one() {
    let tab = quiet(|agent, _| says(&format!("{agent} answers.")));
    files(&tab);
    remembered(&tab);
    summarised(&tab);
    tab.say("@Architect what is open?").unwrap();
    let first = prompts(&tab).remove(0);
    holds("summary-memories-files", &first);
    // The mind changes and a question is added; everything before the mind is unchanged, so providers' caches hit.
    edit(&tab, vec![MindWrite::Scratchpad("- [x] all".into())]);
    tab.pass(60_000);
    tab.say("@Architect and now?").unwrap();
    let second = prompts(&tab).remove(0);
    in_order(&second);
    let (first, second) = (shown(&first), shown(&second));
    let stable = first.find("==== user\n<mind>").unwrap() + "==== user\n".len();
    assert_eq!(first.get(..stable), second.get(..stable));
    assert!(
        second.get(stable..).unwrap().starts_with("<message"),
        "what was asked goes on where the mind stood"
    );
}

#[test]
fn snapshot_with_a_picture_and_with_one_that_the_model_does_not_look_at() {
    for sees in [true, false] {
        let tab = quiet(|agent, _| says(&format!("{agent} answers.")));
        let model = ModelInfo {
            id: "gemini-3.8-flash".into(),
            name: "Flash".into(),
            input_limit: None,
            output_limit: None,
            thinks: None,
            accepts_images: Some(sees),
            price: None,
        };
        let list = ModelList { at: Millis(1), models: vec![model] };
        let (name, value) = (ModelList::setting(&"gemini".into()), serde_json::to_value(&list).unwrap());
        tab.send(Command::ChangeSetting { name, value }).unwrap();
        tab.say("@Architect before").unwrap();
        show(&tab, "@Architect what is this?", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
        holds(if sees { "picture" } else { "picture-left-out" }, &prompts(&tab)[0]);
    }
}

#[test]
fn snapshot_after_a_merge() {
    let first = quiet(|agent, _| says(&format!("{agent} did it.")));
    files(&first);
    first.say("@Engineer begin").unwrap();
    let (fork, from, turn) = (SessionId::from(7_000), first.session, first.session_row().head.unwrap());
    let label = "idea".to_owned();
    first.send(Command::ContinueFrom { session: fork, from, turn, mind: None, label }).unwrap();
    first.kill();
    let mut other = first.again(|agent, _| says(&format!("{agent} went another way.")));
    other.session = fork;
    other.open().unwrap();
    other.say("@Engineer try a bell").unwrap();
    edit(&other, vec![MindWrite::File { name: "notes/sounds.md".into(), text: "A gong.\n".into() }]);
    other.kill();
    let mut tab = other.again(|agent, _| says(&format!("{agent} answers.")));
    tab.session = from;
    tab.open().unwrap();
    let (ours, theirs) = (tab.session_row(), tab.world().session(&fork).unwrap().as_ref().clone());
    let merging = MergeRequest {
        session: tab.session,
        head: ours.head,
        mind: ours.mind,
        other: theirs.head.unwrap(),
        from: Some(fork),
        theirs: theirs.mind,
        resolutions: Vec::new(),
    };
    tab.send(Command::MergeBranch(merging)).unwrap();
    tab.say("@Engineer what is new?").unwrap();
    holds("merge", &prompts(&tab)[0]);
}

#[test]
fn snapshot_of_a_workers_task_and_of_its_report() {
    let tab = quiet(|agent, body| {
        let worker = body["systemInstruction"].to_string().contains("You are a worker here");
        let content = body["contents"].as_array().unwrap().last().unwrap().to_string();
        match agent {
            "Engineer" if worker && !has_results(body) => {
                calls(&[("write_file", json!({"name": "bell.md", "content": "ding\n"}))])
            }
            "Engineer" => says("The bell is in bell.md. Nothing is open."),
            "Architect" if !has_results(body) && !content.contains("<report") => calls(&[(
                "delegate",
                json!({"task": "describe the bell", "title": "the bell", "agent": "Engineer"}),
            )]),
            _ => says("I have it."),
        }
    });
    tab.say("@Architect have the bell described").unwrap();
    tab.settle();
    holds("report", &prompts(&tab)[0]);
    let world = tab.world();
    let worker = world.sessions.values().find(|session| session.delegation.is_some()).unwrap();
    let turn = world.turn(&worker.head.unwrap()).unwrap();
    let prompt = prompt_of(&world, turn, &turn.calls[0].recipe).unwrap();
    holds("worker", &prompt);
}
