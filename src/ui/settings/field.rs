//! The fields that follow from the schema of settings.

use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Settings;
use nexus_model::settings::schema::{AnySetting, SCHEMA, SettingGroup, SettingInfo};
use nexus_view::language::{Text, tr};
use nexus_view::strings::settings::appearance as words;

pub fn setting_fields(group: SettingGroup) -> Markup {
    let all: Vec<_> = SCHEMA.iter().filter(|(_, info)| info.group == group).collect();
    let rows = all.chunk_by(|(_, one), (_, next)| one.row > 0 && one.row == next.row).map(|row| {
        let is_row = row.iter().any(|(_, info)| info.row > 0);
        let fields = row.iter().map(|(setting, info)| setting_field(*setting, info));
        if is_row {
            view! { <div class="settings-row">{fields}</div> }
        } else {
            fields.into_markup()
        }
    });
    rows.into_markup()
}

fn setting_field(setting: AnySetting, info: &'static SettingInfo) -> Markup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let SettingInfo { id, test, .. } = *info;
    let (title, hint, wrong) = (Text(info.label), Text(info.hint), Text(info.wrong));
    match setting {
        AnySetting::Check(setting) => {
            let is_on = settings.get(setting);
            view! {
                <div class="field">
                    {check(title, is_on, move |on| dispatch.set_setting(setting, on))
                        .with("id", id).test(test)}
                    <p class="hint">{hint}</p>
                </div>
            }
        }
        AnySetting::Number(setting) => {
            let (kind, kept) = (setting.kind, settings.value(setting));
            let value = select(move || {
                kept.with(|kept| kept.as_deref().map(|kept| kind.show(kept)).unwrap_or_default())
            });
            let keep = move |text: &str| {
                // Nothing goes back to the default.
                let value = if text.is_empty() { Value::Null } else { kind.enter(text).ok_or(wrong)? };
                dispatch.set_setting(setting, value);
                Ok(())
            };
            let example = kind.show(&kind.default.into());
            text_field(id, title, value, keep).test(test).hint(hint).example(example).code().into_markup()
        }
        AnySetting::Choice(setting) => {
            let (kind, kept, chosen) = (setting.kind, settings.text(setting), settings.get(setting));
            let problem = select(move || {
                let is_wrong = kept.with(|kept| !kept.is_empty() && *kept != chosen.get());
                is_wrong.then(|| words::wrong(&kept.get(), tr(kind.name_of(chosen.get()))))
            });
            let choices = kind.options.iter().map(|(value, name)| ((*value).to_owned(), tr(name).to_owned()));
            let choices = Selector::fixed(choices.collect::<Vec<_>>());
            let value = select(move || chosen.get().to_owned());
            let keep = move |value: String| dispatch.set_setting(setting, value);
            choice_field(id, title, choices, value, keep).test(test).hint(hint).problem(problem).into_markup()
        }
        AnySetting::Text(setting) => {
            let value = settings.text(setting);
            let keep = move |text: &str| {
                dispatch.set_setting(setting, text);
                Ok(())
            };
            text_field(id, title, value, keep).test(test).hint(hint).into_markup()
        }
        AnySetting::Own(_) | AnySetting::Rows(_) => Markup::Empty,
    }
}
