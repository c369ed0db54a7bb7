//! The operator's name, and how messages are delivered during a run.

use leptos::prelude::*;

use crate::ui::chat::queue::usual_mode;
use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{FieldIds, TextField};
use crate::ui::view_state::Settings;
use nexus_model::session::{QUEUE_MODE_SETTING, QueueMode};
use nexus_view::strings::chat::queue as queue_words;
use nexus_view::strings::settings as words;

/// The operator's name, and what usually happens to a message that comes while a run works.
#[component]
pub fn OperatorForm() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let keep_name = move |name: &str| {
        dispatch.set_setting("operator_name", name);
        Ok(())
    };
    let usual = usual_mode(settings);
    let mode = move |mode: QueueMode| {
        view! { class="n",
            <option value=mode.name() prop:selected=move || usual.get() == mode>{queue_words::in_full(mode)}</option>
        }
    };
    view! { class="n",
        <div class="settings-card">
            <TextField
                tag=FieldIds::known("operator-name", "settings-name")
                title=words::NAME
                hint=words::NAME_ABOUT
                value=settings.text("operator_name")
                keep=keep_name
            />
            <div class="field">
                <label class="field-name" for="queue-usual">{queue_words::USUAL}</label>
                <select
                    class="select" id="queue-usual" data-testid="queue-usual" aria-describedby="queue-usual-about"
                    on:change=move |event| dispatch.set_setting(QUEUE_MODE_SETTING, event_target_value(&event))
                >
                    {QueueMode::ALL.map(mode).into_iter().collect_view()}
                </select>
                <p class="hint" id="queue-usual-about">{queue_words::USUAL_ABOUT}</p>
            </div>
        </div>
    }
}
