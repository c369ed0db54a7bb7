//! Forms to enter and to change the passphrase. Never keeps it: the field is emptied after use.

use std::pin::Pin;

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus;
use crate::ui::view_state::{NoticeKind, Notices};
use nexus_engine::port::VaultError;
use nexus_model::limits::PASSPHRASE_CHARS;
pub use nexus_view::strings::settings::provider_card as words;

/// What is done with a passphrase, and how it went.
pub type PassphraseFuture = Pin<Box<dyn Future<Output = Result<(), VaultError>>>>;

/// Whether a passphrase that is chosen here is too short.
fn is_short(passphrase: &str) -> bool {
    passphrase.chars().count() < PASSPHRASE_CHARS
}

#[component]
fn PassphraseField(
    /// What tells it from others on the page.
    id: String,
    title: &'static str,
    test: &'static str,
    /// Where it can be read and emptied.
    input: NodeRef<Input>,
    chosen_here: bool,
    /// Whether it can be read while it is typed.
    shown: RwSignal<bool>,
    /// The id of what is said about it.
    about: String,
    #[prop(into)] wrong: Signal<bool>,
    go: impl Fn() + Copy + Send + 'static,
    /// What stands beside it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let enter = move |ev: KeyboardEvent| {
        if ev.key() == "Enter" {
            ev.prevent_default();
            go();
        }
    };
    view! { class="n",
        <label class="field-name" for=id.clone()>{title}</label>
        <div class="key-line">
            <input
                node_ref=input
                id=id
                type=move || if shown.get() { "text" } else { "password" }
                class="input"
                data-testid=test
                autocomplete=if chosen_here { "new-password" } else { "current-password" }
                spellcheck="false"
                aria-describedby=about
                aria-invalid=move || wrong.get().then_some("true")
                on:keydown=enter
            />
            {children.map(|children| children())}
        </div>
    }
}

/// Whether passphrases can be read while they are typed.
#[component]
fn ShowPassphrase(shown: RwSignal<bool>) -> impl IntoView {
    view! { class="n",
        <label class="check">
            <input
                type="checkbox"
                prop:checked=move || shown.get()
                on:change=move |ev| shown.set(event_target_checked(&ev))
            />
            {words::SHOW}
        </label>
    }
}

/// A field for the passphrase with the button that uses it.
#[component]
pub fn PassphraseForm(
    /// What tells it from others on the page.
    id: String,
    verb: &'static str,
    /// What tests know the button by.
    test: &'static str,
    /// Whether the passphrase is chosen here, so that a short one is refused.
    #[prop(optional)]
    chosen_here: bool,
    using: impl Fn(String) -> PassphraseFuture + Copy + Send + 'static,
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
        if passphrase.is_empty() || chosen_here && is_short(&passphrase) {
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
    let about = format!("{id}-about");
    view! { class="n",
        <form class="field" on:submit=move |ev: SubmitEvent| ev.prevent_default()>
            <PassphraseField
                id
                title=words::PASSPHRASE
                test="passphrase"
                input
                chosen_here
                shown
                about=about.clone()
                wrong=Signal::derive(move || problem.with(Option::is_some))
                go
            >
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
            </PassphraseField>
            <ShowPassphrase shown />
            <p class="hint" id=about>{words::PASSPHRASE_ABOUT}</p>
            <p class="field-problem" role="alert">{move || problem.get()}</p>
        </form>
    }
}

/// Puts the keys under another passphrase.
#[component]
pub fn ChangePassphrase(
    /// What tells it from others on the page.
    id: String,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let id = StoredValue::new(id);
    let close = move || {
        open.set(false);
        focus::soon(id.get_value());
    };
    view! { class="n",
        {move || if open.get() {
            view! { class="n", <ChangePassphraseForm id=id.get_value() close /> }.into_any()
        } else {
            let opened = move |_| {
                open.set(true);
                focus::soon(format!("{}-now", id.get_value()));
            };
            view! { class="n",
                <div>
                    <button
                        type="button"
                        class="button"
                        id=id.get_value()
                        data-testid="passphrase-change"
                        on:click=opened
                    >
                        {words::CHANGE}
                    </button>
                </div>
            }
            .into_any()
        }}
    }
}

#[component]
fn ChangePassphraseForm(id: String, close: impl Fn() + Copy + Send + 'static) -> impl IntoView {
    let (dispatch, notices) = (expect_context::<Dispatch>(), expect_context::<Notices>());
    let (now, next) = (NodeRef::<Input>::new(), NodeRef::<Input>::new());
    let (shown, busy) = (RwSignal::new(false), RwSignal::new(false));
    let problem = RwSignal::new(None::<String>);
    let go = move || {
        let (Some(now), Some(next)) = (now.get_untracked(), next.get_untracked()) else { return };
        if busy.get_untracked() {
            return;
        }
        if is_short(&next.value()) {
            problem.set(Some(words::PASSPHRASE_SHORT.to_owned()));
            return;
        }
        busy.set(true);
        problem.set(None);
        spawn_local(async move {
            let outcome = dispatch.change_passphrase(now.value(), next.value()).await;
            now.set_value("");
            // The card may be gone by now.
            busy.try_set(false);
            match outcome {
                Ok(()) => {
                    next.set_value("");
                    notices.tell(NoticeKind::Word, words::CHANGED, "");
                    close();
                }
                Err(error) => drop(problem.try_set(Some(words::change_error(&error)))),
            }
        });
    };
    let about = format!("{id}-about");
    let wrong = Signal::derive(move || problem.with(Option::is_some));
    view! { class="n",
        <form class="field" on:submit=move |ev: SubmitEvent| ev.prevent_default()>
            <PassphraseField
                id=format!("{id}-now")
                title=words::CHANGE_NOW
                test="passphrase-now"
                input=now
                chosen_here=false
                shown
                about=about.clone()
                wrong
                go
            />
            <PassphraseField
                id=format!("{id}-next")
                title=words::CHANGE_NEXT
                test="passphrase-next"
                input=next
                chosen_here=true
                shown
                about=about.clone()
                wrong
                go
            />
            <ShowPassphrase shown />
            <p class="hint" id=about>{words::CHANGE_ABOUT}</p>
            <p class="field-problem" role="alert">{move || problem.get()}</p>
            <div class="settings-acts">
                <button
                    type="button"
                    class="button"
                    data-weight="first"
                    data-testid="passphrase-change-yes"
                    disabled=move || busy.get()
                    on:click=move |_| go()
                >
                    {move || if busy.get() { words::WORKING } else { words::CHANGE_YES }}
                </button>
                <button type="button" class="button" on:click=move |_| close()>{words::CANCEL}</button>
            </div>
        </form>
    }
}
