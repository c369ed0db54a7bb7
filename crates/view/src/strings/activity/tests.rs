use super::*;
use nexus_text::diff::LineCount;

#[test]
fn a_write_names_the_field_and_its_line_counts() {
    let touched = |field: &str, is_file| FileChange {
        field: field.into(),
        is_file,
        lines: LineCount { added: 42, removed: 1 },
    };
    let one = tool_ended(ToolStatus::Succeeded, &[touched("timer.js", true)], "write_file");
    assert_eq!(one, "wrote timer.js (+42\u{a0}−1)");
    let two = [touched("scratchpad", false), touched("timer.js", true)];
    let two = tool_ended(ToolStatus::Succeeded, &two, "update_nexus_state");
    assert_eq!(two, "wrote the scratchpad and 1 more (+42\u{a0}−1)");
}

#[test]
fn a_tool_without_writes_is_shown_by_name() {
    assert_eq!(tool_ended(ToolStatus::Succeeded, &[], "read_file"), "used read_file");
    assert_eq!(tool_ended(ToolStatus::Denied, &[], "write_file"), "write_file: denied");
}
