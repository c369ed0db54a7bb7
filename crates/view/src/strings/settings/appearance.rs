//! Strings of the appearance settings.

pub const THEME: &str = "Theme";
pub const THEME_ABOUT: &str = "The colours of all screens. Dark where nothing is chosen.";
pub const DENSITY: &str = "Density";
pub const DENSITY_ABOUT: &str =
    "How much stands on a screen: compact takes the space between things, never their words.";
pub const TEXT_SIZE: &str = "Size of text";
pub const TEXT_SIZE_ABOUT: &str = "Everything grows with it, counted from what the browser is set to.";
pub const MOTION: &str = "Motion";
pub const MOTION_ABOUT: &str = "Reduced: nothing pulses or slides. Full: it does, whatever the system says.";
pub const SINGLE_KEYS: &str = "Keys of one letter";
pub const SINGLE_KEYS_ABOUT: &str = "Outside of text fields a letter or sign alone is a shortcut; ? shows them all. Off is for those who speak to their \
     computer or press keys by accident. Ctrl K and Ctrl . stay.";

pub fn theme(value: &str) -> &'static str {
    match value {
        "light" => "Light",
        "auto" => "As the system says",
        _ => "Dark",
    }
}

pub fn density(value: &str) -> &'static str {
    match value {
        "compact" => "Compact",
        _ => "Comfortable",
    }
}

pub fn text_size(value: &str) -> &'static str {
    match value {
        "90" => "90 %",
        "110" => "110 %",
        "125" => "125 %",
        "150" => "150 %",
        _ => "100 %",
    }
}

pub fn motion(value: &str) -> &'static str {
    match value {
        "reduced" => "Reduced",
        "full" => "Full",
        _ => "As the system says",
    }
}

/// What is said of a kept value that cannot be chosen.
pub fn wrong(kept: &str, holds: &str) -> String {
    let kept: String = kept.chars().take(40).collect();
    format!(
        "What is kept, “{kept}”, cannot be chosen here, so this holds: {holds}. Choose one to put it right."
    )
}

pub const SWITCH_WRONG: &str = "What is kept is neither on nor off, so it is on. Choose one to put it right.";
