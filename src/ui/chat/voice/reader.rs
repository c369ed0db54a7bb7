//! Reads messages aloud, one after the other, and follows streaming answers.

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
use nexus_view::voice::speech::{SpeechStream, pieces};

impl VoiceController {
    /// Reads a whole message, and nothing else.
    pub fn read(self, message: MessageId, agent: &AgentKey, text: &str) {
        self.silence();
        let line = |piece| SpeechItem { message, agent: agent.clone(), text: words::spoken(&piece) };
        self.wait(pieces(text).into_iter().map(line).collect());
    }

    /// Stops reading at once, with all that waits.
    pub fn silence(self) {
        let mouth = self.inner.try_update_value(|inner| {
            inner.lines.clear();
            inner.hushes = inner.hushes.wrapping_add(1);
            Rc::clone(&inner.ports.mouth)
        });
        if let Some(mouth) = mouth {
            mouth.hush();
        }
    }

    fn wait(self, lines: Vec<SpeechItem>) {
        let begins = self.inner.try_update_value(|inner| {
            inner.lines.extend(lines);
            !std::mem::replace(&mut inner.reads, true)
        });
        if begins.unwrap_or_default() {
            // Not at once: where another was just stopped, its end is still to be heard of.
            spawn_local(self.read_on());
        }
    }

    async fn read_on(self) {
        loop {
            let next = self.inner.try_update_value(|inner| {
                let next = inner.lines.pop_front();
                inner.reads = next.is_some();
                next.map(|line| (line, Rc::clone(&inner.ports.mouth)))
            });
            let Some(Some((line, mouth))) = next else { break };
            self.desk.reading.set(Some(line.message));
            self.take(VoiceEvent::Reads(line.text.clone()));
            let sound = self.sounds.with_untracked(|sounds| VoiceProfile::of(sounds.as_deref(), &line.agent));
            let outcome = mouth.speak(line.text, self.language.get_untracked(), sound).await;
            let was_stuck = self.inner.try_update_value(|inner| {
                std::mem::replace(&mut inner.stuck, outcome == Err(SpeechError::Stuck))
            });
            let Some(was_stuck) = was_stuck else { return };
            match outcome {
                Ok(()) | Err(SpeechError::Stopped) => {}
                // Once it may have been that sentence.
                Err(SpeechError::Stuck) if !was_stuck => {}
                Err(fault) => {
                    self.silence();
                    self.take(VoiceEvent::MouthFailed(fault));
                }
            }
        }
        if self.inner.try_with_value(|_| ()).is_some() {
            self.desk.reading.set(None);
            self.take(VoiceEvent::Silent);
        }
    }

    /// Has answers read as they are written, while the setting says so.
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
                // What stood there before is not read; what is being written is.
                let stood = rows.iter().filter(|(_, row)| !row.with_untracked(is_being_written));
                let newest = stood.map(|(id, _)| *id).max();
                following.set_value(FollowedAnswers {
                    session: Some(session),
                    newest,
                    ..FollowedAnswers::default()
                });
            }
            following.with_value(|following| {
                rows.retain(|(id, _)| Some(*id) > following.newest && !following.done.contains(id));
            });
            let hushes = self.inner.with_value(|inner| inner.hushes);
            for (id, row) in rows {
                let Some(message) = row.with(|row| row.message().cloned()) else { continue };
                let Some(agent) = message.agent.clone().filter(|_| message.role == Role::Assistant) else {
                    continue;
                };
                let whole = message.status != MessageStatus::Processing;
                let text = if whole { text_of(&message.parts) } else { text_so_far(live, id) };
                let found = following.try_update_value(|following| {
                    let begun = || (SpeechStream::default(), hushes);
                    let (aloud, since) = following.open.get_or_insert_with(id, begun);
                    let found = aloud.feed(&text, whole);
                    // What was being written when the operator wanted silence is not read on.
                    let is_wanted = *since == hushes;
                    if whole {
                        following.open.remove(&id);
                        following.done.insert(id);
                    }
                    if is_wanted { found } else { Vec::new() }
                });
                let line =
                    |piece| SpeechItem { message: id, agent: agent.clone(), text: words::spoken(&piece) };
                let lines: Vec<_> = found.unwrap_or_default().into_iter().map(line).collect();
                if !lines.is_empty() {
                    self.wait(lines);
                }
            }
        });
    }
}

#[derive(Default)]
struct FollowedAnswers {
    session: Option<SessionId>,
    /// What is not newer stood there before.
    newest: Option<MessageId>,
    /// Each with how often silence was wanted when it began.
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
