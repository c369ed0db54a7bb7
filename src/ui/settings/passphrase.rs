//! Never keeps a passphrase: it goes from the field to whoever asked for it, and the field is emptied.
//!
//! Owns the entering of a passphrase.

use std::pin::Pin;

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::limits::PASSPHRASE_CHARS;
use crate::engine::port::VaultError;
use crate::ui::words::provider_card as words;

/// What is done with a passphrase, and how it went.
pub type Use = Pin<Box<dyn Future<Output = Result<(), VaultError>>>>;

/// A field for the passphrase with the button that uses it.
#[component]
pub fn PassphraseForm(
    /// What tells it from others on the page.
    id: String,
    /// What the button says.
    verb: &'static str,
    /// What tests know the button by.
    test: &'static str,
    /// Whether the passphrase is chosen here, so that a short one is refused.
    #[prop(optional)]
    chosen_here: bool,
    /// Uses it.
    using: impl Fn(String) -> Use + Copy + Send + 'static,
) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    let (shown, busy) = (RwSignal::new(false), RwSignal::new(false));
    let problem = RwSignal::new(None::<String>);
    let go = move || {
        let Some(field) = input.get_untracked() else { return };
        let passphrase = field.value();
        if busy.get_untracked() {
            return;
        }
        if chosen_here && passphrase.chars().count() < PASSPHRASE_CHARS || passphrase.is_empty() {
            problem.set(Some(words::PASSPHRASE_SHORT.to_owned()));
            return;
        }
        busy.set(true);
        problem.set(None);
        spawn_local(async move {
            let outcome = using(passphrase).await;
            // Where it went well the form may be gone by now.
            busy.try_set(false);
            match outcome {
                Ok(()) => field.set_value(""),
                Err(error) => drop(problem.try_set(Some(words::vault_error(&error)))),
            }
        });
    };
    let enter = move |ev: KeyboardEvent| {
        if ev.key() == "Enter" {
            ev.prevent_default();
            go();
        }
    };
    let (about, label) = (format!("{id}-about"), id.clone());
    view! { class="n",
        <form class="field" on:submit=move |ev: SubmitEvent| ev.prevent_default()>
            <label class="field-name" for=label>{words::PASSPHRASE}</label>
            <div class="key-line">
                <input
                    node_ref=input
                    id=id
                    type=move || if shown.get() { "text" } else { "password" }
                    class="input"
                    data-testid="passphrase"
                    autocomplete=if chosen_here { "new-password" } else { "current-password" }
                    spellcheck="false"
                    aria-describedby=about.clone()
                    aria-invalid=move || problem.with(Option::is_some).then_some("true")
                    on:keydown=enter
                />
                <button
                    type="button"
                    class="button"
                    data-weight="first"
                    data-testid=test
                    disabled=move || busy.get()
                    on:click=move |_| go()
                >
                    {move || if busy.get() { words::WORKING } else { verb }}
                </button>
            </div>
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || shown.get()
                    on:change=move |ev| shown.set(event_target_checked(&ev))
                />
                {words::SHOW}
            </label>
            <p class="hint" id=about>{words::PASSPHRASE_ABOUT}</p>
            <p class="field-problem" role="alert">{move || problem.get()}</p>
        </form>
    }
}
