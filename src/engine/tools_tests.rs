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
    view.agent = Arc::new(agent);
    let write = ToolArgs::Parsed(json!({"name": "docs/a", "content": ""}));
    assert!(failed(call_with(view.clone(), "write_file", write)).contains("not allowed to use"));
    let read = ToolArgs::Parsed(json!({"name": "a.txt"}));
    assert!(failed(call_with(view.clone(), "read_file", read)).contains("not allowed to touch"));
    let update = ToolArgs::Parsed(json!({"activeFile": "x"}));
    assert!(failed(call_with(view, "update_nexus_state", update)).contains("not allowed to touch"));
}
