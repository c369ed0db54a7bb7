//! Never lets a text that grows take more than an eighth of the time: reading, scrolling and typing go first.
//!
//! Owns the component that shows Markdown, from its first token to the whole. It reads by
//! the [`Reader`] and by nothing else of `domain::text::markdown`; until that has come, the text stands as it was written.

use std::time::Duration;

use leptos::ev::MouseEvent;
use leptos::html::Div;
use leptos::prelude::*;

use crate::domain::text::markdown::Reader;
use crate::domain::text::markdown::page::Node;
use crate::domain::text::markdown::stream::Growing;
use crate::ui::hooks::page::milliseconds;
use crate::ui::later::arriving;
use crate::ui::markdown::dom::Sheet;
use crate::ui::screens;

/// What a frame has for a text that grows, in milliseconds.
const FRAME: f64 = 8.0;
/// How many times longer than what a look took the next one waits, where it took more.
const REST: f64 = 8.0;

/// A text, or what has come of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Whether it is whole.
    pub whole: bool,
}

/// Markdown. Its nodes stay where they are while the text grows, and when it is whole.
#[component]
pub fn Prose(
    /// The text.
    text: Signal<Written>,
    /// The element that it stands in.
    root: NodeRef<Div>,
    /// Hears of every click in it.
    clicked: Callback<MouseEvent>,
) -> impl IntoView {
    let state = StoredValue::new_local(State::default());
    let reader = arriving(|| Box::pin(screens::markdown()));
    Effect::new(move |_| {
        let Some(element) = root.get() else { return };
        let reader = reader.get();
        state.update_value(|state| {
            if state.sheet.is_none() {
                state.sheet = Sheet::new(element.into());
            }
            state.read_by(reader);
        });
        text.track();
        look(state, text);
    });
    let click = move |event: MouseEvent| clicked.run(event);
    view! { class="n",
        <div
            class="message-text prose"
            data-testid="message-text"
            dir="auto"
            node_ref=root
            on:click=click
            on:auxclick=click
        ></div>
    }
}

#[derive(Default)]
struct State {
    sheet: Option<Sheet>,
    reader: Option<&'static Reader>,
    growing: Growing,
    /// Not before this time is a growing text looked at again.
    rest_until: f64,
    waits: bool,
}

/// Shows the text as it is now, or a little later.
fn look(state: StoredValue<State, LocalStorage>, text: Signal<Written>) {
    let wait =
        text.try_with_untracked(|text| state.try_update_value(|state| state.show(text))).flatten().flatten();
    if let Some(wait) = wait {
        set_timeout(
            move || {
                // The message may be gone by now, and its state with it.
                if state.try_update_value(|state| state.waits = false).is_some() {
                    look(state, text);
                }
            },
            wait,
        );
    }
}

impl State {
    /// Takes the reader when it comes. What stood there unread goes.
    fn read_by(&mut self, reader: Option<&'static Reader>) {
        if self.reader.is_none()
            && reader.is_some()
            && let Some(sheet) = &mut self.sheet
        {
            sheet.show(Vec::new());
        }
        self.reader = reader;
    }

    /// Shows the text, or says how long to wait first.
    fn show(&mut self, written: &Written) -> Option<Duration> {
        let sheet = self.sheet.as_mut()?;
        let Some(reader) = self.reader else {
            sheet.show(vec![Node::Text(written.text.clone())]);
            return None;
        };
        if written.whole {
            sheet.show((reader.read)(&written.text).nodes);
            self.growing = Growing::default();
            return None;
        }
        let start = milliseconds();
        if self.waits || start < self.rest_until {
            let wait = Duration::from_secs_f64((self.rest_until - start).max(1.0) / 1000.0);
            return (!std::mem::replace(&mut self.waits, true)).then_some(wait);
        }
        match written.text.strip_prefix(self.growing.text()) {
            Some("") => return None,
            Some(added) => sheet.grow((reader.grow)(&mut self.growing, added)),
            // Another attempt at the answer begins from nothing.
            None => {
                sheet.show(Vec::new());
                self.growing = Growing::default();
                sheet.grow((reader.grow)(&mut self.growing, &written.text));
            }
        }
        let took = milliseconds() - start;
        self.rest_until = if took > FRAME { start + took * REST } else { 0.0 };
        None
    }
}
