//! A list to choose from: `select_box(options, move |value| choose(&value)).test("theme").label(words::THEME)`.

use leptos::prelude::*;

use crate::ui::kit::control::Control;
use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup};
use crate::ui::kit::selector::Selector;

/// A list of `options`, which tells the value that is chosen.
pub fn select_box(options: impl IntoMarkup, mut change: impl FnMut(String) + 'static) -> Control {
    let mut element = Element::new("select", &[("class", "select")]);
    element.on("change", leptos::ev::change, move |event| change(event_target_value(&event)));
    element.child(options);
    Control(element)
}

/// One of the options. Selected is a property: the operator may have chosen another since.
pub fn option(value: impl IntoSource, name: impl IntoMarkup, selected: impl IntoSource) -> Markup {
    let mut element = Element::new("option", &[]);
    element.attribute("value", value);
    element.property("selected", selected);
    element.child(name);
    element.done()
}

/// Options by value and name, of which the one with `value` is selected.
pub fn options(choices: Vec<(String, String)>, value: Selector<String>) -> Markup {
    let one = |(one, name): (String, String)| {
        let this = one.clone();
        option(one, name, move || value.with(|value| *value == this))
    };
    choices.into_iter().map(one).into_markup()
}
