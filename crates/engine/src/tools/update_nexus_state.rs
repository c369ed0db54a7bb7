//! The tool `update_nexus_state`: writes any fields of the mind.
//!
//! Fields that the call omits stay unchanged.

use serde_json::json;

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, wrote};
use nexus_model::command::ToolOutcome;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Changes the shared mind: the objective, the scratchpad (plan and notes), the active file. Only the fields you
    /// give are changed; each replaces the whole field, so keep what is still true. A new activeFileName makes or
    /// switches to that file.
    pub(super) struct UpdateNexusState {
        /// What the work is for.
        objective: Option<String>,
        /// The whole scratchpad.
        scratchpad: Option<String>,
        /// The whole content of the active file.
        content: Option<String> = "activeFile",
        /// Another name for activeFile.
        content_too: Option<String> = "activeFileContent",
        /// The name of the active file.
        name: Option<String> = "activeFileName",
    }
}

impl Tool for UpdateNexusState {
    const NAME: &'static str = "update_nexus_state";
    const CLASS: ToolClass = ToolClass::Mind;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let mut writes = Vec::new();
        let mut updated = Vec::new();
        if let Some(objective) = self.objective {
            writes.push(MindWrite::Objective(objective));
            updated.push("objective".to_owned());
        }
        if let Some(scratchpad) = self.scratchpad {
            writes.push(MindWrite::Scratchpad(scratchpad));
            updated.push("scratchpad".to_owned());
        }
        let is_named = self.name.is_some();
        match (self.name.or_else(|| view.mind.active.clone()), self.content.or(self.content_too)) {
            (None, Some(_)) if view.mind.hides_active() => {
                let message =
                    "You are not allowed to touch the active file. Give activeFileName to write another one.";
                return Err(ToolCallError::Denied(message.to_owned()));
            }
            (None, Some(_)) => {
                let message = "There is no active file. Give activeFileName together with activeFile.";
                return Err(ToolCallError::Failed(message.to_owned()));
            }
            (Some(name), content) if is_named || content.is_some() => {
                view.check_file_access(&name)?;
                if content.is_some() || view.mind.file(&name).is_none() {
                    writes.push(MindWrite::File { name: name.clone(), text: content.unwrap_or_default() });
                }
                updated.push(name.clone());
                writes.push(MindWrite::Activate(name));
            }
            (_, _) => {}
        }
        if writes.is_empty() {
            return Err(ToolCallError::Failed("Nothing to change: give at least one field.".to_owned()));
        }
        wrote(json!({ "ok": true, "updated": updated }), writes)
    }
}
