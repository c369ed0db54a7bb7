//! The Core's settings: its model, and when it syncs by itself.

use leptos::prelude::*;
use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{FieldIds, TextField, TextInputKind};
use crate::ui::settings::model_picker::{ModelPicker, ModelPickerLabels, ModelPickerSettings};
use crate::ui::view_state::{Providers, Settings};
use nexus_model::limits::{SYNC_LINES, SYNC_LINES_MOST, SYNC_WAIT_MOST_MS, SYNC_WAIT_MS};
use nexus_model::mind::core_sync::{
    AUTO_SETTING, LINES_SETTING, MODEL_SETTING, PROPOSE_SETTING, PROVIDER_SETTING, WAIT_SETTING,
};
pub use nexus_view::strings::board::core_sync::settings as words;

/// Seconds, with up to three digits behind the point, as milliseconds.
fn millis(text: &str) -> Option<u64> {
    let seconds = text.replace(',', ".").parse::<f64>().ok().filter(|seconds| *seconds >= 0.0)?;
    let most = SYNC_WAIT_MOST_MS / 1_000;
    (seconds <= most as f64).then(|| (seconds * 1_000.0).round() as u64)
}

fn lines(text: &str) -> Option<u64> {
    text.parse::<u64>().ok().filter(|lines| *lines <= SYNC_LINES_MOST)
}

const KEPT: ModelPickerSettings = ModelPickerSettings {
    provider: PROVIDER_SETTING,
    model: MODEL_SETTING,
    provider_field: "core-provider",
    model_field: "core-model",
    models: "core-models",
};
const TOLD: ModelPickerLabels = ModelPickerLabels {
    provider: words::PROVIDER,
    provider_about: words::PROVIDER_ABOUT,
    none: words::AS_ARCHITECT,
    model: words::MODEL,
    about: words::MODEL_ABOUT,
};

/// The settings of the Core.
#[component]
pub fn CoreFields(providers: Providers) -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let auto = settings.value(AUTO_SETTING);
    let is_auto = move || auto.with(|auto| auto.as_ref().and_then(|auto| auto.as_bool())).unwrap_or(true);
    let propose = settings.value(PROPOSE_SETTING);
    let is_proposing =
        move || propose.with(|value| value.as_ref().and_then(|value| value.as_bool())).unwrap_or(false);
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
            <ModelPicker providers kept=KEPT told=TOLD />
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
            <label class="check">
                <input
                    type="checkbox"
                    id="core-propose"
                    data-testid="core-propose"
                    prop:checked=is_proposing
                    on:change=move |ev| dispatch.set_setting(PROPOSE_SETTING, event_target_checked(&ev))
                />
                {words::PROPOSE}
            </label>
            <p class="hint">{words::PROPOSE_ABOUT}</p>
            <div class="settings-row">
                <TextField
                    tag=FieldIds::known("core-wait", "core-wait")
                    title=words::WAIT
                    hint=words::WAIT_ABOUT
                    example=seconds(SYNC_WAIT_MS)
                    entry=TextInputKind::Code
                    value=number(WAIT_SETTING, seconds)
                    keep=keep(WAIT_SETTING, millis, words::WAIT_WRONG)
                />
                <TextField
                    tag=FieldIds::known("core-lines", "core-lines")
                    title=words::LINES
                    hint=words::LINES_ABOUT
                    example=SYNC_LINES.to_string()
                    entry=TextInputKind::Code
                    value=number(LINES_SETTING, |lines| lines.to_string())
                    keep=keep(LINES_SETTING, lines, words::LINES_WRONG)
                />
            </div>
        </div>
    }
}
