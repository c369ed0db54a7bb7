//! Listens for the shortcuts and holds the slot of the palette on every screen.
//!
//! The registry of actions is loaded on first use.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{keys, page};
use crate::ui::kit::lazy_view::LazyView;
use crate::ui::shell::screens;
use crate::ui::view_state::{RunView, Settings};
use nexus_model::command::Command;
use nexus_model::settings::schema::SINGLE_KEYS;
use nexus_view::shortcuts::{ShortcutAction, act_of, titled};
use nexus_view::strings::palette as words;

/// What was asked for by a key or a button and is being done: the palette and the sheet as long as they are open,
/// anything else for a moment. A context of every screen.
#[derive(Clone, Copy)]
pub struct KeyboardState(pub RwSignal<Option<ShortcutAction>>);

/// Hears the keys, and holds the place of the palette.
#[component]
pub fn KeyboardSlot() -> impl IntoView {
    let KeyboardState(asked) = expect_context();
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().works());
    let settings = expect_context::<Settings>();
    page::on_key(move |event| {
        let singles = settings.get_untracked(SINGLE_KEYS);
        let Some(act) = keys::read(&event, |press| act_of(press, singles)) else { return };
        let open = asked.get_untracked();
        if act == ShortcutAction::Stop {
            // At once, whatever has come of the program, and from behind a dialog too.
            if !works.get_untracked() {
                return;
            }
            dispatch.send(Command::Stop { session: dispatch.session() });
        } else if act == ShortcutAction::Palette && open.is_some() {
            asked.set(None);
        } else if !keys::is_dialog_open() {
            asked.set(Some(act));
        } else {
            return;
        }
        event.prevent_default();
    });
    view! { class="n",
        <div class="above">
            {move || asked.get().map(|_| view! { class="n", <LazyView load=screens::palette /> })}
        </div>
    }
}

/// The button that opens the palette.
#[component]
pub fn PaletteButton() -> impl IntoView {
    let KeyboardState(asked) = expect_context();
    view! { class="n",
        <button
            type="button"
            class="icon"
            data-testid="open-palette"
            title=titled(words::EVERYTHING, ShortcutAction::Palette, keys::is_apple())
            aria-label=words::EVERYTHING
            aria-haspopup="dialog"
            on:click=move |_| asked.set(Some(ShortcutAction::Palette))
        >
            <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" aria-hidden="true">
                <path d="M2.5 4.5 6 8l-3.5 3.5M8 11.5h5.5" />
            </svg>
        </button>
    }
}
