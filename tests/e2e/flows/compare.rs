//! Flows for reviewing changes: by hunk, by round, and in summary.
//!
//! Reverted text is checked in the editor, and sent-back changes in the request that the provider received.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::files::stored;
use crate::flows::{palette, screenshots};
use crate::provider::Answer;
use crate::selectors::*;

const FILE: &str = "poem.txt";

/// Forty numbered lines, some of them changed.
fn lines(others: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        others
            .iter()
            .find(|(other, _)| *other == number)
            .map_or_else(|| format!("line {number}"), |(_, text)| (*text).to_owned())
    };
    (1..=40).map(|number| line(number) + "\n").collect()
}

fn write(text: &str) -> Answer {
    Answer::new().call("write_file", json!({ "name": FILE, "content": text }))
}

/// Two runs in the current session: the Engineer wrote a file, which was accepted, then changed its lines 2, 10 and 30.
async fn two_runs(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", write(&lines(&[])));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::ask(&fixture.page, "engineer", "Write.", "Written.").await?;
    fixture.page.click(CHANGES_ACCEPT).await?;
    fixture.page.hidden(CHANGES_SUMMARY).await?;
    let changed = lines(&[(2, "line two"), (10, "line ten"), (30, "line thirty")]);
    fixture.provider.queue_for("Engineer", write(&changed));
    fixture.provider.queue_for("Engineer", Answer::say("Changed. Is it better?"));
    app::send_to(&fixture.page, "engineer", "Change it.").await?;
    fixture.page.see_text(answers_of("engineer"), "Changed.").await?;
    app::idle(&fixture.page).await
}

async fn compare(fixture: &Fixture) -> Result<()> {
    fixture.page.click(FACE_COMPARE).await?;
    fixture.page.see(COMPARE_LIST).await
}

/// Text of the file in the editor.
async fn text(fixture: &Fixture) -> Result<String> {
    fixture.page.click(FACE_EDIT).await?;
    let text = fixture.page.text(FILE_EDITOR).await?;
    fixture.page.click(FACE_COMPARE).await?;
    fixture.page.see(COMPARE_LIST).await?;
    Ok(text)
}

/// Two runs compared: bases, mouse, keyboard, sending back, undo, and on a phone, each in a session.
pub(crate) async fn hunks(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    bases(fixture).await?;
    app::start_over(fixture).await?;
    undo(fixture).await?;
    app::start_over(fixture).await?;
    by_mouse(fixture).await?;
    app::start_over(fixture).await?;
    by_keyboard(fixture).await?;
    app::start_over(fixture).await?;
    sent_back(fixture).await?;
    app::start_over(fixture).await?;
    narrow(fixture).await
}

/// Against the last review and against each turn; each hunk names its author and links to its turn.
async fn bases(fixture: &mut Fixture) -> Result<()> {
    two_runs(fixture).await?;
    compare(fixture).await?;
    fixture.page.see_count(HUNK, 3).await?;
    let shown = fixture.page.text(COMPARE_LIST).await?;
    ensure!(shown.contains("line thirty") && shown.contains("Engineer"), "the list shows {shown:?}");
    ensure!(fixture.page.count(COMPARE_FOLD).await? >= 1, "nothing is folded");
    let marked = "[...document.querySelectorAll('[data-testid=compare-list] mark')].some(each => each.textContent === 'two')";
    fixture.page.wait_for("the changed word to be marked", marked, &[]).await?;
    let folded = fixture.page.text(COMPARE_LIST).await?.len();
    fixture.page.click(COMPARE_FOLD).await?;
    fixture.page.see_text(COMPARE_LIST, "line 20").await?;
    ensure!(fixture.page.text(COMPARE_LIST).await?.len() > folded, "nothing was unfolded");

    // Against the last turn nothing differs; against the one before it all three do; before that there was no file.
    let options = fixture.page.eval(
        "return [...document.querySelectorAll('[data-testid=compare-base] option')].map(each => [each.value, each.textContent])",
        &[],
    ).await?;
    let turns: Vec<String> = options
        .as_array()
        .context("no options")?
        .iter()
        .filter(|option| option[1].as_str().is_some_and(|text| text.starts_with("after ")))
        .filter_map(|option| option[0].as_str().map(str::to_owned))
        .collect();
    ensure!(turns.len() == 5, "the turns on offer are {options}");
    let [last, before, first, ..] = turns.as_slice() else { bail!("too few turns") };
    fixture.page.choose(COMPARE_BASE, last).await?;
    fixture.page.see_text(COMPARE, "No differences").await?;
    fixture.page.choose(COMPARE_BASE, before).await?;
    fixture.page.see_text(COMPARE, "3 changes").await?;
    fixture.page.choose(COMPARE_BASE, first).await?;
    fixture.page.see_count(HUNK, 1).await?;
    fixture.page.see_text(COMPARE_FIELD, "new").await?;
    fixture.page.click(HUNK_TURN).await?;
    let led = "document.activeElement?.dataset.testid === 'message' && document.activeElement.dataset.agent === 'engineer'";
    fixture.page.wait_for("the turn to be led to", led, &[]).await
}

/// Accepting reviews a hunk without changing the text; reverting restores the old lines; both survive a reload.
async fn by_mouse(fixture: &mut Fixture) -> Result<()> {
    two_runs(fixture).await?;
    let before = reviews(fixture).await?;
    compare(fixture).await?;
    fixture.page.see_count(HUNK, 3).await?;
    fixture.page.click(HUNK_ACCEPT).await?;
    fixture.page.see_count(HUNK, 2).await?;
    fixture.page.has_focus("compare-list").await?;
    fixture.page.click(HUNK_REVERT).await?;
    fixture.page.see_count(HUNK, 1).await?;
    let expected = lines(&[(2, "line two"), (30, "line thirty")]);
    let text_now = text(fixture).await?;
    ensure!(text_now == expected, "the file contains {text_now:?}");

    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    compare(fixture).await?;
    fixture.page.see_count(HUNK, 1).await?;
    fixture.page.see_text(COMPARE_LIST, "line thirty").await?;
    // Against the start of the run the accepted one is shown as reviewed.
    fixture.page.choose(COMPARE_BASE, "run").await?;
    fixture.page.see_count(HUNK, 2).await?;
    fixture.page.see_count(HUNK.with("data-reviewed", "true"), 1).await?;
    fixture.page.click(REVERT_FILE).await?;
    fixture.page.see_text(COMPARE, "No differences").await?;
    let text_now = text(fixture).await?;
    ensure!(text_now == lines(&[]), "the file contains {text_now:?}");
    let reviewed = reviews(fixture).await? - before;
    ensure!(reviewed == 1, "{reviewed} events of the review");
    fixture.page.choose(COMPARE_BASE, "review").await
}

/// The number of reviews in the event log.
async fn reviews(fixture: &Fixture) -> Result<usize> {
    let events = app::events(&fixture.page).await?;
    Ok(events.iter().filter(|event| event["kind"] == "ChangesReviewed").count())
}

/// The same by keyboard.
async fn by_keyboard(fixture: &mut Fixture) -> Result<()> {
    two_runs(fixture).await?;
    compare(fixture).await?;
    fixture.page.see_count(HUNK, 3).await?;
    fixture.page.eval("document.querySelector('[data-testid=compare-list]').focus()", &[]).await?;
    fixture.page.press("j").await?;
    fixture.page.press("j").await?;
    let at = "[...document.querySelectorAll('[data-testid=hunk]')].findIndex(each => each.dataset.at === 'true') === arguments[0]";
    fixture.page.wait_for("the second hunk to be marked", at, &[json!(1)]).await?;
    fixture.page.press("k").await?;
    fixture.page.wait_for("the first hunk to be marked", at, &[json!(0)]).await?;
    fixture.page.press("a").await?;
    fixture.page.see_count(HUNK, 2).await?;
    // A decision moves to the next hunk.
    fixture.page.wait_for("the next hunk to be marked", at, &[json!(0)]).await?;
    fixture.page.press("r").await?;
    fixture.page.see_count(HUNK, 1).await?;
    fixture.page.press("x").await?;
    fixture.page.see(SEND_BACK_FORM).await?;
    fixture.page.press("x").await?;
    fixture.page.hidden(SEND_BACK_FORM).await?;
    let expected = lines(&[(2, "line two"), (30, "line thirty")]);
    let text_now = text(fixture).await?;
    ensure!(text_now == expected, "the file contains {text_now:?}");
    // Keys with modifiers belong to the browser.
    fixture.page.eval("document.querySelector('[data-testid=compare-list]').focus()", &[]).await?;
    fixture.page.press(Key::Control + "a").await?;
    fixture.page.see_count(HUNK, 1).await
}

/// Two columns, against the last sync, and whole files: accepted and reverted by button and key. The result is read
/// from the store.
pub(crate) async fn whole_files(fixture: &mut Fixture) -> Result<()> {
    const OTHER: &str = "notes.txt";
    let both = |poem: &str, notes: &str| {
        let notes = json!({ "name": OTHER, "content": notes });
        write(poem).call("write_file", notes)
    };
    app::set_up(fixture).await?;
    fixture.provider.queue_for("Engineer", both(&lines(&[]), "first\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::send_to(&fixture.page, "engineer", "Write.").await?;
    fixture.page.see_text(answers_of("engineer"), "Written.").await?;
    // This change triggers a sync of the Core: the last sync.
    fixture.until("the Core's request", |fixture| fixture.provider.requests_of_core().len() == 1).await?;
    fixture.page.see(CORE.with("data-state", "idle")).await?;
    // Too small to trigger another.
    let changed = lines(&[(2, "line two"), (30, "line thirty")]);
    fixture.provider.queue_for("Engineer", both(&changed, "first\nsecond\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Changed."));
    app::ask(&fixture.page, "engineer", "Change.", "Changed.").await?;

    fixture.page.resize(2400, 1100).await?;
    compare(fixture).await?;
    fixture.page.choose(COMPARE_BASE, "sync").await?;
    fixture.page.see_count(HUNK, 3).await?;
    fixture.page.see(COMPARE_LIST.with("data-sides", "true")).await?;
    let beside = "[...document.querySelectorAll('.compare-both')].some(row => {
        const [old, now] = [...row.children].map(cell => cell.textContent);
        return old.includes('line 2') && now.includes('line two'); })";
    fixture.page.wait_for("old and new next to each other", beside, &[]).await?;
    if let Some(folder) = screenshots::folder() {
        fixture.page.screenshot(&folder.join("compare-sides.png")).await?;
    }
    fixture.page.click(COMPARE_SIDES).await?;
    fixture.page.see(COMPARE_LIST.with("data-sides", "false")).await?;
    fixture.page.see_text(Selector::css(".compare-line[data-change=removed]"), "line 2").await?;
    ensure!(
        fixture.page.count(Selector::css(".compare-both")).await? == 0,
        "some lines are still side by side"
    );
    fixture.page.click(COMPARE_SIDES).await?;
    fixture.page.see(COMPARE_LIST.with("data-sides", "true")).await?;

    // The files are listed and link to their changes.
    const FILES: &str = "[data-testid=compare] [data-testid=diff-file]";
    fixture.page.see_count(Selector::css(FILES), 2).await?;
    fixture.page.resize(1440, 600).await?;
    fixture
        .page
        .click(Selector::css("[data-testid=compare] li:last-child > [data-testid=diff-file]"))
        .await?;
    let in_view = "(() => {
        const list = document.querySelector('[data-testid=compare-list]').getBoundingClientRect();
        const head = document.querySelector('[data-testid=compare-field][data-field=\"notes.txt\"]')?.getBoundingClientRect();
        return head && head.top >= list.top && head.bottom <= list.bottom;
    })()";
    fixture.page.wait_for("the head of the last file in view", in_view, &[]).await?;
    fixture.page.resize(2400, 1100).await?;

    // Accepting a whole file keeps its text and marks it as reviewed.
    let field = |name: &str| COMPARE_FIELD.with("data-field", name);
    fixture.page.click(field(FILE).inner(ACCEPT_FILE)).await?;
    fixture.page.see(field(FILE).with("data-reviewed", "true")).await?;
    stored(&fixture.page, FILE, Some(&changed)).await?;
    fixture.page.choose(COMPARE_BASE, "review").await?;
    fixture.page.see_count(HUNK, 1).await?;
    fixture.page.hidden(field(FILE)).await?;

    // By keys: to the turn and back, then the file is reverted.
    let list = "document.querySelector('[data-testid=compare-list]').focus()";
    fixture.page.eval(list, &[]).await?;
    fixture.page.press("j").await?;
    fixture.page.press("t").await?;
    let led = "document.activeElement?.dataset.testid === 'message' && document.activeElement.dataset.agent === 'engineer'";
    fixture.page.wait_for("the turn to be led to", led, &[]).await?;
    fixture.page.choose(COMPARE_BASE, "sync").await?;
    fixture.page.see_count(HUNK, 3).await?;
    fixture.page.eval(list, &[]).await?;
    // The first file is the other one.
    fixture.page.press("j").await?;
    fixture.page.press(Key::Shift + "r").await?;
    fixture.page.hidden(field(OTHER)).await?;
    stored(&fixture.page, OTHER, Some("first\n")).await?;
    stored(&fixture.page, FILE, Some(&changed)).await?;

    // The next change is accepted as a whole by its key.
    fixture.provider.queue_for("Engineer", both(&changed, "first\nthird\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Once more."));
    app::ask(&fixture.page, "engineer", "Again.", "Once more.").await?;
    fixture.page.choose(COMPARE_BASE, "review").await?;
    fixture.page.see_text(COMPARE_LIST, "third").await?;
    fixture.page.eval(list, &[]).await?;
    fixture.page.press("j").await?;
    fixture.page.press(Key::Shift + "a").await?;
    fixture.page.see_text(COMPARE, "All changes are reviewed").await?;
    stored(&fixture.page, OTHER, Some("first\nthird\n")).await?;

    // Reverted by button, against the sync.
    fixture.page.choose(COMPARE_BASE, "sync").await?;
    fixture.page.click(field(FILE).inner(REVERT_FILE)).await?;
    fixture.page.hidden(field(FILE)).await?;
    stored(&fixture.page, FILE, Some(&lines(&[]))).await?;
    stored(&fixture.page, OTHER, Some("first\nthird\n")).await?;
    // The shortcuts are listed.
    fixture.page.press("?").await?;
    fixture.page.see_text(Selector::css("[data-testid=key-sheet]"), "Accept the whole file").await
}

/// A selected hunk is sent to its author with the remark, quoted with file and lines.
async fn sent_back(fixture: &mut Fixture) -> Result<()> {
    const REMARK: &str = "Keep the number here.";
    two_runs(fixture).await?;
    compare(fixture).await?;
    fixture.page.see_count(HUNK, 3).await?;
    let pick = "document.querySelectorAll('[data-testid=hunk-pick]')[1].click()";
    fixture.page.eval(pick, &[]).await?;
    fixture.page.see_text(SEND_BACK_FORM, "1 change for Engineer").await?;
    fixture.page.fill(SEND_BACK_REMARK, REMARK).await?;
    let requests = fixture.provider.requests_of("Engineer").len();
    fixture.provider.queue_for("Engineer", Answer::say("I see."));
    fixture.page.click(SEND_BACK).await?;
    let request = fixture.request_of("Engineer", requests + 1).await?;
    let text = request.last_user_text();
    for words in [REMARK, "poem.txt, line 10", "-line 10", "+line ten"] {
        ensure!(text.contains(words), "{words:?} is missing in {text}");
    }
    ensure!(
        !text.contains("line thirty\n```") && !text.contains("+line two"),
        "more was sent than was picked: {text}"
    );
    fixture.page.see_text(answers_of("engineer"), "I see.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.hidden(SEND_BACK_FORM).await?;
    ensure!(fixture.provider.requests_of("Critic").is_empty(), "other agents were called");
    Ok(())
}

/// A round of all agents as one diff of objective, scratchpad and files, accepted at once, and undone.
pub(crate) async fn round(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let plan = json!({ "objective": "A poem", "scratchpad": "- [ ] write it\n" });
    fixture.provider.queue_for("Architect", Answer::new().call("update_nexus_state", plan));
    fixture.provider.queue_for("Architect", Answer::say("Planned."));
    fixture.provider.queue_for("Engineer", write(&lines(&[])));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    fixture.provider.queue_for("Critic", Answer::say("Good.\nShall it rhyme?"));
    app::send_to(&fixture.page, "ALL", "Go.").await?;
    fixture.page.see_text(answers_of("critic"), "Shall it rhyme?").await?;
    app::idle(&fixture.page).await?;
    fixture.page.click(CATCH_UP_OPEN).await?;
    fixture.page.see(CATCH_UP).await?;
    let text = fixture.page.text(CATCH_UP).await?;
    for words in
        ["Objective by Architect", "poem.txt by Engineer", "+40", "Critic: Shall it rhyme?", "3 turns"]
    {
        ensure!(text.contains(words), "{words:?} is missing in {text:?}");
    }
    let requests = fixture.provider.requests().len();
    if let Some(folder) = screenshots::folder() {
        fixture.page.screenshot(&folder.join("catch-up.png")).await?;
    }
    fixture.page.click(CATCH_UP_REVIEW).await?;
    fixture.page.see_count(COMPARE_FIELD, 3).await?;
    if let Some(folder) = screenshots::folder() {
        fixture.page.screenshot(&folder.join("compare-round.png")).await?;
    }
    fixture.page.click(ACCEPT_ALL).await?;
    fixture.page.see_count(COMPARE_FIELD.with("data-reviewed", "true"), 3).await?;
    fixture.page.choose(COMPARE_BASE, "review").await?;
    fixture.page.see_text(COMPARE, "All changes are reviewed").await?;
    fixture.page.click(FACE_EDIT).await?;

    // Undoing the round keeps the operator's later edit.
    let edits = fixture.page.count_events("MindEdited").await?;
    fixture.page.fill(SCRATCHPAD, "- [ ] write it\n- mine\n").await?;
    fixture.page.more_events("MindEdited", edits).await.context("the typed text was not stored")?;
    ensure!(fixture.provider.requests().len() == requests, "the recap called a model");
    fixture.page.click(CATCH_UP_UNDO).await?;
    fixture.page.see_text(NOTICE, "changed since").await?;
    ensure!(fixture.page.count(FILE_TAB).await? == 1, "a change was undone despite a conflict");
    let edits = fixture.page.count_events("MindEdited").await?;
    fixture.page.fill(SCRATCHPAD, "- [ ] write it\n").await?;
    fixture.page.more_events("MindEdited", edits).await?;
    fixture.page.eval("document.querySelector('[data-testid=catch-up]').focus()", &[]).await?;
    fixture.page.press("u").await?;
    fixture.page.see_text(NOTICE, "Round undone").await?;
    fixture.page.see_count(FILE_TAB, 0).await?;
    fixture.page.see_text(OBJECTIVE_FIELD, app::OBJECTIVE).await?;
    fixture.page.hidden(CATCH_UP_UNDO).await
}

/// Fifty thousand lines with every hundredth changed: only the visible part is rendered, and keys work.
pub(crate) async fn large(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let text = |word: &str| -> String {
        (0..50_000)
            .map(|line| if line % 100 == 50 { format!("{word} {line}\n") } else { format!("line {line}\n") })
            .collect()
    };
    for (round, word) in ["old", "new"].into_iter().enumerate() {
        fixture.provider.queue_for("Engineer", write(&text(word)));
        fixture.provider.queue_for("Engineer", Answer::say(&format!("Done {round}.")));
        app::send_to(&fixture.page, "engineer", "Write much.").await?;
        fixture.page.see_text(answers_of("engineer"), &format!("Done {round}.")).await?;
        app::idle(&fixture.page).await?;
    }
    let started = std::time::Instant::now();
    compare(fixture).await?;
    fixture.page.choose(COMPARE_BASE, "run").await?;
    fixture.page.see_text(COMPARE_FIGURES, "500 changes").await?;
    let elapsed = started.elapsed();
    ensure!(elapsed.as_secs() < 40, "comparing took {elapsed:?}");
    let rows = "return document.querySelectorAll('.compare-line, .compare-both').length";
    let built = fixture.page.eval(rows, &[]).await?;
    ensure!(built.as_u64().is_some_and(|rows| rows > 5 && rows < 400), "{built} rows are built");
    fixture.page.eval("const list = document.querySelector('[data-testid=compare-list]'); list.focus(); list.scrollTop = list.scrollHeight", &[]).await?;
    fixture.page.see_text(COMPARE_LIST, "new 49950").await?;
    // Scrolling takes frames, not seconds.
    let slowest = fixture
        .page
        .eval_async(
            "const list = document.querySelector('[data-testid=compare-list]');
         let slowest = 0;
         for (let step = 0; step < 40; step++) {
             const start = performance.now();
             list.scrollTop = (step * 7919) % list.scrollHeight;
             await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
             slowest = Math.max(slowest, performance.now() - start);
         }
         return slowest",
            &[],
        )
        .await?;
    ensure!(slowest.as_f64().is_some_and(|ms| ms < 5_000.0), "the slowest step took {slowest} ms");
    fixture.page.press("j").await?;
    fixture.page.see(HUNK.with("data-at", "true")).await
}

/// On a small screen: one column, nothing wider than the window, and the link to the turn opens its pane.
async fn narrow(fixture: &mut Fixture) -> Result<()> {
    two_runs(fixture).await?;
    fixture.page.resize(360, 780).await?;
    fixture.page.click(CATCH_UP_OPEN).await?;
    fixture.page.see(CATCH_UP).await?;
    fits(fixture).await?;
    fixture.page.click(CATCH_UP_REVIEW).await?;
    fixture.page.see_count(HUNK, 3).await?;
    fits(fixture).await?;
    let sides = fixture.page.attributes(COMPARE_LIST, "data-sides").await?;
    ensure!(sides == ["false"], "it is side by side");
    for button in [HUNK_ACCEPT, HUNK_REVERT] {
        let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return box.left >= 0 && box.right <= innerWidth";
        let inside = fixture.page.eval(script, &[json!(Selector::from(button).as_str())]).await?;
        ensure!(inside == Value::Bool(true), "{} is cut off", Selector::from(button));
    }
    if let Some(folder) = screenshots::folder() {
        fixture.page.screenshot(&folder.join("compare-360.png")).await?;
    }
    fixture.page.click(HUNK_REVERT).await?;
    fixture.page.see_count(HUNK, 2).await?;
    fixture.page.click(HUNK_TURN).await?;
    let led =
        "document.activeElement?.dataset.testid === 'message' && document.activeElement.checkVisibility()";
    fixture.page.wait_for("the turn to be led to", led, &[]).await
}

async fn fits(fixture: &Fixture) -> Result<()> {
    let over = fixture.page.eval("return document.documentElement.scrollWidth - innerWidth", &[]).await?;
    ensure!(over.as_f64().is_some_and(|over| over <= 0.0), "the page is {over} px too wide");
    Ok(())
}

/// A reverted hunk and a reverted file are restored by undo, together with later typing.
async fn undo(fixture: &mut Fixture) -> Result<()> {
    two_runs(fixture).await?;
    compare(fixture).await?;
    fixture.page.see_count(HUNK, 3).await?;
    fixture.page.click(HUNK_REVERT).await?;
    fixture.page.see_count(HUNK, 2).await?;
    fixture.page.see_text(NOTICE, "Reverted a change in poem.txt.").await?;
    // The operator types elsewhere in the file before undoing.
    fixture.page.click(FACE_EDIT).await?;
    let typed = lines(&[(10, "line ten"), (20, "typed by hand"), (30, "line thirty")]);
    fixture.page.fill(FILE_EDITOR, &typed).await?;
    stored(&fixture.page, FILE, Some(&typed)).await?;
    fixture.page.click(NOTICE_UNDO).await?;
    let both = lines(&[(2, "line two"), (10, "line ten"), (20, "typed by hand"), (30, "line thirty")]);
    stored(&fixture.page, FILE, Some(&both)).await?;

    fixture.page.click(FACE_COMPARE).await?;
    fixture.page.see_text(COMPARE_FIGURES, "4 changes").await?;
    fixture.page.click(REVERT_FILE).await?;
    fixture.page.see_count(HUNK, 0).await?;
    fixture.page.click(NOTICE_UNDO).await?;
    fixture.page.see_text(COMPARE_FIGURES, "4 changes").await?;
    let now = text(fixture).await?;
    ensure!(now == both, "the file contains {now:?}");
    // By key, and restored by the palette's action.
    fixture.page.eval("document.querySelector('[data-testid=compare-list]').focus()", &[]).await?;
    fixture.page.press("j").await?;
    fixture.page.press("r").await?;
    fixture.page.see_text(COMPARE_FIGURES, "3 changes").await?;
    palette::run(&fixture.page, "undo: rev", "undo").await?;
    fixture.page.see_text(COMPARE_FIGURES, "4 changes").await?;
    // The same by the usual undo key.
    fixture.page.eval("document.querySelector('[data-testid=compare-list]').focus()", &[]).await?;
    fixture.page.press("j").await?;
    fixture.page.press("r").await?;
    fixture.page.see_text(COMPARE_FIGURES, "3 changes").await?;
    fixture.page.press(Key::Control + "z").await?;
    fixture.page.see_text(COMPARE_FIGURES, "4 changes").await
}
