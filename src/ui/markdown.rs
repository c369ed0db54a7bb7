//! Renders Markdown.
//!
//! `text::markdown` parses it; `dom` creates the nodes and updates only what differs; `MarkdownView` is the component.
//! Only listed elements are created, one by one, never from HTML, and nothing that a model wrote is loaded.

pub mod dom;

use leptos::web_sys::Element;

use crate::ui::hooks::events::milliseconds;
use crate::ui::hooks::virtual_list::on_visibility;
use crate::ui::kit::prelude::*;
use crate::ui::markdown::dom::MarkdownDom;
use nexus_text::markdown::stream::{MarkdownStream, StreamUpdate};
use nexus_text::markdown::{Slice, Slices};

/// Time per frame for a streaming text, in milliseconds.
const FRAME: f64 = 8.0;
/// Bytes parsed at once, unless the open block is longer.
const CHUNK: usize = 4 * 1024;
/// A pass that exceeded its frame pauses for this many times its duration.
const PAUSE_FACTOR: f64 = 8.0;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProseText {
    pub text: String,
    pub whole: bool,
}

/// Shows a Markdown text, also while it streams: its nodes are kept, and when it completes.
#[component]
pub fn MarkdownView(
    text: Selector<ProseText>,
    root: NodeRef<Div>,
    clicked: Callback<MouseEvent>,
) -> impl IntoMarkup {
    let state = StoredValue::new(ProseState::default());
    let visibility = on_visibility(move |figure, is_near| {
        state.try_with_value(|state| match &state.dom {
            Some(dom) if is_near => dom.highlight(figure),
            Some(dom) if !is_in_use(figure) => dom.strip(figure),
            Some(_) | None => {}
        });
    });
    Effect::new(move |_| {
        let Some(element) = root.get() else { return };
        state.update_value(|state| {
            if state.dom.is_none() {
                let visibility = visibility(&element);
                state.dom = MarkdownDom::new(element.into(), visibility);
            }
        });
        text.track();
        render(state, text);
    });
    let click = move |event: MouseEvent| clicked.run(event);
    view! {
        <div
            class="message-text prose" data-testid="message-text" dir="auto" node_ref=root on:click=click
            on:auxclick=click
        ></div>
    }
}

/// True if a code block is focused, selected or wrapped, which replacing its nodes would lose.
fn is_in_use(figure: &Element) -> bool {
    let selection = window().get_selection().ok().flatten().filter(|selection| !selection.is_collapsed());
    figure.has_attribute("data-wrap")
        || figure.contains(document().active_element().as_deref())
        || selection.is_some_and(|selection| {
            selection.contains_node_with_allow_partial_containment(figure, true).unwrap_or(true)
        })
}

/// A long complete text, parsed in slices.
struct Slicing {
    text: String,
    slices: Slices,
    /// True if nothing was rendered before, so that slices are shown as they are parsed.
    is_fresh: bool,
    /// True if the next slice is scheduled.
    is_pending: bool,
}

#[derive(Default)]
struct ProseState {
    dom: Option<MarkdownDom>,
    stream: MarkdownStream,
    slicing: Option<Slicing>,
    /// A streaming text is not parsed before this time, in milliseconds.
    paused_until: f64,
    is_pending: bool,
}

/// Renders the current text, or schedules that.
fn render(state: StoredValue<ProseState>, text: Selector<ProseText>) {
    let wait =
        text.try_with_untracked(|text| state.try_update_value(|state| state.show(text))).flatten().flatten();
    if let Some(wait) = wait {
        set_timeout(
            move || {
                // The message may be gone by now, and its state with it.
                if state.try_update_value(ProseState::is_due).is_some() {
                    render(state, text);
                }
            },
            wait,
        );
    }
}

impl ProseState {
    /// The scheduled pass is due.
    fn is_due(&mut self) {
        self.is_pending = false;
        if let Some(slicing) = &mut self.slicing {
            slicing.is_pending = false;
        }
    }

    /// Renders a complete text; of a long one a slice, and returns the delay of the next, which runs after other
    /// pending work.
    fn show_whole(&mut self, text: &str) -> Option<Duration> {
        let dom = self.dom.as_mut()?;
        if self.slicing.as_ref().is_none_or(|slicing| slicing.text != text) {
            let is_fresh = dom.is_empty();
            // Text parsed while streaming is not parsed again.
            let stream = std::mem::take(&mut self.stream);
            let continues = stream.is_read() && !stream.text().is_empty() && text.starts_with(stream.text());
            let slices = match continues {
                true => Slices::after(stream, dom.finished().to_vec()),
                false => Slices::default(),
            };
            self.slicing = Some(Slicing { text: text.to_owned(), slices, is_fresh, is_pending: false });
        }
        let slicing = self.slicing.as_mut().filter(|slicing| !slicing.is_pending)?;
        match slicing.slices.read_on(text, milliseconds) {
            Slice::More(new) => {
                if slicing.is_fresh {
                    dom.grow(StreamUpdate { finished: new, open: Vec::new() });
                }
                slicing.is_pending = true;
                Some(Duration::ZERO)
            }
            Slice::Whole(nodes) => {
                dom.show(nodes);
                self.stream = MarkdownStream::default();
                self.slicing = None;
                None
            }
        }
    }

    fn show(&mut self, prose: &ProseText) -> Option<Duration> {
        let dom = self.dom.as_mut()?;
        if prose.whole {
            return self.show_whole(&prose.text);
        }
        let start = milliseconds();
        if self.is_pending || start < self.paused_until {
            let wait = Duration::from_secs_f64((self.paused_until - start).max(1.0) / 1000.0);
            return (!std::mem::replace(&mut self.is_pending, true)).then_some(wait);
        }
        if !prose.text.starts_with(self.stream.text()) {
            // A retried answer starts over.
            dom.show(Vec::new());
            self.stream = MarkdownStream::default();
        }
        let mut before = start;
        loop {
            let (at, open) = (self.stream.text().len(), self.stream.open_bytes());
            let to = prose.text.floor_char_boundary(at + open.max(CHUNK));
            let added = prose.text.get(at..to).filter(|added| !added.is_empty())?;
            dom.grow(self.stream.grow(added));
            let now = milliseconds();
            let duration = now - before;
            self.stream.halt_if_slow(duration, open + added.len());
            if duration > FRAME {
                self.paused_until = before + duration * PAUSE_FACTOR;
            } else if now - start <= FRAME {
                before = now;
                continue;
            }
            // The rest is rendered after other pending work.
            self.is_pending = to < prose.text.len();
            let wait = Duration::from_secs_f64((self.paused_until - now).max(0.0) / 1000.0);
            return self.is_pending.then_some(wait);
        }
    }
}
