//! The card that exports everything or one session. API keys are never exported.

use crate::ui::kit::prelude::*;
use crate::ui::settings::data::state::BackupState;
use crate::ui::view_state::Sessions;
use nexus_model::id::SessionId;
pub use nexus_view::strings::settings::data as words;

#[component]
pub fn ExportCard(data: BackupState) -> impl IntoMarkup {
    let sessions = expect_context::<Sessions>();
    let chosen = RwSignal::new(sessions.focus().get_untracked());
    let (busy, said) = (RwSignal::new(false), RwSignal::new(String::new()));
    let export = move |only: Option<SessionId>| {
        busy.set(true);
        said.set(words::ONE_MOMENT.to_owned());
        data.ask(move |desk| async move {
            let outcome = data.save(desk.export(only)).await;
            busy.try_set(false);
            if outcome.is_ok() && only.is_none() {
                data.note_exported();
            }
            said.try_set(match outcome {
                Ok(()) => words::EXPORTED.to_owned(),
                Err(error) => words::store_error(&error),
            });
        });
    };
    let one = move |id: SessionId| {
        let label = sessions.get_untracked(&id).map(|row| row.label).unwrap_or_default();
        let label = if label.is_empty() { words::UNNAMED.to_owned() } else { label };
        option(id.to_string(), label, move || chosen.get() == id)
    };
    let choose = move |value: String| {
        if let Ok(id) = value.parse() {
            chosen.set(id);
        }
    };
    view! {
        <div class="settings-card" data-testid="data-export-card">
            <h3>{words::EXPORT}</h3>
            <p class="hint">{words::EXPORT_ABOUT}</p>
            <div class="settings-acts">
                {button(words::EXPORT_ALL).first().test("data-export").disabled(busy)
                    .on_click(move |_| export(None))}
            </div>
            <div class="field">
                <label class="field-name" for="data-session">{words::EXPORT_ONE}</label>
                <div class="key-line">
                    {select_box(move || sessions.order().get().into_iter().map(one), choose).id("data-session")
                        .test("data-export-session")}
                    {button(words::EXPORT_THIS).test("data-export-one").disabled(busy)
                        .on_click(move |_| export(Some(chosen.get_untracked())))}
                </div>
            </div>
            <p class="data-said" role="status" data-testid="data-export-said">{said}</p>
        </div>
    }
}
