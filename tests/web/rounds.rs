//! Tests of rounds: messages, answers and calls, from the composer to the timeline.

use nexus_engine::tests::{calls, event, says};
use nexus_model::command::Command;
use nexus_model::provider::Provider;
use nexus_providers::http::HttpRequest;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, Sent, after_a_second, writes};

#[wasm_bindgen_test]
async fn a_message_is_answered_in_turn() {
    let page = MountedPage::open(|agent, _| says(&format!("{agent} is here."))).await;
    page.send_to("ALL", "Who is here?").await;
    page.see_text(answers_of("critic"), "Critic is here.").await;
    page.idle().await;
    assert_eq!(page.tab.speakers(), ["Architect", "Engineer", "Critic"]);
    page.see_text(MESSAGE.with("data-role", "user"), "Who is here?").await;
    assert_eq!(page.text(COMPOSER).await, "");
}

#[wasm_bindgen_test]
async fn a_written_file_is_on_the_board() {
    let mut round = 0;
    let page = MountedPage::open(move |_, _| {
        round += 1;
        match round {
            1 => calls(&[("write_file", json!({ "name": "hello.txt", "content": "Hello" }))]),
            _ => says("Written."),
        }
    })
    .await;
    page.ask("engineer", "Write it.", "Written.").await;
    page.see(FILE_TAB.with("data-file", "hello.txt")).await;
    page.see_count(TOOL_CARD.with("data-status", "succeeded"), 1).await;
}

#[wasm_bindgen_test]
async fn the_palette_opens_by_its_key_and_returns_the_focus() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    page.fill(COMPOSER, "A draft").await;
    page.press("Control+k").await;
    page.see(PALETTE).await;
    page.press("Escape").await;
    page.hidden(PALETTE).await;
    page.until("the focus to return", || page.focused() == "composer").await;
    assert_eq!(page.text(COMPOSER).await, "A draft");
}

#[wasm_bindgen_test]
async fn an_edited_objective_reaches_the_next_prompt() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    page.enter(OBJECTIVE_FIELD, "Cross the river").await;
    page.ask("critic", "Where to?", "Yes.").await;
    assert!(page.tab.question(0).contains("Cross the river"), "{}", page.tab.question(0));
    assert_eq!(page.attributes(answers_of("critic"), "data-status"), ["completed"]);
}

#[wasm_bindgen_test]
async fn each_agent_sees_the_answers_and_the_mind_of_those_before() {
    const PLAN: &str = "- [ ] Engineer: grüße.html greets 🦀 by name";
    const GREETING: &str = "<h1>Hallo, Ferris</h1>\n";
    let (page, replies) = Replies::open().await;
    let mut plan = calls(&[("update_nexus_state", json!({ "scratchpad": PLAN }))]);
    let part = json!([{ "text": "They want a greeting.", "thought": true }, { "text": "Let me plan." }]);
    plan.beats
        .insert(0, event(&json!({ "candidates": [{ "content": { "role": "model", "parts": part } }] })));
    replies.queue("Architect", plan);
    replies.queue("Architect", says("The plan is on the board."));
    replies.queue("Engineer", writes("grüße.html", GREETING));
    replies.queue("Engineer", says("Built as planned."));
    replies.queue("Critic", says("It greets."));
    page.send_to("ALL", "Greet the crab.").await;
    page.see_text(answers_of("critic"), "It greets.").await;
    page.idle().await;
    assert_eq!(page.tab.speakers(), ["Architect", "Architect", "Engineer", "Engineer", "Critic"]);

    let architect = &page.sent("Architect")[0];
    assert!(architect.mind().contains("scratchpad"), "{}", architect.question());
    assert!(!architect.mind().contains("grüße.html"), "the plan was there before it was made");
    assert!(architect.question().contains("Greet the crab."));
    let engineer = &page.sent("Engineer")[0];
    assert!(engineer.mind().contains(PLAN), "a stale mind: {}", engineer.mind());
    assert!(engineer.text().contains("The plan is on the board."), "{}", engineer.text());
    assert!(!engineer.text().contains("They want a greeting."), "thinking was sent as history");
    let critic = &page.sent("Critic")[0];
    assert!(critic.mind().contains(PLAN) && critic.mind().contains(GREETING.trim()), "{}", critic.mind());
    assert!(critic.text().contains("Built as planned."));
    let has_key = |request: &HttpRequest| request.headers.iter().any(|(name, _)| name == "x-goog-api-key");
    assert!(page.tab.sent.borrow().iter().all(has_key));

    page.see_text(SCRATCHPAD, PLAN).await;
    page.see_text(FILE_EDITOR, GREETING.trim()).await;
    page.see(FILE_TAB.with("data-file", "grüße.html")).await;
    let answer = page.texts(answers_of("architect").inner(MESSAGE_TEXT)).join("\n");
    assert!(answer.contains("Let me plan.") && !answer.contains("They want a greeting."), "{answer}");
    page.see_text(answers_of("architect").inner(MESSAGE_THINKING), "They want a greeting.").await;
    page.see_count(TOOL_CARD.with("data-status", "succeeded"), 2).await;
}

#[wasm_bindgen_test]
async fn calls_run_until_the_final_answer_and_an_invalid_one_runs_nothing() {
    let (page, replies) = Replies::open().await;
    let list = json!({ "activeFile": "one\ntwo\nthree\n", "activeFileName": "list.txt" });
    replies.queue("Engineer", calls(&[("update_nexus_state", list), ("get_active_file", json!({}))]));
    let bad = json!({ "activeFile": { "no": "text" }, "activeFileName": "list.txt" });
    replies.queue("Engineer", calls(&[("update_nexus_state", bad)]));
    let other_name = json!({ "activeFileContent": "one\ntwo\n", "activeFileName": "list.txt" });
    replies.queue("Engineer", calls(&[("update_nexus_state", other_name)]));
    replies.queue("Engineer", says("The list is short now."));
    page.ask("engineer", "Make a list.", "The list is short now.").await;

    let sent = page.sent("Engineer");
    assert_eq!(sent.len(), 4);
    for tool in ["update_nexus_state", "get_active_file", "read_file", "write_file", "edit_file"] {
        assert!(sent[0].tools().contains(&tool), "{tool} is not offered, only {:?}", sent[0].tools());
    }
    let results = sent[1].results();
    let names: Vec<_> = results.iter().map(|result| &result["name"]).collect();
    assert_eq!(names, ["update_nexus_state", "get_active_file"]);
    let bad = sent[2].results()[0];
    assert!(bad.pointer("/response/error").is_some(), "the bad call was accepted: {bad}");
    let system = |sent: &Sent| sent.0["systemInstruction"].clone();
    assert_eq!(system(&sent[3]), system(&sent[0]), "the persona was lost on the way");
    assert_eq!(sent[3].mind(), sent[0].mind(), "the mind block moved within the turn");

    assert_eq!(page.text(FILE_EDITOR).await, "one\ntwo\n");
    let states = page.attributes(TOOL_CARD, "data-status");
    assert_eq!(states, ["succeeded", "succeeded", "failed", "succeeded"]);
}

#[wasm_bindgen_test]
async fn a_run_repeats_its_round_until_the_critic_accepts() {
    let (page, replies) = Replies::open().await;
    page.click(KEEP_GOING).await;
    for (round, plan) in [(1, "- [ ] greet"), (2, "- [x] greet")] {
        replies.queue("Architect", calls(&[("update_nexus_state", json!({ "scratchpad": plan }))]));
        replies.queue("Architect", says(&format!("Plan {round}.")));
        replies.queue("Engineer", writes("hello.html", &format!("<p>Hello {round}</p>\n")));
        replies.queue("Engineer", says(&format!("Built {round}.")));
    }
    replies.queue("Critic", says("Not yet: it greets only once."));
    let verdict = json!({ "accepted": true, "reasons": "It greets twice." });
    replies.queue("Critic", calls(&[("accept_work", verdict)]));
    replies.queue("Critic", says("Accepted."));
    page.send_to("ALL", "Greet until it is right.").await;
    page.see_text(answers_of("critic"), "Accepted.").await;
    page.idle().await;

    let mut turns = page.tab.speakers();
    turns.dedup();
    assert_eq!(turns, ["Architect", "Engineer", "Critic", "Architect", "Engineer", "Critic"]);
    let second = &page.sent("Architect")[2];
    assert!(second.mind().contains("Hello 1"), "round 2 saw a stale mind: {}", second.mind());
    assert!(second.text().contains("Not yet: it greets only once."));
    page.see_text(FILE_EDITOR, "Hello 2").await;
    page.see_count(ROUND, 2).await;
    let ends = page.texts(ROUND);
    assert!(ends.iter().all(|end| end.contains("hello.html")), "{ends:?}");
    page.see_title("inished").await;
    page.see_text(TIMELINE, "It greets twice.").await;
}

#[wasm_bindgen_test]
async fn what_the_operator_writes_during_an_answer_is_merged_with_it() {
    const PLAN: &str = "# Plan\n\none\n\ntwo\n\nthree\n";
    const MINE: &str = "four, by hand";
    let (page, replies) = Replies::open().await;
    let note = |text: &str| calls(&[("update_nexus_state", json!({ "scratchpad": text }))]);
    replies.queue("Architect", note(PLAN));
    replies.queue("Architect", says("Noted."));
    page.ask("architect", "Make a plan.", "Noted.").await;
    page.see_text(SCRATCHPAD, PLAN).await;

    let better = PLAN.replace("# Plan", "# Better plan");
    replies.queue("Architect", after_a_second("Thinking it over.", note(&better)));
    replies.queue("Architect", says("It is better now."));
    page.send_to("architect", "Make it better.").await;
    page.see_text(answers_of("architect"), "Thinking it over.").await;
    page.fill(SCRATCHPAD, &format!("{PLAN}{MINE}")).await;
    page.tab.pass(1_000);
    page.see_text(answers_of("architect"), "It is better now.").await;
    page.idle().await;
    assert_eq!(page.focused(), "scratchpad");
    // What the operator writes is merged when they pause.
    page.tab.pass(2_000);
    page.see_text(SCRATCHPAD, &format!("{better}{MINE}")).await;
    page.ask("engineer", "What does the plan say?", "Unasked.").await;
    let mind = page.sent("Engineer")[0].mind();
    assert!(mind.contains("# Better plan") && mind.contains(MINE), "one of the two was lost: {mind}");
    assert_eq!(page.text(SCRATCHPAD).await, format!("{better}{MINE}"));
}

#[wasm_bindgen_test]
async fn the_bar_of_changes_counts_undoes_and_accepts_them() {
    let (page, replies) = Replies::open().await;
    page.see_count(CHANGES_SUMMARY, 0).await;
    replies.queue("Engineer", writes("poem.txt", "roses\nviolets\n"));
    replies.queue_texts("Engineer", &["Written.", "Nothing else."]);
    page.ask("engineer", "Write.", "Written.").await;
    page.see_text(CHANGES_SUMMARY, "1 file changed").await;
    page.see_text(CHANGES_SUMMARY, "+2").await;
    page.ask("engineer", "What else?", "Nothing else.").await;
    page.see_text(CHANGES_SUMMARY, "1 file changed").await;
    page.click(CHANGES_REVIEW).await;
    page.see(COMPARE_LIST).await;

    page.click(CHANGES_REVERT).await;
    page.hidden(CHANGES_SUMMARY).await;
    page.click(FACE_EDIT).await;
    page.hidden(FILE_TAB).await;
    page.click(NOTICE_UNDO).await;
    page.see_text(FILE_TAB, "poem.txt").await;
    page.see_text(CHANGES_SUMMARY, "1 file changed").await;

    page.click(CHANGES_ACCEPT).await;
    page.hidden(CHANGES_SUMMARY).await;
    page.see_text(FILE_TAB, "poem.txt").await;
    let page = page.reload(replies.script()).await;
    page.see_text(FILE_TAB, "poem.txt").await;
    page.see_count(CHANGES_SUMMARY, 0).await;
}

/// Where the settings say which price a model has.
fn price(model: &str) -> Selector {
    PRICE_ROW.with("data-model", model)
}

#[wasm_bindgen_test]
async fn an_answer_shows_its_usage_and_what_the_turn_cost() {
    const MODEL: &str = "gemini-3.8-flash";
    let (page, replies) = Replies::open().await;
    page.open_settings_at(price(MODEL)).await;
    page.enter(price(MODEL).inner(PRICE_INPUT), "1000").await;
    page.enter(price(MODEL).inner(PRICE_OUTPUT), "1000").await;
    page.see(price(MODEL).with("data-own", "true")).await;
    page.go_back().await;
    replies.queue("Engineer", calls(&[("list_files", json!({}))]));
    replies.queue("Engineer", says("Nothing there."));
    page.ask("engineer", "What is there?", "Nothing there.").await;
    page.see(answers_of("engineer").with("data-continued", "true")).await;
    // Two calls of 100 and 10 tokens, one line: the turn's usage.
    page.see_count(MESSAGE_COST, 1).await;
    page.see_text(MESSAGE_USAGE, "200 → 20 tokens").await;
    page.see_text(MESSAGE_COST, "≈ $0.22").await;
}

#[wasm_bindgen_test]
async fn a_server_on_this_machine_has_usage_and_no_price() {
    let (page, replies) = Replies::open().await;
    let mut provider = Provider::gemini();
    (provider.base_url, provider.needs_key) = ("http://127.0.0.1:8080".to_owned(), false);
    page.tab.send(Command::ChangeProvider { provider }).unwrap();
    replies.queue("Engineer", says("Here."));
    page.ask("engineer", "Where?", "Here.").await;
    page.see_text(MESSAGE_USAGE, "100 → 10 tokens").await;
    page.see_count(MESSAGE_COST, 0).await;
}

#[wasm_bindgen_test]
async fn many_calls_of_a_tool_are_one_card_that_opens() {
    let (page, replies) = Replies::open().await;
    let write = |at: usize| ("write_file", json!({ "name": format!("{at}.txt"), "content": "one\ntwo\n" }));
    replies.queue("Engineer", calls(&(0..5).map(write).collect::<Vec<_>>()));
    replies.queue_texts("Engineer", &["Written."]);
    page.ask("engineer", "Write five.", "Written.").await;
    page.see_text(TOOL_GROUP, "5 calls").await;
    page.see_text(TOOL_GROUP, "+10").await;
    page.see_count(TOOL_CARD, 5).await;
    page.hidden(TOOL_CARD).await;
    page.click(Selector::css(&format!("{} summary", Selector::from(TOOL_GROUP)))).await;
    page.see(TOOL_CARD).await;
    page.see_text(TOOL_CARD, "4.txt").await;
}

#[wasm_bindgen_test]
async fn a_new_session_is_named_by_its_first_message() {
    let (page, replies) = Replies::open().await;
    page.new_session().await;
    replies.queue_texts("Critic", &["It flows."]);
    page.ask("critic", "Is the river long?", "It flows.").await;
    page.see_text(SESSION_SWITCHER, "Is the river long?").await;
    page.see_title("Is the river long?").await;
}
