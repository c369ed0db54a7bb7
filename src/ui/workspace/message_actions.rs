//! What is asked of the timeline, until the lazily loaded code that carries it out takes it.

use crate::ui::kit::signal::RwSignal;

use nexus_model::id::{MessageId, ToolRunId};
use nexus_model::session::{Pin, Target};

/// What the operator wants.
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
    /// Whether the bar that finds is open.
    pub finds: RwSignal<bool>,
    /// Whether the list of pins is open.
    pub lists: RwSignal<bool>,
    pub menu: RwSignal<Option<MessageId>>,
    pub target: RwSignal<Target>,
}

impl MessageActionsState {
    /// Nothing is wanted yet.
    pub(crate) fn new() -> Self {
        Self {
            wishes: RwSignal::new(Vec::new()),
            pins: RwSignal::new(Vec::new()),
            finds: RwSignal::new(false),
            lists: RwSignal::new(false),
            menu: RwSignal::new(None),
            target: RwSignal::new(Target::All),
        }
    }

    /// Wants something.
    pub fn wish(self, wish: MessageAction) {
        self.wishes.update(|wishes| wishes.push(wish));
    }

    /// What was wanted and not taken yet. Tracks that more comes.
    pub(crate) fn take(self) -> Vec<MessageAction> {
        if self.wishes.with(Vec::is_empty) {
            return Vec::new();
        }
        self.wishes.try_update(std::mem::take).unwrap_or_default()
    }
}
