//! The search bar of the conversation, which loads older turns while open, and the list of pinned messages.
//!
//! Uses none of the browser's own shortcuts, and scrolls only to a match.

use leptos::html::Input;

use crate::ui::chat::message_actions::serve::{FIND_FIELD, MessageActionsHandler};
use crate::ui::chat::reading::element_of;
use crate::ui::hooks::focus::use_select_all;
use crate::ui::hooks::scroll_position::FocusStep;
use crate::ui::hooks::text::{highlights, selection};
use crate::ui::hooks::{page, scroll_position};
use crate::ui::prelude::*;
use crate::ui::view_state::Conversation;
use crate::ui::workspace::message_actions::MessageAction;
use nexus_model::session::Pin;
use nexus_text::markdown::tree::plain;
use nexus_view::conversation_search::{ConversationMatch, find, stands};
use nexus_view::strings::chat::message_actions as words;
use nexus_view::timeline::timeline;

#[derive(Clone, Copy)]
struct ConversationSearch {
    serve: MessageActionsHandler,
    text: RwSignal<String>,
    any_case: RwSignal<bool>,
    at: RwSignal<Option<ConversationMatch>>,
    places: Selector<Vec<ConversationMatch>>,
}

#[component]
pub fn SearchBar(serve: MessageActionsHandler) -> impl IntoMarkup {
    let input = NodeRef::<Input>::new();
    use_select_all(input);
    let before = StoredValue::new(Some(scroll_position::keep_focus()));
    let session = expect_context::<Sessions>().focus;
    let (text, any_case) = (RwSignal::new(String::new()), RwSignal::new(true));
    let past = serve.past;
    let places = select(move || {
        let (session, any_case) = (session.get(), any_case.get());
        text.with(|text| {
            if text.is_empty() {
                return Vec::new();
            }
            past.with(WorldParts::SESSIONS, |world| {
                find(timeline(world, session, None).rows.iter(), text, any_case)
            })
        })
    });
    let finder = ConversationSearch { serve, text, any_case, at: RwSignal::new(None), places };
    let earlier = expect_context::<Conversation>().earlier;
    let looks_back = select(move || text.with(|text| !text.is_empty()) && earlier.with(Option::is_some));
    // Turn by turn back to the first, as long as the bar is open and something is looked for.
    let loads = StoredValue::new(false);
    Effect::new(move |_| {
        if looks_back.get() && loads.try_update_value(|loads| !std::mem::replace(loads, true)) == Some(true) {
            spawn_local(async move {
                while looks_back.try_get_untracked() == Some(true) && serve.reading.load().await {}
                loads.set_value(false);
            });
        }
    });
    // Something else is looked for: to the newest place, as soon as there is one.
    Effect::new(move |_| {
        text.track();
        any_case.track();
        finder.at.set(None);
        highlights::unmark();
        scroll_position::unmark();
    });
    Effect::new(move |_| {
        let newest = places.with(|places| places.last().cloned());
        if let (Some(place), None) = (newest, finder.at.get()) {
            finder.go(place);
        }
    });
    selection::on_change(move || finder.mark(false));
    on_cleanup(move || {
        highlights::unmark();
        scroll_position::unmark();
    });
    let close = move || {
        let here = finder.at.get_untracked().and_then(|place| element_of(&place.key));
        serve.care.finds.set(false);
        let gave = before
            .try_update_value(Option::take)
            .flatten()
            .is_some_and(scroll_position::SavedFocus::give_back);
        // Who came from nowhere goes on reading where it was found.
        if !gave && let Some(here) = here {
            scroll_position::focus(&here);
        }
    };
    let key = move |event: KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        match event.key().as_str() {
            "Enter" => finder.step(!event.shift_key()),
            "Escape" => close(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let said = move || {
        if text.with(String::is_empty) {
            return String::new();
        }
        let at = finder.at.get();
        let stands = places.with(|places| places.iter().position(|place| Some(place) == at.as_ref()));
        words::found(stands, places.with(Vec::len), looks_back.get())
    };
    let none = move || places.with(Vec::is_empty);
    view! {
        <search class="find-bar" data-testid="find-bar" aria-label=words::FIND on:keydown=key>
            <input
                id=FIND_FIELD node_ref=input class="input" type="text" data-testid="find-text"
                aria-label=words::FIND_FIELD placeholder=words::FIND autocomplete="off" spellcheck="false"
                enterkeyhint="search" on:input=move |event| text.set(event_target_value(&event))
            />
            <span class="find-count" role="status" data-testid="find-count">{said}</span>
            {icon_button("Aa").test("find-case").title(words::FIND_CASE).label(words::FIND_CASE)
                .with("aria-pressed", move || (!any_case.get()).to_string())
                .on_click(move |_| any_case.update(|any| *any = !*any))}
            {icon_button(icon(icon::UP)).test("find-back").title(words::FIND_BACK).label(words::FIND_BACK).disabled(none)
                .on_click(move |_| finder.step(false))}
            {icon_button(icon(icon::DOWN)).test("find-next").title(words::FIND_NEXT).label(words::FIND_NEXT).disabled(none)
                .on_click(move |_| finder.step(true))}
            {icon_button(icon(icon::CLOSE)).test("find-close").title(words::FIND_CLOSE).label(words::FIND_CLOSE)
                .on_click(move |_| close())}
        </search>
    }
}

impl ConversationSearch {
    /// Leads to the next place, or the one before; around the ends.
    fn step(self, next: bool) {
        let place = self.places.with_untracked(|places| {
            let before = self.at.get_untracked();
            let at = stands(places, before.as_ref())?;
            let count = places.len();
            let to = match (before.is_some(), next) {
                (false, _) => at,
                (true, true) => (at + 1) % count,
                (true, false) => (at + count - 1) % count,
            };
            places.get(to).cloned()
        });
        if let Some(place) = place {
            self.go(place);
        }
    }

    fn go(self, place: ConversationMatch) {
        self.at.set(Some(place.clone()));
        spawn_local(async move {
            let Some(id) = self.serve.reading.bring(place.key.clone()).await else { return };
            // What tools were asked and answered is folded away.
            scroll_position::unfold(&id);
            page::next_frame().await;
            scroll_position::unfold_below(&id);
            page::next_frame().await;
            // Another one may be wanted by now, or none.
            if self.at.try_get_untracked().flatten().as_ref() == Some(&place) {
                scroll_position::mark(&id);
                self.mark(true);
            }
        });
    }

    fn mark(self, lead: bool) {
        let Some(Some(place)) = self.at.try_get_untracked() else { return };
        let id = element_of(&place.key);
        let here = id.as_deref().map(|id| (id, place.nth));
        self.text.with_untracked(|text| highlights::mark(text, self.any_case.get_untracked(), here, lead));
    }
}

/// The controls that the arrow keys go through.
const CONTROLS: &str = ".pin-list .pin";

#[component]
pub fn PinList(serve: MessageActionsHandler) -> impl IntoMarkup {
    let (care, local) = (serve.care, expect_context::<LocalTime>());
    let before = StoredValue::new(Some(scroll_position::keep_focus()));
    request_animation_frame(|| scroll_position::step(CONTROLS, FocusStep::First));
    let close = move || {
        care.lists.set(false);
        if let Some(before) = before.try_update_value(Option::take).flatten() {
            before.give_back();
        }
    };
    // The last pin that goes takes its list along.
    Effect::new(move |_| {
        if care.pins.with(Vec::is_empty) {
            care.lists.set(false);
        }
    });
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Escape" => close(),
            "ArrowDown" => scroll_position::step(CONTROLS, FocusStep::Next),
            "ArrowUp" => scroll_position::step(CONTROLS, FocusStep::Back),
            "Home" => scroll_position::step(CONTROLS, FocusStep::First),
            "End" => scroll_position::step(CONTROLS, FocusStep::Last),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let item = move |pin: Pin| {
        let id = pin.message;
        let who = serve.name(pin.role, pin.agent.as_ref());
        let now = serve.dispatch.now();
        let at = format!("{} {}", local.day(pin.at, now), local.clock(pin.at));
        let go = move |_| {
            care.lists.set(false);
            care.wish(MessageAction::ToMessage(id));
        };
        let off = move |_| {
            care.wish(MessageAction::Pin(id));
            request_animation_frame(|| scroll_position::step(CONTROLS, FocusStep::First));
        };
        view! {
            <li>
                <button type="button" class="pin" data-testid="pin" on:click=go>
                    <span class="pin-head">{reveal(&who)}" · "{at}</span>
                    <span class="pin-text" dir="auto">{reveal(&plain(&pin.begins))}</span>
                </button>
                {icon_button(icon(icon::CLOSE)).test("pin-off").title(common::UNPIN)
                    .label(format!("{}: {}", common::UNPIN, reveal(&plain(&pin.begins)))).on_click(off)}
            </li>
        }
    };
    let pins = move || care.pins.with(|pins| pins.iter().rev().cloned().collect());
    view! {
        <section class="pin-panel" role="dialog" aria-label=common::PINNED_MESSAGES data-testid="pins" on:keydown=key>
            <header>
                <h2 class="label">{common::PINNED_MESSAGES}</h2>
                {icon_button(icon(icon::CLOSE)).test("pins-close").title(words::PINS_CLOSE).label(words::PINS_CLOSE)
                    .on_click(move |_| close())}
            </header>
            <ul class="pin-list">{keyed_list(pins, |pin| pin.message, item)}</ul>
        </section>
    }
}
