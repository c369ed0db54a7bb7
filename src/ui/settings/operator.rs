//! The operator's name, and how messages are delivered during a run.

use leptos::prelude::*;

use crate::ui::chat::queue::usual_mode;
use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, FieldIds, setting_fields};
use crate::ui::view_state::Settings;
use nexus_model::session::QueueMode;
use nexus_model::settings::schema::{QUEUE_MODE, SettingGroup, info};
use nexus_view::strings::chat::queue as queue_words;

#[component]
pub fn OperatorForm() -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let usual = usual_mode(expect_context::<Settings>());
    let modes = QueueMode::ALL.map(|mode| (mode.name().to_owned(), queue_words::in_full(mode)));
    let info = info(QUEUE_MODE);
    view! { class="n",
        <div class="settings-card">
            {setting_fields(SettingGroup::You)}
            <ChoiceField
                tag=FieldIds::known(info.id, info.test)
                title=info.label
                hint=info.hint
                choices=Signal::stored(modes.to_vec())
                value=Signal::derive(move || usual.get().name().to_owned())
                keep=move |mode: String| dispatch.set_setting(QUEUE_MODE, mode)
            />
        </div>
    }
}
