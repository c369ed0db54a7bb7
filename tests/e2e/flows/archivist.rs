//! Flows for the Archivist: automatic and manual compaction, session summaries, memories.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::keyboard;
use crate::provider::{Answer, ApiError, Reply};
use crate::selectors::*;

const SUMMARY: &str = "The operator wants it blue; a.txt is done.";

/// Sets the Architect's context window in tokens.
async fn small_window(fixture: &Fixture, window: &str) -> Result<()> {
    let page = &fixture.page;
    agent_setup::open_settings(page).await?;
    let field = AGENT_SETTINGS.with("data-agent", "architect").inner(AGENT_CONTEXT);
    let unfold = "document.querySelector(arguments[0]).closest('details')?.setAttribute('open', '')";
    page.wait_for("the field", "document.querySelector(arguments[0])", &[json!(field.as_str())]).await?;
    page.eval(unfold, &[json!(field.as_str())]).await?;
    app::enter(page, field, window).await?;
    agent_setup::leave_settings(page).await
}

/// A question to the Architect with a long answer.
async fn exchange(fixture: &Fixture, number: usize) -> Result<()> {
    let answer = format!("Answer {number}. {}", "so many words ".repeat(280));
    fixture.provider.queue_for("Architect", Answer::new().text(&answer));
    app::send_to(&fixture.page, "architect", &format!("Question {number}, please.")).await?;
    fixture.page.see_text(answers_of("architect"), &format!("Answer {number}.")).await?;
    app::idle(&fixture.page).await
}

fn last_prompt(fixture: &Fixture) -> Result<String> {
    Ok(fixture.provider.requests_of("Architect").last().context("no request")?.all_text())
}

/// A window that fills over several turns, and one that fills within a turn.
pub(crate) async fn automatic_compaction(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    by_threshold(fixture).await?;
    app::start_over(fixture).await?;
    in_a_turn(fixture).await
}

/// With a small window, older turns are summarised before the next call: the provider receives the summary instead,
/// the screen keeps the whole history, and a reload changes nothing.
async fn by_threshold(fixture: &mut Fixture) -> Result<()> {
    small_window(fixture, "9000").await?;
    fixture.provider.queue_for_archivist(Answer::say(SUMMARY));
    let mut number = 0;
    while fixture.page.count(COMPACTION).await? == 0 {
        number += 1;
        ensure!(number < 12, "the window never filled");
        exchange(fixture, number).await?;
    }
    fixture.page.see(COMPACTION.with("data-state", "done")).await?;
    let text = last_prompt(fixture)?;
    ensure!(text.contains(SUMMARY), "the summary is not in the request: {text}");
    ensure!(text.contains(&format!("Question {number}, please.")), "the question was cut: {text}");
    ensure!(text.contains(&format!("Answer {}.", number - 1)), "a recent turn is missing: {text}");
    ensure!(!text.contains("Answer 1."), "a summarised turn is still sent: {text}");
    let prompt = fixture.provider.requests_of_archivist().pop().context("no compaction")?.all_text();
    ensure!(prompt.contains("Answer 1.") && prompt.contains("Architect is ready."), "{prompt}");
    // The whole history stays above the mark.
    fixture.page.see_text(answers_of("architect"), "Answer 1.").await?;
    fixture.page.see_text(COMPACTION, "the context was nearly full").await?;
    fixture.page.click(COMPACTION).await?;
    fixture.page.see_text(COMPACTION_SUMMARY, SUMMARY).await?;
    fixture.page.see(AGENT_CARD.with("data-agent", "architect").inner(GAUGE)).await?;

    fixture.page.reload().await?;
    fixture.page.see(COMPACTION.with("data-state", "done")).await?;
    exchange(fixture, number + 1).await?;
    let text = last_prompt(fixture)?;
    ensure!(text.contains(SUMMARY) && !text.contains("Answer 1."), "after the reload: {text}");
    ensure!(text.contains(&format!("Answer {number}.")), "a later turn is missing: {text}");
    Ok(())
}

/// Manual compaction by keyboard from the gauge, with a focus; a failed one shows its error, and the conversation
/// continues.
pub(crate) async fn manual_compaction(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let gauge = AGENT_CARD.with("data-agent", "architect").inner(GAUGE);
    let panel = AGENT_CARD.with("data-agent", "architect");
    let compact = async |fixture: &Fixture, focus: &str| -> Result<()> {
        let field = panel.clone().inner(COMPACT_FOCUS);
        if fixture.page.count(field.clone()).await? == 0 {
            fixture.page.see(gauge.clone()).await?;
            keyboard::enter(&fixture.page, gauge.clone()).await?;
            fixture.page.see(field.clone()).await?;
            fixture.page.press(Key::Tab).await?;
        } else {
            keyboard::reach_selector(&fixture.page, &field).await?;
        }
        fixture.page.has_focus("compact-focus").await?;
        fixture.page.press(focus.to_owned()).await?;
        fixture.page.press(Key::Enter).await
    };
    // Three turns are always kept.
    compact(fixture, "colours").await?;
    fixture.page.see_text(panel.clone().inner(GAUGE_ERROR), "Nothing to compact").await?;
    for number in 1..=2 {
        exchange(fixture, number).await?;
    }
    fixture.provider.queue_for_archivist(Reply::error(&ApiError {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "No summaries today.".to_owned(),
        details: Vec::new(),
    }));
    compact(fixture, "").await?;
    fixture.page.see(COMPACTION.with("data-state", "failed")).await?;
    keyboard::enter(&fixture.page, Selector::css(&format!("{} summary", Selector::from(COMPACTION)))).await?;
    fixture.page.see_text(COMPACTION, "No summaries today.").await?;

    fixture.provider.queue_for_archivist(Answer::say(SUMMARY));
    compact(fixture, "the colours").await?;
    fixture.page.see(COMPACTION.with("data-state", "done")).await?;
    let prompt = fixture.provider.requests_of_archivist().pop().context("no compaction")?.all_text();
    ensure!(prompt.contains("the colours"), "the focus is missing: {prompt}");
    exchange(fixture, 3).await?;
    let text = last_prompt(fixture)?;
    ensure!(text.contains(SUMMARY) && !text.contains("Architect is ready."), "{text}");
    fixture.provider.take_errors();
    Ok(())
}

/// The Architect writes a file with this many lines.
async fn long_file(fixture: &Fixture, name: &str, lines: usize) -> Result<()> {
    let content = format!("{name} begins\n{}{name} ends\n", "a line of words that fills\n".repeat(lines));
    let write = Answer::new().call("write_file", json!({ "name": name, "content": content }));
    fixture.provider.queue_for("Architect", write);
    fixture.provider.queue_for("Architect", Answer::say(&format!("{name} is written.")));
    app::send_to(&fixture.page, "architect", &format!("Write {name}, please.")).await?;
    fixture.page.see_text(answers_of("architect"), &format!("{name} is written.")).await?;
    app::idle(&fixture.page).await
}

/// Tool rounds of one turn fill the window: older turns are summarised between two calls, and if that is not enough,
/// older tool results are truncated. The newest is complete, and the inspector shows all of it.
async fn in_a_turn(fixture: &mut Fixture) -> Result<()> {
    small_window(fixture, "28000").await?;
    for name in ["a.txt", "b.txt", "c.txt"] {
        long_file(fixture, name, 560).await?;
    }
    // The newest turns are kept, so the long ones are summarised.
    for number in 1..=3 {
        exchange(fixture, number).await?;
    }
    ensure!(fixture.page.count(COMPACTION).await? == 0, "it was full before");
    fixture.provider.queue_for_archivist(Answer::say(SUMMARY));
    for name in ["a.txt", "b.txt", "a.txt", "c.txt"] {
        fixture.provider.queue_for("Architect", Answer::new().call("read_file", json!({ "name": name })));
    }
    fixture.provider.queue_for("Architect", Answer::say("All of it is read."));
    app::ask(&fixture.page, "architect", "Read all of it, please.", "All of it is read.").await?;
    let text = last_prompt(fixture)?;
    ensure!(text.contains(SUMMARY), "the summary is not in the last request of the turn: {text}");
    ensure!(text.contains("Read all of it, please."), "the question was cut: {text}");
    let last = fixture.provider.requests_of("Architect").pop().context("no request")?;
    let results: Vec<String> = last.tool_results().iter().map(ToString::to_string).collect();
    let newest = results.last().context("no result")?;
    ensure!(newest.contains("c.txt begins") && newest.contains("c.txt ends"), "the newest is not whole");
    ensure!(last.body.to_string().contains("given_in_short"), "nothing is in short: {results:?}");
    fixture.page.see(COMPACTION.with("data-state", "done")).await?;
    ensure!(fixture.page.count(COMPACTION).await? == 1, "more than one");

    fixture.page.click_last(INSPECT_TURN).await?;
    fixture.page.see_text(INSPECT_SUMMARY, "shortened").await?;
    fixture.page.see_text(INSPECT_CONTEXT, "Summary of older turns").await?;
    let wrong = fixture.page.count(INSPECT_AGREES.with("data-agrees", "no")).await?;
    ensure!(wrong == 0, "a request was built otherwise than it was sent");
    let unfold =
        "for (const each of document.querySelectorAll('.inspect-left-out .inspect-fold')) each.open = true";
    fixture.page.eval(unfold, &[]).await?;
    fixture.page.see_text(INSPECT_LEFT_OUT, "a.txt ends").await
}

/// Each Archivist job is listed with its result, and opens in inspector and audit. An answer that is no JSON is
/// reported and overwrites nothing. The jobs' session is in no list.
pub(crate) async fn jobs(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    // On a slow machine the session is summarised before the question, and again after it.
    for _ in 0..4 {
        fixture.provider.queue_for_archivist(Answer::say("I made a note of all that."));
    }
    app::enable_archivist(&fixture.page).await?;
    fixture.provider.queue_for("Critic", Answer::say("Nothing to add."));
    app::send_to(&fixture.page, "critic", "Anything else?").await?;
    fixture.page.see_text(answers_of("critic"), "Nothing to add.").await?;
    fixture.page.click(FACE_MEMORIES).await?;
    let failed = PASS.with("data-state", "failed");
    fixture.page.see(failed.clone().with("data-kind", "summary")).await?;
    fixture.page.see(failed.clone().with("data-kind", "memory")).await?;
    fixture.page.see_text(failed.inner(PASS_FAILURE), "The answer is not JSON.").await?;
    fixture.page.see_text(CHORE_FAILED, "The answer is not JSON.").await?;
    ensure!(fixture.page.count(SESSION_TITLE).await? == 0, "something was made of it");
    ensure!(app::sessions(&fixture.page).await?.len() == 1, "the list shows the session of the runs");

    fixture.provider.reset();
    let whole =
        json!({"title": "A page", "summary": "Ada wants a page.", "keywords": ["page"], "memories": []});
    for _ in 0..2 {
        fixture.provider.queue_for_archivist(Answer::say(&whole.to_string()));
    }
    exchange(fixture, 1).await?;
    fixture.page.see_text(SESSION_TITLE, "A page").await?;
    let done = PASS.with("data-kind", "summary").with("data-state", "done");
    fixture.page.see_text(done.clone(), "done").await?;
    fixture.page.click(done.clone().inner(PASS_INSPECT)).await?;
    fixture.page.see_text(INSPECT_HEAD, "Archivist").await?;
    fixture.page.see(INSPECT_AGREES.with("data-agrees", "yes")).await?;
    fixture
        .page
        .eval("for (const each of document.querySelectorAll('.inspect-fold')) each.open = true", &[])
        .await?;
    fixture.page.see_text(INSPECT_REQUEST, "Anything else?").await?;
    // The raw response, in chunks.
    fixture.page.see_text(INSPECT_RESPONSE, "wants ").await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.click(FACE_MEMORIES).await?;
    fixture.page.click(done.inner(PASS_AUDIT)).await?;
    fixture.page.see_text(AUDIT_ROW, "for a summary of the session").await
}

/// Session summary and memories: created after a run, sent with the next request, changed, pinned, deleted and
/// restored by the operator, and kept over a reload.
pub(crate) async fn memories(fixture: &mut Fixture) -> Result<()> {
    const FACT: &str = "Ada prefers tabs over spaces.";
    app::set_up(fixture).await?;
    let answer = json!({
        "title": "A page that greets",
        "summary": "Ada wants a page that greets the reader.",
        "keywords": ["page", "greeting"],
        "memories": [{"content": FACT, "importance": 4, "message": 1}],
    });
    // One is the summary, the other the memories, in either order.
    for _ in 0..2 {
        fixture.provider.queue_for_archivist(Answer::say(&answer.to_string()));
    }
    app::enable_archivist(&fixture.page).await?;
    fixture.provider.queue_for("Critic", Answer::say("Nothing to add."));
    app::send_to(&fixture.page, "critic", "Anything else?").await?;
    fixture.page.see_text(answers_of("critic"), "Nothing to add.").await?;
    fixture.page.click(FACE_MEMORIES).await?;
    fixture.page.see_text(SESSION_SUMMARY, "Ada wants a page that greets the reader.").await?;
    fixture.page.see_text(SESSION_TITLE, "A page that greets").await?;
    fixture.page.see(MEMORY).await?;
    let shows = "document.querySelector(arguments[0])?.value === arguments[1]";
    let content = Selector::from(MEMORY_CONTENT);
    fixture.page.wait_for("the fact", shows, &[json!(content.as_str()), json!(FACT)]).await?;
    fixture.page.fill(MEMORY_SEARCH, "spaces").await?;
    fixture.page.see_text(MEMORY_COUNT, "1 memory").await?;
    fixture.page.fill(MEMORY_SEARCH, "nothing like it").await?;
    fixture.page.hidden(MEMORY).await?;
    fixture.page.fill(MEMORY_SEARCH, "").await?;
    fixture.page.see(MEMORY).await?;

    let ask = async |fixture: &Fixture, text: &str| -> Result<String> {
        fixture.provider.queue_for("Architect", Answer::say(&format!("Heard: {text}")));
        app::send_to(&fixture.page, "architect", text).await?;
        fixture.page.see_text(answers_of("architect"), &format!("Heard: {text}")).await?;
        app::idle(&fixture.page).await?;
        last_prompt(fixture)
    };
    let shown_text = ask(fixture, "one").await?;
    ensure!(
        shown_text.contains("<memories>") && shown_text.contains(FACT),
        "it is not in the request: {shown_text}"
    );
    fixture.page.click_last(INSPECT_TURN).await?;
    fixture.page.see_text(INSPECT_CONTEXT, "1 memory").await?;
    let unfold =
        "for (const each of document.querySelectorAll('.inspect-context .inspect-fold')) each.open = true";
    fixture.page.eval(unfold, &[]).await?;
    fixture.page.see_text(INSPECT_CONTEXT, FACT).await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.click(FACE_MEMORIES).await?;
    fixture.page.see(MEMORY).await?;

    app::enter(&fixture.page, MEMORY_CONTENT, "Ada prefers four spaces.").await?;
    fixture.page.choose(MEMORY_SCOPE, "operator").await?;
    keyboard::enter(&fixture.page, MEMORY_PIN).await?;
    fixture.page.see(MEMORY.inner(MEMORY_PIN).with("aria-pressed", "true")).await?;
    let shown_text = ask(fixture, "two").await?;
    ensure!(
        shown_text.contains("four spaces") && !shown_text.contains(FACT),
        "the change is not in the request: {shown_text}"
    );
    keyboard::enter(&fixture.page, MEMORY_DELETE).await?;
    fixture.page.see(MEMORY.with("data-here", "false")).await?;
    let shown_text = ask(fixture, "three").await?;
    ensure!(!shown_text.contains("four spaces"), "the deleted text was sent: {shown_text}");
    keyboard::enter(&fixture.page, MEMORY_RESTORE).await?;
    fixture.page.see(MEMORY.with("data-here", "true")).await?;

    fixture.page.reload().await?;
    fixture.page.click(FACE_MEMORIES).await?;
    fixture.page.see_text(SESSION_TITLE, "A page that greets").await?;
    let now = json!("Ada prefers four spaces.");
    fixture.page.wait_for("the changed fact", shows, &[json!(content.as_str()), now]).await?;
    keyboard::enter(&fixture.page, MEMORY_SOURCE).await?;
    fixture.page.wait_for("the message", "document.activeElement?.id.startsWith('message-')", &[]).await
}

/// The Archivist retires one fact and extends another; both changes are shown and undone by keyboard.
pub(crate) async fn memory_changes(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let fact = |content: &str| json!({"content": content, "importance": 4, "message": 1});
    let answer = |memories: Value| {
        let whole =
            json!({"title": "A page", "summary": "Ada wants a page.", "keywords": [], "memories": memories});
        Answer::say(&whole.to_string())
    };
    let exchange = async |fixture: &Fixture, text: &str| -> Result<()> {
        fixture.provider.queue_for("Critic", Answer::say(&format!("Heard: {text}")));
        app::send_to(&fixture.page, "critic", text).await?;
        fixture.page.see_text(answers_of("critic"), &format!("Heard: {text}")).await?;
        app::idle(&fixture.page).await
    };
    // One is the summary, the other the memories, in either order.
    for _ in 0..2 {
        fixture
            .provider
            .queue_for_archivist(answer(json!([fact("Ada uses Windows."), fact("Ada likes tea.")])));
    }
    app::enable_archivist(&fixture.page).await?;
    exchange(fixture, "one").await?;
    fixture.page.click(FACE_MEMORIES).await?;
    fixture.page.see_count(MEMORY, 2).await?;
    let ids = fixture.page.attributes(MEMORY, "data-memory").await?;
    let short: Vec<&str> = ids.iter().filter_map(|id| id.get(id.len().saturating_sub(8)..)).collect();
    let [first, second] = short[..] else { bail!("two memories, not {ids:?}") };
    let change = json!([{"action": "retire", "id": first, "message": 1}, {"action": "widen", "id": second, "message": 1}]);
    for _ in 0..2 {
        fixture.provider.queue_for_archivist(answer(change.clone()));
    }
    exchange(fixture, "two").await?;
    exchange(fixture, "three").await?;
    fixture.page.see_text(MEMORY_REVISION, "Retired by the Archivist").await?;
    fixture.page.see_text(MEMORY_REVISION, "visible in all sessions").await?;
    keyboard::enter(&fixture.page, MEMORY_UNDO).await?;
    fixture.page.see_count(MEMORY_REVISION, 1).await?;
    keyboard::enter(&fixture.page, MEMORY_UNDO).await?;
    fixture.page.hidden(MEMORY_REVISION).await?;
    fixture.page.see_count(MEMORY.with("data-here", "true"), 2).await
}
