//! What a person clicks or chooses, while it is described: `button(words::SAVE).first().test("save")`.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup};
use crate::ui::kit::selector::Selector;

/// A control that is being described.
pub struct Control(pub(super) Box<Element>);

impl Control {
    /// The one that most people want here.
    #[must_use]
    pub fn first(self) -> Self {
        self.fixed("data-weight", "first")
    }

    /// What it does cannot be undone.
    #[must_use]
    pub fn danger(self) -> Self {
        self.fixed("data-weight", "danger")
    }

    #[must_use]
    pub fn test(self, name: &'static str) -> Self {
        self.fixed("data-testid", name)
    }

    #[must_use]
    pub fn id(self, id: impl IntoSource) -> Self {
        self.with("id", id)
    }

    #[must_use]
    pub fn title(self, title: impl IntoSource) -> Self {
        self.with("title", title)
    }

    /// What a screen reader says in place of its text.
    #[must_use]
    pub fn label(self, label: impl IntoSource) -> Self {
        self.with("aria-label", label)
    }

    #[must_use]
    pub fn disabled(self, disabled: impl IntoSource) -> Self {
        self.with("disabled", disabled)
    }

    /// Any other attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.0.attribute(name, value);
        self
    }

    #[must_use]
    pub fn property(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.0.property(name, value);
        self
    }

    #[must_use]
    pub fn on_click(mut self, act: impl FnMut(MouseEvent) + 'static) -> Self {
        self.0.on("click", leptos::ev::click, act);
        self
    }

    fn fixed(mut self, name: &'static str, value: &'static str) -> Self {
        self.0.attribute(name, value);
        self
    }
}

impl IntoMarkup for Control {
    fn into_markup(self) -> Markup {
        self.0.done()
    }
}

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
