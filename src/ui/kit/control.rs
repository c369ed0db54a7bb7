//! What a person clicks or chooses, while it is described: `button(words::SAVE).first().test("save")`.

use leptos::ev::MouseEvent;

use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup};

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
