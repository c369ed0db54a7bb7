//! Appearance settings (theme, density, text size, motion, single-key shortcuts): values and defaults.
//!
//! `public/boot.js` and the style sheets use the same values.

/// The setting for dark and light.
pub const THEME_SETTING: &str = "theme";
/// The setting for how much stands on a screen.
pub const DENSITY_SETTING: &str = "density";
/// The setting for the size of words, in percent of the browser's own.
pub const TEXT_SIZE_SETTING: &str = "text_size";
/// The setting for things that move.
pub const MOTION_SETTING: &str = "motion";
/// The setting that switches off shortcuts of a single key. They are on where it says nothing.
pub const SINGLE_KEYS_SETTING: &str = "single_keys";

/// A choice: its setting, its values, and the one that stands where none was chosen. `public/boot.js` names the same
/// values; a test compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppearanceOption {
    pub setting: &'static str,
    /// What may be chosen.
    pub values: &'static [&'static str],
    /// What stands where nothing was.
    pub usual: &'static str,
}

/// Dark, light, or as the system says.
pub const THEME: AppearanceOption =
    AppearanceOption { setting: THEME_SETTING, values: &["dark", "light", "auto"], usual: "dark" };
/// How much stands on a screen.
pub const DENSITY: AppearanceOption =
    AppearanceOption { setting: DENSITY_SETTING, values: &["comfortable", "compact"], usual: "comfortable" };
/// The size of words, smallest first.
pub const TEXT_SIZE: AppearanceOption = AppearanceOption {
    setting: TEXT_SIZE_SETTING,
    values: &["90", "100", "110", "125", "150"],
    usual: "100",
};
/// Whether things move: as the system says, less, or as drawn.
pub const MOTION: AppearanceOption =
    AppearanceOption { setting: MOTION_SETTING, values: &["auto", "reduced", "full"], usual: "auto" };

/// All of them.
pub const ALL: [AppearanceOption; 4] = [THEME, DENSITY, TEXT_SIZE, MOTION];

impl AppearanceOption {
    /// The value that holds where `kept` is what is kept: the usual one where that is nothing, or nothing that can be
    /// chosen.
    pub fn holds(&self, kept: &str) -> &'static str {
        self.values.iter().find(|value| **value == kept).copied().unwrap_or(self.usual)
    }

    /// Whether something is kept that cannot be chosen, by another program or from an import.
    pub fn is_wrong(&self, kept: &str) -> bool {
        !kept.is_empty() && !self.values.contains(&kept)
    }

    /// The value so many steps on from what is kept, where there is one.
    pub fn step(&self, kept: &str, by: isize) -> Option<&'static str> {
        let now = self.values.iter().position(|value| *value == self.holds(kept))?;
        self.values.get(now.checked_add_signed(by)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_chosen_counts_as_nothing_and_is_told() {
        for choice in ALL {
            assert_eq!(choice.holds(""), choice.usual);
            assert_eq!(choice.holds("banana"), choice.usual);
            assert!(choice.is_wrong("banana") && !choice.is_wrong(""));
            assert!(choice.values.contains(&choice.usual));
            for value in choice.values {
                assert_eq!(choice.holds(value), *value);
                assert!(!choice.is_wrong(value));
            }
        }
    }

    #[test]
    fn sizes_go_up_and_down_and_end_somewhere() {
        assert_eq!(TEXT_SIZE.step("", 1), Some("110"));
        assert_eq!(TEXT_SIZE.step("110", -1), Some("100"));
        assert_eq!(TEXT_SIZE.step("150", 1), None);
        assert_eq!(TEXT_SIZE.step("90", -1), None);
        assert_eq!(TEXT_SIZE.step("banana", 1), Some("110"));
    }

    #[test]
    fn the_boot_script_and_the_sheet_know_the_same_values() {
        let boot = include_str!("../../../../public/boot.js");
        let sheet = include_str!("../../../../style/main.css");
        for choice in ALL {
            let list: Vec<_> = choice.values.iter().map(|value| format!("\"{value}\"")).collect();
            assert!(boot.contains(&format!("[{}]", list.join(", "))), "boot.js: {}", choice.setting);
        }
        for size in TEXT_SIZE.values.iter().filter(|size| **size != TEXT_SIZE.usual) {
            assert!(sheet.contains(&format!("[data-text-size=\"{size}\"]")), "main.css: {size}");
        }
        for mark in ["[data-density=\"compact\"]", "[data-motion=\"reduced\"]", "[data-motion=\"full\"]"] {
            assert!(sheet.contains(mark), "main.css: {mark}");
        }
    }
}
