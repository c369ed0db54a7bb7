//! Global shortcuts: their keys, actions, parsing and labels.
//!
//! None is a browser shortcut except Ctrl K, which palettes commonly take, and none is used by a focused list or
//! card. Single-key shortcuts work outside text fields and can be switched off.

use crate::language::text;

/// What a shortcut is for. The registry of actions says what it does.
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
    Settings,
    /// The face of what is remembered.
    Memories,
    Audit,
    Tree,
    Sessions,
    FindThread,
    Named(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chord {
    /// With Ctrl, on Apple's machines with ⌘.
    Mod(&'static str),
    Alone(&'static str),
}

/// All of them, in the order in which they are shown.
pub const SHORTCUTS: [(ShortcutAction, Chord); 19] = [
    (ShortcutAction::Palette, Chord::Mod("k")),
    (ShortcutAction::Sheet, Chord::Alone("?")),
    (ShortcutAction::Stop, Chord::Mod(".")),
    (ShortcutAction::Write, Chord::Alone("m")),
    (ShortcutAction::Agents, Chord::Alone("1")),
    (ShortcutAction::Timeline, Chord::Alone("2")),
    (ShortcutAction::Board, Chord::Alone("3")),
    (ShortcutAction::Edit, Chord::Alone("e")),
    (ShortcutAction::Compare, Chord::Alone("c")),
    (ShortcutAction::Preview, Chord::Alone("p")),
    (ShortcutAction::Memories, Chord::Alone("y")),
    (ShortcutAction::NewFile, Chord::Alone("n")),
    (ShortcutAction::AllFiles, Chord::Alone("f")),
    (ShortcutAction::WarRoom, Chord::Alone("h")),
    (ShortcutAction::Settings, Chord::Alone("s")),
    (ShortcutAction::Audit, Chord::Alone("l")),
    (ShortcutAction::Tree, Chord::Alone("g")),
    (ShortcutAction::Sessions, Chord::Alone("o")),
    (ShortcutAction::FindThread, Chord::Alone("w")),
];

#[derive(Clone, Copy, Debug, Default)]
pub struct KeyPress<'a> {
    /// What it means on this keyboard.
    pub key: &'a str,
    /// Where it is, such as `KeyK`.
    pub code: &'a str,
    pub ctrl: bool,
    /// Whether ⌘, or the key of Windows, is held.
    pub meta: bool,
    pub alt: bool,
    pub shift: bool,
    pub in_text: bool,
    pub apple: bool,
}

impl KeyPress<'_> {
    /// Whether this key was meant. Where letters are not Latin ones, its place counts.
    fn is(&self, wanted: &str) -> bool {
        let by_place = self.code.strip_prefix("Key").filter(|_| !self.key.is_ascii());
        by_place.unwrap_or(self.key).eq_ignore_ascii_case(wanted)
    }

    fn fits(&self, chord: Chord, singles: bool) -> bool {
        match chord {
            Chord::Mod(key) => {
                let held = if self.apple { self.meta && !self.ctrl } else { self.ctrl && !self.meta };
                held && !self.alt && !self.shift && self.is(key)
            }
            Chord::Alone(key) => {
                // A capital is no shortcut; signs may need Shift, and are what they are.
                let shifted = self.shift && key.chars().all(|one| one.is_ascii_alphabetic());
                singles && !self.in_text && !(self.ctrl || self.meta || self.alt || shifted) && self.is(key)
            }
        }
    }
}

/// What was asked for by this key, if anything. `singles` says whether keys may stand alone.
pub fn act_of(press: &KeyPress<'_>, singles: bool) -> Option<ShortcutAction> {
    SHORTCUTS.iter().find(|(_, chord)| press.fits(*chord, singles)).map(|(act, _)| *act)
}

pub fn chord_of(act: ShortcutAction) -> Option<Chord> {
    SHORTCUTS.iter().find(|(other, _)| *other == act).map(|(_, chord)| *chord)
}

impl Chord {
    pub fn shown(self, apple: bool) -> String {
        match self {
            Self::Mod(key) if apple => format!("⌘ {}", key.to_uppercase()),
            Self::Mod(key) => text!("Ctrl {}", key.to_uppercase()),
            Self::Alone(key) => key.to_uppercase(),
        }
    }
}

pub fn titled(title: &str, act: ShortcutAction, apple: bool) -> String {
    match chord_of(act) {
        Some(chord) => format!("{title} ({})", chord.shown(apple)),
        None => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(key: &str) -> KeyPress<'_> {
        KeyPress { key, ..KeyPress::default() }
    }

    #[test]
    fn each_key_is_for_one_thing_and_each_thing_has_one_key() {
        for (number, (act, chord)) in SHORTCUTS.iter().enumerate() {
            let others = || SHORTCUTS.iter().enumerate().filter(|(other, _)| *other != number);
            assert!(others().all(|(_, (_, other))| other != chord), "{chord:?} twice");
            assert!(others().all(|(_, (other, _))| other != act), "{act:?} twice");
        }
    }

    #[test]
    fn none_fights_the_browser_or_what_has_the_focus() {
        // What browsers do with a page, by Ctrl or ⌘: tabs, windows, print, save, find, zoom, history, source, editing.
        let of_browsers = "acdefghijlmnopqrstuvwxyz0123456789+-=[]\\;'/, ";
        // Quick find of Firefox, scrolling, and leaving.
        let alone_of_browsers = ["/", "'", " ", "Backspace", "Escape", "Tab", "Enter"];
        // Compare, the card that catches up.
        let ours = "jkarxtu";
        for (_, chord) in SHORTCUTS {
            match chord {
                Chord::Mod(key) => assert!(!of_browsers.contains(key), "Ctrl {key}"),
                Chord::Alone(key) => {
                    assert!(!alone_of_browsers.contains(&key), "{key}");
                    assert!(!ours.contains(key), "{key} is heard by a list");
                }
            }
        }
    }

    #[test]
    fn single_keys_stay_out_of_text_and_can_be_switched_off() {
        assert_eq!(act_of(&press("m"), true), Some(ShortcutAction::Write));
        assert_eq!(act_of(&press("m"), false), None);
        for (act, chord) in SHORTCUTS {
            let Chord::Alone(key) = chord else { continue };
            assert_eq!(act_of(&press(key), true), Some(act));
            assert_eq!(act_of(&KeyPress { in_text: true, ..press(key) }, true), None);
            assert_eq!(act_of(&press(key), false), None);
            for held in [
                KeyPress { ctrl: true, ..press(key) },
                KeyPress { meta: true, ..press(key) },
                KeyPress { alt: true, ..press(key) },
            ] {
                assert_eq!(act_of(&held, true), None);
            }
        }
        assert_eq!(act_of(&KeyPress { shift: true, ..press("M") }, true), None);
        assert_eq!(act_of(&KeyPress { shift: true, ..press("?") }, true), Some(ShortcutAction::Sheet));
        assert_eq!(act_of(&KeyPress { shift: true, ..press("1") }, true), Some(ShortcutAction::Agents));
    }

    #[test]
    fn chords_work_in_text_too_by_the_key_of_the_machine() {
        let held = KeyPress { ctrl: true, in_text: true, ..press("k") };
        assert_eq!(act_of(&held, false), Some(ShortcutAction::Palette));
        // There, Ctrl K cuts to the end of the line.
        assert_eq!(act_of(&KeyPress { apple: true, ..held }, true), None);
        let apple = KeyPress { meta: true, apple: true, ..press("k") };
        assert_eq!(act_of(&apple, true), Some(ShortcutAction::Palette));
        assert_eq!(act_of(&KeyPress { apple: false, ..apple }, true), None);
        // AltGr is Ctrl and Alt.
        assert_eq!(act_of(&KeyPress { alt: true, ..held }, true), None);
        assert_eq!(act_of(&KeyPress { shift: true, ..held }, true), None);
    }

    #[test]
    fn other_alphabets_count_by_the_place_of_the_key() {
        let cyrillic = KeyPress { ctrl: true, code: "KeyK", ..press("л") };
        assert_eq!(act_of(&cyrillic, true), Some(ShortcutAction::Palette));
        // A Latin letter is what it says, wherever it stands.
        assert_eq!(act_of(&KeyPress { ctrl: true, code: "KeyK", ..press("t") }, true), None);
    }

    #[test]
    fn keys_are_shown_as_the_machine_names_them() {
        assert_eq!(titled("Stop", ShortcutAction::Stop, false), "Stop (Ctrl .)");
        assert_eq!(titled("Everything", ShortcutAction::Palette, true), "Everything (⌘ K)");
    }
}
