//! The card of storage usage and persistence.

use crate::ui::kit::prelude::*;
use crate::ui::settings::data::state::BackupState;
use nexus_engine::port::StorageEstimate;
pub use nexus_view::strings::settings::data as words;

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
