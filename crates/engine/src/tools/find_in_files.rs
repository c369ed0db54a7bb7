//! The tool `find_in_files`: returns the lines that contain a text, with their surrounding lines.
//!
//! Skips files that the agent may not touch.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, line, text, told};
use nexus_model::agent::permission::matches;
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::mind::grep::{GrepQuery, find};
use nexus_model::tool::ToolClass;

/// The most lines around one that was found.
const MOST_AROUND: usize = 10;

pub(super) struct FindInFiles;

impl Tool for FindInFiles {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "find_in_files".to_owned(),
            description: "Finds a text in the files of the session: each line that holds it, with its file and number. \
                          The text is taken as it is, not as a pattern, and lies within one line."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "text": { "type": "string", "minLength": 1 },
                    "any_case": { "type": "boolean", "description": "Upper and lower case are the same." },
                    "whole_words": { "type": "boolean" },
                    "files": { "type": "string", "description": "Only in files whose names fit, such as src/*." },
                    "around": { "type": "integer", "minimum": 0, "maximum": MOST_AROUND, "description": "Lines to show before and after; 0 if not given." },
                },
                "required": ["text"],
                "additionalProperties": false,
            }),
        }
    }

    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let is_on = |name: &str| args.get(name) == Some(&Value::Bool(true));
        let sought = text(&args, "text").unwrap_or_default();
        if sought.contains(['\n', '\r']) {
            let message = "The text must lie within one line.".to_owned();
            return at_once(ToolOutcome::Failed { message });
        }
        let wanted = GrepQuery {
            text: sought,
            any_case: is_on("any_case"),
            whole_words: is_on("whole_words"),
            around: line(&args, "around").unwrap_or(0).min(MOST_AROUND),
        };
        let within = text(&args, "files").unwrap_or("*");
        let files = view.mind.files.iter().filter(|(name, _)| matches(within, name));
        let found = find(files.map(|(name, file)| (name, &*file.text)), &wanted);
        let hits: Vec<_> = found
            .hits
            .iter()
            .map(|hit| json!({ "file": hit.file, "line": hit.line, "text": hit.text }))
            .collect();
        let mut result = json!({ "found": found.total, "lines": hits });
        if let (true, Some(result)) = (found.total > hits.len(), result.as_object_mut()) {
            let note =
                format!("Only {} are shown. Look for more of the text, or in fewer files.", hits.len());
            result.insert("note".to_owned(), note.into());
        }
        at_once(told(result))
    }
}
