//! What is asked of voice, until the lazily loaded code that listens and reads takes it.

use leptos::prelude::*;

use crate::ui::hooks::voice;
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;
use nexus_model::id::{AgentKey, MessageId};
use nexus_view::voice::listening::VoiceStatus;

/// What the operator wants of voice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoiceRequest {
    Talk,
    TalkEnd,
    Read(MessageId, AgentKey, String),
    /// To hear nothing more.
    Hush,
}

/// Voice, as the war room knows it.
#[derive(Clone, Copy)]
pub struct VoiceState {
    /// Whether the bar is wanted.
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
    /// Voice that nobody has wanted yet.
    pub(crate) fn new() -> Self {
        Self {
            open: RwSignal::new(false),
            standing: RwSignal::new(VoiceStatus::Idle),
            reading: RwSignal::new(None),
            wishes: RwSignal::new(Vec::new()),
            send: StoredValue::new(None),
            can_hear: voice::can_hear(),
            can_speak: voice::can_speak(),
        }
    }

    /// Wants something.
    pub fn wish(self, wish: VoiceRequest) {
        self.wishes.update(|wishes| wishes.push(wish));
        self.open.set(true);
    }

    /// What was wanted and not taken yet. Tracks that more comes.
    pub(crate) fn take(self) -> Vec<VoiceRequest> {
        if self.wishes.with(Vec::is_empty) {
            return Vec::new();
        }
        self.wishes.try_update(std::mem::take).unwrap_or_default()
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
