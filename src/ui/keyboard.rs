//! Never knows what can be done: the registry of actions is a part of the program that comes when it is first wanted.
//!
//! Owns what belongs to the palette in every screen: hearing its keys, whether it or the sheet of keys is open, and the
//! way for what only the war room can do.

use leptos::prelude::*;

use crate::domain::appearance::SINGLE_KEYS_SETTING;
use crate::domain::command::Command;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{keys, page};
use crate::ui::keys::{Act, act_of, titled};
use crate::ui::later::asked;
use crate::ui::room::Room;
use crate::ui::screens;
use crate::ui::view_state::{NoticeKind, Notices, RunView, Settings};
use crate::ui::words::{later, palette as words};

/// What is open above the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// Everything that can be done.
    Palette,
    /// The keys.
    Sheet,
}

/// Something that only the war room can do.
pub type Wish = Box<dyn FnOnce(Room)>;

/// What every screen knows of the palette, as a context.
#[derive(Clone, Copy)]
pub struct Keyboard {
    /// What is open.
    pub open: RwSignal<Option<Open>>,
    /// What a key asked for and nobody has done yet.
    pub(in crate::ui) wanted: RwSignal<Option<Act>>,
    room: RwSignal<Option<Room>>,
    wish: StoredValue<Option<Wish>, LocalStorage>,
}

impl Keyboard {
    pub(in crate::ui) fn new() -> Self {
        Self {
            open: RwSignal::new(None),
            wanted: RwSignal::new(None),
            room: RwSignal::new(None),
            wish: StoredValue::new_local(None),
        }
    }

    /// The war room, while it stands. Tracks it.
    pub fn room(self) -> Option<Room> {
        self.room.get()
    }

    /// The war room stands, until what calls this goes away. What waited for it is done.
    pub fn enter(self, room: Room) {
        self.room.set(Some(room));
        on_cleanup(move || self.room.set(None));
        let wish = self.wish.try_update_value(Option::take).flatten();
        if let Some(wish) = wish {
            // Once it is drawn.
            request_animation_frame(move || {
                if self.room.get_untracked().is_some() {
                    wish(room);
                }
            });
        }
    }

    /// Has something done as soon as the war room stands again. The last wish counts.
    pub(in crate::ui) fn wish(self, wish: Wish) {
        self.wish.set_value(Some(wish));
    }

    fn take(self, act: Act) {
        if act == Act::Palette {
            self.open.set(Some(Open::Palette));
        } else if act == Act::Sheet {
            self.open.set(Some(Open::Sheet));
        } else {
            self.wanted.set(Some(act));
        }
    }
}

/// Hears the keys, and holds the place of the palette.
#[component]
pub fn KeyboardPlace() -> impl IntoView {
    let keyboard = expect_context::<Keyboard>();
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().works());
    let singles = expect_context::<Settings>().value(SINGLE_KEYS_SETTING);
    page::on_key(move |event| {
        let singles = singles.with_untracked(|kept| kept.as_ref().and_then(|kept| kept.as_bool()));
        let Some(act) = keys::read(&event, |press| act_of(press, singles.unwrap_or(true))) else { return };
        if act == Act::Palette && keyboard.open.get_untracked() == Some(Open::Palette) {
            event.prevent_default();
            keyboard.open.set(None);
        } else if act == Act::Stop {
            // At once, whatever has come of the program, and from behind a dialog too.
            if works.get_untracked() {
                event.prevent_default();
                dispatch.send(Command::Stop { session: dispatch.session() });
            }
        } else if !keys::is_dialog_open() {
            event.prevent_default();
            keyboard.take(act);
        }
    });
    let needed = RwSignal::new(false);
    Effect::new(move |_| {
        if keyboard.open.get().is_some() || keyboard.wanted.get().is_some() {
            needed.set(true);
        }
    });
    let is_needed = Memo::new(move |_| needed.get());
    view! { class="n", <Show when=move || is_needed.get()><Coming needed /></Show> }
}

/// The palette, when it has come. Where it does not, that is told, and the next wish asks for it again.
#[component]
fn Coming(needed: RwSignal<bool>) -> impl IntoView {
    let (keyboard, notices) = (expect_context::<Keyboard>(), expect_context::<Notices>());
    let came = asked(screens::palette);
    Effect::new(move |_| {
        if let Some(Err(_)) = came.get() {
            notices.tell(NoticeKind::Problem, later::NOT_LOADED, later::NOT_LOADED_ADVICE);
            keyboard.open.set(None);
            keyboard.wanted.set(None);
            needed.set(false);
        }
    });
    move || came.get().and_then(Result::ok).map(|draw| draw())
}

/// The button that opens the palette.
#[component]
pub fn PaletteButton() -> impl IntoView {
    let keyboard = expect_context::<Keyboard>();
    let title = titled(words::EVERYTHING, Act::Palette, keys::is_apple());
    view! { class="n",
        <button
            type="button"
            class="icon"
            data-testid="open-palette"
            title=title
            aria-label=words::EVERYTHING
            aria-haspopup="dialog"
            on:click=move |_| keyboard.open.set(Some(Open::Palette))
        >
            <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" aria-hidden="true">
                <path d="M2.5 4.5 6 8l-3.5 3.5M8 11.5h5.5" />
            </svg>
        </button>
    }
}
