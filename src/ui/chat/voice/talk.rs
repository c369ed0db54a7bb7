//! Runs the listening state machine of `view::voice::listening`: feeds it events and performs its effects.

use std::collections::VecDeque;
use std::time::Duration;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::StreamExt as _;
use serde_json::Value;

use crate::ui::dispatch::drafts::DraftBinding;
use crate::ui::prelude::*;
use crate::ui::workspace::message_actions::VoiceState;
use nexus_engine::port::{RecognitionEvent, RecognitionSession, VoicePorts};
use nexus_model::limits::{VOICE_END_MS, VOICE_PAUSE_MS};
use nexus_model::settings::schema::{HANDS_FREE, VOICE_LANGUAGE, VOICE_SOUNDS};
use nexus_model::settings::voice::RecognitionError;
use nexus_view::voice::dictation::Dictation;
use nexus_view::voice::listening::{ListeningMode, VoiceEffect, VoiceError, VoiceEvent, VoiceMachine};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpeechItem {
    pub(crate) message: MessageId,
    pub(crate) agent: AgentKey,
    pub(crate) text: String,
}

/// What it holds while it runs.
pub(crate) struct VoiceControllerState {
    pub(crate) ports: VoicePorts,
    machine: VoiceMachine,
    dictation: Dictation,
    /// What stood in the composer before anything was heard; `None` until something is.
    before: Option<String>,
    hearing: Option<Box<dyn RecognitionSession>>,
    pub(crate) lines: VecDeque<SpeechItem>,
    pub(crate) reads: bool,
    pub(crate) stuck: bool,
    /// How often silence was wanted.
    pub(crate) hushes: u32,
}

#[derive(Clone, Copy)]
pub struct VoiceController {
    pub(crate) inner: StoredValue<VoiceControllerState>,
    pub(crate) desk: VoiceState,
    field: DraftBinding,
    hands_free: Selector<bool>,
    pub(crate) sounds: Selector<Option<Arc<Value>>>,
    pub language: Selector<String>,
    pub trouble: RwSignal<Option<VoiceError>>,
    pub mode: RwSignal<ListeningMode>,
    signs: StoredValue<UnboundedSender<(u32, RecognitionEvent)>>,
    run: StoredValue<u32>,
    pause: StoredValue<u32>,
}

impl VoiceController {
    /// Begins to serve, with nothing on, for as long as the component lives that calls it.
    pub fn new(ports: VoicePorts, desk: VoiceState, field: DraftBinding) -> Self {
        let settings = expect_context::<Settings>();
        let own = ports.ears.languages().into_iter().next().unwrap_or_default();
        let chosen = settings.text(VOICE_LANGUAGE);
        let language = select(move || match chosen.get() {
            none if none.is_empty() => own.clone(),
            chosen => chosen,
        });
        let inner = VoiceControllerState {
            ports,
            machine: VoiceMachine::default(),
            dictation: Dictation::default(),
            before: None,
            hearing: None,
            lines: VecDeque::new(),
            reads: false,
            stuck: false,
            hushes: 0,
        };
        let (signs, told) = unbounded();
        let this = Self {
            inner: StoredValue::new(inner),
            desk,
            field,
            hands_free: settings.get(HANDS_FREE),
            sounds: settings.value(VOICE_SOUNDS),
            language,
            trouble: RwSignal::new(None),
            mode: RwSignal::new(ListeningMode::Off),
            signs: StoredValue::new(signs),
            run: StoredValue::new(0),
            pause: StoredValue::new(0),
        };
        spawn_local(this.follow(told));
        on_cleanup(move || {
            // What is shown goes away, so nothing may go on unseen.
            if let Some((hearing, mouth)) = this.inner.try_update_value(|inner| {
                inner.lines.clear();
                (inner.hearing.take(), Rc::clone(&inner.ports.mouth))
            }) {
                drop(hearing);
                mouth.hush();
            }
            desk.standing.set(Default::default());
            desk.reading.set(None);
        });
        this
    }

    async fn follow(self, mut told: UnboundedReceiver<(u32, RecognitionEvent)>) {
        while let Some((run, sign)) = told.next().await {
            // What an older one still tells is not wanted.
            let Some(newest) = self.run.try_get_value() else { return };
            if run != newest {
                continue;
            }
            self.take(match sign {
                RecognitionEvent::Heard(heard) => VoiceEvent::Heard(heard),
                RecognitionEvent::Failed(fault) => VoiceEvent::Failed(fault),
                RecognitionEvent::Ended => VoiceEvent::Ended,
                RecognitionEvent::Hidden => VoiceEvent::Hidden,
                RecognitionEvent::Elsewhere => VoiceEvent::Elsewhere,
            });
        }
    }

    pub fn begin(self) {
        let mode =
            if self.hands_free.get_untracked() { ListeningMode::HandsFree } else { ListeningMode::Once };
        self.take(VoiceEvent::Begin(mode));
    }

    /// Takes in what happened, does what the machine says, and shows where it stands.
    pub fn take(self, sign: VoiceEvent) {
        let language = self.language.get_untracked();
        let acts = self.inner.try_update_value(|inner| {
            inner.machine.speak(&language);
            inner.machine.take(sign)
        });
        acts.unwrap_or_default().into_iter().for_each(|act| self.act(act));
        self.inner.try_with_value(|inner| {
            let machine = &inner.machine;
            let shown = (machine.standing(), machine.trouble(), machine.mode());
            if self.desk.standing.get_untracked() != shown.0 {
                self.desk.standing.set(shown.0);
            }
            if self.trouble.get_untracked() != shown.1 {
                self.trouble.set(shown.1);
            }
            if self.mode.get_untracked() != shown.2 {
                self.mode.set(shown.2);
            }
        });
    }

    fn act(self, act: VoiceEffect) {
        match act {
            VoiceEffect::Start => self.start(),
            VoiceEffect::Stop => {
                self.inner.with_value(|inner| {
                    if let Some(hearing) = &inner.hearing {
                        hearing.stop();
                    }
                });
                self.await_end();
            }
            VoiceEffect::Abort => {
                self.next_run();
                drop(self.inner.try_update_value(|inner| inner.hearing.take()));
            }
            VoiceEffect::Write { good, interim } => self.write(&good, &interim),
            VoiceEffect::Settle => self.inner.update_value(|inner| inner.dictation.settle()),
            VoiceEffect::Remember => self.inner.update_value(|inner| inner.before = None),
            VoiceEffect::PutBack => {
                let before = self.inner.try_update_value(|inner| {
                    let before = inner.before.take();
                    inner.dictation = Dictation::behind(before.as_deref().unwrap_or_default());
                    before
                });
                if let Some(before) = before.flatten() {
                    self.field.typed(&before);
                }
            }
            VoiceEffect::AwaitPause => self.await_pause(),
            VoiceEffect::Send => self.desk.send(),
            VoiceEffect::Hush => self.silence(),
        }
    }

    fn next_run(self) -> u32 {
        self.run.update_value(|run| *run = run.wrapping_add(1));
        self.run.get_value()
    }

    fn start(self) {
        let run = self.next_run();
        let signs = self.signs.get_value();
        let hear = {
            let signs = signs.clone();
            // Nobody follows any more where the bar has gone.
            Box::new(move |sign| drop(signs.unbounded_send((run, sign))))
        };
        let ears = self.inner.with_value(|inner| Rc::clone(&inner.ports.ears));
        // The one before goes first: a browser has only one.
        drop(self.inner.try_update_value(|inner| inner.hearing.take()));
        match ears.listen(&self.language.get_untracked(), hear) {
            Ok(hearing) => self.inner.update_value(|inner| inner.hearing = Some(hearing)),
            Err(fault) => {
                // After what is being done now.
                drop(signs.unbounded_send((run, RecognitionEvent::Failed(fault))));
                if matches!(fault, RecognitionError::Aborted | RecognitionError::NoSpeech) {
                    drop(signs.unbounded_send((run, RecognitionEvent::Ended)));
                }
            }
        }
    }

    fn write(self, good: &str, interim: &str) {
        let field = self.field.text.get_untracked();
        let text = self.inner.try_update_value(|inner| {
            if inner.before.is_none() && !(good.is_empty() && interim.is_empty()) {
                inner.before = Some(field.to_string());
            }
            inner.dictation.hear(&field, good, interim).to_owned()
        });
        if let Some(text) = text.filter(|text| **text != *field) {
            self.field.typed(&text);
        }
    }

    fn await_pause(self) {
        self.pause.update_value(|pause| *pause = pause.wrapping_add(1));
        let this_one = self.pause.get_value();
        let over = move || {
            if self.pause.try_get_value() == Some(this_one) {
                self.take(VoiceEvent::Paused);
            }
        };
        set_timeout(over, Duration::from_millis(VOICE_PAUSE_MS));
    }

    /// Some recognisers never say that they have ended, and hold the microphone.
    fn await_end(self) {
        let run = self.run.get_value();
        let over = move || {
            if self.run.try_get_value() == Some(run) {
                self.take(VoiceEvent::Overdue);
            }
        };
        set_timeout(over, Duration::from_millis(VOICE_END_MS));
    }

    /// Ends all: the microphone goes off, and nothing is read any more.
    pub fn end(self) {
        self.silence();
        self.take(VoiceEvent::Leave);
    }
}
