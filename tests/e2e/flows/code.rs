//! Flows for code blocks in answers: copy, wrap, save as a file, apply to a file.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::flows::references;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

const FIRST: &str = "fn main() {\n    println!(\"<b>Grüße</b>, 世界 🦀\");\n}";
const SECOND: &str = "fn main() {\n    println!(\"Hallo\");\n}";
const FILE: &str = "main.rs";

/// An answer of the Engineer that holds this code, under the name of a file.
fn with_code(code: &str) -> Answer {
    Answer::new().text(&format!("Like so:\n\n```rust title=\"{FILE}\"\n{code}\n```\n\nThat is all."))
}

/// Has the Engineer answer with this code, and waits for its block with this number.
async fn shows(stage: &Stage, code: &str, number: usize) -> Result<()> {
    stage.provider.queue_for("Engineer", with_code(code));
    app::say_to(&stage.page, "engineer", "Show me.").await?;
    stage.page.see_count(CODE_COPY, number).await?;
    app::ended(&stage.page, "engineer", "completed", None).await?;
    app::idle(&stage.page).await
}

/// Code in answers: copied, wrapped, and made a file; and references that are defined at the end of an answer.
pub(crate) async fn blocks(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    copy(stage).await?;
    app::afresh(stage).await?;
    wrap(stage).await?;
    app::afresh(stage).await?;
    files(stage).await?;
    app::afresh(stage).await?;
    references::late(stage).await
}

/// Copied is what was written, and not what it looks like; where the browser forbids it, the page says so.
async fn copy(stage: &mut Stage) -> Result<()> {
    shows(stage, FIRST, 1).await?;
    stage.page.let_use_clipboard(true).await?;
    stage.page.click(CODE_COPY).await?;
    stage.page.see_words(NOTICE, "Code copied").await?;
    let copied = stage.page.eval_async("return navigator.clipboard.readText()", &[]).await?;
    ensure!(copied == FIRST, "the clipboard holds {copied}");

    stage.page.let_use_clipboard(false).await?;
    stage.page.click(CODE_COPY).await?;
    stage.page.see_words(NOTICE, "blocked the clipboard").await?;
    stage.page.let_use_clipboard(true).await?;
    let kept = stage.page.eval_async("return navigator.clipboard.readText()", &[]).await?;
    ensure!(kept == FIRST, "the clipboard holds {kept}");
    Ok(())
}

/// A long line runs on behind the edge until it is wrapped, and again when it no longer is.
async fn wrap(stage: &mut Stage) -> Result<()> {
    const FITS: &str = "(frame => frame.scrollWidth <= frame.clientWidth)
        (document.querySelector(arguments[0]).closest('figure').querySelector('pre')) === arguments[1]";
    shows(stage, &format!("let a = \"{}\";", "long ".repeat(200)), 1).await?;
    let button = Spot::from(CODE_WRAP);
    let fits = async |yes: bool| {
        let what = if yes { "the lines to be wrapped" } else { "the lines to run on" };
        stage.page.wait_for(what, FITS, &[json!(button.as_str()), json!(yes)]).await
    };
    fits(false).await?;
    stage.page.click(CODE_WRAP).await?;
    stage.page.see(CODE_WRAP.with("aria-pressed", "true")).await?;
    fits(true).await?;
    stage.page.click(CODE_WRAP).await?;
    stage.page.see(CODE_WRAP.with("aria-pressed", "false")).await?;
    fits(false).await
}

/// Code becomes a file under the name that it gives or another one; a name that is taken is refused with words. It replaces
/// the text of a file only after a look at what would change, and not when the operator says no.
async fn files(stage: &mut Stage) -> Result<()> {
    shows(stage, FIRST, 1).await?;
    // There is nothing to apply it to.
    stage.page.click(CODE_APPLY).await?;
    stage.page.see(APPLY_ACCEPT.with("disabled", "")).await?;
    stage.page.click(APPLY_DISCARD).await?;
    stage.page.gone(APPLY_ACCEPT).await?;
    stage.page.click(CODE_OPEN).await?;
    ensure!(stage.page.text(FILE_NAME).await? == FILE, "another name is suggested");
    ensure!(stage.page.count(FILE_TAB).await? == 0, "it is a file before it was asked for");
    stage.page.press(thirtyfour::Key::Enter).await?;
    stage.page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await?;
    stage.page.see_words(FILE_EDITOR, FIRST).await?;
    ensure!(
        stage.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"),
        "the file does not end its last line"
    );
    stage.page.gone(FILE_NAME).await?;

    stage.page.click(CODE_OPEN).await?;
    stage.page.fill(FILE_NAME, FILE).await?;
    stage.page.press(thirtyfour::Key::Enter).await?;
    stage.page.see_words(Spot::css(".code-panel [role=alert]"), FILE).await?;
    ensure!(stage.page.count(FILE_TAB).await? == 1);
    stage.page.fill(FILE_NAME, "other.rs").await?;
    stage.page.press(thirtyfour::Key::Enter).await?;
    stage.page.see(FILE_TAB.with("data-file", "other.rs").with("data-active", "true")).await?;

    // The agents see it as they see every file.
    stage.provider.begin_anew();
    stage.provider.queue_for("Critic", Answer::say("I see two."));
    app::say_to(&stage.page, "critic", "How many?").await?;
    let asked = stage.request_of("Critic", 1).await?;
    ensure!(asked.mind_block().is_some_and(|mind| mind.contains(FILE) && mind.contains("other.rs")));
    stage.page.see_words(answers_of("critic"), "I see two.").await?;
    app::idle(&stage.page).await?;

    // Code replaces the text of a file only after a look at what would change.
    stage.page.click(FILE_TAB.with("data-file", FILE)).await?;
    stage.page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await?;
    shows(stage, SECOND, 2).await?;
    let events = app::events(&stage.page).await?.len();
    stage.page.click_last(CODE_APPLY).await?;
    stage.page.see_words(APPLY_DIFF, "Grüße").await?;
    stage.page.see_words(APPLY_DIFF, "Hallo").await?;
    ensure!(stage.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"), "it was applied unasked");
    stage.page.click(APPLY_DISCARD).await?;
    stage.page.gone(APPLY_DIFF).await?;
    ensure!(stage.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"), "it was applied against a no");
    ensure!(app::events(&stage.page).await?.len() == events, "a no is an event");

    stage.page.click_last(CODE_APPLY).await?;
    stage.page.see(APPLY_DIFF).await?;
    stage.page.click(APPLY_ACCEPT).await?;
    stage.page.gone(APPLY_DIFF).await?;
    stage.page.see_words(FILE_EDITOR, "Hallo").await?;
    ensure!(stage.page.text(FILE_EDITOR).await? == format!("{SECOND}\n"));
    // It says so where nothing would change.
    stage.page.click_last(CODE_APPLY).await?;
    stage.page.see(APPLY_ACCEPT.with("disabled", "")).await?;
    stage.page.click(APPLY_DISCARD).await?;

    stage.page.reload().await?;
    stage.page.see_words(FILE_EDITOR, "Hallo").await
}
