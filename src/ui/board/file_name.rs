//! Input for a file name, with validation.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Input;
use leptos::prelude::*;

use crate::ui::hooks::focus::use_select_all;
use nexus_view::strings::board as words;

/// Asks for a file's name.
#[component]
pub fn FileNameForm(
    #[prop(into)] present: String,
    /// A name to begin with, where the file has none yet.
    #[prop(optional, into)]
    suggested: String,
    action: &'static str,
    taken: Signal<Vec<String>>,
    done: impl Fn(String) + Copy + Send + Sync + 'static,
    /// No name after all.
    cancel: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
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
    view! { class="n",
        <form class="file-name-form" on:keydown=escape>
            <input
                node_ref=input
                class="input"
                data-face="code"
                data-testid="file-name"
                aria-label=words::FILE_NAME
                aria-invalid=move || problem.get().map(|_| "true")
                placeholder=words::FILE_NAME_EXAMPLE
                autocomplete="off"
                spellcheck="false"
                prop:value=move || name.get()
                on:input=move |ev| {
                    problem.set(None);
                    name.set(event_target_value(&ev));
                }
            />
            <button type="submit" class="button" on:click=submit>{action}</button>
            <button type="button" class="quiet" on:click=move |_| cancel()>{words::CANCEL}</button>
            <p class="field-problem" role="alert">{move || problem.get()}</p>
        </form>
    }
}
