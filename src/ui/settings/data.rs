//! The data section of the settings: export, import, restore points, storage and reset. Loaded lazily.

pub mod export;
pub mod import;
pub mod points;
pub mod proposals;
pub mod reset;
pub mod session_table;
pub mod storage;

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::files::streamed_file;
use crate::ui::settings::data::export::ExportCard;
use crate::ui::settings::data::import::ImportCard;
use crate::ui::settings::data::points::RestorePointsCard;
use crate::ui::settings::data::reset::ResetCard;
use crate::ui::settings::data::storage::StorageCard;
use nexus_engine::backup::{BackupClient, BackupService};
use nexus_engine::port::{ByteSource, StoreError, TextStream};
use nexus_model::settings::schema::EXPORTED_AT;

/// The way to the desk, as a context.
pub type BackupContext = StoredValue<SendWrapper<BackupClient>>;

/// A dump that somebody wants to look into.
#[derive(Clone)]
pub struct PendingDump {
    source: SendWrapper<Rc<dyn ByteSource>>,
    name: String,
}

/// What the cards share.
#[derive(Clone, Copy)]
pub struct BackupState {
    door: BackupContext,
    dispatch: Dispatch,
    /// The dump to look into next.
    wanted: RwSignal<Option<PendingDump>>,
    /// Counts what changed the restore points or the storage.
    changed: RwSignal<u32>,
}

impl BackupState {
    /// Asks the desk for something.
    fn ask<W: Future<Output = ()> + 'static>(&self, work: impl FnOnce(BackupService) -> W + 'static) {
        let door = self.door.with_value(|door| (**door).clone());
        spawn_local(async move {
            // It lies in the file that this code came in.
            if let Ok(desk) = door.desk().await {
                work(desk).await;
            }
        });
    }

    /// Saves a dump that comes in pieces as a file named after the time.
    async fn save(&self, dump: TextStream) -> Result<(), StoreError> {
        let time = self.dispatch.now().rfc3339().replace([':', 'T'], "-");
        streamed_file::save(&format!("nexus-{}.json", time.trim_end_matches('Z')), dump).await
    }

    /// Everything is in a file now: that is not advised again for a week.
    fn note_exported(&self) {
        self.dispatch.set_setting(EXPORTED_AT, self.dispatch.now().0);
    }

    fn look_into(&self, source: Rc<dyn ByteSource>, name: String) {
        self.wanted.set(Some(PendingDump { source: SendWrapper::new(source), name }));
    }

    fn note_change(&self) {
        self.changed.update(|count| *count = count.wrapping_add(1));
    }
}

/// All of it.
#[component]
pub fn BackupCards() -> impl IntoView {
    let data = BackupState {
        door: expect_context(),
        dispatch: expect_context(),
        wanted: RwSignal::new(None),
        changed: RwSignal::new(0),
    };
    view! { class="n",
        <ExportCard data />
        <ImportCard data />
        <RestorePointsCard data />
        <StorageCard data />
        <ResetCard data />
    }
}
