//! Never gives the text; `read_file` does.
//!
//! Owns `get_active_file`: name, size and line count of the file that is worked on.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolView, at_once, told};
use crate::domain::command::ToolOutcome;
use crate::domain::model::ToolSpec;
use crate::domain::tool::ToolClass;

pub(super) struct GetActiveFile;

impl Tool for GetActiveFile {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "get_active_file".to_owned(),
            description: "Tells the name, size in bytes and number of lines of the active file.".to_owned(),
            parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        }
    }

    fn run(&self, view: ToolView, _args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        at_once(told(match view.mind.active_file() {
            Some((name, text)) => json!({ "name": name, "bytes": text.len(), "lines": text.lines().count() }),
            None => json!({ "name": null, "note": "There is no active file." }),
        }))
    }
}
