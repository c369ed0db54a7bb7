//! What is asked of the timeline, of voice and about files, until the lazily loaded code that carries it out takes it.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::hooks::files::PickedFile;
use crate::ui::hooks::js_part;
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;
use nexus_model::id::{AgentKey, MessageId, ToolRunId};
use nexus_model::mind::folder_sync::FolderContents;
use nexus_model::session::{Pin, Target};
use nexus_view::voice::listening::VoiceStatus;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageAction {
    /// The source of a message in the clipboard.
    Copy(MessageId),
    /// A message in the composer, as a quotation.
    Quote(MessageId),
    /// A message pinned, or its pin taken off.
    Pin(MessageId),
    /// What a message says deleted, once the operator confirms it.
    Delete(MessageId),
    /// All that can be done with a message.
    Menu(MessageId),
    ToMessage(MessageId),
    ToTool(ToolRunId),
    ToFile(String),
    /// To be led to what changed a file last.
    ToChange(String),
    Find,
    /// To see what is pinned.
    Pins,
}

/// The care for the timeline, as the war room knows it.
#[derive(Clone, Copy)]
pub struct MessageActionsState {
    /// What was wanted and not taken yet.
    pub wishes: RwSignal<Vec<MessageAction>>,
    /// What is pinned; the part that serves keeps it.
    pub pins: RwSignal<Vec<Pin>>,
    pub finds: RwSignal<bool>,
    pub lists: RwSignal<bool>,
    pub menu: RwSignal<Option<MessageId>>,
    pub target: RwSignal<Target>,
}

impl MessageActionsState {
    pub(crate) fn new() -> Self {
        Self {
            wishes: RwSignal::default(),
            pins: RwSignal::default(),
            finds: RwSignal::new(false),
            lists: RwSignal::new(false),
            menu: RwSignal::new(None),
            target: RwSignal::new(Target::All),
        }
    }

    pub fn wish(self, wish: MessageAction) {
        self.wishes.update(|wishes| wishes.push(wish));
    }

    /// What was wanted and not taken yet. Tracks that more comes.
    pub(crate) fn take(self) -> Vec<MessageAction> {
        take_all(self.wishes)
    }
}

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

/// Empties a list, but does not wake who reads it where nothing is in it.
fn take_all<T: Send + Sync + 'static>(list: RwSignal<Vec<T>>) -> Vec<T> {
    if list.with(Vec::is_empty) {
        return Vec::new();
    }
    list.try_update(std::mem::take).unwrap_or_default()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePrompt {
    Nothing,
    NewName,
    OtherName(String),
}

/// What the operator wants of voice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoiceRequest {
    Talk,
    TalkEnd,
    Read(MessageId, AgentKey, String),
    /// To hear nothing more.
    Hush,
}

#[derive(Clone, Copy)]
pub struct VoiceState {
    pub open: RwSignal<bool>,
    /// Where voice stands; the part that listens keeps it.
    pub standing: RwSignal<VoiceStatus>,
    pub reading: RwSignal<Option<MessageId>>,
    wishes: RwSignal<Vec<VoiceRequest>>,
    send: StoredValue<Option<Callback<()>>>,
    pub can_hear: bool,
    pub can_speak: bool,
}

impl VoiceState {
    pub(crate) fn new() -> Self {
        Self {
            open: RwSignal::new(false),
            standing: RwSignal::new(VoiceStatus::Idle),
            reading: RwSignal::new(None),
            wishes: RwSignal::new(Vec::new()),
            send: StoredValue::new(None),
            can_hear: js_part::can_hear(),
            can_speak: js_part::can_speak(),
        }
    }

    pub fn wish(self, wish: VoiceRequest) {
        self.wishes.update(|wishes| wishes.push(wish));
        self.open.set(true);
    }

    /// What was wanted and not taken yet. Tracks that more comes.
    pub(crate) fn take(self) -> Vec<VoiceRequest> {
        take_all(self.wishes)
    }

    /// Sends what stands in the composer.
    pub(crate) fn send(self) {
        if let Some(send) = self.send.get_value() {
            send.run(());
        }
    }

    pub(crate) fn send_by(self, send: impl Fn() + Send + Sync + 'static) {
        self.send.set_value(Some(Callback::new(move |()| send())));
    }
}
