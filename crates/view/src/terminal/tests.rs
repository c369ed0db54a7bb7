use super::*;

#[test]
fn keys_send_what_xterm_sends() {
    let plain = |key| keys(TerminalKeyPress { key, ..TerminalKeyPress::default() }, false);
    let ctrl = |key| keys(TerminalKeyPress { key, ctrl: true, ..TerminalKeyPress::default() }, false);
    let alt = |key| keys(TerminalKeyPress { key, alt: true, ..TerminalKeyPress::default() }, false);
    for (sent, expected) in [
        (plain("ArrowUp"), Some("\x1b[A")),
        (keys(TerminalKeyPress { key: "ArrowUp", ..TerminalKeyPress::default() }, true), Some("\x1bOA")),
        (ctrl("ArrowLeft"), Some("\x1b[1;5D")),
        (plain("Delete"), Some("\x1b[3~")),
        (plain("F5"), Some("\x1b[15~")),
        (plain("Enter"), Some("\r")),
        (plain("Backspace"), Some("\x7f")),
        (plain("Tab"), Some("\t")),
        (keys(TerminalKeyPress { key: "Tab", shift: true, ..TerminalKeyPress::default() }, false), None),
        (plain("a"), None),
        (plain("Shift"), None),
        (ctrl("c"), Some("\x03")),
        (ctrl("["), Some("\x1b")),
        (ctrl(" "), Some("\0")),
        (ctrl("1"), None),
        (alt("b"), Some("\x1bb")),
    ] {
        assert_eq!(sent.as_deref(), expected);
    }
}

#[test]
fn inverse_text_defaults_to_the_pane_s_colours() {
    let style = Style { inverse: true, fore: Color::Named(2), bold: true, ..Style::default() };
    assert_eq!(colors(style), (Some("var(--sunken)".into()), Some("var(--ansi-2)".into())));
    assert_eq!(colors(Style::default()), (None, None));
    assert_eq!((css_classes(style).as_str(), css_classes(Style::default()).as_str()), ("bold", ""));
}
