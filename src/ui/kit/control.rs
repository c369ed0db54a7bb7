//! Builder of buttons, selects, checkboxes and form fields: `button(words::SAVE).first().test("save")`,
//! `check(words::SOUND, is_on, move |on| keep(on)).test("sound")`.
//!
//! A form field has a label, a hint and an error; invalid input is not stored: `text_field(id, words::NAME, value,
//! keep).test("agent-name").hint(words::NAME_ABOUT).code()`.

use crate::ui::hooks::page::when_released;
use crate::ui::kit::base::*;
use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup, view};
use nexus_view::language::Text;

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

    /// Title and accessible name of a control that shows only an icon.
    pub fn named(self, name: impl IntoSource + Clone) -> Self {
        self.title(name.clone()).label(name)
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

/// A control in a label that begins with its text.
pub fn labelled(class: &'static str, text: impl IntoMarkup, control: impl IntoMarkup) -> Markup {
    view! { <label class=class><span>{text.into_markup()}</span>{control.into_markup()}</label> }
}

/// A control below the heading of its label.
pub fn captioned(class: Option<&'static str>, text: impl IntoMarkup, control: impl IntoMarkup) -> Markup {
    let (text, control) = (text.into_markup(), control.into_markup());
    view! { <label class=class><span class="label">{text}</span>{control}</label> }
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

#[must_use]
pub struct Field {
    id: String,
    title: Text,
    test: Option<&'static str>,
    hint: Text,
    example: String,
    entry: TextInputKind,
    list: Option<String>,
    problem: Selector<Option<String>>,
    control: FieldControl,
}

enum FieldControl {
    Text(Selector<String>, StoreText),
    Choice(Selector<Vec<(String, String)>>, Selector<String>, Box<dyn Fn(String) + Send>),
}

/// Stores a text, or returns why it is invalid.
type StoreText = Box<dyn Fn(&str) -> Result<(), Text> + Send>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextInputKind {
    Words,
    Code,
    Lines,
}

/// A text field. On change, `keep` stores the text or returns why it is invalid.
pub fn text_field(
    id: impl Into<String>,
    title: Text,
    value: impl Into<Selector<String>>,
    store: impl Fn(&str) -> Result<(), Text> + Send + 'static,
) -> Field {
    Field::new(id.into(), title, FieldControl::Text(value.into(), Box::new(store)))
}

/// A text field without validation.
pub fn free_field(
    id: impl Into<String>,
    title: Text,
    value: impl Into<Selector<String>>,
    save: impl Fn(&str) + Send + 'static,
) -> Field {
    text_field(id, title, value, move |text| {
        save(text);
        Ok(())
    })
}

/// A select of values and names. `keep` gets the chosen value.
pub fn choice_field(
    id: impl Into<String>,
    title: Text,
    choices: impl Into<Selector<Vec<(String, String)>>>,
    value: impl Into<Selector<String>>,
    store: impl Fn(String) + Send + 'static,
) -> Field {
    Field::new(id.into(), title, FieldControl::Choice(choices.into(), value.into(), Box::new(store)))
}

type ValueName<T> = fn(T) -> &'static str;

/// A select of values, each with a code and a name. `keep` gets the chosen value.
pub fn enum_field<T: Copy + Send + Sync + 'static>(
    id: impl Into<String>,
    title: Text,
    all: &'static [T],
    (code, name): (ValueName<T>, ValueName<T>),
    value: impl Fn() -> Option<T> + Send + Sync + 'static,
    keep: impl Fn(T) + Send + 'static,
) -> Field {
    let choices: Vec<_> = all.iter().map(|one| (code(*one).to_owned(), name(*one).to_owned())).collect();
    let value = select(move || value().map_or("", code).to_owned());
    choice_field(id, title, Selector::fixed(choices), value, move |chosen| {
        all.iter().filter(|one| code(**one) == chosen).for_each(|one| keep(*one));
    })
}

impl Field {
    fn new(id: String, title: Text, control: FieldControl) -> Self {
        Self {
            id,
            title,
            test: None,
            hint: Text(""),
            example: String::new(),
            entry: TextInputKind::Words,
            list: None,
            problem: Selector::fixed(None),
            control,
        }
    }

    pub fn test(self, name: &'static str) -> Self {
        Self { test: Some(name), ..self }
    }

    pub fn hint(self, hint: Text) -> Self {
        Self { hint, ..self }
    }

    /// Placeholder.
    pub fn example(self, example: impl Into<String>) -> Self {
        Self { example: example.into(), ..self }
    }

    /// One line of code: an address, an id, a number.
    pub fn code(self) -> Self {
        Self { entry: TextInputKind::Code, ..self }
    }

    pub fn lines(self) -> Self {
        Self { entry: TextInputKind::Lines, ..self }
    }

    /// Suggestions from the datalist of this id.
    pub fn list(self, list: String) -> Self {
        Self { list: Some(list), ..self }
    }

    /// What is wrong with the stored choice, if anything.
    pub fn problem(self, problem: Selector<Option<String>>) -> Self {
        Self { problem, ..self }
    }
}

impl IntoMarkup for Field {
    fn into_markup(self) -> Markup {
        let Self { id, title, test, hint, example, entry, list, mut problem, control } = self;
        let about = format!("{id}-about");
        let described = about.clone();
        let control = match control {
            FieldControl::Choice(choices, value, store) => {
                select_box(move || options(choices.get(), value), store)
                    .id(id.clone())
                    .with("data-testid", test)
                    .with("aria-describedby", (!hint.is_empty()).then_some(described))
                    .with("aria-invalid", move || problem.with(Option::is_some).then_some("true"))
                    .into_markup()
            }
            FieldControl::Text(value, store) => {
                let wrong = RwSignal::new(None::<String>);
                problem = wrong.into();
                let change = move |ev| {
                    let problem = store(event_target_value(&ev).trim()).err().map(Text::to_owned);
                    // The field may be left by a click on something below it.
                    when_released(move || wrong.set(problem));
                };
                let invalid = move || wrong.with(Option::is_some).then_some("true");
                if entry == TextInputKind::Lines {
                    view! {
                        <textarea
                            id=id.clone() class="area" data-testid=test rows="7" placeholder=example
                            aria-invalid=invalid aria-describedby=described prop:value=value on:change=change
                        ></textarea>
                    }
                } else {
                    let is_code = entry == TextInputKind::Code;
                    view! {
                        <input
                            id=id.clone() class="input" data-testid=test data-face=is_code.then_some("code")
                            placeholder=example list=list autocomplete="off" spellcheck=(!is_code).to_string()
                            aria-invalid=invalid aria-describedby=described prop:value=value on:change=change
                        />
                    }
                }
            }
        };
        view! {
            <div class="field">
                <label class="field-name" for=id>{title}</label>
                {control}
                <p class="hint" id=about hidden=hint.is_empty()>{hint}</p>
                <p class="field-problem" role="alert">{problem}</p>
            </div>
        }
    }
}
