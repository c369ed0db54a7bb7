use futures_util::FutureExt as _;
use serde_json::json;

use super::*;
use nexus_model::agent::defaults::first_agents;
use nexus_model::agent::permission::WRITE_TOOLS;
use nexus_model::mind::{Mind, MindEdit, MindWrite};

fn view() -> ToolContext {
    let mind = Mind::default().with(&[
        MindEdit::File { name: "a.txt".into(), text: "one\ntwo\nthree\n".into() },
        MindEdit::Active { name: Some("a.txt".into()) },
    ]);
    ToolContext {
        mind: VisibleMind::whole(&Arc::new(mind)),
        permissions: EffectivePermissions::alone(&first_agents().remove(0)),
        agent: Arc::new(first_agents().remove(0)),
        run: None,
        rules: Arc::new([]),
        approved: false,
        previews: LatestPreview::default(),
        parts: std::rc::Rc::new(crate::lazy::loader::BuiltInEngine::default()),
        terminals: Default::default(),
        writes: Vec::new(),
        last_checks: Vec::new(),
    }
}

/// Sets the agent of the view, with its permissions.
fn give_to(view: &mut ToolContext, agent: Agent) {
    view.permissions = EffectivePermissions::alone(&agent);
    view.mind = VisibleMind::new(&Arc::new((*view.mind).clone()), &view.permissions.sandbox());
    view.agent = Arc::new(agent);
}

fn call(name: &str, args: Value) -> ToolOutcome {
    call_with(view(), name, ToolArgs::Parsed(args))
}

fn call_with(view: ToolContext, name: &str, args: ToolArgs) -> ToolOutcome {
    let call = ToolCall { id: "1".into(), own_id: false, name: name.into(), args };
    run(&call, view).now_or_never().unwrap()
}

fn failed(outcome: ToolOutcome) -> String {
    let (ToolOutcome::Failed { message } | ToolOutcome::Denied { message }) = outcome else {
        panic!("expected a failure, got {outcome:?}");
    };
    message
}

fn result(outcome: ToolOutcome) -> Value {
    let ToolOutcome::Done { result, .. } = outcome else { panic!("expected success, got {outcome:?}") };
    result
}

fn writes(outcome: ToolOutcome) -> Vec<MindWrite> {
    let ToolOutcome::Done { writes, .. } = outcome else { panic!("expected success, got {outcome:?}") };
    writes
}

#[test]
fn active_file_has_name_size_and_lines() {
    let output = result(call("get_active_file", json!({})));
    assert_eq!(output, json!({"name": "a.txt", "bytes": 14, "lines": 3}));
}

#[test]
fn range_is_read_with_line_numbers() {
    let output = result(call("read_file", json!({"name": "a.txt", "from_line": 2, "to_line": 9})));
    assert_eq!(output["text"], "2\ttwo\n3\tthree\n");
    assert_eq!(output["to_line"], 3);
    assert!(failed(call("read_file", json!({"name": "b"}))).contains("a.txt"));
}

#[test]
fn both_names_of_the_content_field_write_the_active_file() {
    for field in ["activeFile", "activeFileContent"] {
        let found = writes(call("update_nexus_state", json!({field: "new", "scratchpad": "plan"})));
        assert!(found.contains(&MindWrite::File { name: "a.txt".into(), text: "new".into() }), "{field}");
        assert!(found.contains(&MindWrite::Scratchpad("plan".into())));
    }
    assert!(failed(call("update_nexus_state", json!({}))).contains("at least one"));
}

#[test]
fn invalid_arguments_run_nothing() {
    assert!(failed(call("write_file", json!({"name": "x"}))).contains("must have `content`"));
    assert!(failed(call("write_file", json!(["x"]))).contains("Nothing was run"));
    assert!(
        failed(call_with(view(), "write_file", ToolArgs::Broken("{\"na".into()))).contains("not valid JSON")
    );
    assert!(failed(call("no_such_tool", json!({}))).contains("no tool named"));
    assert!(failed(call("accept_work", json!({"accepted": true, "reasons": "r"}))).contains("no tool named"));
}

#[test]
fn permissions_are_checked_when_the_tool_runs() {
    let mut view = view();
    let mut agent = view.agent.as_ref().clone();
    agent.permissions.tools_denied.push("write_file".into());
    agent.permissions.sandbox = Some(vec!["docs/*".into()]);
    give_to(&mut view, agent);
    let write = ToolArgs::Parsed(json!({"name": "docs/a", "content": ""}));
    assert!(failed(call_with(view.clone(), "write_file", write)).contains("not allowed to use"));
    let read = ToolArgs::Parsed(json!({"name": "a.txt"}));
    assert!(failed(call_with(view.clone(), "read_file", read)).contains("not allowed to touch"));
    let update = ToolArgs::Parsed(json!({"activeFile": "x"}));
    assert!(failed(call_with(view, "update_nexus_state", update)).contains("not allowed to touch"));
}

#[test]
fn file_is_renamed_and_deleted_by_name() {
    let renamed = writes(call("rename_file", json!({"name": "a.txt", "to": "docs/a.txt"})));
    assert_eq!(renamed, [MindWrite::Rename { from: "a.txt".into(), to: "docs/a.txt".into() }]);
    assert_eq!(writes(call("delete_file", json!({"name": "a.txt"}))), [MindWrite::Remove("a.txt".into())]);
}

#[test]
fn file_is_not_renamed_out_of_the_sandbox() {
    let mut view = view();
    let mut agent = view.agent.as_ref().clone();
    agent.permissions.sandbox = Some(vec!["a*".into()]);
    give_to(&mut view, agent);
    let to = |to: &str| ToolArgs::Parsed(json!({"name": "a.txt", "to": to}));
    assert!(
        failed(call_with(view.clone(), "rename_file", to("b.txt"))).contains("not allowed to touch b.txt")
    );
    assert_eq!(writes(call_with(view.clone(), "rename_file", to("a/b.txt"))).len(), 1);
    let delete = ToolArgs::Parsed(json!({"name": "b.txt"}));
    assert!(failed(call_with(view, "delete_file", delete)).contains("not allowed to touch"));
}

#[test]
fn find_in_files_returns_lines_of_permitted_files_only() {
    let mut view = view();
    let mind = view.mind.with(&[MindEdit::File { name: "src/b.txt".into(), text: "Two\n".into() }]);
    view.mind = VisibleMind::whole(&Arc::new(mind));
    let find = |view: &ToolContext, args: Value| {
        result(call_with(view.clone(), "find_in_files", ToolArgs::Parsed(args)))
    };
    let output = find(&view, json!({"text": "two", "around": 1}));
    assert_eq!(
        output,
        json!({"found": 1, "lines": [{"file": "a.txt", "line": 2, "text": "1\tone\n2\ttwo\n3\tthree\n"}]})
    );
    assert_eq!(find(&view, json!({"text": "TWO", "any_case": true}))["found"], 2);
    assert_eq!(find(&view, json!({"text": "TWO", "any_case": true, "files": "src/*"}))["found"], 1);
    assert!(
        failed(call_with(view.clone(), "find_in_files", ToolArgs::Parsed(json!({"text": "a\nb"}))))
            .contains("one line")
    );
    let mut agent = view.agent.as_ref().clone();
    agent.permissions.sandbox = Some(vec!["src/*".into()]);
    give_to(&mut view, agent);
    assert_eq!(find(&view, json!({"text": "two"}))["found"], 0, "tools without permission are not offered");
}

#[test]
fn search_with_too_many_hits_has_a_note() {
    let mut view = view();
    let text = "needle\n".repeat(1_000);
    let mind = view.mind.with(&[MindEdit::File { name: "long".into(), text }]);
    view.mind = VisibleMind::whole(&Arc::new(mind));
    let output = result(call_with(view, "find_in_files", ToolArgs::Parsed(json!({"text": "needle"}))));
    assert_eq!(output["found"], 1_000);
    assert!(output["note"].as_str().unwrap().contains("100"));
}

#[test]
fn no_tool_shows_a_file_that_the_agent_may_not_touch() {
    let mut view = view();
    view.mind = VisibleMind::whole(&Arc::new(view.mind.with(&[
        MindEdit::File { name: "docs/open.md".into(), text: "shown word\n".into() },
        MindEdit::File { name: "plans.txt".into(), text: "hidden word\n".into() },
        MindEdit::Active { name: Some("plans.txt".into()) },
    ])));
    let mut agent = view.agent.as_ref().clone();
    agent.permissions.sandbox = Some(vec!["docs/*".into()]);
    give_to(&mut view, agent);
    let cases = [
        ("get_active_file", json!({})),
        ("list_files", json!({})),
        ("read_file", json!({"name": "docs/open.md"})),
        ("read_file", json!({"name": "docs/other.md"})),
        ("find_in_files", json!({"text": "word"})),
        ("find_in_files", json!({"text": "word", "files": "*"})),
        ("edit_file", json!({"name": "docs/open.md", "search": "word", "replace": "w"})),
        ("write_file", json!({"name": "docs/new.md", "content": "x"})),
        ("rename_file", json!({"name": "docs/open.md", "to": "docs/b.md"})),
        ("delete_file", json!({"name": "docs/open.md"})),
        ("update_nexus_state", json!({"activeFile": "x"})),
        ("update_nexus_state", json!({"scratchpad": "x"})),
        ("delegate", json!({"task": "look"})),
        ("accept_work", json!({"accepted": true, "reasons": "r"})),
        ("read_preview_console", json!({})),
        ("hand_off", json!({"node": "build", "message": "m"})),
        ("add_node", json!({"node": "check", "kind": "docs"})),
        ("add_edge", json!({"from": "a", "to": "b"})),
        ("ask_operator", json!({"question": "q"})),
        ("finish_run", json!({"summary": "s"})),
        ("run_checks", json!({})),
        ("send_to_terminal", json!({"node": "build", "line": "ls"})),
        ("read_terminal", json!({"node": "build"})),
    ];
    for (name, args) in &cases {
        let outcome = call_with(view.clone(), name, ToolArgs::Parsed(args.clone()));
        let output = format!("{outcome:?}");
        if matches!(&outcome, ToolOutcome::Done { writes, .. } if !writes.is_empty()) {
            assert!(WRITE_TOOLS.contains(name), "{name} writes without being one of the tools that do");
        }
        for hidden in ["plans", "hidden word", "a.txt", "three"] {
            assert!(!output.contains(hidden), "{name} {args} told {output}");
        }
    }
    for (name, _) in all() {
        assert!(cases.iter().any(|(tried, _)| *tried == name), "{name} was not tried");
    }
    let active = result(call_with(view.clone(), "get_active_file", ToolArgs::Parsed(json!({}))));
    assert!(active["name"].is_null() && active["note"].as_str().unwrap().contains("not allowed to see"));
    let listed = result(call_with(view.clone(), "list_files", ToolArgs::Parsed(json!({}))));
    assert_eq!(listed["files"][0]["name"], "docs/open.md");
    assert_eq!(listed["files"].as_array().unwrap().len(), 1);
    for (name, args) in [
        ("read_file", json!({"name": "plans.txt"})),
        ("edit_file", json!({"name": "plans.txt", "search": "hidden", "replace": "x"})),
        ("delete_file", json!({"name": "plans.txt"})),
        ("rename_file", json!({"name": "docs/open.md", "to": "plans.txt"})),
        ("update_nexus_state", json!({"activeFileName": "plans.txt"})),
    ] {
        let output = failed(call_with(view.clone(), name, ToolArgs::Parsed(args)));
        assert_eq!(
            output, "You are not allowed to touch plans.txt.",
            "{name} tells nothing of what is there"
        );
    }
}

#[test]
fn models_are_told_of_the_tools_in_these_words() {
    let specs: Vec<_> = TOOLS.iter().map(ErasedTool::spec).collect();
    let output = serde_json::to_string_pretty(&specs).unwrap();
    insta::with_settings!({
        snapshot_path => "../../tests/snapshots", prepend_module_to_snapshot => false, omit_expression => true,
    }, { insta::assert_snapshot!("tools", output) });
}
