//! State of the file panel: whether it is open, files waiting to be opened, and what is asked about files.

use std::rc::Rc;
use std::sync::Arc;

use crate::ui::hooks::files::PickedFile;
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;
use nexus_model::mind::folder_sync::FolderContents;

/// The desk, as the war room knows it.
#[derive(Clone, Copy)]
pub struct FilePanelState {
    /// Whether it stands in the place of the editor.
    pub open: RwSignal<bool>,
    /// What the folder holds that the session is tied to, where it can be read.
    pub on_disk: RwSignal<Option<Arc<FolderContents>>>,
    /// Whether files wait to be opened.
    pub waiting: RwSignal<bool>,
    chosen: StoredValue<Vec<PickedFile>>,
    sorter: StoredValue<Option<FileSorter>>,
}

/// Takes what goes along with a message, and gives the rest to the desk.
type FileSorter = Rc<dyn Fn(Vec<PickedFile>)>;

impl FilePanelState {
    /// A desk on which nothing lies.
    pub(crate) fn new() -> Self {
        let (chosen, sorter) = (StoredValue::new(Vec::new()), StoredValue::new(None));
        let on_disk = RwSignal::new(None);
        Self { open: RwSignal::new(false), on_disk, waiting: RwSignal::new(false), chosen, sorter }
    }

    /// From here on `sorter` looks first at what arrives.
    pub fn sort_by(self, sorter: impl Fn(Vec<PickedFile>) + 'static) {
        self.sorter.set_value(Some(Rc::new(sorter)));
    }

    /// Files that the operator chose arrive, of whatever kind.
    pub fn arrive(self, chosen: Vec<PickedFile>) {
        match self.sorter.get_value() {
            Some(sorter) => sorter(chosen),
            None => self.take(chosen),
        }
    }

    /// Puts files there that the operator chose.
    pub fn take(self, chosen: Vec<PickedFile>) {
        if !chosen.is_empty() {
            self.chosen.update_value(|all| all.extend(chosen));
            self.waiting.set(true);
        }
    }

    /// What lies there, if anything does; gone from there then.
    pub fn chosen(self) -> Vec<PickedFile> {
        if self.waiting.get() {
            self.waiting.set(false);
        }
        self.chosen.try_update_value(std::mem::take).unwrap_or_default()
    }
}

/// What is being asked about the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePrompt {
    Nothing,
    NewName,
    OtherName(String),
}
