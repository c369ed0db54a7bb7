//! The data section of the settings: export, import, restore points, storage and reset. Loaded lazily.
//!
//! Has the card of storage usage and persistence, and the one that exports everything or one session. API keys are never exported.

pub mod import;
pub mod points;
pub mod reset;
pub mod state;

use crate::ui::kit::prelude::*;
use crate::ui::settings::data::import::ImportCard;
use crate::ui::settings::data::points::RestorePointsCard;
use crate::ui::settings::data::reset::ResetCard;
use crate::ui::settings::data::state::BackupState;
use crate::ui::view_state::Sessions;
use nexus_engine::port::StorageEstimate;
use nexus_model::id::SessionId;
pub use nexus_view::strings::settings::data as words;

/// All of it.
#[component]
pub fn BackupCards() -> impl IntoMarkup {
    let data = BackupState {
        door: expect_context(),
        dispatch: expect_context(),
        wanted: RwSignal::new(None),
        changed: RwSignal::new(0),
    };
    view! {
        <ExportCard data />
        <ImportCard data />
        <RestorePointsCard data />
        <StorageCard data />
        <ResetCard data />
    }
}

#[component]
pub fn StorageCard(data: BackupState) -> impl IntoMarkup {
    let facts = RwSignal::new(StorageEstimate::default());
    let said = RwSignal::new("");
    Effect::new(move |_| {
        data.changed.track();
        data.ask(move |desk| async move {
            facts.try_set(desk.facts().await);
        });
    });
    let persist = move |_| {
        data.ask(move |desk| async move {
            let agreed = desk.persist().await;
            said.try_set(if agreed { "" } else { words::PERSIST_REFUSED.get() });
            data.note_change();
        });
    };
    let share = move || {
        let StorageEstimate { used, quota, .. } = facts.get();
        used.zip(quota).filter(|(_, quota)| *quota > 0)
    };
    view! {
        <div class="settings-card" data-testid="data-storage-card">
            <h3>{words::STORAGE}</h3>
            <p data-testid="data-used">{move || words::used(facts.get())}</p>
            <meter
                class="data-meter" min="0" aria-label=words::STORAGE hidden=move || share().is_none()
                max=move || share().map(|(_, quota)| quota.to_string())
                value=move || share().map(|(used, _)| used.to_string())
            ></meter>
            <p class="hint" data-testid="data-persisted">{move || words::persisted(facts.get())}</p>
            <div class="settings-acts" hidden=move || facts.get().persisted != Some(false)>
                {button(words::PERSIST).test("data-persist").on_click(persist)}
            </div>
            <p class="hint" role="status">{said}</p>
        </div>
    }
}

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
