//! Desktop notifications and a synthesised sound.
//!
//! The permission is requested only on a click. Never shows text that somebody else wrote.

use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::{
    AudioContext, Notification, NotificationOptions, NotificationPermission, OscillatorType,
};
use wasm_bindgen_futures::JsFuture;

/// How loud the tones are, of 1.
const LOUD: f32 = 0.12;
/// The tones, in hertz, and when they begin, in seconds.
const TONES: [(f32, f64); 2] = [(660.0, 0.0), (880.0, 0.16)];
/// How long a tone is, in seconds.
const LONG: f64 = 0.28;

/// What there is of the permission to show signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationAccess {
    Granted,
    /// The operator has not decided.
    Open,
    /// They are not.
    Refused,
    /// The browser has none.
    None,
}

pub fn permission() -> NotificationAccess {
    let is_there = js_sys::Reflect::get(&window(), &JsValue::from_str("Notification"));
    if !is_there.is_ok_and(|kind| kind.is_function()) {
        return NotificationAccess::None;
    }
    match Notification::permission() {
        NotificationPermission::Granted => NotificationAccess::Granted,
        NotificationPermission::Default => NotificationAccess::Open,
        // What is not known is not a permission.
        NotificationPermission::Denied | _ => NotificationAccess::Refused,
    }
}

/// Asks for the permission. Only ever by a click.
pub async fn ask() -> NotificationAccess {
    if permission() == NotificationAccess::Open
        && let Ok(asked) = Notification::request_permission()
    {
        // What came of it is read below, also where the browser gives no promise.
        drop(JsFuture::from(asked).await);
    }
    permission()
}

/// Shows a sign; another one of the same `tag` takes its place. A click on it brings the page to the front and calls
/// `clicked`.
pub fn show(title: &str, line: &str, tag: &str, clicked: impl FnOnce() + 'static) {
    if permission() != NotificationAccess::Granted {
        return;
    }
    let options = NotificationOptions::new();
    options.set_body(line);
    options.set_tag(tag);
    // On phones only a service worker may show signs: then there is none.
    let Ok(sign) = Notification::new_with_options(title, &options) else { return };
    let shown = sign.clone();
    let go = Closure::once_into_js(move || {
        // A window that may not come to the front stays where it is.
        drop(window().focus());
        shown.close();
        clicked();
    });
    sign.set_onclick(Some(go.unchecked_ref()));
}

/// Plays the sound. Says whether the browser has one for this page.
pub fn play() -> bool {
    sound().is_ok()
}

fn sound() -> Result<(), JsValue> {
    let context = AudioContext::new()?;
    // Before the first click a browser holds it back; then there is no sound, and nothing to say.
    drop(context.resume());
    let now = context.current_time() + 0.02;
    for (tone, begins) in TONES {
        let (source, volume) = (context.create_oscillator()?, context.create_gain()?);
        let (from, to) = (now + begins, now + begins + LONG);
        source.set_type(OscillatorType::Sine);
        source.frequency().set_value(tone);
        volume.gain().set_value_at_time(0.0001, from)?;
        volume.gain().exponential_ramp_to_value_at_time(LOUD, from + 0.02)?;
        volume.gain().exponential_ramp_to_value_at_time(0.0001, to)?;
        source.connect_with_audio_node(&volume)?.connect_with_audio_node(&context.destination())?;
        source.start_with_when(from)?;
        source.stop_with_when(to)?;
    }
    set_timeout(move || drop(context.close()), std::time::Duration::from_secs(2));
    Ok(())
}
