//! Builder of buttons, selects and checkboxes: `button(words::SAVE).first().test("save")`, `check(words::SOUND, is_on,
//! move |on| keep(on)).test("sound")`.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup};
use crate::ui::kit::selector::Selector;

#[must_use]
pub struct Control {
    element: Box<Element>,
    /// The enclosing label, and its text.
    around: Option<(Box<Element>, Markup)>,
}

impl Control {
    pub(super) fn of(element: Box<Element>) -> Self {
        Self { element, around: None }
    }

    /// Marks the primary button.
    pub fn first(self) -> Self {
        self.with("data-weight", "first")
    }

    /// Marks an action that cannot be undone.
    pub fn danger(self) -> Self {
        self.with("data-weight", "danger")
    }

    pub fn test(self, name: &'static str) -> Self {
        self.with("data-testid", name)
    }

    pub fn id(self, id: impl IntoSource) -> Self {
        self.with("id", id)
    }

    pub fn title(self, title: impl IntoSource) -> Self {
        self.around("title", title)
    }

    /// Accessible name instead of its text.
    pub fn label(self, label: impl IntoSource) -> Self {
        self.with("aria-label", label)
    }

    pub fn disabled(self, disabled: impl IntoSource) -> Self {
        self.with("disabled", disabled)
    }

    /// Sets an attribute of the enclosing label, if it has one.
    pub fn around(mut self, name: &'static str, value: impl IntoSource) -> Self {
        match &mut self.around {
            Some((label, _)) => label.attribute(name, value),
            None => self.element.attribute(name, value),
        }
        self
    }

    pub fn with(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.element.attribute(name, value);
        self
    }

    pub fn property(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.element.property(name, value);
        self
    }

    pub fn on_click(mut self, act: impl FnMut(MouseEvent) + 'static) -> Self {
        self.element.on("click", leptos::ev::click, act);
        self
    }
}

impl IntoMarkup for Control {
    fn into_markup(self) -> Markup {
        let Some((mut label, text)) = self.around else { return self.element.done() };
        label.child(self.element.done());
        label.child(text);
        label.done()
    }
}

/// A button with a border and a label.
pub fn button(label: impl IntoMarkup) -> Control {
    button_with(&[("type", "button"), ("class", "button")], label.into_markup())
}

/// A button without a border.
pub fn quiet_button(label: impl IntoMarkup) -> Control {
    button_with(&[("type", "button"), ("class", "quiet")], label.into_markup())
}

/// A square button with an icon, which needs a `label`.
pub fn icon_button(sign: impl IntoMarkup) -> Control {
    button_with(&[("type", "button"), ("class", "icon")], sign.into_markup())
}

/// A button styled by its own class.
pub fn plain_button(class: &'static str, label: impl IntoMarkup) -> Control {
    button_with(&[("type", "button")], label.into_markup()).with("class", class)
}

fn button_with(fixed: &'static [(&'static str, &'static str)], label: Markup) -> Control {
    let mut element = Element::new("button", fixed);
    element.child(label);
    Control::of(element)
}

/// A select of `options`; `change` gets the chosen value.
pub fn select_box(options: impl IntoMarkup, mut change: impl FnMut(String) + 'static) -> Control {
    let mut element = Element::new("select", &[("class", "select")]);
    element.on("change", leptos::ev::change, move |event| change(event_target_value(&event)));
    element.child(options);
    Control::of(element)
}

/// An option. `selected` is set as a property, because the operator may have chosen another since.
pub fn option(value: impl IntoSource, name: impl IntoMarkup, selected: impl IntoSource) -> Markup {
    let mut element = Element::new("option", &[]);
    element.attribute("value", value);
    element.property("selected", selected);
    element.child(name);
    element.done()
}

/// Options by value and name; the one with `value` is selected.
pub fn options(choices: Vec<(String, String)>, value: Selector<String>) -> Markup {
    let one = |(one, name): (String, String)| {
        let this = one.clone();
        option(one, name, move || value.with(|value| *value == this))
    };
    choices.into_iter().map(one).into_markup()
}

/// A checkbox that shows `checked`; `change` gets the new state.
pub fn check(
    text: impl IntoMarkup,
    checked: impl IntoSource,
    mut change: impl FnMut(bool) + 'static,
) -> Control {
    let mut input = Element::new("input", &[("type", "checkbox")]);
    input.property("checked", checked);
    input.on("change", leptos::ev::change, move |event| change(event_target_checked(&event)));
    let label = Element::new("label", &[("class", "check")]);
    Control { element: input, around: Some((label, text.into_markup())) }
}
