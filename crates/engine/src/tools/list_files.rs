//! The tool `list_files`: lists the session's files, without their texts.

use serde_json::json;

use super::input::tool_input;
use super::{HIDDEN_ACTIVE, Tool, ToolCallError, ToolContext, told};
use nexus_model::command::ToolOutcome;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Lists the files of the session with their sizes in bytes and lines, and says which is active.
    pub(super) struct ListFiles {}
}

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let files: Vec<_> = view
            .mind
            .files
            .iter()
            .map(|(name, file)| match view.mind.image(name) {
                Some((mime, bytes)) => json!({ "name": name, "bytes": bytes, "image": mime }),
                None => json!({ "name": name, "bytes": file.text.len(), "lines": file.text.lines().count() }),
            })
            .collect();
        let mut result = json!({ "files": files, "active": view.mind.active });
        if let (true, Some(result)) = (view.mind.hides_active(), result.as_object_mut()) {
            result.insert("note".to_owned(), HIDDEN_ACTIVE.into());
        }
        told(result)
    }
}
