//! The operator's name, and how messages are delivered during a run.

use crate::ui::chat::queue::usual_mode;
use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::settings::field::setting_fields;
use crate::ui::view_state::Settings;
use nexus_model::session::QueueMode;
use nexus_model::settings::schema::{QUEUE_MODE, SettingGroup, info};
use nexus_view::language::Text;
use nexus_view::strings::chat::queue as queue_words;

#[component]
pub fn OperatorForm() -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let usual = usual_mode(expect_context::<Settings>());
    let modes = QueueMode::ALL.map(|mode| (mode.name().to_owned(), queue_words::in_full(mode)));
    let info = info(QUEUE_MODE);
    view! {
        <div class="settings-card">
            {setting_fields(SettingGroup::You)}
            {choice_field(info.id, Text(info.label), Selector::fixed(modes.to_vec()),
                select(move || usual.get().name().to_owned()),
                move |mode: String| dispatch.set_setting(QUEUE_MODE, mode)).test(info.test).hint(Text(info.hint))}
        </div>
    }
}
