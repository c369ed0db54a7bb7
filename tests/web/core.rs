//! Tests of the Core: automatic and manual syncs, answers while the operator writes, failures, undo and proposals; and of
//! the scratchpad that agents write meanwhile.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use nexus_engine::tests::{Scripted, ScriptedChunk, calls, refuses, says};
use nexus_model::event::EventKind;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::{MountedPage, queued};
use crate::replies::{Replies, Sent, writes};

const PLAN: &str = "- [ ] one\n\nnotes\n";

/// Answers of the Core in the order in which it gives them.
#[derive(Clone, Default)]
struct CoreReplies(Rc<RefCell<VecDeque<Scripted>>>);

impl CoreReplies {
    /// Opens a page whose Core will give these answers.
    async fn open() -> (MountedPage, Self) {
        let (page, _) = Replies::open().await;
        let replies = Self::default();
        replies.attach(&page);
        (page, replies)
    }

    fn attach(&self, page: &MountedPage) {
        let queue = Rc::clone(&self.0);
        let script = move |_: &Value| queue.borrow_mut().pop_front().unwrap_or_else(|| says("{}"));
        page.tab.core.borrow_mut().script = Some(Box::new(script));
    }

    fn queue(&self, answer: Scripted) {
        self.0.borrow_mut().push_back(answer);
    }

    /// Queues an answer that arrives after a second.
    fn queue_late(&self, patch: &Value) {
        let mut answer = says(&patch.to_string());
        answer.beats.insert(0, ScriptedChunk::Wait(1_000));
        self.queue(answer);
    }
}

/// Starts a sync by hand.
async fn sync(page: &MountedPage) {
    page.see(CORE).await;
    page.click(CORE_SYNC).await;
}

fn requests(page: &MountedPage) -> usize {
    page.tab.core.borrow().requests.len()
}

/// All texts of the Core's last request.
fn last_prompt(page: &MountedPage) -> String {
    Sent(page.tab.core.borrow().requests.last().unwrap().clone()).text()
}

/// Waits until a field has exactly this text.
async fn reads(page: &MountedPage, field: TestId, text: &str) {
    page.until(&format!("{field:?} to read {text:?}"), || page.texts(field) == [text]).await;
}

#[wasm_bindgen_test]
async fn the_core_syncs_after_enough_changed_lines_and_a_visible_wait() {
    let (page, replies) = Replies::open().await;
    let lines: String = (0..10).map(|number| format!("line {number}\n")).collect();
    replies.queue("Engineer", writes("a.txt", &lines));
    replies.queue("Engineer", says("It is written."));
    page.ask("engineer", "Write a file.", "It is written.").await;
    page.see(CORE.with("data-state", "waiting")).await;
    assert_eq!(requests(&page), 0);
    page.tab.pass(3_000);
    page.see(CORE.with("data-state", "idle")).await;
    assert_eq!(requests(&page), 1);
    let prompt = last_prompt(&page);
    assert!(prompt.contains("line 9") && prompt.contains("It is written."), "{prompt}");

    // The operator's own changes count, too.
    let mut changed = lines.clone();
    for number in 0..3 {
        changed = changed.replace(&format!("line {number}"), &format!("other {number}"));
    }
    page.fill(FILE_EDITOR, &changed).await;
    page.tab.pass(2_500);
    page.see(CORE.with("data-state", "waiting")).await;
    page.tab.pass(3_000);
    page.see(CORE.with("data-state", "idle")).await;
    assert_eq!(requests(&page), 2);
    assert!(last_prompt(&page).contains("other 2"), "the Core saw an old file");
    page.see_text(CORE_VIEWED, "Nothing to change.").await;
    page.see_count(MESSAGE.with("data-role", "system"), 0).await;
}

#[wasm_bindgen_test]
async fn an_answer_that_is_not_json_is_reported_dismissed_and_can_be_retried() {
    let (page, core) = CoreReplies::open().await;
    core.queue(says("I would tick the first item."));
    sync(&page).await;
    page.see_text(CORE_FAILED, "The answer could not be used").await;
    page.see_text(CORE_FAILED, "The answer is not JSON.").await;
    page.see(CORE.with("data-state", "failed")).await;
    page.click(CORE_FAILED_DISMISS).await;
    page.hidden(CORE_FAILED).await;
    // Another failure is shown, even in the same millisecond.
    core.queue(says("Once more without JSON."));
    sync(&page).await;
    page.see(CORE_FAILED).await;

    core.queue(refuses(503, "UNAVAILABLE"));
    core.queue(says(&json!({ "scratchpad": "- [x] all", "reasoning": "At last." }).to_string()));
    page.click(CORE_RETRY).await;
    page.see(CORE.with("data-state", "retrying")).await;
    page.tab.pass(10_000);
    page.see_text(CORE_REASON, "At last.").await;
    page.see_text(SCRATCHPAD, "- [x] all").await;
    page.see(CORE.with("data-state", "idle")).await;
    assert_eq!(requests(&page), 4, "an unrequested call");
}

#[wasm_bindgen_test]
async fn a_stopped_sync_changes_nothing_and_says_so_after_a_reload() {
    let (page, core) = CoreReplies::open().await;
    page.fill(SCRATCHPAD, PLAN).await;
    core.queue_late(&json!({ "scratchpad": "gone", "reasoning": "No." }));
    sync(&page).await;
    page.see(CORE.with("data-state", "syncing")).await;
    page.click(CORE_STOP).await;
    page.see_text(CORE_STATUS, "stopped").await;
    page.tab.pass(2_000);
    reads(&page, SCRATCHPAD, PLAN).await;
    let page = page.reload(Replies::default().script()).await;
    page.see_text(CORE_STATUS, "stopped").await;
    reads(&page, SCRATCHPAD, PLAN).await;
}

#[wasm_bindgen_test]
async fn an_answer_is_merged_with_what_the_operator_writes_meanwhile() {
    const MINE: &str = "- [ ] three, by hand";
    let (page, core) = CoreReplies::open().await;
    let plan = format!("{PLAN}\n- [ ] two\n");
    page.fill(SCRATCHPAD, &plan).await;
    let ticked = plan.replace("[ ] one", "[x] one");
    core.queue_late(&json!({ "scratchpad": ticked, "reasoning": "One is done." }));
    sync(&page).await;
    page.see(CORE.with("data-state", "syncing")).await;
    page.until("the request", || requests(&page) == 1).await;
    page.fill(SCRATCHPAD, &format!("{plan}{MINE}")).await;
    page.tab.pass(1_000);
    page.see_text(CORE_REASON, "One is done.").await;
    reads(&page, SCRATCHPAD, &format!("{ticked}{MINE}")).await;
    assert_eq!(page.focused(), "scratchpad");
    page.see_text(CORE_NOTE, "Changed the scratchpad +1 −1").await;
    page.see_text(MESSAGE.with("data-role", "system"), "One is done.").await;
}

#[wasm_bindgen_test]
async fn a_change_of_the_core_is_shown_and_undone_without_later_edits() {
    let (page, core) = CoreReplies::open().await;
    page.fill(SCRATCHPAD, PLAN).await;
    let done = PLAN.replace("[ ]", "[x]");
    core.queue(says(&json!({ "scratchpad": done, "reasoning": "One is done." }).to_string()));
    sync(&page).await;
    page.see_text(SCRATCHPAD, "- [x] one").await;
    page.click(Selector::css("[data-testid=core-change] summary")).await;
    page.see_text(Selector::css("[data-testid=core-change] [data-change=removed]"), "- [ ] one").await;
    page.see_text(Selector::css("[data-testid=core-change] [data-change=added]"), "- [x] one").await;
    page.fill(SCRATCHPAD, &format!("{done}more, by hand\n")).await;
    page.click(CORE_UNDO).await;
    page.see(CORE_CHANGE.with("data-undone", "true")).await;
    reads(&page, SCRATCHPAD, &format!("{PLAN}more, by hand\n")).await;
    let is_undo = |kind: &EventKind| matches!(kind, EventKind::MindEdited { undoes: Some(_), .. });
    assert!(
        page.tab.events().iter().any(|event| event.known_kind().is_some_and(is_undo)),
        "the ledger does not know"
    );
}

#[wasm_bindgen_test]
async fn the_operators_words_in_the_objective_are_kept() {
    const OWN: &str = "Convert our stops to GeoJSON.";
    let (page, core) = CoreReplies::open().await;
    page.fill(OBJECTIVE_FIELD, OWN).await;
    page.fill(SCRATCHPAD, PLAN).await;
    let reworded = json!({ "objective": "Convert the stops to GeoJSON.", "reasoning": "Clearer." });
    core.queue(says(&reworded.to_string()));
    sync(&page).await;
    page.see_text(CORE_VIEWED, "Your words are kept.").await;
    reads(&page, OBJECTIVE_FIELD, OWN).await;
}

#[wasm_bindgen_test]
async fn a_proposal_waits_to_be_applied_or_dismissed() {
    let (page, core) = CoreReplies::open().await;
    page.fill(SCRATCHPAD, PLAN).await;
    page.open_settings_at(CORE_PROPOSE).await;
    page.click(CORE_PROPOSE).await;
    page.go_back().await;
    let done = PLAN.replace("[ ]", "[x]");
    let ticked = says(&json!({ "scratchpad": done, "reasoning": "One is done." }).to_string());
    core.queue(ticked.clone());
    sync(&page).await;
    page.see_text(CORE_PROPOSAL, "- [x] one").await;
    reads(&page, SCRATCHPAD, PLAN).await;

    let page = page.reload(Replies::default().script()).await;
    core.attach(&page);
    page.see_text(CORE_PROPOSAL, "One is done.").await;
    page.click(CORE_DISMISS).await;
    page.hidden(CORE_PROPOSAL).await;
    core.queue(ticked);
    sync(&page).await;
    page.see(CORE_PROPOSAL).await;
    page.click(CORE_APPLY).await;
    page.hidden(CORE_PROPOSAL).await;
    reads(&page, SCRATCHPAD, &done).await;
    page.click(Selector::css("[data-testid=core-change] summary")).await;
    page.click(CORE_UNDO).await;
    reads(&page, SCRATCHPAD, PLAN).await;
}

/// A page on which an agent and the operator wrote the scratchpad at once.
async fn scratchpad_conflict() -> MountedPage {
    let mut write = calls(&[("update_nexus_state", json!({ "scratchpad": "by the agent\n" }))]);
    write.beats.insert(0, ScriptedChunk::Wait(500));
    let page = MountedPage::open(queued(vec![("Architect", write), ("Architect", says("Written."))])).await;
    page.send_to("architect", "Write the plan.").await;
    page.until("the request", || !page.tab.speakers().is_empty()).await;
    page.fill(SCRATCHPAD, "by me\n").await;
    page.tab.pass(600);
    page.see_text(answers_of("architect"), "Written.").await;
    page.tab.pass(3_000);
    page
}

#[wasm_bindgen_test]
async fn a_conflict_in_the_scratchpad_is_resolved_before_agents_read_it() {
    let page = scratchpad_conflict().await;
    page.see_text(SCRATCHPAD, "<<<<<<< current\nby the agent\n=======\nby me\n>>>>>>> new").await;
    page.see(CONFLICT_KEEP.with("disabled", "")).await;
    page.fill(SCRATCHPAD, "by both\n").await;
    page.click(CONFLICT_KEEP).await;
    page.until("the text to be shared", || page.tab.mind().scratchpad == "by both\n").await;
}

#[wasm_bindgen_test]
async fn what_is_typed_while_a_resolved_conflict_is_stored_stays() {
    let page = scratchpad_conflict().await;
    page.see(CONFLICT_KEEP.with("disabled", "")).await;
    page.fill(SCRATCHPAD, "by both\n").await;
    crate::script(
        "document.querySelector('[data-testid=conflict-keep]').click();
        const area = document.querySelector('textarea[data-testid=scratchpad]');
        area.value = 'by both\\nand more\\n';
        area.dispatchEvent(new Event('input', { bubbles: true }));",
    );
    page.until("the text to be shared", || page.tab.mind().scratchpad == "by both\n").await;
    reads(&page, SCRATCHPAD, "by both\nand more\n").await;
    page.hidden(CONFLICT_KEEP).await;
    page.tab.pass(3_000);
    page.until("the rest to be shared", || page.tab.mind().scratchpad == "by both\nand more\n").await;
}
