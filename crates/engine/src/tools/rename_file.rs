//! The tool `rename_file`: renames or moves a file.
//!
//! Never overwrites an existing file.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, text};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

pub(super) struct RenameFile;

impl Tool for RenameFile {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "rename_file".to_owned(),
            description:
                "Gives a file another name, or moves it: folders are parts of names, as in src/app.js. \
                          The new name must be free."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "The file." },
                    "to": { "type": "string", "minLength": 1, "description": "Its new name." },
                },
                "required": ["name", "to"],
                "additionalProperties": false,
            }),
        }
    }

    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let from = text(&args, "name").unwrap_or_default().to_owned();
        let to = text(&args, "to").unwrap_or_default().to_owned();
        if !view.standing.allow_file(&to) {
            return at_once(ToolOutcome::Denied { message: format!("You are not allowed to touch {to}.") });
        }
        let result = json!({ "ok": true, "name": to, "was": from });
        at_once(ToolOutcome::Done { result, writes: vec![MindWrite::Rename { from, to }], verdict: None })
    }
}
