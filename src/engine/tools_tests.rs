use futures_util::FutureExt as _;
use serde_json::json;

use super::*;
use crate::domain::mind::MindEdit;
use crate::domain::mind::MindWrite;
use crate::domain::roster::first_agents;

fn view() -> ToolView {
    let mind = Mind::default().with(&[
        MindEdit::File { name: "a.txt".into(), text: "one\ntwo\nthree\n".into() },
        MindEdit::Active { name: Some("a.txt".into()) },
    ]);
    ToolView {
        mind: Arc::new(mind),
        standing: Standing::alone(&first_agents().remove(0)),
        agent: Arc::new(first_agents().remove(0)),
        run: None,
        rules: Arc::new([]),
        approved: false,
    }
}

fn call(name: &str, args: Value) -> ToolOutcome {
    call_with(view(), name, ToolArgs::Parsed(args))
}

fn call_with(view: ToolView, name: &str, args: ToolArgs) -> ToolOutcome {
    let call = ToolCall { id: "1".into(), own_id: false, name: name.into(), args };
    Registry::default().run(&call, view).now_or_never().unwrap()
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
fn the_active_file_is_told_by_name_size_and_lines() {
    let told = result(call("get_active_file", json!({})));
    assert_eq!(told, json!({"name": "a.txt", "bytes": 14, "lines": 3}));
}

#[test]
fn a_range_is_read_with_line_numbers() {
    let told = result(call("read_file", json!({"name": "a.txt", "from_line": 2, "to_line": 9})));
    assert_eq!(told["text"], "2\ttwo\n3\tthree\n");
    assert_eq!(told["to_line"], 3);
    assert!(failed(call("read_file", json!({"name": "b"}))).contains("a.txt"));
}

#[test]
fn the_seeds_field_and_its_other_name_both_write_the_active_file() {
    for field in ["activeFile", "activeFileContent"] {
        let found = writes(call("update_nexus_state", json!({field: "new", "scratchpad": "plan"})));
        assert!(found.contains(&MindWrite::File { name: "a.txt".into(), text: "new".into() }), "{field}");
        assert!(found.contains(&MindWrite::Scratchpad("plan".into())));
    }
    assert!(failed(call("update_nexus_state", json!({}))).contains("at least one"));
}

#[test]
fn arguments_that_do_not_fit_run_nothing() {
    assert!(failed(call("write_file", json!({"name": "x"}))).contains("must have `content`"));
    assert!(failed(call("write_file", json!(["x"]))).contains("Nothing was run"));
    assert!(
        failed(call_with(view(), "write_file", ToolArgs::Broken("{\"na".into()))).contains("not valid JSON")
    );
    assert!(failed(call("no_such_tool", json!({}))).contains("no tool named"));
    assert!(failed(call("accept_work", json!({"accepted": true, "reasons": "r"}))).contains("no tool named"));
}

#[test]
fn permissions_are_held_where_the_tool_runs() {
    let mut view = view();
    let mut agent = view.agent.as_ref().clone();
    agent.permissions.tools_denied.push("write_file".into());
    agent.permissions.sandbox = Some(vec!["docs/*".into()]);
    view.standing = Standing::alone(&agent);
    view.agent = Arc::new(agent);
    let write = ToolArgs::Parsed(json!({"name": "docs/a", "content": ""}));
    assert!(failed(call_with(view.clone(), "write_file", write)).contains("not allowed to use"));
    let read = ToolArgs::Parsed(json!({"name": "a.txt"}));
    assert!(failed(call_with(view.clone(), "read_file", read)).contains("not allowed to touch"));
    let update = ToolArgs::Parsed(json!({"activeFile": "x"}));
    assert!(failed(call_with(view, "update_nexus_state", update)).contains("not allowed to touch"));
}

#[test]
fn a_file_is_renamed_and_deleted_by_name() {
    let renamed = writes(call("rename_file", json!({"name": "a.txt", "to": "docs/a.txt"})));
    assert_eq!(renamed, [MindWrite::Rename { from: "a.txt".into(), to: "docs/a.txt".into() }]);
    assert_eq!(writes(call("delete_file", json!({"name": "a.txt"}))), [MindWrite::Remove("a.txt".into())]);
}

#[test]
fn a_file_is_not_renamed_out_of_the_sandbox() {
    let mut view = view();
    let mut agent = view.agent.as_ref().clone();
    agent.permissions.sandbox = Some(vec!["a*".into()]);
    view.standing = Standing::alone(&agent);
    view.agent = Arc::new(agent);
    let to = |to: &str| ToolArgs::Parsed(json!({"name": "a.txt", "to": to}));
    assert!(
        failed(call_with(view.clone(), "rename_file", to("b.txt"))).contains("not allowed to touch b.txt")
    );
    assert_eq!(writes(call_with(view.clone(), "rename_file", to("a/b.txt"))).len(), 1);
    let delete = ToolArgs::Parsed(json!({"name": "b.txt"}));
    assert!(failed(call_with(view, "delete_file", delete)).contains("not allowed to touch"));
}

#[test]
fn a_text_is_found_with_its_lines_and_only_where_it_may_be() {
    let mut view = view();
    let mind = view.mind.with(&[MindEdit::File { name: "src/b.txt".into(), text: "Two\n".into() }]);
    view.mind = Arc::new(mind);
    let find = |view: &ToolView, args: Value| {
        result(call_with(view.clone(), "find_in_files", ToolArgs::Parsed(args)))
    };
    let told = find(&view, json!({"text": "two", "around": 1}));
    assert_eq!(
        told,
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
    view.standing = Standing::alone(&agent);
    view.agent = Arc::new(agent);
    assert_eq!(find(&view, json!({"text": "two"}))["found"], 0, "what may not be touched is not shown");
}

#[test]
fn a_search_that_finds_too_much_says_so() {
    let mut view = view();
    let text = "needle\n".repeat(1_000);
    view.mind = Arc::new(view.mind.with(&[MindEdit::File { name: "long".into(), text }]));
    let told = result(call_with(view, "find_in_files", ToolArgs::Parsed(json!({"text": "needle"}))));
    assert_eq!(told["found"], 1_000);
    assert!(told["note"].as_str().unwrap().contains("100"));
}
