//! The tool `write_file`: creates or replaces a whole file.
//!
//! Never overwrites lines that others changed since the agent last read them.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, text};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write_file".to_owned(),
            description:
                "Writes a whole file and makes it the active one. For a change in an existing file prefer \
                          edit_file."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "minLength": 1, "description": "Such as index.html or src/app.js." },
                    "content": { "type": "string", "description": "The complete content." },
                },
                "required": ["name", "content"],
                "additionalProperties": false,
            }),
        }
    }

    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let name = text(&args, "name").unwrap_or_default().to_owned();
        let content = text(&args, "content").unwrap_or_default().to_owned();
        let made = if view.mind.file(&name).is_some() { "rewritten" } else { "created" };
        let result = json!({
            "ok": true, "name": name, "file": made,
            "bytes": content.len(), "lines": content.lines().count(),
        });
        let writes = vec![MindWrite::File { name: name.clone(), text: content }, MindWrite::Activate(name)];
        at_once(ToolOutcome::Done { result, writes, verdict: None })
    }
}
