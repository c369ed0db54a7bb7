//! The dialog that asks for the passphrase when a call needs a locked key. Without it the call fails.

use leptos::ev::Event;
use leptos::html::Dialog;
use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::dialog::use_modal;
use crate::ui::kit::lazy_view::LazyView;
use crate::ui::settings::providers::passphrase::PassphraseForm;
use crate::ui::shell::screens;
use crate::ui::view_state::Providers;
pub use nexus_view::strings::settings::provider_card as words;

/// The dialog; nothing while no call waits.
#[component]
pub fn UnlockDialog() -> impl IntoView {
    let providers = expect_context::<Providers>();
    let wanted = providers.wanted();
    move || {
        wanted.get()?;
        Some(view! { class="n", <LazyView load=|| screens::unlock_dialog() /> })
    }
}

/// What it asks.
#[component]
pub(crate) fn UnlockPrompt() -> impl IntoView {
    let providers = expect_context::<Providers>();
    let id = providers.wanted().get_untracked();
    let row = id.and_then(|id| providers.get_untracked(&id));
    let label = row.map(|row| row.provider.label.clone()).unwrap_or_default();
    let dispatch = expect_context::<Dispatch>();
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog);
    let leave = move |ev: Event| {
        ev.prevent_default();
        dispatch.leave_locked();
    };
    view! { class="n",
        <dialog
            class="dialog"
            node_ref=dialog
            aria-labelledby="unlock-title"
            data-testid="unlock-dialog"
            on:cancel=leave
        >
            <h2 id="unlock-title">{words::UNLOCK_TITLE}</h2>
            <p class="hint">{words::unlock_about(&label)}</p>
            <PassphraseForm
                id="unlock-passphrase".to_owned()
                verb=words::UNLOCK
                test="unlock"
                using=move |passphrase| Box::pin(async move { dispatch.unlock(passphrase).await })
            />
            <button type="button" class="quiet" on:click=move |_| dispatch.leave_locked()>
                {words::NOT_NOW}
            </button>
        </dialog>
    }
}
