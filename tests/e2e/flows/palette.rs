//! Uses the palette. What it finds and runs, the shortcuts and focus restore are tested in `tests/web/palette.rs`.

use anyhow::Result;
use thirtyfour::Key;

use crate::page::Page;
use crate::selectors::*;

/// Opens the palette and types a search.
async fn look_for(page: &Page, words: &str) -> Result<()> {
    page.press(Key::Control + "k").await?;
    page.see(PALETTE_INPUT).await?;
    page.has_focus("palette-input").await?;
    page.press(words).await
}

/// Waits until this row is selected.
async fn chosen(page: &Page, action: &str) -> Result<()> {
    page.see(PALETTE_ROW.with("data-action", action).with("aria-selected", "true")).await
}

/// Searches an action by a few letters and runs it.
pub(crate) async fn run(page: &Page, words: &str, action: &str) -> Result<()> {
    look_for(page, words).await?;
    chosen(page, action).await?;
    page.press(Key::Enter).await?;
    page.hidden(PALETTE).await
}
