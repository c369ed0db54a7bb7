//! The tool `list_files`: lists the session's files, without their texts.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{HIDDEN_ACTIVE, Tool, ToolContext, at_once, told};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::tool::ToolClass;

pub(super) struct ListFiles;

impl Tool for ListFiles {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_files".to_owned(),
            description:
                "Lists the files of the session with their sizes in bytes and lines, and says which is \
                          active."
                    .to_owned(),
            parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        }
    }

    fn run(&self, view: ToolContext, _args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let files: Vec<_> = view
            .mind
            .files
            .iter()
            .map(|(name, file)| {
                json!({ "name": name, "bytes": file.text.len(), "lines": file.text.lines().count() })
            })
            .collect();
        let mut result = json!({ "files": files, "active": view.mind.active });
        if let (true, Some(result)) = (view.mind.hides_active(), result.as_object_mut()) {
            result.insert("note".to_owned(), HIDDEN_ACTIVE.into());
        }
        at_once(told(result))
    }
}
