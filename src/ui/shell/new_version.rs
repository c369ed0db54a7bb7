//! Tells that a newer version of the program waits, and loads it when told. Loaded lazily.

use crate::ui::hooks::page::offline::{take_new_version, use_new_version};
use crate::ui::kit::prelude::*;
use nexus_view::strings::new_version as words;

lazy_view!(board, lazy_new_version, NewVersion);

/// The place of the notice in the war room: who has not come there does not fetch all that the program has.
#[component]
pub fn NewVersionSlot() -> impl IntoMarkup {
    let came = loaded(lazy_new_version);
    move || came.get().map(|draw| draw())
}

#[component]
pub fn NewVersion() -> impl IntoMarkup {
    let waits = use_new_version();
    view! {
        <Show when=move || waits.get()>
            <div class="notices new-version">
                <div class="notice" data-testid="new-version" data-kind="info" role="status">
                    <p><b>{words::READY}</b>" "{words::READY_ABOUT}</p>
                    {button(words::TAKE).test("new-version-take").on_click(move |_| take_new_version())}
                    {icon_button(icon(icon::CLOSE)).label(words::LATER).title(words::LATER).on_click(move |_| waits.set(false))}
                </div>
            </div>
        </Show>
    }
}
