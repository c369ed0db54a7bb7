//! Tests of backup in the settings: export, import and restore points.

use leptos::prelude::window;
use nexus_engine::store::in_memory::InMemoryStore;
use nexus_engine::tests::{FakeLocks, open_tab, says};
use nexus_model::command::Command;
use nexus_model::id::{Millis, SessionId, TriggerId};
use nexus_model::provider::Provider;
use nexus_model::session::trigger::{PauseReason, Recipient, Schedule, Trigger, trigger};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::{script, script_promise};

/// The base URL of the exporting device.
const ADDRESS: &str = "https://models.example/v1beta";

/// Opens a page after a round.
async fn open() -> MountedPage {
    let page = MountedPage::open(|agent, _| says(&format!("{agent} is ready."))).await;
    let provider = Provider { base_url: ADDRESS.into(), ..Provider::gemini() };
    page.tab.send(Command::ChangeProvider { provider: provider.clone() }).unwrap();
    page.tab.running.handle.keys.put(&provider, "test-key-canary");
    page.ask("critic", "Are you ready?", "Critic is ready.").await;
    page
}

/// Opens a page on a device without data, at the settings.
async fn other_device() -> MountedPage {
    let session = SessionId::from(7_001);
    let tab =
        open_tab(InMemoryStore::default(), FakeLocks::default(), Default::default(), session, |_, _| {
            says("Yes.")
        });
    let page = MountedPage::of(tab).await;
    page.goto("/settings/").await;
    page.see(DATA_EXPORT).await;
    page
}

async fn open_data(page: &MountedPage) {
    page.open_settings().await;
    page.see(DATA_EXPORT).await;
}

async fn choose(page: &MountedPage, text: &str) {
    page.choose_file(DATA_IMPORT_FILE, "dump.json", text).await;
}

#[wasm_bindgen_test]
async fn an_export_holds_everything_except_keys() {
    let page = open().await;
    open_data(&page).await;
    let dump = page.download_text(DATA_EXPORT).await;
    page.see_text(DATA_EXPORT_STATUS, "downloads").await;
    // It was disabled for a moment.
    page.has_focus(DATA_EXPORT).await;
    let tree: Value = serde_json::from_str(&dump).unwrap();
    assert_eq!(tree["nexus"], "dump");
    assert!(dump.contains("Critic is ready.") && dump.contains("Are you ready?"));
    assert!(!dump.contains("test-key-canary"), "the key is in the export");
    choose(&page, &dump).await;
    page.see_text(DATA_IMPORT_CARD, "Everything in it is already here.").await;
    page.hidden(DATA_IMPORT_TAKE).await;
}

#[wasm_bindgen_test]
async fn a_file_that_is_no_complete_export_is_rejected_with_the_reason() {
    let page = open().await;
    open_data(&page).await;
    let dump = page.download_text(DATA_EXPORT).await;
    let before = json!([page.tab.events(), page.tab.app_events()]);
    let half: String = dump.chars().take(dump.chars().count() / 2).collect();
    let secrets =
        dump.replacen("\"stores\":{", "\"stores\":{\"secrets\":[{\"key\":\"gemini\",\"value\":{}}],", 1);
    let twice = dump.replacen("\"seq\":2,", "\"seq\":1,", 1);
    for (file, words) in [
        ("hello", "is not a Nexus export"),
        (half.as_str(), "is incomplete or damaged"),
        ("{\"nexus\":\"dump\",\"version\":99}", "a newer version of Nexus"),
        (&secrets, "contains API keys"),
        (&twice, "its place is another one"),
        ("{\"nexus\":\"dump\",\"version\":1,\"stores\":{}}", "contains no sessions"),
    ] {
        choose(&page, file).await;
        page.see_text(DATA_IMPORT_CARD, words).await;
        page.hidden(DATA_IMPORT_TAKE).await;
    }
    let after = json!([page.tab.events(), page.tab.app_events()]);
    assert_eq!(after, before, "a rejected file changed something");
}

#[wasm_bindgen_test]
async fn a_single_session_is_exported_and_can_be_imported_elsewhere() {
    let page = open().await;
    open_data(&page).await;
    let one = page.download_text(DATA_EXPORT_ONE).await;
    drop(page);
    let page = other_device().await;
    choose(&page, &one).await;
    page.see_count(DATA_SESSION.with("data-imported", "true"), 1).await;
}

#[wasm_bindgen_test]
async fn proposals_of_an_import_do_nothing_until_each_is_accepted() {
    let page = open().await;
    open_data(&page).await;
    let dump = page.download_text(DATA_EXPORT).await;
    drop(page);
    let page = other_device().await;
    let address = |page: &MountedPage| {
        let world = page.tab.world();
        let provider = world.providers.get(&"gemini".into()).and_then(|row| row.as_ref().clone());
        provider.map(|provider| provider.base_url)
    };
    choose(&page, &dump).await;
    let gemini = DATA_PROPOSAL.with("data-kind", "provider").with("data-key", "gemini");
    page.see_text(gemini.clone(), ADDRESS).await;
    page.click(DATA_IMPORT_TAKE).await;
    page.see(DATA_IMPORT_DONE).await;
    assert_ne!(address(&page).as_deref(), Some(ADDRESS), "an address is active without the operator");
    page.click(gemini.inner(DATA_ACCEPT)).await;
    page.until("the address to be accepted", || address(&page).as_deref() == Some(ADDRESS)).await;
    let name = DATA_PROPOSAL.with("data-kind", "setting").with("data-key", "operator_name");
    page.click(name.inner(DATA_ACCEPT)).await;
    page.see_text(SETTINGS_NAME, "Ada").await;
    assert_eq!(page.count(KEY_STATE.with("data-held", "true")), 0, "a key was exported");
}

#[wasm_bindgen_test]
async fn an_import_proposes_settings_and_triggers_and_names_the_permissions_in_it() {
    let page = open().await;
    let set = |page: &MountedPage, name: &str, value: Value| {
        page.tab.send(Command::ChangeSetting { name: name.to_owned(), value }).unwrap();
    };
    set(&page, "core_wait_ms", json!(9_000));
    set(&page, "attention_notify", json!(true));
    let hourly = Trigger {
        id: TriggerId::from(7),
        name: "Hourly".into(),
        when: Schedule::Every { ms: 3_600_000, from: Millis(1) },
        to: Recipient::Persona("critic".into()),
        text: "Look again.".into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    };
    let to_session =
        Trigger { id: TriggerId::from(8), to: Recipient::Session(page.tab.session), ..hourly.clone() };
    for trigger in [&hourly, &to_session] {
        page.tab.send(Command::ChangeTrigger(trigger.clone())).unwrap();
    }
    open_data(&page).await;
    let dump = page.download_text(DATA_EXPORT).await;
    set(&page, "core_wait_ms", json!(3_000));
    choose(&page, &dump).await;
    page.see_text(DATA_IMPORT_CARD, "Its sessions are already here.").await;
    let wait = DATA_PROPOSAL.with("data-kind", "setting").with("data-key", "core_wait_ms");
    page.see_text(wait.clone(), "Sync delay (seconds)9").await;
    drop(page);

    let page = other_device().await;
    choose(&page, &dump).await;
    page.see_text(DATA_IMPORT_CARD, "permissions are set on this device: “Show notifications”.").await;
    let proposed = DATA_PROPOSAL.with("data-kind", "trigger");
    page.see_text(proposed.clone(), "Trigger, added as paused. It sends: Look again.").await;
    page.see_text(proposed, "Its agent or session is not here: import that first.").await;
    page.click(DATA_ACCEPT_ALL).await;
    page.see_text(wait.clone().inner(DATA_ACCEPT), "Applied").await;
    let added = || trigger(&page.tab.world(), hourly.id).and_then(|trigger| trigger.pause_reason);
    page.until("the trigger to be added as paused", || added() == Some(PauseReason::Paused)).await;
    let stored = |name: &str| page.tab.world().setting(&name.to_owned()).map(|value| (**value).clone());
    assert_eq!((stored("core_wait_ms"), stored("attention_notify")), (Some(json!(9_000)), None));
    assert!(trigger(&page.tab.world(), to_session.id).is_none(), "its session is missing");
    page.click(DATA_IMPORT_TAKE).await;
    page.see(DATA_IMPORT_DONE).await;
    page.see_text(wait.clone().inner(DATA_ACCEPT), "Applied").await;
    set(&page, "core_wait_ms", json!(3_000));
    page.see_text(wait.inner(DATA_ACCEPT), "Apply").await;
    let key = to_session.id.to_string();
    page.click(DATA_PROPOSAL.with("data-key", &key).inner(DATA_ACCEPT)).await;
    page.until("the trigger of the session", || trigger(&page.tab.world(), to_session.id).is_some()).await;
}

#[wasm_bindgen_test]
async fn a_restore_point_adds_its_sessions_beside_the_current_ones() {
    let page = open().await;
    open_data(&page).await;
    page.click(DATA_POINT_MAKE).await;
    page.see_text(DATA_POINT, "session").await;
    page.see_text(DATA_USED, "used").await;
    page.back().await;
    page.see(WAR_ROOM).await;
    page.send_to("engineer", "Go on, after the point.").await;
    page.see_text(answers_of("engineer"), "Engineer is ready.").await;
    page.idle().await;
    open_data(&page).await;
    page.click(DATA_POINT_LOOK).await;
    page.see_text(DATA_SESSION, "imported as a copy").await;
    page.click(DATA_IMPORT_TAKE).await;
    page.see(DATA_IMPORT_DONE).await;
    page.back().await;
    page.see(WAR_ROOM).await;
    page.click(SESSION_SWITCHER).await;
    page.see_text(SESSION_ROW, "(copy)").await;
    let current = page.tab.session.to_string();
    let copy = page.attributes(SESSION_OPEN, "data-session").into_iter().find(|id| *id != current).unwrap();
    page.click(SESSION_OPEN.with("data-session", &copy)).await;
    page.see(SESSION_SWITCHER.with("data-session", &copy)).await;
    page.see_text(answers_of("critic"), "Critic is ready.").await;
    assert!(!page.visible_text().contains("after the point"), "the copy contains later data");
    open_data(&page).await;
    page.see(DATA_POINT).await;
    // Another one may have been made automatically.
    for left in (0..page.count(DATA_POINT)).rev() {
        // At the lower edge of the view.
        page.see(DATA_POINT_DROP).await.scroll_into_view_with_bool(false);
        page.click(DATA_POINT_DROP).await;
        page.see_text(DATA_POINT, "Delete this restore point? This cannot be undone.").await;
        let answer = page.see(DATA_POINT_DROP_YES).await;
        let height = window().inner_height().unwrap().as_f64().unwrap();
        page.until("the question to be in view", || answer.get_bounding_client_rect().bottom() <= height)
            .await;
        assert_eq!(page.count(DATA_POINT), left + 1, "it was deleted without an answer");
        page.click(DATA_POINT_DROP_YES).await;
        page.see_count(DATA_POINT, left).await;
    }
}

#[wasm_bindgen_test]
async fn the_factory_reset_needs_the_confirmation() {
    let page = open().await;
    open_data(&page).await;
    page.click(DATA_RESET).await;
    assert!(page.download_text(DATA_RESET_EXPORT).await.contains("Critic is ready."));
    page.fill(DATA_RESET_WORD, "remove").await;
    page.click(DATA_RESET_GO).await;
    page.see_text(DATA_RESET_CARD, "does not match").await;
    page.back().await;
    page.see_text(answers_of("critic"), "Critic is ready.").await;
}

#[wasm_bindgen_test]
async fn the_plan_of_a_file_does_not_replace_that_of_another_chosen_since() {
    let page = open().await;
    open_data(&page).await;
    let dump = page.download_text(DATA_EXPORT).await;
    // The first file is read when the second one has been.
    script(
        "window.realSlice = Blob.prototype.slice;
        Blob.prototype.slice = function (...range) {
            const part = realSlice.apply(this, range);
            if (this.name !== 'slow.json') return part;
            part.arrayBuffer = async function () {
                await new Promise((done) => { setTimeout(done, 200); });
                return Blob.prototype.arrayBuffer.call(this);
            };
            return part;
        }",
    );
    page.choose_file(DATA_IMPORT_FILE, "slow.json", "hello").await;
    page.choose_file(DATA_IMPORT_FILE, "quick.json", &dump).await;
    page.see_text(DATA_IMPORT_CARD, "Everything in it is already here.").await;
    script_promise("new Promise((done) => setTimeout(done, 400))").await;
    page.settle().await;
    script("Blob.prototype.slice = window.realSlice");
    page.see_text(DATA_IMPORT_CARD, "Everything in it is already here.").await;
}
