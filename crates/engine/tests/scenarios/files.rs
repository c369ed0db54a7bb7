//! Scenarios of files: references in messages send the text of that time; agents find, rename and delete files.

mod writers;

use crate::{change_agent, edit, has_results, write_file};
use std::rc::Rc;

use serde_json::{Value, json};

use nexus_engine::store::in_memory::InMemoryStore;
use nexus_engine::tests::exports::{exported_text, imported};
use nexus_engine::tests::{FakeLocks, Scripted, ScriptedChunk, Tab, calls, open_tab, says, tab};
use nexus_model::command::{ApprovalAnswer, Command};
use nexus_model::message::file_reference::passages_of;
use nexus_model::mind::blob::base64_of;
use nexus_model::mind::{MindWrite, blob};
use nexus_model::session::{Draft, DraftField, QueueMode};
use nexus_model::signal::TransientEvent;

#[test]
fn message_has_the_referenced_lines_as_of_its_time() {
    let tab = tab(|_, _| says("seen"));
    write_file(&tab, "notes.txt", "one\ntwo\nthree\n");
    write_file(&tab, "a.txt", "old\n");
    tab.say("@Critic look at #notes.txt:2-3, please").unwrap();
    let question = tab.question(0);
    assert!(question.contains("look at #notes.txt:2-3, please"), "{question}");
    assert!(
        question
            .contains("<passage file=\"notes.txt\" lines=\"2-3\" of=\"3\">\n2\ttwo\n3\tthree\n</passage>"),
        "{question}"
    );
    write_file(&tab, "notes.txt", "all new\n");
    tab.say("@Critic and now?").unwrap();
    let contents = tab.requests.borrow()[1].1["contents"].to_string();
    assert!(contents.contains("2\\ttwo"), "the history lists the attachments: {contents}");
}

#[test]
fn image_file_is_listed_by_name_and_size_and_attached_when_referenced() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        match requests {
            2 => calls(&[
                ("list_files", json!({})),
                ("read_file", json!({ "name": "logo.png" })),
                ("write_file", json!({ "name": "logo.png", "content": "mine now\n" })),
            ]),
            _ => says("seen"),
        }
    });
    let bytes = b"\x89PNG\r\n\x1a\nabc";
    let (text, base64) = (blob::image_text(bytes).unwrap(), base64_of(bytes));
    write_file(&tab, "logo.png", &text);
    tab.say("@Engineer what files are there?").unwrap();
    let first = tab.requests.borrow()[0].1.to_string();
    assert!(first.contains("logo.png (image/png, 11 bytes)") && !first.contains(&base64), "{first}");

    tab.say("@Engineer change it").unwrap();
    let last = tab.requests.borrow().last().unwrap().1.to_string();
    assert!(
        last.contains("\"image\":\"image/png\"") && last.contains("is an image. Delete it first"),
        "{last}"
    );
    assert!(!last.contains(&base64), "{last}");
    assert_eq!(tab.mind().file("logo.png"), Some(text.as_str()));

    tab.say("@Engineer look at #logo.png").unwrap();
    let shown = tab.requests.borrow().last().unwrap().1.clone();
    let parts = shown["contents"].as_array().unwrap().last().unwrap()["parts"].as_array().unwrap().clone();
    let data: Vec<_> = parts.iter().filter_map(|part| part.get("inlineData")).collect();
    assert_eq!(data, [&json!({ "mimeType": "image/png", "data": base64 })]);
    assert!(!shown.to_string().contains("data:image"));

    // It survives a reload and an export.
    let exported = exported_text(&tab.store);
    tab.kill();
    assert_eq!(tab.again(|_, _| says("?")).mind().file("logo.png"), Some(text.as_str()));
    let elsewhere = InMemoryStore::default();
    let (_, result) = imported(&elsewhere, exported.into_bytes());
    let there =
        open_tab(elsewhere, FakeLocks::default(), Rc::default(), result.sessions[0], |_, _| says("?"));
    assert_eq!(there.mind().file("logo.png"), Some(text.as_str()));
}

#[test]
fn referenced_lines_include_uncommitted_typing() {
    let tab = tab(|_, _| says("seen"));
    write_file(&tab, "a.txt", "kept\n");
    let (session, field) = (tab.session, DraftField::File("a.txt".into()));
    let base = tab.session_row().mind;
    let text = Some("typed just now\n".to_owned());
    tab.running.handle.draft(Draft { session, field, text, base, in_conflict: false });
    tab.say("@Critic #a.txt").unwrap();
    assert!(tab.question(0).contains("1\ttyped just now"));
}

#[test]
fn queued_message_has_the_lines_as_of_its_sending() {
    let tab = tab(|_, _| {
        let Scripted { mut beats, status } = says("seen");
        beats.insert(0, ScriptedChunk::Wait(5_000));
        Scripted { status, beats }
    });
    write_file(&tab, "a.txt", "early\n");
    tab.say("begin").unwrap();
    tab.say_with("@Critic #a.txt", QueueMode::FollowUp, None).unwrap();
    write_file(&tab, "a.txt", "late\n");
    tab.pass(600_000);
    let world = tab.world();
    let carried: Vec<_> = world.messages.values().flat_map(|message| passages_of(&message.parts)).collect();
    assert_eq!(carried.len(), 1);
    assert_eq!(carried[0].text, "1\tlate\n");
}

#[test]
fn agent_finds_renames_and_deletes_files() {
    let mut round = 0;
    let tab = tab(move |_, _| {
        round += 1;
        match round {
            1 => calls(&[("find_in_files", json!({"text": "needle"}))]),
            2 => calls(&[
                ("rename_file", json!({"name": "a.txt", "to": "docs/a.txt"})),
                ("delete_file", json!({"name": "b.txt"})),
                ("rename_file", json!({"name": "c.txt", "to": "docs/a.txt"})),
            ]),
            _ => says("done"),
        }
    });
    write_file(&tab, "a.txt", "hay\na needle\n");
    write_file(&tab, "b.txt", "gone");
    write_file(&tab, "c.txt", "stays");
    tab.say("@Critic tidy up").unwrap();
    let results = tab.requests.borrow()[1].1["contents"].to_string();
    assert!(results.contains("2\\\\ta needle") || results.contains("2\\ta needle"), "{results}");
    let names: Vec<_> = tab.mind().files.keys().cloned().collect();
    assert_eq!(names, ["c.txt", "docs/a.txt"]);
    let results = tab.requests.borrow()[2].1["contents"].to_string();
    assert!(results.contains("docs/a.txt already") || results.contains("taken"), "{results}");
}

/// The active file in the newest query of a request.
fn shown(body: &Value) -> String {
    let parts = body["contents"].as_array().unwrap().last().unwrap()["parts"].as_array().unwrap();
    let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    let (_, rest) = text.split_once("<active_file ").unwrap();
    let (_, rest) = rest.split_once(">\n").unwrap();
    format!("{}\n", rest.split_once("\n</active_file>").unwrap().0)
}

#[test]
fn concurrent_edits_of_two_agents_and_the_operator_are_merged() {
    const NAME: &str = "team.txt";
    let first: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    let writes = |body: &Value, others: &[(&str, &str)]| -> Scripted {
        if body["contents"].to_string().contains("functionResponse") {
            return says("done");
        }
        let mut text = shown(body);
        for (old, new) in others {
            assert!(text.contains(old), "{old:?} was not shown: {text}");
            text = text.replace(old, new);
        }
        let Scripted { status, mut beats } =
            calls(&[("write_file", json!({ "name": NAME, "content": text }))]);
        beats.insert(0, ScriptedChunk::Wait(5_000));
        Scripted { status, beats }
    };
    let tab = tab(move |agent, body| match agent {
        "Architect" => {
            writes(body, &[("line 1\n", "the Architect's 1\n"), ("line 20\n", "the Architect's 20\n")])
        }
        // It sees the earlier edits.
        "Engineer" => writes(
            body,
            &[
                ("the Architect's 20\n", "the Architect's 20\n"),
                ("mine 5\n", "mine 5\n"),
                ("line 10\n", "the Engineer's 10\n"),
                ("line 25\n", "the Engineer's 25\n"),
            ],
        ),
        _ => says("seen"),
    });
    write_file(&tab, NAME, &first);
    edit(&tab, vec![MindWrite::Activate(NAME.into())]);
    let text = |tab: &Tab| tab.mind().file(NAME).unwrap().to_owned();
    let types = |old: &str, new: &str| {
        let (session, field, base) = (tab.session, DraftField::File(NAME.into()), tab.session_row().mind);
        let text = Some(text(&tab).replace(old, new));
        tab.running.handle.draft(Draft { session, field, text, base, in_conflict: false });
    };

    tab.say("go").unwrap();
    tab.pass(1_000);
    types("line 5\n", "mine 5\n");
    // The Architect edits the version that it saw, without the operator's line.
    tab.pass(5_000);
    for line in ["the Architect's 1\n", "mine 5\n", "the Architect's 20\n"] {
        assert!(text(&tab).contains(line), "{line:?} is lost: {}", text(&tab));
    }
    // Meanwhile the operator edits one line that the Engineer also edits, and another one.
    tab.pass(3_000);
    let mut live = tab.running.bus.subscribe_transient();
    types("line 25\n", "mine 25\nmine 26\n");
    tab.pass(4_000);
    assert!(text(&tab).contains("the Engineer's 25\n") && !text(&tab).contains("mine 25"), "{}", text(&tab));
    let marked = std::iter::from_fn(|| live.try_recv().ok()).find_map(|signal| {
        if let TransientEvent::DraftConflict { marked, .. } = signal { Some(marked) } else { None }
    });
    let marked = marked.expect("the operator is told of the clash");
    for line in
        ["the Engineer's 25\n", "mine 25\n", "mine 26\n", "the Engineer's 10\n", "mine 5\n", "<<<<<<<"]
    {
        assert!(marked.contains(line), "{line:?} is lost: {marked}");
    }
    assert_eq!(marked.matches("<<<<<<<").count(), 1, "only where both wrote: {marked}");

    // Everyone gets the operator's resolution.
    types("the Engineer's 25\n", "the Engineer's 25\nmine 25\nmine 26\n");
    tab.pass(3_000);
    let expected = first
        .replace("line 1\n", "the Architect's 1\n")
        .replace("line 5\n", "mine 5\n")
        .replace("line 10\n", "the Engineer's 10\n")
        .replace("line 20\n", "the Architect's 20\n")
        .replace("line 25\n", "the Engineer's 25\nmine 25\nmine 26\n");
    assert_eq!(text(&tab), expected);
}

#[test]
fn each_write_of_an_answer_is_merged_with_what_the_agent_had_not_seen() {
    let lines: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    let (first, second) = (lines.clone(), lines.replace("line 1\n", "the agent's 1\n"));
    let tab = tab(move |_, body| {
        if has_results(body) {
            return says("done");
        }
        let write = |name: &str, text: &str| ("write_file", json!({ "name": name, "content": text }));
        let Scripted { status, mut beats } =
            calls(&[write("a.txt", "all new\n"), write("b.txt", &second), write("a.txt", "newer\n")]);
        beats.insert(0, ScriptedChunk::Wait(5_000));
        Scripted { status, beats }
    });
    write_file(&tab, "a.txt", "old\n");
    write_file(&tab, "b.txt", &first);
    tab.say("@Critic go").unwrap();
    tab.pass(1_000);
    write_file(&tab, "b.txt", &first.replace("line 20\n", "the operator's 20\n"));
    tab.pass(20_000);
    let expected = first.replace("line 1\n", "the agent's 1\n").replace("line 20\n", "the operator's 20\n");
    assert_eq!(tab.mind().file("b.txt"), Some(expected.as_str()));
    assert_eq!(tab.mind().file("a.txt"), Some("newer\n"), "its own writes are no conflict");
}

#[test]
fn agent_whose_call_was_denied_is_told_what_others_changed() {
    let tab = tab(|_, body| {
        if has_results(body) { says("done") } else { calls(&[("delete_file", json!({ "name": "a.txt" }))]) }
    });
    change_agent(&tab, "critic", |agent| agent.permissions.tools_ask.push("delete_file".into()));
    write_file(&tab, "a.txt", "old\n");
    tab.say("@Critic go").unwrap();
    write_file(&tab, "a.txt", "the operator's\n");
    let tool_run = *tab.world().tool_runs.keys().next().unwrap();
    let answer = ApprovalAnswer::Deny { reason: String::new() };
    tab.send(Command::AnswerApproval { tool_run, answer }).unwrap();
    let results = tab.requests.borrow()[1].1["contents"].to_string();
    assert!(results.contains("did not allow this") && results.contains("the operator's"), "{results}");
}
