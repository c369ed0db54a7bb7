//! Messages to and from the page that embeds this one in an iframe.
//!
//! Listens to the parent only, truncates long texts without copying them, and replies only to the exact origin.

use std::cell::Cell;

use leptos::ev;
use leptos::web_sys::Window;

use crate::ui::hooks::dom::*;
use crate::ui::hooks::js_part::put;
use nexus_model::id::Millis;
use nexus_model::limits::{EMBEDDED_BYTES, EMBEDDED_ID_BYTES, EMBEDDED_MUTE_MS};
use nexus_model::settings::iframe_policy::{Admission, EmbedMessage, EmbedRateLimiter, FieldText};

pub struct EmbedderReply {
    /// The rejection; `None` if accepted.
    pub rejection: Option<&'static str>,
    pub id: Option<String>,
}

fn parent() -> Option<Window> {
    let (this, parent) = (window(), window().parent().ok().flatten()?);
    (!js_sys::Object::is(this.as_ref(), parent.as_ref())).then_some(parent)
}

/// Listens to the embedding page until the component is gone. `on_message` gets its origin and a parser of the message,
/// and returns the reply. Excess messages are ignored, after a flood all of them for a while.
pub fn use_embedder(
    now: impl Fn() -> Millis + 'static,
    on_message: impl Fn(&mut EmbedRateLimiter, &str, &dyn Fn() -> EmbedMessage) -> EmbedderReply + 'static,
) {
    let Some(parent) = parent() else { return };
    let limiter = RefCell::new(EmbedRateLimiter::new(now()));
    let is_muted = Rc::new(Cell::new(false));
    on_window(ev::message, move |event| {
        let from = event.source().filter(|_| !is_muted.get());
        if !from.is_some_and(|from| js_sys::Object::is(from.as_ref(), parent.as_ref())) {
            return;
        }
        // Never re-entrant: handling a message triggers no other.
        let Ok(mut limiter) = limiter.try_borrow_mut() else { return };
        match limiter.admit(now()) {
            Admission::Drop => return,
            Admission::Mute => {
                is_muted.set(true);
                let is_muted = Rc::clone(&is_muted);
                return set_timeout(move || is_muted.set(false), Duration::from_millis(EMBEDDED_MUTE_MS));
            }
            Admission::Process => {}
        }
        let origin = event.origin();
        let reply = on_message(&mut limiter, &origin, &|| parse(&event.data()));
        // A page without an origin cannot be addressed.
        drop(parent.post_message(&message(&reply), &origin));
    });
}

/// Parses a message. It is a structured clone: nothing in it can run.
fn parse(data: &JsValue) -> EmbedMessage {
    let Some(object) = data.dyn_ref::<js_sys::Object>().filter(|_| !js_sys::Array::is_array(data)) else {
        return EmbedMessage { nexus: None, draft: FieldText::Absent, id: FieldText::Absent, fields: 0 };
    };
    let text_field = |name: &str, most: usize| {
        let value = get(object, name);
        match value.dyn_ref::<js_sys::JsString>() {
            None if value.is_undefined() => FieldText::Absent,
            None => FieldText::Other,
            Some(text) if usize::try_from(text.length()).is_ok_and(|length| length <= most) => {
                FieldText::Text(String::from(text))
            }
            Some(_) => FieldText::Long,
        }
    };
    EmbedMessage {
        nexus: get(object, "nexus").as_f64(),
        draft: text_field("draft", EMBEDDED_BYTES),
        id: text_field("id", EMBEDDED_ID_BYTES),
        fields: usize::try_from(js_sys::Object::keys(object).length()).unwrap_or(usize::MAX),
    }
}

fn message(reply: &EmbedderReply) -> JsValue {
    let message = js_sys::Object::new();
    put(&message, "nexus", &JsValue::from_f64(1.0));
    let outcome = if reply.rejection.is_some() { "refused" } else { "accepted" };
    for (name, text) in [("draft", Some(outcome)), ("why", reply.rejection), ("id", reply.id.as_deref())] {
        text.into_iter().for_each(|text| put(&message, name, &JsValue::from_str(text)));
    }
    message.into()
}

pub fn is_writing_in(id: &str) -> bool {
    let page = document();
    let has_focus = page.has_focus().unwrap_or(false);
    has_focus && page.active_element().is_some_and(|element| element.id() == id)
}
