//! Speech recognition and speech output of the browser.
//!
//! Looked up by their JavaScript names: some browsers prefix the recogniser, and some have neither. Never stores a
//! transcript.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::BroadcastChannel;

use crate::browser::js;
use crate::browser::js::Listener;
use crate::browser::lifecycle::{Listeners, on_hidden, sleep};
use nexus_engine::port::{
    RecognitionEvent, RecognitionSession, SpeechRecognizer, SpeechSynthesizer, VoiceInfo, VoicePorts,
};
use nexus_model::limits::{SPEECH_SILENCE_MS, VOICES_WAIT_MS};
use nexus_model::settings::{RecognitionError, SpeechError, Transcript, VoiceProfile};

/// Channel on which tabs announce that they started listening.
const CHANNEL: &str = "nexus-voice";
/// Polling interval for voices, in milliseconds.
const POLL_MS: u64 = 100;

pub fn ports() -> VoicePorts {
    VoicePorts { recognizer: Rc::new(BrowserRecognizer), synthesizer: Rc::new(BrowserSynthesizer::default()) }
}

fn global(name: &str) -> Option<JsValue> {
    js::property(&js_sys::global(), name)
}

struct BrowserRecognizer;

impl BrowserRecognizer {
    fn recogniser() -> Option<Function> {
        ["SpeechRecognition", "webkitSpeechRecognition"]
            .into_iter()
            .find_map(|name| global(name)?.dyn_into().ok())
    }
}

impl SpeechRecognizer for BrowserRecognizer {
    fn is_available(&self) -> bool {
        Self::recogniser().is_some()
    }

    fn languages(&self) -> Vec<String> {
        let list = web_sys::window().map(|window| window.navigator().languages());
        list.map(|list| list.iter().filter_map(|tag| tag.as_string()).collect()).unwrap_or_default()
    }

    fn listen(
        &self,
        language: &str,
        on_event: Box<dyn Fn(RecognitionEvent)>,
    ) -> Result<Box<dyn RecognitionSession>, RecognitionError> {
        let make = Self::recogniser().ok_or(RecognitionError::ServiceNotAllowed)?;
        let inner =
            Reflect::construct(&make, &Array::new()).map_err(|_| RecognitionError::ServiceNotAllowed)?;
        let on_event: Rc<dyn Fn(RecognitionEvent)> = Rc::from(on_event);
        if !language.is_empty() {
            js::set(&inner, "lang", &JsValue::from_str(language));
        }
        for option in ["continuous", "interimResults"] {
            js::set(&inner, option, &JsValue::TRUE);
        }
        let on = |name: &'static str, event_of: fn(&JsValue) -> RecognitionEvent| {
            let on_event = Rc::clone(&on_event);
            let handler =
                Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| on_event(event_of(&event)));
            js::set(&inner, name, handler.as_ref());
            (name, handler)
        };
        let handlers = vec![
            on("onresult", |event| RecognitionEvent::Transcript(transcript(event))),
            on("onerror", |event| {
                RecognitionEvent::Failed(RecognitionError::of_code(&js::text(event, "error")))
            }),
            on("onend", |_| RecognitionEvent::Ended),
        ];
        let hidden = {
            let on_event = Rc::clone(&on_event);
            on_hidden(move || on_event(RecognitionEvent::Hidden))
        };
        // Without a channel there are no other tabs to notify.
        let channel = BroadcastChannel::new(CHANNEL).ok();
        if let Some(channel) = &channel {
            // Only a closed channel throws.
            drop(channel.post_message(&JsValue::from_str("listening")));
        }
        let other_tab = channel
            .as_ref()
            .map(|channel| Listener::on(channel, "message", move |_| on_event(RecognitionEvent::OtherTab)));
        let recognition =
            BrowserRecognition { inner, handlers, _hidden: hidden, _other_tab: other_tab, channel };
        match js::call(&recognition.inner, "start", &[]) {
            Ok(_) => Ok(Box::new(recognition)),
            Err(thrown) if js::name(&thrown) == "NotAllowedError" => Err(RecognitionError::NotAllowed),
            Err(_) => Err(RecognitionError::Other),
        }
    }
}

/// All results of an event: the recogniser's list contains all since it started.
fn transcript(event: &JsValue) -> Transcript {
    let mut transcript = Transcript::default();
    let Some(results) = js::property(event, "results") else { return transcript };
    let count = js::property(&results, "length").and_then(|count| count.as_f64()).unwrap_or_default();
    for index in 0..count.max(0.0) as u32 {
        let Ok(result) = Reflect::get_u32(&results, index) else { continue };
        let Ok(best) = Reflect::get_u32(&result, 0) else { continue };
        let best_text = js::text(&best, "transcript");
        if js::property(&result, "isFinal").is_some_and(|is_final| is_final.is_truthy()) {
            transcript.finals.push(best_text);
        } else {
            transcript.interim.push_str(&best_text);
        }
    }
    transcript
}

/// A handler with the name of its property.
type RecognizerHandler = (&'static str, Closure<dyn FnMut(JsValue)>);

struct BrowserRecognition {
    inner: JsValue,
    handlers: Vec<RecognizerHandler>,
    _hidden: Listeners,
    _other_tab: Option<Listener>,
    channel: Option<BroadcastChannel>,
}

impl RecognitionSession for BrowserRecognition {
    fn stop(&self) {
        // Stopping an ended recognition may throw.
        drop(js::call(&self.inner, "stop", &[]));
    }
}

impl Drop for BrowserRecognition {
    fn drop(&mut self) {
        for (name, _) in &self.handlers {
            js::set(&self.inner, name, &JsValue::NULL);
        }
        // Aborting an ended recognition may throw.
        drop(js::call(&self.inner, "abort", &[]));
        if let Some(channel) = &self.channel {
            channel.close();
        }
    }
}

/// Reports how an utterance ended.
type UtteranceSender = Rc<RefCell<Option<oneshot::Sender<Result<(), SpeechError>>>>>;

#[derive(Clone, Default)]
struct BrowserSynthesizer {
    speaking: Rc<RefCell<Option<UtteranceSender>>>,
}

impl BrowserSynthesizer {
    fn synthesis() -> Option<JsValue> {
        global("speechSynthesis").filter(|_| global("SpeechSynthesisUtterance").is_some())
    }

    fn raw_voices() -> Vec<JsValue> {
        let list = Self::synthesis()
            .and_then(|synthesis| js::call(&synthesis, "getVoices", &[]).ok()?.dyn_into::<Array>().ok());
        list.map(|list| list.iter().collect()).unwrap_or_default()
    }
}

fn end(sender: &UtteranceSender, outcome: Result<(), SpeechError>) {
    if let Some(sender) = sender.borrow_mut().take() {
        // The receiver may be gone.
        sender.send(outcome).unwrap_or(());
    }
}

impl SpeechSynthesizer for BrowserSynthesizer {
    fn is_available(&self) -> bool {
        Self::synthesis().is_some()
    }

    fn voices(&self) -> LocalBoxFuture<'static, Vec<VoiceInfo>> {
        Box::pin(async {
            // Some browsers return no voices at first, and some of those never fire `voiceschanged`.
            for _ in 0..VOICES_WAIT_MS / POLL_MS {
                if !Self::raw_voices().is_empty() || Self::synthesis().is_none() {
                    break;
                }
                sleep(POLL_MS).await;
            }
            let info = |voice: &JsValue| VoiceInfo {
                name: js::text(voice, "name"),
                language: js::text(voice, "lang").replace('_', "-"),
                local: js::property(voice, "localService").is_some_and(|local| local.is_truthy()),
            };
            Self::raw_voices().iter().map(info).filter(|voice| !voice.name.is_empty()).collect()
        })
    }

    fn speak(
        &self,
        text_to_speak: String,
        language: String,
        profile: VoiceProfile,
    ) -> LocalBoxFuture<'static, Result<(), SpeechError>> {
        let speaking = Rc::clone(&self.speaking);
        Box::pin(async move {
            let (sender, receiver) = oneshot::channel();
            let sender: UtteranceSender = Rc::new(RefCell::new(Some(sender)));
            *speaking.borrow_mut() = Some(Rc::clone(&sender));
            // Right after a cancel some browsers lose the next utterance.
            sleep(0).await;
            if sender.borrow().is_none() {
                return Err(SpeechError::Stopped);
            }
            let synthesis = Self::synthesis().ok_or(SpeechError::Failed)?;
            let make = global("SpeechSynthesisUtterance").and_then(|make| make.dyn_into::<Function>().ok());
            let make = make.ok_or(SpeechError::Failed)?;
            // Referenced until the end: some browsers garbage-collect an unreferenced utterance before its `end` event.
            let utterance = Reflect::construct(&make, &Array::of1(&JsValue::from_str(&text_to_speak)))
                .map_err(|_| SpeechError::Failed)?;
            let voices = Self::raw_voices();
            match voices
                .iter()
                .find(|voice| !profile.voice.is_empty() && js::text(voice, "name") == profile.voice)
            {
                Some(voice) => {
                    js::set(&utterance, "voice", voice);
                    js::set(&utterance, "lang", &JsValue::from_str(&js::text(voice, "lang")));
                }
                None if !language.is_empty() => js::set(&utterance, "lang", &JsValue::from_str(&language)),
                None => {}
            }
            js::set(&utterance, "rate", &JsValue::from_f64(profile.rate));
            js::set(&utterance, "pitch", &JsValue::from_f64(profile.pitch));
            let on_end = Rc::clone(&sender);
            let on_end = Closure::<dyn FnMut()>::new(move || end(&on_end, Ok(())));
            let on_error = Rc::clone(&sender);
            let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
                end(&on_error, Err(SpeechError::of_code(&js::text(&event, "error"))));
            });
            js::set(&utterance, "onend", on_end.as_ref());
            js::set(&utterance, "onerror", on_error.as_ref());
            if js::call(&synthesis, "speak", &[&utterance]).is_err() {
                return Err(SpeechError::Failed);
            }
            let timeout = (SPEECH_SILENCE_MS as f64 / profile.rate.clamp(0.1, 1.0)) as u64;
            let outcome = match select(receiver, sleep(timeout).boxed_local()).await {
                Either::Left((receiver, _)) => receiver.unwrap_or(Err(SpeechError::Stopped)),
                Either::Right(_) => {
                    // The synthesiser may recover for the next sentence.
                    drop(js::call(&synthesis, "cancel", &[]));
                    Err(SpeechError::Stuck)
                }
            };
            for name in ["onend", "onerror"] {
                js::set(&utterance, name, &JsValue::NULL);
            }
            outcome
        })
    }

    fn stop(&self) {
        if let Some(synthesis) = Self::synthesis() {
            // Cancelling nothing is fine.
            drop(js::call(&synthesis, "cancel", &[]));
        }
        // Not every browser reports a cancelled utterance.
        if let Some(sender) = self.speaking.borrow_mut().take() {
            end(&sender, Err(SpeechError::Stopped));
        }
    }
}
