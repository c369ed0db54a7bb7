//! The demo in the page: its scenarios work, and unsupported objectives point to a model. Findings of the Critic are
//! verified in the page, before and after the fix.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::flows::preview;
use crate::selectors::*;

/// Selector of the frame.
const FRAME: &str = "[data-testid=preview-frame]";

/// Helpers of the trials.
const HELPERS: &str = "const $ = id => document.getElementById(id);
    const wait = time => new Promise(then => setTimeout(then, time));
    const cents = id => Math.round(Number($(id).textContent.replace(/[^0-9.-]/g, '')) * 100);
    const key = name => dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
    const typed = (id, text) => { $(id).value = text; $(id).dispatchEvent(new Event('input', { bubbles: true })); };
    const modes = () => document.querySelectorAll('[data-minutes]');";

/// The objective whose page is also tested manually.
const TODO: &str = "A to-do list with filters";

/// Each objective, and for each of its findings in order a trial that is true while the finding applies.
const TRIALS: [(&str, &[&str]); 5] = [
    (
        app::PREPARED,
        &[
            "return cents('share') * 3 !== cents('total') && $('rest').textContent === ''",
            "typed('bill', '86,50'); return $('share').textContent.includes('NaN')",
            "return !document.querySelector('.receipt[aria-live]')",
        ],
    ),
    (
        "A Snake game",
        &[
            "play(); key('ArrowUp'); key('ArrowLeft'); await wait(700); return !$('cover').hidden",
            "const random = Math.random; let next = 0;
             Math.random = () => [0.25, 0.5, 0.9][Math.min(next++, 2)]; set(); Math.random = random;
             return at(food.x, food.y)",
            "play(); const place = board.getBoundingClientRect();
             const touch = (type, x, y) => board.dispatchEvent(new PointerEvent(type,
                 { bubbles: true, clientX: place.x + x, clientY: place.y + y }));
             touch('pointerdown', 50, 90); touch('pointermove', 52, 20); touch('pointerup', 52, 20);
             await wait(500); return heading[1] === 0",
        ],
    ),
    (
        TODO,
        &[
            "$('text').value = '<b>bold</b>'; $('add').click(); return !!document.querySelector('#list b')",
            "$('text').value = 'kept'; $('add').click();
             return !String(localStorage.getItem('tasks')).includes('kept')",
            "return !document.querySelector('[data-filter][aria-pressed]')",
        ],
    ),
    (
        "A Pomodoro timer",
        &[
            "$('go').click(); modes()[1].click(); $('go').click(); await wait(3200);
             const twice = left < 296; modes()[0].click(); return twice",
            "pause(); modes()[0].click(); $('go').click(); const now = Date.now; Date.now = () => now() + 600000;
             await wait(1300); Date.now = now; return left > 1000",
            "if (timer === null) $('go').click(); return document.title === 'Pomodoro'",
            "const asks = rule => rule.conditionText?.includes('no-preference') && rule.cssText.includes('breathe');
             return ![...document.styleSheets].some(sheet => [...sheet.cssRules].some(asks))",
        ],
    ),
    (
        "A unit converter",
        &[
            "choose('Temperature'); typed('amount', '0'); return $('result').textContent !== '32'",
            "choose('Length'); $('from').value = 'feet'; $('to').value = 'metres'; typed('amount', '3');
             return $('result').textContent !== '0.9144'",
            "return !$('to').getAttribute('aria-label')",
        ],
    ),
];

/// Results of the trials in the preview.
async fn tried(fixture: &Fixture, trials: &[&str]) -> Result<Vec<Value>> {
    preview::runs(&fixture.page).await?;
    fixture.page.enter_frame(FRAME).await?;
    let mut found = Vec::new();
    for trial in trials {
        let script = format!("{HELPERS} {trial}");
        found.push(fixture.page.eval_async(&script, &[]).await?);
    }
    fixture.page.leave_frame().await?;
    Ok(found)
}

/// Every objective of the first screen is built, reviewed and fixed; each finding applies to the first page and not
/// to the fixed one.
pub(crate) async fn scenarios(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    for (number, (objective, trials)) in TRIALS.into_iter().enumerate() {
        if number == 0 {
            app::start_fast_demo(&fixture.page, objective).await?;
            app::ended(&fixture.page, "critic", "completed", None).await?;
        } else {
            app::send(&fixture.page, objective).await?;
            fixture.page.see_text(OBJECTIVE_FIELD, objective).await?;
        }
        app::idle(&fixture.page).await?;
        if number == 0 {
            fixture.page.click(SEE_IT_RUN).await?;
            fixture.page.see(PREVIEW).await?;
        }
        let found = tried(fixture, trials).await?;
        ensure!(found.iter().all(|holds| *holds == true), "{objective}: a finding is not true: {found:?}");
        app::send(&fixture.page, "Fix the findings").await?;
        fixture
            .page
            .see_count(Selector::css("[data-testid=message][data-role=user]"), 2 * number + 2)
            .await?;
        fixture.page.see(agent_card("critic").with("data-state", "processing")).await?;
        app::idle(&fixture.page).await?;
        let found = tried(fixture, trials).await?;
        ensure!(found.iter().all(|holds| *holds == false), "{objective}: a finding is not fixed: {found:?}");
        if objective == TODO {
            preview::works(fixture).await?;
        }
        ensure!(
            fixture.page.count(PREVIEW_LINE.with("data-tone", "error")).await? == 0,
            "{objective}: errors"
        );
    }
    ensure!(fixture.provider.requests().is_empty());
    Ok(())
}

/// An unsupported objective says that it needs a model, before and after the start, with a link; no page is built for
/// it, and a prepared objective can be started from there.
pub(crate) async fn needs_a_model(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.click(FIRST_DEMO).await?;
    fixture.page.fill(FIRST_OBJECTIVE, "Chess for two").await?;
    fixture.page.see_text(FIRST_NOT_PREPARED, "needs a model").await?;
    fixture.page.click(FIRST_IDEA.with("title", "A Snake game")).await?;
    let is_empty = "document.querySelector('[data-testid=first-not-prepared]').textContent.trim() === ''";
    fixture.page.wait_for("the note to disappear", is_empty, &[]).await?;
    app::start_fast_demo(&fixture.page, "Chess for two").await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_count(DEMO_OFFER, 1).await?;
    let files = fixture.page.attributes(FILE_TAB, "data-file").await?;
    ensure!(files == ["notes.md"], "it made {files:?} of a game of chess");

    fixture.page.click(DEMO_OBJECTIVE.with("title", "A unit converter")).await?;
    fixture.page.see_text(COMPOSER, "A unit converter").await?;
    fixture
        .page
        .wait_for("the composer to have the focus", "document.activeElement?.id === 'composer'", &[])
        .await?;
    fixture.page.click(SEND).await?;
    fixture.page.see(FILE_TAB.with("data-file", "index.html")).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(OBJECTIVE_FIELD, "A unit converter").await?;
    fixture.page.see_count(DEMO_OFFER, 1).await?;

    fixture.page.click(CONNECT_MODEL).await?;
    fixture.page.see(SETTINGS).await?;
    let at_providers = "document.activeElement?.closest('#settings-providers') != null
        || document.activeElement?.id === 'settings-providers'";
    fixture.page.wait_for("the providers to have the focus", at_providers, &[json!(null)]).await
}
