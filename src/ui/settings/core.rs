//! Never asks the Core.
//!
//! Owns what the Core thinks with and when it is asked by itself.

use leptos::prelude::*;
use serde_json::Value;

use crate::domain::id::ProviderId;
use crate::domain::limits::{SYNC_LINES, SYNC_LINES_MOST, SYNC_WAIT_MOST_MS, SYNC_WAIT_MS};
use crate::domain::sync::{AUTO_SETTING, LINES_SETTING, MODEL_SETTING, PROVIDER_SETTING, WAIT_SETTING};
use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, Entry, Tag, TextField};
use crate::ui::settings::provider::first_model;
use crate::ui::view_state::{Providers, Settings};
use crate::ui::words::core::settings as words;

/// Seconds, with up to three digits behind the point, as milliseconds.
fn millis(text: &str) -> Option<u64> {
    let seconds = text.replace(',', ".").parse::<f64>().ok().filter(|seconds| *seconds >= 0.0)?;
    let most = SYNC_WAIT_MOST_MS / 1_000;
    (seconds <= most as f64).then(|| (seconds * 1_000.0).round() as u64)
}

fn lines(text: &str) -> Option<u64> {
    text.parse::<u64>().ok().filter(|lines| *lines <= SYNC_LINES_MOST)
}

/// The settings of the Core.
#[component]
pub fn CoreFields(
    /// The providers.
    providers: Providers,
) -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let choices = Signal::derive(move || {
        let rows = providers.order().get().into_iter().filter_map(|id| providers.row(&id));
        let named = rows.map(|row| row.with(|row| (row.provider.id.0.clone(), row.provider.label.clone())));
        std::iter::once((String::new(), words::AS_ARCHITECT.to_owned())).chain(named).collect()
    });
    let chosen = settings.text(PROVIDER_SETTING);
    let keep_provider = move |id: String| {
        if chosen.get_untracked() == id {
            return;
        }
        // A model is known by its provider only.
        let model = providers.get_untracked(&ProviderId(id.clone())).map(|row| first_model(&row));
        dispatch.set_setting(MODEL_SETTING, model.unwrap_or_default());
        dispatch.set_setting(PROVIDER_SETTING, id);
    };
    let models = move || {
        let row = providers.row(&ProviderId(chosen.get()));
        let list = row.and_then(|row| row.with(|row| row.models.clone()));
        let models = list.iter().flat_map(|list| &list.models);
        models.map(|info| view! { class="n", <option value=info.id.clone()></option> }).collect_view()
    };
    let auto = settings.value(AUTO_SETTING);
    let is_auto = move || auto.with(|auto| auto.as_ref().and_then(|auto| auto.as_bool())).unwrap_or(true);
    let number = move |name: &'static str, show: fn(u64) -> String| {
        let value = settings.value(name);
        Signal::derive(move || {
            value.with(|value| value.as_ref().and_then(|value| value.as_u64())).map(show).unwrap_or_default()
        })
    };
    let keep = move |name: &'static str, read: fn(&str) -> Option<u64>, wrong: &'static str| {
        move |text: &str| {
            // Nothing goes back to the usual.
            let value = if text.is_empty() { Value::Null } else { read(text).ok_or(wrong)?.into() };
            dispatch.set_setting(name, value);
            Ok(())
        }
    };
    let seconds = |ms: u64| (ms as f64 / 1_000.0).to_string();
    view! { class="n",
        <div class="settings-card">
            <div class="settings-row">
                <ChoiceField
                    tag=Tag::known("core-provider", "core-provider")
                    title=words::PROVIDER
                    hint=words::PROVIDER_ABOUT
                    choices
                    value=chosen
                    keep=keep_provider
                />
                <div class="field">
                    <TextField
                        tag=Tag::known("core-model", "core-model").listed("core-models".to_owned())
                        title=words::MODEL
                        hint=words::MODEL_ABOUT
                        entry=Entry::Code
                        value=settings.text(MODEL_SETTING)
                        keep=move |model: &str| {
                            dispatch.set_setting(MODEL_SETTING, model);
                            Ok(())
                        }
                    />
                    <datalist id="core-models">{models}</datalist>
                </div>
            </div>
            <label class="check">
                <input
                    type="checkbox"
                    id="core-auto"
                    data-testid="core-auto"
                    prop:checked=is_auto
                    on:change=move |ev| dispatch.set_setting(AUTO_SETTING, event_target_checked(&ev))
                />
                {words::AUTO}
            </label>
            <p class="hint">{words::AUTO_ABOUT}</p>
            <div class="settings-row">
                <TextField
                    tag=Tag::known("core-wait", "core-wait")
                    title=words::WAIT
                    hint=words::WAIT_ABOUT
                    example=seconds(SYNC_WAIT_MS)
                    entry=Entry::Code
                    value=number(WAIT_SETTING, seconds)
                    keep=keep(WAIT_SETTING, millis, words::WAIT_WRONG)
                />
                <TextField
                    tag=Tag::known("core-lines", "core-lines")
                    title=words::LINES
                    hint=words::LINES_ABOUT
                    example=SYNC_LINES.to_string()
                    entry=Entry::Code
                    value=number(LINES_SETTING, |lines| lines.to_string())
                    keep=keep(LINES_SETTING, lines, words::LINES_WRONG)
                />
            </div>
        </div>
    }
}
