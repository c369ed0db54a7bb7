//! Whether those who do not see the page, or not well, can use it, as far as a program can tell: every screen, dark and
//! light, before the rules of axe-core. It plays where that package is, and says so where it is not.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::parts::*;
use crate::stage::Stage;

/// axe-core as it was installed, or where `NEXUS_AXE` says.
fn package() -> PathBuf {
    let usual =
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers/axe/node_modules/axe-core/axe.min.js");
    env::var_os("NEXUS_AXE").map_or_else(usual, PathBuf::from)
}

/// What was found, with the screen that it was found on.
struct Found {
    rules: String,
    problems: Vec<String>,
}

impl Found {
    /// Holds what is shown now against the rules.
    async fn look(&mut self, stage: &Stage, screen: &str) -> Result<()> {
        if stage.page.eval("return typeof window.axe", &[]).await? != "object" {
            stage.page.eval(&self.rules, &[]).await?;
        }
        // What is still fading has other colours.
        let script = "await Promise.all(document.getAnimations().map(each => each.finished.catch(() => null))
                .map(each => Promise.race([each, new Promise(done => setTimeout(done, 400))])));
            const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
            const told = await window.axe.run(document, {
                runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], iframes: false, preload: false });
            return told.violations.flatMap(rule => rule.nodes.map(node =>
                `${rule.id}: ${node.target.join(' ')} – ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message}`));";
        let told = stage.page.eval_async(script, &[]).await?;
        // What is edited in a scroller takes the focus, by `contenteditable`, which this rule does not count.
        let is_editor = |problem: &&str| problem.starts_with("scrollable-region-focusable: .cm-scroller");
        let told = told.as_array().into_iter().flatten().filter_map(Value::as_str);
        for problem in told.filter(|problem| !is_editor(problem)) {
            self.problems.push(format!("{screen}: {problem}"));
        }
        Ok(())
    }
}

/// Every screen, dark and light.
pub(crate) async fn axe(stage: &mut Stage) -> Result<()> {
    let Ok(rules) = fs::read_to_string(package()) else {
        println!("NOT CHECKED against axe-core: {} is not there", package().display());
        return Ok(());
    };
    let mut found = Found { rules, problems: Vec::new() };
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    for theme in ["dark", "light"] {
        stage.page.set_local("nexus_boot", &json!({ "theme": theme }).to_string()).await?;
        stage.page.reload().await?;
        stage.page.see(FIRST_START).await?;
        found.look(stage, &format!("first start, {theme}")).await?;
    }
    app::rehearse(&stage.page, "A page with a countdown timer for tea").await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    // The page still looks as it was started, light.
    for theme in ["light", "dark"] {
        stage.page.click(OPEN_SETTINGS).await?;
        stage.page.choose(THEME_SELECT, theme).await?;
        let set = "document.documentElement.dataset.theme === arguments[0]";
        stage.page.wait_for("the theme", set, &[json!(theme)]).await?;
        stage.page.see(DATA_EXPORT).await?;
        found.look(stage, &format!("settings, {theme}")).await?;
        stage.page.eval("document.activeElement?.blur()", &[]).await?;
        stage.page.press("h").await?;
        stage.page.see(FILE_EDITOR).await?;
        stage.page.see(CORE).await?;
        found.look(stage, &format!("war room, {theme}")).await?;
        stage.page.press(Key::Control + "k").await?;
        stage.page.see(PALETTE_ROW).await?;
        found.look(stage, &format!("palette, {theme}")).await?;
        stage.page.press("show all keys").await?;
        stage.page.press(Key::Enter).await?;
        stage.page.see(KEY_SHEET).await?;
        found.look(stage, &format!("keys, {theme}")).await?;
        stage.page.click(KEY_SHEET_CLOSE).await?;
        stage.page.gone(KEY_SHEET).await?;
        stage.page.click(FACE_COMPARE).await?;
        stage.page.see(HUNK).await?;
        found.look(stage, &format!("compare, {theme}")).await?;
        stage.page.click(FACE_PREVIEW).await?;
        stage.page.see(PREVIEW).await?;
        found.look(stage, &format!("preview, {theme}")).await?;
        stage.page.click(FACE_EDIT).await?;
        stage.page.click(FILE_ALL).await?;
        stage.page.see(FILE_DESK).await?;
        found.look(stage, &format!("all files, {theme}")).await?;
        stage.page.click(FILE_ALL).await?;
        stage.page.resize(360, 780).await?;
        found.look(stage, &format!("war room on a telephone, {theme}")).await?;
        stage.page.resize(1440, 900).await?;
        stage.page.click(OPEN_AUDIT).await?;
        stage.page.see(AUDIT_ROW).await?;
        stage.page.click(AUDIT_ROW).await?;
        stage.page.see(AUDIT_DETAIL).await?;
        found.look(stage, &format!("audit, {theme}")).await?;
        stage.page.press(Key::Control + "k").await?;
        stage.page.see(PALETTE_INPUT).await?;
        stage.page.press("inspect newest").await?;
        stage.page.press(Key::Enter).await?;
        stage.page.see(INSPECT_HEAD).await?;
        stage.page.see(INSPECT_CALL).await?;
        found.look(stage, &format!("inspector, {theme}")).await?;
        stage.page.eval("history.back()", &[]).await?;
        stage.page.see(AUDIT_ROW).await?;
        stage.page.eval("history.back()", &[]).await?;
        stage.page.see(WAR_ROOM).await?;
    }
    found.problems.sort();
    found.problems.dedup();
    let list = found.problems.join("\n  ");
    ensure!(found.problems.is_empty(), "{} violations:\n  {list}", found.problems.len());
    Ok(())
}
