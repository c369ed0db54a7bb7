//! Tests of the audit and the inspector.

use nexus_engine::tests::{Scripted, ScriptedChunk, calls, event, refuses, says};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::script;

const KEY: &str = "test-key-canary";

async fn all_read(page: &MountedPage) {
    page.see(AUDIT_COUNT.with("data-done", "true")).await;
}

/// Opens the audit by its link, and waits until it has read everything.
async fn open_audit(page: &MountedPage) {
    page.click(OPEN_AUDIT).await;
    all_read(page).await;
}

/// The kinds of the rendered rows, from the top.
fn kinds(page: &MountedPage) -> Vec<String> {
    page.attributes(AUDIT_ROW, "data-kind")
}

/// Number of listed events, as shown.
fn listed(page: &MountedPage) -> usize {
    let text = page.texts(AUDIT_COUNT).concat();
    let number: String =
        text.split(' ').next().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    number.parse().unwrap_or(usize::MAX)
}

fn address() -> String {
    script("location.pathname + location.search").as_string().unwrap()
}

/// All stored events, each with its topic.
fn all_events(page: &MountedPage) -> Vec<(Value, &'static str)> {
    let all = page.tab.app_events().into_iter().chain(page.tab.events());
    all.map(|event| (json!(event), event.topic().map_or("", nexus_model::event::Topic::name))).collect()
}

/// Waits until exactly this many events are listed and the address contains the query.
async fn lists(page: &MountedPage, count: usize, query: &str) {
    page.until(&format!("{count} events for {query:?}"), || {
        page.count(AUDIT_COUNT.with("data-done", "true")) == 1
            && address().contains(query)
            && listed(page) == count
    })
    .await;
}

/// Types into a filter, and waits until it applies.
async fn filter_by(page: &MountedPage, field: TestId, text: &str) {
    page.fill(field, text).await;
    page.tab.pass(1_000);
}

/// A page on which all agents spoke, and the Engineer wrote a file and was asked for it.
async fn open() -> MountedPage {
    let mut round = 0;
    let page = MountedPage::open(move |agent, _| {
        round += 1;
        match round {
            4 => calls(&[("write_file", json!({ "name": "beacon.txt", "content": "A lighthouse\n" }))]),
            5 => says("It stands."),
            _ => says(&format!("{agent} is ready.")),
        }
    })
    .await;
    page.send_to("ALL", "Are you ready?").await;
    page.see_text(answers_of("critic"), "Critic is ready.").await;
    page.idle().await;
    page.ask("engineer", "Build the lighthouse.", "It stands.").await;
    page
}

#[wasm_bindgen_test]
async fn the_audit_lists_all_events_and_a_filter_is_in_the_address() {
    let page = open().await;
    open_audit(&page).await;
    assert_eq!(listed(&page), all_events(&page).len());
    page.choose(AUDIT_KIND, "ToolEnded").await;
    page.see_count(AUDIT_ROW, 1).await;
    assert_eq!(kinds(&page), ["ToolEnded"]);
    page.see_text(AUDIT_ROW, "wrote beacon.txt").await;
    page.see_text(AUDIT_ROW, "Engineer").await;
    assert!(address().ends_with("/audit/?kind=ToolEnded"), "{}", address());
    // As after a reload: the screen is made anew from the address.
    page.goto("/").await;
    page.see(WAR_ROOM).await;
    page.goto("/audit/?kind=ToolEnded").await;
    all_read(&page).await;
    page.see_count(AUDIT_ROW, 1).await;
    assert_eq!(page.text(AUDIT_KIND).await, "ToolEnded");
    assert!(!page.visible_text().contains(KEY), "the key is on the screen");
}

#[wasm_bindgen_test]
async fn an_event_leads_to_its_run_and_opens_as_it_is_stored() {
    let page = open().await;
    open_audit(&page).await;
    page.choose(AUDIT_KIND, "ToolEnded").await;
    page.see_count(AUDIT_ROW, 1).await;
    let run = page.attributes(AUDIT_RUN, "data-run").remove(0);
    page.click(AUDIT_RUN).await;
    let chain: Vec<_> =
        all_events(&page).into_iter().map(|(event, _)| event).filter(|event| event["run"] == *run).collect();
    lists(&page, chain.len(), &format!("run={run}")).await;
    assert_eq!(kinds(&page).first().map(String::as_str), Some("MessageCommitted"));
    assert_eq!(chain.last().unwrap()["kind"], "RunEnded");

    page.click(AUDIT_ROW.with("data-kind", "ModelAnswered")).await;
    page.see_text(AUDIT_JSON, "ModelAnswered").await;
    let shown: Value = serde_json::from_str(&page.text(AUDIT_JSON).await).unwrap();
    let stored = chain.iter().find(|event| event["seq"] == shown["seq"]).unwrap();
    assert_eq!(&shown, stored);
    let chosen = address();
    assert!(chosen.contains("event="), "{chosen}");
    page.goto("/").await;
    page.see(WAR_ROOM).await;
    page.goto(&chosen).await;
    page.see_text(AUDIT_JSON, "ModelAnswered").await;
}

#[wasm_bindgen_test]
async fn rows_are_selected_by_keyboard() {
    let page = open().await;
    open_audit(&page).await;
    page.see(AUDIT_LIST).await.focus().unwrap();
    page.press("Home").await;
    page.press("ArrowDown").await;
    page.see(AUDIT_ROW.with("aria-selected", "true").with("aria-rowindex", "2")).await;
    page.see(AUDIT_DETAIL).await;
    page.press("Escape").await;
    page.hidden(AUDIT_DETAIL).await;
}

#[wasm_bindgen_test]
async fn each_filter_lists_exactly_its_events() {
    let page = open().await;
    open_audit(&page).await;
    let all = all_events(&page);
    let count = |is: &dyn Fn(&Value) -> bool| all.iter().filter(|(event, _)| is(event)).count();
    let run = all.iter().rev().find_map(|(event, _)| event["run"].as_str()).unwrap().to_owned();

    for topic in ["tools.results", "llm.requests", "app.changed"] {
        page.choose(AUDIT_TOPIC, topic).await;
        let of_topic = all.iter().filter(|(_, other)| *other == topic).count();
        assert!(of_topic > 0, "no event of {topic}");
        lists(&page, of_topic, &format!("topic={topic}")).await;
        for kind in kinds(&page) {
            let (_, other) = all.iter().find(|(event, _)| event["kind"] == *kind).unwrap();
            assert_eq!(*other, topic, "{kind} is listed under {topic}");
        }
    }
    page.click(AUDIT_CLEAR).await;

    // By run, as typed; filters intersect, and an invalid id matches nothing.
    filter_by(&page, AUDIT_RUN_FIELD, &run).await;
    lists(&page, count(&|event| event["run"] == *run), &format!("run={run}")).await;
    page.choose(AUDIT_KIND, "ModelAnswered").await;
    let answered = |event: &Value| event["run"] == *run && event["kind"] == "ModelAnswered";
    lists(&page, count(&answered), "kind=ModelAnswered").await;
    filter_by(&page, AUDIT_RUN_FIELD, "no such run").await;
    lists(&page, 0, "run=no%20such%20run").await;
    assert_eq!(page.count(AUDIT_ROW), 0, "it lists something");
    page.click(AUDIT_CLEAR).await;

    for kind in ["TurnClosed", "ToolRequested", "SettingChanged"] {
        let of_kind = count(&|event| event["kind"] == kind);
        assert!(of_kind > 0, "no {kind}");
        page.choose(AUDIT_KIND, kind).await;
        lists(&page, of_kind, &format!("kind={kind}")).await;
    }
    page.click(AUDIT_CLEAR).await;
    // Time passed: the Archivist has also worked, in a session of its own.
    page.until("all events to be listed", || listed(&page) >= all_events(&page).len()).await;
    assert_eq!(address(), "/audit/");
}

#[wasm_bindgen_test]
async fn the_filter_by_agent_lists_the_events_of_its_turns() {
    let page = open().await;
    open_audit(&page).await;
    let all = all_events(&page);
    // The agent of an event: that of its turn, or the one named by the event itself.
    let turns: Vec<_> = all
        .iter()
        .filter(|(event, _)| event.pointer("/data/turn/agent").is_some_and(|agent| agent == "engineer"))
        .map(|(event, _)| event["turn"].clone())
        .collect();
    let of_engineer = |event: &Value| !event["turn"].is_null() && turns.contains(&event["turn"]);
    let count = |is: &dyn Fn(&Value) -> bool| all.iter().filter(|(event, _)| is(event)).count();
    page.choose(AUDIT_AGENT, "engineer").await;
    let of_turns = count(&of_engineer);
    assert!(of_turns > 8, "only {of_turns} events of the Engineer's turns");
    page.until("the address to say so", || address().contains("agent=engineer")).await;
    let now = listed(&page);
    assert!(now >= of_turns && now < all.len(), "{now} of {of_turns} of their turns");
    for row in page.texts(AUDIT_ROW) {
        assert!(!row.contains("Architect") && !row.contains("Critic"), "of another agent: {row}");
    }
    page.choose(AUDIT_KIND, "TurnClosed").await;
    let closed = count(&|event| event["kind"] == "TurnClosed" && of_engineer(event));
    lists(&page, closed, "agent=engineer").await;
}

#[wasm_bindgen_test]
async fn the_filter_by_text_ignores_case_and_finds_encoded_text() {
    let page = open().await;
    open_audit(&page).await;
    let all = all_events(&page);
    for text in ["A LIGHTHOUSE", "BUILD the lighthouse.", "beacon.txt", "said \"nowhere\""] {
        filter_by(&page, AUDIT_TEXT, text).await;
        let needle = Value::from(text).to_string().trim_matches('"').to_lowercase();
        let holding =
            all.iter().filter(|(event, _)| event.to_string().to_lowercase().contains(&needle)).count();
        assert_ne!(holding > 0, text.contains("nowhere"), "{holding} events contain {text:?}");
        lists(&page, holding, "text=").await;
    }
}

#[wasm_bindgen_test]
async fn the_filtered_list_is_exported_as_json_lines() {
    let page = open().await;
    open_audit(&page).await;
    page.choose(AUDIT_AGENT, "critic").await;
    page.see(AUDIT_ROW).await;
    let count = listed(&page);
    assert!(count > 3, "only {count}");
    let text = page.download_text(AUDIT_EXPORT).await;
    assert!(!text.contains(KEY), "the key is in the export");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), count);
    let stored = all_events(&page);
    for line in &lines {
        let is_same = |event: &Value| event["stream"] == line["stream"] && event["seq"] == line["seq"];
        let (same, _) = stored.iter().find(|(event, _)| is_same(event)).unwrap();
        assert_eq!((&same["data"], &same["kind"]), (&line["data"], &line["kind"]));
    }
}

#[wasm_bindgen_test]
async fn new_events_appear_in_the_open_audit_and_the_feed_links_to_it() {
    let page = MountedPage::open(|_, _| {
        let chunk = |text: &str, end: Option<&str>| {
            let content = json!({"role": "model", "parts": [{"text": text}]});
            event(&json!({"candidates": [{"content": content, "finishReason": end}]}))
        };
        let beats = vec![chunk("One,", None), ScriptedChunk::Wait(1_000), chunk(" two.", Some("STOP"))];
        Scripted { status: 200, beats }
    })
    .await;
    page.tab.pass(1_000);
    page.send_to("critic", "Count.").await;
    page.see_text(answers_of("critic").inner(MESSAGE_TEXT), "One,").await;
    open_audit(&page).await;
    let newest = kinds(&page);
    assert_eq!(newest.first().map(String::as_str), Some("ResponseBegan"), "{newest:?}");
    let before = listed(&page);
    page.tab.pass(1_000);
    page.until("the end of the run", || kinds(&page).first().is_some_and(|kind| kind == "RunEnded")).await;
    assert!(listed(&page) > before);

    page.back().await;
    page.see(WAR_ROOM).await;
    page.click(ACTIVITY_OPEN).await;
    page.click(ACTIVITY_LINK).await;
    page.see_text(AUDIT_JSON, "TurnClosed").await;
    page.see(AUDIT_ROW.with("aria-selected", "true").with("data-kind", "TurnClosed")).await;
}

/// A page on which a turn of the Engineer with a tool call was retried; the inspector shows it.
async fn open_inspector() -> MountedPage {
    let mut round = 0;
    let page = MountedPage::open(move |_, _| {
        round += 1;
        match round {
            1 => says("Critic is ready."),
            2 => {
                let mut limited = refuses(429, "RESOURCE_EXHAUSTED");
                limited.beats.push(ScriptedChunk::Header("retry-after", "1"));
                limited
            }
            3 => calls(&[("write_file", json!({ "name": "beacon.txt", "content": "A lighthouse\n" }))]),
            _ => says("It stands."),
        }
    })
    .await;
    page.ask("critic", "Are you ready?", "Critic is ready.").await;
    page.send_to("engineer", "Build the lighthouse.").await;
    page.see(RETRY_CARD).await;
    page.tab.pass(2_000);
    page.see_text(answers_of("engineer"), "It stands.").await;
    page.idle().await;
    let link = page.all(INSPECT_TURN).pop().unwrap();
    link.click();
    page.see_count(INSPECT_CALL, 2).await;
    page
}

#[wasm_bindgen_test]
async fn the_inspector_shows_each_call_and_attempt_of_a_turn() {
    let page = open_inspector().await;
    page.see_text(INSPECT_HEAD, "Engineer").await;
    let first = INSPECT_CALL.with("data-call", "1");
    let attempt = |number: &str| first.clone().inner(INSPECT_TRY).with("data-attempt", number);
    page.see(attempt("1").with("data-state", "failed")).await;
    page.see(attempt("2").with("data-state", "answered")).await;
    page.see_text(INSPECT_FAILURE, "RESOURCE_EXHAUSTED in words").await;
    page.see_text(attempt("2"), "after a wait of 1").await;
    // Each rebuilt request equals what was sent.
    page.see_count(INSPECT_AGREES.with("data-agrees", "yes"), 3).await;
    page.see_text(INSPECT_CONTEXT, "Earlier turn of Critic").await;
    for figure in ["first-token", "took", "tokens-in", "tokens-out"] {
        let selector = INSPECT_CALL.with("data-call", "2").inner(INSPECT_FIGURE).with("data-figure", figure);
        let shown = page.text(selector).await;
        assert!(shown.chars().any(|each| each.is_ascii_digit()), "{figure}: {shown:?}");
    }
    script("for (const each of document.querySelectorAll('.inspect-fold')) each.open = true");
    page.see_text(INSPECT_REQUEST, "You are Engineer,").await;
    page.see_text(INSPECT_REQUEST, "x-goog-api-key: $API_KEY").await;
    // The raw response, in chunks.
    page.see_text(INSPECT_CALL.with("data-call", "2").inner(INSPECT_RESPONSE), "\"It stands.\"").await;
    page.see_text(first.inner(INSPECT_RESPONSE), "429").await;
    assert!(!page.visible_text().contains(KEY), "the key is in the inspector");
    // A link leads to the events of the run.
    page.click(INSPECT_RUN).await;
    all_read(&page).await;
    assert_eq!(kinds(&page).first().map(String::as_str), Some("MessageCommitted"));
}

#[wasm_bindgen_test]
async fn a_request_is_copied_as_sent_and_as_a_curl_command_without_the_key() {
    let page = open_inspector().await;
    script(
        "window.copied = [];
        Object.defineProperty(navigator.clipboard, 'writeText', {
            configurable: true, value: text => (copied.push(text), Promise.resolve()),
        })",
    );
    page.see(INSPECT_CALL.with("data-call", "2").inner(INSPECT_AGREES)).await;
    script("for (const each of document.querySelectorAll('.inspect-fold')) each.open = true");
    page.all(INSPECT_BODY).pop().unwrap().click();
    page.all(INSPECT_CURL).pop().unwrap().click();
    page.script_is_true("copied.length === 2").await;
    script("delete navigator.clipboard.writeText");
    let copied = |at: usize| script(&format!("copied[{at}]")).as_string().unwrap();
    let body: Value = serde_json::from_str(&copied(0)).unwrap();
    let requests = page.tab.requests.borrow();
    assert_eq!(requests.len(), 4);
    assert_eq!(body, requests[3].1, "that was not sent");
    let command = copied(1);
    assert!(command.starts_with("curl -N -X POST 'http") && command.contains("$API_KEY"), "{command}");
    assert!(!command.contains(KEY) && !copied(0).contains(KEY));
}

#[wasm_bindgen_test]
async fn without_retention_stored_responses_are_deleted_and_the_inspector_says_so() {
    let page = open_inspector().await;
    page.see_count(INSPECT_AGREES.with("data-agrees", "yes"), 3).await;
    let inspected = address();
    page.goto("/settings/").await;
    page.enter(RAW_DAYS, "0").await;
    page.settle().await;
    page.goto(&inspected).await;
    page.see_text(INSPECT_NO_RESPONSE, "are not kept").await;
    page.see_count(INSPECT_AGREES.with("data-agrees", "unknown"), 3).await;
}

#[wasm_bindgen_test]
async fn a_link_of_the_inspector_leads_to_another_turn_and_back() {
    let page = open_inspector().await;
    page.click(Selector::css(".inspect-turn")).await;
    page.see_text(INSPECT_HEAD, "Critic").await;
    page.see_count(INSPECT_CALL, 1).await;
    page.back().await;
    page.see_text(INSPECT_HEAD, "Engineer").await;
    page.see_count(INSPECT_CALL, 2).await;
}

#[wasm_bindgen_test]
async fn a_typed_filter_keeps_the_other_one_and_clear_drops_both() {
    let page = open().await;
    open_audit(&page).await;
    page.fill(AUDIT_TEXT, "lighthouse").await;
    page.fill(AUDIT_RUN_FIELD, "no such run").await;
    page.tab.pass(1_000);
    lists(&page, 0, "run=no%20such%20run").await;
    assert!(address().contains("text=lighthouse"), "{}", address());
    page.fill(AUDIT_TEXT, "harbour").await;
    page.click(AUDIT_CLEAR).await;
    page.tab.pass(1_000);
    page.settle().await;
    page.until("no filter", || address() == "/audit/").await;
    assert_eq!((page.text(AUDIT_TEXT).await, page.text(AUDIT_RUN_FIELD).await), Default::default());
}
