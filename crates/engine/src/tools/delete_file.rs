//! The tool `delete_file`: deletes one named file.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, text};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

pub(super) struct DeleteFile;

impl Tool for DeleteFile {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "delete_file".to_owned(),
            description: "Deletes a file of the session. Only one that the work no longer needs.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "name": { "type": "string", "description": "The file." } },
                "required": ["name"],
                "additionalProperties": false,
            }),
        }
    }

    fn run(&self, _view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let name = text(&args, "name").unwrap_or_default().to_owned();
        let result = json!({ "ok": true, "deleted": name });
        at_once(ToolOutcome::Done { result, writes: vec![MindWrite::Remove(name)], verdict: None })
    }
}
