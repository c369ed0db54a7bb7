//! Sessions: named, movable pointers to a head, and the messages in their queues.
//!
//! A session holds no turns or messages.

pub mod delegation;
pub mod draft;
pub mod firing;
pub mod race;
pub mod recipients;
pub mod trigger;
pub mod workers;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{AgentFlags, Permissions};
use crate::event::upcast::job_row;
use crate::id::{
    AgentKey, GroupId, MessageId, Millis, OperatorId, QueueItemId, RunId, SessionId, ToolRunId, TurnId,
};
use crate::job::SessionJobs;
use crate::limits::{FORMER_HEADS, PIN_CHARS};
use crate::llm::ModelConfig;
use crate::message::content::{MessagePart, text_of};
use crate::message::{Message, MessageOrigin, Role, Source};
use crate::mind::Mind;
use crate::mind::core_sync::{CoreChange, CoreState};
use crate::run::graph::GraphTemplate;
use crate::session::delegation::{Delegation, OpenWorker, WorkerReport};
use crate::turn::compaction::CompactionState;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::vec_map::VecMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    #[default]
    Open,
    /// Put away.
    Archived,
    Closed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionOrigin {
    #[default]
    User,
    System,
    /// A worker was given a task.
    Subagent,
    Fork,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    #[default]
    User,
    Tool,
}

/// What a session is for. Rows and events hold it as a pair of [`SessionOrigin`] and [`SessionKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionRole {
    /// A conversation with the operator, perhaps forked from another one.
    Conversation,
    Worker,
    /// An answer is made there that races against others. It stays when the race is over.
    Candidate,
    /// It holds the Archivist's jobs for another session.
    Jobs,
}

/// A named, movable pointer to a head.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    /// Its name among sessions.
    pub label: String,
    pub title: Option<String>,
    pub status: SessionStatus,
    pub origin: SessionOrigin,
    pub kind: SessionKind,
    pub parent: Option<SessionId>,
    pub parent_tool_run: Option<ToolRunId>,
    pub owner: Option<AgentKey>,
    /// When the operator gave it to its owner: the newest is the main session of that agent.
    pub owned_at: Option<Millis>,
    pub operator: Option<OperatorId>,
    /// Carried for other programs: no screen sets it, and no search reads it.
    pub group: Option<GroupId>,
    pub head: Option<TurnId>,
    pub mind: ContentHash,
    pub summary: Option<String>,
    /// The message that the summary reaches to.
    pub summarised_to: Option<MessageId>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Facts of other programs. Carried only, like the group.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// What it notes about agents; an agent without an entry has the flags of its definition.
    #[serde(default, skip_serializing_if = "VecMap::is_empty")]
    pub flags: VecMap<AgentKey, AgentFlags>,
    pub run: Option<RunId>,
    /// The mind as the operator has reviewed it; what differs from it is still to be looked at.
    pub reviewed: Option<ContentHash>,
    /// The messages that the operator pinned, in the order in which that was done.
    pub pins: Vec<Pin>,
    /// What the Core changed while no turn of the session was its head, oldest first.
    pub core_changes: Vec<CoreChange>,
    /// The last of these in earlier programs: the minds before and after.
    pub core_steps: Vec<(ContentHash, ContentHash)>,
    /// User messages that no turn has taken yet.
    pub unanswered: Vec<MessageId>,
    /// Whether the operator stopped it and nothing was begun since. Until then only the operator starts a run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Whether the operator wants it first among the sessions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The sequence of the newest message; 0 before the first.
    pub last_sequence: u64,
    #[serde(default, skip_serializing_if = "CompactionState::is_fresh")]
    pub archivist: CompactionState,
    #[serde(default, skip_serializing_if = "CoreState::is_fresh")]
    pub core: CoreState,
    #[serde(default, skip_serializing_if = "SessionJobs::is_fresh")]
    pub jobs: SessionJobs,
    /// Heads that the operator went away from, the newest last; no two of one turn, and not all that ever were: the
    /// stream has them.
    pub former: Vec<FormerHead>,
    /// Turns without a parent that its thread began with, oldest first.
    pub roots: Vec<TurnId>,
    /// The newest merges in its thread, oldest first.
    pub merges: Vec<MergeRecord>,
    /// The working mind that it took over, where it was forked from the head of another session.
    pub began: Option<Began>,
    /// How it came to be, where a worker works in it.
    pub delegation: Option<Box<Delegation>>,
    /// The workers that were sent out from here and have not reported yet, in that order.
    pub workers: Vec<OpenWorker>,
    /// When what it held was forgotten; what is left is a tombstone.
    pub purged_at: Option<Millis>,
    pub created_at: Millis,
    /// When anything of it last changed.
    #[serde(default)]
    pub updated_at: Millis,
    pub last_message_at: Option<Millis>,
    pub deleted_at: Option<Millis>,
}

impl Session {
    /// What it is called where it is shown.
    pub fn name(&self) -> &str {
        shown_name(&self.label, self.title.as_deref())
    }

    /// A session of the operator as it begins: nothing was said in it, and its mind is empty.
    pub fn opened(id: SessionId, label: String, at: Millis) -> Self {
        Self {
            id,
            label,
            operator: Some("operator".into()),
            mind: Mind::default().hash(),
            created_at: at,
            updated_at: at,
            ..Self::default()
        }
    }

    /// What is left when its contents are forgotten: where it belonged, and its times.
    #[must_use]
    pub fn tombstone(&self, purged_at: Millis) -> Self {
        Self {
            status: self.status,
            origin: self.origin,
            kind: self.kind,
            parent: self.parent,
            parent_tool_run: self.parent_tool_run,
            owner: self.owner.clone(),
            operator: self.operator.clone(),
            group: self.group.clone(),
            delegation: self.delegation.clone(),
            stopped: self.stopped,
            last_sequence: self.last_sequence,
            updated_at: self.updated_at,
            last_message_at: self.last_message_at,
            deleted_at: self.deleted_at,
            purged_at: Some(purged_at),
            ..Self::opened(self.id, String::new(), self.created_at)
        }
    }

    /// The session as it is written today: in earlier programs its Core and its Archivist had each their own jobs.
    #[must_use]
    pub fn upcast(mut self) -> Self {
        let (core, archivist) = (&mut self.core, &mut self.archivist);
        let sync = core.old_open.take().and_then(|row| job_row("SyncOpened", row));
        let chore = archivist.old_chore.take().and_then(|row| job_row("ChoreOpened", row));
        let open = [sync, chore].into_iter().flatten().filter_map(|row| json::from_tree(&row).ok());
        self.jobs.open.extend(open);
        let failed = core.old_failed.take().into_iter().chain(archivist.old_failed.drain(..));
        self.jobs.failed.extend(failed.filter_map(|row| json::from_tree(&row).ok()));
        self
    }

    /// Notes what the Core changed. Beyond [`FORMER_HEADS`] heads, which nothing goes back to, only the turns after them
    /// have it.
    pub fn note_core_change(&mut self, change: CoreChange) {
        self.core_changes.push(change);
        let mut heads: Vec<Option<TurnId>> = Vec::new();
        for change in self.core_changes.iter().rev() {
            if !heads.contains(&change.head) {
                heads.push(change.head);
            }
        }
        heads.truncate(FORMER_HEADS);
        self.core_changes.retain(|change| heads.contains(&change.head));
    }

    /// What the Core changed at this head, oldest first: the minds before and after.
    pub fn core_changes_at(&self, head: Option<TurnId>) -> Vec<(ContentHash, ContentHash)> {
        let changes = self.core_changes.iter().filter(|change| change.head == head);
        changes.map(|change| (change.before, change.after)).collect()
    }

    /// Takes over what the Core changed at this head in the session that it goes on from.
    pub fn take_core_changes(&mut self, from: &Self) {
        let changes = from.core_changes.iter().filter(|change| change.head == self.head);
        self.core_changes = changes.cloned().collect();
    }

    pub fn role(&self) -> SessionRole {
        match (self.kind, self.origin) {
            (SessionKind::User, _) => SessionRole::Conversation,
            (SessionKind::Tool, SessionOrigin::Fork) => SessionRole::Candidate,
            (SessionKind::Tool, SessionOrigin::System) => SessionRole::Jobs,
            (SessionKind::Tool, SessionOrigin::Subagent | SessionOrigin::User) => SessionRole::Worker,
        }
    }

    /// Whether it raced for a session, or still does.
    pub fn is_candidate_of(&self, asked: SessionId) -> bool {
        self.role() == SessionRole::Candidate && self.parent == Some(asked)
    }

    /// A new session that goes on from this one. Muted stays muted; what was failed or unread is not so there.
    pub fn fork(&self, role: SessionRole, new: Self) -> Self {
        let flags = self.flags.iter().map(|(agent, flags)| {
            (agent.clone(), AgentFlags { unread: false, failed: false, last_activity: None, ..*flags })
        });
        Self {
            flags: flags.collect(),
            roots: self.roots.clone(),
            merges: self.merges.clone(),
            ..self.child(role, new)
        }
    }

    /// Puts a new session below this one, in a role.
    pub fn child(&self, role: SessionRole, new: Self) -> Self {
        let (origin, kind) = match role {
            SessionRole::Conversation => (SessionOrigin::Fork, SessionKind::User),
            SessionRole::Worker => (SessionOrigin::Subagent, SessionKind::Tool),
            SessionRole::Candidate => (SessionOrigin::Fork, SessionKind::Tool),
            SessionRole::Jobs => (SessionOrigin::System, SessionKind::Tool),
        };
        Self { origin, kind, parent: Some(self.id), group: self.group.clone(), ..new }
    }
}

/// A head that the operator went away from, as it was left.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerHead {
    /// The turn; absent where the session had none yet.
    pub turn: Option<TurnId>,
    /// The working mind that was left.
    pub mind: ContentHash,
    /// The messages that no turn had taken.
    pub unanswered: Vec<MessageId>,
    pub at: Millis,
}

/// The working mind of another session at its head, which a fork took over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Began {
    pub turn: TurnId,
    pub mind: ContentHash,
}

/// What a session remembers of a merge, so that a branch that goes on is merged from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRecord {
    pub turn: TurnId,
    pub other: TurnId,
    /// The mind of the other branch.
    pub mind: ContentHash,
}

/// Whom a message is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// All unmuted agents, by priority.
    #[default]
    All,
    /// These agents, even if muted.
    Agents(Vec<AgentKey>),
}

/// What happens to a message that comes while a run works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueMode {
    /// It waits and then starts a run of its own.
    #[default]
    FollowUp,
    /// It waits and starts one run with all others that wait like this.
    Collect,
    /// It joins the query of the run's next turn.
    Steer,
    /// It stops the run and starts its own.
    Interrupt,
}

words!(QueueMode { Steer: "steer", FollowUp: "follow_up", Collect: "collect", Interrupt: "interrupt" });

/// How a run is to repeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeepGoing {
    pub rounds: u32,
    /// What must be true for the work to be accepted.
    pub definition_of_done: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueState {
    #[default]
    Waiting,
    Taken(MessageId),
    Withdrawn,
}

/// A message that waits for a run to end.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueItem {
    /// Its id; items are taken in the order of their ids.
    pub id: QueueItemId,
    pub session: SessionId,
    pub text: String,
    /// What goes along with it, such as pictures.
    pub attachments: Vec<MessagePart>,
    pub source: Source,
    pub target: Target,
    pub mode: QueueMode,
    pub keep_going: Option<KeepGoing>,
    /// The model and parameters of its turns, where they are not those of the agents.
    pub config: Option<Box<ModelConfig>>,
    pub tools: Option<Box<Permissions>>,
    pub graph: Option<Box<GraphTemplate>>,
    pub report: Option<WorkerReport>,
    /// From where it came, where it was not said in its session by hand.
    pub origin: Option<MessageOrigin>,
    pub state: QueueState,
    /// Whether Stop holds it: it is sent once the operator sends it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Whether the operator is editing it: it is sent once that ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub editing: bool,
    pub at: Millis,
}

/// Where a session stands in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionFilter {
    #[default]
    Open,
    /// Put away or closed.
    Archived,
    /// Hidden, and soon to be forgotten.
    Deleted,
}

/// What a session is called where it is shown: by its label, or by its title while it has no label of its own.
pub fn shown_name<'a>(label: &'a str, title: Option<&'a str>) -> &'a str {
    // A fork is called after what it was forked from.
    let origin = label.split(", fork").next().unwrap_or(label);
    let number = origin.strip_prefix("session ").filter(|number| !number.is_empty());
    let is_given =
        origin != "main" && !number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    title.filter(|title| !is_given && !title.is_empty()).unwrap_or(label)
}

impl SessionFilter {
    pub const ALL: [Self; 3] = [Self::Open, Self::Archived, Self::Deleted];

    /// The shelf of a session; `None` for what the list does not show.
    pub fn of(session: &Session) -> Option<Self> {
        if session.role() != SessionRole::Conversation || session.purged_at.is_some() {
            return None;
        }
        Some(match (session.deleted_at, session.status) {
            (Some(_), _) => Self::Deleted,
            (None, SessionStatus::Open) => Self::Open,
            (None, SessionStatus::Archived | SessionStatus::Closed) => Self::Archived,
        })
    }
}

impl QueueItem {
    /// Whether it is sent by itself when its turn comes.
    pub fn is_sendable(&self) -> bool {
        self.state == QueueState::Waiting && !self.held && !self.editing
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    pub message: MessageId,
    pub role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    pub at: Millis,
    pub begins: String,
}

impl Pin {
    pub fn of(message: &Message) -> Self {
        Self {
            message: message.id,
            role: message.role,
            agent: message.agent.clone(),
            at: message.created_at,
            begins: beginning(&text_of(&message.parts), PIN_CHARS),
        }
    }
}

/// How a text begins: its words in one line, at most `most` characters, with a mark where more follows.
pub fn beginning(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut left = most;
    for word in text.split_whitespace() {
        let room = left.saturating_sub(usize::from(!out.is_empty()));
        let count = word.chars().take(room.saturating_add(1)).count();
        if count > room {
            // A first word that is too long is cut; any other is left out.
            out.extend(word.chars().take(if out.is_empty() { room } else { 0 }));
            out.push('…');
            return out;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        left = room.saturating_sub(count);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_names_what_nobody_named() {
        for label in ["main", "session 12", "main, fork", "session 2, fork 3"] {
            assert_eq!(shown_name(label, Some("A quiz about birds")), "A quiz about birds", "{label}");
            assert_eq!(shown_name(label, None), label);
            assert_eq!(shown_name(label, Some("")), label);
        }
        for label in ["Birds", "session notes", "session ", "birds, fork", "Main"] {
            assert_eq!(shown_name(label, Some("A quiz about birds")), label);
        }
    }

    #[test]
    fn a_beginning_is_one_line() {
        assert_eq!(beginning("  one\n\ntwo   three ", 40), "one two three");
        assert_eq!(beginning("one two three", 7), "one two…");
        assert_eq!(beginning("one two three", 6), "one…");
        assert_eq!(beginning("immeasurable", 4), "imme…");
        assert_eq!(beginning("", 4), "");
    }

    proptest! {
        #[test]
        fn a_beginning_is_as_short_as_asked(text in "[a-cü \n]{0,80}", most in 1usize..30) {
            let begins = beginning(&text, most);
            prop_assert!(begins.chars().count() <= most + 1);
            prop_assert!(!begins.contains('\n'));
            let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert!(whole.starts_with(begins.trim_end_matches('…')));
            let kept = begins.trim_end_matches('…').chars().count();
            prop_assert_eq!(begins.ends_with('…'), whole.chars().count() > kept);
        }
    }
}
