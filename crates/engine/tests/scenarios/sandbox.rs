//! Scenarios of agents with a sandbox: no request contains a file that they may not access.

use crate::{change_agent, write_file};
use serde_json::{Value, json};

use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, says, tab};
use nexus_model::command::Command;
use nexus_model::mind::MindWrite;
use nexus_model::mind::blob::{base64_of, image_text};
use nexus_model::provider::Protocol;

const HIDDEN: &str = "plans-hidden.txt";
const WORDS: &str = "WORDS-OF-THE-HIDDEN-FILE";

fn write(tab: &Tab, name: &str, text: &str) {
    let base = tab.session_row().mind;
    let writes =
        vec![MindWrite::File { name: name.into(), text: text.into() }, MindWrite::Activate(name.into())];
    tab.send(Command::EditMind { session: tab.session, base, writes }).unwrap();
}

/// Limits an agent to the files in `docs`.
fn confine(tab: &Tab, agent: &str, sandbox: Option<&str>) {
    change_agent(tab, agent, |agent| {
        agent.permissions.sandbox = sandbox.map(|pattern| vec![pattern.to_owned()])
    });
}

/// A session with a file in `docs` and a hidden one, which is active.
fn begin(tab: &Tab) {
    write(tab, "docs/open.md", "words of the open file\n");
    write(tab, HIDDEN, &format!("{WORDS}\n"));
}

fn has_results(body: &Value) -> bool {
    body["contents"].to_string().contains("functionResponse")
}

/// The requests to an agent, each as one text.
fn requests(tab: &Tab, agent: &str) -> Vec<String> {
    let requests = tab.requests.borrow();
    requests.iter().filter(|(requests, _)| requests == agent).map(|(_, body)| body.to_string()).collect()
}

#[test]
fn hidden_file_is_in_neither_mind_nor_history() {
    let tab = tab(|agent, body| match agent {
        "Engineer" if !has_results(body) => calls(&[
            ("write_file", json!({"name": HIDDEN, "content": format!("{WORDS} again\n")})),
            ("write_file", json!({"name": "docs/new.md", "content": "n\n"})),
            ("edit_file", json!({"name": HIDDEN, "search": "again", "replace": "once more"})),
            ("read_file", json!({"name": HIDDEN})),
        ]),
        _ => says("done"),
    });
    begin(&tab);
    confine(&tab, "critic", Some("docs/*"));
    tab.say("all of you, begin").unwrap();
    let engineer = requests(&tab, "Engineer").join("");
    assert!(engineer.contains(WORDS) && engineer.contains(HIDDEN), "others see it: {engineer}");
    let critic = requests(&tab, "Critic").join("");
    assert!(critic.contains("docs/open.md") && critic.contains("docs/new.md +1"), "{critic}");
    assert!(!critic.contains(HIDDEN) && !critic.contains(WORDS), "{critic}");

    write(&tab, HIDDEN, &format!("{WORDS} of the operator\n"));
    tab.say("@Critic what is open?").unwrap();
    let critic = requests(&tab, "Critic").join("");
    assert!(critic.contains("A file is open that you are not allowed to see."), "{critic}");
    assert!(!critic.contains(HIDDEN) && !critic.contains(WORDS), "{critic}");
}

#[test]
fn request_is_rebuilt_unchanged_after_the_sandbox_was_removed() {
    let tab = tab(|agent, body| match agent {
        "Engineer" if !has_results(body) => {
            calls(&[("write_file", json!({"name": HIDDEN, "content": WORDS}))])
        }
        _ => says("done"),
    });
    begin(&tab);
    confine(&tab, "critic", Some("docs/*"));
    tab.say("all of you, begin").unwrap();
    confine(&tab, "critic", None);
    let sent = requests(&tab, "Critic");
    let world = tab.world();
    let turn = world.turns.values().find(|turn| turn.agent == "critic".into()).unwrap();
    let prompt = nexus_engine::calls::prompt::prompt_of(&world, turn, &turn.calls[0].recipe).unwrap();
    let endpoint = nexus_providers::http::Endpoint { base_url: "https://x.example".into(), key: None };
    let again = nexus_providers::codec::encode(Protocol::Gemini, &prompt, &endpoint).body.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap().to_string(), sent[0]);
}

#[test]
fn reported_changes_of_others_omit_hidden_files() {
    let mut asks = 0;
    let tab = tab(move |_, _| {
        asks += 1;
        if asks > 1 {
            return says("seen");
        }
        let Scripted { status, mut beats } = calls(&[("list_files", json!({}))]);
        beats.insert(0, ScriptedChunk::Wait(5_000));
        Scripted { status, beats }
    });
    begin(&tab);
    confine(&tab, "critic", Some("docs/*"));
    tab.say("@Critic look").unwrap();
    write(&tab, "docs/open.md", "changed words of the open file\n");
    write(&tab, HIDDEN, &format!("{WORDS}, changed\n"));
    tab.pass(6_000);
    let request = &requests(&tab, "Critic")[1];
    assert!(
        request.contains("changed_by_others") && request.contains("changed words of the open file"),
        "{request}"
    );
    assert!(!request.contains(HIDDEN) && !request.contains(WORDS), "{request}");
}

#[test]
fn passage_of_a_hidden_file_is_withheld_in_message_and_history() {
    let tab = tab(|_, _| says("done"));
    begin(&tab);
    confine(&tab, "critic", Some("docs/*"));
    tab.say(&format!("look at #{HIDDEN} and #docs/open.md")).unwrap();
    tab.say("@Critic and now?").unwrap();
    assert!(requests(&tab, "Engineer").join("").contains(WORDS), "whoever may see it is shown the passage");
    let critic = requests(&tab, "Critic");
    assert_eq!(critic.len(), 2);
    for request in &critic {
        assert!(request.contains("<passage hidden=") && request.contains("words of the open file"));
        assert!(!request.contains(WORDS), "{request}");
    }
}

#[test]
fn worker_sees_no_more_than_its_sender() {
    let tab = tab(|agent, body| {
        let is_worker = body["systemInstruction"].to_string().contains("You are a worker here");
        match agent {
            "Architect" if !has_results(body) => {
                calls(&[("delegate", json!({"task": "look around", "agent": "Engineer"}))])
            }
            "Engineer" if is_worker && !has_results(body) => calls(&[
                ("get_active_file", json!({})),
                ("list_files", json!({})),
                ("find_in_files", json!({"text": "WORDS"})),
            ]),
            _ => says("done"),
        }
    });
    begin(&tab);
    confine(&tab, "architect", Some("docs/*"));
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    let worker = requests(&tab, "Engineer");
    assert_eq!(worker.len(), 2, "it looked around and answered");
    let worker = worker.join("");
    assert!(
        worker.contains("docs/open.md") && !worker.contains(HIDDEN) && !worker.contains(WORDS),
        "{worker}"
    );
}

#[test]
fn hidden_image_is_not_attached_where_a_message_names_it() {
    let tab = tab(|_, _| says("done"));
    let bytes = b"\x89PNG\r\n\x1a\nabc";
    write_file(&tab, "logo.png", &image_text(bytes).unwrap());
    confine(&tab, "critic", Some("docs/*"));
    tab.say("all of you, look at #logo.png").unwrap();
    assert!(requests(&tab, "Engineer").join("").contains(&base64_of(bytes)), "others see it");
    let critic = requests(&tab, "Critic").join("");
    assert!(!critic.contains(&base64_of(bytes)), "{critic}");

    // The message keeps the image when the file is gone.
    let (session, base) = (tab.session, tab.session_row().mind);
    let writes = vec![MindWrite::Remove("logo.png".into())];
    tab.send(Command::EditMind { session, base, writes }).unwrap();
    tab.say("@Critic and now?").unwrap();
    let critic = requests(&tab, "Critic").join("");
    assert!(!critic.contains(&base64_of(bytes)), "{critic}");
}
