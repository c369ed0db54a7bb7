//! Flow for the languages: the page in German, switched to English in the settings.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::flows::start::{every_pane_fits, fits};
use crate::parts::*;
use crate::site::BLANK_PAGE;
use crate::stage::Stage;

async fn speaks(stage: &Stage, tag: &str) -> Result<()> {
    stage.page.wait_for(tag, "document.documentElement.lang === arguments[0]", &[json!(tag)]).await
}

/// German from the first screen on, also on a phone; English after a choice, with typed text kept.
pub(crate) async fn german(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.resize(360, 780).await?;
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    let script =
        "return performance.getEntriesByType('resource').some(each => each.name.includes('language-'))";
    ensure!(stage.page.eval(script, &[]).await? == false, "English loads a language");
    speaks(stage, "en").await?;

    // A page without the program, which would store the language.
    let blank = stage.site.url(BLANK_PAGE);
    stage.page.goto(&blank).await?;
    stage.page.set_local("nexus_boot", &json!({ "language": "de" }).to_string()).await?;
    stage.page.goto(&home).await?;
    speaks(stage, "de").await?;
    stage.page.see_words(FIRST_GO, "Starten").await?;
    stage.page.see_words(FIRST_START, "Baut, was der Plan sagt.").await?;
    stage.page.see_words(FIRST_START, "Trinkgeldrechner").await?;
    fits(stage, "the first start in German").await?;
    app::choose_demo(&stage.page, app::PREPARED).await?;
    stage.page.see_words(STOP, "Stoppen").await?;
    stage.page.click(COMPOSER_MORE).await?;
    stage.page.see(QUEUE_MODE).await?;
    fits(stage, "the war room at work in German").await?;
    stage.page.click(COMPOSER_MORE).await?;
    stage.page.hurry().await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    stage.page.see(CHANGES_TOLD).await?;
    every_pane_fits(stage, "in German").await?;
    stage.page.click(OPEN_SETTINGS).await?;
    stage.page.see_words(SETTINGS, "Darstellung").await?;
    fits(stage, "the settings in German").await?;

    // Nothing is chosen so far: a reload would use the browser's language.
    stage.page.choose(LANGUAGE_SELECT, "de").await?;
    speaks(stage, "de").await?;
    stage.page.see_words(SETTINGS, "Farbschema").await?;
    for (path, part) in [
        ("/usage/", USAGE.with("data-done", "true")),
        ("/help/", Selector::from(HELP_KEYS)),
        ("/tree/", TREE.with("data-done", "true")),
        ("/audit/", AUDIT_ROW.into()),
        ("/run/", RUN_NODE.into()),
        ("/settings/", SETTINGS.into()),
    ] {
        let screen = stage.site.url(path);
        stage.page.goto(&screen).await?;
        stage.page.see(part).await?;
        fits(stage, &format!("{path} in German")).await?;
    }
    stage.page.choose(LANGUAGE_SELECT, "en").await?;
    speaks(stage, "en").await?;
    stage.page.see_words(SETTINGS, "Theme").await
}
