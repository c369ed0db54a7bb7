//! Flows for the appearance settings: chosen, stored, applied before the first paint, and nothing clipped.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::flows::settings::section_ids;
use crate::page::Page;
use crate::selectors::*;
use crate::site::BLANK_PAGE;

/// Font size, minimum button height and transition time, as computed by the browser.
const POLL_INTERVAL: &str = "const button = document.querySelector('.button, .quiet, .icon');
    const style = getComputedStyle(button);
    return [parseFloat(getComputedStyle(document.documentElement).fontSize), parseFloat(style.minHeight),
        parseFloat(style.transitionDuration)]";

async fn look(page: &Page) -> Result<(f64, f64, f64)> {
    Ok(serde_json::from_value(page.eval(POLL_INTERVAL, &[]).await?)?)
}

/// Chosen values, and stored values that are invalid.
pub(crate) async fn choices(fixture: &mut Fixture) -> Result<()> {
    choices_persist(fixture).await?;
    wrong(fixture).await
}

/// A choice applies at once, describes itself, and survives a reload on every screen.
async fn choices_persist(fixture: &mut Fixture) -> Result<()> {
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    let page = &fixture.page;
    page.see(SETTINGS).await?;
    let (size, height, time) = look(page).await?;
    page.choose(DENSITY, "compact").await?;
    page.choose(TEXT_SIZE, "125").await?;
    page.choose(MOTION, "reduced").await?;
    page.choose(THEME_SELECT, "light").await?;
    let set = "(of => of.density === 'compact' && of.textSize === '125' && of.motion === 'reduced' && of.theme === 'light')
        (document.documentElement.dataset)";
    page.wait_for("the choices to show", set, &[]).await?;
    let (larger, lower, still) = look(page).await?;
    ensure!((larger - size * 1.25).abs() < 0.01, "letters of {larger} px after {size} px");
    ensure!(lower >= 24.0 && lower < height * 1.25, "buttons of {lower} px after {height} px");
    ensure!(still < 0.001 && time > 0.05, "motion takes {still} s after {time} s");
    for field in [DENSITY, TEXT_SIZE, MOTION, THEME_SELECT, SINGLE_KEYS] {
        let has_text = "(about => about?.textContent.length > 20)
            (document.getElementById(document.querySelector(arguments[0]).getAttribute('aria-describedby')))";
        page.wait_for("the setting to say what it does", has_text, &[json!(Selector::from(field).as_str())])
            .await?;
    }
    fixture.page.reload().await?;
    fixture.page.see(SETTINGS).await?;
    for (field, value) in
        [(DENSITY, "compact"), (TEXT_SIZE, "125"), (MOTION, "reduced"), (THEME_SELECT, "light")]
    {
        fixture.page.see_text(field, value).await?;
    }
    ensure!(fixture.page.eval(&format!("return {set}"), &[]).await? == true, "it did not survive the load");
    // “Full” overrides the system's setting.
    fixture.page.choose(MOTION, "full").await?;
    fixture
        .page
        .wait_for("the choice to show", "document.documentElement.dataset.motion === 'full'", &[])
        .await?;
    let (_, _, moves) = look(&fixture.page).await?;
    ensure!(moves > 0.05, "it does not move");
    Ok(())
}

/// Settings apply before the first paint, before the program has loaded; unknown values are ignored.
pub(crate) async fn first_paint(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    // When the body exists, the scripts of the head have run and nothing is painted.
    let note = "new MutationObserver((_, watch) => {
        if (!document.body) return;
        window.lookAtFirst = { ...document.documentElement.dataset };
        watch.disconnect();
    }).observe(document, { childList: true, subtree: true })";
    fixture.page.in_every_document(note).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    // A page without the program, which would overwrite what is written next.
    let blank = fixture.site.url(BLANK_PAGE);
    fixture.page.goto(&blank).await?;
    let boot = json!({ "theme": "light", "density": "compact", "text_size": "150", "motion": "reduced" });
    fixture.page.set_local("nexus_boot", &boot.to_string()).await?;
    fixture.page.goto(&home).await?;
    fixture.page.wait_for("the first look", "!!window.lookAtFirst", &[]).await?;
    let first = fixture.page.eval("return window.lookAtFirst", &[]).await?;
    for (name, value) in
        [("theme", "light"), ("density", "compact"), ("textSize", "150"), ("motion", "reduced")]
    {
        ensure!(first.get(name) == Some(&json!(value)), "before the first paint: {first}");
    }
    let boot = json!({ "theme": 7, "density": "tight", "text_size": 150, "motion": ["reduced"] });
    fixture.page.goto(&blank).await?;
    fixture.page.set_local("nexus_boot", &boot.to_string()).await?;
    fixture.page.goto(&home).await?;
    fixture.page.wait_for("the first look", "!!window.lookAtFirst", &[]).await?;
    let first = fixture.page.eval("return window.lookAtFirst", &[]).await?;
    ensure!(first.get("theme") == Some(&json!("dark")), "before the first paint: {first}");
    ensure!(first.get("density").or(first.get("textSize")).or(first.get("motion")).is_none(), "{first}");
    fixture.page.see(FIRST_START).await
}

/// An invalid stored value is shown with the value in effect, and fixed by a choice.
async fn wrong(fixture: &mut Fixture) -> Result<()> {
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    fixture.page.see(SETTINGS).await?;
    // The store has rows after the first change.
    fixture.page.choose(DENSITY, "compact").await?;
    fixture.page.choose(SINGLE_KEYS, "off").await?;
    let is_compact = "document.documentElement.dataset.density === 'compact'";
    fixture.page.wait_for("the choice to be applied", is_compact, &[]).await?;
    for (name, value) in
        [("density", json!("banana")), ("text_size", json!("900")), ("single_keys", json!(3))]
    {
        fixture.page.put_row("settings", json!(name), value).await?;
    }
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see_text(Selector::css(".settings-part"), "“banana” is not valid, so this applies: Comfortable")
        .await?;
    page.see_text(Selector::css(".settings-part"), "“900” is not valid, so this applies: 100 %").await?;
    page.see_text(Selector::css(".settings-part"), "not valid, so it is on").await?;
    page.see(TEXT_SIZE.with("aria-invalid", "true")).await?;
    page.choose(TEXT_SIZE, "110").await?;
    let right = "!document.querySelector('[data-testid=text-size]').hasAttribute('aria-invalid')";
    page.wait_for("it to be right again", right, &[]).await
}

/// On the smallest screen with the largest text, nothing of the first start is clipped.
pub(super) async fn large_first_start(fixture: &mut Fixture) -> Result<()> {
    let mut cut = Vec::new();
    for size in ["150", "100"] {
        fixture.page.set_local("nexus_boot", &json!({ "text_size": size }).to_string()).await?;
        fixture.page.reload().await?;
        fixture.page.see(FIRST_START).await?;
        whole(&fixture.page, &mut cut, &format!("the first start at {size} %")).await?;
    }
    ensure!(cut.is_empty(), "{:#}", json!(cut));
    Ok(())
}

/// On the smallest screen with the largest text, nothing of the settings or of a round is clipped.
pub(super) async fn large_letters(fixture: &mut Fixture) -> Result<()> {
    let mut cut = Vec::new();
    fixture.page.choose(TEXT_SIZE, "150").await?;
    let large = "document.documentElement.dataset.textSize === '150'";
    fixture.page.wait_for("the letters to be large", large, &[]).await?;
    for id in section_ids(&fixture.page).await? {
        fixture.page.see(Selector::css(&format!("#{id}"))).await?;
        whole(&fixture.page, &mut cut, &id).await?;
    }
    fixture.page.eval("document.activeElement?.blur()", &[]).await?;
    for (key, what) in
        [("h", "the timeline"), ("1", "the agents"), ("3", "the board"), ("c", "compare"), ("l", "the audit")]
    {
        fixture.page.press(key).await?;
        let there = match key {
            "l" => Selector::from(AUDIT_COUNT),
            "c" => COMPARE_LIST.into(),
            _ => WAR_ROOM.into(),
        };
        fixture.page.see(there).await?;
        whole(&fixture.page, &mut cut, what).await?;
    }
    fixture.page.press(thirtyfour::Key::Control + "k").await?;
    fixture.page.see(PALETTE_ROW).await?;
    whole(&fixture.page, &mut cut, "the palette").await?;
    fixture.page.press("keyboard shortcuts").await?;
    fixture.page.press(thirtyfour::Key::Enter).await?;
    fixture.page.see(KEY_SHEET).await?;
    whole(&fixture.page, &mut cut, "the sheet of keys").await?;
    // The other extreme: small text, compact, as wide as two screens.
    fixture.page.press(thirtyfour::Key::Escape).await?;
    fixture.page.resize(993, 700).await?;
    fixture.page.press("h").await?;
    fixture.page.see(WAR_ROOM).await?;
    whole(&fixture.page, &mut cut, "three panes with large letters").await?;
    // The size of a 1440 × 900 window at 200 %.
    fixture.page.eval("document.documentElement.dataset.textSize = '100'", &[]).await?;
    fixture.page.resize(720, 450).await?;
    whole(&fixture.page, &mut cut, "the war room at 200 %").await?;
    fixture.page.press("2").await?;
    let in_sight = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight";
    let message = fixture.page.eval(in_sight, &[json!(Selector::from(COMPOSER).as_str())]).await?;
    ensure!(message == json!(true), "the message box is out of sight at 200 %");
    ensure!(cut.is_empty(), "{:#}", json!(cut));
    Ok(())
}

/// The page is not wider than the window, and controls exceed it only in scrollable areas.
async fn whole(page: &Page, all: &mut Vec<String>, what: &str) -> Result<()> {
    let script = "for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
        const scrolls = each => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth;
        const inside = each => { for (let up = each.parentElement; up; up = up.parentElement) if (scrolls(up)) return true; return false; };
        const cut = [...document.querySelectorAll('a, button, input, select, textarea, summary, h1, h2, h3, label')]
            .filter(each => each.checkVisibility({ visibilityProperty: true }))
            .filter(each => !each.closest('.unseen, .cm-editor'))
            .filter(each => { const box = each.getBoundingClientRect();
                return box.width > 1 && (box.left < -1 || box.right > innerWidth + 1) && !inside(each); })
            .map(each => each.outerHTML.slice(0, 120));
        const over = document.documentElement.scrollWidth - innerWidth;
        return over > 0 ? [`${over} px too wide`, ...cut] : cut;";
    let cut = page.eval_async(script, &[]).await?;
    let cut = cut.as_array().into_iter().flatten().filter_map(Value::as_str);
    all.extend(cut.take(6).map(|one| format!("{what}: {one}")));
    Ok(())
}
