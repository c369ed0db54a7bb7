//! Icons: one path each in a 16×16 view box, stroked in the current colour. And the brand, and the header of screens.

use crate::ui::hooks::address::home_path;
use crate::ui::kit::markup::{Element, IntoMarkup, Markup, component, view};
use nexus_view::language::Text;
use nexus_view::strings::common;

const SVG: &[(&str, &str)] = &[
    ("viewBox", "0 0 16 16"),
    ("class", "sign"),
    ("width", "16"),
    ("height", "16"),
    ("aria-hidden", "true"),
];

/// Renders a path. Hidden from screen readers: a text or a label must tell its meaning.
pub fn icon(path: &'static str) -> Markup {
    let mut line = Element::svg("path", &[]);
    line.attribute("d", path);
    let mut svg = Element::svg("svg", SVG);
    svg.child(line);
    svg.done()
}

pub const ATTACH: &str =
    "M10.9 4.6 6.2 9.3a1.4 1.4 0 0 0 2 2l5-5a2.8 2.8 0 0 0-4-4l-5.2 5.2a4.2 4.2 0 0 0 6 6l4.2-4.2";
pub const BACK: &str = "M10 3.5 5.5 8l4.5 4.5";
pub const BRANCH: &str = "M4.5 4.6v6.8M4.5 5.5c0 2 1.6 2.5 5.4 2.5M4.5 1.4a1.6 1.6 0 1 0 .01 0zM4.5 11.4a1.6 1.6 0 1 0 .01 0zM11.5 6.4a1.6 1.6 0 1 0 .01 0z";
pub const CLOSE: &str = "M4 4l8 8M12 4l-8 8";
pub const COMMANDS: &str = "M2.5 4.5 6 8l-3.5 3.5M8 11.5h5.5";
pub const AGAIN: &str = "M13 8a5 5 0 1 1-1.5-3.6M13.2 2v3h-3";
pub const COPY: &str = "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z";
pub const DOWN: &str = "M8 3v10M4 9l4 4 4-4";
pub const EDIT: &str = "M2.8 13.2l.6-2.9 7.4-7.4a1.6 1.6 0 0 1 2.3 2.3l-7.4 7.4zM9.6 4.1l2.3 2.3";
pub const ENVELOPE: &str = "M2 3.8h12v8.4H2zM2.4 4.2 8 8.8l5.6-4.6";
pub const FIND: &str = "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2";
pub const FORWARD: &str = "M6 3.5 10.5 8 6 12.5";
pub const HELP: &str =
    "M8 1.8a6.2 6.2 0 1 0 .01 0zM6.2 6.3a1.9 1.9 0 1 1 2.7 1.7c-.6.3-.9.7-.9 1.4M8 11.6h.01";
pub const HEAD: &str = "M8 2.8a5.2 5.2 0 1 0 .01 0zM8 6.6a1.4 1.4 0 1 0 .01 0z";
pub const HISTORY: &str = "M3 8a5 5 0 1 0 1.5-3.6M2.8 2v3h3M8 5.3V8l2 1.4";
pub const INSPECT: &str =
    "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 .01 0z";
pub const LESS: &str = "M3 8h10";
pub const LOG: &str = "M6 4h7.5M6 8h7.5M6 12h7.5M2.8 4h.01M2.8 8h.01M2.8 12h.01";
pub const MICROPHONE: &str = "M8 1.7a2.1 2.1 0 0 0-2.1 2.1v3.6a2.1 2.1 0 0 0 4.2 0V3.8A2.1 2.1 0 0 0 8 1.7zM3.6 7.2a4.4 4.4 0 0 0 8.8 0M8 11.7v2.6M5.8 14.3h4.4";
pub const MORE: &str = "M3.5 8h.01M8 8h.01M12.5 8h.01";
pub const MUTE: &str = "M2.5 6.2v3.6h2.3L8 12.6V3.4L4.8 6.2zM10.6 6.3l3.4 3.4M14 6.3l-3.4 3.4";
pub const NEW: &str = "M8 3v10M3 8h10";
pub const PIN: &str = "M6 2.5h4l-.6 4 2.1 2.2H4.5l2.1-2.2zM8 8.7v4.8";
pub const QUOTE: &str = "M3 11.5c2-.4 3-1.7 3-3.6V4.5H2.8v3.4h2M10 11.5c2-.4 3-1.7 3-3.6V4.5H9.8v3.4h2";
pub const REDO: &str = "M10.5 3l3 3-3 3M13.5 6h-7a4 4 0 0 0 0 8H10";
pub const SETTINGS: &str = "M2.5 4.5h6.2M12.3 4.5h1.2M10.5 2.9a1.6 1.6 0 1 0 .01 0zM2.5 11.5h1.2M7.3 11.5h6.2M5.5 9.9a1.6 1.6 0 1 0 .01 0z";
pub const SIZE: &str = "M9.5 2.5h4v4M13.2 2.8 9.3 6.7M6.5 13.5h-4v-4M2.8 13.2l3.9-3.9";
pub const SPEAKER: &str =
    "M2.5 6.2v3.6h2.3L8 12.6V3.4L4.8 6.2zM10.3 5.8a3.2 3.2 0 0 1 0 4.4M12.2 4a5.8 5.8 0 0 1 0 8";
pub const UP: &str = "M8 13V3M4 7l4-4 4 4";
pub const UNDO: &str = "M5.5 3l-3 3 3 3M2.5 6h7a4 4 0 0 1 0 8H6";
pub const WARNING: &str = "M8 2.4 14.2 13.2H1.8zM8 6.4v3.2M8 11.4h.01";

#[component]
pub fn Brand() -> impl IntoMarkup {
    view! {
        <span class="brand">
            <svg viewBox="0 0 32 32" aria-hidden="true">
                <path class="brand-line" d="M9 23V9l14 14V9" />
                <circle class="brand-start" cx="9" cy="9" r="2.8" />
                <circle class="brand-end" cx="23" cy="23" r="2.8" />
            </svg>
            <span class="brand-name">{"Nexus"}</span>
        </span>
    }
}

/// The header of a screen besides the war room: link back, title, and children.
#[component]
pub fn ScreenBar(title: Text, children: Markup) -> impl IntoMarkup {
    view! {
        <header class="audit-bar">
            <a href=home_path() class="audit-back" title=common::WAR_ROOM><Brand /></a>
            <h1>{title}</h1>
            {children}
            <a href=home_path() class="button">{common::WAR_ROOM}</a>
        </header>
    }
}
