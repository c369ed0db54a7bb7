//! Tests of the settings: sections and search, agents, every single setting, prices and limits.

use nexus_engine::tests::{Scripted, ScriptedChunk, says, tab};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::graphs::type_into;
use crate::mounted_page::MountedPage;
use crate::{script, script_promise};

async fn open() -> MountedPage {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    page.open_settings().await;
    page
}

/// Closes the page, and opens it on what is stored, at the settings.
async fn reopened(page: MountedPage) -> MountedPage {
    let page = page.reload(|_, _| says("Yes.")).await;
    page.open_settings().await;
    page
}

fn search_and_hash() -> String {
    script("location.pathname + location.search").as_string().unwrap()
}

/// Links of the section list.
const LINKS: &str = ".settings-link [data-section]";

/// Ids of the sections that are shown.
fn shown(page: &MountedPage) -> Vec<String> {
    let parts = page.all(Selector::css(".settings-part"));
    let is_shown = |part: &&leptos::web_sys::HtmlElement| {
        let first = part.first_element_child().unwrap();
        let check = js_sys::Reflect::get(&first, &"checkVisibility".into()).unwrap();
        js_sys::Function::from(check).call0(&first).unwrap().is_truthy()
    };
    parts.iter().filter(is_shown).filter_map(|part| part.get_attribute("data-reveals")).collect()
}

/// Waits until only this section is shown, and its link is marked.
async fn only(page: &MountedPage, id: &str) {
    page.until(&format!("only {id} to be shown"), || shown(page) == [id]).await;
    let marked = page.attributes(Selector::css(".settings-link [aria-current]"), "data-section");
    assert_eq!(marked, [id]);
}

async fn follow_link(page: &MountedPage, id: &str) {
    page.click(Selector::css(&format!("{LINKS}[data-section={id}]"))).await;
}

#[wasm_bindgen_test]
async fn one_section_is_shown_and_its_link_marked() {
    let page = open().await;
    only(&page, "settings-you").await;
    for id in page.attributes(Selector::css(LINKS), "data-section") {
        follow_link(&page, &id).await;
        only(&page, &id).await;
        page.has_focus(Selector::css(&format!("#{id}"))).await;
        assert_eq!(search_and_hash(), format!("/settings/?at={id}"));
    }
    page.back().await;
    only(&page, "settings-data").await;
    page.has_focus(Selector::css("#settings-data")).await;
    // Arrows move in the list.
    page.all(Selector::css("[data-section=settings-you]"))[0].focus().unwrap();
    page.press("ArrowDown").await;
    page.press("Enter").await;
    only(&page, "settings-providers").await;
}

#[wasm_bindgen_test]
async fn a_search_shows_all_sections_with_matches_until_a_link_ends_it() {
    let page = open().await;
    page.fill(SETTINGS_SEARCH, "tokens").await;
    page.until("matches in several sections", || shown(&page).len() > 1).await;
    follow_link(&page, "settings-core").await;
    only(&page, "settings-core").await;
    assert_eq!(page.text(SETTINGS_SEARCH).await, "");
    // A match of the browser's own search shows its section.
    script("document.getElementById('theme').dispatchEvent(new Event('beforematch', { bubbles: true }))");
    only(&page, "settings-appearance").await;
}

#[wasm_bindgen_test]
async fn the_address_of_a_field_opens_its_section_and_focuses_it() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    page.goto("/settings/?at=engineer-model").await;
    only(&page, "settings-agents").await;
    page.has_focus(Selector::css("#engineer-model")).await;
}

#[wasm_bindgen_test]
async fn the_palette_puts_the_section_into_the_address() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    page.run_action("agents", "setting-settings-agents").await;
    only(&page, "settings-agents").await;
    page.has_focus(Selector::css("#settings-agents")).await;
    assert_eq!(search_and_hash(), "/settings/?at=settings-agents");
}

/// Waits until the search hides a part, or shows it. The stylesheet hides what is marked, which a flow tests.
async fn hides(page: &MountedPage, part: TestId, is_hidden: bool) {
    page.until(&format!("{} hidden: {is_hidden}", Selector::from(part)), || {
        page.all(part).iter().all(|element| element.closest("[data-sifted]").unwrap().is_some() == is_hidden)
    })
    .await;
}

#[wasm_bindgen_test]
async fn a_setting_is_found_by_its_text_while_others_are_hidden() {
    let page = open().await;
    page.see(DATA_EXPORT).await;
    page.fill(SETTINGS_SEARCH, "theme").await;
    hides(&page, THEME_SELECT, false).await;
    hides(&page, SETTINGS_NAME, true).await;
    hides(&page, DATA_EXPORT, true).await;
    page.see_text(SETTINGS_FOUND, "1 of").await;
    page.press("Enter").await;
    page.has_focus(THEME_SELECT).await;
    page.fill(SETTINGS_SEARCH, "restore points").await;
    hides(&page, DATA_POINT_MAKE, false).await;
    hides(&page, THEME_SELECT, true).await;
    // By synonyms that no card shows.
    page.fill(SETTINGS_SEARCH, "wipe").await;
    hides(&page, DATA_RESET, false).await;
    hides(&page, THEME_SELECT, true).await;
    page.fill(SETTINGS_SEARCH, "zzzz qqqq").await;
    page.see_text(SETTINGS_FOUND, "No settings").await;
    page.press("Escape").await;
    hides(&page, SETTINGS_NAME, false).await;
    hides(&page, THEME_SELECT, false).await;
}

#[wasm_bindgen_test]
async fn a_search_goes_to_the_section_of_that_name() {
    let page = open().await;
    for (words, id) in [("permissions", "settings-permissions"), ("voice", "settings-voice")] {
        page.fill(SETTINGS_SEARCH, words).await;
        page.until(words, || page.attributes(Selector::css("[data-found]"), "id") == [id]).await;
        page.press("Enter").await;
        page.has_focus(Selector::css(&format!("#{id}"))).await;
        page.all(SETTINGS_SEARCH)[0].focus().unwrap();
    }
}

fn of(agent: &str) -> Selector {
    AGENT_SETTINGS.with("data-agent", agent)
}

#[wasm_bindgen_test]
async fn agents_are_added_moved_duplicated_deleted_and_restored() {
    let page = open().await;
    page.click(AGENT_ADD).await;
    page.has_focus(of("agent").inner(AGENT_NAME)).await;
    page.click(of("agent").inner(AGENT_UP)).await;
    page.see(Selector::css("[data-agent=agent] + [data-agent=critic]")).await;
    let order = page.attributes(AGENT_SETTINGS, "data-agent");
    assert_eq!(order, ["architect", "engineer", "agent", "critic"]);
    page.click(of("critic").inner(AGENT_DUPLICATE)).await;
    page.has_focus(of("critic-2").inner(AGENT_NAME)).await;
    page.click(of("critic").inner(AGENT_DELETE)).await;
    page.hidden(of("critic")).await;
    page.click(NOTICE_UNDO).await;
    page.see(of("critic")).await;
    page.enter(of("architect").inner(AGENT_NAME), "Critic").await;
    page.see_text(of("architect"), "Another agent has this name.").await;
}

#[wasm_bindgen_test]
async fn an_agent_is_imported_from_a_valid_file_only() {
    let page = open().await;
    let file = |extra: &[(&str, Value)]| {
        let mut agent = json!({
            "name": "Scout", "soul": "You are Scout, who looks ahead.",
            "provider": {"protocol": "anthropic", "label": "Mine"}, "model": {"id": "some-model"},
        });
        for (name, value) in extra {
            agent[*name] = value.clone();
        }
        json!({"nexus": "agent", "version": 1, "agent": agent}).to_string()
    };
    page.choose_file(AGENT_IMPORT, "agent.json", &file(&[("api_key", json!("sk-1"))])).await;
    page.see_text(AGENT_IMPORT_PROBLEM, "agent.api_key").await;
    let rules = json!({"tools_denied": ["write_file"]});
    page.choose_file(AGENT_IMPORT, "agent.json", &file(&[("permissions", rules)])).await;
    page.see(of("scout")).await;
    page.see_text(NOTICE, "it uses the demo").await;
    assert_eq!(page.texts(AGENT_IMPORT_PROBLEM), [""]);
}

/// A check of the connection test in a state.
fn step(check: &str, state: &str) -> Selector {
    PROVIDER_TEST_STEP.with("data-check", check).with("data-state", state)
}

#[wasm_bindgen_test]
async fn a_newcomer_adds_a_host_by_its_address_before_the_first_start() {
    let mut round = 0;
    let page = MountedPage::of(tab(move |_, _| {
        round += 1;
        let (status, body) = match round {
            1 => (
                400,
                json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
                "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}),
            ),
            2 => {
                (200, json!({"models": [{"name": "models/gemini-3.8-flash", "inputTokenLimit": 1_000_000}]}))
            }
            _ => (401, json!({"error": {"code": 401, "message": "No key.", "status": "UNAUTHENTICATED"}})),
        };
        Scripted { status, beats: vec![ScriptedChunk::Bytes(body.to_string())] }
    }))
    .await;
    page.goto("/settings/").await;
    let card = PROVIDER_CARD.with("data-provider", "other");
    page.click(PROVIDER_ADD).await;
    page.click(PRESET_OTHER).await;
    page.see(card.clone()).await;
    page.choose(card.clone().inner(PROVIDER_PROTOCOL), "gemini").await;
    let address = card.clone().inner(PROVIDER_BASE_URL);
    page.enter(address.clone(), " \"user:sk-1@127.0.0.1:8009/gemini\" ").await;
    page.see_text(card.clone(), "enter the key in its own field").await;
    page.enter(address, "  127.0.0.1:8009/gemini/ ").await;
    page.see_text(card.clone(), "http://127.0.0.1:8009/gemini").await;

    let key = card.clone().inner(PROVIDER_KEY);
    page.enter(key.clone(), "AIza-surely-not-the-key-0000").await;
    page.see(card.clone().inner(KEY_STATE).with("data-held", "true")).await;
    page.click(card.clone().inner(PROVIDER_TEST)).await;
    page.see(step("reached", "passed")).await;
    page.see_text(step("key", "failed"), "API key not valid").await;
    page.enter(key, " \"Bearer AIza-canary-0000\"\n").await;
    page.click(card.clone().inner(PROVIDER_TEST)).await;
    page.see(step("key", "passed")).await;
    page.see(step("models", "passed")).await;
    {
        let sent = page.tab.sent.borrow();
        let keys: Vec<_> =
            sent.iter().map(|request| request.headers.first().map(|(_, value)| value.reveal())).collect();
        let [_, right, none] = keys.as_slice() else { panic!("{} requests", keys.len()) };
        assert_eq!(*right, Some("AIza-canary-0000"), "the key as it was meant");
        assert_eq!(*none, None, "the model list was not requested without the key");
    }
    page.see(step("in-use", "unknown")).await;
    page.click(card.inner(PROVIDER_USE)).await;
    page.see_text(AGENT_MODEL_FACTS, "context").await;
    page.goto("/").await;
    page.see_text(FIRST_START, "will answer").await;
}

const MODEL: &str = "gemini-3.8-flash";

fn row(model: &str) -> Selector {
    PRICE_ROW.with("data-model", model)
}

/// Waits until a field shows a value.
async fn shows(page: &MountedPage, field: impl Into<Selector>, value: &str) {
    let field = field.into();
    page.until(&format!("{field} = {value:?}"), || {
        page.texts(field.clone()).first().is_some_and(|text| text == value)
    })
    .await;
}

#[wasm_bindgen_test]
async fn a_price_is_validated_stored_and_reset_to_the_shipped_one() {
    let page = open().await;
    let input = row(MODEL).inner(PRICE_INPUT);
    shows(&page, input.clone(), "0.75").await;
    page.enter(input.clone(), "1,000").await;
    page.see_text(row(MODEL), "No comma").await;
    page.enter(input.clone(), "-1").await;
    page.see(input.clone().with("aria-invalid", "true")).await;
    page.see(row(MODEL).with("data-own", "false")).await;
    page.enter(input.clone(), "$9.5").await;
    page.see(row(MODEL).with("data-own", "true")).await;
    page.enter(row(MODEL).inner(PRICE_OUTPUT), "20").await;

    // A model that is not in the table gets a row at once, and a price once both numbers are entered.
    page.enter(PRICE_MODEL, "house/own-model").await;
    page.click(PRICE_ADD).await;
    let own = row("house/own-model");
    page.enter(own.clone().inner(PRICE_INPUT), "1").await;
    page.see_text(own.clone(), "when input and output are set").await;
    page.enter(own.clone().inner(PRICE_OUTPUT), "2").await;
    page.see(own.clone().with("data-own", "true")).await;

    let page = reopened(page).await;
    shows(&page, input.clone(), "9.5").await;
    shows(&page, row(MODEL).inner(PRICE_OUTPUT), "20").await;
    shows(&page, own.clone().inner(PRICE_OUTPUT), "2").await;
    page.click(row(MODEL).inner(PRICE_RESET)).await;
    shows(&page, input, "0.75").await;
    page.see(row(MODEL).with("data-own", "false")).await;
    page.click(own.clone().inner(PRICE_RESET)).await;
    page.hidden(own).await;
}

#[wasm_bindgen_test]
async fn limits_and_tool_rules_are_validated_and_stored() {
    let page = open().await;
    let rule = RULE_TOOL.with("data-tool", "write_file");
    page.enter(CAP_CALLS, "none").await;
    page.see_text(SETTINGS, "A whole number from 1 up").await;
    page.enter(CAP_CALLS, "12").await;
    page.enter(CAP_TOKENS, "250,000").await;
    page.enter(CAP_DOLLARS, "1.5").await;
    page.choose(rule.clone(), "deny").await;
    let page = reopened(page).await;
    shows(&page, CAP_CALLS, "12").await;
    shows(&page, CAP_TOKENS, "250000").await;
    shows(&page, CAP_DOLLARS, "1.5").await;
    shows(&page, rule.clone(), "deny").await;
    page.choose(rule.clone(), "").await;
    shows(&page, rule, "").await;
}

/// Fields by id: an invalid value, part of its error, a valid value, and how that is shown.
const TEXTS: [(&str, &str, &str, &str, &str); 16] = [
    ("core-wait", "-1", "Seconds from 0 to 3600", "4.5", "4.5"),
    ("core-lines", "many", "", "7", "7"),
    ("cap-calls", "0", "A whole number from 1 up", "1,234", "1234"),
    ("cap-tokens", "-5", "A whole number from 1 up", "50000", "50000"),
    ("cap-dollars", "1,5", "Dollars above 0", "2.5", "2.5"),
    ("silence", "0", "Whole seconds from 1", "90", "90"),
    ("raw-days", "-1", "", "3", "3"),
    ("voice-languages", "not a tag!", "Each line must be a language tag", "de-DE\npt-BR", "de-DE\npt-BR"),
    ("voice-rate-critic", "9", "A number from 0.5 to 3", "1.5", "1.5"),
    ("voice-pitch-critic", "low", "A number from 0 to 2", "0.5", "0.5"),
    ("critic-name", "", "", "Reviewer", "Reviewer"),
    ("critic-tokens", "0", "A whole number from 1, or blank", "900", "900"),
    ("critic-temperature", "2.5", "A number from 0 to 2", "0.3", "0.3"),
    ("critic-context", "few", "", "32000", "32000"),
    ("price-gemini/gemini-3.8-flash-input", "-1", "Dollars from 0", "0.8", "0.8"),
    ("provider-gemini-address", "ftp://host", "", "https://example.org/v1beta", "https://example.org/v1beta"),
];

/// Fields that accept anything, selects with another choice, and switches with their new state.
const OTHERS: [(&str, &str); 20] = [
    ("core-model", "some-model"),
    ("archivist-model", "some-model"),
    ("critic-description", "Looks twice."),
    ("critic-persona", "You are Reviewer, who looks twice."),
    ("critic-emoji", "🦉"),
    ("critic-thinking", "low"),
    ("critic-priority", "high"),
    ("critic-role", "worker"),
    ("rule-read_file", "ask"),
    ("theme", "light"),
    ("density", "compact"),
    ("text-size", "110"),
    ("motion", "reduced"),
    ("single-keys", "off"),
    ("core-auto", ""),
    ("compact-auto", ""),
    ("summary-auto", ""),
    ("memory-auto", ""),
    ("voice-auto-read-setting", "on"),
    ("calls-sound", "on"),
];

/// Enters a value and leaves the field, or toggles a switch. True if that is possible.
const ENTER: &str = "((id, value) => {
    const field = document.getElementById(id);
    if (field === null) return 'there is no such field';
    if (field.type === 'checkbox') { if (field.checked !== (value !== '')) field.click(); }
    else {
        if (field.tagName === 'SELECT' && ![...field.options].some(each => each.value === value))
            return `it offers ${[...field.options].map(each => each.value)}`;
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));
    }
    return '';
})";

/// The value shown by a field.
const SHOWN: &str = "((id) => {
    const field = document.getElementById(id);
    return field && (field.type === 'checkbox' ? (field.checked ? 'on' : '') : field.value);
})";

/// The error nearest to a field.
const PROBLEM: &str = "((id) => {
    for (let near = document.getElementById(id); near; near = near.parentElement) {
        const said = near.querySelector(':scope [role=alert]:not(:empty)')?.textContent;
        if (said || near.matches('.settings-card')) return said ?? '';
    }
    return '';
})";

/// Controls without a description, neither their own nor in their group.
const SILENT: &str = "(() => {
    for (const fold of document.querySelectorAll('.settings details')) fold.open = true;
    const silent = [];
    for (const field of document.querySelectorAll('.settings-parts :is(input, select, textarea)')) {
        // Controls that add something or pick a file set nothing.
        const adds = ['agent-template', 'agent-import', 'price-provider', 'price-model', 'data-import-file'];
        if (!field.checkVisibility() || adds.includes(field.dataset.testid)) continue;
        const label = field.labels?.[0]?.textContent?.trim() || field.getAttribute('aria-label')
            || field.closest('fieldset')?.querySelector('legend')?.textContent;
        const ids = (field.getAttribute('aria-describedby') ?? '').split(' ');
        const own = ids.map(id => document.getElementById(id)?.textContent ?? '').join('').trim();
        const after = field.closest('label')?.nextElementSibling;
        const line = after?.matches('.hint') ? after.textContent : '';
        // Rows of one kind are described once, above them.
        const rows = field.closest('table, .rules, .price-list, .key-line, fieldset');
        const above = (rows?.closest('.settings-card, details') ?? rows)?.querySelector('.hint')?.textContent ?? '';
        if (!label || !(own || line || (rows && above))) silent.push(field.id || field.dataset.testid || field.outerHTML);
    }
    return silent.join(' ');
})()";

/// Ids of the sections, and of the fields that exist for any providers, agents, tools and models.
const LASTING: &str = "[...document.querySelectorAll('.settings-parts :is(h2, input, select, textarea)')]
    .filter(each => !each.closest('[data-agent], [data-provider], .rules, table'))
    .filter(each => each.type !== 'file' && !each.closest('[data-testid=data-import-card]'))
    .map(each => each.id || `without an id: ${each.dataset.testid}`).join(' ')";

fn call(function: &str, arguments: &[&str]) -> String {
    let arguments: Vec<_> = arguments.iter().map(|each| json!(each).to_string()).collect();
    script(&format!("{function}({})", arguments.join(", "))).as_string().unwrap_or_default()
}

async fn set(page: &MountedPage, id: &str, value: &str) {
    assert_eq!(call(ENTER, &[id, value]), "", "{id} cannot be set to {value:?}");
    page.settle().await;
}

/// Opens the settings, and waits for the parts that come late.
async fn open_all() -> MountedPage {
    let page = open().await;
    page.see(DATA_USED).await;
    page.see(VOICE_AGENT).await;
    page
}

#[wasm_bindgen_test]
async fn every_setting_says_what_it_does() {
    let page = open_all().await;
    for id in page.attributes(Selector::css(LINKS), "data-section") {
        page.see(Selector::css(&format!("#{id}"))).await;
        let silent = script(SILENT).as_string().unwrap();
        assert_eq!(silent, "", "settings that do not say what they do in {id}");
    }
}

#[wasm_bindgen_test]
async fn the_palette_leads_to_every_setting() {
    let page = open_all().await;
    let lasting = script(LASTING).as_string().unwrap();
    page.press("Control+k").await;
    page.see(PALETTE_ROW).await;
    let named = page.attributes(PALETTE_ROW, "data-action");
    let lasting: Vec<_> = lasting.split(' ').collect();
    for id in lasting.iter().filter(|id| !["data-session", "agent-template", "price-provider"].contains(*id))
    {
        assert!(named.contains(&format!("setting-{id}")), "the palette does not lead to {id}");
    }
    assert!(lasting.len() > 30, "only {} settings were found", lasting.len());
}

#[wasm_bindgen_test]
async fn a_wrong_value_is_rejected_with_a_reason_and_every_right_one_is_stored() {
    let page = open_all().await;
    for (id, wrong, words, right, _) in TEXTS {
        set(&page, id, wrong).await;
        page.until(&format!("{id} to reject {wrong:?}"), || {
            let said = call(PROBLEM, &[id]);
            !said.is_empty() && said.contains(words)
        })
        .await;
        set(&page, id, right).await;
        page.until(&format!("{id} to accept {right:?}"), || call(PROBLEM, &[id]).is_empty()).await;
    }
    for (id, value) in OTHERS {
        set(&page, id, value).await;
    }
    set(&page, "operator-name", "Grace").await;
    let page = reopened(page).await;
    page.see(VOICE_AGENT).await;
    let stored = TEXTS.iter().map(|(id, _, _, _, shown)| (*id, *shown));
    for (id, value) in stored.chain(OTHERS).chain([("operator-name", "Grace")]) {
        page.until(&format!("{value:?} in {id}"), || call(SHOWN, &[id]) == value).await;
    }
    page.script_is_true(
        "document.documentElement.dataset.theme === 'light' && document.documentElement.dataset.density === 'compact'",
    )
    .await;
    script(
        "for (const name of ['theme', 'density', 'textSize', 'motion']) delete document.documentElement.dataset[name]",
    );
}

#[wasm_bindgen_test]
async fn the_error_of_a_left_field_waits_while_something_is_pressed() {
    const PRESS: &str = "document.querySelector = function (selector) {
        return selector === ':active' ? document.body : Document.prototype.querySelector.call(this, selector);
    }";
    let page = open_all().await;
    script(PRESS);
    set(&page, "cap-tokens", "-5").await;
    script_promise("new Promise((done) => setTimeout(done, 100))").await;
    assert_eq!(call(PROBLEM, &["cap-tokens"]), "", "the error moved the page under the pointer");
    script("delete document.querySelector");
    page.until("the error to show", || !call(PROBLEM, &["cap-tokens"]).is_empty()).await;
}

#[wasm_bindgen_test]
async fn a_field_in_use_is_stored_when_the_page_goes() {
    let page = open().await;
    page.open_sections().await;
    type_into("[data-testid=settings-name]", " Lovelace");
    script("window.dispatchEvent(new Event('beforeunload'))");
    page.settle().await;
    let page = reopened(page).await;
    assert_eq!(page.text(SETTINGS_NAME).await, "Ada Lovelace");
}

#[wasm_bindgen_test]
async fn two_tool_rules_that_are_chosen_at_once_are_both_stored() {
    let page = open().await;
    let rule = |tool: &str| RULE_TOOL.with("data-tool", tool);
    page.see(rule("write_file")).await;
    script(
        "for (const tool of ['write_file', 'delete_file']) {
            const select = document.querySelector(`[data-testid=rule-tool][data-tool=${tool}]`);
            select.value = 'deny';
            select.dispatchEvent(new Event('change', { bubbles: true }));
        }",
    );
    page.settle().await;
    let page = reopened(page).await;
    shows(&page, rule("write_file"), "deny").await;
    shows(&page, rule("delete_file"), "deny").await;
}
