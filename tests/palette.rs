//! Checks that the palette has every action: each button in the sources of the screens has an equivalent action, or
//! is listed here with a reason.

#![allow(clippy::unwrap_used, clippy::string_slice, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// By file: its buttons, each with its equivalent action. A star matches the rest of a name.
#[rustfmt::skip]
const ACTIONS: &[(&str, &[(&str, &str)])] = &[
    ("agents.rs", &[("activity-open", "activity"), ("agent-priority", "priority-*"), ("agent-mute", "mute-*")]),
    ("audit.rs", &[("audit-export", "audit-export")]),
    ("board.rs", &[("tab.name", "face-edit")]),
    ("board/code_text.rs", &[("editor-wrap", "editor-wrap")]),
    ("board/compare.rs", &[("compare-earlier", "load-earlier"), ("accept-all", "changes-accept")]),
    ("board/core_panel.rs", &[
        ("core-stop", "core-stop"), ("core-sync", "core-sync"), ("core-retry", "core-sync"),
        ("core-apply", "core-apply"), ("core-dismiss", "core-dismiss"), ("core-undo", "core-undo"),
    ]),
    ("board/editor.rs", &[
        ("file-change", "file-change"), ("file-rename", "file-rename"), ("file-delete", "file-delete"),
        ("file-all", "file-all"), ("file-new", "file-new"), ("file-first", "file-new"),
        ("file-tab", "open-*"),
    ]),
    ("chat/composer.rs", &[("composer-size", "composer-size"), ("composer-here", "thread-send")]),
    ("chat/composer/images.rs", &[("attach", "attach")]),
    ("chat/ending.rs", &[
        ("retry", "retry"), ("resume", "retry"), ("retry-now", "run-retry-now"),
        ("retry-stop", "run-stop-waiting"), ("go_on_test", "run-go-on"), ("end_test", "run-end"),
    ]),
    ("chat/message_actions.rs", &[
        ("pins-open", "timeline-pins"), ("find-open", "timeline-find"), ("test", "message-edit"),
        ("message-copy", "message-copy"), ("message-quote", "message-more"), ("message-pin", "message-more"),
        ("message-more", "message-more"), ("name", "message-more"),
    ]),
    ("chat/message_overrides.rs", &[("override-open", "message-over")]),
    ("chat/queue.rs", &[("queue-send-all", "queue-send"), ("queue-discard-all", "queue-discard")]),
    ("chat/race.rs", &[
        ("race-end", "race-end"), ("race-stop", "race-stop-*"), ("race-compare", "race-compare"),
        ("race-use", "race-use-*"),
    ]),
    ("chat.rs", &[("timeline-newest", "timeline-newest"), ("load-earlier", "load-earlier")]),
    ("chat/turn_menu.rs", &[("turn-actions", "turn-actions")]),
    ("chat/voice.rs", &[
        ("voice-hands-free", "voice-hands-free"), ("voice-auto-read", "voice-auto-read"),
        ("voice-stop", "voice-talk"), ("microphone", "voice-talk"),
    ]),
    ("screens/help.rs", &[("help-keys", "keys"), ("help-palette", "palette")]),
    ("agents/gauge.rs", &[
        ("gauge", "compact"), ("compact", "compact"), ("compaction-stop", "compaction-stop"),
    ]),
    ("run_graph.rs", &[
        ("run-copy", "run-copy"), ("run-import", "run-import"), ("run-edit-graphs", "graph-editor"),
    ]),
    ("run_graph/folder.rs", &[("run-export", "run-export")]),
    ("chat/run_summary.rs", &[
        ("changes-review", "face-compare"), ("changes-accept", "changes-accept"),
        ("changes-revert", "changes-revert"), ("run-checks", "checks-run"), ("see-it-run", "preview-*"),
        ("catch-up-open", "run-catch-up"), ("catch-up-review", "face-compare"),
        ("catch-up-undo", "run-undo-round"),
    ]),
    ("sessions.rs", &[
        ("session-pin", "session-pin"), ("session-rename", "session-list"),
        ("session-markdown", "export-markdown"), ("session-html", "export-html"),
        ("session-history", "past-heads"), ("session-menu-archive", "session-archive"),
        ("session-menu-delete", "session-delete"), ("rail-find", "session-list"), ("rail-new", "session-new"),
        ("rail-more", "session-list"), ("rail-session", "session-*"), ("rail-menu", "session-list"),
    ]),
    ("settings/agents.rs", &[("agent-add", "agent-add")]),
    ("settings/data.rs", &[
        ("data-export", "data-export"), ("data-export-one", "data-export"),
        ("data-point-make", "data-points"), ("data-reset", "data-reset"),
    ]),
    ("settings/providers.rs", &[("provider-add", "provider-add")]),
    ("settings/providers/key.rs", &[("key-lock", "keys-lock")]),
    ("settings/triggers.rs", &[("trigger-add", "trigger-add")]),
    ("shell.rs", &[("notice-undo", "undo")]),
    ("shell/top_bar.rs", &[
        ("banner-key", "setting-*"), ("save-from-memory", "save-from-memory"), ("work-here", "work-here"),
        ("new-version-take", "reload"),
        ("open-palette", "palette"), ("session-switcher", "session-list"), ("stop", "run-stop"),
    ]),
    ("shell/war_room.rs", &[("arrow", "fold-agents"), ("title", "pane-agents")]),
    ("tree_map/turn_snapshot.rs", &[
        ("snapshot-older", "past-back"), ("snapshot-newer", "snapshot-newer"), ("snapshot-continue", "past-continue"),
        ("snapshot-return", "past-return"),
    ]),
    ("screens/usage.rs", &[("usage-copy", "usage-copy")]),
];

/// Buttons without an action: a file, or one of its buttons after a `#`, and the reason.
#[rustfmt::skip]
const EXCEPTIONS: &[(&str, &[&str])] = &[
    ("one row of a list: the row is chosen by pointing at it", &[
        "agents.rs#()", "board/comparison.rs", "chat/queue.rs#queue-send",
        "chat/queue.rs#queue-edit", "chat/queue.rs#queue-withdraw", "chat/message_actions/menu.rs",
        "chat/message_actions/find_bar.rs", "chat/message_actions.rs#tool-file", "chat/message_actions.rs#tool-message",
        "chat/turn_menu.rs#fork-origin", "chat/turn_menu.rs#go-ahead", "chat/turn_menu.rs#sibling-previous",
        "chat/turn_menu.rs#sibling-next", "chat/voice.rs#read-aloud", "chat/workers",
        "chat/race.rs#race-resume", "chat/race.rs#retry", "chat/race.rs#race-merge", "chat/composer/images.rs#image-remove",
        "chat/answer", "chat/keep_going.rs", "board/memories.rs",
        "run_graph/node_panel.rs", "run_graph/canvas.rs#run-node", "screens/inspect.rs", "tree_map/card.rs",
        "tree_map/turn_snapshot.rs#snapshot-file", "sessions.rs#session-open", "sessions.rs#session-worker",
        "sessions.rs#test", "sessions.rs#session-heads", "sessions.rs#session-name", "files/import.rs",
        "board/compare.rs#accept-file", "board/compare.rs#revert-file", "board/compare.rs#common::SHOW",
        "board/compare.rs#hunk-accept", "board/compare.rs#hunk-revert", "board/compare.rs#hunk-turn",
        "audit.rs#audit-run", "audit.rs#audit-chain", "audit.rs#audit-close",
    ]),
    ("a step of what an action opens: a dialog, a card, a form", &[
        "board/checks.rs", "board/shared_field.rs", "board/compare.rs#send-back", "board/compare.rs#common::CANCEL", "board/preview.rs",
        "board/editor.rs#editor_words::LONG_ANYWAY", "board/code_text.rs",
        "chat/approval_card.rs", "chat/message_overrides.rs", "chat/queue.rs",
        "chat/turn_menu.rs", "chat/composer.rs#send", "files.rs",
        "run_graph/editor.rs", "run_graph/editor_form.rs", "run_graph/template_dialog.rs",
        "run_graph/folder.rs", "run_graph/node_panel.rs", "run_graph/transcript_pane.rs",
        "run_graph/terminal_pane.rs", "chat/run_summary.rs#catch-up-close", "search.rs",
        "tree_map/reflog.rs", "tree_map/merge.rs",
        "tree_map/turn_snapshot.rs#snapshot-more", "palette.rs", "audit.rs#audit-clear",
        "chat/race.rs#race-start", "chat/race.rs#race-close", "sessions.rs#session-new", "sessions.rs#session-close",
        "sessions.rs#session-find-all", "sessions.rs#session-more", "sessions.rs#session-undo",
        "sessions.rs#session-keep", "sessions.rs#common::CANCEL", "sessions.rs#session-filter",
    ]),
    ("a field of a section of the settings, which the palette opens by each field's name", &["settings"]),
    ("moves what is looked at on its screen, by the keys that its label names", &[
        "run_graph/canvas.rs", "run_graph/editor_canvas.rs", "run_graph/frame.rs",
        "run_graph.rs#run-split", "run_graph.rs#run-play", "run_graph.rs#run-before", "run_graph.rs#run-after",
        "run_graph.rs#run-live", "tree_map/plane.rs",
    ]),
    ("closes or dismisses what holds it, as Escape does", &["board/core_panel.rs#core-failed-dismiss", "chat/voice.rs#voice-close", "run_graph.rs#run-import-close", "shell/top_bar.rs#icon(icon::CLOSE)", "shell.rs#icon(icon::CLOSE)"]),
    ("unfolds controls that have actions of their own", &["chat/composer.rs#composer-more"]),
    ("sets a voice on its field, or leads through the first start", &["chat/voice.rs#voice-test", "first_start"]),
];

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("src/ui")
}

fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            let name = path.strip_prefix(ui()).unwrap().to_str().unwrap().to_owned();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Index after the closing bracket, starting after the opening one.
fn balanced(text: &str) -> usize {
    let mut depth = 1usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// A call with its method chain, starting after its first bracket; and the end of its arguments.
fn chain(text: &str) -> (&str, usize) {
    let arguments = balanced(text);
    let mut end = arguments;
    loop {
        let rest = &text[end..];
        let call = rest.trim_start();
        let name = call.strip_prefix('.').map_or(0, |call| {
            call.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(0)
        });
        if name == 0 || !call[1 + name..].starts_with('(') {
            return (&text[..end], arguments);
        }
        let open = end + (rest.len() - call.len()) + 1 + name + 1;
        end = open + balanced(&text[open..]);
    }
}

fn between<'t>(text: &'t str, before: &str, after: &[char]) -> Option<&'t str> {
    let from = text.find(before)? + before.len();
    let value = text[from..].trim_start_matches('"');
    Some(value[..value.find(after)?].trim())
}

/// The buttons of a file, by test id, else by label.
fn buttons(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for maker in ["button(", "menu_item(", "list_option(", "<button"] {
        for (at, _) in text.match_indices(maker) {
            let before = &text[..at];
            let stem = before.trim_end_matches("plain_").trim_end_matches("quiet_").trim_end_matches("icon_");
            let is_other = stem
                .ends_with(|letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter))
                || stem.ends_with("fn ");
            let inner = &text[at + maker.len()..];
            if is_other && maker != "<button" || inner.starts_with(')') {
                continue;
            }
            let key = if maker == "<button" {
                let element = &inner[..inner.find("</button>").unwrap()];
                let start = element.find("\n").unwrap_or(element.len());
                between(element, "data-testid=", &['"', '\n', ' ']).unwrap_or(&element[start..]).to_owned()
            } else {
                let (chain, arguments) = chain(inner);
                let of_test = between(chain, ".test(", &['"', ')']);
                let of_attribute = between(chain, "\"data-testid\", ", &['"', ',', '(', ')']);
                let mut labels = chain[..arguments - 1].trim();
                if before.ends_with("plain_") {
                    labels = labels.split_once(',').map_or(labels, |(_, label)| label.trim());
                }
                let label = labels.trim_start_matches('"').split(['"', ',']).next().unwrap_or_default();
                of_test.or(of_attribute).unwrap_or(label).to_owned()
            };
            found.push(key);
        }
    }
    found
}

/// The names of all actions in the sources.
fn action_names() -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&ui().join("actions"), &mut files);
    // The tabs of the board.
    files.push((String::new(), fs::read_to_string(ui().join("workspace.rs")).unwrap()));
    let quoted = files.iter().flat_map(|(_, text)| text.split('"').skip(1).step_by(2));
    quoted
        .map(|name| name.split_once('{').map_or_else(|| name.to_owned(), |(stem, _)| format!("{stem}*")))
        .collect()
}

#[test]
fn every_button_has_a_palette_action_or_a_listed_reason() {
    let mut files = Vec::new();
    sources(&ui(), &mut files);
    let actions = action_names();
    let mut used = BTreeSet::new();
    let mut missing = Vec::new();
    for (file, text) in &files {
        if ["kit/", "hooks/", "actions"].iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        let of_file = ACTIONS.iter().find(|(name, _)| name == file).map(|(_, all)| *all).unwrap_or_default();
        for button in buttons(text) {
            let named = format!("{file}#{button}");
            let action = of_file.iter().find(|(name, _)| *name == button);
            let reason = EXCEPTIONS.iter().flat_map(|(_, all)| *all).find(|one| {
                named == **one
                    || file == *one
                    || file.strip_prefix(**one).is_some_and(|rest| rest.starts_with(['/', '.']))
            });
            match (action, reason) {
                (Some((_, action)), _) => {
                    assert!(actions.contains(*action), "{named}: the palette has no {action}");
                    used.insert(named);
                }
                (None, Some(reason)) => drop(used.insert((*reason).to_owned())),
                (None, None) => missing.push(named),
            }
        }
    }
    assert!(
        missing.is_empty(),
        "neither an action of the palette nor an exception:\n  {}",
        missing.join("\n  ")
    );
    let listed =
        ACTIONS.iter().flat_map(|(file, all)| all.iter().map(move |(button, _)| format!("{file}#{button}")));
    let excepted = EXCEPTIONS.iter().flat_map(|(_, all)| all.iter().map(|one| (*one).to_owned()));
    let obsolete: Vec<_> = listed.chain(excepted).filter(|one| !used.contains(one)).collect();
    assert!(obsolete.is_empty(), "these buttons no longer exist: {obsolete:#?}");
}

#[test]
fn buttons_of_every_kind_are_found() {
    let text = r#"
        fn button(x) {}
        {button(words::A).first().test("one").on_click(move |_| f())}
        {quiet_button(move || g(1)).with("data-testid", "two")}
        {plain_button("class", words::LABEL)}
        <button type="button" data-testid="three" on:click=go>"x"</button>
        if event.button() == 0 {}
    "#;
    assert_eq!(buttons(text), ["one", "two", "words::LABEL", "three"]);
}
