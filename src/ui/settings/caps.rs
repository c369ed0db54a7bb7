//! Never stops a run: the engine does, and asks.
//!
//! Owns what a run may use before it pauses, and for how long an answer may be silent: the fields of these numbers.

use leptos::prelude::*;
use serde_json::Value;

use crate::domain::failure::SILENCE_SETTING;
use crate::domain::limits::{RUN_CALLS, RUN_DOLLARS, RUN_TOKENS, SILENCE_MOST_SECONDS, STREAM_IDLE_MS};
use crate::domain::price;
use crate::domain::run::{CAP_CALLS_SETTING, CAP_DOLLARS_SETTING, CAP_TOKENS_SETTING};
use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{Entry, Tag, TextField};
use crate::ui::view_state::Settings;
use crate::ui::words::settings_limits as words;

/// A whole number from 1 to `most`, as somebody enters it: with or without marks between the thousands.
fn whole(text: &str, most: u64) -> Option<u64> {
    let number = text.replace([',', ' ', '_'], "").parse::<u64>().ok()?;
    (1..=most).contains(&number).then_some(number)
}

/// The caps of a run.
#[component]
pub fn CapFields() -> impl IntoView {
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
    let calls =
        keep(CAP_CALLS_SETTING, |text| whole(text, u32::MAX.into()).map(Into::into), words::WHOLE_WRONG);
    let silence =
        keep(SILENCE_SETTING, |text| whole(text, SILENCE_MOST_SECONDS).map(Into::into), words::SILENCE_WRONG);
    // Above this, a number in JSON is no longer exact.
    let tokens = keep(CAP_TOKENS_SETTING, |text| whole(text, 1 << 53).map(Into::into), words::WHOLE_WRONG);
    let dollars = keep(
        CAP_DOLLARS_SETTING,
        |text| price::dollars(text).filter(|dollars| *dollars > 0.0).map(Into::into),
        words::CAP_DOLLARS_WRONG,
    );
    view! { class="n",
        <div class="settings-card">
            <h3>{words::CAPS}</h3>
            <p class="hint">{words::CAPS_ABOUT}</p>
            <div class="settings-row">
                <TextField
                    tag=Tag::known("cap-calls", "cap-calls")
                    title=words::CAP_CALLS
                    example=RUN_CALLS.to_string()
                    entry=Entry::Code
                    value=shown(CAP_CALLS_SETTING)
                    keep=calls
                />
                <TextField
                    tag=Tag::known("cap-tokens", "cap-tokens")
                    title=words::CAP_TOKENS
                    example=RUN_TOKENS.to_string()
                    entry=Entry::Code
                    value=shown(CAP_TOKENS_SETTING)
                    keep=tokens
                />
                <TextField
                    tag=Tag::known("cap-dollars", "cap-dollars")
                    title=words::CAP_DOLLARS
                    example=RUN_DOLLARS.to_string()
                    entry=Entry::Code
                    value=shown(CAP_DOLLARS_SETTING)
                    keep=dollars
                />
            </div>
            <TextField
                tag=Tag::known("silence", "silence-seconds")
                title=words::SILENCE
                hint=words::SILENCE_ABOUT
                example=(STREAM_IDLE_MS / 1_000).to_string()
                entry=Entry::Code
                value=shown(SILENCE_SETTING)
                keep=silence
            />
        </div>
    }
}
