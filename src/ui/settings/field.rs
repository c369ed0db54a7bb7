//! Field components of the settings: line, text and choice, with label, hint and error. Invalid input is not saved.

use leptos::prelude::*;

/// What a field is for those who look for it: the name for tests, and the id that ties it to its label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldIds {
    id: String,
    test: Option<&'static str>,
    list: Option<String>,
}

impl FieldIds {
    pub fn known(id: impl Into<String>, test: &'static str) -> Self {
        Self { id: id.into(), test: Some(test), list: None }
    }

    pub fn plain(id: impl Into<String>) -> Self {
        Self { id: id.into(), test: None, list: None }
    }

    /// The same field, with suggestions from the list of this id.
    #[must_use]
    pub fn listed(self, list: String) -> Self {
        Self { list: Some(list), ..self }
    }
}

/// How a text is entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextInputKind {
    #[default]
    Words,
    /// One line of code: an address, an id, a number.
    Code,
    Lines,
}

/// A field of text. `keep` gets what was entered when the field is left, and says what is wrong with it, if anything.
#[component]
pub fn TextField(
    tag: FieldIds,
    title: &'static str,
    /// What more there is to know.
    #[prop(optional)]
    hint: &'static str,
    /// Shown while it is empty.
    #[prop(optional, into)]
    example: String,
    #[prop(optional)] entry: TextInputKind,
    /// What is kept now.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what was entered.
    keep: impl Fn(&str) -> Result<(), &'static str> + Copy + Send + 'static,
) -> impl IntoView {
    let problem = RwSignal::new(None::<&'static str>);
    let change = move |ev| problem.set(keep(event_target_value(&ev).trim()).err());
    let FieldIds { id, test, list } = tag;
    let about = format!("{id}-about");
    let invalid = move || problem.get().map(|_| "true");
    let control = match entry {
        TextInputKind::Lines => view! { class="n",
            <textarea
                id=id.clone()
                class="area"
                data-testid=test
                rows="7"
                placeholder=example
                aria-invalid=invalid
                aria-describedby=about.clone()
                prop:value=move || value.get()
                on:change=change
            ></textarea>
        }
        .into_any(),
        TextInputKind::Words | TextInputKind::Code => view! { class="n",
            <input
                id=id.clone()
                class="input"
                data-testid=test
                data-face=(entry == TextInputKind::Code).then_some("code")
                placeholder=example
                list=list
                autocomplete="off"
                spellcheck=(entry == TextInputKind::Words).to_string()
                aria-invalid=invalid
                aria-describedby=about.clone()
                prop:value=move || value.get()
                on:change=change
            />
        }
        .into_any(),
    };
    view! { class="n",
        <div class="field">
            <label class="field-name" for=id>{title}</label>
            {control}
            <p class="hint" id=about hidden=hint.is_empty()>{hint}</p>
            <p class="field-problem" role="alert">{move || problem.get()}</p>
        </div>
    }
}

/// A choice among a few.
#[component]
pub fn ChoiceField(
    tag: FieldIds,
    title: &'static str,
    /// What more there is to know.
    #[prop(optional)]
    hint: &'static str,
    /// What is wrong with what is kept, if anything.
    #[prop(optional, into)]
    problem: Signal<Option<String>>,
    /// The choices: value and name of each.
    #[prop(into)]
    choices: Signal<Vec<(String, String)>>,
    /// The value that is kept now.
    #[prop(into)]
    value: Signal<String>,
    /// Takes the value that was chosen.
    keep: impl Fn(String) + Copy + Send + 'static,
) -> impl IntoView {
    let FieldIds { id, test, .. } = tag;
    let about = format!("{id}-about");
    let option = move |(one, name): (String, String)| {
        let chosen = {
            let one = one.clone();
            move || value.with(|value| *value == one)
        };
        view! { class="n", <option value=one prop:selected=chosen>{name}</option> }
    };
    view! { class="n",
        <div class="field">
            <label class="field-name" for=id.clone()>{title}</label>
            <select
                id=id
                class="select"
                data-testid=test
                aria-describedby=(!hint.is_empty()).then(|| about.clone())
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                on:change=move |ev| keep(event_target_value(&ev))
            >
                {move || choices.get().into_iter().map(option).collect_view()}
            </select>
            <p class="hint" id=about hidden=hint.is_empty()>{hint}</p>
            <p class="field-problem" role="alert">{move || problem.get()}</p>
        </div>
    }
}
