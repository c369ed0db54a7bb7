//! Never looks anything up.
//!
//! Owns the words of how the page looks.

pub(crate) const THEME: &str = "Theme";
pub(crate) const THEME_ABOUT: &str = "The colours of all screens. Dark where nothing is chosen.";
pub(crate) const DENSITY: &str = "Density";
pub(crate) const DENSITY_ABOUT: &str =
    "How much stands on a screen: compact takes the space between things, never their words.";
pub(crate) const TEXT_SIZE: &str = "Size of text";
pub(crate) const TEXT_SIZE_ABOUT: &str = "Everything grows with it, counted from what the browser is set to.";
pub(crate) const MOTION: &str = "Motion";
pub(crate) const MOTION_ABOUT: &str =
    "Reduced: nothing pulses or slides. Full: it does, whatever the system says.";
pub(crate) const SINGLE_KEYS: &str = "Keys of one letter";
pub(crate) const SINGLE_KEYS_ABOUT: &str = "Outside of text fields a letter or sign alone is a shortcut; ? shows them all. Off is for those who speak to their \
     computer or press keys by accident. Ctrl K and Ctrl . stay.";

pub(crate) fn theme(value: &str) -> &'static str {
    match value {
        "light" => "Light",
        "auto" => "As the system says",
        _ => "Dark",
    }
}

pub(crate) fn density(value: &str) -> &'static str {
    match value {
        "compact" => "Compact",
        _ => "Comfortable",
    }
}

pub(crate) fn text_size(value: &str) -> &'static str {
    match value {
        "90" => "90 %",
        "110" => "110 %",
        "125" => "125 %",
        "150" => "150 %",
        _ => "100 %",
    }
}

pub(crate) fn motion(value: &str) -> &'static str {
    match value {
        "reduced" => "Reduced",
        "full" => "Full",
        _ => "As the system says",
    }
}

/// What is said of a kept value that cannot be chosen.
pub(crate) fn wrong(kept: &str, holds: &str) -> String {
    let kept: String = kept.chars().take(40).collect();
    format!(
        "What is kept, “{kept}”, cannot be chosen here, so this holds: {holds}. Choose one to put it right."
    )
}

/// The same of a switch.
pub(crate) const SWITCH_WRONG: &str =
    "What is kept is neither on nor off, so it is on. Choose one to put it right.";
