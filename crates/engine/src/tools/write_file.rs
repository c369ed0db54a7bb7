//! The tool `write_file`: creates or replaces a whole file.
//!
//! Never overwrites lines that others changed since the agent last read them.

use serde_json::json;

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, wrote};
use nexus_model::command::ToolOutcome;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Writes a whole file and makes it the active one. For a change in an existing file prefer edit_file.
    pub(super) struct WriteFile {
        /// Such as index.html or src/app.js.
        name: String [1],
        /// The complete content.
        content: String,
    }
}

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let Self { name, content } = self;
        let made = if view.mind.file(&name).is_some() { "rewritten" } else { "created" };
        let result = json!({
            "ok": true, "name": name, "file": made,
            "bytes": content.len(), "lines": content.lines().count(),
        });
        wrote(result, vec![MindWrite::File { name: name.clone(), text: content }, MindWrite::Activate(name)])
    }
}
