//! Flow for the languages: the page in German, switched to English in the settings.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::first_start::{every_pane_fits, fits};
use crate::selectors::*;
use crate::site::BLANK_PAGE;

async fn is_in_language(fixture: &Fixture, tag: &str) -> Result<()> {
    fixture.page.wait_for(tag, "document.documentElement.lang === arguments[0]", &[json!(tag)]).await
}

/// German from the first screen on, also on a phone; English after a choice, with typed text kept.
pub(crate) async fn german(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.resize(360, 780).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    let script =
        "return performance.getEntriesByType('resource').some(each => each.name.includes('language-'))";
    ensure!(fixture.page.eval(script, &[]).await? == false, "English loads a language");
    is_in_language(fixture, "en").await?;

    // A page without the program, which would store the language.
    let blank = fixture.site.url(BLANK_PAGE);
    fixture.page.goto(&blank).await?;
    fixture.page.set_local("nexus_boot", &json!({ "language": "de" }).to_string()).await?;
    fixture.page.goto(&home).await?;
    is_in_language(fixture, "de").await?;
    fixture.page.see_text(FIRST_GO, "Starten").await?;
    fixture.page.see_text(FIRST_START, "Baut, was der Plan sagt.").await?;
    fixture.page.see_text(FIRST_START, "Trinkgeldrechner").await?;
    fits(fixture, "the first start in German").await?;
    app::start_demo(&fixture.page, app::PREPARED).await?;
    fixture.page.see_text(STOP, "Stoppen").await?;
    fixture.page.click(COMPOSER_MORE).await?;
    fixture.page.see(QUEUE_MODE).await?;
    fits(fixture, "the war room at work in German").await?;
    fixture.page.click(COMPOSER_MORE).await?;
    fixture.page.speed_up().await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see(CHANGES_SUMMARY).await?;
    every_pane_fits(fixture, "in German").await?;
    fixture.page.click(OPEN_SETTINGS).await?;
    fixture.page.see_text(SETTINGS, "Darstellung").await?;
    fits(fixture, "the settings in German").await?;

    // Nothing is chosen so far: a reload would use the browser's language.
    fixture.page.choose(LANGUAGE_SELECT, "de").await?;
    is_in_language(fixture, "de").await?;
    fixture.page.see_text(SETTINGS, "Farbschema").await?;
    for (path, part) in [
        ("/usage/", USAGE.with("data-done", "true")),
        ("/help/", Selector::from(HELP_KEYS)),
        ("/tree/", TREE.with("data-done", "true")),
        ("/audit/", AUDIT_ROW.into()),
        ("/run/", RUN_NODE.into()),
        ("/run/?edit=1", GRAPH_TEMPLATE_OPEN.into()),
        ("/settings/", SETTINGS.into()),
    ] {
        let screen = fixture.site.url(path);
        fixture.page.goto(&screen).await?;
        fixture.page.see(part).await?;
        fits(fixture, &format!("{path} in German")).await?;
        let rows = "return new Set([...document.querySelectorAll('.graph-bar > :not(span)')]
            .map(each => each.getBoundingClientRect())
            .map(at => Math.round((at.top + at.bottom) / 16))).size <= 2";
        ensure!(fixture.page.eval(rows, &[]).await? == true, "the bar of {path} has more than two rows");
    }
    fixture.page.choose(LANGUAGE_SELECT, "en").await?;
    is_in_language(fixture, "en").await?;
    fixture.page.see_text(SETTINGS, "Theme").await
}
