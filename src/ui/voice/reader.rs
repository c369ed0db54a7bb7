//! Never reads two things at once.
//!
//! Owns reading aloud: the lines that wait, one message after the other, and following answers as they are written.

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::id::{AgentKey, MessageId, SessionId};
use crate::domain::message::{MessageStatus, Role};
use crate::domain::part::text_of;
use crate::domain::sorted::{SortedMap, SortedSet};
use crate::domain::timeline::{Row, RowKey};
use crate::domain::voice::listening::Sign;
use crate::domain::voice::speech::{Aloud, pieces};
use crate::domain::voice::{AUTO_READ_SETTING, MouthFault, Sound};
use crate::ui::view_state::{Conversation, LiveText, Sessions, Settings};
use crate::ui::voice::talk::Talk;
use crate::ui::words::voice as words;

/// Something that waits to be spoken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui::voice) struct Line {
    message: MessageId,
    agent: AgentKey,
    text: String,
}

impl Talk {
    /// Reads a whole message, and nothing else.
    pub fn read(self, message: MessageId, agent: &AgentKey, text: &str) {
        self.silence();
        let line = |piece| Line { message, agent: agent.clone(), text: words::spoken(&piece) };
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

    fn wait(self, lines: Vec<Line>) {
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
            self.take(Sign::Reads(line.text.clone()));
            let sound = self.sounds.with_untracked(|sounds| Sound::of(sounds.as_deref(), &line.agent));
            let outcome = mouth.speak(line.text, self.language.get_untracked(), sound).await;
            let was_stuck = self.inner.try_update_value(|inner| {
                std::mem::replace(&mut inner.stuck, outcome == Err(MouthFault::Stuck))
            });
            let Some(was_stuck) = was_stuck else { return };
            match outcome {
                Ok(()) | Err(MouthFault::Stopped) => {}
                // Once it may have been that sentence.
                Err(MouthFault::Stuck) if !was_stuck => {}
                Err(fault) => {
                    self.silence();
                    self.take(Sign::MouthFailed(fault));
                }
            }
        }
        if self.inner.try_with_value(|_| ()).is_some() {
            self.desk.reading.set(None);
            self.take(Sign::Silent);
        }
    }

    /// Has answers read as they are written, while the setting says so.
    pub fn follow_answers(self) {
        let (conversation, live) = (expect_context::<Conversation>(), expect_context::<LiveText>());
        let sessions = expect_context::<Sessions>();
        let is_on = expect_context::<Settings>().is_on(AUTO_READ_SETTING);
        let following = StoredValue::new_local(Following::default());
        Effect::new(move |_| {
            let session = sessions.focus().get();
            if !is_on.get() || !conversation.loaded().get() {
                following.set_value(Following::default());
                return;
            }
            let messages = conversation.order().get().into_iter().filter_map(|key| match key {
                RowKey::Message(id) => Some(id),
                RowKey::Tool(_)
                | RowKey::Held(_)
                | RowKey::Ending(_)
                | RowKey::Round(..)
                | RowKey::Waiting(_)
                | RowKey::Siblings(_)
                | RowKey::Forked(_)
                | RowKey::Ahead
                | RowKey::Compaction(_)
                | RowKey::Unread => None,
            });
            let rows = messages.filter_map(|id| Some((id, conversation.row(&RowKey::Message(id))?)));
            let mut rows: Vec<_> = rows.collect();
            let is_new = following.with_value(|following| following.session != Some(session));
            if is_new {
                // What stood there before is not read; what is being written is.
                let stood = rows.iter().filter(|(_, row)| !row.with_untracked(is_being_written));
                let newest = stood.map(|(id, _)| *id).max();
                following.set_value(Following { session: Some(session), newest, ..Following::default() });
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
                    let begun = || (Aloud::default(), hushes);
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
                let line = |piece| Line { message: id, agent: agent.clone(), text: words::spoken(&piece) };
                let lines: Vec<_> = found.unwrap_or_default().into_iter().map(line).collect();
                if !lines.is_empty() {
                    self.wait(lines);
                }
            }
        });
    }
}

/// The answers that are followed.
#[derive(Default)]
struct Following {
    session: Option<SessionId>,
    /// What is not newer stood there before.
    newest: Option<MessageId>,
    /// Each with how often silence was wanted when it began.
    open: SortedMap<MessageId, (Aloud, u32)>,
    done: SortedSet<MessageId>,
}

fn is_being_written(row: &Row) -> bool {
    row.message().cloned().is_some_and(|message| message.status == MessageStatus::Processing)
}

/// The text of an answer that is being written.
fn text_so_far(live: LiveText, id: MessageId) -> String {
    live.parts(id).with(|parts| {
        let mut text = String::new();
        for part in parts.iter().filter(|part| !part.thinking) {
            part.text.with(|piece| text.push_str(piece));
        }
        text
    })
}
