//! Renders Markdown.
//!
//! `text::markdown` parses it; `dom` creates the nodes and updates only what differs; `MarkdownView` is the component. Only
//! listed elements are created, one by one, never from HTML, and nothing a model wrote is loaded.

pub mod dom;

use std::time::Duration;

use leptos::ev::MouseEvent;
use leptos::html::Div;
use leptos::web_sys::Element;
use wasm_split_helpers::wasm_split;

use crate::ui::hooks::pointer::milliseconds;
use crate::ui::hooks::virtual_list::on_sight;
use crate::ui::kit::prelude::*;
use crate::ui::markdown::dom::MarkdownDom;
use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_text::markdown::page::Node;
use nexus_text::markdown::stream::{MarkdownStream, StreamUpdate};
use nexus_text::markdown::{MarkdownReader, READER, Slice, Slices};

/// What a frame has for a text that grows, in milliseconds.
const FRAME: f64 = 8.0;
/// The bytes of what came that are read at once, but where the block that is open has more.
const PIECE: usize = 4 * 1024;
/// How many times longer than what a look took the next one waits, where it took more.
const REST: f64 = 8.0;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProseText {
    pub text: String,
    pub whole: bool,
}

/// Loads the reader of Markdown, which is fetched beside the war room.
pub(crate) fn lazy_reader() -> LazyFuture<&'static MarkdownReader> {
    Box::pin(reader())
}

#[wasm_split(reader, fallible)]
fn reader() -> Result<&'static MarkdownReader, ChunkLoadError> {
    Ok(&READER)
}

/// Markdown. Its nodes stay where they are while the text grows, and when it is whole.
#[component]
pub fn MarkdownView(
    text: Selector<ProseText>,
    root: NodeRef<Div>,
    clicked: Callback<MouseEvent>,
) -> impl IntoMarkup {
    let state = StoredValue::new(ProseState::default());
    let reader = loaded_first(lazy_reader);
    let sight = on_sight(move |figure, is_near| {
        state.try_with_value(|state| match &state.sheet {
            Some(sheet) if is_near => sheet.dress(figure),
            Some(sheet) if !is_in_use(figure) => sheet.undress(figure),
            Some(_) | None => {}
        });
    });
    Effect::new(move |_| {
        let Some(element) = root.get() else { return };
        let reader = reader.get();
        state.update_value(|state| {
            if state.sheet.is_none() {
                let sight = sight(&element);
                state.sheet = MarkdownDom::new(element.into(), sight);
            }
            state.read_by(reader);
        });
        text.track();
        look(state, text);
    });
    let click = move |event: MouseEvent| clicked.run(event);
    view! {
        <div
            class="message-text prose" data-testid="message-text" dir="auto" node_ref=root on:click=click
            on:auxclick=click
        ></div>
    }
}

/// Whether a block of code is focused, selected or wrapped. That would be lost if its nodes were replaced.
fn is_in_use(figure: &Element) -> bool {
    let selection = window().get_selection().ok().flatten().filter(|selection| !selection.is_collapsed());
    figure.has_attribute("data-wrap")
        || figure.contains(document().active_element().as_deref())
        || selection.is_some_and(|selection| {
            selection.contains_node_with_allow_partial_containment(figure, true).unwrap_or(true)
        })
}

/// A long text that is whole and read in slices.
struct Slicing {
    text: String,
    slices: Slices,
    /// Whether nothing stood on the sheet, so that what is read is shown as it comes.
    is_fresh: bool,
    /// Whether the next slice has its turn later.
    waits: bool,
}

#[derive(Default)]
struct ProseState {
    sheet: Option<MarkdownDom>,
    reader: Option<&'static MarkdownReader>,
    growing: MarkdownStream,
    slicing: Option<Slicing>,
    /// Not before this time is a growing text looked at again.
    rest_until: f64,
    waits: bool,
}

/// Shows the text as it is now, or a little later.
fn look(state: StoredValue<ProseState>, text: Selector<ProseText>) {
    let wait =
        text.try_with_untracked(|text| state.try_update_value(|state| state.show(text))).flatten().flatten();
    if let Some(wait) = wait {
        set_timeout(
            move || {
                // The message may be gone by now, and its state with it.
                if state.try_update_value(ProseState::is_due).is_some() {
                    look(state, text);
                }
            },
            wait,
        );
    }
}

impl ProseState {
    /// Takes the reader when it comes. What stood there unread goes.
    fn read_by(&mut self, reader: Option<&'static MarkdownReader>) {
        if self.reader.is_none()
            && reader.is_some()
            && let Some(sheet) = &mut self.sheet
        {
            sheet.show(Vec::new());
        }
        self.reader = reader;
    }

    /// What waited has its turn.
    fn is_due(&mut self) {
        self.waits = false;
        if let Some(slicing) = &mut self.slicing {
            slicing.waits = false;
        }
    }

    /// Shows a text that is whole; where it is long, a slice of it, and says that the next one comes right after
    /// whatever else the page has to do.
    fn show_whole(&mut self, reader: &MarkdownReader, text: &str) -> Option<Duration> {
        let sheet = self.sheet.as_mut()?;
        if self.slicing.as_ref().is_none_or(|slicing| slicing.text != text) {
            let is_fresh = sheet.is_empty();
            // What was read while it came is not read again.
            let came = std::mem::take(&mut self.growing);
            let goes_on = came.is_read() && !came.text().is_empty() && text.starts_with(came.text());
            let slices = match goes_on {
                true => Slices::after(came, sheet.finished().to_vec()),
                false => Slices::default(),
            };
            self.slicing = Some(Slicing { text: text.to_owned(), slices, is_fresh, waits: false });
        }
        let slicing = self.slicing.as_mut().filter(|slicing| !slicing.waits)?;
        match (reader.read_on)(&mut slicing.slices, text, milliseconds) {
            Slice::More(new) => {
                if slicing.is_fresh {
                    sheet.grow(StreamUpdate { finished: new, open: Vec::new() });
                }
                slicing.waits = true;
                Some(Duration::ZERO)
            }
            Slice::Whole(nodes) => {
                sheet.show(nodes);
                self.growing = MarkdownStream::default();
                self.slicing = None;
                None
            }
        }
    }

    fn show(&mut self, written: &ProseText) -> Option<Duration> {
        let sheet = self.sheet.as_mut()?;
        let Some(reader) = self.reader else {
            sheet.show(vec![Node::Text(written.text.clone())]);
            return None;
        };
        if written.whole {
            return self.show_whole(reader, &written.text);
        }
        let start = milliseconds();
        if self.waits || start < self.rest_until {
            let wait = Duration::from_secs_f64((self.rest_until - start).max(1.0) / 1000.0);
            return (!std::mem::replace(&mut self.waits, true)).then_some(wait);
        }
        if !written.text.starts_with(self.growing.text()) {
            // Another attempt at the answer begins from nothing.
            sheet.show(Vec::new());
            self.growing = MarkdownStream::default();
        }
        let mut before = start;
        loop {
            let (at, open) = (self.growing.text().len(), self.growing.open_bytes());
            let to = written.text.floor_char_boundary(at + open.max(PIECE));
            let added = written.text.get(at..to).filter(|added| !added.is_empty())?;
            sheet.grow((reader.grow)(&mut self.growing, added));
            let now = milliseconds();
            let took = now - before;
            self.growing.halt_if_slow(took, open + added.len());
            if took > FRAME {
                self.rest_until = before + took * REST;
            } else if now - start <= FRAME {
                before = now;
                continue;
            }
            // The rest of what came has its turn after whatever else the page has to do.
            self.waits = to < written.text.len();
            return self.waits.then(|| Duration::from_secs_f64((self.rest_until - now).max(0.0) / 1000.0));
        }
    }
}
