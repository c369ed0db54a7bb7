//! Flows for code blocks in answers: copy, wrap, save as a file, apply to a file.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::link_references;
use crate::provider::Answer;
use crate::selectors::*;

const FIRST: &str = "fn main() {\n    println!(\"<b>Grüße</b>, 世界 🦀\");\n}";
const SECOND: &str = "fn main() {\n    println!(\"Hallo\");\n}";
const FILE: &str = "main.rs";

/// An answer of the Engineer with this code, named as a file.
fn with_code(code: &str) -> Answer {
    Answer::new().text(&format!("Like so:\n\n```rust title=\"{FILE}\"\n{code}\n```\n\nThat is all."))
}

/// The Engineer answers with this code; waits for the code block with this number.
async fn shows(fixture: &Fixture, code: &str, number: usize) -> Result<()> {
    fixture.provider.queue_for("Engineer", with_code(code));
    app::send_to(&fixture.page, "engineer", "Show me.").await?;
    fixture.page.see_count(CODE_COPY, number).await?;
    app::ended(&fixture.page, "engineer", "completed", None).await?;
    app::idle(&fixture.page).await
}

/// Code in answers: copied, wrapped, saved as a file; and references defined at the end of an answer.
pub(crate) async fn blocks(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    copy(fixture).await?;
    app::start_over(fixture).await?;
    wrap(fixture).await?;
    app::start_over(fixture).await?;
    files(fixture).await?;
    app::start_over(fixture).await?;
    link_references::late(fixture).await
}

/// Copies the source, not the rendered text; if the browser denies it, the page says so.
async fn copy(fixture: &mut Fixture) -> Result<()> {
    shows(fixture, FIRST, 1).await?;
    fixture.page.allow_clipboard(true).await?;
    fixture.page.click(CODE_COPY).await?;
    fixture.page.see_text(NOTICE, "Code copied").await?;
    let copied = fixture.page.eval_async("return navigator.clipboard.readText()", &[]).await?;
    ensure!(copied == FIRST, "the clipboard contains {copied}");

    fixture.page.allow_clipboard(false).await?;
    fixture.page.click(CODE_COPY).await?;
    fixture.page.see_text(NOTICE, "blocked the clipboard").await?;
    fixture.page.allow_clipboard(true).await?;
    let clipboard = fixture.page.eval_async("return navigator.clipboard.readText()", &[]).await?;
    ensure!(clipboard == FIRST, "the clipboard contains {clipboard}");
    Ok(())
}

/// A long line overflows until it is wrapped, and again after that.
async fn wrap(fixture: &mut Fixture) -> Result<()> {
    const FITS: &str = "(frame => frame.scrollWidth <= frame.clientWidth)
        (document.querySelector(arguments[0]).closest('figure').querySelector('pre')) === arguments[1]";
    shows(fixture, &format!("let a = \"{}\";", "long ".repeat(200)), 1).await?;
    let button = Selector::from(CODE_WRAP);
    let fits = async |yes: bool| {
        let what = if yes { "the lines to be wrapped" } else { "the lines to run on" };
        fixture.page.wait_for(what, FITS, &[json!(button.as_str()), json!(yes)]).await
    };
    fits(false).await?;
    fixture.page.click(CODE_WRAP).await?;
    fixture.page.see(CODE_WRAP.with("aria-pressed", "true")).await?;
    fits(true).await?;
    fixture.page.click(CODE_WRAP).await?;
    fixture.page.see(CODE_WRAP.with("aria-pressed", "false")).await?;
    fits(false).await
}

/// Code becomes a file under its own name or another; a used name is rejected with a reason. It replaces a file's
/// text only after the diff was confirmed.
async fn files(fixture: &mut Fixture) -> Result<()> {
    shows(fixture, FIRST, 1).await?;
    // There is no file to apply it to.
    fixture.page.click(CODE_APPLY).await?;
    fixture.page.see(APPLY_ACCEPT.with("disabled", "")).await?;
    fixture.page.click(APPLY_DISCARD).await?;
    fixture.page.hidden(APPLY_ACCEPT).await?;
    fixture.page.click(CODE_OPEN).await?;
    ensure!(fixture.page.text(FILE_NAME).await? == FILE, "another name is suggested");
    ensure!(fixture.page.count(FILE_TAB).await? == 0, "the file exists before the request");
    fixture.page.press(thirtyfour::Key::Enter).await?;
    fixture.page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await?;
    fixture.page.see_text(FILE_EDITOR, FIRST).await?;
    ensure!(
        fixture.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"),
        "the file does not end its last line"
    );
    fixture.page.hidden(FILE_NAME).await?;

    fixture.page.click(CODE_OPEN).await?;
    fixture.page.fill(FILE_NAME, FILE).await?;
    fixture.page.press(thirtyfour::Key::Enter).await?;
    fixture.page.see_text(Selector::css(".code-panel [role=alert]"), FILE).await?;
    ensure!(fixture.page.count(FILE_TAB).await? == 1);
    fixture.page.fill(FILE_NAME, "other.rs").await?;
    fixture.page.press(thirtyfour::Key::Enter).await?;
    fixture.page.see(FILE_TAB.with("data-file", "other.rs").with("data-active", "true")).await?;

    // The agents see it like any file.
    fixture.provider.reset();
    fixture.provider.queue_for("Critic", Answer::say("I see two."));
    app::send_to(&fixture.page, "critic", "How many?").await?;
    let request = fixture.request_of("Critic", 1).await?;
    ensure!(request.mind_block().is_some_and(|mind| mind.contains(FILE) && mind.contains("other.rs")));
    fixture.page.see_text(answers_of("critic"), "I see two.").await?;
    app::idle(&fixture.page).await?;

    // Code replaces a file's text only after the diff was shown.
    fixture.page.click(FILE_TAB.with("data-file", FILE)).await?;
    fixture.page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await?;
    shows(fixture, SECOND, 2).await?;
    let events = app::events(&fixture.page).await?.len();
    fixture.page.click_last(CODE_APPLY).await?;
    fixture.page.see_text(APPLY_DIFF, "Grüße").await?;
    fixture.page.see_text(APPLY_DIFF, "Hallo").await?;
    ensure!(fixture.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"), "it was applied unasked");
    fixture.page.click(APPLY_DISCARD).await?;
    fixture.page.hidden(APPLY_DIFF).await?;
    ensure!(fixture.page.text(FILE_EDITOR).await? == format!("{FIRST}\n"), "it was applied against a no");
    ensure!(app::events(&fixture.page).await?.len() == events, "a no is an event");

    fixture.page.click_last(CODE_APPLY).await?;
    fixture.page.see(APPLY_DIFF).await?;
    fixture.page.click(APPLY_ACCEPT).await?;
    fixture.page.hidden(APPLY_DIFF).await?;
    fixture.page.see_text(FILE_EDITOR, "Hallo").await?;
    ensure!(fixture.page.text(FILE_EDITOR).await? == format!("{SECOND}\n"));
    // Says so if nothing would change.
    fixture.page.click_last(CODE_APPLY).await?;
    fixture.page.see(APPLY_ACCEPT.with("disabled", "")).await?;
    fixture.page.click(APPLY_DISCARD).await?;

    fixture.page.reload().await?;
    fixture.page.see_text(FILE_EDITOR, "Hallo").await
}
