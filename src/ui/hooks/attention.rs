//! Desktop notifications and a synthesised sound.
//!
//! The permission is requested only on a click. Never shows text that somebody else wrote.

use leptos::web_sys::{
    AudioContext, Notification, NotificationOptions, NotificationPermission, OscillatorType,
};
use wasm_bindgen_futures::JsFuture;

use crate::ui::hooks::dom::*;

/// Volume of the tones, of 1.
const VOLUME: f32 = 0.12;
/// The tones: frequency in hertz, start in seconds.
const TONES: [(f32, f64); 2] = [(660.0, 0.0), (880.0, 0.16)];
const TONE_SECONDS: f64 = 0.28;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationAccess {
    Granted,
    /// The operator has not decided.
    Open,
    Denied,
    /// The browser has no notifications.
    None,
}

pub fn permission() -> NotificationAccess {
    if !get(&window(), "Notification").is_function() {
        return NotificationAccess::None;
    }
    match Notification::permission() {
        NotificationPermission::Granted => NotificationAccess::Granted,
        NotificationPermission::Default => NotificationAccess::Open,
        // Unknown values count as denied.
        NotificationPermission::Denied | _ => NotificationAccess::Denied,
    }
}

pub async fn request() -> NotificationAccess {
    if permission() == NotificationAccess::Open
        && let Ok(promise) = Notification::request_permission()
    {
        // The result is read below, also in browsers that return no promise.
        drop(JsFuture::from(promise).await);
    }
    permission()
}

/// Shows a notification; it replaces one of the same `tag`. A click focuses the page and calls `clicked`.
pub fn show(title: &str, line: &str, tag: &str, clicked: impl FnOnce() + 'static) {
    if permission() != NotificationAccess::Granted {
        return;
    }
    let options = NotificationOptions::new();
    options.set_body(line);
    options.set_tag(tag);
    // Phones allow notifications only from service workers; then none is shown.
    let Ok(notification) = Notification::new_with_options(title, &options) else { return };
    let shown = notification.clone();
    let on_click = Closure::once_into_js(move || {
        // A window that may not be focused stays in the background.
        drop(window().focus());
        shown.close();
        clicked();
    });
    notification.set_onclick(Some(on_click.unchecked_ref()));
}

/// Plays the sound; false if the browser has no audio.
pub fn play() -> bool {
    sound().is_ok()
}

fn sound() -> Result<(), JsValue> {
    let context = AudioContext::new()?;
    // Before the first click browsers block audio; then there is no sound.
    drop(context.resume());
    let now = context.current_time() + 0.02;
    for (tone, begins) in TONES {
        let (source, volume) = (context.create_oscillator()?, context.create_gain()?);
        let (from, to) = (now + begins, now + begins + TONE_SECONDS);
        source.set_type(OscillatorType::Sine);
        source.frequency().set_value(tone);
        volume.gain().set_value_at_time(0.0001, from)?;
        volume.gain().exponential_ramp_to_value_at_time(VOLUME, from + 0.02)?;
        volume.gain().exponential_ramp_to_value_at_time(0.0001, to)?;
        source.connect_with_audio_node(&volume)?.connect_with_audio_node(&context.destination())?;
        source.start_with_when(from)?;
        source.stop_with_when(to)?;
    }
    set_timeout(move || drop(context.close()), Duration::from_secs(2));
    Ok(())
}
