//! The tool `edit_file`: exact search and replace.
//!
//! The search text must occur exactly once, unless the call asks to replace all occurrences.

use serde_json::json;

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, wrote};
use nexus_model::command::ToolOutcome;
use nexus_model::mind::MindWrite;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Replaces a passage of a file. The search text must match exactly, spaces and line breaks included, and occur
    /// once; set all to replace every place.
    pub(super) struct EditFile {
        /// The file.
        name: String,
        /// The exact text to find.
        search: String [1],
        /// What to put in its place.
        replace: String,
        /// Replace every place.
        all: Option<bool>,
    }
}

impl Tool for EditFile {
    const NAME: &'static str = "edit_file";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let Self { name, search, replace, all } = self;
        let places = view.mind.file(&name).map_or(0, |text| text.matches(search.as_str()).count());
        let result = json!({ "ok": true, "name": name, "replaced": places });
        wrote(result, vec![MindWrite::Replace { name, search, replace, all: all.unwrap_or_default() }])
    }
}
