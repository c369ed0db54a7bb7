//! Tests of tool calls that need the operator's approval, and of runs that reached a limit.

use nexus_engine::tests::{calls, says};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, writes};

const TOOL: &str = "write_file";

/// A page whose Engineer must ask before it writes, and writes this file on the first message.
async fn asked_for(name: &str, content: &str) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    let rule = AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_TOOL).with("data-tool", TOOL);
    page.open_settings_at(rule.clone()).await;
    page.choose(rule, "ask").await;
    page.go_back().await;
    replies.queue("Engineer", writes(name, content));
    page.send_to("engineer", "Write.").await;
    page.see(APPROVAL_CARD).await;
    (page, replies)
}

/// Names of the files on the board.
fn files(page: &MountedPage) -> Vec<String> {
    page.attributes(FILE_TAB, "data-file")
}

#[wasm_bindgen_test]
async fn an_approved_call_writes_what_its_card_shows() {
    let (page, replies) = asked_for("asked.txt", "as asked\n").await;
    let card = APPROVAL_CARD.with("data-agent", "engineer").with("data-tool", TOOL);
    page.see_title("Needs you").await;
    for words in ["asked.txt", "as asked", "Engineer"] {
        page.see_text(card.clone(), words).await;
    }
    assert!(files(&page).is_empty(), "it was written before it was approved");
    assert_eq!(page.sent("Engineer").len(), 1, "the turn continued without the answer");
    replies.queue("Engineer", says("Thank you."));
    page.click(card.inner(APPROVAL_APPROVE)).await;
    page.hidden(APPROVAL_CARD).await;
    page.see_text(answers_of("engineer"), "Thank you.").await;
    page.idle().await;
    page.see_text(FILE_EDITOR, "as asked").await;
    page.see(TOOL_CARD.with("data-tool", TOOL).with("data-status", "succeeded")).await;
    let sent = page.sent("Engineer");
    assert_eq!(sent[1].results().len(), 1);
    assert!(sent[1].results()[0].pointer("/response/error").is_none());
}

#[wasm_bindgen_test]
async fn every_write_is_asked_for_if_the_operator_wants_that() {
    let (page, replies) = Replies::open().await;
    page.open_settings_at(RULE_ASK_WRITES).await;
    page.click(RULE_ASK_WRITES).await;
    page.go_back().await;
    replies.queue("Engineer", writes("asked.txt", "as asked\n"));
    page.send_to("engineer", "Write.").await;
    page.see_text(APPROVAL_CARD, "asked.txt").await;
    assert!(files(&page).is_empty(), "it was written before it was approved");
}

#[wasm_bindgen_test]
async fn always_ends_the_approvals() {
    let (page, replies) = asked_for("always.txt", "once\n").await;
    replies.queue("Engineer", writes("always.txt", "and again\n"));
    replies.queue("Engineer", says("Twice."));
    page.click(APPROVAL_CARD.inner(APPROVAL_ALWAYS)).await;
    page.click(APPROVAL_CARD.inner(APPROVAL_APPROVE)).await;
    page.see_text(answers_of("engineer"), "Twice.").await;
    page.idle().await;
    page.see_text(FILE_EDITOR, "and again").await;
}

#[wasm_bindgen_test]
async fn edited_arguments_are_checked_and_run_as_edited() {
    let (page, replies) = asked_for("asked.txt", "as asked\n").await;
    page.click(APPROVAL_CARD.inner(APPROVAL_EDIT)).await;
    page.has_focus(APPROVAL_ARGS).await;
    page.fill(APPROVAL_ARGS, "{\"name\": \"half").await;
    page.click(APPROVAL_CARD.inner(APPROVAL_APPROVE)).await;
    page.see(Selector::css(".approval-wrong:not(:empty)")).await;
    page.see(APPROVAL_CARD).await;
    assert!(files(&page).is_empty(), "half of a JSON was approved");
    replies.queue("Engineer", says("Thank you."));
    let edited = json!({ "name": "edited.txt", "content": "as edited\n" }).to_string();
    page.fill(APPROVAL_ARGS, &edited).await;
    page.click(APPROVAL_CARD.inner(APPROVAL_APPROVE)).await;
    page.see_text(answers_of("engineer"), "Thank you.").await;
    page.idle().await;
    page.see_text(FILE_EDITOR, "as edited").await;
    assert_eq!(files(&page), ["edited.txt"]);
    // The model receives what ran, not what it requested.
    let result = page.sent("Engineer")[1].results()[0].to_string();
    assert!(result.contains("edited.txt"), "{result}");
}

#[wasm_bindgen_test]
async fn a_denial_reaches_the_model_with_its_reason() {
    let (page, replies) = asked_for("denied.txt", "never\n").await;
    replies.queue("Engineer", says("As you wish."));
    page.fill(APPROVAL_REASON, "Not in this house.").await;
    page.click(APPROVAL_CARD.inner(APPROVAL_DENY)).await;
    page.see_text(answers_of("engineer"), "As you wish.").await;
    page.idle().await;
    page.see(TOOL_CARD.with("data-tool", TOOL).with("data-status", "denied")).await;
    let sent = page.sent("Engineer");
    let [result] = sent[1].results()[..] else { panic!("not one result") };
    assert!(result.pointer("/response/error").is_some(), "{result}");
    assert!(result.to_string().contains("Not in this house."), "{result}");
    assert!(files(&page).is_empty(), "it was written");
}

#[wasm_bindgen_test]
async fn a_closed_page_counts_as_a_denial() {
    let (page, replies) = asked_for("closed.txt", "never\n").await;
    let page = page.reload(replies.script()).await;
    page.see_count(TOOL_CARD.with("data-tool", TOOL).with("data-status", "denied"), 1).await;
    page.see(RESUME).await;
    page.hidden(APPROVAL_CARD).await;
    assert!(files(&page).is_empty(), "a closed page counted as a yes");
    assert!(page.sent("Engineer").is_empty(), "a request was sent without the operator");
}

/// A round without end at a limit of so many calls, which the settings set.
async fn at_the_limit(limit: usize) -> MountedPage {
    let mut number = 0;
    // A turn has at most eight tool rounds.
    let script = move |_: &str, body: &serde_json::Value| {
        number += 1;
        let contents = body["contents"].as_array().unwrap();
        let in_turn = contents.iter().rev().take_while(|content| {
            content["role"] == "model" || content.pointer("/parts/0/functionResponse").is_some()
        });
        if in_turn.count() < 14 {
            let plan = format!("- [ ] step {number}");
            calls(&[("update_nexus_state", json!({ "scratchpad": plan }))])
        } else {
            says(&format!("{number} steps so far."))
        }
    };
    let page = MountedPage::open(script).await;
    page.open_settings_at(CAP_CALLS).await;
    page.see(CAP_CALLS.with("placeholder", "60")).await;
    page.enter(CAP_CALLS, &limit.to_string()).await;
    page.go_back().await;
    page.click(KEEP_GOING).await;
    page.send_to("ALL", "Count for ever.").await;
    page.see(CAP_CARD).await;
    page
}

#[wasm_bindgen_test]
async fn a_run_at_its_call_limit_asks() {
    let page = at_the_limit(12).await;
    page.see_text(CAP_CARD, "12").await;
    page.see_text(AGENT_CARD.with("data-state", "asking"), "waiting for you").await;
    page.see_count(AGENT_CARD.with("data-state", "processing"), 0).await;
    assert_eq!(page.tab.requests.borrow().len(), 12);
    page.see_title("Needs you").await;
    page.see(CAP_END).await;
}

#[wasm_bindgen_test]
async fn a_run_continues_when_its_limit_is_raised() {
    let page = at_the_limit(3).await;
    page.click(CAP_RAISE).await;
    page.until("more calls", || page.tab.requests.borrow().len() > 3).await;
    page.see(CAP_CARD).await;
    assert_eq!(page.tab.requests.borrow().len(), 6, "not as many calls again");
}

#[wasm_bindgen_test]
async fn a_run_ends_at_its_limit_on_request() {
    let page = at_the_limit(3).await;
    page.click(CAP_END).await;
    page.hidden(CAP_CARD).await;
    page.has_focus(COMPOSER).await;
    page.idle().await;
    assert_eq!(page.tab.requests.borrow().len(), 3);
}
