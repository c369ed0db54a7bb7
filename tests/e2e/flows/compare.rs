//! Flows for the layout of the comparison, wide and on a phone, and for large files. `tests/web/compare.rs` tests what
//! it does.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::flows::screenshots;
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

async fn compare(fixture: &Fixture) -> Result<()> {
    fixture.page.click(FACE_COMPARE).await?;
    fixture.page.see(COMPARE_LIST).await
}

/// Two runs in the current session: the Engineer wrote two files, which were accepted, then changed three lines of one
/// and added one to the other.
async fn two_runs(fixture: &mut Fixture) -> Result<()> {
    let both = |poem: &str, notes: &str| {
        let notes = json!({ "name": "notes.txt", "content": notes });
        write(poem).call("write_file", notes)
    };
    fixture.provider.queue_for("Engineer", both(&lines(&[]), "first\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::ask(&fixture.page, "engineer", "Write.", "Written.").await?;
    fixture.page.click(CHANGES_ACCEPT).await?;
    fixture.page.hidden(CHANGES_SUMMARY).await?;
    let changed = lines(&[(2, "line two"), (10, "line ten"), (30, "line thirty")]);
    fixture.provider.queue_for("Engineer", both(&changed, "first\nsecond\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Changed."));
    app::ask(&fixture.page, "engineer", "Change it.", "Changed.").await
}

/// The layout of a comparison: side by side, in one column, scrolled to a file, and on a phone.
pub(crate) async fn layout(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    two_runs(fixture).await?;
    wide(fixture).await?;
    fixture.page.click(FACE_EDIT).await?;
    narrow(fixture).await
}

/// Old and new side by side or in one column; a file in the list is scrolled to.
async fn wide(fixture: &mut Fixture) -> Result<()> {
    fixture.page.resize(2400, 1100).await?;
    compare(fixture).await?;
    fixture.page.see_count(HUNK, 4).await?;
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
        const heads = [...document.querySelectorAll('[data-testid=compare-field]')];
        const name = document.querySelector('[data-testid=compare] li:last-child').textContent;
        const head = heads.find(each => name.includes(each.dataset.field))?.getBoundingClientRect();
        return head && head.top >= list.top && head.bottom <= list.bottom;
    })()";
    fixture.page.wait_for("the head of the last file in view", in_view, &[]).await
}

/// On a small screen: one column, nothing wider than the window, and the link to the turn opens its pane.
async fn narrow(fixture: &mut Fixture) -> Result<()> {
    fixture.page.resize(360, 780).await?;
    fixture.page.click(CATCH_UP_OPEN).await?;
    fixture.page.see(CATCH_UP).await?;
    fits(fixture).await?;
    fixture.page.click(CATCH_UP_REVIEW).await?;
    fixture.page.see_count(HUNK, 4).await?;
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
    fixture.page.see_count(HUNK, 3).await?;
    fixture.page.click(HUNK_TURN).await?;
    let led =
        "document.activeElement?.dataset.testid === 'message' && document.activeElement.checkVisibility()";
    fixture.page.wait_for("the turn to be led to", led, &[]).await
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

async fn fits(fixture: &Fixture) -> Result<()> {
    let over = fixture.page.eval("return document.documentElement.scrollWidth - innerWidth", &[]).await?;
    ensure!(over.as_f64().is_some_and(|over| over <= 0.0), "the page is {over} px too wide");
    Ok(())
}
