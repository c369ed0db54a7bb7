//! Buttons: `button(words::SAVE).first().test("save").on_click(move |_| save())`.

use crate::ui::kit::control::Control;
use crate::ui::kit::markup::{Element, IntoMarkup, Markup};

/// A button with a border and a label.
pub fn button(label: impl IntoMarkup) -> Control {
    made(&[("type", "button"), ("class", "button")], label.into_markup())
}

/// A button without a border.
pub fn quiet_button(label: impl IntoMarkup) -> Control {
    made(&[("type", "button"), ("class", "quiet")], label.into_markup())
}

/// A square button with a sign, which needs a `label`.
pub fn icon_button(sign: impl IntoMarkup) -> Control {
    made(&[("type", "button"), ("class", "icon")], sign.into_markup())
}

/// A button that its own class draws.
pub fn plain_button(class: &'static str, label: impl IntoMarkup) -> Control {
    made(&[("type", "button")], label.into_markup()).with("class", class)
}

fn made(fixed: &'static [(&'static str, &'static str)], label: Markup) -> Control {
    let mut element = Element::new("button", fixed);
    element.child(label);
    Control(element)
}
