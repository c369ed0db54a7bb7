//! A box to tick, with its label: `check(words::SOUND, is_on, move |on| keep(on)).test("sound")`.

use leptos::prelude::*;

use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup};

/// A check that is being described.
pub struct Check {
    label: Box<Element>,
    input: Box<Element>,
    text: Markup,
}

/// A box that shows `checked` and tells when it is ticked.
pub fn check(
    text: impl IntoMarkup,
    checked: impl IntoSource,
    mut change: impl FnMut(bool) + 'static,
) -> Check {
    let mut input = Element::new("input", &[("type", "checkbox")]);
    input.property("checked", checked);
    input.on("change", leptos::ev::change, move |event| change(event_target_checked(&event)));
    Check { label: Element::new("label", &[("class", "check")]), input, text: text.into_markup() }
}

impl Check {
    #[must_use]
    pub fn test(self, name: &'static str) -> Self {
        self.with("data-testid", name)
    }

    #[must_use]
    pub fn disabled(self, disabled: impl IntoSource) -> Self {
        self.with("disabled", disabled)
    }

    #[must_use]
    pub fn title(self, title: impl IntoSource) -> Self {
        self.around("title", title)
    }

    /// Any attribute of the label around the box.
    #[must_use]
    pub fn around(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.label.attribute(name, value);
        self
    }

    /// Any other attribute of the box.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.input.attribute(name, value);
        self
    }
}

impl IntoMarkup for Check {
    fn into_markup(mut self) -> Markup {
        self.label.child(self.input.done());
        self.label.child(self.text);
        self.label.done()
    }
}
