use super::*;

fn press(key: &str) -> KeyPress<'_> {
    KeyPress { key, ..KeyPress::default() }
}

#[test]
fn each_key_has_one_action_and_each_action_one_key() {
    for (number, (act, chord)) in SHORTCUTS.iter().enumerate() {
        let others = || SHORTCUTS.iter().enumerate().filter(|(other, _)| *other != number);
        assert!(others().all(|(_, (_, other))| other != chord), "{chord:?} twice");
        assert!(others().all(|(_, (other, _))| other != act), "{act:?} twice");
    }
}

#[test]
fn no_shortcut_conflicts_with_the_browser_or_focused_lists() {
    // Browser shortcuts with Ctrl or ⌘: tabs, windows, print, save, find, zoom, history, source, editing.
    let of_browsers = "acdefghijlmnopqrstuvwxyz0123456789+-=[]\\;'/, ";
    // Firefox quick find, scrolling, leaving a field.
    let alone_of_browsers = ["/", "'", " ", "Backspace", "Escape", "Tab", "Enter"];
    // Keys of the comparison and the recap card.
    let ours = "jkarxtu";
    for &(_, chord) in SHORTCUTS {
        match chord {
            Chord::Mod(key) => assert!(!of_browsers.contains(key), "Ctrl {key}"),
            Chord::Single(key) => {
                assert!(!alone_of_browsers.contains(&key), "{key}");
                assert!(!ours.contains(key), "{key} is used by a list");
            }
        }
    }
}

#[test]
fn single_keys_are_ignored_in_text_and_can_be_disabled() {
    assert_eq!(action_of(&press("m"), true), Some(ShortcutAction::Write));
    assert_eq!(action_of(&press("m"), false), None);
    for &(act, chord) in SHORTCUTS {
        let Chord::Single(key) = chord else { continue };
        assert_eq!(action_of(&press(key), true), Some(act));
        assert_eq!(action_of(&KeyPress { in_text: true, ..press(key) }, true), None);
        assert_eq!(action_of(&press(key), false), None);
        for pressed in [
            KeyPress { ctrl: true, ..press(key) },
            KeyPress { meta: true, ..press(key) },
            KeyPress { alt: true, ..press(key) },
        ] {
            assert_eq!(action_of(&pressed, true), None);
        }
    }
    assert_eq!(action_of(&KeyPress { shift: true, ..press("M") }, true), None);
    assert_eq!(action_of(&KeyPress { shift: true, ..press("?") }, true), Some(ShortcutAction::Sheet));
    assert_eq!(action_of(&KeyPress { shift: true, ..press("1") }, true), Some(ShortcutAction::Agents));
}

#[test]
fn chords_work_in_text_with_the_platform_modifier() {
    let pressed = KeyPress { ctrl: true, in_text: true, ..press("k") };
    assert_eq!(action_of(&pressed, false), Some(ShortcutAction::Palette));
    // On Apple devices Ctrl K deletes to the end of the line.
    assert_eq!(action_of(&KeyPress { apple: true, ..pressed }, true), None);
    let apple = KeyPress { meta: true, apple: true, ..press("k") };
    assert_eq!(action_of(&apple, true), Some(ShortcutAction::Palette));
    assert_eq!(action_of(&KeyPress { apple: false, ..apple }, true), None);
    // AltGr is Ctrl and Alt.
    assert_eq!(action_of(&KeyPress { alt: true, ..pressed }, true), None);
    assert_eq!(action_of(&KeyPress { shift: true, ..pressed }, true), None);
}

#[test]
fn non_latin_layouts_use_the_physical_key() {
    let cyrillic = KeyPress { ctrl: true, code: "KeyK", ..press("л") };
    assert_eq!(action_of(&cyrillic, true), Some(ShortcutAction::Palette));
    // A Latin letter counts as such, whatever the physical key.
    assert_eq!(action_of(&KeyPress { ctrl: true, code: "KeyK", ..press("t") }, true), None);
}

#[test]
fn keys_are_shown_by_platform() {
    assert_eq!(with_shortcut("Stop", ShortcutAction::Stop, false), "Stop (Ctrl .)");
    assert_eq!(with_shortcut("Everything", ShortcutAction::Palette, true), "Everything (⌘ K)");
}
