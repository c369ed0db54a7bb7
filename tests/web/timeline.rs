//! Tests of message actions: copy, quote, pin, delete, links between messages, tool runs and files, quoted selections.

use nexus_engine::tests::{says, trickles};
use nexus_model::event::{EventKind, SessionChange};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, writes};
use crate::vectors::OWN;

/// A page whose Engineer gave this answer.
async fn answered(text: &str, words: &str) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", says(text));
    page.ask("engineer", "Tell me.", words).await;
    (page, replies)
}

/// Clicks a button of the Engineer's newest answer.
async fn act(page: &MountedPage, part: TestId) {
    page.click_last(answers_of("engineer").inner(part)).await;
}

/// The value of a script, as text.
fn value(script: &str) -> String {
    crate::script(&format!("String({script})")).as_string().unwrap()
}

/// Waits until the focused element matches this CSS selector.
async fn at(page: &MountedPage, css: &str) {
    let matches = format!("document.activeElement.matches('{css}')");
    page.until(&format!("{css} to have the focus"), || value(&matches) == "true").await;
}

/// Selects the content of the last match.
fn select(css: &str) {
    crate::script(&format!(
        "(() => {{
            const range = document.createRange();
            range.selectNodeContents([...document.querySelectorAll('{css}')].at(-1));
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }})()"
    ));
}

/// Opens all tool runs with their arguments.
async fn unfold_tools(page: &MountedPage) {
    page.see(TOOL_CARD).await;
    crate::script(
        "document.querySelectorAll('[data-testid=tool-card]').forEach((card) => { card.open = true; })",
    );
    page.see(TOOL_MESSAGE).await;
    crate::script(
        "document.querySelectorAll('[data-testid=tool-card] details').forEach((each) => { each.open = true; })",
    );
    page.settle().await;
}

#[wasm_bindgen_test]
async fn a_message_is_copied_as_its_markdown() {
    let (page, _) = answered("The **first** answer.\n\n- one\n- two", "The first answer.").await;
    crate::script("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    act(&page, MESSAGE_COPY).await;
    page.see_text(NOTICE, "Message copied").await;
    assert_eq!(value("window.copied"), "The **first** answer.\n\n- one\n- two");
    crate::script("delete navigator.clipboard.writeText");
}

#[wasm_bindgen_test]
async fn a_quote_is_added_to_the_draft_with_the_caret_behind_it() {
    let (page, _) = answered("The **first** answer.\n\n- one\n- two", "The first answer.").await;
    page.fill(COMPOSER, "Look:").await;
    act(&page, MESSAGE_QUOTE).await;
    let quoted = "Look:\n\n> Engineer:\n> The **first** answer.\n>\n> - one\n> - two\n\n";
    page.see_text(COMPOSER, "> - two").await;
    assert_eq!(page.text(COMPOSER).await, quoted);
    page.until("the focus in the composer", || page.focused() == "composer").await;
    assert_eq!(value("document.activeElement.selectionStart"), quoted.len().to_string());
}

#[wasm_bindgen_test]
async fn messages_are_pinned_by_button_and_by_menu_and_stay_pinned() {
    let (page, replies) = answered("The **first** answer.\n\n- one\n- two", "The first answer.").await;
    act(&page, MESSAGE_PIN).await;
    page.see_text(PINS_OPEN, "1").await;
    // The menu is used by keys, and returns the focus.
    page.click(MESSAGE.with("data-role", "user").inner(MESSAGE_MORE)).await;
    page.see(MESSAGE_MENU).await;
    page.until("the focus in the menu", || page.focused() == "menu-copy").await;
    page.press("ArrowDown").await;
    page.press("ArrowDown").await;
    assert_eq!(page.focused(), "menu-pin");
    page.press("Enter").await;
    page.hidden(MESSAGE_MENU).await;
    page.until("the focus to return", || page.focused() == "message-more").await;
    page.see_text(PINS_OPEN, "2").await;
    page.press("Enter").await;
    page.see(MESSAGE_MENU).await;
    page.until("the focus in the menu", || page.focused() == "menu-copy").await;
    page.press("Escape").await;
    page.hidden(MESSAGE_MENU).await;
    page.until("the focus to return", || page.focused() == "message-more").await;

    let page = page.reload(replies.script()).await;
    page.see_text(PINS_OPEN, "2").await;
    let events = page.tab.events();
    let pinned = events.iter().filter(|event| {
        matches!(event.known_kind(), Some(EventKind::SessionChanged { change: SessionChange::Pinned(_) }))
    });
    assert_eq!(pinned.count(), 2);
}

#[wasm_bindgen_test]
async fn the_list_of_pins_leads_to_messages_and_removes_pins() {
    let (page, _) = answered("The **first** answer.\n\n- one\n- two", "The first answer.").await;
    act(&page, MESSAGE_PIN).await;
    page.click(MESSAGE.with("data-role", "user").inner(MESSAGE_PIN)).await;
    page.see_text(PINS_OPEN, "2").await;
    page.click(PINS_OPEN).await;
    page.see_count(PIN, 2).await;
    page.see_text(PIN, "The first answer. - one - two").await;
    at(&page, ".pin").await;
    page.press("ArrowDown").await;
    page.press("Enter").await;
    page.hidden(PINS).await;
    at(&page, "article[data-role=assistant][data-agent=engineer]").await;
    page.click(PINS_OPEN).await;
    page.click(PIN_OFF).await;
    page.see_count(PIN, 1).await;
    page.click(PIN_OFF).await;
    page.hidden(PINS).await;
    page.hidden(PINS_OPEN).await;
}

#[wasm_bindgen_test]
async fn a_deleted_message_is_gone_from_the_screen_and_the_next_request() {
    let (page, replies) = answered("A secret answer.", "A secret answer.").await;
    act(&page, MESSAGE_MORE).await;
    page.see(MENU_DELETE).await;
    page.until("the focus in the menu", || page.focused() == "menu-copy").await;
    page.press("End").await;
    assert_eq!(page.focused(), "menu-delete");
    page.press("Enter").await;
    page.see_text(MENU_DELETE, "cannot be undone").await;
    page.press("Enter").await;
    page.see_text(MESSAGE_DELETED, "This message was deleted.").await;
    replies.queue("Engineer", says("Something else."));
    page.ask("engineer", "Tell me.", "Something else.").await;
    assert!(!page.sent("Engineer")[1].text().contains("A secret answer."), "the deleted text was sent");
    let page = page.reload(replies.script()).await;
    page.see(MESSAGE_DELETED).await;
    assert!(!page.text(TIMELINE).await.contains("A secret answer."), "it is on the screen");
}

#[wasm_bindgen_test]
async fn messages_tool_runs_and_files_lead_to_each_other() {
    const CARD: &str = "[data-testid=tool-card]";
    const ANSWER: &str = "article[data-agent=engineer]";
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", writes("poem.txt", "roses\n"));
    replies.queue("Engineer", says("It rhymes."));
    page.ask("engineer", "Write a poem.", "It rhymes.").await;
    page.click(FILE_CHANGE).await;
    at(&page, CARD).await;
    crate::script("document.activeElement.open = true");
    page.click(TOOL_MESSAGE).await;
    at(&page, ANSWER).await;
    let more = "document.activeElement.querySelector('[data-testid=message-more]').click()";
    crate::script(more);
    page.see_text(MENU_TOOL, "poem.txt").await;
    page.click(MENU_TOOL).await;
    at(&page, CARD).await;
    page.click(TOOL_FILE).await;
    page.see(FILE_TAB.with("data-file", "poem.txt").with("data-active", "true")).await;
    page.click(TOOL_MESSAGE).await;
    at(&page, ANSWER).await;
    crate::script(more);
    page.click(MENU_FILE).await;
    page.see(FILE_TAB.with("data-file", "poem.txt").with("data-active", "true")).await;
    page.click(FILE_CHANGE).await;
    at(&page, CARD).await;
}

#[wasm_bindgen_test]
async fn a_selection_in_an_answer_is_quoted_for_its_author_alone() {
    let (page, replies) = answered("@Architect knows the way.", "knows the way").await;
    page.choose(TARGET_SELECT, "ALL").await;
    select(answers_of("engineer").inner(MESSAGE_TEXT).as_str());
    page.see_text(ASK_SELECTION, "Ask Engineer").await;
    page.click(ASK_SELECTION).await;
    page.see_text(COMPOSER, "> @Architect knows the way.").await;
    assert_eq!(page.texts(TARGET_SELECT), ["engineer"]);
    page.hidden(ASK_SELECTION).await;
    replies.queue("Engineer", says("I mean it."));
    let quoted = page.text(COMPOSER).await;
    page.fill(COMPOSER, &format!("{quoted}Why?")).await;
    page.press("Enter").await;
    page.see_text(answers_of("engineer"), "I mean it.").await;
    page.idle().await;
    let prompt = page.sent("Engineer")[1].text();
    assert!(prompt.contains("> @Architect knows the way.") && prompt.contains("Why?"), "{prompt}");
    assert!(page.sent("Architect").is_empty(), "the quoted agent was called");
}

#[wasm_bindgen_test]
async fn a_selection_in_a_tool_run_is_quoted_by_key_and_attaches_nothing() {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", writes("plan.txt", "@Critic and #plan.txt\n"));
    replies.queue("Engineer", says("Planned."));
    page.ask("engineer", "Plan.", "Planned.").await;
    unfold_tools(&page).await;
    select("[data-testid=tool-card] pre");
    page.see(ASK_SELECTION).await;
    page.press("Alt+q").await;
    page.see_text(COMPOSER, "> write_file (Engineer):").await;
    page.until("the focus in the composer", || page.focused() == "composer").await;
    page.see_count(ATTACHMENT, 0).await;
}

#[wasm_bindgen_test]
async fn a_selection_in_a_field_of_the_board_is_quoted() {
    let (page, _) = Replies::open().await;
    page.fill(OBJECTIVE_FIELD, "A field to ask about").await;
    crate::script("document.activeElement.select()");
    page.see(ASK_SELECTION).await;
    page.press("Alt+q").await;
    page.see_text(COMPOSER, "> A field to ask about").await;
}

#[wasm_bindgen_test]
async fn hostile_text_in_pins_quotes_and_searches_is_text() {
    crate::script(
        "window.ran = [];
        window.real = {};
        for (const name of ['alert', 'confirm', 'prompt', 'print']) {
            window.real[name] = window[name];
            window[name] = () => { window.ran.push(name); };
        }",
    );
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", says(&OWN.join("\n\n")));
    page.send_to("engineer", "Be evil.").await;
    page.see(answers_of("engineer").with("data-status", "completed")).await;
    page.idle().await;
    act(&page, MESSAGE_PIN).await;
    act(&page, MESSAGE_QUOTE).await;
    page.see_text(COMPOSER, "> Engineer:").await;
    page.press("Control+Shift+f").await;
    page.see(FIND_BAR).await;
    for vector in OWN.iter().filter(|vector| !vector.contains('\n')).take(12) {
        page.fill(FIND_TEXT, vector).await;
        page.see_text(FIND_COUNT, "of").await;
    }
    page.click(FIND_CLOSE).await;
    page.click(PINS_OPEN).await;
    page.see_count(PIN, 1).await;
    let odd = "[...document.querySelectorAll('[data-testid=pins] *')]
        .filter((each) => !['HEADER', 'H2', 'UL', 'LI', 'BUTTON', 'SPAN'].includes(each.tagName))
        .filter((each) => !each.closest('[data-testid=pins-close] svg.sign, [data-testid=pin-off] svg.sign'))
        .map((each) => each.outerHTML.slice(0, 200)).join()";
    assert_eq!(value(odd), "", "hostile text became elements");
    replies.queue("Engineer", says("Nothing happened."));
    page.click(SEND).await;
    page.see_text(answers_of("engineer"), "Nothing happened.").await;
    page.idle().await;
    let handlers = "[...document.querySelectorAll('[data-testid=war-room] *')]
        .filter((each) => [...each.attributes].some((one) => one.name.startsWith('on'))
            || /^\\s*(javascript|vbscript|data):/i.test(each.getAttribute('href') ?? ''))
        .map((each) => each.outerHTML.slice(0, 200)).join()";
    assert_eq!(value(handlers), "", "hostile text became handlers");
    let requested = "performance.getEntriesByType('resource').map((each) => each.name)
        .filter((name) => name.includes('attacker')).join()";
    assert_eq!(value(requested), "", "hostile text was requested");
    assert_eq!(value("window.ran.join()"), "", "hostile text ran");
    crate::script("Object.assign(window, window.real)");
}

/// Fakes the desktop until dropped: records notifications and sounds, and can hide the page.
struct Desktop;

impl Desktop {
    /// The operator will answer a request for permission with this.
    fn new(answer: &str) -> Self {
        crate::script(&format!(
            "window.shown = []; window.played = []; window.permission = 'default'; window.answer = '{answer}';
            window.desktop = {{
                notification: Object.getOwnPropertyDescriptor(window, 'Notification'),
                start: OscillatorNode.prototype.start,
            }};
            Object.defineProperty(window, 'Notification', {{ configurable: true, value: class {{
                static get permission() {{ return window.permission; }}
                static async requestPermission() {{ return window.permission = window.answer; }}
                constructor(title, options) {{
                    window.shown.push([title, options.body, options.tag]);
                    window.sign = this;
                }}
                close() {{}}
            }} }});
            OscillatorNode.prototype.start = function (at) {{
                window.played.push(this.frequency.value);
                window.desktop.start.call(this, at);
            }};"
        ));
        Self
    }

    fn hide(&self, is_hidden: bool) {
        let state = if is_hidden { "hidden" } else { "visible" };
        crate::script(&format!(
            "Object.defineProperty(document, 'visibilityState', {{ value: '{state}', configurable: true }});
            document.dispatchEvent(new Event('visibilitychange', {{ bubbles: true }}))"
        ));
    }

    /// The notifications so far, as JSON.
    fn shown(&self) -> String {
        value("JSON.stringify(window.shown)")
    }

    /// Number of notifications and of tones so far.
    fn counts(&self) -> String {
        value("`${window.shown.length} ${window.played.length}`")
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        crate::script(
            "delete document.visibilityState;
            Object.defineProperty(window, 'Notification', window.desktop.notification);
            OscillatorNode.prototype.start = window.desktop.start;",
        );
    }
}

/// A page that notifies with a sound, whose Engineer must ask before it writes.
async fn notifying(desktop: &Desktop) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    page.open_settings_at(CALLS_NOTIFY).await;
    page.click(CALLS_NOTIFY).await;
    page.until("the permission", || value("window.permission") == "granted").await;
    page.click(CALLS_SOUND).await;
    page.until("a sample of the sound", || desktop.counts() == "0 2").await;
    crate::script("window.played.length = 0");
    let rule =
        AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_TOOL).with("data-tool", "write_file");
    page.open_sections().await;
    page.choose(rule, "ask").await;
    page.go_back().await;
    (page, replies)
}

#[wasm_bindgen_test]
async fn a_refused_permission_leaves_notifications_off_and_says_why() {
    let _desktop = Desktop::new("denied");
    let (page, _) = Replies::open().await;
    page.open_settings_at(CALLS_NOTIFY).await;
    page.click(CALLS_NOTIFY).await;
    page.see_text(CALLS_PROBLEM, "blocks notifications from this page").await;
    let is_off = || value("document.querySelector('[data-testid=calls-notify]').checked") == "false";
    page.until("the switch to be off", is_off).await;
}

#[wasm_bindgen_test]
async fn a_visible_page_does_not_notify() {
    let desktop = Desktop::new("granted");
    let (page, replies) = notifying(&desktop).await;
    replies.queue("Critic", says("Fine."));
    page.ask("critic", "Look.", "Fine.").await;
    assert_eq!(desktop.counts(), "0 0");
}

#[wasm_bindgen_test]
async fn a_hidden_page_notifies_of_an_approval_and_of_the_end() {
    let desktop = Desktop::new("granted");
    let (page, replies) = notifying(&desktop).await;
    desktop.hide(true);
    replies.queue("Engineer", writes("x.txt", "x"));
    page.send_to("engineer", "Write.").await;
    page.until("a call for the approval", || desktop.counts() == "1 2").await;
    assert!(desktop.shown().contains("approval needed"), "{}", desktop.shown());
    page.see(APPROVAL_CARD).await;
    replies.queue("Engineer", says("<b>Which</b> colour shall it have?"));
    page.click(APPROVAL_APPROVE).await;
    page.until("a call for the question", || desktop.counts() == "2 4").await;
    assert!(desktop.shown().contains("a question for you"), "{}", desktop.shown());
    assert!(!desktop.shown().contains("colour"), "it contains an agent's text: {}", desktop.shown());
    desktop.hide(false);
    page.idle().await;
}

#[wasm_bindgen_test]
async fn a_click_on_a_notification_opens_its_session() {
    let desktop = Desktop::new("granted");
    let (page, replies) = notifying(&desktop).await;
    let session = page.attributes(SESSION_SWITCHER, "data-session");
    replies.queue("Critic", trickles(&["I think"]));
    page.send_to("critic", "Look.").await;
    page.see_text(answers_of("critic"), "I think").await;
    page.click(SESSION_SWITCHER).await;
    page.click(SESSION_NEW).await;
    page.until("another session", || page.attributes(SESSION_SWITCHER, "data-session") != session).await;
    desktop.hide(true);
    page.tab.pass(3_600_000);
    page.until("a call of the other session", || desktop.counts() == "1 2").await;
    crate::script("window.sign.onclick(new Event('click'))");
    page.until("its session", || page.attributes(SESSION_SWITCHER, "data-session") == session).await;
}

#[wasm_bindgen_test]
async fn the_reader_finds_the_place_again_after_another_screen_and_another_session() {
    let (page, replies) = Replies::open().await;
    let main = page.session();
    crate::script(
        "const sheet = document.createElement('style');
        sheet.id = 'small-log';
        sheet.textContent = '[role=log] { display: block; block-size: 300px; overflow: auto }';
        document.head.append(sheet);",
    );
    for number in 0..4 {
        let end = format!("Answer {number}.");
        replies.queue("Engineer", says(&format!("{}{end}", "A line of text.\n\n".repeat(40))));
        page.ask("engineer", &format!("Question {number}?"), &end).await;
    }
    let place = "(() => {
        const log = document.querySelector('[role=log]');
        const top = log?.getBoundingClientRect().top;
        const row = [...(log?.children ?? [])].find(row => row.id && row.getBoundingClientRect().bottom > top);
        return row ? row.id + ' ' + Math.round((row.getBoundingClientRect().top - top) / 4) : '';
    })()";
    let end = value(place);
    crate::script("document.querySelector('[role=log]').scrollTop = 700");
    page.until("the place", || value(place) != end).await;
    page.settle().await;
    let before = value(place);
    page.open_settings().await;
    page.back().await;
    page.until("the place before", || value(place) == before).await;
    page.new_session().await;
    replies.queue("Engineer", says("Elsewhere."));
    page.ask("engineer", "Another question?", "Elsewhere.").await;
    page.open_session(&main).await;
    page.until("the place before the other session", || value(place) == before).await;
    // Whoever was at the end comes back to the end.
    crate::script("document.querySelector('[role=log]').scrollTop = 1e6");
    page.until("the end", || value(place) == end).await;
    page.settle().await;
    page.open_settings().await;
    page.back().await;
    page.until("the end again", || value(place) == end).await;
    page.new_session().await;
    page.open_session(&main).await;
    page.until("the end after another session", || value(place) == end).await;
    replies.queue("Engineer", says("One line more."));
    page.ask("engineer", "And now?", "One line more.").await;
    page.until("the new end", || !value(place).is_empty() && value(place) != end).await;
    crate::script("document.getElementById('small-log').remove()");
}

#[wasm_bindgen_test]
async fn text_typed_after_a_click_on_send_is_no_shortcut() {
    let (page, replies) = Replies::open().await;
    replies.queue("Architect", says("Done."));
    page.fill(COMPOSER, "Go").await;
    page.click(SEND).await;
    page.has_focus(COMPOSER).await;
}
