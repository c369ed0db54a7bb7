//! The tool `get_active_file`: returns name, size and line count of the active file, not its text.

use serde_json::json;

use super::input::tool_input;
use super::{HIDDEN_ACTIVE, Tool, ToolCallError, ToolContext, told};
use nexus_model::command::ToolOutcome;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Tells the name, size in bytes and number of lines of the active file.
    pub(super) struct GetActiveFile {}
}

impl Tool for GetActiveFile {
    const NAME: &'static str = "get_active_file";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        told(match view.mind.active_file() {
            Some((name, text)) => match view.mind.image(name) {
                Some((mime, bytes)) => json!({ "name": name, "bytes": bytes, "image": mime }),
                None => json!({ "name": name, "bytes": text.len(), "lines": text.lines().count() }),
            },
            None if view.mind.hides_active() => json!({ "name": null, "note": HIDDEN_ACTIVE }),
            None => json!({ "name": null, "note": "There is no active file." }),
        })
    }
}
