//! Flows for accessibility: every screen, dark and light, checked by axe-core.
//!
//! Skipped with a message if axe-core is not installed.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::flows::graph_editor::open_template;
use crate::flows::settings::section_ids;
use crate::parts::*;
use crate::provider::Answer;
use crate::site::{TRAP_SCRIPT, TRAP_WORDS};
use crate::stage::Stage;
use crate::team::{leave_settings, open_settings, rule};

/// Path of axe-core: installed, or from `NEXUS_AXE`.
fn package() -> PathBuf {
    let usual =
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/axe/node_modules/axe-core/axe.min.js");
    env::var_os("NEXUS_AXE").map_or_else(usual, PathBuf::from)
}

/// Selectors of controls that may be smaller than 24 × 24 pixels, with reasons. This is stricter than axe-core, which
/// accepts small targets with space around them.
const SMALL_TARGETS: [(&str, &str); 5] = [
    (
        ".prose *, .message-note *, .hint *, .callout *, .guide li *, label *",
        "a link or a control within a sentence",
    ),
    (".splitter", "its handle is wider than its line"),
    (".skip:not(:focus)", "shown once it has the focus"),
    ("input.unseen", "the file field of a button, which is larger"),
    (".cm-editor *", "a place in a text"),
];

/// Visible controls smaller than 24 pixels, except those selectors.
const SMALL: &str = "const small = [];
    const all = 'a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=menuitem], [role=option]';
    for (const one of document.querySelectorAll(all)) {
        if (one.disabled || one.matches(arguments[0]) || one.closest('[hidden], [inert]')
            || !one.checkVisibility({ visibilityProperty: true })) continue;
        // A check is pressed by its label.
        const { width, height } = (one.labels?.[0]?.contains(one) ? one.labels[0] : one).getBoundingClientRect();
        if (width > 0 && height > 0 && (width < 23.9 || height < 23.9)) {
            small.push(`target: ${one.tagName} ${one.className} ${one.dataset.testid ?? ''} ${width} × ${height}`);
        }
    }
    return small";

/// The rules of axe-core that depend on colours.
const OF_COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];

struct Found {
    rules: String,
    problems: Vec<String>,
    /// Screens that were checked against all rules.
    seen: BTreeSet<String>,
}

impl Found {
    fn new(rules: String) -> Self {
        Self { rules, problems: Vec::new(), seen: BTreeSet::new() }
    }

    /// Checks the current screen. In its second theme it differs in colours only.
    async fn look(&mut self, stage: &Stage, screen: &str, theme: &str) -> Result<()> {
        let is_new = self.seen.insert(screen.to_owned());
        let screen = format!("{screen}, {theme}");
        if stage.page.eval("return typeof window.axe", &[]).await? != "object" {
            stage.page.eval(&self.rules, &[]).await?;
        }
        // Running transitions have other colours, and their end may start another one. Off screen, animations never
        // end by themselves, and endless ones do not end at all.
        let script = "const changing = () => document.getAnimations().filter(each =>
                each.playState === 'running' && each.effect.getComputedTiming().endTime !== Infinity);
            for (let left = changing(); left.length > 0; left = changing()) {
                left.forEach(each => each.finish());
                await new Promise(requestAnimationFrame);
            }
            const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
            const told = await window.axe.run(document, {
                runOnly: arguments[0] ?? { type: 'tag', values: tags }, resultTypes: ['violations'], iframes: false, preload: false });
            return told.violations.flatMap(rule => rule.nodes.map(node =>
                `${rule.id}: ${node.target.join(' ')} – ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message}`));";
        let only = if is_new { Value::Null } else { json!({ "type": "rule", "values": OF_COLOURS }) };
        let violations = stage.page.eval_async(script, &[only]).await?;
        let exceptions = SMALL_TARGETS.map(|(which, _)| which).join(", ");
        let small = if is_new { stage.page.eval(SMALL, &[json!(exceptions)]).await? } else { Value::Null };
        for target in small.as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.problems.push(format!("{screen}: {target}"));
        }
        // The editor's scroller has a focusable `contenteditable`, which this rule ignores.
        let is_editor = |problem: &&str| problem.starts_with("scrollable-region-focusable: .cm-scroller");
        let violations = violations.as_array().into_iter().flatten().filter_map(Value::as_str);
        for problem in violations.filter(|problem| !is_editor(problem)) {
            self.problems.push(format!("{screen}: {problem}"));
        }
        Ok(())
    }

    /// Checks both themes.
    async fn look_twice(&mut self, stage: &Stage, screen: &str) -> Result<()> {
        for theme in ["light", "dark"] {
            stage.page.eval("document.documentElement.dataset.theme = arguments[0]", &[json!(theme)]).await?;
            self.look(stage, screen, theme).await?;
        }
        Ok(())
    }

    fn verdict(mut self) -> Result<()> {
        self.problems.sort();
        self.problems.dedup();
        let list = self.problems.join("\n  ");
        ensure!(self.problems.is_empty(), "{} violations:\n  {list}", self.problems.len());
        Ok(())
    }
}

/// Every screen, dark and light.
pub(crate) async fn axe(stage: &mut Stage) -> Result<()> {
    let Ok(rules) = fs::read_to_string(package()) else {
        return Err(crate::lacks(format_args!("axe-core, at {}", package().display())));
    };
    let mut found = Found::new(rules);
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    for theme in ["dark", "light"] {
        stage.page.set_local("nexus_boot", &json!({ "theme": theme }).to_string()).await?;
        stage.page.reload().await?;
        stage.page.see(FIRST_START).await?;
        found.look(stage, "first start", theme).await?;
    }
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    // The page starts in the light theme.
    for theme in ["light", "dark"] {
        stage.page.click(OPEN_SETTINGS).await?;
        stage.page.choose(THEME_SELECT, theme).await?;
        let set = "document.documentElement.dataset.theme === arguments[0]";
        stage.page.wait_for("the theme", set, &[json!(theme)]).await?;
        stage.page.see(DATA_EXPORT).await?;
        for id in section_ids(&stage.page).await? {
            stage.page.see(Selector::css(&format!("#{id}"))).await?;
            found.look(stage, &id, theme).await?;
        }
        stage.page.eval("document.activeElement?.blur()", &[]).await?;
        stage.page.press("h").await?;
        stage.page.see(FILE_EDITOR).await?;
        stage.page.see(CORE).await?;
        found.look(stage, "war room", theme).await?;
        stage.page.press(Key::Control + "k").await?;
        stage.page.see(PALETTE_ROW).await?;
        found.look(stage, "palette", theme).await?;
        stage.page.press("show keyboard shortcuts").await?;
        stage.page.press(Key::Enter).await?;
        stage.page.see(KEY_SHEET).await?;
        found.look(stage, "keys", theme).await?;
        stage.page.click(KEY_SHEET_CLOSE).await?;
        stage.page.hidden(KEY_SHEET).await?;
        stage.page.click(FACE_COMPARE).await?;
        stage.page.see(HUNK).await?;
        found.look(stage, "compare", theme).await?;
        stage.page.click(FACE_PREVIEW).await?;
        stage.page.see(PREVIEW).await?;
        found.look(stage, "preview", theme).await?;
        stage.page.click(FACE_EDIT).await?;
        stage.page.click(FILE_ALL).await?;
        stage.page.see(FILE_DESK).await?;
        found.look(stage, "all files", theme).await?;
        stage.page.click(FILE_ALL).await?;
        stage.page.resize(360, 780).await?;
        found.look(stage, "war room on a telephone", theme).await?;
        stage.page.resize(1440, 900).await?;
        stage.page.click(OPEN_AUDIT).await?;
        stage.page.see(AUDIT_ROW).await?;
        stage.page.click(AUDIT_ROW).await?;
        stage.page.see(AUDIT_DETAIL).await?;
        found.look(stage, "audit", theme).await?;
        stage.page.press(Key::Control + "k").await?;
        stage.page.see(PALETTE_INPUT).await?;
        stage.page.press("inspect newest").await?;
        stage.page.press(Key::Enter).await?;
        stage.page.see(INSPECT_HEAD).await?;
        stage.page.see(INSPECT_CALL).await?;
        found.look(stage, "inspector", theme).await?;
        stage.page.eval("history.back()", &[]).await?;
        stage.page.see(AUDIT_ROW).await?;
        stage.page.eval("history.back()", &[]).await?;
        stage.page.see(WAR_ROOM).await?;
    }
    found.verdict()
}

/// Temporary elements: session list, turn menu, memories, tool approval, tree with its dialogs, locked keys,
/// recovery. The theme is set by the page's attribute; the setting itself is tested above.
pub(crate) async fn axe_elsewhere(stage: &mut Stage) -> Result<()> {
    let Ok(rules) = fs::read_to_string(package()) else {
        return Err(crate::lacks(format_args!("axe-core, at {}", package().display())));
    };
    let mut found = Found::new(rules);
    app::set_up(stage).await?;
    write(stage, "one\ntwo\nthree\n", "It stands.").await?;
    stage.page.click(FACE_MEMORIES).await?;
    stage.page.see(MEMORY_SEARCH).await?;
    found.look_twice(stage, "memories").await?;
    stage.page.click(FACE_EDIT).await?;
    stage.page.click(SESSION_SWITCHER).await?;
    stage.page.see(SESSION_OPEN).await?;
    found.look_twice(stage, "sessions").await?;
    stage.page.click(SESSION_CLOSE).await?;
    stage.page.hidden(SESSION_LIST).await?;
    stage.page.click_last(TURN_ACTIONS).await?;
    stage.page.see(TURN_MENU).await?;
    found.look_twice(stage, "menu of a turn").await?;
    stage.page.press(Key::Escape).await?;
    stage.page.hidden(TURN_MENU).await?;
    // Approved, stopped; then the keys are locked.
    rule(&stage.page, "engineer", "write_file", "ask").await?;
    let wanted = json!({ "name": "a.txt", "content": "as asked\n" });
    stage.provider.queue_for("Engineer", Answer::new().call("write_file", wanted));
    app::say_to(&stage.page, "engineer", "And another.").await?;
    stage.page.see(APPROVAL_CARD).await?;
    found.look_twice(stage, "a tool that asks").await?;
    stage.page.click(STOP).await?;
    app::idle(&stage.page).await?;

    // Two conflicting branches.
    stage.page.click(OPEN_TREE).await?;
    stage.page.see(TREE.with("data-done", "true")).await?;
    stage.page.click(TREE_FORK).await?;
    stage.page.see_words(TREE_TOLD, "2 sessions").await?;
    found.look_twice(stage, "tree").await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;
    write(stage, "one\nTHEIRS\nthree\n", "Theirs.").await?;
    stage.page.click(OPEN_TREE).await?;
    stage.page.see(TREE.with("data-done", "true")).await?;
    stage.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    stage.page.click(TREE_OPEN).await?;
    stage.page.see_words(SESSION_SWITCHER, "main").await?;
    write(stage, "one\nOURS\nthree\n", "Ours.").await?;
    stage.page.click(OPEN_TREE).await?;
    stage.page.see(TREE.with("data-done", "true")).await?;
    stage.page.click(TREE_MARK).await?;
    stage.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    stage.page.click(TREE_COMPARE).await?;
    stage.page.see(TREE_DIFF).await?;
    found.look_twice(stage, "two turns compared").await?;
    stage.page.click(TREE_COMPARE_CLOSE).await?;
    stage.page.hidden(TREE_COMPARED).await?;
    stage.page.click(TREE_MERGE).await?;
    stage.page.see(MERGE_BOTH).await?;
    found.look_twice(stage, "merge").await?;
    stage.page.press(Key::Escape).await?;
    stage.page.hidden(MERGE).await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;

    let graphs = stage.site.url("/run/?edit=1");
    stage.page.goto(&graphs).await?;
    open_template(&stage.page, "built:0").await?;
    stage.page.see(GRAPH_NODE).await?;
    found.look_twice(stage, "graph editor").await?;
    stage.page.click(GRAPH_NODE.with("data-node", "build")).await?;
    stage.page.see(GRAPH_KEY).await?;
    found.look_twice(stage, "graph editor, a node").await?;
    stage.page.click_last(GRAPH_EDGE).await?;
    stage.page.see(GRAPH_WHEN).await?;
    found.look_twice(stage, "graph editor, an edge").await?;
    stage.page.click(RUN_IMPORT).await?;
    stage.page.see(RUN_IMPORT_FILE).await?;
    found.look_twice(stage, "import of a run").await?;
    stage.page.click(RUN_IMPORT_CANCEL).await?;
    let run = stage.site.url("/run/");
    stage.page.goto(&run).await?;
    stage.page.see(RUN_NODE).await?;
    found.look_twice(stage, "run").await?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(WAR_ROOM).await?;

    open_settings(&stage.page).await?;
    stage.page.click(KEY_KEEP_PASSPHRASE).await?;
    stage.page.fill(PASSPHRASE, "four canary words here").await?;
    stage.page.click(KEY_REMEMBER).await?;
    stage.page.see_words(KEY_STATE, "and unlocked").await?;
    stage.page.click(KEY_LOCK).await?;
    stage.page.see_words(KEY_STATE, "and locked").await?;
    leave_settings(&stage.page).await?;
    app::say_to(&stage.page, "critic", "Are you there?").await?;
    stage.page.see(UNLOCK_DIALOG).await?;
    found.look_twice(stage, "locked keys").await?;
    stage.expect_fault(TRAP_WORDS);
    stage.page.eval_async("await import(arguments[0])", &[TRAP_SCRIPT.into()]).await?;
    stage.page.see(RECOVERY).await?;
    found.look_twice(stage, "recovery").await?;
    found.verdict()
}

/// The Engineer writes a file and answers.
async fn write(stage: &Stage, text: &str, said: &str) -> Result<()> {
    stage.provider.queue_for("Engineer", app::writing("beacon.txt", text));
    stage.provider.queue_for("Engineer", Answer::say(said));
    app::say_to(&stage.page, "engineer", "Write it.").await?;
    stage.page.see_words(answers_of("engineer"), said).await?;
    app::idle(&stage.page).await
}
