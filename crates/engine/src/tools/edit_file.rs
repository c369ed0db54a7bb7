//! The tool `edit_file`: exact search and replace.
//!
//! The search text must occur exactly once, unless the call asks to replace all occurrences.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolContext, at_once, text};
use nexus_model::command::ToolOutcome;
use nexus_model::llm::ToolSpec;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

pub(super) struct EditFile;

impl Tool for EditFile {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "edit_file".to_owned(),
            description:
                "Replaces a passage of a file. The search text must match exactly, spaces and line breaks \
                          included, and occur once; set all to replace every place."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "The file." },
                    "search": { "type": "string", "minLength": 1, "description": "The exact text to find." },
                    "replace": { "type": "string", "description": "What to put in its place." },
                    "all": { "type": "boolean", "description": "Replace every place." },
                },
                "required": ["name", "search", "replace"],
                "additionalProperties": false,
            }),
        }
    }

    fn run(&self, view: ToolContext, args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let name = text(&args, "name").unwrap_or_default().to_owned();
        let search = text(&args, "search").unwrap_or_default().to_owned();
        let replace = text(&args, "replace").unwrap_or_default().to_owned();
        let all = args.get("all") == Some(&Value::Bool(true));
        let places = view.mind.file(&name).map_or(0, |text| text.matches(search.as_str()).count());
        let result = json!({ "ok": true, "name": name, "replaced": places });
        let writes = vec![MindWrite::Replace { name, search, replace, all }];
        at_once(ToolOutcome::Done { result, writes, verdict: None })
    }
}
