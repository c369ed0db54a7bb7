//! Global shortcuts: their keys, actions, parsing and labels. And the table of screens.
//!
//! None is a browser shortcut except Ctrl K, a common key for palettes, and none is used by a focused list or card.
//! Single-key shortcuts work outside text fields and can be disabled.

/// The table of screens, as the enum [`Screen`](screens::Screen).
macro_rules! screens {
    ($($screen:ident: $path:literal, $title:expr, $keywords:expr, $place:expr;)+) => {
        use crate::language::Text;
        use crate::strings::{common, palette};

        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Screen {
            $($screen),+
        }

        // The name is the path segment.
        nexus_model::words!(Screen { $($screen: $path),+ });

        impl Screen {
            pub fn title(self) -> Text {
                self.words().0
            }

            /// Title and search words in the palette, and the place in the list of the help screen, if it is there.
            pub fn words(self) -> (Text, Text, Option<u8>) {
                match self {
                    $(Self::$screen => ($title, $keywords, $place)),+
                }
            }
        }
    };
}

pub mod screens;

use crate::language::text;
use crate::shortcuts::screens::Screen;

/// Id of a shortcut; the action registry defines what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortcutAction {
    Palette,
    Sheet,
    Stop,
    Write,
    Agents,
    Timeline,
    Board,
    Edit,
    Compare,
    Preview,
    NewFile,
    AllFiles,
    WarRoom,
    Screen(Screen),
    Memories,
    Sessions,
    FindThread,
    Named(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chord {
    /// With Ctrl, or ⌘ on Apple devices.
    Mod(&'static str),
    Single(&'static str),
}

/// All shortcuts in display order.
pub const SHORTCUTS: &[(ShortcutAction, Chord)] = &[
    (ShortcutAction::Palette, Chord::Mod("k")),
    (ShortcutAction::Sheet, Chord::Single("?")),
    (ShortcutAction::Stop, Chord::Mod(".")),
    (ShortcutAction::Write, Chord::Single("m")),
    (ShortcutAction::Agents, Chord::Single("1")),
    (ShortcutAction::Timeline, Chord::Single("2")),
    (ShortcutAction::Board, Chord::Single("3")),
    (ShortcutAction::Edit, Chord::Single("e")),
    (ShortcutAction::Compare, Chord::Single("c")),
    (ShortcutAction::Preview, Chord::Single("p")),
    (ShortcutAction::Memories, Chord::Single("y")),
    (ShortcutAction::NewFile, Chord::Single("n")),
    (ShortcutAction::AllFiles, Chord::Single("f")),
    (ShortcutAction::WarRoom, Chord::Single("h")),
    (ShortcutAction::Screen(Screen::Settings), Chord::Single("s")),
    (ShortcutAction::Screen(Screen::Audit), Chord::Single("l")),
    (ShortcutAction::Screen(Screen::Tree), Chord::Single("g")),
    (ShortcutAction::Sessions, Chord::Single("o")),
    (ShortcutAction::FindThread, Chord::Single("w")),
];

#[derive(Clone, Copy, Debug, Default)]
pub struct KeyPress<'a> {
    /// The key's value in this keyboard layout.
    pub key: &'a str,
    /// The physical key, such as `KeyK`.
    pub code: &'a str,
    pub ctrl: bool,
    /// ⌘, or the Windows key.
    pub meta: bool,
    pub alt: bool,
    pub shift: bool,
    pub in_text: bool,
    pub apple: bool,
}

impl KeyPress<'_> {
    /// True if this key was pressed. In layouts without Latin letters the physical key counts.
    fn is(&self, wanted: &str) -> bool {
        let by_place = self.code.strip_prefix("Key").filter(|_| !self.key.is_ascii());
        by_place.unwrap_or(self.key).eq_ignore_ascii_case(wanted)
    }

    fn fits(&self, chord: Chord, singles: bool) -> bool {
        match chord {
            Chord::Mod(key) => {
                let modifier_down =
                    if self.apple { self.meta && !self.ctrl } else { self.ctrl && !self.meta };
                modifier_down && !self.alt && !self.shift && self.is(key)
            }
            Chord::Single(key) => {
                // Capital letters are no shortcuts; symbols may need Shift.
                let shifted = self.shift && key.chars().all(|one| one.is_ascii_alphabetic());
                singles && !self.in_text && !(self.ctrl || self.meta || self.alt || shifted) && self.is(key)
            }
        }
    }
}

/// The action of this key press. `singles` enables single-key shortcuts.
pub fn action_of(press: &KeyPress<'_>, singles: bool) -> Option<ShortcutAction> {
    SHORTCUTS.iter().find(|(_, chord)| press.fits(*chord, singles)).map(|(act, _)| *act)
}

pub fn chord_of(act: ShortcutAction) -> Option<Chord> {
    SHORTCUTS.iter().find(|(other, _)| *other == act).map(|(_, chord)| *chord)
}

impl Chord {
    pub fn shown(self, apple: bool) -> String {
        match self {
            Self::Mod(key) if apple => format!("⌘ {}", key.to_ascii_uppercase()),
            Self::Mod(key) => text!("Ctrl {}", key.to_ascii_uppercase()),
            Self::Single(key) => key.to_ascii_uppercase(),
        }
    }
}

pub fn with_shortcut(title: &str, act: ShortcutAction, apple: bool) -> String {
    match chord_of(act) {
        Some(chord) => format!("{title} ({})", chord.shown(apple)),
        None => title.to_owned(),
    }
}

#[cfg(test)]
mod tests;
