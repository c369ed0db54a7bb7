//! The data section of the settings: export, import, restore points, storage and reset. Loaded lazily.

pub mod export;
pub mod import;
pub mod points;
pub mod proposals;
pub mod reset;
pub mod session_table;
pub mod state;
pub mod storage;

use crate::ui::kit::prelude::*;
use crate::ui::settings::data::export::ExportCard;
use crate::ui::settings::data::import::ImportCard;
use crate::ui::settings::data::points::RestorePointsCard;
use crate::ui::settings::data::reset::ResetCard;
use crate::ui::settings::data::state::BackupState;
use crate::ui::settings::data::storage::StorageCard;

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
