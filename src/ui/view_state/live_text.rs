//! Streaming answers, with one signal per content part, updated every second frame, and less often if a frame takes
//! long.

use std::time::Duration;

use leptos::prelude::*;

use crate::ui::hooks::pointer::milliseconds;
use crate::ui::kit::selector::{Selector, select_by};
use crate::ui::kit::stored::StoredValue;

use nexus_model::id::MessageId;
use nexus_text::vec_map::{VecMap, insert_by_key};

/// Delay before the next frame is requested, in milliseconds: every second of 60 frames per second.
const FRAME_INTERVAL: f64 = 25.0;
/// A frame, including layout and painting, is followed by a pause of this many times its duration.
const PAUSE_FACTOR: f64 = 2.0;

#[derive(Clone)]
pub struct LivePart {
    pub place: usize,
    pub thinking: bool,
    /// The text so far. It only grows, until the part is dropped.
    pub text: ArcRwSignal<String>,
}

impl PartialEq for LivePart {
    fn eq(&self, other: &Self) -> bool {
        (self.place, self.thinking) == (other.place, other.thinking)
    }
}

type LiveParts = ArcRwSignal<Vec<LivePart>>;

#[derive(Default)]
struct LiveTextState {
    messages: VecMap<MessageId, LiveParts>,
    /// Deltas that are not shown yet.
    pending: Vec<(MessageId, usize, bool, String)>,
    is_frame_requested: bool,
    /// No frame is requested before this time, in milliseconds.
    paused_until: f64,
}

#[derive(Clone, Copy)]
pub struct LiveText(StoredValue<LiveTextState>);

impl LiveText {
    pub(super) fn new() -> Self {
        Self(StoredValue::new(LiveTextState::default()))
    }

    /// The parts of a streaming message, in order.
    pub fn parts(&self, message: MessageId) -> Selector<Vec<LivePart>> {
        let parts = self.signal(message);
        // A restarted part has another text at the same index.
        select_by(move || parts.get(), |_, _| false)
    }

    /// The parts of a stored message: none, without creating state.
    pub fn none() -> Selector<Vec<LivePart>> {
        Selector::fixed(Vec::new())
    }

    fn signal(&self, message: MessageId) -> LiveParts {
        if let Some(parts) = self.0.with_value(|inner| inner.messages.get(&message).cloned()) {
            return parts;
        }
        let parts = LiveParts::new(Vec::new());
        self.0.update_value(|inner| {
            inner.messages.insert(message, parts.clone());
        });
        parts
    }

    /// Appends a delta; it is shown with one of the next frames.
    pub fn append(&self, message: MessageId, place: usize, thinking: bool, text: String) {
        let mut request_frame = false;
        self.0.update_value(|inner| {
            match inner.pending.last_mut() {
                Some((last, part, of_thinking, delta))
                    if (*last, *part, *of_thinking) == (message, place, thinking) =>
                {
                    delta.push_str(&text);
                }
                _ => inner.pending.push((message, place, thinking, text)),
            }
            request_frame = !inner.is_frame_requested;
            inner.is_frame_requested = true;
        });
        if request_frame {
            let this = *self;
            let wait = self.0.with_value(|inner| inner.paused_until) - milliseconds();
            let show = move || request_animation_frame(move || this.flush());
            if wait > 0.0 { set_timeout(show, Duration::from_secs_f64(wait / 1000.0)) } else { show() }
        }
    }

    fn flush(&self) {
        let (this, started) = (*self, milliseconds());
        let mut pending = Vec::new();
        self.0.update_value(|inner| {
            inner.is_frame_requested = false;
            inner.paused_until = started + FRAME_INTERVAL;
            pending = std::mem::take(&mut inner.pending);
        });
        // Runs after the frame was painted.
        let painted = move || {
            let now = milliseconds();
            this.0.update_value(|inner| {
                inner.paused_until = inner.paused_until.max(now + (now - started) * PAUSE_FACTOR)
            });
        };
        set_timeout(painted, Duration::ZERO);
        for (message, place, thinking, delta) in pending {
            let parts = self.signal(message);
            let known = parts.with_untracked(|parts| {
                parts.iter().find(|part| part.place == place).map(|p| p.text.clone())
            });
            match known {
                Some(text) => text.update(|text| text.push_str(&delta)),
                None => parts.update(|parts| {
                    let part = LivePart { place, thinking, text: ArcRwSignal::new(delta) };
                    insert_by_key(parts, part, |part| part.place);
                }),
            }
        }
    }

    /// Marks a part as thinking, with its text so far.
    pub fn mark_as_thinking(&self, message: MessageId, place: usize) {
        self.0.update_value(|inner| {
            let of_part =
                |delta: &&mut (MessageId, usize, bool, String)| (delta.0, delta.1) == (message, place);
            inner.pending.iter_mut().filter(of_part).for_each(|delta| delta.2 = true);
        });
        self.signal(message).update(|parts| {
            parts.iter_mut().filter(|part| part.place == place).for_each(|part| part.thinking = true);
        });
    }

    /// Discards the text of a message whose call is retried.
    pub fn restart(&self, message: MessageId) {
        self.0.update_value(|inner| inner.pending.retain(|(id, ..)| *id != message));
        let parts = self.signal(message);
        if parts.with_untracked(|parts| !parts.is_empty()) {
            parts.set(Vec::new());
        }
    }

    /// Drops the state of a message that is stored now.
    pub fn forget(&self, message: MessageId) {
        self.0.update_value(|inner| {
            inner.pending.retain(|(id, ..)| *id != message);
            inner.messages.remove(&message);
        });
    }
}
