//! The number of days for which raw answers are kept.

use leptos::prelude::*;
use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{FieldIds, TextField, TextInputKind};
use crate::ui::view_state::Settings;
use nexus_engine::store::raw_responses::RAW_DAYS_SETTING;
use nexus_model::limits::{RAW_DAYS, RAW_DAYS_MOST};
use nexus_view::strings::inspect as words;

/// For how many days answers are kept as they came.
#[component]
pub fn RetentionField() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let value = settings.value(RAW_DAYS_SETTING);
    let value = Signal::derive(move || {
        let number = value.get().filter(|value| value.is_number());
        number.map(|number| number.to_string()).unwrap_or_default()
    });
    let keep = move |text: &str| {
        let value = match text.parse::<u64>() {
            // Nothing goes back to the usual.
            Err(_) if text.is_empty() => Value::Null,
            Ok(days) if days <= RAW_DAYS_MOST => days.into(),
            Ok(_) | Err(_) => return Err(words::RAW_DAYS_WRONG),
        };
        dispatch.set_setting(RAW_DAYS_SETTING, value);
        Ok(())
    };
    view! { class="n",
        <div class="settings-card">
            <TextField
                tag=FieldIds::known("raw-days", "raw-days")
                title=words::RAW_DAYS
                hint=words::RAW_DAYS_ABOUT
                example=RAW_DAYS.to_string()
                entry=TextInputKind::Code
                value
                keep
            />
        </div>
    }
}
