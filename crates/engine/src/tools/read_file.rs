//! The tool `read_file`: returns a file's text or some of its lines, with line numbers.
//!
//! Limits the length of the result and says where it was truncated.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, line, text, told};
use nexus_model::command::ToolOutcome;
use nexus_model::limits::TOOL_RESULT_BYTES;
use nexus_model::llm::ToolSpec;
use nexus_model::tool::ToolClass;

pub(super) struct ReadFile;

impl Tool for ReadFile {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_file".to_owned(),
            description:
                "Reads a file, or the lines from_line to to_line of it (both counted from 1 and included). \
                          Each line comes headed by its number and a tab; these are not part of the file."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "The file." },
                    "from_line": { "type": "integer", "minimum": 1 },
                    "to_line": { "type": "integer", "minimum": 1 },
                },
                "required": ["name"],
                "additionalProperties": false,
            }),
        }
    }

    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        at_once(read(&view, &args))
    }
}

fn read(view: &ToolContext, args: &Map<String, Value>) -> ToolOutcome {
    let name = text(args, "name").unwrap_or_default();
    let Some(content) = view.mind.file(name) else {
        let names: Vec<_> = view.mind.files.keys().cloned().collect();
        let known = if names.is_empty() { "There are no files yet.".to_owned() } else { names.join(", ") };
        return ToolOutcome::Failed { message: format!("There is no file named {name}. Files: {known}") };
    };
    let total = content.lines().count();
    let from = line(args, "from_line").unwrap_or(1);
    let to = line(args, "to_line").unwrap_or(usize::MAX).min(total);
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
        result.insert("note".to_owned(), format!("Cut after line {shown_to}; read on from there.").into());
    }
    told(result)
}
