//! Never gives texts; `read_file` does.
//!
//! Owns `list_files`: what files the session holds.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolView, at_once, told};
use crate::domain::command::ToolOutcome;
use crate::domain::model::ToolSpec;
use crate::domain::tool::ToolClass;

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

    fn run(&self, view: ToolView, _args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let files: Vec<_> = view
            .mind
            .files
            .iter()
            .filter(|(name, _)| view.standing.allow_file(name))
            .map(|(name, file)| {
                json!({ "name": name, "bytes": file.text.len(), "lines": file.text.lines().count() })
            })
            .collect();
        at_once(told(json!({ "files": files, "active": view.mind.active })))
    }
}
