//! Listens for the shortcuts and holds the slot of the palette on every screen.
//!
//! The registry of actions is loaded on first use.

use crate::ui::actions::KeyboardState;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{keys, page};
use crate::ui::kit::icon::COMMANDS as SIGN;
use crate::ui::kit::prelude::*;
use crate::ui::palette::lazy_palette;
use crate::ui::view_state::{RunView, Settings};
use nexus_model::command::Command;
use nexus_model::settings::schema::SINGLE_KEYS;
use nexus_view::shortcuts::{ShortcutAction, act_of, chord_of, titled};
use nexus_view::strings::palette as words;

/// Hears the keys, and holds the place of the palette.
#[component]
pub fn KeyboardSlot() -> impl IntoMarkup {
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
    view! {
        <div class="above">{move || asked.get().map(|_| view! { <LazyView load=lazy_palette /> })}</div>
    }
}

/// The button that opens the palette.
#[component]
pub fn PaletteButton() -> impl IntoMarkup {
    let KeyboardState(asked) = expect_context();
    let keys = chord_of(ShortcutAction::Palette).map(|chord| chord.shown(keys::is_apple()));
    icon_button(view! { {icon(SIGN)}<span class="bar-word">{words::COMMANDS}</span> })
        .test("open-palette")
        .title(titled(words::EVERYTHING.get(), ShortcutAction::Palette, keys::is_apple()))
        .label(words::COMMANDS)
        .with("data-keys", keys)
        .with("aria-haspopup", "dialog")
        .on_click(move |_| asked.set(Some(ShortcutAction::Palette)))
}
