//! Limits of a run before it pauses, and how long an answer may be silent.

use leptos::prelude::*;
use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{FieldIds, TextField, TextInputKind};
use crate::ui::view_state::Settings;
use nexus_model::limits::{
    RUN_CALLS, RUN_DOLLARS, RUN_TOKENS, SILENCE_MOST_SECONDS, STREAM_IDLE_MS, WORKER_DEPTH, WORKER_DEPTH_MOST,
};
use nexus_model::provider::failure::SILENCE_SETTING;
use nexus_model::provider::price;
use nexus_model::run::{CAP_CALLS_SETTING, CAP_DOLLARS_SETTING, CAP_TOKENS_SETTING};
use nexus_model::session::delegation::WORKER_DEPTH_SETTING;
use nexus_view::strings::chat::workers as worker_words;
pub use nexus_view::strings::settings::limits as words;

/// A whole number from 1 to `most`, as somebody enters it: with or without marks between the thousands.
fn whole(text: &str, most: u64) -> Option<u64> {
    let number = text.replace([',', ' ', '_'], "").parse::<u64>().ok()?;
    (1..=most).contains(&number).then_some(number)
}

/// The caps of a run.
#[component]
pub fn RunLimitFields() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let shown = move |name: &'static str| {
        let value = settings.value(name);
        Signal::derive(move || {
            let number = value.get().filter(|value| value.is_number());
            number.map(|number| number.to_string()).unwrap_or_default()
        })
    };
    let keep = move |name: &'static str, read: fn(&str) -> Option<Value>, wrong: &'static str| {
        move |text: &str| {
            // Nothing goes back to the usual.
            let value = if text.is_empty() { Value::Null } else { read(text).ok_or(wrong)? };
            dispatch.set_setting(name, value);
            Ok(())
        }
    };
    let cap = |id: &'static str,
               title: &'static str,
               about: &'static str,
               usual: u64,
               name: &'static str,
               read: fn(&str) -> Option<Value>,
               wrong: &'static str| {
        view! { class="n",
            <TextField
                tag=FieldIds::known(id, id)
                title=title
                hint=about
                example=usual.to_string()
                entry=TextInputKind::Code
                value=shown(name)
                keep=keep(name, read, wrong)
            />
        }
    };
    let calls = cap(
        "cap-calls",
        words::CAP_CALLS,
        words::CAP_CALLS_ABOUT,
        RUN_CALLS.into(),
        CAP_CALLS_SETTING,
        |text| whole(text, u32::MAX.into()).map(Into::into),
        words::WHOLE_WRONG,
    );
    let tokens = cap(
        "cap-tokens",
        words::CAP_TOKENS,
        words::CAP_TOKENS_ABOUT,
        RUN_TOKENS,
        CAP_TOKENS_SETTING,
        // Above this, a number in JSON is no longer exact.
        |text| whole(text, 1 << 53).map(Into::into),
        words::WHOLE_WRONG,
    );
    let dollars = cap(
        "cap-dollars",
        words::CAP_DOLLARS,
        words::CAP_DOLLARS_ABOUT,
        RUN_DOLLARS,
        CAP_DOLLARS_SETTING,
        |text| price::dollars(text).filter(|dollars| *dollars > 0.0).map(Into::into),
        words::CAP_DOLLARS_WRONG,
    );
    let silence =
        keep(SILENCE_SETTING, |text| whole(text, SILENCE_MOST_SECONDS).map(Into::into), words::SILENCE_WRONG);
    let depth = keep(
        WORKER_DEPTH_SETTING,
        |text| text.parse::<u32>().ok().filter(|depth| *depth <= WORKER_DEPTH_MOST).map(Into::into),
        worker_words::DEPTH_WRONG,
    );
    view! { class="n",
        <div class="settings-card">
            <h3>{words::CAPS}</h3>
            <p class="hint">{words::CAPS_ABOUT}</p>
            <div class="settings-row">
                {calls}
                {tokens}
                {dollars}
            </div>
            <TextField
                tag=FieldIds::known("silence", "silence-seconds")
                title=words::SILENCE
                hint=words::SILENCE_ABOUT
                example=(STREAM_IDLE_MS / 1_000).to_string()
                entry=TextInputKind::Code
                value=shown(SILENCE_SETTING)
                keep=silence
            />
            <TextField
                tag=FieldIds::known("worker-depth", "worker-depth")
                title=worker_words::DEPTH
                hint=worker_words::DEPTH_ABOUT
                example=WORKER_DEPTH.to_string()
                entry=TextInputKind::Code
                value=shown(WORKER_DEPTH_SETTING)
                keep=depth
            />
        </div>
    }
}
