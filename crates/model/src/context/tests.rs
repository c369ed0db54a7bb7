use serde_json::json;

use super::*;
use crate::message::content::ToolCall;

#[test]
fn weight_of_a_part_is_close_to_its_serialised_size() {
    let args = json!({ "name": "list.md", "text": "one line\nand another one of some length\n", "at": [1, 2, null] });
    let call =
        ToolCall { id: "c-1".into(), own_id: false, name: "write_file".into(), args: ToolArgs::Parsed(args) };
    let broken = ToolCall { args: ToolArgs::Broken("{\"name\": \"list".into()), ..call.clone() };
    let result = json!({ "text": "what stands there ".repeat(40), "more": { "lines": 40, "is_cut": false } });
    let answer = ToolResult { call_id: "c-1".into(), name: "read_file".into(), result, is_error: false };
    let parts = [
        MessagePart::text("A sentence of an answer, as they are."),
        MessagePart::thinking("A thought. ".repeat(300)),
        PartBody::Json { value: json!({ "a": [1, 2, 3], "b": "text" }) }.into(),
        PartBody::ToolCall(call).into(),
        PartBody::ToolCall(broken).into(),
        PartBody::ToolResult(answer).into(),
    ];
    for part in &parts {
        let written = nexus_text::json::write(part).unwrap().len();
        let weight = weight(part);
        assert!(written.abs_diff(weight) <= written / 4 + 24, "{weight} for {written}: {part:?}");
    }
}
