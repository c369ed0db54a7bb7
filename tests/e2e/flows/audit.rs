//! Flows for the audit and the inspector.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::{Answer, Gate, KEY, Reply};
use crate::selectors::*;

/// Opens the audit by its link, and waits until it has read everything.
async fn open_audit(page: &Page) -> Result<()> {
    page.click(OPEN_AUDIT).await?;
    all_read(page).await
}

async fn all_read(page: &Page) -> Result<()> {
    page.see(AUDIT_COUNT.with("data-done", "true")).await
}

/// The kinds of the rendered rows, from the top.
async fn kinds(page: &Page) -> Result<Vec<String>> {
    page.attributes(AUDIT_ROW, "data-kind").await
}

/// Number of listed events, as shown.
async fn listed(page: &Page) -> Result<usize> {
    let text = page.text(AUDIT_COUNT).await?;
    let number: String =
        text.split(' ').next().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    number.parse().with_context(|| format!("no count in {text:?}"))
}

/// All stored events of this run.
async fn of_run(page: &Page, run: &str) -> Result<Vec<Value>> {
    let events = app::events(page).await?;
    Ok(events.into_iter().filter(|event| event["run"] == run).collect())
}

/// The audit during a run, its filters, and its export.
pub(crate) async fn audit(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    live(fixture).await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    filters(fixture).await?;
    export(fixture).await
}

/// Filters select, survive a reload, and lead from an event to its run; an event opens as it is stored.
async fn filters(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("beacon.txt", "A lighthouse\n"));
    fixture.provider.queue_for("Engineer", Answer::say("It stands."));
    app::ask(&fixture.page, "engineer", "Build the lighthouse.", "It stands.").await?;
    let page = &fixture.page;
    open_audit(page).await?;
    let all = app::events(page).await?;
    ensure!(listed(page).await? == all.len(), "{} events, {:?}", all.len(), page.text(AUDIT_COUNT).await?);

    page.choose(AUDIT_KIND, "ToolEnded").await?;
    page.see_count(AUDIT_ROW, 1).await?;
    ensure!(kinds(page).await? == ["ToolEnded"]);
    page.see_text(AUDIT_ROW, "wrote beacon.txt").await?;
    page.see_text(AUDIT_ROW, "Engineer").await?;
    let address = page.address().await?;
    ensure!(address.ends_with("/audit/?kind=ToolEnded"), "{address}");
    fixture.page.reload().await?;
    let page = &fixture.page;
    all_read(page).await?;
    page.see_count(AUDIT_ROW, 1).await?;
    ensure!(
        page.eval("return document.querySelector('[data-testid=audit-kind]').value", &[]).await?
            == "ToolEnded"
    );

    // One click on the id shows its run: from the message to the end.
    let run = page.attributes(AUDIT_RUN, "data-run").await?.first().cloned().context("it has no run")?;
    page.click(AUDIT_RUN).await?;
    let chain = of_run(page, &run).await?;
    let is_all = "document.querySelector('[data-testid=audit-count]').textContent.startsWith(arguments[0])";
    page.wait_for("the whole run", is_all, &[json!(format!("{} of ", chain.len()))]).await?;
    ensure!(kinds(page).await?.first().map(String::as_str) == Some("MessageCommitted"));
    ensure!(chain.last().is_some_and(|event| event["kind"] == "RunEnded"));
    ensure!(page.address().await?.contains(&format!("run={run}")));

    // An event is shown as stored.
    page.click(AUDIT_ROW.with("data-kind", "ModelAnswered")).await?;
    page.see_text(AUDIT_JSON, "ModelAnswered").await?;
    let shown: Value = serde_json::from_str(&page.text(AUDIT_JSON).await?).context("that is no JSON")?;
    let seq = shown.get("seq").cloned().unwrap_or_default();
    let mut stored = chain.iter().find(|event| event["seq"] == seq).context("it is not stored")?.clone();
    // The store adds this field; it is not part of the event.
    stored.as_object_mut().context("no object")?.remove("topic");
    ensure!(shown == stored, "{shown} is not {stored}");
    let chosen = page.address().await?;
    ensure!(chosen.contains("event="), "{chosen}");
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see_text(AUDIT_JSON, "ModelAnswered").await?;

    // By text, also in events that were read before.
    page.click(AUDIT_CLEAR).await?;
    page.fill(AUDIT_TEXT, "A LIGHTHOUSE").await?;
    let found = "Number(document.querySelector('[data-testid=audit-count]').textContent.split(' ')[0]) > 0
        && document.querySelector('[data-testid=audit-count]').textContent.includes(' of ')
        && document.querySelector('[data-testid=audit-count]').dataset.done === 'true'";
    page.wait_for("the text to be found", found, &[]).await?;
    let holding =
        all.iter().filter(|event| event.to_string().to_lowercase().contains("a lighthouse")).count();
    ensure!(listed(page).await? == holding, "{} contain it", holding);

    // By keyboard.
    page.click(AUDIT_CLEAR).await?;
    page.eval("document.querySelector('[data-testid=audit-list]').focus()", &[]).await?;
    page.press(thirtyfour::Key::Home).await?;
    page.press(thirtyfour::Key::Down).await?;
    page.see(AUDIT_ROW.with("aria-selected", "true").with("aria-rowindex", "2")).await?;
    page.press(thirtyfour::Key::Escape).await?;
    page.hidden(AUDIT_DETAIL).await?;
    by_each_filter(page, &run).await?;
    let text = page.visible_text().await?;
    ensure!(!text.contains(KEY), "the key is on the screen");
    Ok(())
}

/// Each filter alone lists exactly its stored events, and is in the URL; together they intersect.
async fn by_each_filter(page: &Page, run: &str) -> Result<()> {
    let all = app::events(page).await?;
    // The agent of an event: that of its turn, or the one named by the event itself.
    let agents_of_turns: Vec<(Value, Value)> = all
        .iter()
        .filter_map(|event| Some((event["turn"].clone(), event.pointer("/data/turn/agent")?.clone())))
        .collect();
    let of_engineer = |event: &Value| {
        let of_turn = |(turn, agent): &(Value, Value)| *turn == event["turn"] && *agent == "engineer";
        !event["turn"].is_null() && agents_of_turns.iter().any(of_turn)
    };
    let count = |is: &dyn Fn(&Value) -> bool| all.iter().filter(|event| is(event)).count();

    // By topic, which the store adds to each event.
    for topic in ["tools.results", "llm.requests", "app.changed"] {
        page.choose(AUDIT_TOPIC, topic).await?;
        lists(page, count(&|event| event["topic"] == topic), &format!("topic={topic}")).await?;
        for kind in kinds(page).await? {
            let event =
                all.iter().find(|event| event["kind"] == kind.as_str()).context("a kind of no event")?;
            ensure!(event["topic"] == topic, "{kind} is listed under {topic}");
        }
    }
    page.click(AUDIT_CLEAR).await?;

    // By run, as typed; an invalid id matches nothing.
    page.fill(AUDIT_RUN_FIELD, run).await?;
    lists(page, count(&|event| event["run"] == run), &format!("run={run}")).await?;
    page.choose(AUDIT_KIND, "ModelAnswered").await?;
    lists(
        page,
        count(&|event| event["run"] == run && event["kind"] == "ModelAnswered"),
        "kind=ModelAnswered",
    )
    .await?;
    page.fill(AUDIT_RUN_FIELD, "no such run").await?;
    lists(page, 0, "run=no%20such%20run").await?;
    ensure!(page.count(AUDIT_ROW).await? == 0, "it lists something");
    page.click(AUDIT_CLEAR).await?;

    // By each existing kind.
    let mut there: Vec<&str> = all.iter().filter_map(|event| event["kind"].as_str()).collect();
    there.sort_unstable();
    there.dedup();
    for kind in ["TurnClosed", "ToolRequested", "SettingChanged"] {
        ensure!(there.contains(&kind), "no {kind} among {there:?}");
        page.choose(AUDIT_KIND, kind).await?;
        lists(page, count(&|event| event["kind"] == kind), &format!("kind={kind}")).await?;
    }
    page.click(AUDIT_CLEAR).await?;

    // By agent: every listed row is theirs, and no event of their turns is missing.
    page.choose(AUDIT_AGENT, "engineer").await?;
    let of_turns = count(&of_engineer);
    ensure!(of_turns > 8, "only {of_turns} events of the Engineer's turns");
    page.wait_for("the address to say so", "location.search.includes('agent=engineer')", &[]).await?;
    let listed_now = listed(page).await?;
    ensure!(listed_now >= of_turns && listed_now < all.len(), "{listed_now} of {of_turns} of their turns");
    for row in page.texts(AUDIT_ROW).await? {
        ensure!(!row.contains("Architect") && !row.contains("Critic"), "of another agent: {row}");
    }
    page.choose(AUDIT_KIND, "TurnClosed").await?;
    lists(page, count(&|event| event["kind"] == "TurnClosed" && of_engineer(event)), "agent=engineer")
        .await?;
    page.click(AUDIT_CLEAR).await?;

    // By text, in any case, encoded as JSON; no match lists nothing.
    for text in ["BUILD the lighthouse.", "beacon.txt", "said \"nowhere\""] {
        page.fill(AUDIT_TEXT, text).await?;
        let needle = Value::from(text).to_string().trim_matches('"').to_lowercase();
        let holding = count(&|event| {
            let mut event = event.clone();
            if let Some(fields) = event.as_object_mut() {
                fields.remove("topic");
            }
            event.to_string().to_lowercase().contains(&needle)
        });
        ensure!((holding > 0) != text.contains("nowhere"), "{holding} events contain {text:?}");
        lists(page, holding, "text=").await?;
    }
    page.click(AUDIT_CLEAR).await?;
    lists(page, all.len(), "").await
}

/// Waits until exactly this many events are listed and the URL contains the query.
async fn lists(page: &Page, count: usize, query: &str) -> Result<()> {
    let is_all = "((count, wanted, query) => count.dataset.done === 'true' && location.search.includes(query)
            && parseInt(count.textContent.replaceAll(/[^0-9 ]/g, ''), 10) === wanted)
        (document.querySelector('[data-testid=audit-count]'), arguments[0], arguments[1])";
    page.wait_for(&format!("{count} events for {query:?}"), is_all, &[json!(count), json!(query)]).await
}

/// The filtered list is exported as JSON lines, complete except keys.
async fn export(fixture: &mut Fixture) -> Result<()> {
    fixture.page.choose(AUDIT_AGENT, "critic").await?;
    fixture.page.see(AUDIT_ROW).await?;
    let count = listed(&fixture.page).await?;
    ensure!(count > 3, "only {count}");
    fixture.page.download_to().await?;
    fixture.page.click(AUDIT_EXPORT).await?;
    let text = fixture.page.downloaded("jsonl").await?;
    ensure!(!text.contains(KEY), "the key is in the export");
    let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    ensure!(lines.len() == count, "{} lines of {count}", lines.len());
    let stored = app::events(&fixture.page).await?;
    for line in &lines {
        let mut same =
            stored.iter().filter(|event| event["stream"] == line["stream"] && event["seq"] == line["seq"]);
        let same = same.next().context("a line that is no event")?;
        ensure!(same["data"] == line["data"] && same["kind"] == line["kind"], "{line} is not {same}");
    }
    Ok(())
}

/// New events appear in the open audit, and items of the feed link to it.
async fn live(fixture: &mut Fixture) -> Result<()> {
    let gate = Gate::new();
    fixture.provider.queue_for("Critic", Answer::new().text("One,").hold(&gate).text(" two.").finish("STOP"));
    app::send_to(&fixture.page, "critic", "Count.").await?;
    fixture.page.see_text(answers_of("critic").inner(MESSAGE_TEXT), "One,").await?;
    let page = &fixture.page;
    open_audit(page).await?;
    let newest = kinds(page).await?;
    ensure!(newest.first().map(String::as_str) == Some("ResponseBegan"), "{newest:?}");
    let before = listed(page).await?;
    gate.open();
    page.wait_for(
        "the end of the run",
        "document.querySelector('[data-testid=audit-row]')?.dataset.kind === 'RunEnded'",
        &[],
    )
    .await?;
    ensure!(listed(page).await? > before);

    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await?;
    page.click(ACTIVITY_OPEN).await?;
    page.click(ACTIVITY_LINK).await?;
    page.see_text(AUDIT_JSON, "TurnClosed").await?;
    page.see(AUDIT_ROW.with("aria-selected", "true").with("data-kind", "TurnClosed")).await
}

/// Twenty thousand events are read, scrolled and filtered without blocking, and few rows are rendered. The index of a
/// hundred thousand is tested natively, in `view::audit`.
pub(crate) async fn large(fixture: &mut Fixture) -> Result<()> {
    const MANY: usize = 20_000;
    app::set_up(fixture).await?;
    let made = r#"
        const database = await new Promise((resolve, reject) => {
            const request = indexedDB.open("nexus");
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const all = await new Promise(resolve => {
            database.transaction("events").objectStore("events").getAll().onsuccess = e => resolve(e.target.result);
        });
        const last = all.filter(each => each.stream !== "app").at(-1);
        const [many] = arguments;
        for (let from = 0; from < many; from += 10000) {
            const transaction = database.transaction("events", "readwrite", { durability: "relaxed" });
            const events = transaction.objectStore("events");
            for (let i = from; i < from + 10000 && i < many; i += 1) {
                const seq = last.seq + 1 + i;
                const text = `Made event number ${i}` + (i % 1000 === 7 ? " with a needle" : "");
                const kind = i % 4 === 0 ? "CriticalError" : "Notice";
                events.add({ v: 1, stream: last.stream, seq, at: last.at + 1 + i, kind, data: { text },
                    topic: "ui.events" }, [last.stream, seq]);
            }
            await new Promise((resolve, reject) => {
                transaction.oncomplete = resolve;
                transaction.onabort = () => reject(transaction.error);
            });
        }
        database.close();
        return last.seq;"#;
    fixture.page.eval_async(made, &[json!(MANY)]).await?;
    let home = fixture.site.url("/audit/");
    let start = Instant::now();
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(AUDIT_ROW).await?;
    let first = start.elapsed();
    let watched = "window.longest = 0;
        new PerformanceObserver(list => {
            for (const each of list.getEntries()) window.longest = Math.max(window.longest, each.duration);
        }).observe({ entryTypes: ['longtask'] });";
    page.eval(watched, &[]).await?;
    // The list can be scrolled while it is read.
    let scroll = r#"
        const list = document.querySelector('[data-testid=audit-list]');
        const times = [];
        for (let i = 0; i < 40; i += 1) {
            list.scrollTop = list.scrollHeight * (i % 20) / 20;
            const start = performance.now();
            await new Promise(requestAnimationFrame);
            times.push(performance.now() - start);
        }
        times.sort((a, b) => a - b);
        return times[Math.floor(times.length * 0.95)];"#;
    let frame_reading = page.eval_async(scroll, &[]).await?;
    let until = Instant::now() + Duration::from_secs(60);
    while page.attributes(AUDIT_COUNT, "data-done").await? != ["true"] {
        ensure!(Instant::now() < until, "it still reads: {:?}", page.text(AUDIT_COUNT).await?);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let read = start.elapsed();
    ensure!(listed(page).await? >= MANY);
    let frame = page.eval_async(scroll, &[]).await?;
    let longest = page.eval("return window.longest", &[]).await?;
    let rows = page.count(AUDIT_ROW).await?;
    ensure!(rows < 80, "{rows} rows are drawn");

    // The middle shows the events of the middle with their texts.
    page.eval("const list = document.querySelector('[data-testid=audit-list]'); list.scrollTop = list.scrollHeight / 2", &[])
        .await?;
    page.wait_for(
        "the words of the middle",
        "[...document.querySelectorAll('[data-testid=audit-row]')].some(row => /Made event number (9|10)\\d{3}/.test(row.textContent))",
        &[],
    )
    .await?;

    let start = Instant::now();
    page.choose(AUDIT_KIND, "CriticalError").await?;
    page.wait_for(
        "the filter",
        "document.querySelector('[data-testid=audit-count]').textContent.startsWith('5,000 of ')",
        &[],
    )
    .await?;
    let filtered = start.elapsed();
    page.click(AUDIT_CLEAR).await?;
    let start = Instant::now();
    page.fill(AUDIT_TEXT, "With A Needle").await?;
    let until = Instant::now() + Duration::from_secs(60);
    while !page.text(AUDIT_COUNT).await?.starts_with("20 of ") {
        ensure!(Instant::now() < until, "it still searches: {:?}", page.text(AUDIT_COUNT).await?);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!(
        "      first rows {first:?}, all read {read:?}, filtered {filtered:?}, searched {:?}, 95th frame {frame_reading} ms \
         while reading and {frame} ms after, longest task {longest} ms",
        start.elapsed()
    );
    Ok(())
}

/// A retried turn with a tool call: request, response and usage, and no key anywhere.
pub(crate) async fn inspector(fixture: &mut Fixture) -> Result<()> {
    app::set_up_by_first_start(fixture).await?;
    fixture.provider.queue_for("Engineer", Reply::rate_limited("1s"));
    fixture.provider.queue_for("Engineer", app::writing("beacon.txt", "A lighthouse\n"));
    fixture.provider.queue_for("Engineer", Answer::say("It stands."));
    app::ask(&fixture.page, "engineer", "Build the lighthouse.", "It stands.").await?;
    let page = &fixture.page;
    page.click_last(INSPECT_TURN).await?;
    page.see_count(INSPECT_CALL, 2).await?;
    page.see_text(INSPECT_HEAD, "Engineer").await?;
    let first = INSPECT_CALL.with("data-call", "1");
    page.see(first.clone().inner(INSPECT_TRY).with("data-attempt", "1").with("data-state", "failed")).await?;
    page.see(first.clone().inner(INSPECT_TRY).with("data-attempt", "2").with("data-state", "answered"))
        .await?;
    page.see_text(INSPECT_FAILURE, "Too many requests").await?;
    page.see_text(first.clone().inner(INSPECT_TRY).with("data-attempt", "2"), "after a wait of 1").await?;
    // Each rebuilt request equals what was sent.
    page.see_count(INSPECT_AGREES.with("data-agrees", "yes"), 3).await?;
    page.see_text(INSPECT_CONTEXT, "Earlier turn of Critic").await?;
    for figure in ["first-token", "took", "tokens-in", "tokens-out"] {
        let selector = INSPECT_CALL.with("data-call", "2").inner(INSPECT_FIGURE).with("data-figure", figure);
        let shown_text = page.text(selector).await?;
        ensure!(shown_text.chars().any(|each| each.is_ascii_digit()), "{figure}: {shown_text:?}");
    }
    let unfold = "for (const each of document.querySelectorAll('.inspect-fold')) each.open = true";
    page.eval(unfold, &[]).await?;
    page.see_text(INSPECT_REQUEST, "You are Engineer,").await?;
    page.see_text(INSPECT_REQUEST, "x-goog-api-key: $API_KEY").await?;
    let answer = INSPECT_CALL.with("data-call", "2").inner(INSPECT_RESPONSE);
    // The raw response, in chunks.
    page.see_text(answer, "\"stands.\"").await?;
    page.see_text(first.inner(INSPECT_RESPONSE), "429").await?;

    // Copied as sent, and as a curl command with a placeholder for the key.
    let listen =
        "window.copied = []; navigator.clipboard.writeText = text => (copied.push(text), Promise.resolve())";
    page.eval(listen, &[]).await?;
    page.click_last(INSPECT_BODY).await?;
    page.click_last(INSPECT_CURL).await?;
    page.wait_for("both to be copied", "window.copied.length === 2", &[]).await?;
    let copied = page.eval("return window.copied", &[]).await?;
    let body: Value = serde_json::from_str(copied.get(0).and_then(Value::as_str).unwrap_or_default())?;
    let sent = fixture.provider.requests_of("Engineer");
    ensure!(
        sent.len() == 3 && sent.last().is_some_and(|sent| sent.body == body),
        "that was not sent: {body}"
    );
    let command = copied.get(1).and_then(Value::as_str).unwrap_or_default();
    ensure!(command.starts_with("curl -N -X POST 'http") && command.contains("$API_KEY"), "{command}");
    let text = page.visible_text().await?;
    ensure!(!text.contains(KEY) && !copied.to_string().contains(KEY), "the key is in the inspector");
    ensure!(!page.database().await?.to_string().contains(KEY), "the key is in the database");
    ensure!(page.rows("raw").await?.len() == 6, "{:?}", page.rows("raw").await?.len());

    // A link leads to the events of the run.
    let inspected = page.address().await?;
    page.click(INSPECT_RUN).await?;
    all_read(page).await?;
    ensure!(kinds(page).await?.first().map(String::as_str) == Some("MessageCommitted"));

    // With retention off, stored responses are deleted.
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    app::enter(&fixture.page, RAW_DAYS, "0").await?;
    let until = Instant::now() + Duration::from_secs(10);
    while !fixture.page.rows("raw").await?.is_empty() {
        ensure!(Instant::now() < until, "answers are still stored");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let inspected = fixture.site.url(&inspected);
    fixture.page.goto(&inspected).await?;
    fixture.page.see_text(INSPECT_NO_RESPONSE, "are not kept").await?;
    fixture.page.see_count(INSPECT_AGREES.with("data-agrees", "unknown"), 3).await
}

/// A database with the first layout gets the new store, and keeps its data.
pub(crate) async fn older_layout(fixture: &mut Fixture) -> Result<()> {
    let nowhere = fixture.site.url("/no-such-page");
    fixture.page.goto(&nowhere).await?;
    let made = r#"
        const database = await new Promise((resolve, reject) => {
            const request = indexedDB.open("nexus", 1);
            request.onupgradeneeded = () => {
                const events = request.result.createObjectStore("events");
                events.createIndex("topic", "topic");
                events.createIndex("run", "run");
                for (const name of ["sessions", "turns", "threads", "compactions", "tool_runs", "runs", "minds", "blobs",
                    "memories", "agents", "providers", "settings", "queue", "drafts", "partials", "secrets"]) {
                    request.result.createObjectStore(name);
                }
                request.result.createObjectStore("messages").createIndex("place", ["session", "sequence"]);
            };
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const transaction = database.transaction(["settings"], "readwrite");
        transaction.objectStore("settings").put("kept", "of-the-first-layout");
        await new Promise(resolve => { transaction.oncomplete = resolve; });
        database.close();"#;
    fixture.page.eval_async(made, &[]).await?;
    app::set_up_by_first_start(fixture).await?;
    ensure!(fixture.page.rows("raw").await?.len() == 3);
    ensure!(fixture.page.rows("settings").await?.contains(&json!("kept")));
    Ok(())
}
