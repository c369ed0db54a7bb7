//! The tool `rename_file`: renames or moves a file.
//!
//! Never overwrites an existing file.

use serde_json::json;

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, wrote};
use nexus_model::command::ToolOutcome;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Gives a file another name, or moves it: folders are parts of names, as in src/app.js. The new name must be free.
    pub(super) struct RenameFile {
        /// The file.
        name: String,
        /// Its new name.
        to: String [1],
    }
}

impl Tool for RenameFile {
    const NAME: &'static str = "rename_file";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let Self { name: from, to } = self;
        view.touch(&to)?;
        let result = json!({ "ok": true, "name": to, "was": from });
        wrote(result, vec![MindWrite::Rename { from, to }])
    }
}
