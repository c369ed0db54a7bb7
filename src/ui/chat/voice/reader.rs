//! Reads messages aloud, one after another, and follows streaming answers.

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ui::chat::voice::talk::{SpeechItem, VoiceController};
use crate::ui::kit::context::expect_context;
use crate::ui::kit::selector::Effect;
use crate::ui::kit::stored::StoredValue;
use crate::ui::view_state::{Conversation, LiveText, Sessions, Settings};
use nexus_model::id::{AgentKey, MessageId, SessionId};
use nexus_model::message::content::text_of;
use nexus_model::message::{MessageStatus, Role};
use nexus_model::settings::schema::AUTO_READ;
use nexus_model::settings::voice::{SpeechError, VoiceProfile};
use nexus_text::vec_map::{VecMap, VecSet};
pub use nexus_view::strings::settings::voice as words;
use nexus_view::timeline::{TimelineKey, TimelineRow};
use nexus_view::voice::listening::VoiceEvent;
use nexus_view::voice::speech::{SpeechStream, chunks};

impl VoiceController {
    /// Stops reading and reads a whole message.
    pub fn read(self, message: MessageId, agent: &AgentKey, text: &str) {
        self.silence();
        let line = |piece| SpeechItem { message, agent: agent.clone(), text: words::spoken(&piece) };
        self.enqueue(chunks(text).into_iter().map(line).collect());
    }

    /// Stops reading at once and clears the queue.
    pub fn silence(self) {
        let synthesizer = self.inner.try_update_value(|inner| {
            inner.lines.clear();
            inner.reading_stops = inner.reading_stops.wrapping_add(1);
            Rc::clone(&inner.ports.synthesizer)
        });
        if let Some(synthesizer) = synthesizer {
            synthesizer.stop();
        }
    }

    fn enqueue(self, lines: Vec<SpeechItem>) {
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
        let (conversation, live) = (expect_context::<Conversation>(), expect_context::<LiveText>());
        let sessions = expect_context::<Sessions>();
        let is_on = expect_context::<Settings>().get(AUTO_READ);
        let following = StoredValue::new(FollowedAnswers::default());
        Effect::new(move |_| {
            let session = sessions.focus.get();
            if !is_on.get() || !conversation.loaded.get() {
                following.set_value(FollowedAnswers::default());
                return;
            }
            let messages = conversation
                .rows
                .order
                .get()
                .into_iter()
                .filter_map(|key| if let TimelineKey::Message(id) = key { Some(id) } else { None });
            let rows =
                messages.filter_map(|id| Some((id, conversation.rows.row(&TimelineKey::Message(id))?)));
            let mut rows: Vec<_> = rows.collect();
            let is_new = following.with_value(|following| following.session != Some(session));
            if is_new {
                // Messages that existed before are not read; streaming ones are.
                let complete = rows.iter().filter(|(_, row)| !row.with_untracked(is_being_written));
                let newest = complete.map(|(id, _)| *id).max();
                following.set_value(FollowedAnswers {
                    session: Some(session),
                    newest,
                    ..FollowedAnswers::default()
                });
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
                let text = if whole { text_of(&message.parts) } else { text_so_far(live, id) };
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
                let line =
                    |piece| SpeechItem { message: id, agent: agent.clone(), text: words::spoken(&piece) };
                let lines: Vec<_> = texts.unwrap_or_default().into_iter().map(line).collect();
                if !lines.is_empty() {
                    self.enqueue(lines);
                }
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

fn is_being_written(row: &TimelineRow) -> bool {
    row.message().cloned().is_some_and(|message| message.status == MessageStatus::Processing)
}

fn text_so_far(live: LiveText, id: MessageId) -> String {
    live.parts(id).with(|parts| {
        let mut text = String::new();
        for part in parts.iter().filter(|part| !part.thinking) {
            part.text.with(|piece| text.push_str(piece));
        }
        text
    })
}
