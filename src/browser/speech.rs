//! Never decides what is said or sent, and never keeps what was heard.
//!
//! Owns the browser's recogniser and its voices. Both go by script's own names: some browsers give the recogniser under
//! another one, and some have neither.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::BroadcastChannel;

use crate::browser::clock::sleep;
use crate::browser::js;
use crate::browser::listen::Listener;
use crate::browser::page::{Listeners, on_hidden};
use crate::domain::limits::{SPEECH_SILENCE_MS, VOICES_WAIT_MS};
use crate::domain::voice::dictation::Heard;
use crate::domain::voice::{EarFault, MouthFault, Sound};
use crate::engine::speech::{EarSign, Ears, Hearing, Mouth, VoiceInfo, VoicePorts};

/// Where tabs tell each other that one of them listens.
const CHANNEL: &str = "nexus-voice";
/// How long it is looked for voices again.
const LOOK_MS: u64 = 100;

/// What recognises and what speaks, of this browser.
pub fn ports() -> VoicePorts {
    VoicePorts { ears: Rc::new(BrowserEars), mouth: Rc::new(BrowserMouth::default()) }
}

fn global(name: &str) -> Option<JsValue> {
    js::property(&js_sys::global(), name)
}

/// Sets a property that may have a setter.
fn set(of: &JsValue, name: &str, value: &JsValue) {
    // A property that cannot be set is one that this browser does not know.
    drop(Reflect::set(of, &JsValue::from_str(name), value));
}

fn call(of: &JsValue, name: &str) -> Result<(), JsValue> {
    js::method(of, name).map_or(Ok(()), |method| method.call0(of).map(drop))
}

/// The browser's recogniser.
struct BrowserEars;

impl BrowserEars {
    fn recogniser() -> Option<Function> {
        ["SpeechRecognition", "webkitSpeechRecognition"]
            .into_iter()
            .find_map(|name| global(name)?.dyn_into().ok())
    }
}

impl Ears for BrowserEars {
    fn is_there(&self) -> bool {
        Self::recogniser().is_some()
    }

    fn languages(&self) -> Vec<String> {
        let list = web_sys::window().map(|window| window.navigator().languages());
        list.map(|list| list.iter().filter_map(|tag| tag.as_string()).collect()).unwrap_or_default()
    }

    fn listen(&self, language: &str, hear: Box<dyn Fn(EarSign)>) -> Result<Box<dyn Hearing>, EarFault> {
        let make = Self::recogniser().ok_or(EarFault::ServiceNotAllowed)?;
        let inner = Reflect::construct(&make, &Array::new()).map_err(|_| EarFault::ServiceNotAllowed)?;
        let hear: Rc<dyn Fn(EarSign)> = Rc::from(hear);
        if !language.is_empty() {
            set(&inner, "lang", &JsValue::from_str(language));
        }
        for wish in ["continuous", "interimResults"] {
            set(&inner, wish, &JsValue::TRUE);
        }
        let on = |name: &'static str, sign: fn(&JsValue) -> EarSign| {
            let hear = Rc::clone(&hear);
            let react = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| hear(sign(&event)));
            set(&inner, name, react.as_ref());
            (name, react)
        };
        let handlers = vec![
            on("onresult", |event| EarSign::Heard(heard(event))),
            on("onerror", |event| EarSign::Failed(EarFault::of_code(&text(event, "error")))),
            on("onend", |_| EarSign::Ended),
        ];
        let hidden = {
            let hear = Rc::clone(&hear);
            on_hidden(move || hear(EarSign::Hidden))
        };
        // Where there is no channel there are no other tabs of ours to be told.
        let channel = BroadcastChannel::new(CHANNEL).ok();
        if let Some(channel) = &channel {
            // Only a closed channel refuses.
            drop(channel.post_message(&JsValue::from_str("listening")));
        }
        let elsewhere = channel
            .as_ref()
            .map(|channel| Listener::on(channel, "message", move |_| hear(EarSign::Elsewhere)));
        let hearing = BrowserHearing { inner, handlers, _hidden: hidden, _elsewhere: elsewhere, channel };
        match call(&hearing.inner, "start") {
            Ok(()) => Ok(Box::new(hearing)),
            Err(thrown) if js::name(&thrown) == "NotAllowedError" => Err(EarFault::NotAllowed),
            Err(_) => Err(EarFault::Other),
        }
    }
}

fn text(of: &JsValue, name: &str) -> String {
    js::property(of, name).and_then(|value| value.as_string()).unwrap_or_default()
}

/// All results of an event: the recogniser's list holds all since it began.
fn heard(event: &JsValue) -> Heard {
    let mut heard = Heard::default();
    let Some(results) = js::property(event, "results") else { return heard };
    let count = js::property(&results, "length").and_then(|count| count.as_f64()).unwrap_or_default();
    for place in 0..count.max(0.0) as u32 {
        let Ok(result) = Reflect::get_u32(&results, place) else { continue };
        let Ok(best) = Reflect::get_u32(&result, 0) else { continue };
        let words = text(&best, "transcript");
        if js::property(&result, "isFinal").is_some_and(|is_final| is_final.is_truthy()) {
            heard.finals.push(words);
        } else {
            heard.interim.push_str(&words);
        }
    }
    heard
}

/// What the recogniser calls, with the name that it calls it by.
type Handler = (&'static str, Closure<dyn FnMut(JsValue)>);

struct BrowserHearing {
    inner: JsValue,
    handlers: Vec<Handler>,
    _hidden: Listeners,
    _elsewhere: Option<Listener>,
    channel: Option<BroadcastChannel>,
}

impl Hearing for BrowserHearing {
    fn stop(&self) {
        // What has ended already cannot be stopped, and need not.
        drop(call(&self.inner, "stop"));
    }
}

impl Drop for BrowserHearing {
    fn drop(&mut self) {
        for (name, _) in &self.handlers {
            set(&self.inner, name, &JsValue::NULL);
        }
        // What has ended already needs no end.
        drop(call(&self.inner, "abort"));
        if let Some(channel) = &self.channel {
            channel.close();
        }
    }
}

/// What tells how an utterance ended.
type Tell = Rc<RefCell<Option<oneshot::Sender<Result<(), MouthFault>>>>>;

/// The browser's voices.
#[derive(Clone, Default)]
struct BrowserMouth {
    speaking: Rc<RefCell<Option<Tell>>>,
}

impl BrowserMouth {
    fn synthesis() -> Option<JsValue> {
        global("speechSynthesis").filter(|_| global("SpeechSynthesisUtterance").is_some())
    }

    /// The voices as script has them.
    fn raw_voices() -> Vec<JsValue> {
        let list = Self::synthesis().and_then(|synthesis| {
            js::method(&synthesis, "getVoices")?.call0(&synthesis).ok()?.dyn_into::<Array>().ok()
        });
        list.map(|list| list.iter().collect()).unwrap_or_default()
    }
}

fn end(tell: &Tell, how: Result<(), MouthFault>) {
    if let Some(tell) = tell.borrow_mut().take() {
        // Whoever waited may be gone.
        tell.send(how).unwrap_or(());
    }
}

impl Mouth for BrowserMouth {
    fn is_there(&self) -> bool {
        Self::synthesis().is_some()
    }

    fn voices(&self) -> LocalBoxFuture<'static, Vec<VoiceInfo>> {
        Box::pin(async {
            // Some browsers have none at first, and some of those never tell when they come.
            for _ in 0..VOICES_WAIT_MS / LOOK_MS {
                if !Self::raw_voices().is_empty() || Self::synthesis().is_none() {
                    break;
                }
                sleep(LOOK_MS).await;
            }
            let info = |voice: &JsValue| VoiceInfo {
                name: text(voice, "name"),
                language: text(voice, "lang").replace('_', "-"),
                local: js::property(voice, "localService").is_some_and(|local| local.is_truthy()),
            };
            Self::raw_voices().iter().map(info).filter(|voice| !voice.name.is_empty()).collect()
        })
    }

    fn speak(
        &self,
        said: String,
        language: String,
        sound: Sound,
    ) -> LocalBoxFuture<'static, Result<(), MouthFault>> {
        let speaking = Rc::clone(&self.speaking);
        Box::pin(async move {
            let (tell, told) = oneshot::channel();
            let tell: Tell = Rc::new(RefCell::new(Some(tell)));
            *speaking.borrow_mut() = Some(Rc::clone(&tell));
            // Right after a stop some browsers lose what is spoken next.
            sleep(0).await;
            if tell.borrow().is_none() {
                return Err(MouthFault::Stopped);
            }
            let synthesis = Self::synthesis().ok_or(MouthFault::Failed)?;
            let make = global("SpeechSynthesisUtterance").and_then(|make| make.dyn_into::<Function>().ok());
            let make = make.ok_or(MouthFault::Failed)?;
            // Held until the end: some browsers forget an utterance that nobody holds, and its end with it.
            let utterance = Reflect::construct(&make, &Array::of1(&JsValue::from_str(&said)))
                .map_err(|_| MouthFault::Failed)?;
            let voices = Self::raw_voices();
            match voices.iter().find(|voice| !sound.voice.is_empty() && text(voice, "name") == sound.voice) {
                Some(voice) => {
                    set(&utterance, "voice", voice);
                    set(&utterance, "lang", &JsValue::from_str(&text(voice, "lang")));
                }
                None if !language.is_empty() => set(&utterance, "lang", &JsValue::from_str(&language)),
                None => {}
            }
            set(&utterance, "rate", &JsValue::from_f64(sound.rate));
            set(&utterance, "pitch", &JsValue::from_f64(sound.pitch));
            let on_end = Rc::clone(&tell);
            let on_end = Closure::<dyn FnMut()>::new(move || end(&on_end, Ok(())));
            let on_error = Rc::clone(&tell);
            let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
                end(&on_error, Err(MouthFault::of_code(&text(&event, "error"))));
            });
            set(&utterance, "onend", on_end.as_ref());
            set(&utterance, "onerror", on_error.as_ref());
            let spoken = js::method(&synthesis, "speak").map(|speak| speak.call1(&synthesis, &utterance));
            if !matches!(spoken, Some(Ok(_))) {
                return Err(MouthFault::Failed);
            }
            let patience = (SPEECH_SILENCE_MS as f64 / sound.rate.clamp(0.1, 1.0)) as u64;
            let outcome = match select(told, sleep(patience).boxed_local()).await {
                Either::Left((told, _)) => told.unwrap_or(Err(MouthFault::Stopped)),
                Either::Right(_) => {
                    // It may come to itself again for the next sentence.
                    drop(call(&synthesis, "cancel"));
                    Err(MouthFault::Stuck)
                }
            };
            for name in ["onend", "onerror"] {
                set(&utterance, name, &JsValue::NULL);
            }
            outcome
        })
    }

    fn hush(&self) {
        if let Some(synthesis) = Self::synthesis() {
            // Nothing to be stopped is as good.
            drop(call(&synthesis, "cancel"));
        }
        // Not every browser tells that it was stopped.
        if let Some(tell) = self.speaking.borrow_mut().take() {
            end(&tell, Err(MouthFault::Stopped));
        }
    }
}
