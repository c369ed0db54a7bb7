//! The tool `read_file`: returns a file's text or some of its lines, with line numbers.
//!
//! Limits the length of the result and says where it was truncated.

use serde_json::json;

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, told};
use nexus_model::command::ToolOutcome;
use nexus_model::limits::TOOL_RESULT_BYTES;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Reads a file, or the lines from_line to to_line of it (both counted from 1 and included). Each line comes headed
    /// by its number and a tab; these are not part of the file.
    pub(super) struct ReadFile {
        /// The file.
        name: String,
        from_line: Option<usize> [1],
        to_line: Option<usize> [1],
    }
}

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let name = &self.name;
        let Some(content) = view.mind.file(name) else {
            let names: Vec<_> = view.mind.files.keys().cloned().collect();
            let known =
                if names.is_empty() { "There are no files yet.".to_owned() } else { names.join(", ") };
            return Err(ToolCallError::Failed(format!("There is no file named {name}. Files: {known}")));
        };
        if let Some((mime, bytes)) = view.mind.image(name) {
            let note =
                "An image has no lines. Whoever may see it is shown it where a message names it with #.";
            return told(json!({ "name": name, "image": mime, "bytes": bytes, "note": note }));
        }
        let total = content.lines().count();
        let from = self.from_line.unwrap_or(1);
        let to = self.to_line.unwrap_or(usize::MAX).min(total);
        let mut out = String::new();
        let mut shown_to = from.saturating_sub(1);
        for (index, row) in content.lines().enumerate().take(to).skip(from.saturating_sub(1)) {
            if out.len().saturating_add(row.len()) > TOOL_RESULT_BYTES {
                break;
            }
            shown_to = index.saturating_add(1);
            out.push_str(&format!("{shown_to}\t{row}\n"));
        }
        let mut result =
            json!({ "name": name, "lines": total, "from_line": from, "to_line": shown_to, "text": out });
        if let (true, Some(result)) = (shown_to < to, result.as_object_mut()) {
            let note = format!("Cut after line {shown_to}; read on from there.");
            result.insert("note".to_owned(), note.into());
        }
        told(result)
    }
}
