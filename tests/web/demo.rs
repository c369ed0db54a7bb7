//! Tests of the demo: its pages really have the mistakes that its Critic finds, and the fixed ones have not; an objective
//! that needs a model says so; and the first start shows three agents at work.
//!
//! Native tests in `crates/engine/src/demo` prove what its agents say and write.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::join_all;
use leptos::mount::mount_to_renderer;
use leptos::prelude::{StoredValue, WithValue as _, document};
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::HtmlElement;
use nexus::ui::hooks::preview_frame::{FrameContent, FrameEvent, frame_address, use_frame};
use nexus::ui::kit::markup::{NodeRef, view};
use nexus_engine::demo::MODEL as DEMO_MODEL;
use nexus_engine::tests::{Tab, says, tab};
use nexus_model::command::Command;
use nexus_model::mind::Mind;
use nexus_text::html_bundle::web_page;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::{MountedPage, ServedDocuments};
use crate::{script, settle};

/// An objective that the demo supports.
const PREPARED: &str = "A tip calculator for a small restaurant";

/// Helpers of the trials.
const HELPERS: &str = " id => document.getElementById(id);
    const wait = time => new Promise(then => setTimeout(then, time));
    const cents = id => Math.round(Number($(id).textContent.replace(/[^0-9.-]/g, '')) * 100);
    const key = name => dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
    const typed = (id, text) => { $(id).value = text; $(id).dispatchEvent(new Event('input', { bubbles: true })); };
    const modes = () => document.querySelectorAll('[data-minutes]');";

/// The objective whose page is also used.
const TODO: &str = "A to-do list with filters";

/// Each objective, and for each of its findings in order a trial that is true while the finding applies.
const TRIALS: [(&str, &[&str]); 5] = [
    (
        PREPARED,
        &[
            "return cents('share') * 3 !== cents('total') && $('rest').textContent === ''",
            "typed('bill', '86,50'); return $('share').textContent.includes('NaN')",
            "return !document.querySelector('.receipt[aria-live]')",
        ],
    ),
    (
        "A Snake game",
        &[
            "play(); key('ArrowUp'); key('ArrowLeft'); await wait(700); return !$('cover').hidden",
            "const random = Math.random; let next = 0;
             Math.random = () => [0.25, 0.5, 0.9][Math.min(next++, 2)]; set(); Math.random = random;
             return at(food.x, food.y)",
            "play(); const place = board.getBoundingClientRect();
             const touch = (type, x, y) => board.dispatchEvent(new PointerEvent(type,
                 { bubbles: true, clientX: place.x + x, clientY: place.y + y }));
             touch('pointerdown', 50, 90); touch('pointermove', 52, 20); touch('pointerup', 52, 20);
             await wait(500); return heading[1] === 0",
        ],
    ),
    (
        TODO,
        &[
            "$('text').value = '<b>bold</b>'; $('add').click(); return !!document.querySelector('#list b')",
            "$('text').value = 'kept'; $('add').click();
             return !String(localStorage.getItem('tasks')).includes('kept')",
            "return !document.querySelector('[data-filter][aria-pressed]')",
        ],
    ),
    (
        "A Pomodoro timer",
        &[
            "$('go').click(); modes()[1].click(); $('go').click(); await wait(3200);
             const twice = left < 296; modes()[0].click(); return twice",
            "pause(); modes()[0].click(); $('go').click(); const now = Date.now; Date.now = () => now() + 600000;
             await wait(1300); Date.now = now; return left > 1000",
            "if (timer === null) $('go').click(); return document.title === 'Pomodoro'",
            "const asks = rule => rule.conditionText?.includes('no-preference') && rule.cssText.includes('breathe');
             return ![...document.styleSheets].some(sheet => [...sheet.cssRules].some(asks))",
        ],
    ),
    (
        "A unit converter",
        &[
            "choose('Temperature'); typed('amount', '0'); return $('result').textContent !== '32'",
            "choose('Length'); $('from').value = 'feet'; $('to').value = 'metres'; typed('amount', '3');
             return $('result').textContent !== '0.9144'",
            "return !$('to').getAttribute('aria-label')",
        ],
    ),
];

/// True if its buttons work.
const USED: &str = "typed('text', 'Bread'); const count = () => document.querySelectorAll('#list li').length;
    const before = count(); $('add').click();
    return count() === before + 1 && $('list').textContent.includes('Bread')";

/// A page of the demo in an iframe, with trials that run once it has loaded; the lines of its console.
struct TriedPage {
    lines: Rc<RefCell<Vec<(String, String)>>>,
    root: HtmlElement,
    unmount: Option<Box<dyn FnOnce()>>,
}

impl TriedPage {
    fn new(mind: &Mind, trials: &[&str]) -> Self {
        let bundle = web_page("index.html", &|name| mind.file(name), &|_| None).unwrap();
        assert!(bundle.missing.is_empty(), "{:?}", bundle.missing);
        let trials: Vec<String> = trials.iter().map(|trial| format!("async () => {{ {trial} }}")).collect();
        let text = format!(
            "{}<script>addEventListener('load', async () => {{
                {HELPERS}
                for (const trial of [{}]) console.info(await trial().catch(String));
            }});</script>",
            bundle.html,
            trials.join(",")
        );
        let root: HtmlElement = document().create_element("div").unwrap().unchecked_into();
        document().body().unwrap().append_child(&root).unwrap();
        let lines: Rc<RefCell<Vec<(String, String)>>> = Rc::default();
        let seen = Rc::clone(&lines);
        let handle = mount_to_renderer(&root.clone(), move || {
            let (frame, seen) = (NodeRef::new(), StoredValue::new_local(seen));
            let content = FrameContent {
                kind: "page",
                name: "index.html".into(),
                text,
                files: "".into(),
                scripts: true,
                at: (0.0, 0.0),
            };
            use_frame(frame, content, move |event| {
                if let FrameEvent::Line(tone, text) = event {
                    seen.with_value(|lines| lines.borrow_mut().push((tone, text)));
                }
            });
            view! {
                <iframe width="640" height="480" sandbox="allow-scripts" src=frame_address() node_ref=frame></iframe>
            }
        });
        Self { lines, root, unmount: Some(Box::new(move || drop(handle))) }
    }

    /// Results of the trials; panics on an error of the page.
    async fn results(&self, count: usize) -> Vec<String> {
        for _ in 0..1_000 {
            if self.lines.borrow().len() >= count {
                break;
            }
            settle().await;
        }
        let lines = self.lines.borrow();
        assert!(lines.iter().all(|(tone, _)| tone == "info"), "errors of the page: {lines:?}");
        lines.iter().map(|(_, text)| text.clone()).collect()
    }
}

impl Drop for TriedPage {
    fn drop(&mut self) {
        self.unmount.take().unwrap()();
        self.root.remove();
    }
}

/// A tab whose agents use the demo.
fn demo_tab() -> Tab {
    let tab = tab(|_, _| says("never asked"));
    tab.use_model("rehearsal", DEMO_MODEL);
    tab
}

/// Sends a message to all agents and runs to the end.
fn round(tab: &Tab, message: &str) -> Mind {
    tab.say(message).unwrap();
    tab.pass(600_000);
    tab.mind()
}

#[wasm_bindgen_test]
async fn usage_counts_the_calls_of_the_demo_as_the_run_does() {
    let tab = demo_tab();
    tab.send(Command::ChangeSetting { name: "first_start_done".to_owned(), value: json!(true) }).unwrap();
    round(&tab, PREPARED);
    let page = MountedPage::at(tab, "/usage/").await;
    page.see_text(USAGE_SUMMARY, "tokens · cost: $0").await;
    page.choose(USAGE_BY, "Model").await;
    page.see_text(USAGE_ROW, "Demo").await;
}

#[wasm_bindgen_test]
async fn findings_apply_to_the_first_page_of_each_objective_and_not_to_the_fixed_one() {
    let _documents = ServedDocuments::new();
    let tried = TRIALS.map(|(objective, trials)| {
        let tab = demo_tab();
        let pages =
            [objective, "Fix the findings"].map(|message| TriedPage::new(&round(&tab, message), trials));
        assert!(tab.speakers().is_empty(), "{objective}: a request left");
        (objective, trials.len(), pages)
    });
    join_all(tried.iter().map(async |(objective, count, [first, fixed])| {
        assert_eq!(first.results(*count).await, vec!["true"; *count], "{objective}: a finding is not true");
        assert_eq!(fixed.results(*count).await, vec!["false"; *count], "{objective}: a finding is not fixed");
    }))
    .await;
}

#[wasm_bindgen_test]
async fn buttons_of_the_demos_list_work_in_the_fixed_page() {
    let _documents = ServedDocuments::new();
    let tab = demo_tab();
    round(&tab, TODO);
    let page = TriedPage::new(&round(&tab, "Fix the findings"), &[USED]);
    assert_eq!(page.results(1).await, ["true"]);
}

#[wasm_bindgen_test]
async fn the_demos_page_runs_in_the_preview_and_follows_the_fixes() {
    let page = MountedPage::of(started(demo_tab())).await;
    let _documents = ServedDocuments::new();
    let running = PREVIEW.with("data-state", "running");
    for (number, objective) in [PREPARED, TODO].into_iter().enumerate() {
        page.send_to("ALL", objective).await;
        play(&page).await;
        page.see_text(OBJECTIVE_FIELD, objective).await;
        if number == 0 {
            page.click(SEE_IT_RUN).await;
            // The server of the tests sends no headers.
            page.click(PREVIEW_SCRIPTS).await;
        }
        page.see(running.clone()).await;
        page.send_to("ALL", "Fix the findings").await;
        page.see_count(MESSAGE.with("data-role", "user"), 2 * number + 2).await;
        play(&page).await;
        page.see(running.clone()).await;
        page.see_count(PREVIEW_LINE.with("data-tone", "error"), 0).await;
    }
    assert!(page.tab.speakers().is_empty(), "a request left");
}

/// The tab after the first start, with its operator.
fn started(tab: Tab) -> Tab {
    for (name, value) in [("first_start_done", json!(true)), ("operator_name", json!("Ada"))] {
        tab.send(Command::ChangeSetting { name: name.to_owned(), value }).unwrap();
    }
    tab
}

/// Lets the demo play until no run is active.
async fn play(page: &MountedPage) {
    page.tab.pass(600_000);
    page.idle().await;
}

/// Performs the first start with the demo.
async fn start_demo(page: &MountedPage, objective: &str) {
    page.fill(FIRST_NAME, "Ada").await;
    page.click(FIRST_DEMO).await;
    page.fill(FIRST_OBJECTIVE, objective).await;
    page.click(FIRST_GO).await;
    page.see(WAR_ROOM).await;
    play(page).await;
    page.see(answers_of("critic").with("data-status", "completed")).await;
}

#[wasm_bindgen_test]
async fn the_first_start_says_which_objectives_need_a_model() {
    let page = MountedPage::first_start().await;
    page.click(FIRST_DEMO).await;
    page.fill(FIRST_OBJECTIVE, "Chess for two").await;
    page.see_text(FIRST_NOT_PREPARED, "needs a model").await;
    page.click(FIRST_IDEA.with("title", "A Snake game")).await;
    assert_eq!(page.text(FIRST_OBJECTIVE).await, "A Snake game");
    page.see(FIRST_IDEA.with("aria-pressed", "true")).await;
    page.until("the note to disappear", || page.texts(FIRST_NOT_PREPARED) == [""]).await;
}

#[wasm_bindgen_test]
async fn the_request_for_an_objective_disappears_once_one_is_typed() {
    const REQUEST: &str = "Enter an objective";
    let page = MountedPage::first_start().await;
    page.click(FIRST_GO).await;
    page.see_text(FIRST_START, REQUEST).await;
    page.fill(FIRST_OBJECTIVE, "Chess").await;
    page.until("the request to disappear", || !page.visible_text().contains(REQUEST)).await;
}

#[wasm_bindgen_test]
async fn a_reload_of_the_first_start_keeps_the_objective() {
    let page = MountedPage::first_start().await;
    page.fill(FIRST_OBJECTIVE, "Chess for two").await;
    page.tab.pass(1_000);
    let page = page.reload(|_, _| says("never asked")).await;
    page.see_text(FIRST_OBJECTIVE, "Chess for two").await;
    page.fill(FIRST_OBJECTIVE, "").await;
    page.settle().await;
    assert_eq!(page.text(FIRST_OBJECTIVE).await, "");
}

#[wasm_bindgen_test]
async fn an_objective_that_needs_a_model_builds_nothing_and_offers_a_prepared_one() {
    let page = MountedPage::first_start().await;
    start_demo(&page, "Chess for two").await;
    page.see_count(DEMO_OFFER, 1).await;
    assert_eq!(page.attributes(FILE_TAB, "data-file"), ["notes.md"]);

    page.click(DEMO_OBJECTIVE.with("title", "A unit converter")).await;
    page.see_text(COMPOSER, "A unit converter").await;
    page.until("the focus", || page.focused() == "composer").await;
    page.click(SEND).await;
    play(&page).await;
    page.see(FILE_TAB.with("data-file", "index.html")).await;
    page.see_text(OBJECTIVE_FIELD, "A unit converter").await;
    page.see_count(DEMO_OFFER, 1).await;
}

#[wasm_bindgen_test]
async fn the_link_to_connect_a_model_leads_to_the_providers() {
    let page = MountedPage::first_start().await;
    start_demo(&page, "Chess for two").await;
    page.click(CONNECT_MODEL).await;
    page.see(SETTINGS).await;
    let at_providers =
        || script("document.activeElement?.closest('#settings-providers') != null").is_truthy();
    page.until("the providers to have the focus", at_providers).await;
}

#[wasm_bindgen_test]
async fn the_first_start_shows_three_agents_at_work_without_a_request() {
    let page = MountedPage::first_start().await;
    start_demo(&page, PREPARED).await;
    page.see(BANNER.with("data-kind", "rehearsal")).await;
    for agent in ["architect", "engineer", "critic"] {
        page.see(answers_of(agent).with("data-status", "completed")).await;
    }
    page.see_text(OBJECTIVE_FIELD, PREPARED).await;
    assert!(!page.text(SCRATCHPAD).await.trim().is_empty(), "no plan");
    page.see(TOOL_CARD.with("data-status", "succeeded")).await;
    page.click(FILE_TAB.with("data-file", "index.html")).await;
    page.see_text(FILE_EDITOR, "<html").await;
    let first = page.text(FILE_EDITOR).await;
    assert!(first.len() > 200, "the file is no work: {first:?}");

    page.send_to("ALL", "Fix the findings").await;
    page.see(agent_card("architect").with("data-state", "processing")).await;
    play(&page).await;
    page.click(FILE_TAB.with("data-file", "index.html")).await;
    page.see_text(FILE_EDITOR, "aria-live").await;
    assert_ne!(page.text(FILE_EDITOR).await, first);
    assert!(page.tab.sent.borrow().is_empty(), "a request left");
    assert_eq!(
        page.tab.world().settings.get("operator_name").map(|name| (**name).clone()),
        Some(json!("Ada"))
    );
}

#[wasm_bindgen_test]
async fn all_events_of_a_message_have_the_id_of_one_run() {
    let page = MountedPage::first_start().await;
    start_demo(&page, PREPARED).await;
    page.send_to("ALL", "Fix the findings").await;
    play(&page).await;
    let kinds =
        ["RunOpened", "TurnOpened", "ModelRequested", "ModelAnswered", "ToolEnded", "TurnClosed", "RunEnded"];
    let mut runs = Vec::new();
    for event in page.tab.events() {
        let event = serde_json::to_value(event).unwrap();
        let kind = event["kind"].as_str().unwrap_or_default();
        if kinds.contains(&kind) {
            let run =
                event["run"].as_str().unwrap_or_else(|| panic!("{kind} has no run: {event}")).to_owned();
            if !runs.contains(&run) {
                assert_eq!(kind, "RunOpened", "{kind} has the id of a run that was not opened");
                runs.push(run);
            }
        }
    }
    assert_eq!(runs.len(), 2, "two messages are two runs");
}

#[wasm_bindgen_test]
async fn the_first_start_claims_no_other_storage_than_there_is() {
    let page = MountedPage::first_start().await;
    page.see_text(FIRST_START, "Everything stays on this device.").await;
    drop(page);
    let tab = nexus_engine::tests::tab(|_, _| says("never asked"));
    let page = MountedPage::stored(tab, "/", nexus::ui::StorageStatus::Denied).await;
    page.see_text(FIRST_START, "Storage unavailable: nothing is saved").await;
    assert!(!page.visible_text().contains("stays on this device"));
}
