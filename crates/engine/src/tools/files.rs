//! The tools that list, read, write, edit, rename and delete files, and `update_nexus_state`, which writes any fields
//! of the mind; fields that a call omits stay unchanged.
//!
//! Limits the length of results and says where they were truncated. An edit's search text must occur exactly once,
//! unless the call replaces all occurrences. A rename never overwrites an existing file, and no write overwrites lines
//! that others changed since the agent last read them.

use crate::prelude::*;
use crate::tools::input::tool_input;
use crate::tools::{HIDDEN_ACTIVE, Tool, ToolContext, denied, failed, noted, report, wrote};
use nexus_model::agent::matches;
use nexus_model::command::ToolOutcome;
use nexus_model::limits::TOOL_RESULT_BYTES;
use nexus_model::mind::grep::{GrepQuery, find};
use nexus_model::mind::sandbox::VisibleMind;

tool_input! {
    /// Reads a file, or the lines from_line to to_line of it (both counted from 1 and included). Each line comes headed
    /// by its number and a tab; these are not part of the file.
    pub(super) struct ReadFile: "read_file", Files {
        /// The file.
        name: String,
        from_line: Option<usize> [1],
        to_line: Option<usize> [1],
    }
}

/// The failure of a tool whose file does not exist, or is one that the agent may not see.
pub(super) fn no_such_file(view: &ToolContext, name: &str) -> Box<ToolOutcome> {
    let known = view.mind.files.keys().cloned().collect::<Vec<_>>().join(", ");
    let message = if known.is_empty() {
        format!("There is no file named {name}.")
    } else {
        format!("There is no file named {name}. Files: {known}")
    };
    failed(message).into()
}

impl Tool for ReadFile {
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let name = &self.name;
        let content = view.mind.file(name).ok_or_else(|| no_such_file(view, name))?;
        if let Some((mime, bytes)) = view.mind.image(name) {
            let note =
                "An image has no lines. Whoever may see it is shown it where a message names it with #.";
            return report(json!({ "name": name, "image": mime, "bytes": bytes, "note": note }));
        }
        let total = content.lines().count();
        let from = self.from_line.unwrap_or(1);
        let to = self.to_line.unwrap_or(usize::MAX).min(total);
        let mut out = String::new();
        let mut shown_to = from.saturating_sub(1);
        for (index, row) in content.lines().enumerate().take(to).skip(from.saturating_sub(1)) {
            if out.len().saturating_add(row.len()) > TOOL_RESULT_BYTES {
                break;
            }
            shown_to = index.saturating_add(1);
            out.push_str(&format!("{shown_to}\t{row}\n"));
        }
        let result =
            json!({ "name": name, "lines": total, "from_line": from, "to_line": shown_to, "text": out });
        let note = (shown_to < to).then(|| format!("Cut after line {shown_to}; read on from there."));
        report(noted(result, note))
    }
}

/// A file's name and size: in bytes and lines, or as an image.
fn size_of(mind: &VisibleMind, name: &str, text: &str) -> Value {
    match mind.image(name) {
        Some((mime, bytes)) => json!({ "name": name, "bytes": bytes, "image": mime }),
        None => json!({ "name": name, "bytes": text.len(), "lines": text.lines().count() }),
    }
}

tool_input! {
    /// Tells the name, size in bytes and number of lines of the active file.
    pub(super) struct GetActiveFile: "get_active_file", Files {}
}

impl Tool for GetActiveFile {
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        report(match view.mind.active_file() {
            Some((name, text)) => size_of(&view.mind, name, text),
            None if view.mind.hides_active() => json!({ "name": null, "note": HIDDEN_ACTIVE }),
            None => json!({ "name": null, "note": "There is no active file." }),
        })
    }
}

tool_input! {
    /// Lists the files of the session with their sizes in bytes and lines, and says which is active.
    pub(super) struct ListFiles: "list_files", Files {}
}

impl Tool for ListFiles {
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let files = view.mind.files.iter();
        let files: Vec<_> = files.map(|(name, file)| size_of(&view.mind, name, &file.text)).collect();
        let result = json!({ "files": files, "active": view.mind.active });
        report(noted(result, view.mind.hides_active().then_some(HIDDEN_ACTIVE)))
    }
}

tool_input! {
    /// Writes a whole file and makes it the active one. For a change in an existing file prefer edit_file.
    pub(super) struct WriteFile: "write_file", Files {
        /// Such as index.html or src/app.js.
        name: String [1],
        /// The complete content.
        content: String,
    }
}

impl Tool for WriteFile {
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let Self { name, content } = self;
        let status = if view.mind.file(&name).is_some() { "rewritten" } else { "created" };
        let result = json!({
            "ok": true, "name": name, "file": status,
            "bytes": content.len(), "lines": content.lines().count(),
        });
        wrote(result, vec![MindWrite::File { name: name.clone(), text: content }, MindWrite::Activate(name)])
    }
}

tool_input! {
    /// Replaces a passage of a file. The search text must match exactly, spaces and line breaks included, and occur
    /// once; set all to replace every place.
    pub(super) struct EditFile: "edit_file", Files {
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
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let Self { name, search, replace, all } = self;
        let places = view.mind.file(&name).map_or(0, |text| text.matches(search.as_str()).count());
        let result = json!({ "ok": true, "name": name, "replaced": places });
        wrote(result, vec![MindWrite::Replace { name, search, replace, all: all.unwrap_or_default() }])
    }
}

tool_input! {
    /// Gives a file another name, or moves it: folders are parts of names, as in src/app.js. The new name must be free.
    pub(super) struct RenameFile: "rename_file", Files {
        /// The file.
        name: String,
        /// Its new name.
        to: String [1],
    }
}

impl Tool for RenameFile {
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let Self { name: from, to } = self;
        view.check_file_access(&to)?;
        let result = json!({ "ok": true, "name": to, "was": from });
        wrote(result, vec![MindWrite::Rename { from, to }])
    }
}

tool_input! {
    /// Deletes a file of the session. Only one that the work no longer needs.
    pub(super) struct DeleteFile: "delete_file", Files {
        /// The file.
        name: String,
    }
}

impl Tool for DeleteFile {
    fn run(self, _view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let result = json!({ "ok": true, "deleted": self.name });
        wrote(result, vec![MindWrite::Remove(self.name)])
    }
}

tool_input! {
    /// Finds a text in the files of the session: each line that holds it, with its file and number. The text is taken
    /// as it is, not as a pattern, and lies within one line.
    pub(super) struct FindInFiles: "find_in_files", Files {
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
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        if self.text.contains(['\n', '\r']) {
            return Err(failed("The text must lie within one line.").into());
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
        let note = (found.total > hits.len())
            .then(|| format!("Only {} are shown. Look for more of the text, or in fewer files.", hits.len()));
        report(noted(json!({ "found": found.total, "lines": hits }), note))
    }
}

/// The arguments of `update_nexus_state` for a file.
pub(super) const FILE_ARGUMENTS: [&str; 3] = ["activeFile", "activeFileContent", "activeFileName"];

tool_input! {
    /// Changes the shared mind: the objective, the scratchpad (plan and notes), the active file. Only the fields you
    /// give are changed; each replaces the whole field, so keep what is still true. A new activeFileName makes or
    /// switches to that file.
    pub(super) struct UpdateNexusState: "update_nexus_state", Mind {
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
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
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
                return Err(denied(message).into());
            }
            (None, Some(_)) => {
                let message = "There is no active file. Give activeFileName together with activeFile.";
                return Err(failed(message).into());
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
            return Err(failed("Nothing to change: give at least one field.").into());
        }
        wrote(json!({ "ok": true, "updated": updated }), writes)
    }
}
