//! Never deletes more than the one file that is named.
//!
//! Owns `delete_file`.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolView, at_once, text};
use crate::domain::command::ToolOutcome;
use crate::domain::mind::MindWrite;
use crate::domain::model::ToolSpec;
use crate::domain::tool::ToolClass;

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

    fn run(&self, _view: ToolView, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let name = text(&args, "name").unwrap_or_default().to_owned();
        let result = json!({ "ok": true, "deleted": name });
        at_once(ToolOutcome::Done { result, writes: vec![MindWrite::Remove(name)], verdict: None })
    }
}
