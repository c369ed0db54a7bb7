//! Runs the state machine of `view::voice::listening`: feeds it events and performs its effects; and reads messages
//! aloud, one after another, and follows streaming answers.

use std::collections::VecDeque;

use futures_channel::mpsc::UnboundedSender;

use crate::ui::prelude::*;
use crate::ui::view_state::LivePart;
use nexus_engine::port::{RecognitionEvent, RecognitionSession, VoicePorts};
use nexus_model::limits::{VOICE_END_MS, VOICE_PAUSE_MS};
use nexus_model::settings::schema::{HANDS_FREE, VOICE_LANGUAGE, VOICE_SOUNDS};
use nexus_model::settings::{RecognitionError, SpeechError, VoiceProfile};
use nexus_view::strings::settings::voice as words;
use nexus_view::voice::dictation::Dictation;
use nexus_view::voice::listening::{ListeningMode, VoiceEffect, VoiceError, VoiceEvent, VoiceMachine};
use nexus_view::voice::speech::{SpeechChunk, SpeechStream, chunks};

#[derive(Clone, Debug, PartialEq, Eq)]
struct SpeechItem {
    message: MessageId,
    agent: AgentKey,
    text: String,
}

struct VoiceControllerState {
    ports: VoicePorts,
    machine: VoiceMachine,
    dictation: Dictation,
    /// The composer's text before dictation; `None` until something is transcribed.
    before: Option<String>,
    recognition: Option<Box<dyn RecognitionSession>>,
    lines: VecDeque<SpeechItem>,
    is_reading: bool,
    is_stuck: bool,
    /// Incremented by each stop of reading.
    reading_stops: u32,
}

#[derive(Clone, Copy)]
pub struct VoiceController {
    inner: StoredValue<VoiceControllerState>,
    voice: VoiceState,
    field: DraftBinding,
    hands_free: Selector<bool>,
    sounds: Selector<Option<Arc<Value>>>,
    pub language: Selector<String>,
    pub error: RwSignal<Option<VoiceError>>,
    pub mode: RwSignal<ListeningMode>,
    events: StoredValue<UnboundedSender<(u32, RecognitionEvent)>>,
    run: StoredValue<u32>,
    pause: StoredValue<u32>,
}

impl VoiceController {
    /// Creates the idle controller, which lives as long as the calling component.
    pub fn new(ports: VoicePorts, voice: VoiceState, field: DraftBinding) -> Self {
        let &Page { settings, .. } = expect_context();
        let own = ports.recognizer.languages().into_iter().next().unwrap_or_default();
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
            recognition: None,
            lines: VecDeque::new(),
            is_reading: false,
            is_stuck: false,
            reading_stops: 0,
        };
        let (events, received) = unbounded();
        let this = Self {
            inner: StoredValue::new(inner),
            voice,
            field,
            hands_free: settings.get(HANDS_FREE),
            sounds: settings.value(VOICE_SOUNDS),
            language,
            error: RwSignal::new(None),
            mode: RwSignal::new(ListeningMode::Off),
            events: StoredValue::new(events),
            run: StoredValue::new(0),
            pause: StoredValue::new(0),
        };
        spawn_local(this.follow(received));
        on_cleanup(move || {
            // Without the bar nothing may continue unseen.
            if let Some((recognition, synthesizer)) = this.inner.try_update_value(|inner| {
                inner.lines.clear();
                (inner.recognition.take(), Rc::clone(&inner.ports.synthesizer))
            }) {
                drop(recognition);
                synthesizer.stop();
            }
            voice.status.set(Default::default());
            voice.reading.set(None);
        });
        this
    }

    async fn follow(self, mut received: UnboundedReceiver<(u32, RecognitionEvent)>) {
        while let Some((run, event)) = received.next().await {
            // Events of an earlier recognition are ignored.
            let Some(newest) = self.run.try_get_value() else { return };
            if run != newest {
                continue;
            }
            self.handle(match event {
                RecognitionEvent::Transcript(heard) => VoiceEvent::Transcript(heard),
                RecognitionEvent::Failed(error) => VoiceEvent::Failed(error),
                RecognitionEvent::Ended => VoiceEvent::Ended,
                RecognitionEvent::Hidden => VoiceEvent::Hidden,
                RecognitionEvent::OtherTab => VoiceEvent::OtherTab,
            });
        }
    }

    pub fn begin(self) {
        let mode =
            if self.hands_free.get_untracked() { ListeningMode::HandsFree } else { ListeningMode::Once };
        self.handle(VoiceEvent::Begin(mode));
    }

    /// Feeds an event to the machine, performs its effects and publishes its status.
    pub fn handle(self, event: VoiceEvent) {
        let language = self.language.get_untracked();
        let effects = self.inner.try_update_value(|inner| {
            inner.machine.set_language(&language);
            inner.machine.handle(event)
        });
        effects.unwrap_or_default().into_iter().for_each(|effect| self.effect(effect));
        self.inner.try_with_value(|inner| {
            let machine = &inner.machine;
            let shown = (machine.status(), machine.error(), machine.mode());
            self.voice.status.set_if_changed(shown.0);
            self.error.set_if_changed(shown.1);
            self.mode.set_if_changed(shown.2);
        });
    }

    fn effect(self, effect: VoiceEffect) {
        match effect {
            VoiceEffect::Start => self.start(),
            VoiceEffect::Stop => {
                self.inner.with_value(|inner| {
                    inner.recognition.iter().for_each(|recognition| recognition.stop());
                });
                // Some recognisers never fire `end` and keep the microphone.
                self.handle_later(VoiceEvent::StopTimeout, self.run, VOICE_END_MS);
            }
            VoiceEffect::Abort => {
                self.next_run();
                drop(self.inner.try_update_value(|inner| inner.recognition.take()));
            }
            VoiceEffect::Write { good, interim } => self.write(&good, &interim),
            VoiceEffect::Settle => self.inner.update_value(|inner| inner.dictation.commit()),
            VoiceEffect::Remember => self.inner.update_value(|inner| inner.before = None),
            VoiceEffect::PutBack => {
                let before = self.inner.try_update_value(|inner| {
                    let before = inner.before.take();
                    inner.dictation = Dictation::append_to(before.as_deref().unwrap_or_default());
                    before
                });
                before.flatten().into_iter().for_each(|before| self.field.typed(&before));
            }
            VoiceEffect::AwaitPause => {
                self.pause.update_value(|pause| *pause = pause.wrapping_add(1));
                self.handle_later(VoiceEvent::Paused, self.pause, VOICE_PAUSE_MS);
            }
            VoiceEffect::Send => self.voice.send(),
            VoiceEffect::StopSpeech => self.silence(),
        }
    }

    fn next_run(self) -> u32 {
        self.run.update_value(|run| *run = run.wrapping_add(1));
        self.run.get_value()
    }

    fn start(self) {
        let run = self.next_run();
        let events = self.events.get_value();
        let heard = events.clone();
        // The receiver is gone once the bar is removed.
        let on_event = Box::new(move |event| drop(heard.unbounded_send((run, event))));
        let recognizer = self.inner.with_value(|inner| Rc::clone(&inner.ports.recognizer));
        // The previous recognition ends first: a browser has only one.
        drop(self.inner.try_update_value(|inner| inner.recognition.take()));
        match recognizer.listen(&self.language.get_untracked(), on_event) {
            Ok(recognition) => self.inner.update_value(|inner| inner.recognition = Some(recognition)),
            Err(error) => {
                // Queued after the current effects.
                drop(events.unbounded_send((run, RecognitionEvent::Failed(error))));
                if matches!(error, RecognitionError::Aborted | RecognitionError::NoSpeech) {
                    drop(events.unbounded_send((run, RecognitionEvent::Ended)));
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
            inner.dictation.apply_result(&field, good, interim).to_owned()
        });
        text.filter(|text| **text != *field).into_iter().for_each(|text| self.field.typed(&text));
    }

    /// Handles an event after this time in milliseconds, unless the number changed.
    fn handle_later(self, event: VoiceEvent, number: StoredValue<u32>, after: u64) {
        let now = number.get_value();
        let on_timeout = move || {
            if number.try_get_value() == Some(now) {
                self.handle(event);
            }
        };
        set_timeout(on_timeout, Duration::from_millis(after));
    }

    /// Stops everything: the microphone and reading.
    pub fn end(self) {
        self.silence();
        self.handle(VoiceEvent::Stop);
    }

    pub fn read(self, message: MessageId, agent: &AgentKey, text: &str) {
        self.silence();
        self.enqueue(message, agent, chunks(text));
    }

    /// Stops reading at once and clears the queue.
    pub fn silence(self) {
        let synthesizer = self.inner.try_update_value(|inner| {
            inner.lines.clear();
            inner.reading_stops = inner.reading_stops.wrapping_add(1);
            Rc::clone(&inner.ports.synthesizer)
        });
        synthesizer.into_iter().for_each(|synthesizer| synthesizer.stop());
    }

    /// Queues pieces of a message, and begins to read unless it reads already.
    fn enqueue(self, message: MessageId, agent: &AgentKey, pieces: Vec<SpeechChunk>) {
        if pieces.is_empty() {
            return;
        }
        let line = |piece| SpeechItem { message, agent: agent.clone(), text: words::spoken(piece) };
        let lines = pieces.iter().map(line);
        let begins = self.inner.try_update_value(|inner| {
            inner.lines.extend(lines);
            !std::mem::replace(&mut inner.is_reading, true)
        });
        if begins.unwrap_or_default() {
            // Spawned, because the end of a stopped utterance must be handled first.
            spawn_local(self.read_queue());
        }
    }

    async fn read_queue(self) {
        loop {
            let next = self.inner.try_update_value(|inner| {
                let next = inner.lines.pop_front();
                inner.is_reading = next.is_some();
                next.map(|line| (line, Rc::clone(&inner.ports.synthesizer)))
            });
            let Some(Some((line, synthesizer))) = next else { break };
            self.voice.reading.set(Some(line.message));
            self.handle(VoiceEvent::SpeechStarted(line.text.clone()));
            let sound = self.sounds.with_untracked(|sounds| VoiceProfile::of(sounds.as_deref(), &line.agent));
            let outcome = synthesizer.speak(line.text, self.language.get_untracked(), sound).await;
            let was_stuck = self.inner.try_update_value(|inner| {
                std::mem::replace(&mut inner.is_stuck, outcome == Err(SpeechError::Stuck))
            });
            let Some(was_stuck) = was_stuck else { return };
            match outcome {
                Ok(()) | Err(SpeechError::Stopped) => {}
                // A single stuck utterance may be due to that sentence.
                Err(SpeechError::Stuck) if !was_stuck => {}
                Err(error) => {
                    self.silence();
                    self.handle(VoiceEvent::SpeechFailed(error));
                }
            }
        }
        if self.inner.try_with_value(|_| ()).is_some() {
            self.voice.reading.set(None);
            self.handle(VoiceEvent::SpeechEnded);
        }
    }

    /// Reads answers aloud as they stream, while the setting is on.
    pub fn follow_answers(self) {
        let &Page { conversation, live_text: live, sessions, settings, .. } = expect_context();
        let is_on = settings.get(AUTO_READ);
        let following = StoredValue::new(FollowedAnswers::default());
        Effect::new(move |_| {
            let session = sessions.focus.get();
            if !is_on.get() || !conversation.loaded.get() {
                following.set_value(FollowedAnswers::default());
                return;
            }
            let message = |key: &TimelineKey| {
                let TimelineKey::Message(id) = key else { return None };
                Some((*id, conversation.rows.row(key)?))
            };
            let mut rows: Vec<_> = conversation.rows.order.get().iter().filter_map(message).collect();
            let is_new = following.with_value(|following| following.session != Some(session));
            if is_new {
                // Messages that existed before are not read; streaming ones are.
                let is_written = |row: &TimelineRow| {
                    row.message().is_some_and(|message| message.status == MessageStatus::Processing)
                };
                let complete = rows.iter().filter(|(_, row)| !row.with_untracked(is_written));
                let newest = complete.map(|(id, _)| *id).max();
                following.set_value(FollowedAnswers { session: Some(session), newest, ..Default::default() });
            }
            following.with_value(|following| {
                rows.retain(|(id, _)| Some(*id) > following.newest && !following.done.contains(id));
            });
            let hushes = self.inner.with_value(|inner| inner.reading_stops);
            for (id, row) in rows {
                let Some(message) = row.with(|row| row.message().cloned()) else { continue };
                let Some(agent) = message.agent.clone().filter(|_| message.role == Role::Assistant) else {
                    continue;
                };
                let whole = message.status != MessageStatus::Processing;
                let text = if whole {
                    text_of(&message.parts)
                } else {
                    live.parts(id).with(|parts| LivePart::text_of(parts))
                };
                let texts = following.try_update_value(|following| {
                    let new_stream = || (SpeechStream::default(), hushes);
                    let (stream, since) = following.open.get_or_insert_with(id, new_stream);
                    let texts = stream.feed(&text, whole);
                    // An answer that streamed when the operator stopped reading is not continued.
                    let is_wanted = *since == hushes;
                    if whole {
                        following.open.remove(&id);
                        following.done.insert(id);
                    }
                    if is_wanted { texts } else { Vec::new() }
                });
                self.enqueue(id, &agent, texts.unwrap_or_default());
            }
        });
    }
}

#[derive(Default)]
struct FollowedAnswers {
    session: Option<SessionId>,
    /// Messages up to this one existed before.
    newest: Option<MessageId>,
    /// Each with the value of `hushes` when it started.
    open: VecMap<MessageId, (SpeechStream, u32)>,
    done: VecSet<MessageId>,
}
