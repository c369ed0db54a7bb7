//! Streaming answers, with one signal per content part, updated with every second frame, and less often where a frame
//! takes long.

use std::time::Duration;

use leptos::prelude::*;

use crate::ui::hooks::pointer::milliseconds;
use crate::ui::kit::selector::{Selector, select_by};
use crate::ui::kit::stored::StoredValue;

use nexus_model::id::MessageId;
use nexus_text::vec_map::{VecMap, insert_by_key};

/// How long after what was shown the next frame is asked for, in milliseconds: of 60 frames a second, each second one.
const PACE: f64 = 25.0;
/// How many times as long as a frame took, layout and painting included, the page then has for everything else.
const REST: f64 = 2.0;

#[derive(Clone)]
pub struct LivePart {
    pub place: usize,
    pub thinking: bool,
    /// What has come of it. It only grows, until the whole part is dropped.
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
    /// Pieces that were not shown yet.
    pending: Vec<(MessageId, usize, bool, String)>,
    frame_asked: bool,
    /// Before this time no frame is asked for.
    rest_until: f64,
}

#[derive(Clone, Copy)]
pub struct LiveText(StoredValue<LiveTextState>);

impl LiveText {
    pub(super) fn new() -> Self {
        Self(StoredValue::new(LiveTextState::default()))
    }

    /// The parts of a message that is being written, in order.
    pub fn parts(&self, message: MessageId) -> Selector<Vec<LivePart>> {
        let parts = self.signal(message);
        // A part begun anew has another text, though it stands in the same place.
        select_by(move || parts.get(), |_, _| false)
    }

    /// The parts of a message that stands in the ledger: none, and nothing is kept of it.
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

    /// Takes in a piece; it is shown with a frame that comes soon.
    pub fn append(&self, message: MessageId, place: usize, thinking: bool, text: String) {
        let mut ask = false;
        self.0.update_value(|inner| {
            match inner.pending.last_mut() {
                Some((last, part, of_thinking, piece))
                    if (*last, *part, *of_thinking) == (message, place, thinking) =>
                {
                    piece.push_str(&text);
                }
                _ => inner.pending.push((message, place, thinking, text)),
            }
            ask = !inner.frame_asked;
            inner.frame_asked = true;
        });
        if ask {
            let this = *self;
            let wait = self.0.with_value(|inner| inner.rest_until) - milliseconds();
            let show = move || request_animation_frame(move || this.flush());
            if wait > 0.0 { set_timeout(show, Duration::from_secs_f64(wait / 1000.0)) } else { show() }
        }
    }

    fn flush(&self) {
        let (this, began) = (*self, milliseconds());
        let mut pending = Vec::new();
        self.0.update_value(|inner| {
            inner.frame_asked = false;
            inner.rest_until = began + PACE;
            pending = std::mem::take(&mut inner.pending);
        });
        // Has its turn when the frame is painted.
        let painted = move || {
            let now = milliseconds();
            this.0.update_value(|inner| inner.rest_until = inner.rest_until.max(now + (now - began) * REST));
        };
        set_timeout(painted, Duration::ZERO);
        for (message, place, thinking, piece) in pending {
            let parts = self.signal(message);
            let known = parts.with_untracked(|parts| {
                parts.iter().find(|part| part.place == place).map(|p| p.text.clone())
            });
            match known {
                Some(text) => text.update(|text| text.push_str(&piece)),
                None => parts.update(|parts| {
                    let part = LivePart { place, thinking, text: ArcRwSignal::new(piece) };
                    insert_by_key(parts, part, |part| part.place);
                }),
            }
        }
    }

    /// What came of a part is thinking: it moves there as it stands.
    pub fn rethink(&self, message: MessageId, place: usize) {
        self.0.update_value(|inner| {
            let of_part =
                |piece: &&mut (MessageId, usize, bool, String)| (piece.0, piece.1) == (message, place);
            inner.pending.iter_mut().filter(of_part).for_each(|piece| piece.2 = true);
        });
        self.signal(message).update(|parts| {
            parts.iter_mut().filter(|part| part.place == place).for_each(|part| part.thinking = true);
        });
    }

    /// What came of a message is void: its call is tried again.
    pub fn restart(&self, message: MessageId) {
        self.0.update_value(|inner| inner.pending.retain(|(id, ..)| *id != message));
        let parts = self.signal(message);
        if parts.with_untracked(|parts| !parts.is_empty()) {
            parts.set(Vec::new());
        }
    }

    /// A message stands in the ledger now, so nothing of it is live.
    pub fn forget(&self, message: MessageId) {
        self.0.update_value(|inner| {
            inner.pending.retain(|(id, ..)| *id != message);
            inner.messages.remove(&message);
        });
    }
}
