//! Flows for the Core's merge proposals: requested, rejected, edited, accepted; nothing merges unconfirmed.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::branches::act;
use crate::flows::keyboard::{drafted_merge, in_the_dialog, palette, reach};
use crate::flows::screenshots;
use crate::provider::Answer;
use crate::selectors::*;

/// Takes a screenshot if they are enabled.
async fn picture(fixture: &Fixture, name: &str) -> Result<()> {
    screenshots::moment(&fixture.page, &format!("merging-{name}")).await
}

/// By keyboard: the merge dialog is closed and reopened; a useless answer is rejected with a reason, the next one is
/// shown as a proposal, edited, accepted and merged.
pub(crate) async fn by_core(fixture: &mut Fixture) -> Result<()> {
    drafted_merge(fixture).await?;
    let page = &fixture.page;
    in_the_dialog(page).await?;
    let events = app::events(page).await?;
    let marked = json!({"proposals": [{"clash": 1, "text": "<<<<<<< ours\nOURS\n", "why": "both"}]});
    fixture.provider.queue_for_core(Answer::say(&marked.to_string()));
    reach(page, MERGE_ASK).await?;
    page.press(Key::Enter).await?;
    page.see_text(MERGE_CORE_FAILED, "conflict markers").await?;
    picture(fixture, "refused").await?;

    let proposed = json!({"proposals": [{"clash": 1, "text": "OURS AND THEIRS\n", "why": "It keeps both."}]});
    fixture.provider.queue_for_core(Answer::say(&proposed.to_string()));
    reach(page, MERGE_ASK).await?;
    page.press(Key::Enter).await?;
    page.see_text(MERGE_WHY, "It keeps both.").await?;
    page.see_text(MERGE_LINES, "OURS AND THEIRS").await?;
    page.see_text(MERGE_CORE, "1 proposal").await?;
    page.see_text(MERGE_CORE, "tokens").await?;
    ensure!(page.count(MERGE_GO.with("disabled", "")).await? == 1, "it can be merged before approval");
    let prompt = fixture.provider.requests_of_core().pop().context("no request of the Core")?.all_text();
    for expected in ["<ours>\nOURS\n", "<theirs>\nTHEIRS\n", "<base>\ntwo\n", "beacon.txt", "Write it."] {
        ensure!(prompt.contains(expected), "{expected:?} is missing: {prompt}");
    }
    let now = app::events(page).await?;
    let count =
        |all: &[serde_json::Value], kind: &str| all.iter().filter(|event| event["kind"] == kind).count();
    let kinds = |kind: &str| count(&now, kind) - count(&events, kind);
    let about = |kind: &str, pointer: &str| {
        now.iter().filter(|event| event["kind"] == kind && event.pointer(pointer).is_some()).count()
    };
    let (prompt, answered) = (about("JobOpened", "/data/task/merge"), about("JobDone", "/data/result/merge"));
    ensure!((prompt, answered) == (2, 1), "the ledger does not know");
    ensure!(kinds("HeadMoved") == 0 && kinds("MindEdited") == 0, "asking changed something");

    reach(page, MERGE_LINES).await?;
    page.press(Key::Control + "a").await?;
    page.press("OURS, SNAPSHOT THEIRS").await?;
    reach(page, MERGE_TAKE).await?;
    page.press(Key::Space).await?;
    page.see(MERGE_PROPOSAL.with("data-taken", "true")).await?;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await?;
    picture(fixture, "taken").await?;
    // Closed and reopened: the proposal is kept, and counts only once it is accepted.
    page.press(Key::Escape).await?;
    page.hidden(MERGE).await?;
    page.has_focus("tree-merge").await?;
    page.press(Key::Enter).await?;
    page.see_text(MERGE_LINES, "OURS AND THEIRS").await?;
    page.see(MERGE_PROPOSAL.with("data-taken", "false")).await?;
    reach(page, MERGE_TAKE).await?;
    page.press(Key::Enter).await?;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await?;
    reach(page, MERGE_GO).await?;
    page.press(Key::Enter).await?;
    page.hidden(MERGE).await?;
    page.see_text(TREE_SPOKEN, "You").await?;
    let has_focus = "document.activeElement !== document.body && document.activeElement != null";
    page.wait_for("the focus to stay", has_focus, &[]).await?;
    palette(page, "war room").await?;
    page.see_text(FILE_EDITOR, "OURS AND THEIRS").await?;
    // The other branch's changes are shown as Markdown.
    let item = Selector::css("[data-role=system] [data-testid=message-text] li");
    page.see_text(item, "the operator asked: Write it.").await?;
    // No agent made the merge: it can be forked from, but not regenerated.
    act(page, "the operator asked: Write it.").await?;
    page.see(TURN_CONTINUE).await?;
    ensure!(page.count(TURN_AGAIN).await? == 0, "a merge is offered to be regenerated");
    page.press(Key::Escape).await?;
    page.hidden(TURN_MENU).await?;
    page.see_text(CORE.inner(CORE_USAGE), "calls").await
}
