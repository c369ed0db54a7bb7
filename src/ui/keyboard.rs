//! Never knows what can be done: the registry of actions is a part of the program that comes when it is first wanted.
//!
//! Owns what belongs to the palette in every screen: hearing its keys, and its place above the screen.

use leptos::prelude::*;

use crate::domain::appearance::SINGLE_KEYS_SETTING;
use crate::domain::command::Command;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{keys, page};
use crate::ui::keys::{Act, act_of, titled};
use crate::ui::later::Later;
use crate::ui::screens;
use crate::ui::view_state::{RunView, Settings};
use crate::ui::words::palette as words;

/// What was asked for by a key or a button and is being done: the palette and the sheet as long as they are open,
/// anything else for a moment. A context of every screen.
#[derive(Clone, Copy)]
pub struct Keyboard(pub RwSignal<Option<Act>>);

/// Hears the keys, and holds the place of the palette.
#[component]
pub fn KeyboardPlace() -> impl IntoView {
    let Keyboard(asked) = expect_context();
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().works());
    let settings = expect_context::<Settings>();
    page::on_key(move |event| {
        let singles = settings.has_untracked(SINGLE_KEYS_SETTING, |kept| kept.as_bool() != Some(false));
        let Some(act) = keys::read(&event, |press| act_of(press, singles)) else { return };
        let open = asked.get_untracked();
        if act == Act::Stop {
            // At once, whatever has come of the program, and from behind a dialog too.
            if !works.get_untracked() {
                return;
            }
            dispatch.send(Command::Stop { session: dispatch.session() });
        } else if act == Act::Palette && open.is_some() {
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
            {move || asked.get().map(|_| view! { class="n", <Later load=screens::palette /> })}
        </div>
    }
}

/// The button that opens the palette.
#[component]
pub fn PaletteButton() -> impl IntoView {
    let Keyboard(asked) = expect_context();
    view! { class="n",
        <button
            type="button"
            class="icon"
            data-testid="open-palette"
            title=titled(words::EVERYTHING, Act::Palette, keys::is_apple())
            aria-label=words::EVERYTHING
            aria-haspopup="dialog"
            on:click=move |_| asked.set(Some(Act::Palette))
        >
            <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" aria-hidden="true">
                <path d="M2.5 4.5 6 8l-3.5 3.5M8 11.5h5.5" />
            </svg>
        </button>
    }
}
