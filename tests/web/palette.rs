//! Tests of the palette, the shortcuts and their list, and focus restore.

use nexus::ui::hooks::focus_restore::keep_focus;
use nexus_engine::tests::{Scripted, calls, says, trickles};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::script;

/// Opens the palette and types a search.
async fn look_for(page: &MountedPage, words: &str) {
    page.press("Control+k").await;
    page.has_focus(PALETTE_INPUT).await;
    page.fill(PALETTE_INPUT, words).await;
}

/// Waits until this row is selected.
async fn chosen(page: &MountedPage, action: &str) {
    page.see(PALETTE_ROW.with("data-action", action).with("aria-selected", "true")).await;
}

/// Searches an action by a few letters and runs it.
async fn run(page: &MountedPage, words: &str, action: &str) {
    look_for(page, words).await;
    chosen(page, action).await;
    page.press("Enter").await;
    page.hidden(PALETTE).await;
}

async fn open() -> MountedPage {
    MountedPage::open(|agent, _| says(&format!("{agent} heard it."))).await
}

#[wasm_bindgen_test]
async fn the_palette_is_a_combobox_with_a_list_of_all_actions() {
    let page = open().await;
    page.click(OPEN_PALETTE).await;
    page.see(PALETTE).await;
    page.press("Escape").await;
    page.hidden(PALETTE).await;
    page.has_focus(OPEN_PALETTE).await;
    look_for(&page, "").await;
    for (name, value) in [
        ("role", "combobox"),
        ("aria-expanded", "true"),
        ("aria-controls", "palette-list"),
        ("aria-autocomplete", "list"),
    ] {
        page.see(PALETTE_INPUT.with(name, value)).await;
    }
    let roles = "(() => {
        const list = document.getElementById('palette-list');
        const field = document.querySelector('[data-testid=palette-input]');
        const active = document.getElementById(field.getAttribute('aria-activedescendant'));
        return list.getAttribute('role') === 'listbox' && list.children.length > 40
            && [...list.children].every(each => each.getAttribute('role') === 'option')
            && active.getAttribute('aria-selected') === 'true' && list.contains(active)
            && list.querySelectorAll('[aria-selected=true]').length === 1
            && document.querySelector('dialog[open]').getAttribute('aria-label').length > 0
    })()";
    assert!(script(roles).is_truthy(), "the roles are not those of a palette");
}

#[wasm_bindgen_test]
async fn an_unavailable_action_says_why_and_nothing_happens() {
    let page = open().await;
    page.click(COMPOSER).await;
    look_for(&page, "resume run").await;
    chosen(&page, "run-go-on").await;
    page.see(PALETTE_ROW.with("data-action", "run-go-on").with("aria-disabled", "true")).await;
    page.press("Enter").await;
    page.see_text(PALETTE_STATUS, "No paused run").await;
    page.see(PALETTE).await;
    page.press("Escape").await;
    page.hidden(PALETTE).await;
    page.has_focus(COMPOSER).await;
}

#[wasm_bindgen_test]
async fn arrows_move_the_choice_and_a_search_without_results_says_so() {
    let page = open().await;
    look_for(&page, "theme light").await;
    chosen(&page, "theme-light").await;
    page.press("ArrowUp").await;
    page.press("ArrowDown").await;
    chosen(&page, "theme-light").await;
    page.fill(PALETTE_INPUT, "qqzzxx").await;
    page.see_text(PALETTE_STATUS, "No matching commands").await;
    page.press("Control+k").await;
    page.hidden(PALETTE).await;
}

#[wasm_bindgen_test]
async fn actions_for_agents_are_found_by_a_few_letters() {
    let page = open().await;
    run(&page, "mute engineer", "mute-engineer").await;
    page.see(agent_card("engineer").with("data-muted", "true")).await;
    run(&page, "prio crit", "priority-critic").await;
    page.see_text(agent_card("critic"), "Normal").await;
    run(&page, "critic write", "write-critic").await;
    page.see_text(TARGET_SELECT, "critic").await;
    page.has_focus(COMPOSER).await;
    page.fill(COMPOSER, "Only you.").await;
    page.click(SEND).await;
    page.see_text(answers_of("critic"), "Critic heard it.").await;
    page.idle().await;
    assert_eq!(page.tab.speakers(), ["Critic"]);
}

#[wasm_bindgen_test]
async fn actions_for_the_page_are_found_by_a_few_letters() {
    let page = open().await;
    run(&page, "thli", "theme-light").await;
    page.script_is_true("document.documentElement.dataset.theme === 'light'").await;
    let keeps_going = "document.querySelector('[data-testid=keep-going]').checked";
    run(&page, "keep going", "keep-going").await;
    page.script_is_true(keeps_going).await;
    run(&page, "one round", "keep-going").await;
    page.script_is_true(&format!("!{keeps_going}")).await;
    run(&page, "new file", "file-new").await;
    page.has_focus(FILE_NAME).await;
    page.fill(FILE_NAME, "notes.txt").await;
    page.press("Enter").await;
    page.see(FILE_TAB.with("data-file", "notes.txt")).await;
    run(&page, "larger", "text-larger").await;
    page.script_is_true("document.documentElement.dataset.textSize === '110'").await;
    run(&page, "board comp", "face-compare").await;
    page.see(FACE_COMPARE.with("aria-pressed", "true")).await;
    script("for (const name of ['theme', 'textSize']) delete document.documentElement.dataset[name]");
}

#[wasm_bindgen_test]
async fn before_the_setup_the_war_rooms_actions_say_so() {
    let page = MountedPage::of(nexus_engine::tests::tab(|_, _| says("Nothing."))).await;
    look_for(&page, "board preview").await;
    chosen(&page, "face-preview").await;
    page.press("Enter").await;
    page.see_text(PALETTE_STATUS, "Finish the setup").await;
}

/// Opens a page on which the Engineer wrote a file.
async fn open_with_a_file() -> MountedPage {
    let mut round = 0;
    let write = move |_: &str, _: &Value| -> Scripted {
        round += 1;
        match round {
            1 => calls(&[("write_file", json!({ "name": "index.html", "content": "<h1>Hello</h1>" }))]),
            _ => says("Written."),
        }
    };
    let page = MountedPage::open(write).await;
    page.ask("engineer", "Write it.", "Written.").await;
    page
}

#[wasm_bindgen_test]
async fn the_palette_leads_to_settings_and_from_there_to_files() {
    let page = open_with_a_file().await;
    run(&page, "text size", "setting-text-size").await;
    page.see(SETTINGS).await;
    page.has_focus(TEXT_SIZE).await;
    run(&page, "settings of engineer", "settings-engineer").await;
    page.script_is_true("document.activeElement?.closest('[data-agent=engineer]') != null").await;
    // Only the war room can show a file.
    run(&page, "open index.html", "open-index.html").await;
    page.see(FILE_TAB.with("data-file", "index.html").with("data-active", "true")).await;
    run(&page, "delete index.html", "file-delete").await;
    page.hidden(FILE_TAB.with("data-file", "index.html")).await;
    run(&page, "undo deleted", "undo").await;
    page.see(FILE_TAB.with("data-file", "index.html")).await;
}

#[wasm_bindgen_test]
async fn the_palette_leads_from_screen_to_screen() {
    let page = open_with_a_file().await;
    run(&page, "inspect newest", "to-inspector").await;
    page.script_is_true("location.pathname.endsWith('/inspect/')").await;
    page.see(INSPECT_HEAD).await;
    run(&page, "event log", "to-audit").await;
    page.see(AUDIT_COUNT).await;
    run(&page, "preview index", "preview-index.html").await;
    page.see(FACE_PREVIEW.with("aria-pressed", "true")).await;
    run(&page, "undo last round", "run-undo-round").await;
    page.see(NOTICE).await;
    run(&page, "export data", "data-export").await;
    page.has_focus(DATA_EXPORT).await;
}

/// The letters of shortcuts.
const LETTERS: &str = "ecpnfhsl123?m";

#[wasm_bindgen_test]
async fn shortcuts_of_one_key_do_nothing_in_a_text_field() {
    let page = open().await;
    page.click(COMPOSER).await;
    script(
        "window.prevented = '';
        window.noted = event => { if (event.defaultPrevented) window.prevented += event.key; };
        window.addEventListener('keydown', window.noted)",
    );
    for letter in LETTERS.chars() {
        page.press(&letter.to_string()).await;
    }
    let prevented = script("window.removeEventListener('keydown', window.noted); window.prevented");
    assert_eq!(prevented.as_string().unwrap(), "", "keys that would not be typed");
    page.has_focus(COMPOSER).await;
    page.see(FACE_EDIT.with("aria-pressed", "true")).await;
    page.hidden(KEY_SHEET).await;
    page.see(WAR_ROOM).await;
}

#[wasm_bindgen_test]
async fn shortcuts_of_one_key_work_elsewhere_and_are_listed() {
    let page = open().await;
    // A button is no text field.
    page.click(FACE_EDIT).await;
    page.press("c").await;
    page.see(FACE_COMPARE.with("aria-pressed", "true")).await;
    page.press("1").await;
    page.has_focus(Selector::css("#pane-agents")).await;
    page.press("?").await;
    page.see(KEY_SHEET).await;
    let lines = page.texts(SHEET_LINE).join("\n");
    for words in [
        "Ctrl KCommand palette",
        "Ctrl .Stop run",
        "?Show keyboard shortcuts",
        "MWrite a message",
        "1Pane: agents",
        "2Pane: conversation",
        "3Pane: board",
        "EBoard: edit",
        "CBoard: compare",
        "PBoard: preview",
        "NNew file",
        "FAll files",
        "HWar room",
        "SSettings",
        "LEvent log",
        "JNext change",
        "UUndo the last round",
        "Shift Enter",
        "Ctrl Shift FFind in conversation",
        "Alt QQuote the selected text",
        "↑Edit your last message",
        "Ctrl ZUndo the last decision",
    ] {
        assert!(lines.contains(words), "the sheet does not say {words:?}: {lines}");
    }
    // Behind a dialog no shortcut works.
    page.press("s").await;
    page.see(KEY_SHEET).await;
    page.hidden(SETTINGS).await;
    page.press("Escape").await;
    page.hidden(KEY_SHEET).await;
    page.has_focus(Selector::css("#pane-agents")).await;
    page.press("m").await;
    page.has_focus(COMPOSER).await;
    page.click(FACE_EDIT).await;
    page.press("s").await;
    page.see(SETTINGS).await;
}

#[wasm_bindgen_test]
async fn shortcuts_of_one_key_can_be_turned_off() {
    let page = open().await;
    page.open_settings().await;
    page.choose(SINGLE_KEYS, "off").await;
    page.until("the setting to be stored", || {
        json!(page.tab.app_events()).to_string().contains("single_keys")
    })
    .await;
    script("document.activeElement?.blur()");
    page.press("h").await;
    page.press("?").await;
    page.press("Control+k").await;
    page.see(PALETTE_INPUT).await;
    page.hidden(KEY_SHEET).await;
    page.see(SETTINGS).await;
    page.fill(PALETTE_INPUT, "show keyboard shortcuts").await;
    chosen(&page, "keys").await;
    page.press("Enter").await;
    page.see_text(KEY_SHEET, "turned off").await;
    page.click(KEY_SHEET_CLOSE).await;
    let page = page.reload(|_, _| says("Yes.")).await;
    page.open_settings().await;
    page.see_text(SINGLE_KEYS, "off").await;
}

/// Focuses a button and presses Enter.
async fn press_on(page: &MountedPage, selector: impl Into<Selector>) {
    // The program loads this once the page is idle.
    keep_focus();
    page.see(selector).await.focus().unwrap();
    page.press("Enter").await;
}

/// Waits until anything has the focus.
async fn something_has_focus(page: &MountedPage) {
    page.script_is_true("document.activeElement !== document.body && document.activeElement != null").await;
}

#[wasm_bindgen_test]
async fn the_focus_moves_on_when_a_queued_message_or_the_stop_button_is_removed() {
    let page = MountedPage::open(|_, _| trickles(&["Slow."])).await;
    page.send_to("engineer", "First.").await;
    page.see(STOP).await;
    page.send_to("engineer", "Second.").await;
    page.send_to("engineer", "Third.").await;
    page.see_count(QUEUE_ITEM, 2).await;
    press_on(&page, QUEUE_WITHDRAW).await;
    page.see_count(QUEUE_ITEM, 1).await;
    page.has_focus(QUEUE_WITHDRAW).await;
    page.press("Enter").await;
    page.see_count(QUEUE_ITEM, 0).await;
    something_has_focus(&page).await;
    press_on(&page, STOP).await;
    page.idle().await;
    page.has_focus(COMPOSER).await;
}

#[wasm_bindgen_test]
async fn the_focus_stays_at_the_button_when_a_file_is_deleted() {
    let page = open().await;
    for name in ["one.txt", "two.txt"] {
        page.click(FILE_NEW).await;
        page.fill(FILE_NAME, name).await;
        page.press("Enter").await;
        page.see(FILE_TAB.with("data-file", name).with("data-active", "true")).await;
        // What is typed next goes into the file.
        page.has_focus(FILE_EDITOR).await;
    }
    press_on(&page, FILE_DELETE).await;
    page.hidden(FILE_TAB.with("data-file", "two.txt")).await;
    page.has_focus(FILE_DELETE).await;
    press_on(&page, NOTICE_UNDO).await;
    page.see(FILE_TAB.with("data-file", "two.txt").with("data-active", "true")).await;
    page.has_focus(FILE_DELETE).await;
}

#[wasm_bindgen_test]
async fn the_focus_returns_from_the_name_of_a_file_to_its_button() {
    let rename = Selector::css("[data-testid=file-rename]");
    let page = open().await;
    page.click(FILE_NEW).await;
    page.fill(FILE_NAME, "one.txt").await;
    page.press("Enter").await;
    page.has_focus(FILE_EDITOR).await;
    press_on(&page, rename.clone()).await;
    page.has_focus(FILE_NAME).await;
    let all = "document.activeElement.selectionEnd - document.activeElement.selectionStart === 7";
    page.script_is_true(all).await;
    page.press("Escape").await;
    page.hidden(FILE_NAME).await;
    page.has_focus(rename.clone()).await;
    page.press("Enter").await;
    page.fill(FILE_NAME, "two.txt").await;
    page.press("Enter").await;
    page.see(FILE_TAB.with("data-file", "two.txt").with("data-active", "true")).await;
    page.hidden(FILE_TAB.with("data-file", "one.txt")).await;
    page.has_focus(rename).await;
}

#[wasm_bindgen_test]
async fn the_focus_returns_from_a_notice_to_where_it_was_or_to_the_message_box() {
    let page = open().await;
    press_on(&page, SCRATCHPAD).await;
    let dismiss = Selector::css("[data-testid=notice] [aria-label=Dismiss]");
    page.drop_files(&[("broken.png", "image/png", b"not an image")]).await;
    press_on(&page, dismiss.clone()).await;
    page.hidden(NOTICE).await;
    page.has_focus(SCRATCHPAD).await;
    // On a new page, where it was is gone.
    let page = page.reload(|_, _| says("Yes.")).await;
    page.drop_files(&[("broken.png", "image/png", b"not an image")]).await;
    press_on(&page, dismiss).await;
    page.hidden(NOTICE).await;
    page.has_focus(COMPOSER).await;
}

#[wasm_bindgen_test]
async fn the_focus_moves_to_the_next_agent_when_one_is_deleted() {
    let page = open().await;
    press_on(&page, OPEN_SETTINGS).await;
    page.see(SETTINGS).await;
    something_has_focus(&page).await;
    let agent = |key: &str| AGENT_SETTINGS.with("data-agent", key);
    press_on(&page, agent("engineer").inner(AGENT_DELETE)).await;
    page.hidden(agent("engineer")).await;
    page.has_focus(agent("critic").inner(AGENT_DELETE)).await;
    press_on(&page, NOTICE_UNDO).await;
    page.see(agent("engineer")).await;
    page.has_focus(agent("critic").inner(AGENT_DELETE)).await;
}
