//! The tool `delete_file`: deletes one named file.

use serde_json::json;

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, wrote};
use nexus_model::command::ToolOutcome;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Deletes a file of the session. Only one that the work no longer needs.
    pub(super) struct DeleteFile {
        /// The file.
        name: String,
    }
}

impl Tool for DeleteFile {
    const NAME: &'static str = "delete_file";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, _view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let result = json!({ "ok": true, "deleted": self.name });
        wrote(result, vec![MindWrite::Remove(self.name)])
    }
}
