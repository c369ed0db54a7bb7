//! Never reads a file and never shows one: the part of the program that does comes when it is first needed.
//!
//! Owns what the war room knows of the desk, where files are opened, ordered, packed and tied to a folder: whether it
//! stands in the editor's place, and what waits to be opened there.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use crate::domain::folder::Holding;
use crate::ui::hooks::files::Chosen;
use crate::ui::later::Later;
use crate::ui::screens;
use crate::ui::view_state::{Sessions, Settings};

/// The setting that lists the sessions that are tied to a folder on this device.
pub const TIED_SETTING: &str = "tied_folders";

/// The desk, as the war room knows it.
#[derive(Clone, Copy)]
pub struct FileDesk {
    /// Whether it stands in the place of the editor.
    pub open: RwSignal<bool>,
    /// What the folder holds that the session is tied to, where it can be read.
    pub on_disk: RwSignal<Option<Arc<Holding>>>,
    waiting: RwSignal<bool>,
    chosen: StoredValue<Vec<Chosen>, LocalStorage>,
    sorter: StoredValue<Option<Sorter>, LocalStorage>,
}

/// Takes what goes along with a message, and gives the rest to the desk.
type Sorter = Rc<dyn Fn(Vec<Chosen>)>;

impl FileDesk {
    /// A desk on which nothing lies.
    pub(in crate::ui) fn new() -> Self {
        let (chosen, sorter) = (StoredValue::new_local(Vec::new()), StoredValue::new_local(None));
        let on_disk = RwSignal::new(None);
        Self { open: RwSignal::new(false), on_disk, waiting: RwSignal::new(false), chosen, sorter }
    }

    /// From here on `sorter` looks first at what arrives.
    pub fn sort_by(self, sorter: impl Fn(Vec<Chosen>) + 'static) {
        self.sorter.set_value(Some(Rc::new(sorter)));
    }

    /// Files that the operator chose arrive, of whatever kind.
    pub fn arrive(self, chosen: Vec<Chosen>) {
        match self.sorter.get_value() {
            Some(sorter) => sorter(chosen),
            None => self.take(chosen),
        }
    }

    /// Puts files there that the operator chose.
    pub fn take(self, chosen: Vec<Chosen>) {
        if !chosen.is_empty() {
            self.chosen.update_value(|all| all.extend(chosen));
            self.waiting.set(true);
        }
    }

    /// What lies there, if anything does; gone from there then.
    pub fn chosen(self) -> Vec<Chosen> {
        if self.waiting.get() {
            self.waiting.set(false);
        }
        self.chosen.try_update_value(std::mem::take).unwrap_or_default()
    }
}

/// The place of the desk. It is loaded when it is opened, when a file comes, and where the session is tied to a folder.
#[component]
pub fn DeskPlace() -> impl IntoView {
    let desk = expect_context::<FileDesk>();
    let (focus, tied) =
        (expect_context::<Sessions>().focus(), expect_context::<Settings>().value(TIED_SETTING));
    let is_tied = move || {
        let session = focus.get().to_string();
        tied.with(|tied| {
            tied.as_ref()
                .and_then(|tied| tied.as_array())
                .is_some_and(|all| all.contains(&Value::from(session)))
        })
    };
    let needed =
        Memo::new(move |known| known == Some(&true) || desk.open.get() || desk.waiting.get() || is_tied());
    view! { class="n",
        <div class="desk-place" hidden=move || !desk.open.get() && !desk.waiting.get()>
            <Show when=move || needed.get()>
                <Later load=|| screens::file_desk() />
            </Show>
        </div>
    }
}
