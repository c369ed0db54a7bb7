//! Tests of rounds: messages, answers and calls, from the composer to the timeline.

use nexus_engine::tests::{calls, says};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;

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
