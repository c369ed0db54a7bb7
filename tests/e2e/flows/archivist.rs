//! Flows for the Archivist: automatic and manual compaction, session summaries, memories.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::flows::keyboard;
use crate::parts::*;
use crate::provider::{Answer, Refusal, Reply};
use crate::stage::Stage;
use crate::team;

const SUMMARY: &str = "The operator wants it blue; a.txt is done.";

/// Sets the Architect's context window in tokens.
async fn small_window(stage: &Stage, window: &str) -> Result<()> {
    let page = &stage.page;
    team::open_settings(page).await?;
    let field = AGENT_SETTINGS.with("data-agent", "architect").inner(AGENT_CONTEXT);
    let unfold = "document.querySelector(arguments[0]).closest('details')?.setAttribute('open', '')";
    page.wait_for("the field", "document.querySelector(arguments[0])", &[json!(field.as_str())]).await?;
    page.eval(unfold, &[json!(field.as_str())]).await?;
    app::enter(page, field, window).await?;
    team::leave_settings(page).await
}

/// A question to the Architect with a long answer.
async fn exchange(stage: &Stage, number: usize) -> Result<()> {
    let answer = format!("Answer {number}. {}", "so many words ".repeat(280));
    stage.provider.queue_for("Architect", Answer::new().text(&answer));
    app::say_to(&stage.page, "architect", &format!("Question {number}, please.")).await?;
    stage.page.see_words(answers_of("architect"), &format!("Answer {number}.")).await?;
    app::idle(&stage.page).await
}

fn last_prompt(stage: &Stage) -> Result<String> {
    Ok(stage.provider.requests_of("Architect").last().context("no request")?.all_text())
}

/// A window that fills over several turns, and one that fills within a turn.
pub(crate) async fn compaction(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    by_threshold(stage).await?;
    app::afresh(stage).await?;
    in_a_turn(stage).await
}

/// With a small window, older turns are summarised before the next call: the provider receives the summary instead,
/// the screen keeps the whole history, and a reload changes nothing.
async fn by_threshold(stage: &mut Stage) -> Result<()> {
    small_window(stage, "9000").await?;
    stage.provider.queue_for_archivist(Answer::say(SUMMARY));
    let mut number = 0;
    while stage.page.count(COMPACTION).await? == 0 {
        number += 1;
        ensure!(number < 12, "the window never filled");
        exchange(stage, number).await?;
    }
    stage.page.see(COMPACTION.with("data-state", "done")).await?;
    let text = last_prompt(stage)?;
    ensure!(text.contains(SUMMARY), "the summary is not in the request: {text}");
    ensure!(text.contains(&format!("Question {number}, please.")), "the question was cut: {text}");
    ensure!(text.contains(&format!("Answer {}.", number - 1)), "a recent turn is missing: {text}");
    ensure!(!text.contains("Answer 1."), "a summarised turn is still sent: {text}");
    let prompt = stage.provider.requests_of_archivist().pop().context("no compaction")?.all_text();
    ensure!(prompt.contains("Answer 1.") && prompt.contains("Architect is ready."), "{prompt}");
    // The whole history stays above the mark.
    stage.page.see_words(answers_of("architect"), "Answer 1.").await?;
    stage.page.see_words(COMPACTION, "the context was nearly full").await?;
    stage.page.click(COMPACTION).await?;
    stage.page.see_words(COMPACTION_SUMMARY, SUMMARY).await?;
    stage.page.see(AGENT_CARD.with("data-agent", "architect").inner(GAUGE)).await?;

    stage.page.reload().await?;
    stage.page.see(COMPACTION.with("data-state", "done")).await?;
    exchange(stage, number + 1).await?;
    let text = last_prompt(stage)?;
    ensure!(text.contains(SUMMARY) && !text.contains("Answer 1."), "after the reload: {text}");
    ensure!(text.contains(&format!("Answer {number}.")), "a later turn is missing: {text}");
    Ok(())
}

/// Manual compaction by keyboard from the gauge, with a focus; a failed one shows its error, and the conversation
/// continues.
pub(crate) async fn by_hand(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let gauge = AGENT_CARD.with("data-agent", "architect").inner(GAUGE);
    let panel = AGENT_CARD.with("data-agent", "architect");
    let compact = async |stage: &Stage, focus: &str| -> Result<()> {
        let field = panel.clone().inner(COMPACT_FOCUS);
        if stage.page.count(field.clone()).await? == 0 {
            stage.page.see(gauge.clone()).await?;
            keyboard::enter(&stage.page, gauge.clone()).await?;
            stage.page.see(field.clone()).await?;
            stage.page.press(Key::Tab).await?;
        } else {
            keyboard::reach_selector(&stage.page, &field).await?;
        }
        stage.page.has_focus("compact-focus").await?;
        stage.page.press(focus.to_owned()).await?;
        stage.page.press(Key::Enter).await
    };
    // Three turns are always kept.
    compact(stage, "colours").await?;
    stage.page.see_words(panel.clone().inner(GAUGE_REFUSED), "Nothing to compact").await?;
    for number in 1..=2 {
        exchange(stage, number).await?;
    }
    stage.provider.queue_for_archivist(Reply::error(&Refusal {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "No summaries today.".to_owned(),
        details: Vec::new(),
    }));
    compact(stage, "").await?;
    stage.page.see(COMPACTION.with("data-state", "failed")).await?;
    keyboard::enter(&stage.page, Selector::css(&format!("{} summary", Selector::from(COMPACTION)))).await?;
    stage.page.see_words(COMPACTION, "No summaries today.").await?;

    stage.provider.queue_for_archivist(Answer::say(SUMMARY));
    compact(stage, "the colours").await?;
    stage.page.see(COMPACTION.with("data-state", "done")).await?;
    let prompt = stage.provider.requests_of_archivist().pop().context("no compaction")?.all_text();
    ensure!(prompt.contains("the colours"), "the focus is missing: {prompt}");
    exchange(stage, 3).await?;
    let text = last_prompt(stage)?;
    ensure!(text.contains(SUMMARY) && !text.contains("Architect is ready."), "{text}");
    stage.provider.take_refusals();
    Ok(())
}

/// The Architect writes a file with this many lines.
async fn long_file(stage: &Stage, name: &str, lines: usize) -> Result<()> {
    let content = format!("{name} begins\n{}{name} ends\n", "a line of words that fills\n".repeat(lines));
    let write = Answer::new().call("write_file", json!({ "name": name, "content": content }));
    stage.provider.queue_for("Architect", write);
    stage.provider.queue_for("Architect", Answer::say(&format!("{name} is written.")));
    app::say_to(&stage.page, "architect", &format!("Write {name}, please.")).await?;
    stage.page.see_words(answers_of("architect"), &format!("{name} is written.")).await?;
    app::idle(&stage.page).await
}

/// Tool rounds of one turn fill the window: older turns are summarised between two calls, and if that is not enough,
/// older tool results are truncated. The newest is complete, and the inspector shows all of it.
async fn in_a_turn(stage: &mut Stage) -> Result<()> {
    small_window(stage, "28000").await?;
    for name in ["a.txt", "b.txt", "c.txt"] {
        long_file(stage, name, 560).await?;
    }
    // The newest turns are kept, so the long ones are summarised.
    for number in 1..=3 {
        exchange(stage, number).await?;
    }
    ensure!(stage.page.count(COMPACTION).await? == 0, "it was full before");
    stage.provider.queue_for_archivist(Answer::say(SUMMARY));
    for name in ["a.txt", "b.txt", "a.txt", "c.txt"] {
        stage.provider.queue_for("Architect", Answer::new().call("read_file", json!({ "name": name })));
    }
    stage.provider.queue_for("Architect", Answer::say("All of it is read."));
    app::say_to(&stage.page, "architect", "Read all of it, please.").await?;
    stage.page.see_words(answers_of("architect"), "All of it is read.").await?;
    app::idle(&stage.page).await?;
    let text = last_prompt(stage)?;
    ensure!(text.contains(SUMMARY), "the summary is not in the last request of the turn: {text}");
    ensure!(text.contains("Read all of it, please."), "the question was cut: {text}");
    let last = stage.provider.requests_of("Architect").pop().context("no request")?;
    let results: Vec<String> = last.tool_results().iter().map(ToString::to_string).collect();
    let newest = results.last().context("no result")?;
    ensure!(newest.contains("c.txt begins") && newest.contains("c.txt ends"), "the newest is not whole");
    ensure!(last.body.to_string().contains("given_in_short"), "nothing is in short: {results:?}");
    stage.page.see(COMPACTION.with("data-state", "done")).await?;
    ensure!(stage.page.count(COMPACTION).await? == 1, "more than one");

    stage.page.click_last(INSPECT_TURN).await?;
    stage.page.see_words(INSPECT_IN_SHORT, "shortened").await?;
    stage.page.see_words(INSPECT_CONTEXT, "Summary of older turns").await?;
    let wrong = stage.page.count(INSPECT_AGREES.with("data-agrees", "no")).await?;
    ensure!(wrong == 0, "a request was built otherwise than it was sent");
    let unfold =
        "for (const each of document.querySelectorAll('.inspect-left-out .inspect-fold')) each.open = true";
    stage.page.eval(unfold, &[]).await?;
    stage.page.see_words(INSPECT_LEFT_OUT, "a.txt ends").await
}

/// Each Archivist job is listed with its result, and opens in inspector and audit. An answer that is no JSON is
/// reported and overwrites nothing. The jobs' session is in no list.
pub(crate) async fn runs(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    // On a slow machine the session is summarised before the question, and again after it.
    for _ in 0..4 {
        stage.provider.queue_for_archivist(Answer::say("I made a note of all that."));
    }
    app::let_remember(&stage.page).await?;
    stage.provider.queue_for("Critic", Answer::say("Nothing to add."));
    app::say_to(&stage.page, "critic", "Anything else?").await?;
    stage.page.see_words(answers_of("critic"), "Nothing to add.").await?;
    stage.page.click(FACE_MEMORIES).await?;
    let failed = PASS.with("data-state", "failed");
    stage.page.see(failed.clone().with("data-kind", "summary")).await?;
    stage.page.see(failed.clone().with("data-kind", "memory")).await?;
    stage.page.see_words(failed.inner(PASS_FAILURE), "The answer is not JSON.").await?;
    stage.page.see_words(CHORE_FAILED, "The answer is not JSON.").await?;
    ensure!(stage.page.count(SESSION_TITLE).await? == 0, "something was made of it");
    ensure!(app::sessions(&stage.page).await?.len() == 1, "the list shows the session of the runs");

    stage.provider.begin_anew();
    let whole =
        json!({"title": "A page", "summary": "Ada wants a page.", "keywords": ["page"], "memories": []});
    for _ in 0..2 {
        stage.provider.queue_for_archivist(Answer::say(&whole.to_string()));
    }
    exchange(stage, 1).await?;
    stage.page.see_words(SESSION_TITLE, "A page").await?;
    let done = PASS.with("data-kind", "summary").with("data-state", "done");
    stage.page.see_words(done.clone(), "done").await?;
    stage.page.click(done.clone().inner(PASS_INSPECT)).await?;
    stage.page.see_words(INSPECT_HEAD, "Archivist").await?;
    stage.page.see(INSPECT_AGREES.with("data-agrees", "yes")).await?;
    stage
        .page
        .eval("for (const each of document.querySelectorAll('.inspect-fold')) each.open = true", &[])
        .await?;
    stage.page.see_words(INSPECT_REQUEST, "Anything else?").await?;
    // The raw response, in chunks.
    stage.page.see_words(INSPECT_RESPONSE, "wants ").await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.click(FACE_MEMORIES).await?;
    stage.page.click(done.inner(PASS_AUDIT)).await?;
    stage.page.see_words(AUDIT_ROW, "for a summary of the session").await
}

/// Session summary and memories: created after a run, sent with the next request, changed, pinned, deleted and
/// restored by the operator, and kept over a reload.
pub(crate) async fn remembers(stage: &mut Stage) -> Result<()> {
    const FACT: &str = "Ada prefers tabs over spaces.";
    app::set_up(stage).await?;
    let answer = json!({
        "title": "A page that greets",
        "summary": "Ada wants a page that greets the reader.",
        "keywords": ["page", "greeting"],
        "memories": [{"content": FACT, "importance": 4, "message": 1}],
    });
    // One is the summary, the other the memories, in either order.
    for _ in 0..2 {
        stage.provider.queue_for_archivist(Answer::say(&answer.to_string()));
    }
    app::let_remember(&stage.page).await?;
    stage.provider.queue_for("Critic", Answer::say("Nothing to add."));
    app::say_to(&stage.page, "critic", "Anything else?").await?;
    stage.page.see_words(answers_of("critic"), "Nothing to add.").await?;
    stage.page.click(FACE_MEMORIES).await?;
    stage.page.see_words(SESSION_SUMMARY, "Ada wants a page that greets the reader.").await?;
    stage.page.see_words(SESSION_TITLE, "A page that greets").await?;
    stage.page.see(MEMORY).await?;
    let shows = "document.querySelector(arguments[0])?.value === arguments[1]";
    let content = Selector::from(MEMORY_CONTENT);
    stage.page.wait_for("the fact", shows, &[json!(content.as_str()), json!(FACT)]).await?;
    stage.page.fill(MEMORY_SEARCH, "spaces").await?;
    stage.page.see_words(MEMORY_COUNT, "1 memory").await?;
    stage.page.fill(MEMORY_SEARCH, "nothing like it").await?;
    stage.page.hidden(MEMORY).await?;
    stage.page.fill(MEMORY_SEARCH, "").await?;
    stage.page.see(MEMORY).await?;

    let ask = async |stage: &Stage, text: &str| -> Result<String> {
        stage.provider.queue_for("Architect", Answer::say(&format!("Heard: {text}")));
        app::say_to(&stage.page, "architect", text).await?;
        stage.page.see_words(answers_of("architect"), &format!("Heard: {text}")).await?;
        app::idle(&stage.page).await?;
        last_prompt(stage)
    };
    let shown_text = ask(stage, "one").await?;
    ensure!(
        shown_text.contains("<memories>") && shown_text.contains(FACT),
        "it is not in the request: {shown_text}"
    );
    stage.page.click_last(INSPECT_TURN).await?;
    stage.page.see_words(INSPECT_CONTEXT, "1 memory").await?;
    let unfold =
        "for (const each of document.querySelectorAll('.inspect-context .inspect-fold')) each.open = true";
    stage.page.eval(unfold, &[]).await?;
    stage.page.see_words(INSPECT_CONTEXT, FACT).await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.click(FACE_MEMORIES).await?;
    stage.page.see(MEMORY).await?;

    app::enter(&stage.page, MEMORY_CONTENT, "Ada prefers four spaces.").await?;
    stage.page.choose(MEMORY_SCOPE, "operator").await?;
    keyboard::enter(&stage.page, MEMORY_PIN).await?;
    stage.page.see(MEMORY.inner(MEMORY_PIN).with("aria-pressed", "true")).await?;
    let shown_text = ask(stage, "two").await?;
    ensure!(
        shown_text.contains("four spaces") && !shown_text.contains(FACT),
        "the change is not in the request: {shown_text}"
    );
    keyboard::enter(&stage.page, MEMORY_DELETE).await?;
    stage.page.see(MEMORY.with("data-here", "false")).await?;
    let shown_text = ask(stage, "three").await?;
    ensure!(!shown_text.contains("four spaces"), "the deleted text was sent: {shown_text}");
    keyboard::enter(&stage.page, MEMORY_RESTORE).await?;
    stage.page.see(MEMORY.with("data-here", "true")).await?;

    stage.page.reload().await?;
    stage.page.click(FACE_MEMORIES).await?;
    stage.page.see_words(SESSION_TITLE, "A page that greets").await?;
    let now = json!("Ada prefers four spaces.");
    stage.page.wait_for("the changed fact", shows, &[json!(content.as_str()), now]).await?;
    keyboard::enter(&stage.page, MEMORY_SOURCE).await?;
    stage.page.wait_for("the message", "document.activeElement?.id.startsWith('message-')", &[]).await
}

/// The Archivist retires one fact and extends another; both changes are shown and undone by keyboard.
pub(crate) async fn changes(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let fact = |content: &str| json!({"content": content, "importance": 4, "message": 1});
    let answer = |memories: Value| {
        let whole =
            json!({"title": "A page", "summary": "Ada wants a page.", "keywords": [], "memories": memories});
        Answer::say(&whole.to_string())
    };
    let exchange = async |stage: &Stage, text: &str| -> Result<()> {
        stage.provider.queue_for("Critic", Answer::say(&format!("Heard: {text}")));
        app::say_to(&stage.page, "critic", text).await?;
        stage.page.see_words(answers_of("critic"), &format!("Heard: {text}")).await?;
        app::idle(&stage.page).await
    };
    // One is the summary, the other the memories, in either order.
    for _ in 0..2 {
        stage
            .provider
            .queue_for_archivist(answer(json!([fact("Ada uses Windows."), fact("Ada likes tea.")])));
    }
    app::let_remember(&stage.page).await?;
    exchange(stage, "one").await?;
    stage.page.click(FACE_MEMORIES).await?;
    stage.page.see_count(MEMORY, 2).await?;
    let ids = stage.page.attributes(MEMORY, "data-memory").await?;
    let short: Vec<&str> = ids.iter().filter_map(|id| id.get(id.len().saturating_sub(8)..)).collect();
    let [first, second] = short[..] else { bail!("two memories, not {ids:?}") };
    let change = json!([{"action": "retire", "id": first, "message": 1}, {"action": "widen", "id": second, "message": 1}]);
    for _ in 0..2 {
        stage.provider.queue_for_archivist(answer(change.clone()));
    }
    exchange(stage, "two").await?;
    exchange(stage, "three").await?;
    stage.page.see_words(MEMORY_REVISION, "Retired by the Archivist").await?;
    stage.page.see_words(MEMORY_REVISION, "visible in all sessions").await?;
    keyboard::enter(&stage.page, MEMORY_UNDO).await?;
    stage.page.see_count(MEMORY_REVISION, 1).await?;
    keyboard::enter(&stage.page, MEMORY_UNDO).await?;
    stage.page.hidden(MEMORY_REVISION).await?;
    stage.page.see_count(MEMORY.with("data-here", "true"), 2).await
}
