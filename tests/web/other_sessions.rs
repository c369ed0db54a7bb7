//! Tests of the search across sessions, of messages to other sessions, of triggers, and of a session in two tabs.

use leptos::prelude::document;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::HtmlSelectElement;
use nexus_engine::port::{Store as _, Table};
use nexus_engine::tests::{says, tab, trickles};
use nexus_model::command::Command;
use nexus_model::id::{Millis, TriggerId};
use nexus_model::session::SessionStatus;
use nexus_model::session::trigger::{Recipient, Schedule, Trigger};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::Replies;
use crate::script_promise;

async fn ask(page: &MountedPage, replies: &Replies, question: &str, answer: &str) {
    replies.queue("Engineer", says(answer));
    page.ask("engineer", question, answer).await;
}

/// Two sessions with messages; the second is in view. Returns the id of the first.
async fn two_conversations() -> (MountedPage, Replies, String) {
    let (page, replies) = Replies::open().await;
    ask(&page, &replies, "The heron nests at the mill.", "I know the mill.").await;
    ask(&page, &replies, "And the kingfisher?", "By the weir.").await;
    let main = page.session();
    page.new_session().await;
    ask(&page, &replies, "Otters swim here.", "They do.").await;
    (page, replies, main)
}

#[wasm_bindgen_test]
async fn a_message_of_another_session_is_found_with_the_reason_and_opened() {
    let (page, _, main) = two_conversations().await;
    page.click(SESSION_SWITCHER).await;
    page.fill(SESSION_SEARCH, "herons heron").await;
    page.click(SESSION_FIND_ALL).await;
    page.hidden(SESSION_LIST).await;
    page.see_text_in_time(FINDER_ROW, "The heron nests at the mill.").await;
    page.see_text_in_time(FINDER_ROW, "message").await;
    page.see_text_in_time(FINDER_ROW, "1 of 2 words").await;
    assert_eq!(page.text(Selector::css("[data-testid=finder-row] mark")).await, "heron");
    page.press("Enter").await;
    page.hidden(FINDER).await;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await;
    let is_led = || {
        let focused = document().active_element().and_then(|it| it.closest("[data-testid=message]").unwrap());
        focused.is_some_and(|message| message.text_content().unwrap().contains("The heron nests"))
    };
    page.until("the focus on the message", is_led).await;
    // By a single key; newer messages are found as well.
    page.press("w").await;
    page.has_focus(FINDER_INPUT).await;
    page.fill(FINDER_INPUT, "otte").await;
    page.see_text_in_time(FINDER_ROW, "Otters swim here.").await;
    page.press("Escape").await;
    page.hidden(FINDER).await;
}

#[wasm_bindgen_test]
async fn a_message_on_a_branch_that_its_session_has_left_is_found_and_restored() {
    let (page, _, main) = two_conversations().await;
    page.open_session(&main).await;
    page.open_turn_menu("I know the mill.").await;
    page.click(TURN_BACK).await;
    page.lacks(MESSAGE, "weir").await;
    page.click(SESSION_SWITCHER).await;
    page.click(SESSION_FIND_ALL).await;
    page.fill(FINDER_INPUT, "kingfisher").await;
    page.see_text_in_time(FINDER_ROW, "kingfisher").await;
    page.press("Enter").await;
    page.see_text_in_time(FINDER_APART, "a branch that its session has left").await;
    page.click(FINDER_MOVE).await;
    page.hidden(FINDER).await;
    page.see_text(answers_of("engineer"), "By the weir.").await;
}

/// Two sessions of one name; the second, empty one is in view, with a message for the Engineer typed.
async fn two_of_one_name() -> (MountedPage, Replies, [String; 2]) {
    let (page, replies) = Replies::open().await;
    replies.queue_texts("Critic", &["Critic is ready."]);
    page.ask("critic", "Ready?", "Critic is ready.").await;
    let main = page.session();
    page.new_session().await;
    let second = page.session();
    page.click(SESSION_SWITCHER).await;
    page.click(SESSION_ROW.with("data-session", &second).inner(SESSION_NAME)).await;
    page.fill(SESSION_LABEL, "MAIN").await;
    page.click(SESSION_KEEP).await;
    page.hidden(SESSION_LABEL).await;
    page.click(SESSION_CLOSE).await;
    page.fill(COMPOSER, "@Engineer look at the weir").await;
    (page, replies, [main, second])
}

/// Chooses another session for the message by these words. The selector itself is unchanged.
async fn choose_session(page: &MountedPage, words: &str) {
    page.choose(TARGET_SELECT, "OTHER").await;
    page.fill(FINDER_INPUT, words).await;
}

#[wasm_bindgen_test]
async fn a_name_of_two_sessions_asks_which_and_sends_nothing_before() {
    let (page, _, _) = two_of_one_name().await;
    let before = page.tab.speakers().len();
    // An agent's name leads to the session where it worked last.
    choose_session(&page, "critic").await;
    page.see_text(FINDER_ROW, "where Critic last worked").await;
    page.fill(FINDER_INPUT, "main").await;
    page.see_text(FINDER_STATUS, "2 sessions match").await;
    page.see_count(FINDER_ROW, 2).await;
    page.press("Enter").await;
    page.hidden(FINDER).await;
    page.see_text(COMPOSER_HEADING, "Goes to “main” · its name").await;
    assert_eq!(page.tab.speakers().len(), before, "something was sent before it was wanted");
    page.click(COMPOSER_HERE).await;
    page.hidden(COMPOSER_HEADING).await;
}

#[wasm_bindgen_test]
async fn a_message_goes_to_another_session_with_its_origin() {
    let (page, replies, [main, second]) = two_of_one_name().await;
    choose_session(&page, "main").await;
    page.see_text(FINDER_STATUS, "2 sessions").await;
    page.press("Enter").await;
    page.see(COMPOSER_HEADING).await;
    replies.queue_texts("Engineer", &["The weir holds."]);
    page.click(SEND).await;
    page.hidden(COMPOSER_HEADING).await;
    page.until("the request", || page.sent("Engineer").len() == 1).await;
    let text = page.sent("Engineer")[0].text();
    assert!(text.contains("look at the weir"), "{text}");
    assert_eq!(page.session(), second, "the view moved");
    page.see_count(MESSAGE, 0).await;
    page.open_session(&main).await;
    page.see_text(answers_of("engineer"), "The weir holds.").await;
    page.see_text(MESSAGE_ORIGIN, "sent from “MAIN”").await;
}

/// Fills the form of a trigger that says this to an agent each minute, and saves it.
async fn add_trigger(page: &MountedPage, name: &str, text: &str, agent: &str) {
    page.click(TRIGGER_ADD).await;
    page.fill(TRIGGER_NAME, name).await;
    page.fill(TRIGGER_TEXT, text).await;
    page.fill(TRIGGER_MINUTES, "1").await;
    page.choose(TRIGGER_TO, agent).await;
    page.click(TRIGGER_KEEP).await;
}

#[wasm_bindgen_test]
async fn an_invalid_trigger_says_why() {
    let (page, _) = Replies::open().await;
    page.open_settings_at(TRIGGER_NONE).await;
    page.click(TRIGGER_ADD).await;
    page.fill(TRIGGER_NAME, "Sleeper").await;
    page.fill(TRIGGER_TEXT, "Never said.").await;
    for minutes in ["0", "99999999"] {
        page.fill(TRIGGER_MINUTES, minutes).await;
        page.click(TRIGGER_KEEP).await;
        page.see_text(TRIGGER_PROBLEM, "whole number of minutes, from 1 to 525,600").await;
        page.fill(TRIGGER_MINUTES, "").await;
    }
}

#[wasm_bindgen_test]
async fn no_other_trigger_form_replaces_an_open_one() {
    let (page, _) = Replies::open().await;
    page.open_settings_at(TRIGGER_NONE).await;
    add_trigger(&page, "Sleeper", "Never said.", "@critic").await;
    page.see(TRIGGER).await;
    page.click(TRIGGER_ADD).await;
    page.fill(TRIGGER_NAME, "Half typed").await;
    page.see(Selector::css("#trigger-add[disabled]")).await;
    page.see(Selector::css("[data-testid=trigger-edit][disabled]")).await;
    // What was typed is there again after another screen and after a reload.
    page.back().await;
    page.open_settings_at(TRIGGER_NAME).await;
    assert_eq!(page.text(TRIGGER_NAME).await, "Half typed");
    page.settle().await;
    let page = page.reload(|_, _| says("Done.")).await;
    page.open_settings_at(TRIGGER_NAME).await;
    assert_eq!(page.text(TRIGGER_NAME).await, "Half typed");
    page.click(TRIGGER_CANCEL).await;
    page.back().await;
    page.open_settings_at(TRIGGER_ADD).await;
    assert_eq!(page.count(TRIGGER_NAME), 0);
    page.click(TRIGGER_EDIT).await;
    page.see_text(TRIGGER_NAME, "Sleeper").await;
}

#[wasm_bindgen_test]
async fn the_form_of_a_trigger_shows_the_archived_session_that_it_watches() {
    let (page, _, _) = two_conversations().await;
    let archived = page.tab.session;
    let trigger = Trigger {
        id: TriggerId::from(7),
        name: "Watcher".into(),
        when: Schedule::ObjectiveChanged { session: Some(archived) },
        to: Recipient::Session(archived),
        text: "Look again.".into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    };
    page.tab.send(Command::ChangeTrigger(trigger)).unwrap();
    let status = SessionStatus::Archived;
    page.tab.send(Command::SetSessionStatus { session: archived, status }).unwrap();
    page.open_settings_at(TRIGGER_EDIT).await;
    page.click(TRIGGER_EDIT).await;
    let value = |selector: Selector| {
        let page = &page;
        async move { page.see(selector).await.unchecked_into::<HtmlSelectElement>().value() }
    };
    assert_eq!(value(TRIGGER_TO.into()).await, archived.to_string());
    assert_eq!(value(Selector::css("#trigger-place")).await, archived.to_string());
    // The first choice differs from the current one, so that it can be chosen.
    page.choose(TRIGGER_TO, "@architect").await;
    page.choose(Selector::css("#trigger-place"), "").await;
    page.click(TRIGGER_KEEP).await;
    page.see_text(TRIGGER, "in any session → Architect").await;
}

#[wasm_bindgen_test]
async fn a_trigger_fires_on_time_unless_paused_and_is_deleted() {
    let (page, replies) = Replies::open().await;
    page.open_settings_at(TRIGGER_NONE).await;
    add_trigger(&page, "Sleeper", "Never said.", "@critic").await;
    page.see_text(TRIGGER, "every 1 minute → Critic").await;
    page.click(TRIGGER_PAUSE).await;
    page.see(TRIGGER.with("data-rests", "true")).await;
    add_trigger(&page, "Watcher", "Watch the weir.", "@engineer").await;
    page.see_count(TRIGGER, 2).await;
    page.go_back().await;
    replies.queue_texts("Engineer", &["It is watched."]);
    page.tab.pass(61_000);
    page.see_text(MESSAGE_ORIGIN, "sent by the trigger “Watcher”").await;
    page.see_text(answers_of("engineer"), "It is watched.").await;
    page.idle().await;
    let text = page.sent("Engineer")[0].text();
    assert!(text.contains("the trigger Watcher of Ada"), "the sender is missing: {text}");
    assert_eq!(page.tab.speakers(), ["Engineer"], "the paused one spoke, too");
    let app_events = page.tab.app_events().into_iter().map(|event| serde_json::to_value(event).unwrap());
    let in_app = app_events.filter(|event| event["kind"] == "TriggerFired").count();
    assert_eq!(in_app + page.logged("TriggerFired").len(), 1);

    let page = page.reload(replies.script()).await;
    page.open_settings_at(TRIGGER).await;
    page.see_count(TRIGGER, 2).await;
    page.see_text(TRIGGER_LAST, "its message was sent").await;
    for left in [1, 0] {
        page.click(TRIGGER_DELETE).await;
        page.see_count(TRIGGER, left).await;
    }
    page.see(TRIGGER_NONE).await;
}

#[wasm_bindgen_test]
async fn an_answer_of_another_tab_is_seen_to_grow() {
    let other = tab(|_, _| trickles(&["One ", "two ", "three ", "four "]));
    other.send(Command::ChangeSetting { name: "first_start_done".to_owned(), value: true.into() }).unwrap();
    other.say("@Architect go").unwrap();
    other.pass(1_500);
    let page = MountedPage::of(other.restarted(|_, _| says("never asked"))).await;
    page.tab.open().unwrap();
    page.see_text(answers_of("architect"), "One").await;
    assert!(!page.text(answers_of("architect")).await.contains("two"));
    other.pass(1_000);
    page.tab.running.handle.reload_partial(page.tab.session);
    page.see_text(answers_of("architect"), "One two").await;
}

#[wasm_bindgen_test]
async fn an_answer_has_no_gap_after_another_session_was_in_view() {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", trickles(&["One ", "two ", "three ", "four "]));
    let main = page.session();
    page.send_to("engineer", "Count.").await;
    page.see_text(answers_of("engineer"), "One").await;
    page.new_session().await;
    page.tab.pass(1_500);
    page.settle().await;
    page.open_session(&main).await;
    page.see_text(answers_of("engineer"), "One two").await;
    page.tab.pass(2_000);
    page.see_text(answers_of("engineer"), "One two three four").await;
}

/// Opens a session; the engine has not noticed when this returns.
async fn open_at_once(page: &MountedPage, session: &str) {
    let pause = || script_promise("new Promise((done) => setTimeout(done, 20))");
    page.see(SESSION_SWITCHER).await.click();
    pause().await;
    page.see(SESSION_OPEN.with("data-session", session)).await.click();
    pause().await;
    assert_eq!(page.session(), session);
}

#[wasm_bindgen_test]
async fn text_typed_before_a_stored_draft_is_there_is_stored_with_it_once() {
    let (page, _, main) = two_conversations().await;
    let second = page.session();
    page.fill(COMPOSER, "older").await;
    page.open_session(&main).await;
    open_at_once(&page, &second).await;
    page.fill(COMPOSER, "newer").await;
    page.see_text(COMPOSER, "older\nnewer").await;
    page.tab.pass(1_000);
    let (store, key) = (page.tab.store.clone(), format!("{second}/composer"));
    let rows = page.tab.wait_for(async move { store.scan(Table::Drafts, key).await.unwrap() });
    assert!(rows[0].1.contains("older\\nnewer"), "{rows:?}");
    // Away and back before the engine has moved the draft.
    open_at_once(&page, &main).await;
    open_at_once(&page, &second).await;
    page.fill(COMPOSER, "older\nnewer still").await;
    page.tab.pass(1_000);
    page.settle().await;
    assert_eq!(page.text(COMPOSER).await, "older\nnewer still");
}

#[wasm_bindgen_test]
async fn a_session_that_moves_between_tabs_takes_its_draft_along() {
    let other = tab(|_, _| trickles(&["One of the other tab."]));
    other.send(Command::ChangeSetting { name: "first_start_done".to_owned(), value: true.into() }).unwrap();
    other.say("@Architect go").unwrap();
    let page = MountedPage::of(other.restarted(|_, _| says("One of this tab."))).await;
    page.tab.open().unwrap();
    let read_only = BANNER.with("data-kind", "read-only");
    page.see(read_only.clone()).await;

    // What the other tab does cannot be stopped here.
    assert!(page.see(STOP).await.has_attribute("disabled"));
    page.press("Control+.").await;
    assert_eq!(page.texts(NOTICE), Vec::<String>::new());

    // The other tab answers late: the notice that it did not is gone.
    page.click(WORK_HERE).await;
    page.tab.pass(8_000);
    page.see_text(NOTICE, "did not answer").await;
    other.running.handle.release_session(other.session);
    other.settle();
    page.hidden(read_only.clone()).await;
    page.see_count(NOTICE, 0).await;

    // The message is typed here and sent there.
    page.fill(COMPOSER, "@Architect please do X").await;
    other.running.handle.request_session(other.session);
    other.settle();
    page.tab.running.handle.release_session(page.tab.session);
    page.see(read_only.clone()).await;
    assert_eq!(page.text(COMPOSER).await, "");
    other.send(Command::EndRun { run: other.run_id() }).unwrap();
    other.say("@Architect please do X").unwrap();
    page.tab.running.handle.request_session(page.tab.session);
    page.settle().await;
    other.running.handle.release_session(other.session);
    other.settle();
    page.hidden(read_only).await;
    page.see_text(TIMELINE, "please do X").await;
    assert_eq!(page.text(COMPOSER).await, "");
}

#[wasm_bindgen_test]
async fn what_is_said_in_an_older_session_is_found_by_an_open_search() {
    let (page, _, main) = two_conversations().await;
    page.open_session(&main).await;
    page.click(SESSION_SWITCHER).await;
    page.fill(SESSION_SEARCH, "cormorant").await;
    page.click(SESSION_FIND_ALL).await;
    page.see_text_in_time(FINDER_STATUS, "No results").await;
    page.tab.say("A cormorant dries its wings.").unwrap();
    page.see_text_in_time(FINDER_ROW, "A cormorant dries its wings.").await;
}

#[wasm_bindgen_test]
async fn a_second_click_on_save_makes_no_other_trigger() {
    let (page, _) = Replies::open().await;
    page.open_settings_at(TRIGGER_NONE).await;
    page.click(TRIGGER_ADD).await;
    page.fill(TRIGGER_NAME, "Sleeper").await;
    page.fill(TRIGGER_TEXT, "Never said.").await;
    page.see(TRIGGER_KEEP).await;
    let save = page.all(TRIGGER_KEEP).remove(0);
    save.click();
    save.click();
    page.see(TRIGGER).await;
    page.settle().await;
    assert_eq!(page.count(TRIGGER), 1);
}
