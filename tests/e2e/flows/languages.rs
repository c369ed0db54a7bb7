//! A flow for the languages: the page in German, changed to English in the settings.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::flows::start::fits;
use crate::parts::*;
use crate::stage::Stage;

async fn speaks(stage: &Stage, tag: &str) -> Result<()> {
    stage.page.wait_for(tag, "document.documentElement.lang === arguments[0]", &[json!(tag)]).await
}

/// From the first screen on in German, at the width of a telephone too; English after a choice, what was typed kept.
pub(crate) async fn german(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.resize(360, 780).await?;
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    let asked =
        "return performance.getEntriesByType('resource').some(each => each.name.includes('language-'))";
    ensure!(stage.page.eval(asked, &[]).await? == false, "English loads a language");
    speaks(stage, "en").await?;

    stage.page.set_local("nexus_boot", &json!({ "language": "de" }).to_string()).await?;
    stage.page.reload().await?;
    speaks(stage, "de").await?;
    stage.page.see_words(FIRST_GO, "Starten").await?;
    stage.page.see_words(FIRST_START, "Baut, was der Plan sagt.").await?;
    stage.page.see_words(FIRST_START, "Trinkgeldrechner").await?;
    fits(stage, "the first start in German").await?;
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    fits(stage, "the war room in German").await?;
    stage.page.click(OPEN_SETTINGS).await?;
    stage.page.see_words(SETTINGS, "Darstellung").await?;
    fits(stage, "the settings in German").await?;

    // Nothing was chosen so far, and the page would come back in the browser's language.
    stage.page.choose(LANGUAGE_SELECT, "de").await?;
    speaks(stage, "de").await?;
    stage.page.see_words(SETTINGS, "Farbschema").await?;
    stage.page.choose(LANGUAGE_SELECT, "en").await?;
    speaks(stage, "en").await?;
    stage.page.see_words(SETTINGS, "Theme").await
}
