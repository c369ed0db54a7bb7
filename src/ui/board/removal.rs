//! Deletes a file of the session and offers undo, including its uncommitted draft.

use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::Notices;
use nexus_model::command::Command;
use nexus_model::mind::MindWrite;
use nexus_model::session::draft::DraftField;
use nexus_view::strings::board as words;

/// Deletes a file and offers to put it back, with what was typed into it and not shared yet.
pub fn remove(dispatch: Dispatch, notices: Notices, name: String) {
    let field = DraftField::File(name.clone());
    let text = dispatch.field(&field).text.get_untracked().to_string();
    dispatch.discard_draft(&field);
    let Command::EditMind { session, base, .. } = dispatch.mind_edit(Vec::new()) else { return };
    dispatch.write_mind_then(vec![MindWrite::Remove(name.clone())], move |done| {
        if done {
            let writes = vec![MindWrite::New { name: name.clone(), text }, MindWrite::Activate(name.clone())];
            let back = move || Command::EditMind { session, base, writes: writes.clone() };
            notices.tell_undo(words::deleted(&name), back);
        }
    });
}
