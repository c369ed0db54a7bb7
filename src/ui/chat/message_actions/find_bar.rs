//! The search bar of the conversation, which loads older turns while open, and the list of pinned messages.
//!
//! Uses none of the browser's own shortcuts, and scrolls only to a match.

use crate::ui::chat::message_actions::handler::{FIND_FIELD, MessageActionsHandler};
use crate::ui::chat::reading::element_of;
use crate::ui::hooks::text::highlights;
use crate::ui::prelude::*;
use crate::ui::view_state::Conversation;
use nexus_model::session::Pin;
use nexus_view::strings::chat::message_actions as words;
use nexus_view::timeline::{ConversationMatch, current_match, find, timeline};

#[derive(Clone, Copy)]
struct ConversationSearch {
    handler: MessageActionsHandler,
    text: RwSignal<String>,
    any_case: RwSignal<bool>,
    at: RwSignal<Option<ConversationMatch>>,
    places: Selector<Vec<ConversationMatch>>,
}

#[component]
pub fn SearchBar(handler: MessageActionsHandler) -> impl IntoMarkup {
    let input = NodeRef::<Input>::new();
    use_select_all(input);
    let before = StoredValue::new(scroll::save_focus());
    let &Page { conversation: Conversation { earlier, .. }, sessions, world, .. } = handler.page;
    let (text, any_case) = (RwSignal::new(String::new()), RwSignal::new(true));
    let places = select(move || {
        let (session, any_case) = (sessions.focus.get(), any_case.get());
        text.with(|text| {
            if text.is_empty() {
                return Vec::new();
            }
            world.with(WorldParts::SESSIONS, |world| {
                find(timeline(world, session, None).rows.iter(), text, any_case)
            })
        })
    });
    let search = ConversationSearch { handler, text, any_case, at: RwSignal::new(None), places };
    let loads_earlier = select(move || text.with(|text| !text.is_empty()) && earlier.with(Option::is_some));
    // Loads older turns up to the first while the bar is open and has a query.
    let loads = StoredValue::new(false);
    Effect::new(move |_| {
        if loads_earlier.get()
            && loads.try_update_value(|loads| !std::mem::replace(loads, true)) == Some(true)
        {
            spawn_local(async move {
                while loads_earlier.try_get_untracked() == Some(true) && handler.reading.load().await {}
                loads.set_value(false);
            });
        }
    });
    // A new query: goes to the newest match as soon as there is one.
    Effect::new(move |_| {
        text.track();
        any_case.track();
        search.at.set(None);
        highlights::unmark();
        scroll::unmark();
    });
    Effect::new(move |_| {
        let newest = places.with(|places| places.last().cloned());
        if let (Some(place), None) = (newest, search.at.get()) {
            search.go(place);
        }
    });
    text::on_selection_change(move || search.mark(false));
    on_cleanup(move || {
        highlights::unmark();
        scroll::unmark();
    });
    let close = move || {
        let here = search.at.get_untracked().and_then(|place| element_of(&place.key));
        handler.room.actions.is_searching.set(false);
        let restored = before.try_with_value(scroll::SavedFocus::restore).unwrap_or_default();
        // If there is no focus to restore, stay at the match.
        if !restored && let Some(here) = here {
            scroll::focus(&here);
        }
    };
    let key = move |event: KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        match event.key().as_str() {
            "Enter" => search.step(!event.shift_key()),
            "Escape" => close(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let count_text = move || {
        if text.with(String::is_empty) {
            return String::new();
        }
        let at = search.at.get();
        let position = places.with(|places| places.iter().position(|place| Some(place) == at.as_ref()));
        words::found(position, places.with(Vec::len), loads_earlier.get())
    };
    let none = move || places.with(Vec::is_empty);
    view! {
        <search class="find-bar" data-testid="find-bar" aria-label=words::FIND on:keydown=key>
            <input
                id=FIND_FIELD node_ref=input class="input" type="text" data-testid="find-text"
                aria-label=words::FIND_FIELD placeholder=words::FIND autocomplete="off" spellcheck="false"
                enterkeyhint="search" on:input=move |event| text.set(event_target_value(&event))
            />
            <span class="find-count" role="status" data-testid="find-count">{count_text}</span>
            {icon_button("Aa").test("find-case").named(words::FIND_CASE)
                .with("aria-pressed", move || (!any_case.get()).to_string())
                .on_click(move |_| any_case.update(|any| *any = !*any))}
            {icon_button(icon(icon::UP)).test("find-back").named(words::FIND_BACK).disabled(none)
                .on_click(move |_| search.step(false))}
            {icon_button(icon(icon::DOWN)).test("find-next").named(words::FIND_NEXT).disabled(none)
                .on_click(move |_| search.step(true))}
            {icon_button(icon(icon::CLOSE)).test("find-close").named(words::FIND_CLOSE)
                .on_click(move |_| close())}
        </search>
    }
}

impl ConversationSearch {
    /// Goes to the next or previous match, wrapping around.
    fn step(self, next: bool) {
        let place = self.places.with_untracked(|places| {
            let before = self.at.get_untracked();
            let at = current_match(places, before.as_ref())?;
            let count = places.len();
            let to = match (before.is_some(), next) {
                (false, _) => at,
                (true, true) => (at + 1) % count,
                (true, false) => (at + count - 1) % count,
            };
            places.get(to).cloned()
        });
        place.into_iter().for_each(|place| self.go(place));
    }

    fn go(self, place: ConversationMatch) {
        self.at.set(Some(place.clone()));
        spawn_local(async move {
            let Some(id) = self.handler.reading.scroll_to(place.key.clone()).await else { return };
            // Tool arguments and results are folded.
            scroll::unfold(&id);
            page::next_frame().await;
            scroll::unfold_below(&id);
            page::next_frame().await;
            // Another match may be current by now, or none.
            if self.at.try_get_untracked().flatten().as_ref() == Some(&place) {
                scroll::mark(&id);
                self.mark(true);
            }
        });
    }

    fn mark(self, scroll: bool) {
        let Some(Some(place)) = self.at.try_get_untracked() else { return };
        let id = element_of(&place.key);
        let here = id.as_deref().map(|id| (id, place.nth));
        self.text.with_untracked(|text| highlights::mark(text, self.any_case.get_untracked(), here, scroll));
    }
}

/// Items that the arrow keys move through.
const CONTROLS: &str = ".pin-list .pin";

#[component]
pub fn PinList(handler: MessageActionsHandler) -> impl IntoMarkup {
    let &Page { local, .. } = expect_context();
    let actions = handler.room.actions;
    let before = StoredValue::new(scroll::save_focus());
    let to_first = || {
        request_animation_frame(|| {
            scroll::step(CONTROLS, "Home");
        })
    };
    to_first();
    let close = move || {
        actions.lists.set(false);
        before.try_with_value(scroll::SavedFocus::restore);
    };
    // The list closes with its last pin.
    Effect::new(move |_| {
        if actions.pins.with(Vec::is_empty) {
            actions.lists.set(false);
        }
    });
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Escape" => close(),
            key if scroll::step(CONTROLS, key) => {}
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let item = move |pin: Pin| {
        let id = pin.message;
        let who = handler.name(pin.role, pin.agent.as_ref());
        let now = handler.page.dispatch.now();
        let at = format!("{} {}", local.day(pin.at, now), local.clock(pin.at));
        let go = move |_| {
            actions.lists.set(false);
            actions.request(MessageAction::ToMessage(id));
        };
        let unpin = move |_| {
            actions.request(MessageAction::Pin(id));
            to_first();
        };
        view! {
            <li>
                <button type="button" class="pin" data-testid="pin" on:click=go>
                    <span class="pin-head">{reveal(&who)}" · "{at}</span>
                    <span class="pin-text" dir="auto">{reveal(&plain(&pin.begins))}</span>
                </button>
                {icon_button(icon(icon::CLOSE)).test("pin-off").title(common::UNPIN)
                    .label(format!("{}: {}", common::UNPIN, reveal(&plain(&pin.begins)))).on_click(unpin)}
            </li>
        }
    };
    let pins = move || actions.pins.with(|pins| pins.iter().rev().cloned().collect());
    view! {
        <section class="pin-panel" role="dialog" aria-label=common::PINNED_MESSAGES data-testid="pins" on:keydown=key>
            <header>
                <h2 class="label">{common::PINNED_MESSAGES}</h2>
                {icon_button(icon(icon::CLOSE)).test("pins-close").named(words::PINS_CLOSE)
                    .on_click(move |_| close())}
            </header>
            <ul class="pin-list">{keyed_list(pins, |pin| pin.message, item)}</ul>
        </section>
    }
}
