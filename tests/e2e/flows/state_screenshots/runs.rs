//! Screenshots of the run screen, the graph editor and their dialogs, of model comparisons, usage and help.
//!
//! Asserts nothing about the pictures.

use anyhow::Result;
use serde_json::json;

use super::album;
use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::palette;
use crate::flows::runs::open_template;
use crate::page::Page;
use crate::provider::{Answer, Gate, Reply, Request};
use crate::selectors::*;

/// The compared models.
const MODELS: [&str; 2] = ["gemini-3.8-flash", "gemini-4-argon"];

/// Their texts and files.
const COUNTS: [(&str, &str); 2] = [
    (
        "I count **in whole cents**, so that nothing is lost:\n\n1. the bill, as it was typed\n2. the tip, rounded once\n\
         3. the shares, and who pays a cent more\n\nThe file has a function for each.",
        "export function share(cents, guests) {\n  const least = Math.floor(cents / guests);\n  const more = cents % guests;\n\
         \x20 return Array.from({ length: guests }, (_, at) => least + (at < more ? 1 : 0));\n}\n",
    ),
    (
        "One function is enough: it divides, and the first guest pays what is left over.",
        "export const share = (cents, guests) => {\n  const each = Math.round(cents / guests);\n\
         \x20 return [cents - each * (guests - 1), ...Array(guests - 1).fill(each)];\n};\n",
    ),
];

/// Shows the demo's finished run on the run screen, once it was read.
pub(super) async fn demo_run(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fixture.page.click(RUN_GRAPH_LINK).await?;
    fixture.page.see(RUN_SCREEN.with("data-done", "true")).await?;
    node(&fixture.page, "Engineer").await
}

pub(super) async fn node(page: &Page, name: &str) -> Result<()> {
    let select = "[...document.querySelectorAll('[data-testid=run-node]')]
        .find(node => node.textContent.includes(arguments[0])).click()";
    page.eval(select, &[json!(name)]).await?;
    page.see_text(RUN_PANEL_NAME, name).await
}

/// A run as a graph, replayed and re-run; imports; the graph editor; and the dialog that starts a graph.
pub(crate) async fn runs(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    demo_run(fixture).await?;
    let page = &fixture.page;
    album.with_ultrawide().add(page, "run-graph").await?;
    page.click(Selector::css("[data-testid=rerun-open]")).await?;
    page.choose(Selector::css("[data-testid=rerun-change]"), "model").await?;
    album.add_at(page, "run-again", Some("[data-testid=run-rerun]")).await?;
    page.click(Selector::css("[data-testid=rerun-open]")).await?;
    let middle = "const range = document.querySelector('[data-testid=run-range]');
        range.value = String(Math.round((Number(range.min) + Number(range.max)) / 2));
        range.dispatchEvent(new Event('input', { bubbles: true }));";
    page.eval(middle, &[]).await?;
    album.add(page, "run-replay").await?;
    page.click(RUN_LIVE).await?;
    page.click(RUN_IMPORT).await?;
    page.see(RUN_IMPORT_FILE).await?;
    album.add(page, "run-import").await?;
    page.click(RUN_IMPORT_CANCEL).await?;
    page.click(Selector::css("[data-testid=run-edit-graphs]")).await?;
    page.see(GRAPH_TEMPLATE_OPEN).await?;
    album.add(page, "graph-empty").await?;
    open_template(page, "built:3").await?;
    page.see_text(GRAPH_PROBLEM, "The graph is valid").await?;
    album.with_ultrawide().add(page, "graph-editor").await?;
    page.click(GRAPH_NODE).await?;
    album.add(page, "graph-node").await?;
    page.click(GRAPH_EDGE).await?;
    album.add(page, "graph-edge").await?;
    page.click(GRAPH_RUN).await?;
    page.see(GRAPH_START_MESSAGE).await?;
    album.add(page, "graph-start").await?;
    page.click(Selector::css("[data-testid=graph-start-cancel]")).await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(WAR_ROOM).await?;
    palette::run(page, "run as a graph", "run-graph-new").await?;
    page.see(Selector::css("[data-testid=graph-dialog]")).await?;
    album.with_ultrawide().add(page, "graph-dialog").await?;
    for (screen, name, there) in [("/usage/", "usage", USAGE), ("/help/", "help", HELP)] {
        let address = fixture.site.url(screen);
        fixture.page.goto(&address).await?;
        fixture.page.see(there).await?;
        album.with_ultrawide().add(&fixture.page, name).await?;
    }
    Ok(())
}

/// Two models answer the same prompt, and wait in the middle for `gate`.
pub(super) async fn compared(fixture: &mut Fixture, gate: &Gate) -> Result<()> {
    app::set_up(fixture).await?;
    agent_setup::open_settings(&fixture.page).await?;
    agent_setup::assign(&fixture.page, "critic", "gemini", MODELS[1]).await?;
    agent_setup::leave_settings(&fixture.page).await?;
    app::new_session(&fixture.page).await?;
    let (gate, answers) = (gate.clone(), MODELS.into_iter().zip(COUNTS));
    let answers: Vec<_> = answers.collect();
    fixture.provider.otherwise(move |request: &Request| -> Option<Reply> {
        let (_, (words, file)) = answers.iter().find(|(model, _)| *model == request.model())?;
        Some(match request.round() {
            0 => Answer::new()
                .text(words)
                .hold(&gate)
                .call("write_file", json!({ "name": "share.js", "content": file }))
                .into(),
            _ => Answer::say("It is written. Each cent is paid by somebody.").into(),
        })
    });
    let page = &fixture.page;
    palette::run(page, "new prompt", "race-new").await?;
    page.see(RACE_DIALOG).await?;
    page.fill(RACE_TEXT, "Share a bill between guests, without losing a cent.").await
}

/// The dialog for several models, their streaming answers, and the choice.
pub(crate) async fn comparing(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    let gate = Gate::new();
    compared(fixture, &gate).await?;
    let page = &fixture.page;
    album.add(page, "race-dialog").await?;
    page.click(RACE_START).await?;
    page.see_count(RACE_LANE, 2).await?;
    page.see_text(RACE_STATUS, "who pays a cent more").await?;
    album.add(page, "race-streams").await?;
    gate.open();
    page.see(RACE.with("data-waits", "true")).await?;
    album.with_ultrawide().add(page, "race").await
}
