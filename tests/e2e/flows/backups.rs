//! Flows for backup: export and import on another device, restore points, reset, and data cleared by the browser.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, Gate, KEY};
use crate::selectors::*;
use crate::site::{BLANK_PAGE, TRAP_SCRIPT, TRAP_WORDS};

/// Chooses a file with this text for an import.
async fn choose(fixture: &Fixture, text: &str) -> Result<()> {
    let script = "(() => { const input = document.querySelector(arguments[0]); const files = new DataTransfer(); \
        files.items.add(new File([arguments[1]], 'dump.json')); input.files = files.files; \
        input.dispatchEvent(new Event('change', {bubbles: true})); })()";
    fixture
        .page
        .wait_for(
            "the field for a file",
            "document.querySelector(arguments[0])",
            &[json!(Selector::from(DATA_IMPORT_FILE).as_str())],
        )
        .await?;
    fixture
        .page
        .eval(script, &[json!(Selector::from(DATA_IMPORT_FILE).as_str()), json!(text)])
        .await
        .map(drop)
}

/// Stored events of all sessions.
async fn session_events(fixture: &Fixture) -> Result<Vec<Value>> {
    let events = fixture.page.rows("events").await?;
    Ok(events
        .into_iter()
        .filter(|event| event.get("stream").and_then(Value::as_str) != Some("app"))
        .collect())
}

/// Makes the program's next `createElement` fail, as no browser does. The program relies on it, so it panics, and its
/// panic hook reports.
const NO_ELEMENT: &str = "const make = Document.prototype.createElement;
    Error.stackTraceLimit = 200;
    Document.prototype.createElement = function (...wish) {
        if (!/\\bwasm\\b/.test(new Error().stack)) return make.apply(this, wish);
        Document.prototype.createElement = make;
        throw new DOMException('no element is left', 'InvalidStateError');
    };";

/// Adds a click listener that, once enabled, calls the program from a nearly exhausted stack.
const DEEP: &str = "(() => {
    const dive = act => {
        try { return dive(act); } catch (error) {
            if (!window.__deep || /\\bwasm\\b/.test(error.stack)) { window.__deep = false; throw error; }
            return act();
        }
    };
    const listen = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (kind, act, ...more) {
        if (kind !== 'click' || typeof act !== 'function') return listen.call(this, kind, act, ...more);
        const heard = function (event) {
            return window.__deep ? dive(() => act.call(this, event)) : act.call(this, event);
        };
        return listen.call(this, kind, heard, ...more);
    };
})();";

async fn open_data(fixture: &mut Fixture) -> Result<()> {
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    fixture.page.see(DATA_EXPORT).await
}

/// The built program panics while an agent answers. Its hook reports message and location; nothing is written any
/// more; and the export of the recovery screen restores everything on another device.
pub(crate) async fn crash_and_restore(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.provider.queue_for("Engineer", app::writing("kept.txt", "kept through a crash\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::ask(&fixture.page, "engineer", "Keep this.", "Written.").await?;
    app::new_session(&fixture.page).await?;
    fixture.provider.queue_for("Critic", Answer::say("Second here."));
    app::ask(&fixture.page, "critic", "Are you there?", "Second here.").await?;
    let gate = Gate::new();
    fixture.provider.queue_for("Engineer", Answer::new().text("Half an ans").hold(&gate).text("wer, lost."));
    app::send_to(&fixture.page, "engineer", "Answer at length.").await?;
    fixture.page.see_text(answers_of("engineer"), "Half an ans").await?;
    fixture.page.stored("partials", "Half an ans").await?;
    fixture.page.fill(COMPOSER, "typed, never sent").await?;
    fixture.page.stored("drafts", "typed, never sent").await?;
    let before = session_events(fixture).await?;

    fixture.expect_fault("panicked at");
    fixture.expect_fault("unreachable");
    fixture.page.eval(NO_ELEMENT, &[]).await?;
    fixture.page.click(SESSION_SWITCHER).await?;
    fixture.page.see(RECOVERY.with("data-kind", "panic")).await?;
    fixture.page.see_text(RECOVERY, "no element is left").await?;
    let report = fixture.page.texts(RECOVERY_REPORT).await?.join("");
    for words in
        ["What: ", "no element is left", "Where: ", ".rs:", "Last action: ", "Kind: panic", "Version: "]
    {
        ensure!(report.contains(words), "{words:?} is not in the report: {report}");
    }
    let errors = fixture.page.local("nexus_critical_errors").await?.unwrap_or_default();
    let errors: Vec<Value> = serde_json::from_str(&errors).context("the hook left no record")?;
    let [errors] = errors.as_slice() else { anyhow::bail!("not one record of the panic: {errors:?}") };
    let place = errors.get("location").and_then(Value::as_str).unwrap_or_default();
    ensure!(
        errors.get("kind") == Some(&json!("panic")) && place.contains(".rs:"),
        "it was recorded as {errors}"
    );
    let stopped = fixture.page.database().await?;
    gate.open();
    fixture.page.download_to().await?;
    fixture.page.click(RECOVERY_EXPORT).await?;
    let dump = fixture.page.downloaded("json").await?;
    ensure!(!dump.contains(KEY), "the key is in the export");
    ensure!(fixture.page.database().await? == stopped, "something was written after the panic");

    fixture.switch_device().await?;
    open_data(fixture).await?;
    choose(fixture, &dump).await?;
    fixture.page.see_count(DATA_SESSION.with("data-imported", "true"), 2).await?;
    let typed = Selector::css(&format!("{} textarea", Selector::from(DATA_IMPORT_CARD)));
    fixture.page.see_text(typed, "typed, never sent").await?;
    ensure!(session_events(fixture).await?.len() < before.len(), "something was written by looking");
    fixture.page.click(DATA_IMPORT_TAKE).await?;
    fixture.page.see_text(DATA_IMPORT_DONE, "2 sessions").await?;
    let after: Vec<_> = session_events(fixture).await?;
    let missing = before.iter().find(|event| !after.contains(event));
    ensure!(missing.is_none(), "an imported event differs: {missing:?}");
    // The hash of the first one is equal. The other is shown, so what the crash interrupted in it was recorded.
    choose(fixture, &dump).await?;
    fixture.page.see_count(DATA_SESSION.with("data-imported", "false"), 1).await?;
    fixture.page.see_count(DATA_SESSION.with("data-imported", "true"), 1).await?;

    fixture.page.click(DATA_IMPORT_AWAY).await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    let sessions = app::sessions(&fixture.page).await?;
    let old = before.iter().filter_map(|event| event.get("stream").and_then(Value::as_str));
    let mut old: Vec<_> = old.map(str::to_owned).collect();
    old.dedup();
    for session in &old {
        ensure!(sessions.contains(session), "{session} cannot be chosen");
    }
    let [first, second] = old.as_slice() else { anyhow::bail!("not two sessions: {old:?}") };
    app::open_session(&fixture.page, first).await?;
    fixture.page.see_text(answers_of("engineer"), "Written.").await?;
    fixture.page.see_text(OBJECTIVE_FIELD, app::OBJECTIVE).await?;
    fixture.page.see_text(FILE_EDITOR, "kept through a crash").await?;
    app::open_session(&fixture.page, second).await?;
    fixture.page.see_text(answers_of("critic"), "Second here.").await?;
    fixture.page.see_text(TIMELINE, "Answer at length.").await?;
    app::ended(&fixture.page, "engineer", "failed", Some("interrupted")).await?;
    fixture.page.see_text(answers_of("engineer").inner(MESSAGE_TEXT), "Half an ans").await?;
    fixture.page.see_text(COMPOSER, "typed, never sent").await?;
    ensure!(fixture.provider.requests().len() == 4, "a request was sent without the operator");
    Ok(())
}

/// Everything is erased, in all tabs, once the operator has typed the confirmation.
pub(crate) async fn factory_reset(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    open_data(fixture).await?;
    fixture.page.click(DATA_POINT_MAKE).await?;
    fixture.page.see(DATA_POINT).await?;
    let (first, home) = (fixture.page.tab().await?, fixture.site.url("/"));
    let second = fixture.page.open_tab(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.switch_to(&first).await?;
    fixture.page.click(DATA_RESET).await?;
    fixture.page.download_to().await?;
    fixture.page.click(DATA_RESET_EXPORT).await?;
    ensure!(fixture.page.downloaded("json").await?.contains("Critic is ready."));
    fixture.page.fill(DATA_RESET_WORD, "remove").await?;
    fixture.page.click(DATA_RESET_GO).await?;
    fixture.page.see_text(DATA_RESET_CARD, "does not match").await?;
    ensure!(
        fixture.page.database().await?.to_string().contains("Critic is ready."),
        "reset without the confirmation"
    );
    fixture.page.fill(DATA_RESET_WORD, "Delete everything").await?;
    fixture.page.click(DATA_RESET_GO).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.switch_to(&second).await?;
    fixture.page.see(FIRST_START).await?;
    let left = format!("{}{}", fixture.page.database().await?, fixture.page.all_local().await?);
    for words in ["Critic is ready.", app::OBJECTIVE, app::NAME, &fixture.provider.base_url(), "nexus_kept"] {
        ensure!(!left.contains(words), "{words:?} is still there");
    }
    let points =
        "return (await indexedDB.databases()).map(each => each.name).filter(name => name !== 'nexus')";
    let points = fixture.page.eval_async(points, &[]).await?;
    ensure!(points == json!([]), "{points} is still there");
    Ok(())
}

/// An empty store after an earlier visit is not a new device: the browser cleared it, and the page says so.
pub(crate) async fn storage_cleared(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.page.wait_for("the mark", "localStorage.getItem('nexus_kept')", &[]).await?;
    let (blank, home) = (fixture.site.url(BLANK_PAGE), fixture.site.url("/"));
    fixture.page.goto(&blank).await?;
    let delete = "await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase('nexus');
        request.onsuccess = resolve; request.onerror = () => reject(request.error);
    });";
    fixture.page.eval_async(delete, &[]).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.see_text(NOTICE, "The browser cleared your data").await?;
    fixture.page.see_text(NOTICE, "import it in Settings").await
}

/// Stack overflow, a program that does not load, a trap and its report.
pub(crate) async fn crashes(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(DEEP).await?;
    app::set_up(fixture).await?;
    stack_overflow(fixture).await?;
    failed_load(fixture).await?;
    crash_report(fixture).await
}

/// A stack overflow inside the program acts like a trap: no hook runs, but the recovery screen appears.
async fn stack_overflow(fixture: &mut Fixture) -> Result<()> {
    fixture.expect_fault("Maximum call stack size exceeded");
    fixture.page.eval("window.__deep = true", &[]).await?;
    fixture.page.click(SESSION_SWITCHER).await?;
    fixture.page.see(RECOVERY.with("data-kind", "trap")).await?;
    fixture.page.see_text(RECOVERY, "Maximum call stack").await?;
    let stack = fixture.page.texts(RECOVERY_REPORT).await?.join("");
    ensure!(stack.contains("nexus-"), "it overflowed elsewhere: {stack}");
    fixture.page.click(RECOVERY_RELOAD).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    fixture.page.see_text(NOTICE, "Maximum call stack").await
}

/// The program does not load: one retry with fresh files, then the recovery screen; data can be exported without the
/// program, and works again when the files load.
async fn failed_load(fixture: &mut Fixture) -> Result<()> {
    let program = "return document.querySelector('meta[name=nexus-app]').dataset.wasm";
    let program = fixture.page.eval(program, &[]).await?.as_str().unwrap_or_default().to_owned();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    ensure!(!program.is_empty(), "the page does not name its program");
    fixture.page.block(&[&program]).await?;
    fixture.page.reload().await?;
    fixture.page.see(RECOVERY.with("data-kind", "load")).await?;
    fixture.page.download_to().await?;
    fixture.page.click(RECOVERY_EXPORT).await?;
    ensure!(fixture.page.downloaded("json").await?.contains("Critic is ready."));
    fixture.page.block(&[]).await?;
    fixture.page.click(RECOVERY_RELOAD).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await
}

/// The report is copied, and can be read if the clipboard is denied.
async fn crash_report(fixture: &mut Fixture) -> Result<()> {
    fixture.expect_fault(TRAP_WORDS);
    fixture.page.eval_async("await import(arguments[0])", &[TRAP_SCRIPT.into()]).await?;
    fixture.page.see(RECOVERY).await?;
    let deny = "navigator.clipboard.writeText = async (text) => { window.__copied = text; }";
    fixture.page.eval(deny, &[]).await?;
    fixture.page.click(RECOVERY_COPY).await?;
    fixture.page.see_text(RECOVERY_STATUS, "copied").await?;
    let copied = fixture.page.eval("return window.__copied", &[]).await?;
    ensure!(copied.as_str().is_some_and(|text| text.contains(TRAP_WORDS) && text.contains("Version: ")));
    fixture.page.eval("navigator.clipboard.writeText = async () => { throw new Error('no'); }", &[]).await?;
    fixture.page.click(RECOVERY_COPY).await?;
    fixture.page.see_text(RECOVERY_STATUS, "box below").await
}
