//! Tests of who answers a message, and of the options of one message.

use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::HtmlSelectElement;
use nexus_engine::tests::says;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, Sent, after_a_second};
use crate::script;

/// Mutes or unmutes an agent by its card.
async fn mute(page: &MountedPage, agent: &str, is_muted: bool) {
    page.click(agent_card(agent).inner(AGENT_MUTE)).await;
    page.see(agent_card(agent).with("data-muted", &is_muted.to_string())).await;
}

/// Sends a message to all, and returns who answered, in order.
async fn who_answers(page: &MountedPage, expected: usize) -> Vec<String> {
    let before = page.tab.speakers().len();
    page.send_to("ALL", "Anybody?").await;
    page.until("the answers", || page.tab.speakers().len() == before + expected).await;
    page.idle().await;
    page.tab.speakers().split_off(before)
}

#[wasm_bindgen_test]
async fn muted_agents_are_left_out_and_the_others_answer_by_priority() {
    let (page, replies) = Replies::open().await;
    mute(&page, "engineer", true).await;
    // Low → Normal → High for the Critic, High → Low for the Architect.
    for (agent, words) in [("critic", "normal"), ("critic", "high"), ("architect", "low")] {
        let button = agent_card(agent).inner(AGENT_PRIORITY);
        page.click(button.clone()).await;
        let says = || page.texts(button.clone()).iter().any(|text| text.to_lowercase().contains(words));
        page.until(&format!("{agent} to be {words}"), says).await;
    }
    assert_eq!(who_answers(&page, 2).await, ["Critic", "Architect"]);

    // Stored for this session.
    let page = page.reload(replies.script()).await;
    page.see(agent_card("engineer").with("data-muted", "true")).await;
    mute(&page, "engineer", false).await;
    assert_eq!(who_answers(&page, 3).await, ["Critic", "Engineer", "Architect"]);
}

#[wasm_bindgen_test]
async fn an_agent_that_is_selected_or_mentioned_answers_alone_even_if_muted() {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", says("Only me."));
    page.ask("engineer", "You alone.", "Only me.").await;
    assert_eq!(page.tab.speakers(), ["Engineer"]);

    mute(&page, "critic", true).await;
    replies.queue("Critic", says("Even muted."));
    page.choose(TARGET_SELECT, "ALL").await;
    page.fill(COMPOSER, "@Cri").await;
    page.see_text(MENTION_LIST, "Critic").await;
    page.press("Enter").await;
    page.hidden(MENTION_LIST).await;
    page.see_text(COMPOSER, "@Critic").await;
    let mention = page.text(COMPOSER).await;
    page.fill(COMPOSER, &format!("{} what do you think?", mention.trim_end())).await;
    page.click(SEND).await;
    page.see_text(answers_of("critic"), "Even muted.").await;
    page.idle().await;
    assert_eq!(page.tab.speakers(), ["Engineer", "Critic"]);
}

/// Denies a tool for the next message.
async fn deny(page: &MountedPage, tool: &str) {
    page.click(OVERRIDE_OPEN).await;
    page.click(Selector::css(&format!("{} summary", Selector::from(OVERRIDE_TOOLS)))).await;
    page.choose(OVERRIDE_TOOL.with("data-tool", tool), "deny").await;
    page.click(OVERRIDE_DONE).await;
    page.hidden(OVER).await;
}

#[wasm_bindgen_test]
async fn a_tool_denied_for_a_message_is_shown_until_it_is_sent() {
    let (page, replies) = Replies::open().await;
    deny(&page, "write_file").await;
    page.until("the focus to return", || page.focused() == "override-open").await;
    page.see_text(OVERRIDE_CHIP, "Deny: write_file").await;
    // Each session has its own.
    let main = page.session();
    page.new_session().await;
    page.hidden(OVERRIDE_CHIP).await;
    page.open_session(&main).await;
    page.see_text(OVERRIDE_CHIP, "Deny: write_file").await;
    page.tab.pass(1_000);
    let page = page.reload(replies.script()).await;
    page.see_text(OVERRIDE_CHIP, "Deny: write_file").await;
    replies.queue("Engineer", says("I only look."));
    page.ask("engineer", "Look at it.", "I only look.").await;
    page.hidden(OVERRIDE_CHIP).await;
    replies.queue("Engineer", says("As always."));
    page.ask("engineer", "And now?", "As always.").await;
    let sent = page.sent("Engineer");
    let tools = sent[0].tools();
    assert!(!tools.contains(&"write_file") && tools.contains(&"read_file"), "{tools:?}");
    assert!(sent[1].tools().contains(&"write_file"), "it also applied to the next message");
}

#[wasm_bindgen_test]
async fn an_edited_message_keeps_its_options_until_they_are_reset() {
    let (page, replies) = Replies::open().await;
    deny(&page, "write_file").await;
    replies.queue("Engineer", says("I only look."));
    page.ask("engineer", "Look at it.", "I only look.").await;
    for (answer, is_kept) in [("I look again.", true), ("I may write.", false)] {
        page.click_last(MESSAGE.with("data-role", "user").inner(TURN_ACTIONS)).await;
        page.click(TURN_EDIT).await;
        page.see_text(EDIT_MESSAGE.inner(OVERRIDE_CHIP), "Deny: write_file").await;
        if !is_kept {
            page.click(EDIT_MESSAGE.inner(OVERRIDE_CLEAR)).await;
            page.hidden(OVERRIDE_CHIP).await;
        }
        replies.queue("Engineer", says(answer));
        page.click(EDIT_RESEND).await;
        page.see_text(answers_of("engineer"), answer).await;
        page.idle().await;
        let sent = page.sent("Engineer").pop().unwrap();
        assert_eq!(sent.tools().contains(&"write_file"), !is_kept, "{:?}", sent.tools());
    }
    // The sibling turn shows its own options.
    page.click(SIBLING_PREVIOUS).await;
    page.see_text(answers_of("engineer"), "I look again.").await;
    page.click_last(INSPECT_TURN).await;
    page.see_text(INSPECT_STATUS, "Deny: write_file").await;
    crate::script("history.back()");
    page.see(WAR_ROOM).await;
}

#[wasm_bindgen_test]
async fn a_queued_message_says_its_own_parameters_and_is_sent_with_them() {
    const PARAMETERS: &str = "Reasoning effort: High · Temperature: 0.3";
    let level = |sent: &Sent| sent.0.pointer("/generationConfig/thinkingConfig/thinkingLevel").cloned();
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", after_a_second("I am at it.", says(" Done.")));
    page.send_to("engineer", "Take your time.").await;
    page.see_text(answers_of("engineer"), "I am at it.").await;
    page.click(OVERRIDE_OPEN).await;
    page.choose(OVERRIDE_THINKING, "high").await;
    page.enter(OVERRIDE_TEMPERATURE, "3").await;
    page.see_text(OVER, "A number from 0 to 2").await;
    page.enter(OVERRIDE_TEMPERATURE, "0,3").await;
    page.click(OVERRIDE_DONE).await;
    page.see_text(OVERRIDE_CHIP, PARAMETERS).await;
    page.fill(COMPOSER, "Think hard.").await;
    page.click(SEND).await;
    page.see_text(QUEUE_OVER, PARAMETERS).await;
    replies.queue("Engineer", says("I thought hard."));
    page.tab.pass(1_000);
    page.see_text(answers_of("engineer"), "I thought hard.").await;
    page.idle().await;
    replies.queue("Engineer", says("As always."));
    page.ask("engineer", "And now?", "As always.").await;
    let sent = page.sent("Engineer");
    assert_eq!(level(&sent[1]), Some("high".into()), "{}", sent[1].0);
    assert_ne!(level(&sent[0]), level(&sent[1]));
    assert_eq!(sent[1].0.pointer("/generationConfig/temperature"), Some(&0.3.into()), "{}", sent[1].0);
    assert_eq!(level(&sent[2]), level(&sent[0]), "it also applied to the next message");
}

/// The agent that the composer of the session in view names; `ALL` for all.
async fn recipient(page: &MountedPage) -> String {
    page.see(TARGET_SELECT).await.unchecked_into::<HtmlSelectElement>().value()
}

#[wasm_bindgen_test]
async fn what_a_message_will_carry_stays_with_its_session() {
    let (page, replies) = Replies::open().await;
    let first = page.session();
    page.fill(COMPOSER, "half a message").await;
    page.choose(TARGET_SELECT, "critic").await;
    deny(&page, "write_file").await;
    page.drop_files(&[("dot.png", "image/png", b"\x89PNG\r\n\x1a\n")]).await;
    page.see_count(IMAGE_CHIP, 1).await;

    // Neither the recipient, nor the image, nor the option goes with a message of another session.
    page.new_session().await;
    page.see_count(IMAGE_CHIP, 0).await;
    page.hidden(OVERRIDE_CHIP).await;
    assert_eq!(recipient(&page).await, "ALL");
    replies.queue("Architect", says("Here I am."));
    page.ask("architect", "Who is there?", "Here I am.").await;
    let image = |agent: &str| page.sent(agent)[0].0.to_string().contains("image/png");
    assert!(!image("Architect"), "the image of another session was sent");

    // All of it is there again, also after another screen.
    page.open_session(&first).await;
    page.see_count(IMAGE_CHIP, 1).await;
    page.open_settings().await;
    page.back().await;
    page.see_count(IMAGE_CHIP, 1).await;
    page.see_text(OVERRIDE_CHIP, "Deny: write_file").await;
    assert_eq!(recipient(&page).await, "critic");
    replies.queue("Critic", says("I see it."));
    page.click(SEND).await;
    page.see_text(answers_of("critic"), "I see it.").await;
    page.idle().await;
    assert!(image("Critic") && !page.sent("Critic")[0].tools().contains(&"write_file"));
    page.see_count(IMAGE_CHIP, 0).await;
    page.hidden(OVERRIDE_CHIP).await;

    // A reload keeps text, recipient and image.
    page.fill(COMPOSER, "half a message").await;
    page.drop_files(&[("other.png", "image/png", b"\x89PNG\r\n\x1a\n")]).await;
    page.see_text(IMAGE_CHIP, "other.png").await;
    page.tab.pass(2_000);
    page.settle().await;
    let page = page.reload(replies.script()).await;
    page.until("the recipient", || page.attributes(COMPOSER, "placeholder").join("").contains("Critic"))
        .await;
    assert_eq!(recipient(&page).await, "critic");
    assert_eq!(page.text(COMPOSER).await, "half a message");
    page.see_text(IMAGE_CHIP, "other.png").await;
    replies.queue("Critic", says("This one, too."));
    page.click(SEND).await;
    page.see_text(answers_of("critic"), "This one, too.").await;
    assert!(page.sent("Critic")[0].0.to_string().contains("image/png"));
    page.see_count(IMAGE_CHIP, 0).await;
    // Nor does it come back.
    let page = page.reload(replies.script()).await;
    page.see_text(answers_of("critic"), "This one, too.").await;
    page.see_count(IMAGE_CHIP, 0).await;
}

#[wasm_bindgen_test]
async fn a_graph_starts_with_all_that_the_message_carries() {
    let (page, _) = Replies::open().await;
    deny(&page, "write_file").await;
    page.drop_files(&[("dot.png", "image/png", b"\x89PNG\r\n\x1a\n")]).await;
    page.see_count(IMAGE_CHIP, 1).await;
    page.run_action("run as a graph", "run-graph-new").await;
    page.see_text(Selector::css("[data-testid=graph-dialog]"), "Attached: dot.png").await;
    page.fill(GRAPH_MESSAGE, "What is it?").await;
    page.click(GRAPH_START).await;
    page.see(RUN_SCREEN.with("data-done", "true")).await;
    page.until("the first request", || !page.sent("Architect").is_empty()).await;
    let committed = json!(page.logged("MessageCommitted")).to_string();
    assert!(committed.contains("dot.png"), "the message has no image: {committed}");
    let first = page.sent("Architect").remove(0);
    let tools = first.tools();
    assert!(!tools.contains(&"write_file") && tools.contains(&"read_file"), "{tools:?}");
    page.goto("/").await;
    page.see(COMPOSER).await;
    assert_eq!(page.text(COMPOSER).await, "");
    page.see_count(IMAGE_CHIP, 0).await;
    page.hidden(OVERRIDE_CHIP).await;
    assert!(first.0.to_string().contains("image/png"), "the model did not get the image: {}", first.0);
}

#[wasm_bindgen_test]
async fn the_edit_of_a_sent_message_is_kept_until_it_is_resent_or_cancelled() {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", says("As you say."));
    page.ask("engineer", "Say it.", "As you say.").await;
    let first = page.session();
    let open = async || {
        page.open_turn_menu("Say it.").await;
        page.click(TURN_EDIT).await;
        page.text(EDIT_TEXT).await
    };
    assert_eq!(open().await, "Say it.");
    page.fill(EDIT_TEXT, "Say it, but at length.").await;
    page.new_session().await;
    page.open_session(&first).await;
    page.open_settings().await;
    page.back().await;
    page.see_text(MESSAGE, "unfinished edit").await;
    assert_eq!(open().await, "Say it, but at length.");
    page.press("Escape").await;
    page.hidden(EDIT_MESSAGE).await;
    assert_eq!(open().await, "Say it, but at length.");
    page.click(EDIT_CANCEL).await;
    page.lacks(MESSAGE, "unfinished edit").await;
    assert_eq!(open().await, "Say it.");
}

#[wasm_bindgen_test]
async fn the_reply_to_a_message_finds_its_session_whatever_is_shown_by_then() {
    let (page, replies) = Replies::open().await;
    let first = page.session();
    page.new_session().await;
    let second = page.session();
    page.fill(COMPOSER, "Go there, and back").await;
    page.open_session(&first).await;
    page.fill(COMPOSER, "Go there").await;
    page.click(SESSION_SWITCHER).await;
    let row = SESSION_OPEN.with("data-session", &second);
    page.see(row.clone()).await;
    // In one task: the engine answers when the other session is in view.
    replies.queue_texts("Architect", &["I went."]);
    let then = |row: Selector| {
        let send = Selector::from(SEND);
        script(&format!("for (const part of [`{send}`, `{row}`]) document.querySelector(part).click()"))
    };
    then(row);
    page.see(SESSION_SWITCHER.with("data-session", &second)).await;
    page.until("the request", || page.sent("Architect").len() == 1).await;
    page.settle().await;
    assert_eq!(page.text(COMPOSER).await, "Go there, and back");
    page.open_session(&first).await;
    assert_eq!(page.text(COMPOSER).await, "");

    // Or the settings.
    replies.queue_texts("Architect", &["I went again."]);
    page.fill(COMPOSER, "Go again").await;
    then(OPEN_SETTINGS.into());
    page.see(SETTINGS).await;
    page.until("the request", || page.sent("Architect").len() == 2).await;
    page.back().await;
    page.see_text(answers_of("architect"), "I went again.").await;
    assert_eq!(page.text(COMPOSER).await, "");

    // Or another session, for an edited message.
    page.open_turn_menu("Go again").await;
    page.click(TURN_EDIT).await;
    page.fill(EDIT_TEXT, "Go a third time").await;
    page.click(SESSION_SWITCHER).await;
    let row = SESSION_OPEN.with("data-session", &second);
    page.see(row.clone()).await;
    replies.queue_texts("Architect", &["I went a third time."]);
    script(&format!(
        "for (const part of [`{}`, `{row}`]) document.querySelector(part).click()",
        Selector::from(EDIT_RESEND)
    ));
    page.until("the request", || page.sent("Architect").len() == 3).await;
    page.open_session(&first).await;
    page.see_text(answers_of("architect"), "I went a third time.").await;
    page.hidden(EDIT_MESSAGE).await;
}
