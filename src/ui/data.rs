//! Never changes a session, an agent or a setting that the operator did not ask for.
//!
//! Owns what the operator does with their data as a whole: an export, an import, restore points, what is used, and an
//! end of it all. It is a part of its own that the settings load.

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

use crate::engine::data::care::EXPORTED_SETTING;
use crate::engine::data::{DataDoor, Desk};
use crate::engine::port::{Pieces, Source, StoreError};
use crate::ui::data::export::ExportCard;
use crate::ui::data::import::ImportCard;
use crate::ui::data::points::PointsCard;
use crate::ui::data::reset::ResetCard;
use crate::ui::data::storage::StorageCard;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::big_file;

/// The way to the desk, as a context.
pub type DataContext = StoredValue<SendWrapper<DataDoor>>;

/// A dump that somebody wants to look into.
#[derive(Clone)]
pub struct Wanted {
    source: SendWrapper<Rc<dyn Source>>,
    name: String,
}

/// What the cards share.
#[derive(Clone, Copy)]
pub struct Data {
    door: DataContext,
    dispatch: Dispatch,
    /// The dump to look into next.
    wanted: RwSignal<Option<Wanted>>,
    /// Counts what changed the restore points or the storage.
    changed: RwSignal<u32>,
}

impl Data {
    /// Asks the desk for something.
    fn ask<W: Future<Output = ()> + 'static>(&self, work: impl FnOnce(Desk) -> W + 'static) {
        let door = self.door.with_value(|door| (**door).clone());
        spawn_local(async move {
            // It lies in the file that this code came in.
            if let Ok(desk) = door.desk().await {
                work(desk).await;
            }
        });
    }

    /// Saves a dump that comes in pieces as a file named after the time.
    async fn save(&self, dump: Pieces) -> Result<(), StoreError> {
        let time = self.dispatch.now().rfc3339().replace([':', 'T'], "-");
        big_file::save(&format!("nexus-{}.json", time.trim_end_matches('Z')), dump).await
    }

    /// Everything is in a file now: that is not advised again for a week.
    fn note_exported(&self) {
        self.dispatch.set_setting(EXPORTED_SETTING, self.dispatch.now().0);
    }

    fn look_into(&self, source: Rc<dyn Source>, name: String) {
        self.wanted.set(Some(Wanted { source: SendWrapper::new(source), name }));
    }

    fn note_change(&self) {
        self.changed.update(|count| *count = count.wrapping_add(1));
    }
}

/// All of it.
#[component]
pub fn DataCards() -> impl IntoView {
    let data = Data {
        door: expect_context(),
        dispatch: expect_context(),
        wanted: RwSignal::new(None),
        changed: RwSignal::new(0),
    };
    view! { class="n",
        <ExportCard data />
        <ImportCard data />
        <PointsCard data />
        <StorageCard data />
        <ResetCard data />
    }
}
