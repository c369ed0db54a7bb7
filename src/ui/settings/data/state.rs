//! What the cards of the data section share.

use std::rc::Rc;

use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::files::streamed_file;
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;
use nexus_engine::backup::{BackupClient, BackupService};
use nexus_engine::port::{ByteSource, StoreError, TextStream};
use nexus_model::settings::schema::EXPORTED_AT;

/// The way to the desk, as a context.
pub type BackupContext = StoredValue<SendWrapper<BackupClient>>;

/// A dump that somebody wants to look into.
#[derive(Clone)]
pub struct PendingDump {
    pub(super) source: SendWrapper<Rc<dyn ByteSource>>,
    pub(super) name: String,
}

/// What the cards share.
#[derive(Clone, Copy)]
pub struct BackupState {
    pub(super) door: BackupContext,
    pub(super) dispatch: Dispatch,
    /// The dump to look into next.
    pub(super) wanted: RwSignal<Option<PendingDump>>,
    /// Counts what changed the restore points or the storage.
    pub(super) changed: RwSignal<u32>,
}

impl BackupState {
    /// Asks the desk for something.
    pub(super) fn ask<W: Future<Output = ()> + 'static>(
        &self,
        work: impl FnOnce(BackupService) -> W + 'static,
    ) {
        let door = self.door.with_value(|door| (**door).clone());
        spawn_local(async move {
            // It lies in the file that this code came in.
            if let Ok(desk) = door.desk().await {
                work(desk).await;
            }
        });
    }

    /// Saves a dump that comes in pieces as a file named after the time.
    pub(super) async fn save(&self, dump: TextStream) -> Result<(), StoreError> {
        let time = self.dispatch.now().rfc3339().replace([':', 'T'], "-");
        streamed_file::save(&format!("nexus-{}.json", time.trim_end_matches('Z')), dump).await
    }

    /// Everything is in a file now: that is not advised again for a week.
    pub(super) fn note_exported(&self) {
        self.dispatch.set_setting(EXPORTED_AT, self.dispatch.now().0);
    }

    pub(super) fn look_into(&self, source: Rc<dyn ByteSource>, name: String) {
        self.wanted.set(Some(PendingDump { source: SendWrapper::new(source), name }));
    }

    pub(super) fn note_change(&self) {
        self.changed.update(|count| *count = count.wrapping_add(1));
    }
}
