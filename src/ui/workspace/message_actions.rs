//! Requests to the timeline, to voice and about files, queued until the lazily loaded code handles them.

use crate::ui::hooks::files::PickedFile;
use crate::ui::hooks::js_part;
use crate::ui::kit::base::*;
use nexus_model::id::{AgentKey, MessageId, ToolRunId};
use nexus_model::mind::folder_sync::FolderContents;
use nexus_model::session::Pin;
use nexus_view::voice::listening::VoiceStatus;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageAction {
    Copy(MessageId),
    Quote(MessageId),
    Pin(MessageId),
    /// Delete a message's text, after confirmation.
    Delete(MessageId),
    /// Open or close a message's menu.
    Menu(MessageId),
    ToMessage(MessageId),
    ToTool(ToolRunId),
    ToFile(String),
    /// Go to the last change of a file.
    ToChange(String),
    Find,
    Pins,
}

#[derive(Clone, Copy, Default)]
pub struct MessageActionsState {
    pub queued: RwSignal<Vec<MessageAction>>,
    /// Pinned messages; the lazy service keeps them current.
    pub pins: RwSignal<Vec<Pin>>,
    pub is_searching: RwSignal<bool>,
    pub lists: RwSignal<bool>,
    pub menu: RwSignal<Option<MessageId>>,
}

impl MessageActionsState {
    pub fn request(self, request: MessageAction) {
        self.queued.update(|queued| queued.push(request));
    }

    /// Takes the queued actions. Reactive.
    pub(crate) fn take(self) -> Vec<MessageAction> {
        take_all(self.queued)
    }
}

#[derive(Clone, Copy, Default)]
pub struct FilePanelState {
    /// True if it replaces the editor.
    pub open: RwSignal<bool>,
    /// The content of the linked folder, if it is readable.
    pub on_disk: RwSignal<Option<Arc<FolderContents>>>,
    /// True if files wait to be opened.
    pub waiting: RwSignal<bool>,
    chosen: StoredValue<Vec<PickedFile>>,
}

impl FilePanelState {
    pub fn take(self, chosen: Vec<PickedFile>) {
        if !chosen.is_empty() {
            self.chosen.update_value(|all| all.extend(chosen));
            self.waiting.set(true);
        }
    }

    /// Takes the waiting files. Reactive.
    pub fn chosen(self) -> Vec<PickedFile> {
        if self.waiting.get() {
            self.waiting.set(false);
        }
        self.chosen.try_update_value(std::mem::take).unwrap_or_default()
    }
}

/// Takes a list; an empty one is not written, so that readers are not notified.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoiceRequest {
    Talk,
    StopTalking,
    Read(MessageId, AgentKey, String),
    StopReading,
}

#[derive(Clone, Copy, Default)]
pub struct VoiceState {
    pub open: RwSignal<bool>,
    pub status: RwSignal<VoiceStatus>,
    pub reading: RwSignal<Option<MessageId>>,
    queued: RwSignal<Vec<VoiceRequest>>,
    send: StoredValue<Option<Callback<()>>>,
    pub can_hear: bool,
    pub can_speak: bool,
}

impl VoiceState {
    pub(crate) fn new() -> Self {
        Self { can_hear: js_part::can_hear(), can_speak: js_part::can_speak(), ..Self::default() }
    }

    pub fn request(self, request: VoiceRequest) {
        self.queued.update(|queued| queued.push(request));
        self.open.set(true);
    }

    /// Takes the queued requests. Reactive.
    pub(crate) fn take(self) -> Vec<VoiceRequest> {
        take_all(self.queued)
    }

    /// Sends the composer's text.
    pub(crate) fn send(self) {
        self.send.get_value().into_iter().for_each(|send| send.run(()));
    }

    pub(crate) fn send_by(self, send: impl Fn() + Send + Sync + 'static) {
        self.send.set_value(Some(Callback::new(move |()| send())));
    }
}
