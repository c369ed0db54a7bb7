//! The card that exports everything or one session. API keys are never exported.

use leptos::prelude::*;

use crate::ui::settings::data::BackupState;
use crate::ui::view_state::Sessions;
use nexus_model::id::SessionId;
pub use nexus_view::strings::settings::data as words;

#[component]
pub fn ExportCard(data: BackupState) -> impl IntoView {
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
    let option = move |id: SessionId| {
        let label = sessions.get_untracked(&id).map(|row| row.label).unwrap_or_default();
        let label = if label.is_empty() { words::UNNAMED.to_owned() } else { label };
        let is_chosen = move || chosen.get() == id;
        view! { class="n", <option value=id.to_string() prop:selected=is_chosen>{label}</option> }
    };
    let choose = move |ev| {
        if let Ok(id) = event_target_value(&ev).parse() {
            chosen.set(id);
        }
    };
    view! { class="n",
        <div class="settings-card" data-testid="data-export-card">
            <h3>{words::EXPORT}</h3>
            <p class="hint">{words::EXPORT_ABOUT}</p>
            <div class="settings-acts">
                <button
                    type="button"
                    class="button"
                    data-weight="first"
                    data-testid="data-export"
                    disabled=move || busy.get()
                    on:click=move |_| export(None)
                >
                    {words::EXPORT_ALL}
                </button>
            </div>
            <div class="field">
                <label class="field-name" for="data-session">{words::EXPORT_ONE}</label>
                <div class="key-line">
                    <select id="data-session" class="select" data-testid="data-export-session" on:change=choose>
                        {move || sessions.order().get().into_iter().map(option).collect_view()}
                    </select>
                    <button
                        type="button"
                        class="button"
                        data-testid="data-export-one"
                        disabled=move || busy.get()
                        on:click=move |_| export(Some(chosen.get_untracked()))
                    >
                        {words::EXPORT_THIS}
                    </button>
                </div>
            </div>
            <p class="data-said" role="status" data-testid="data-export-said">{move || said.get()}</p>
        </div>
    }
}
