//! Terminal view: key sequences and text style.

use nexus_text::terminal::{Color, Style};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalKeyPress<'k> {
    pub key: &'k str,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// The sequence that a key sends. `None` for letters, which arrive as text input, and for Shift+Tab, which leaves the
/// terminal.
pub fn keys(press: TerminalKeyPress<'_>, application_cursor: bool) -> Option<String> {
    let TerminalKeyPress { key, ctrl, alt, shift } = press;
    let modifiers = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(ctrl);
    let moved = |last: char| match (modifiers, application_cursor) {
        (1, true) => format!("\x1bO{last}"),
        (1, false) => format!("\x1b[{last}"),
        (some, _) => format!("\x1b[1;{some}{last}"),
    };
    let numbered = |number: u8| match modifiers {
        1 => format!("\x1b[{number}~"),
        some => format!("\x1b[{number};{some}~"),
    };
    let escaped = |text: &str| if alt { format!("\x1b{text}") } else { text.to_owned() };
    Some(match key {
        "ArrowUp" => moved('A'),
        "ArrowDown" => moved('B'),
        "ArrowRight" => moved('C'),
        "ArrowLeft" => moved('D'),
        "Home" => moved('H'),
        "End" => moved('F'),
        "Insert" => numbered(2),
        "Delete" => numbered(3),
        "PageUp" => numbered(5),
        "PageDown" => numbered(6),
        "F1" => "\x1bOP".to_owned(),
        "F2" => "\x1bOQ".to_owned(),
        "F3" => "\x1bOR".to_owned(),
        "F4" => "\x1bOS".to_owned(),
        "F5" => numbered(15),
        "F6" => numbered(17),
        "F7" => numbered(18),
        "F8" => numbered(19),
        "F9" => numbered(20),
        "F10" => numbered(21),
        "F11" => numbered(23),
        "F12" => numbered(24),
        "Enter" => escaped("\r"),
        "Backspace" => escaped(if ctrl { "\x08" } else { "\x7f" }),
        "Escape" => "\x1b".to_owned(),
        "Tab" if !shift => "\t".to_owned(),
        _ => {
            let mut letters = key.chars();
            let letter = letters.next().filter(|_| letters.next().is_none())?;
            if ctrl {
                let code = match letter.to_ascii_uppercase() {
                    upper @ '@'..='_' => (upper as u8) & 0x1f,
                    ' ' => 0,
                    _ => return None,
                };
                escaped(&char::from(code).to_string())
            } else if alt {
                escaped(key)
            } else {
                return None;
            }
        }
    })
}

/// Foreground and background as CSS colours; `None` for the pane's own.
pub fn colors(style: Style) -> (Option<String>, Option<String>) {
    let css = |color: Color| match color {
        Color::Default => None,
        Color::Named(index) => Some(format!("var(--ansi-{index})")),
        Color::Rgb(red, green, blue) => Some(format!("rgb({red} {green} {blue})")),
    };
    let (fore, back) = (css(style.fore), css(style.back));
    match style.inverse {
        true => (back.or_else(|| Some("var(--sunken)".into())), fore.or_else(|| Some("var(--text)".into()))),
        false => (fore, back),
    }
}

/// CSS classes of the other text attributes.
pub fn css_classes(style: Style) -> String {
    let Style { bold, dim, italic, underline, strike, hidden, .. } = style;
    let all = [
        (bold, "bold"),
        (dim, "dim"),
        (italic, "italic"),
        (underline, "underline"),
        (strike, "strike"),
        (hidden, "hidden"),
    ];
    all.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
