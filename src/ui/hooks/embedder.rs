//! Messages to and from the page that embeds this one.
//!
//! Listens to the parent only, truncates long texts without copying them, and replies only to the exact origin.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::{MessageEvent, Window};
use send_wrapper::SendWrapper;

use crate::ui::hooks::js_part::put;
use nexus_model::id::Millis;
use nexus_model::limits::{EMBEDDED_BYTES, EMBEDDED_DEAF_MS, EMBEDDED_ID_BYTES};
use nexus_model::settings::iframe_policy::{Admission, EmbedMessage, EmbedRateLimiter, FieldText};

/// What is answered: whether it was accepted, the reason where it was not, and what the page calls it.
pub struct EmbedderReply {
    /// Why it was refused; accepted where absent.
    pub refused: Option<&'static str>,
    pub id: Option<String>,
}

/// The page that embeds this one, where one does.
fn parent() -> Option<Window> {
    let (this, parent) = (window(), window().parent().ok().flatten()?);
    (!js_sys::Object::is(this.as_ref(), parent.as_ref())).then_some(parent)
}

/// Hears what the embedding page says, until the component goes. `hear` is given its origin and what takes the message apart,
/// and says what to answer. What comes too fast is not looked at; a flood makes this deaf for a while.
pub fn use_embedder(
    now: impl Fn() -> Millis + 'static,
    hear: impl Fn(&mut EmbedRateLimiter, &str, &dyn Fn() -> EmbedMessage) -> EmbedderReply + 'static,
) {
    let Some(parent) = parent() else { return };
    let porter = RefCell::new(EmbedRateLimiter::new(now()));
    let is_gone = Rc::new(Cell::new(false));
    let ear = Rc::new(RefCell::new(None::<WindowListenerHandle>));
    let (heard_by, gone) = (Rc::clone(&ear), Rc::clone(&is_gone));
    let react = Rc::new(move |event: &MessageEvent, deafen: &dyn Fn()| {
        let from = event.source();
        if !from.is_some_and(|from| js_sys::Object::is(from.as_ref(), parent.as_ref())) {
            return;
        }
        // One message at a time: hearing one brings no other about.
        let Ok(mut porter) = porter.try_borrow_mut() else { return };
        match porter.hear(now()) {
            Admission::Pass => return,
            Admission::Deaf => return deafen(),
            Admission::Look => {}
        }
        let origin = event.origin();
        let answer = hear(&mut porter, &origin, &|| shape_of(&event.data()));
        // A page without an origin cannot be named as the one that is answered.
        drop(parent.post_message(&message(&answer), &origin));
    });
    listen(&heard_by, &gone, &(react as Rc<OnEmbedMessage>));
    let held = SendWrapper::new((ear, is_gone));
    on_cleanup(move || {
        let (ear, is_gone) = held.take();
        is_gone.set(true);
        if let Some(ear) = ear.borrow_mut().take() {
            ear.remove();
        }
    });
}

type OnEmbedMessage = dyn Fn(&MessageEvent, &dyn Fn());

/// Listens, and after a flood again when it is over.
fn listen(
    ear: &Rc<RefCell<Option<WindowListenerHandle>>>,
    gone: &Rc<Cell<bool>>,
    react: &Rc<OnEmbedMessage>,
) {
    let (again, is_gone, reacts) = (Rc::clone(ear), Rc::clone(gone), Rc::clone(react));
    let heard = Rc::clone(react);
    let deafen = move || {
        if let Some(ear) = again.borrow_mut().take() {
            ear.remove();
        }
        let (ear, gone, react) = (Rc::clone(&again), Rc::clone(&is_gone), Rc::clone(&reacts));
        let later = move || {
            if !gone.get() {
                listen(&ear, &gone, &react);
            }
        };
        set_timeout(later, Duration::from_millis(EMBEDDED_DEAF_MS));
    };
    let listener = window_event_listener(ev::message, move |event| heard(&event, &deafen));
    *ear.borrow_mut() = Some(listener);
}

/// A message, taken apart. It is a copy that the browser made: nothing in it can run.
fn shape_of(data: &JsValue) -> EmbedMessage {
    let Some(object) = data.dyn_ref::<js_sys::Object>().filter(|_| !js_sys::Array::is_array(data)) else {
        return EmbedMessage { nexus: None, draft: FieldText::Absent, id: FieldText::Absent, fields: 0 };
    };
    let get = |name: &str| js_sys::Reflect::get(object, &JsValue::from_str(name)).ok();
    let words = |name: &str, most: usize| match get(name) {
        None => FieldText::Absent,
        Some(value) if value.is_undefined() => FieldText::Absent,
        Some(value) => match value.dyn_ref::<js_sys::JsString>() {
            None => FieldText::Other,
            Some(text) if usize::try_from(text.length()).is_ok_and(|length| length <= most) => {
                FieldText::Text(String::from(text))
            }
            Some(_) => FieldText::Long,
        },
    };
    EmbedMessage {
        nexus: get("nexus").and_then(|value| value.as_f64()),
        draft: words("draft", EMBEDDED_BYTES),
        id: words("id", EMBEDDED_ID_BYTES),
        fields: usize::try_from(js_sys::Object::keys(object).length()).unwrap_or(usize::MAX),
    }
}

fn message(answer: &EmbedderReply) -> JsValue {
    let message = js_sys::Object::new();
    put(&message, "nexus", &JsValue::from_f64(1.0));
    put(&message, "draft", &JsValue::from_str(if answer.refused.is_some() { "refused" } else { "accepted" }));
    if let Some(why) = answer.refused {
        put(&message, "why", &JsValue::from_str(why));
    }
    if let Some(id) = &answer.id {
        put(&message, "id", &JsValue::from_str(id));
    }
    message.into()
}

/// Whether the operator is writing in the area with this id at this moment.
pub fn is_writing_in(id: &str) -> bool {
    let page = document();
    let has_focus = page.has_focus().unwrap_or(false);
    has_focus && page.active_element().is_some_and(|element| element.id() == id)
}
