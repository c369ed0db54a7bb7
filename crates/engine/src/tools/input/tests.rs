use serde_json::json;

use super::*;

tool_input! {
    /// Does nothing.
    struct NoTool: "no_tool", Mind {
        name: String,
        line: Option<usize> [1],
        on: Option<bool> = "isOn",
    }
}

#[test]
fn arguments_are_read_as_their_types() {
    let read = |args: Value| {
        let tool = NoTool::read(args.as_object()?)?;
        Some((tool.name, tool.line, tool.on))
    };
    assert_eq!(read(json!({"name": "a"})), Some(("a".to_owned(), None, None)));
    let all = json!({"name": "a", "line": 3.0, "isOn": false});
    assert_eq!(read(all), Some(("a".to_owned(), Some(3), Some(false))));
    for invalid in
        [json!({}), json!({"name": 1}), json!({"name": "a", "line": -1}), json!({"name": "a", "isOn": 0})]
    {
        assert_eq!(read(invalid.clone()), None, "{invalid}");
    }
}
