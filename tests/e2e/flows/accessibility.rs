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

use crate::agent_setup::{leave_settings, open_settings, rule};
use crate::app;
use crate::fixture::Fixture;
use crate::flows::runs::open_template;
use crate::flows::settings::section_ids;
use crate::provider::Answer;
use crate::selectors::*;
use crate::site::{TRAP_SCRIPT, TRAP_WORDS};

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
    async fn look(&mut self, fixture: &Fixture, screen: &str, theme: &str) -> Result<()> {
        let is_new = self.seen.insert(screen.to_owned());
        let screen = format!("{screen}, {theme}");
        if fixture.page.eval("return typeof window.axe", &[]).await? != "object" {
            fixture.page.eval(&self.rules, &[]).await?;
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
            const result = await window.axe.run(document, {
                runOnly: arguments[0] ?? { type: 'tag', values: tags }, resultTypes: ['violations'], iframes: false, preload: false });
            return result.violations.flatMap(rule => rule.nodes.map(node =>
                `${rule.id}: ${node.target.join(' ')} – ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message}`));";
        let only = if is_new { Value::Null } else { json!({ "type": "rule", "values": OF_COLOURS }) };
        let violations = fixture.page.eval_async(script, &[only]).await?;
        let exceptions = SMALL_TARGETS.map(|(which, _)| which).join(", ");
        let small = if is_new { fixture.page.eval(SMALL, &[json!(exceptions)]).await? } else { Value::Null };
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
    async fn look_twice(&mut self, fixture: &Fixture, screen: &str) -> Result<()> {
        for theme in ["light", "dark"] {
            fixture
                .page
                .eval("document.documentElement.dataset.theme = arguments[0]", &[json!(theme)])
                .await?;
            self.look(fixture, screen, theme).await?;
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
pub(crate) async fn every_screen(fixture: &mut Fixture) -> Result<()> {
    let Ok(rules) = fs::read_to_string(package()) else {
        return Err(crate::missing_software(format_args!("axe-core, at {}", package().display())));
    };
    let mut found = Found::new(rules);
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    for theme in ["dark", "light"] {
        fixture.page.set_local("nexus_boot", &json!({ "theme": theme }).to_string()).await?;
        fixture.page.reload().await?;
        fixture.page.see(FIRST_START).await?;
        found.look(fixture, "first start", theme).await?;
    }
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fixture.page.click(OPEN_SETTINGS).await?;
    for theme in ["light", "dark"] {
        fixture.page.choose(THEME_SELECT, theme).await?;
        let set = "document.documentElement.dataset.theme === arguments[0]";
        fixture.page.wait_for("the theme", set, &[json!(theme)]).await?;
    }
    fixture.page.see(DATA_EXPORT).await?;
    for id in section_ids(&fixture.page).await? {
        fixture.page.see(Selector::css(&format!("#{id}"))).await?;
        found.look_twice(fixture, &id).await?;
    }
    fixture.page.eval("document.activeElement?.blur()", &[]).await?;
    fixture.page.press("h").await?;
    fixture.page.see(FILE_EDITOR).await?;
    fixture.page.see(CORE).await?;
    found.look_twice(fixture, "war room").await?;
    fixture.page.press(Key::Control + "k").await?;
    fixture.page.see(PALETTE_ROW).await?;
    found.look_twice(fixture, "palette").await?;
    fixture.page.press("show keyboard shortcuts").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.see(KEY_SHEET).await?;
    found.look_twice(fixture, "keys").await?;
    fixture.page.click(KEY_SHEET_CLOSE).await?;
    fixture.page.hidden(KEY_SHEET).await?;
    fixture.page.click(FACE_COMPARE).await?;
    fixture.page.see(HUNK).await?;
    found.look_twice(fixture, "compare").await?;
    fixture.page.click(FACE_PREVIEW).await?;
    fixture.page.see(PREVIEW).await?;
    found.look_twice(fixture, "preview").await?;
    fixture.page.click(FACE_EDIT).await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.see(FILES_PANEL).await?;
    found.look_twice(fixture, "all files").await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.resize(360, 780).await?;
    found.look_twice(fixture, "war room on a telephone").await?;
    fixture.page.resize(1440, 900).await?;
    fixture.page.click(OPEN_AUDIT).await?;
    fixture.page.see(AUDIT_ROW).await?;
    fixture.page.click(AUDIT_ROW).await?;
    fixture.page.see(AUDIT_DETAIL).await?;
    found.look_twice(fixture, "audit").await?;
    fixture.page.press(Key::Control + "k").await?;
    fixture.page.see(PALETTE_INPUT).await?;
    fixture.page.press("inspect newest").await?;
    fixture.page.press(Key::Enter).await?;
    fixture.page.see(INSPECT_HEAD).await?;
    fixture.page.see(INSPECT_CALL).await?;
    found.look_twice(fixture, "inspector").await?;
    found.verdict()
}

/// Temporary elements: session list, turn menu, memories, tool approval, tree with its dialogs, locked keys,
/// recovery. The theme is set by the page's attribute; the setting itself is tested above.
pub(crate) async fn dialogs(fixture: &mut Fixture) -> Result<()> {
    let Ok(rules) = fs::read_to_string(package()) else {
        return Err(crate::missing_software(format_args!("axe-core, at {}", package().display())));
    };
    let mut found = Found::new(rules);
    app::set_up(fixture).await?;
    write(fixture, "one\ntwo\nthree\n", "It stands.").await?;
    fixture.page.click(FACE_MEMORIES).await?;
    fixture.page.see(MEMORY_SEARCH).await?;
    found.look_twice(fixture, "memories").await?;
    fixture.page.click(FACE_EDIT).await?;
    fixture.page.click(SESSION_SWITCHER).await?;
    fixture.page.see(SESSION_OPEN).await?;
    found.look_twice(fixture, "sessions").await?;
    fixture.page.click(SESSION_CLOSE).await?;
    fixture.page.hidden(SESSION_LIST).await?;
    fixture.page.click_last(TURN_ACTIONS).await?;
    fixture.page.see(TURN_MENU).await?;
    found.look_twice(fixture, "menu of a turn").await?;
    fixture.page.press(Key::Escape).await?;
    fixture.page.hidden(TURN_MENU).await?;
    // Approved, stopped; then the keys are locked.
    rule(&fixture.page, "engineer", "write_file", "ask").await?;
    let wanted = json!({ "name": "a.txt", "content": "as asked\n" });
    fixture.provider.queue_for("Engineer", Answer::new().call("write_file", wanted));
    app::send_to(&fixture.page, "engineer", "And another.").await?;
    fixture.page.see(APPROVAL_CARD).await?;
    found.look_twice(fixture, "a tool that asks").await?;
    fixture.page.click(STOP).await?;
    app::idle(&fixture.page).await?;

    // Two conflicting branches.
    fixture.page.click(OPEN_TREE).await?;
    fixture.page.see(TREE.with("data-done", "true")).await?;
    fixture.page.click(TREE_FORK).await?;
    fixture.page.see_text(TREE_SUMMARY, "2 sessions").await?;
    found.look_twice(fixture, "tree").await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.see(WAR_ROOM).await?;
    write(fixture, "one\nTHEIRS\nthree\n", "Theirs.").await?;
    fixture.page.click(OPEN_TREE).await?;
    fixture.page.see(TREE.with("data-done", "true")).await?;
    fixture.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    fixture.page.click(TREE_OPEN).await?;
    fixture.page.see_text(SESSION_SWITCHER, "main").await?;
    write(fixture, "one\nOURS\nthree\n", "Ours.").await?;
    fixture.page.click(OPEN_TREE).await?;
    fixture.page.see(TREE.with("data-done", "true")).await?;
    fixture.page.click(TREE_MARK).await?;
    fixture.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    fixture.page.click(TREE_COMPARE).await?;
    fixture.page.see(TREE_DIFF).await?;
    found.look_twice(fixture, "two turns compared").await?;
    fixture.page.click(TREE_COMPARE_CLOSE).await?;
    fixture.page.hidden(TREE_COMPARED).await?;
    fixture.page.click(TREE_MERGE).await?;
    fixture.page.see(MERGE_BOTH).await?;
    found.look_twice(fixture, "merge").await?;
    fixture.page.press(Key::Escape).await?;
    fixture.page.hidden(MERGE).await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.see(WAR_ROOM).await?;

    let graphs = fixture.site.url("/run/?edit=1");
    fixture.page.goto(&graphs).await?;
    open_template(&fixture.page, "built:0").await?;
    fixture.page.see(GRAPH_NODE).await?;
    found.look_twice(fixture, "graph editor").await?;
    fixture.page.click(GRAPH_NODE.with("data-node", "build")).await?;
    fixture.page.see(GRAPH_KEY).await?;
    found.look_twice(fixture, "graph editor, a node").await?;
    fixture.page.click_last(GRAPH_EDGE).await?;
    fixture.page.see(GRAPH_WHEN).await?;
    found.look_twice(fixture, "graph editor, an edge").await?;
    fixture.page.click(RUN_IMPORT).await?;
    fixture.page.see(RUN_IMPORT_FILE).await?;
    found.look_twice(fixture, "import of a run").await?;
    fixture.page.click(RUN_IMPORT_CANCEL).await?;
    let run = fixture.site.url("/run/");
    fixture.page.goto(&run).await?;
    fixture.page.see(RUN_NODE).await?;
    found.look_twice(fixture, "run").await?;
    for (path, drawn) in [("/usage/", USAGE_SUMMARY), ("/help/", HELP_VERSION)] {
        fixture.page.goto(&fixture.site.url(path)).await?;
        fixture.page.see(drawn).await?;
        found.look_twice(fixture, path).await?;
    }
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;

    open_settings(&fixture.page).await?;
    fixture.page.click(KEY_KEEP_PASSPHRASE).await?;
    fixture.page.fill(PASSPHRASE, "four canary words here").await?;
    fixture.page.click(KEY_REMEMBER).await?;
    fixture.page.see_text(KEY_STATE, "and unlocked").await?;
    fixture.page.click(KEY_LOCK).await?;
    fixture.page.see_text(KEY_STATE, "and locked").await?;
    leave_settings(&fixture.page).await?;
    app::send_to(&fixture.page, "critic", "Are you there?").await?;
    fixture.page.see(UNLOCK_DIALOG).await?;
    found.look_twice(fixture, "locked keys").await?;
    fixture.expect_fault(TRAP_WORDS);
    fixture.page.eval_async("await import(arguments[0])", &[TRAP_SCRIPT.into()]).await?;
    fixture.page.see(RECOVERY).await?;
    found.look_twice(fixture, "recovery").await?;
    found.verdict()
}

/// The Engineer writes a file and answers.
async fn write(fixture: &Fixture, text: &str, answer: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("beacon.txt", text));
    fixture.provider.queue_for("Engineer", Answer::say(answer));
    app::send_to(&fixture.page, "engineer", "Write it.").await?;
    fixture.page.see_text(answers_of("engineer"), answer).await?;
    app::idle(&fixture.page).await
}
