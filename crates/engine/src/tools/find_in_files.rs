//! The tool `find_in_files`: returns the lines that contain a text, with their surrounding lines.
//!
//! Skips files that the agent may not touch.

use serde_json::json;

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, told};
use nexus_model::agent::matches;
use nexus_model::command::ToolOutcome;
use nexus_model::mind::grep::{GrepQuery, find};
use nexus_model::tool::ToolClass;

tool_input! {
    /// Finds a text in the files of the session: each line that holds it, with its file and number. The text is taken
    /// as it is, not as a pattern, and lies within one line.
    pub(super) struct FindInFiles {
        text: String [1],
        /// Upper and lower case are the same.
        any_case: Option<bool>,
        whole_words: Option<bool>,
        /// Only in files whose names fit, such as src/*.
        files: Option<String>,
        /// Lines to show before and after; 0 if not given.
        around: Option<usize> [0, 10],
    }
}

impl Tool for FindInFiles {
    const NAME: &'static str = "find_in_files";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        if self.text.contains(['\n', '\r']) {
            return Err(ToolCallError::Failed("The text must lie within one line.".to_owned()));
        }
        let wanted = GrepQuery {
            text: &self.text,
            any_case: self.any_case.unwrap_or_default(),
            whole_words: self.whole_words.unwrap_or_default(),
            around: self.around.unwrap_or_default(),
        };
        let within = self.files.as_deref().unwrap_or("*");
        let files = view.mind.files.iter().filter(|(name, _)| matches(within, name));
        let found = find(files.map(|(name, file)| (name, &*file.text)), &wanted);
        let hits: Vec<_> = found
            .hits
            .iter()
            .map(|hit| json!({ "file": hit.file, "line": hit.line, "text": hit.text }))
            .collect();
        let mut result = json!({ "found": found.total, "lines": hits });
        if let (true, Some(result)) = (found.total > hits.len(), result.as_object_mut()) {
            let note =
                format!("Only {} are shown. Look for more of the text, or in fewer files.", hits.len());
            result.insert("note".to_owned(), note.into());
        }
        told(result)
    }
}
