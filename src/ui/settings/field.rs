//! Field components of the settings: line, text, choice and check, with label, hint and error, and the fields that
//! follow from the schema. Invalid input is not saved.

use leptos::prelude::*;
use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::Settings;
use nexus_model::settings::schema::{AnySetting, SCHEMA, SettingGroup, SettingInfo};
use nexus_view::strings::settings::appearance as words;

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

/// The fields of a group of settings.
pub fn setting_fields(group: SettingGroup) -> AnyView {
    let all: Vec<_> = SCHEMA.iter().filter(|(_, info)| info.group == group).collect();
    let rows = all.chunk_by(|(_, one), (_, next)| one.row > 0 && one.row == next.row).map(|row| {
        let is_row = row.iter().any(|(_, info)| info.row > 0);
        let fields = row.iter().map(|(setting, info)| setting_field(*setting, info)).collect_view();
        if is_row {
            view! { class="n", <div class="settings-row">{fields}</div> }.into_any()
        } else {
            fields.into_any()
        }
    });
    rows.collect_view().into_any()
}

fn setting_field(setting: AnySetting, info: &'static SettingInfo) -> AnyView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let SettingInfo { id, test, label: title, hint, wrong, .. } = *info;
    let tag = FieldIds::known(id, test);
    match setting {
        AnySetting::Check(setting) => {
            let is_on = settings.get(setting);
            view! { class="n",
                <label class="check">
                    <input
                        type="checkbox"
                        id=id
                        data-testid=test
                        prop:checked=move || is_on.get()
                        on:change=move |ev| dispatch.set_setting(setting, event_target_checked(&ev))
                    />
                    {title}
                </label>
                <p class="hint">{hint}</p>
            }
            .into_any()
        }
        AnySetting::Number(setting) => {
            let (kind, kept) = (setting.kind, settings.value(setting));
            let value = Signal::derive(move || {
                kept.with(|kept| kept.as_deref().map(|kept| kind.show(kept)).unwrap_or_default())
            });
            let keep = move |text: &str| {
                // Nothing goes back to the default.
                let value = if text.is_empty() { Value::Null } else { kind.enter(text).ok_or(wrong)? };
                dispatch.set_setting(setting, value);
                Ok(())
            };
            let example = kind.show(&kind.default.into());
            view! { class="n", <TextField tag title hint example entry=TextInputKind::Code value keep /> }
                .into_any()
        }
        AnySetting::Choice(setting) => {
            let (kind, kept, chosen) = (setting.kind, settings.text(setting), settings.get(setting));
            let problem = Signal::derive(move || {
                let is_wrong = kept.with(|kept| !kept.is_empty() && *kept != chosen.get());
                is_wrong.then(|| words::wrong(&kept.get(), kind.name_of(chosen.get())))
            });
            let choices = kind.options.iter().map(|(value, name)| ((*value).to_owned(), (*name).to_owned()));
            let choices = Signal::stored(choices.collect::<Vec<_>>());
            let value = Signal::derive(move || chosen.get().to_owned());
            let keep = move |value: String| dispatch.set_setting(setting, value);
            view! { class="n", <ChoiceField tag title hint problem choices value keep /> }.into_any()
        }
        AnySetting::Text(setting) => {
            let value = settings.text(setting);
            let keep = move |text: &str| {
                dispatch.set_setting(setting, text);
                Ok(())
            };
            view! { class="n", <TextField tag title hint value keep /> }.into_any()
        }
        AnySetting::Own(_) | AnySetting::Rows(_) => ().into_any(),
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
