//! Flows for an absent operator and for crashes: hidden tabs, titles, crash loops, a killed browser, tab races.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::{keyboard, screenshots};
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::selectors::*;
use crate::site::{BLANK_PAGE, TRAP_SCRIPT, TRAP_WORDS};

async fn titled(page: &Page, words: &str) -> Result<()> {
    let contains = "document.title.toLowerCase().includes(arguments[0])";
    page.wait_for(&format!("the title to say {words:?}"), contains, &[json!(words)]).await
}

/// The plan before the operator left, and the Architect's new one.
const OLD_PLAN: &str = "- [ ] the old plan";
const NEW_PLAN: &str = "- [x] the new plan";

/// A hidden tab continues to work, and its title shows the result. A returning operator finds a line above the new
/// messages and the open recap: the plan before and after, authors, cost, questions. One key undoes the round.
pub(crate) async fn hidden_tab(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    // A local server has no price: the operator sets one of a thousandth of a dollar for each token.
    agent_setup::open_settings(&fixture.page).await?;
    let price = PRICE_ROW.with("data-model", "gemini-3.8-flash");
    app::enter(&fixture.page, price.clone().inner(PRICE_INPUT), "1000").await?;
    app::enter(&fixture.page, price.clone().inner(PRICE_OUTPUT), "1000").await?;
    fixture.page.see(price.with("data-own", "true")).await?;
    agent_setup::leave_settings(&fixture.page).await?;
    fixture.page.fill(SCRATCHPAD, OLD_PLAN).await?;
    let gate = Gate::new();
    let planning = json!({ "objective": "A page that waves", "scratchpad": NEW_PLAN });
    let plan = Answer::new().text("Behind").hold(&gate).text(" the scenes.");
    fixture.provider.queue_for("Architect", plan.call("update_nexus_state", planning));
    fixture.provider.queue_for("Architect", Answer::say("Planned unseen."));
    fixture.provider.queue_for("Engineer", app::writing("hidden.txt", "written unseen\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Done unseen."));
    fixture.provider.queue_for("Critic", Answer::say("Seen by nobody.\nShall it sing?"));
    app::send_to(&fixture.page, "ALL", "Work.").await?;
    fixture.page.see_text(answers_of("architect"), "Behind").await?;
    titled(&fixture.page, "working").await?;
    ensure!(fixture.page.count(UNREAD_LINE).await? == 0, "a line before anybody left");
    let watch = "window.__wasHidden = document.hidden;
        addEventListener('visibilitychange', () => { window.__wasHidden ||= document.hidden; });
        new MutationObserver(() => localStorage.setItem('flow-title', document.title.toLowerCase()))
            .observe(document.head, { subtree: true, childList: true, characterData: true });";
    fixture.page.eval(watch, &[]).await?;
    let first = fixture.page.tab().await?;
    let blank = fixture.site.url(BLANK_PAGE);
    let second = fixture.page.open_tab(&blank).await?;
    gate.open();
    fixture.until("all calls", |fixture| fixture.provider.requests().len() == 5).await?;
    fixture
        .until("their ends", |fixture| {
            let whole = crate::provider::Ending::Whole;
            fixture.provider.requests().iter().all(|request| request.ending == whole)
        })
        .await?;
    // From the front tab: a check in the hidden tab would show it.
    let finished = "localStorage.getItem('flow-title')?.includes('finished')";
    fixture.page.wait_for("the title of the tab behind to say that it finished", finished, &[]).await?;
    fixture.page.close_tab(&first).await?;
    drop(second);
    let page = &fixture.page;
    ensure!(page.eval("return window.__wasHidden", &[]).await? == true, "the tab was never hidden");
    page.see_text(answers_of("critic"), "Seen by nobody.").await?;
    app::idle(page).await?;
    page.see_text(FILE_EDITOR, "written unseen").await?;

    // The line is above the first new message, once.
    page.see_count(UNREAD_LINE, 1).await?;
    let around = "const line = document.querySelector(arguments[0]);
        const all = [...document.querySelectorAll(arguments[1])];
        const follows = one => Boolean(line.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
        const text = one => one?.textContent ?? '';
        return [text(all.filter(one => !follows(one)).at(-1)), text(all.find(follows))]";
    let selectors =
        [Selector::from(UNREAD_LINE), Selector::from(MESSAGE)].map(|selector| json!(selector.as_str()));
    let (above, below): (String, String) = serde_json::from_value(page.eval(around, &selectors).await?)?;
    ensure!(
        above.contains("Behind the scenes.") && below.contains("Planned unseen."),
        "{above:?} | {below:?}"
    );

    // The recap opens without a model call.
    page.see(CATCH_UP).await?;
    let text = page.text(CATCH_UP).await?;
    for words in [
        "Objective by Architect",
        "Scratchpad by Architect",
        "hidden.txt by Engineer",
        "Critic: Shall it sing?",
        "3 turns",
    ] {
        ensure!(text.contains(words), "{words:?} is missing in {text:?}");
    }
    let summary = page.text(CATCH_UP_SUMMARY).await?;
    let tokens = summary.split_once("5 model calls, ").and_then(|(_, rest)| rest.split_once(" tokens"));
    let tokens: f64 = tokens.context("no tokens")?.0.parse()?;
    let cost = format!("${:.2}", tokens / 1_000.0);
    ensure!(tokens > 500.0 && summary.contains(&cost), "it cost {cost}: {summary:?}");
    page.click(Selector::css(&format!("{} summary", Selector::from(CATCH_UP_PLAN)))).await?;
    let plan = page.text(CATCH_UP_PLAN).await?;
    for words in [app::OBJECTIVE, "A page that waves", OLD_PLAN, NEW_PLAN] {
        ensure!(plan.contains(words), "{words:?} is missing in the plan before and after: {plan:?}");
    }
    page.see_text(OBJECTIVE_FIELD, "A page that waves").await?;
    page.see_text(SCRATCHPAD, NEW_PLAN).await?;

    // A click on the card enables its key.
    page.click(Selector::css(&format!("{} h3", Selector::from(CATCH_UP)))).await?;
    page.press("u").await?;
    page.see_text(NOTICE, "Round undone").await?;
    page.see_text(OBJECTIVE_FIELD, app::OBJECTIVE).await?;
    page.see_text(SCRATCHPAD, OLD_PLAN).await?;
    page.see_count(FILE_TAB, 0).await?;
    page.hidden(CATCH_UP_UNDO).await?;
    page.click(NOTICE_UNDO).await?;
    page.see_text(OBJECTIVE_FIELD, "A page that waves").await?;
    page.see_count(FILE_TAB, 1).await?;
    ensure!(fixture.provider.requests().len() == 5, "the recap called a model");

    // Sending a message marks everything as read.
    fixture.provider.queue_for("Critic", Answer::say("Welcome back."));
    app::send_to(&fixture.page, "critic", "I am back.").await?;
    fixture.page.see_text(answers_of("critic"), "Welcome back.").await?;
    fixture.page.see_count(UNREAD_LINE, 0).await?;
    app::idle(&fixture.page).await
}

/// After three crashes in a row the recovery screen offers the safe mode: a new session, with everything old kept.
pub(crate) async fn safe_mode(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.expect_fault(TRAP_WORDS);
    for crash in 1..=3 {
        fixture.page.see(WAR_ROOM).await?;
        fixture.page.eval_async("await import(arguments[0])", &[TRAP_SCRIPT.into()]).await?;
        fixture.page.see(RECOVERY).await?;
        if crash < 3 {
            fixture.page.click(RECOVERY_RELOAD).await?;
        }
    }
    let first = "return document.querySelector('#recovery button').id";
    ensure!(fixture.page.eval(first, &[]).await? == "recovery-safe", "the safe mode is not offered first");
    fixture.page.click(RECOVERY_SAFE).await?;
    fixture.page.see(WAR_ROOM).await?;
    let address = fixture.page.address().await?;
    ensure!(address.contains("safe=1"), "the safe mode is at {address}");
    ensure!(fixture.page.count(MESSAGE).await? == 0, "the session that crashed is in view");
    let requests = fixture.provider.requests().len();
    ensure!(requests == 0, "a request was sent without the operator");

    fixture.page.see(BANNER.with("data-kind", "safe-mode")).await?;
    let open = app::session(&fixture.page).await?;
    // The next start in safe mode shows the same session, since nothing has happened in it.
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    ensure!(app::session(&fixture.page).await? == open, "each start in safe mode creates a session");
    let old = app::sessions(&fixture.page).await?.into_iter().find(|id| *id != open).unwrap_or_default();
    app::open_session(&fixture.page, &old).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await
}

/// The browser is killed in mid-stream. On the same profile the stored text is there, and the run waits for the
/// operator.
pub(crate) async fn browser_killed(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.provider.queue_for("Engineer", app::writing("kept.txt", "kept\n"));
    fixture.provider.queue_for("Engineer", Answer::new().text("Half an ans").hold(&Gate::new()));
    app::send_to(&fixture.page, "engineer", "Answer at length.").await?;
    fixture.page.see_text(answers_of("engineer"), "Half an ans").await?;
    fixture.page.stored("partials", "Half an ans").await?;
    // Acknowledged writes are on disk; waiting longer would prove nothing more.
    fixture.kill_browser().await?;
    fixture.restart_browser().await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    app::ended(&fixture.page, "engineer", "failed", Some("interrupted")).await?;
    fixture.page.see_text(answers_of("engineer").inner(MESSAGE_TEXT), "Half an ans").await?;
    fixture.page.see_text(TIMELINE, "Answer at length.").await?;
    fixture.page.see_text(FILE_EDITOR, "kept").await?;
    ensure!(fixture.provider.requests().len() == 2, "a request was sent without the operator");
    fixture.provider.queue_for("Engineer", Answer::say("And the rest."));
    fixture.page.click(RESUME).await?;
    fixture.page.see_text(answers_of("engineer"), "And the rest.").await?;
    app::idle(&fixture.page).await?;
    let prompt = fixture.provider.requests().pop().map(|request| request.all_text()).unwrap_or_default();
    ensure!(prompt.contains("Half an ans"), "the partial answer is not in the history");
    Ok(())
}

/// A tab takes over while the other one streams an answer: received and typed text are kept, and the other tab
/// follows.
pub(crate) async fn take_over(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let home = fixture.site.url("/");
    let first = fixture.page.tab().await?;
    fixture.provider.queue_for("Engineer", Answer::new().text("Half an ans").hold(&Gate::new()));
    app::send_to(&fixture.page, "engineer", "Answer at length.").await?;
    fixture.page.see_text(answers_of("engineer"), "Half an ans").await?;
    fixture.page.fill(COMPOSER, "typed in the first").await?;
    fixture.page.stored("drafts", "typed in the first").await?;
    let second = fixture.page.open_tab(&home).await?;
    fixture.page.see(BANNER.with("data-kind", "read-only")).await?;
    screenshots::moment(&fixture.page, "tab-read-only").await?;
    keyboard::enter(&fixture.page, WORK_HERE).await?;
    fixture.page.hidden(BANNER.with("data-kind", "read-only")).await?;
    app::ended(&fixture.page, "engineer", "failed", Some("interrupted")).await?;
    fixture.page.see_text(answers_of("engineer").inner(MESSAGE_TEXT), "Half an ans").await?;
    fixture.page.see_text(COMPOSER, "typed in the first").await?;
    fixture.page.switch_to(&first).await?;
    fixture.page.see(BANNER.with("data-kind", "read-only")).await?;
    fixture.page.switch_to(&second).await?;
    fixture.provider.queue_for("Engineer", Answer::say("And the rest."));
    keyboard::enter(&fixture.page, RESUME).await?;
    for tab in [&second, &first] {
        fixture.page.switch_to(tab).await?;
        fixture.page.see_text(answers_of("engineer"), "And the rest.").await?;
    }
    ensure!(fixture.provider.requests().len() == 2, "both tabs sent a request");
    Ok(())
}

/// Two tabs open the same session at the same time: one works, the other is read-only, and both show the same.
pub(crate) async fn racing_tabs(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let (blank, home) = (fixture.site.url(BLANK_PAGE), fixture.site.url("/"));
    let first = fixture.page.tab().await?;
    fixture.page.goto(&blank).await?;
    let second = fixture.page.open_tab(&blank).await?;
    let race = "const until = arguments[0]; const home = arguments[1];
        setTimeout(() => location.assign(home), Math.max(0, until - Date.now()));";
    let now = fixture.page.eval("return Date.now()", &[]).await?.as_f64().unwrap_or_default();
    for tab in [&first, &second] {
        fixture.page.switch_to(tab).await?;
        fixture.page.eval(race, &[json!(now + 1500.0), json!(home)]).await?;
    }
    let send = Selector::from(SEND);
    let mut writers = Vec::new();
    for tab in [&first, &second] {
        fixture.page.switch_to(tab).await?;
        fixture.page.see(WAR_ROOM).await?;
        fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    }
    // The lock is decided once both have started.
    let read_only = BANNER.with("data-kind", "read-only");
    for tab in [&first, &second] {
        fixture.page.switch_to(tab).await?;
        let disabled = "return document.querySelector(arguments[0]).disabled";
        let disabled = fixture.page.eval(disabled, &[json!(send.as_str())]).await?;
        let banners = fixture.page.count(read_only.clone()).await?;
        ensure!((banners == 1) == (disabled == true), "a tab shows the wrong lock state");
        if banners == 0 {
            writers.push(tab.clone());
        }
    }
    let [writer] = writers.as_slice() else { bail!("{} tabs work in one session", writers.len()) };
    fixture.page.switch_to(writer).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Once."));
    app::send_to(&fixture.page, "engineer", "Who is it?").await?;
    for tab in [&first, &second] {
        fixture.page.switch_to(tab).await?;
        fixture.page.see_text(answers_of("engineer"), "Once.").await?;
    }
    ensure!(fixture.provider.requests().len() == 1, "both tabs sent a request");
    // No stream position is missing or written twice.
    let mut places: Vec<(String, u64)> = app::events(&fixture.page)
        .await?
        .iter()
        .map(|event| {
            let place = event.get("seq").and_then(Value::as_u64).unwrap_or(u64::MAX);
            (event.get("stream").map(Value::to_string).unwrap_or_default(), place)
        })
        .collect();
    places.sort();
    let pairs = places.iter().zip(places.iter().skip(1));
    let gap = pairs.into_iter().find(|(one, next)| one.0 == next.0 && one.1.checked_add(1) != Some(next.1));
    ensure!(gap.is_none(), "a stream has a gap or a double: {gap:?}");
    Ok(())
}
