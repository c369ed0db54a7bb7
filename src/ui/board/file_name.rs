//! Input for a file name, with validation; and the removal of a file. It deletes a file of the session and offers
//! undo, including its uncommitted draft.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Input;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus::use_select_all;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Notices;
use nexus_model::command::Command;
use nexus_model::mind::MindWrite;
use nexus_model::session::draft::DraftField;
use nexus_view::strings::board as words;

/// Asks for a file's name.
#[component]
pub fn FileNameForm(
    present: String,
    /// A name to begin with, where the file has none yet.
    suggested: String,
    action: &'static str,
    taken: Selector<Vec<String>>,
    done: impl Fn(String) + Copy + Send + Sync + 'static,
    /// No name after all.
    cancel: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoMarkup {
    let name = RwSignal::new(if suggested.is_empty() { present.clone() } else { suggested });
    let problem = RwSignal::new(None::<String>);
    let input = NodeRef::<Input>::new();
    use_select_all(input);
    // The click, not the form's own event: a sandboxed frame submits nothing. Enter clicks this button too.
    let submit = move |ev: MouseEvent| {
        ev.prevent_default();
        let wanted = name.get_untracked().trim().to_owned();
        if wanted.is_empty() {
            problem.set(Some(words::NAME_EMPTY.to_owned()));
        } else if wanted == present {
            cancel();
        } else if taken.get_untracked().contains(&wanted) {
            problem.set(Some(words::name_taken(&wanted)));
        } else {
            done(wanted);
        }
    };
    let escape = move |ev: KeyboardEvent| {
        if ev.key() == "Escape" {
            cancel();
        }
    };
    view! {
        <form class="file-name-form" on:keydown=escape>
            <input
                node_ref=input class="input" data-face="code" data-testid="file-name"
                aria-label=words::FILE_NAME aria-invalid=move || problem.get().map(|_| "true")
                placeholder=words::FILE_NAME_EXAMPLE autocomplete="off" spellcheck="false" prop:value=name
                on:input=move |ev| {
                    problem.set(None);
                    name.set(event_target_value(&ev));
                }
            />
            <button type="submit" class="button" on:click=submit>{action}</button>
            {quiet_button(words::CANCEL).on_click(move |_| cancel())}
            <p class="field-problem" role="alert">{problem}</p>
        </form>
    }
}

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
