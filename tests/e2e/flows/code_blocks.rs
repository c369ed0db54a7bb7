//! Flows for code blocks in answers: copied and wrapped by a real browser.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

const FIRST: &str = "fn main() {\n    println!(\"<b>Grüße</b>, 世界 🦀\");\n}";
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

/// Code in answers is copied and wrapped.
pub(crate) async fn blocks(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    copy(fixture).await?;
    app::start_over(fixture).await?;
    wrap(fixture).await
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
