//! The tool `get_active_file`: returns name, size and line count of the active file, not its text.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{HIDDEN_ACTIVE, Tool, ToolContext, at_once, told};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::tool::ToolClass;

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

    fn run(&self, view: ToolContext, _args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        at_once(told(match view.mind.active_file() {
            Some((name, text)) => json!({ "name": name, "bytes": text.len(), "lines": text.lines().count() }),
            None if view.mind.hides_active() => json!({ "name": null, "note": HIDDEN_ACTIVE }),
            None => json!({ "name": null, "note": "There is no active file." }),
        }))
    }
}
