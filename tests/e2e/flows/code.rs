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

/// An answer of the Engineer with this code, named as a file.
fn with_code(code: &str) -> Answer {
    Answer::new().text(&format!("Like so:\n\n```rust title=\"{FILE}\"\n{code}\n```\n\nThat is all."))
}

/// The Engineer answers with this code; waits for the code block with this number.
async fn shows(stage: &Stage, code: &str, number: usize) -> Result<()> {
    stage.provider.queue_for("Engineer", with_code(code));
    app::say_to(&stage.page, "engineer", "Show me.").await?;
    stage.page.see_count(CODE_COPY, number).await?;
    app::ended(&stage.page, "engineer", "completed", None).await?;
    app::idle(&stage.page).await
}

/// Code in answers: copied, wrapped, saved as a file; and references defined at the end of an answer.
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

/// Copies the source, not the rendered text; if the browser denies it, the page says so.
async fn copy(stage: &mut Stage) -> Result<()> {
    shows(stage, FIRST, 1).await?;
    stage.page.let_use_clipboard(true).await?;
    stage.page.click(CODE_COPY).await?;
    stage.page.see_words(NOTICE, "Code copied").await?;
    let copied = stage.page.eval_async("return navigator.clipboard.readText()", &[]).await?;
    ensure!(copied == FIRST, "the clipboard contains {copied}");

    stage.page.let_use_clipboard(false).await?;
    stage.page.click(CODE_COPY).await?;
    stage.page.see_words(NOTICE, "blocked the clipboard").await?;
    stage.page.let_use_clipboard(true).await?;
    let clipboard = stage.page.eval_async("return navigator.clipboard.readText()", &[]).await?;
    ensure!(clipboard == FIRST, "the clipboard contains {clipboard}");
    Ok(())
}

/// A long line overflows until it is wrapped, and again after that.
async fn wrap(stage: &mut Stage) -> Result<()> {
    const FITS: &str = "(frame => frame.scrollWidth <= frame.clientWidth)
        (document.querySelector(arguments[0]).closest('figure').querySelector('pre')) === arguments[1]";
    shows(stage, &format!("let a = \"{}\";", "long ".repeat(200)), 1).await?;
    let button = Selector::from(CODE_WRAP);
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

/// Code becomes a file under its own name or another; a used name is rejected with a reason. It replaces a file's
/// text only after the diff was confirmed.
async fn files(stage: &mut Stage) -> Result<()> {
    shows(stage, FIRST, 1).await?;
    // There is no file to apply it to.
    stage.page.click(CODE_APPLY).await?;
    stage.page.see(APPLY_ACCEPT.with("disabled", "")).await?;
    stage.page.click(APPLY_DISCARD).await?;
    stage.page.hidden(APPLY_ACCEPT).await?;
    stage.page.click(CODE_OPEN).await?;
    ensure!(stage.page.text(FILE_NAME).await? == FILE, "another name is suggested");
    ensure!(stage.page.count(FILE_TAB).await? == 0, "the file exists before the request");
    stage.page.press(thirtyfour::Key::Enter).await?;
    stage.page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await?;
    stage.page.see_words(FILE_EDITOR, FIRST).await?;
    ensure!(
        stage.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"),
        "the file does not end its last line"
    );
    stage.page.hidden(FILE_NAME).await?;

    stage.page.click(CODE_OPEN).await?;
    stage.page.fill(FILE_NAME, FILE).await?;
    stage.page.press(thirtyfour::Key::Enter).await?;
    stage.page.see_words(Selector::css(".code-panel [role=alert]"), FILE).await?;
    ensure!(stage.page.count(FILE_TAB).await? == 1);
    stage.page.fill(FILE_NAME, "other.rs").await?;
    stage.page.press(thirtyfour::Key::Enter).await?;
    stage.page.see(FILE_TAB.with("data-file", "other.rs").with("data-active", "true")).await?;

    // The agents see it like any file.
    stage.provider.begin_anew();
    stage.provider.queue_for("Critic", Answer::say("I see two."));
    app::say_to(&stage.page, "critic", "How many?").await?;
    let request = stage.request_of("Critic", 1).await?;
    ensure!(request.mind_block().is_some_and(|mind| mind.contains(FILE) && mind.contains("other.rs")));
    stage.page.see_words(answers_of("critic"), "I see two.").await?;
    app::idle(&stage.page).await?;

    // Code replaces a file's text only after the diff was shown.
    stage.page.click(FILE_TAB.with("data-file", FILE)).await?;
    stage.page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await?;
    shows(stage, SECOND, 2).await?;
    let events = app::events(&stage.page).await?.len();
    stage.page.click_last(CODE_APPLY).await?;
    stage.page.see_words(APPLY_DIFF, "Grüße").await?;
    stage.page.see_words(APPLY_DIFF, "Hallo").await?;
    ensure!(stage.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"), "it was applied unasked");
    stage.page.click(APPLY_DISCARD).await?;
    stage.page.hidden(APPLY_DIFF).await?;
    ensure!(stage.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"), "it was applied against a no");
    ensure!(app::events(&stage.page).await?.len() == events, "a no is an event");

    stage.page.click_last(CODE_APPLY).await?;
    stage.page.see(APPLY_DIFF).await?;
    stage.page.click(APPLY_ACCEPT).await?;
    stage.page.hidden(APPLY_DIFF).await?;
    stage.page.see_words(FILE_EDITOR, "Hallo").await?;
    ensure!(stage.page.text(FILE_EDITOR).await? == format!("{SECOND}\n"));
    // Says so if nothing would change.
    stage.page.click_last(CODE_APPLY).await?;
    stage.page.see(APPLY_ACCEPT.with("disabled", "")).await?;
    stage.page.click(APPLY_DISCARD).await?;

    stage.page.reload().await?;
    stage.page.see_words(FILE_EDITOR, "Hallo").await
}
