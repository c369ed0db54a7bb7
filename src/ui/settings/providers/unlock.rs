//! The dialog that asks for the passphrase when a call needs a locked key. Without it the call fails.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::settings::providers::passphrase::passphrase_form;
use crate::ui::view_state::Providers;
pub use nexus_view::strings::settings::provider_card as words;

lazy_view!(settings, lazy_unlock_prompt, UnlockPrompt);

/// The dialog; nothing while no call waits.
#[component]
pub fn UnlockDialog() -> impl IntoMarkup {
    let providers = expect_context::<Providers>();
    let wanted = providers.wanted();
    move || {
        wanted.get()?;
        Some(view! { <LazyView load=lazy_unlock_prompt /> })
    }
}

/// What it asks.
#[component]
pub(crate) fn UnlockPrompt() -> impl IntoMarkup {
    let providers = expect_context::<Providers>();
    let id = providers.wanted().get_untracked();
    let row = id.and_then(|id| providers.get_untracked(&id));
    let label = row.map(|row| row.provider.label.clone()).unwrap_or_default();
    let dispatch = expect_context::<Dispatch>();
    modal("dialog", "unlock-dialog", move || dispatch.leave_locked()).titled("unlock-title").holding(view! {
        <h2 id="unlock-title">{words::UNLOCK_TITLE}</h2>
        <p class="hint">{words::unlock_about(&label)}</p>
        {passphrase_form("unlock-passphrase".to_owned(), words::UNLOCK.get(), "unlock", false, move |passphrase| {
            Box::pin(async move { dispatch.unlock(passphrase).await })
        })}
        {quiet_button(words::NOT_NOW).on_click(move |_| dispatch.leave_locked())}
    })
}
