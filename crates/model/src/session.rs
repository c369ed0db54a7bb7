//! Sessions: a named branch of turns (a movable pointer to its newest turn) with its queue of messages; and drafts, the
//! text that the operator is typing, by the field that it belongs to.
//!
//! A session holds no turns or messages. Drafts are stored, but never as events.

pub mod delegation;
pub mod firing;
pub mod recipients;
pub mod trigger;
pub mod workers;

use std::borrow::Cow;

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
use crate::mind::blob::NewBlob;
use crate::mind::core_sync::{CoreChange, CoreState};
use crate::mind::{Mind, MindWrite};
use crate::run::graph::GraphTemplate;
use crate::session::delegation::{Delegation, OpenWorker, WorkerReport};
use crate::turn::compaction::CompactionState;
use nexus_markup::sparse;
use nexus_text::{content_hash::ContentHash, json, vec_map::VecMap};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    #[default]
    Open,
    Archived,
    Closed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionOrigin {
    #[default]
    User,
    System,
    /// Created for a delegated task.
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

/// The purpose of a session, stored as a pair of [`SessionOrigin`] and [`SessionKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionRole {
    /// A conversation with the operator, possibly a fork.
    Conversation,
    Worker,
    /// A lane of a race. It stays after the race.
    Candidate,
    /// Runs the Archivist's jobs of another session.
    Jobs,
}

/// A conversation: a name, and the turn that it is at (its head).
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    pub label: String,
    pub title: Option<String>,
    /// How its first message begins. Absent in rows of earlier versions.
    pub begins: Option<(MessageId, String)>,
    pub status: SessionStatus,
    pub origin: SessionOrigin,
    pub kind: SessionKind,
    pub parent: Option<SessionId>,
    pub parent_tool_run: Option<ToolRunId>,
    pub owner: Option<AgentKey>,
    /// When it was assigned to its owner. The newest one is the agent's main session.
    pub owned_at: Option<Millis>,
    pub operator: Option<OperatorId>,
    /// Written by other programs; no screen sets it and no search reads it.
    pub group: Option<GroupId>,
    pub head: Option<TurnId>,
    pub mind: ContentHash,
    pub summary: Option<String>,
    /// The last message that the summary covers.
    pub summarised_to: Option<MessageId>,
    /// For the search.
    pub keywords: Vec<String>,
    /// Written by other programs, like the group.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// Flags of agents; an agent without an entry has those of its definition.
    pub flags: VecMap<AgentKey, AgentFlags>,
    pub run: Option<RunId>,
    /// True if its run goes on only after the operator acts. Absent in rows of earlier versions until the run changes.
    pub waits_for_operator: bool,
    /// The mind up to which the operator has reviewed changes.
    pub reviewed: Option<ContentHash>,
    /// Where review begins: the mind before the first run; in a fork, the mind that it began with. Absent in rows of
    /// earlier versions until their next run.
    pub review_start: Option<ContentHash>,
    /// In the order in which they were pinned.
    pub pins: Vec<Pin>,
    /// Core changes made while no turn of the session was its head, oldest first.
    pub core_changes: Vec<CoreChange>,
    /// `core_changes` of earlier versions: the minds before and after.
    pub core_steps: Vec<(ContentHash, ContentHash)>,
    /// User messages that no turn has taken yet.
    pub unanswered: Vec<MessageId>,
    /// True if the operator stopped the session and no run has opened since. Until then only the operator starts a
    /// run.
    pub stopped: bool,
    /// True if it is listed first.
    pub pinned: bool,
    /// Sequence number of the newest message; 0 before the first.
    pub last_sequence: u64,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub archivist: CompactionState,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub core: CoreState,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub jobs: SessionJobs,
    /// Heads from which the operator moved away, newest last, at most one per turn. Limited in number; the event
    /// stream has all.
    pub former: Vec<FormerHead>,
    /// Parentless turns at which its thread began, oldest first.
    pub roots: Vec<TurnId>,
    /// The newest merges in its thread, oldest first.
    pub merges: Vec<MergeRecord>,
    /// The working mind that a fork copied from another session's head.
    #[serde(rename = "began")]
    pub fork_base: Option<ForkBase>,
    /// For a worker: the task and its sender.
    pub delegation: Option<Box<Delegation>>,
    /// Workers of this session that have not reported yet, in the order in which they were started.
    pub workers: Vec<OpenWorker>,
    /// When its content was purged. Only a tombstone is left.
    pub purged_at: Option<Millis>,
    pub created_at: Millis,
    #[serde(default)]
    pub updated_at: Millis,
    pub last_message_at: Option<Millis>,
    pub deleted_at: Option<Millis>,
}

impl Session {
    /// The name to show.
    pub fn name(&self) -> Cow<'_, str> {
        shown_name(&self.label, self.title.as_deref(), self.begins.as_ref().map(|(_, words)| words.as_str()))
    }

    /// A new session of the operator, with an empty mind.
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

    /// The row that remains after a purge: relations and times.
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

    /// Converts rows of earlier versions, in which Core and Archivist had separate jobs.
    #[must_use]
    pub fn upcast(mut self) -> Self {
        let (core, archivist) = (&mut self.core, &mut self.archivist);
        let sync = core.old_open.take().and_then(|row| job_row("SyncOpened", row));
        let maintenance = archivist.old_jobs.take().and_then(|row| job_row("ChoreOpened", row));
        let open = [sync, maintenance].into_iter().flatten().filter_map(|row| json::from_tree(&row).ok());
        self.jobs.open.extend(open);
        let failed = core.old_failed.take().into_iter().chain(archivist.old_failed.drain(..));
        self.jobs.failed.extend(failed.filter_map(|row| json::from_tree(&row).ok()));
        self
    }

    /// Records a Core change. Keeps the changes at the newest [`FORMER_HEADS`] heads; those at older heads are only in
    /// the turns after them.
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

    /// The minds before and after each Core change at this head, oldest first.
    pub fn core_changes_at(&self, head: Option<TurnId>) -> Vec<(ContentHash, ContentHash)> {
        let changes = self.core_changes.iter().filter(|change| change.head == head);
        changes.map(|change| (change.before, change.after)).collect()
    }

    /// Copies the Core changes at this head from the session that it continues.
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

    /// True if nothing has happened in it yet: an open conversation without messages and with an empty mind.
    pub fn is_untouched(&self) -> bool {
        self.role() == SessionRole::Conversation
            && self.status == SessionStatus::Open
            && self.deleted_at.is_none()
            && self.last_sequence == 0
            && self.mind == Mind::default().hash()
    }

    /// True if it is or was a race lane of session `asked`.
    pub fn is_candidate_of(&self, asked: SessionId) -> bool {
        self.role() == SessionRole::Candidate && self.parent == Some(asked)
    }

    /// A new session that continues this one, under its name. Muted agents stay muted; unread and failed flags are
    /// cleared.
    pub fn fork(&self, role: SessionRole, new: Self) -> Self {
        let flags = self.flags.iter().map(|(agent, flags)| {
            (agent.clone(), AgentFlags { unread: false, failed: false, last_activity: None, ..*flags })
        });
        Self {
            flags: flags.collect(),
            roots: self.roots.clone(),
            merges: self.merges.clone(),
            title: self.title.clone(),
            begins: self.begins.clone(),
            ..self.child(role, new)
        }
    }

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

#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerHead {
    /// `None` if the session had no turn yet.
    pub turn: Option<TurnId>,
    pub mind: ContentHash,
    pub unanswered: Vec<MessageId>,
    pub at: Millis,
}

/// The working mind that a fork copied from another session's head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkBase {
    pub turn: TurnId,
    pub mind: ContentHash,
}

/// A merge that a session remembers, so that later merges of the same branch start there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRecord {
    pub turn: TurnId,
    pub other: TurnId,
    pub mind: ContentHash,
}

/// The recipients of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// All unmuted agents, by priority.
    #[default]
    All,
    /// These agents, even if muted.
    Agents(Vec<AgentKey>),
}

/// What happens to a message that is sent while a run works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueMode {
    /// Queue it; it starts a run of its own.
    #[default]
    FollowUp,
    /// Queue it; it starts one run together with all other messages of this mode.
    Collect,
    /// Add it to the query of the run's next turn.
    Steer,
    /// Stop the run and start a new one.
    Interrupt,
}

words!(QueueMode { Steer: "steer", FollowUp: "follow_up", Collect: "collect", Interrupt: "interrupt" });

/// How a run repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeepGoing {
    pub rounds: u32,
    /// The condition for accepting the work.
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
    /// Items are taken in the order of their ids.
    pub id: QueueItemId,
    pub session: SessionId,
    pub text: String,
    /// For example images.
    pub attachments: Vec<MessagePart>,
    pub source: Source,
    pub target: Target,
    pub mode: QueueMode,
    pub keep_going: Option<KeepGoing>,
    /// Replaces the agents' model and parameters.
    pub config: Option<Box<ModelConfig>>,
    pub tools: Option<Box<Permissions>>,
    pub graph: Option<Box<GraphTemplate>>,
    pub report: Option<WorkerReport>,
    /// Where it came from, unless it was typed in this session.
    pub origin: Option<MessageOrigin>,
    pub state: QueueState,
    /// True if Stop holds it until the operator sends it.
    pub held: bool,
    /// True while the operator edits it. It is not sent meanwhile.
    pub editing: bool,
    pub at: Millis,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionFilter {
    #[default]
    Open,
    /// Archived or closed.
    Archived,
    /// Hidden, and purged later.
    Deleted,
}

/// The name to show: the label; if it was made automatically, the title, or else how the first message begins, except
/// in the main session. A fork adds its own suffix.
pub fn shown_name<'a>(label: &'a str, title: Option<&'a str>, begins: Option<&'a str>) -> Cow<'a, str> {
    let (origin, fork) = label.split_at(label.find(", fork").unwrap_or(label.len()));
    let number = origin.strip_prefix("session ").filter(|number| !number.is_empty());
    let is_given =
        origin != "main" && !number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    let is_text = |text: &&str| !is_given && !text.is_empty();
    let begins = begins.filter(|text| is_text(text) && origin != "main");
    match title.filter(is_text).or(begins) {
        None => label.into(),
        Some(title) if fork.is_empty() => title.into(),
        Some(title) => format!("{title}{fork}").into(),
    }
}

impl SessionFilter {
    pub const ALL: [Self; 3] = [Self::Open, Self::Archived, Self::Deleted];

    /// The filter that lists a session; `None` if the list does not show it.
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
    /// True if it is sent automatically when its turn comes.
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

/// The beginning of a text in one line, at most `most` characters, plus `…` if more follows.
pub fn beginning(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut left = most;
    for word in text.split_whitespace() {
        let room = left.saturating_sub(usize::from(!out.is_empty()));
        let count = word.chars().take(room.saturating_add(1)).count();
        if count > room {
            // Truncate the first word if it is too long; omit any other.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub session: SessionId,
    pub field: DraftField,
    /// `None` if the draft was removed.
    pub text: Option<String>,
    /// The mind that the operator saw when typing began.
    pub base: ContentHash,
    /// True if it conflicts with other changes, so that only the operator can commit it.
    #[serde(default, rename = "clashed")]
    pub in_conflict: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftField {
    /// The message to send. Never written to the mind.
    Composer,
    Objective,
    Scratchpad,
    File(String),
    /// The edit of a queued message. Never written to the mind.
    Queued(QueueItemId),
    /// The origin of each page that placed text in the composer, one line per draft.
    Pages,
    /// The agent that gets the message to send, by its key. Without it, all agents do.
    Recipient,
    /// The edit of a sent message. Never written to the mind.
    Edited(MessageId),
    /// The files attached to the message to send, one line each.
    Attachments,
    /// The overrides for the message to send.
    Overrides,
}

/// The text of [`DraftField::Attachments`]. Each file has a number.
pub fn attachments_text(files: &[(u32, NewBlob)]) -> String {
    let line = |(number, NewBlob { name, mime, base64 }): &(u32, NewBlob)| {
        format!("{number} {mime} {base64} {}\n", name.replace(['\r', '\n'], " "))
    };
    files.iter().map(line).collect()
}

/// The files in [`DraftField::Attachments`].
pub fn attachments_in(text: &str) -> Vec<(u32, NewBlob)> {
    let file = |line: &str| {
        let mut words = line.splitn(4, ' ').map(str::to_owned);
        let number = words.next()?.parse().ok()?;
        Some((number, NewBlob { mime: words.next()?, base64: words.next()?, name: words.next()? }))
    };
    text.lines().filter_map(file).collect()
}

/// The distinct pages in [`DraftField::Pages`], in the order of their first draft.
pub fn pages_in(pages: &str) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for page in pages.lines().filter(|page| !page.is_empty()) {
        if !named.iter().any(|known| known == page) {
            named.push(page.to_owned());
        }
    }
    named
}

impl DraftField {
    /// True for a field of the mind, whose drafts are committed automatically.
    pub fn is_of_mind(&self) -> bool {
        matches!(self, Self::Objective | Self::Scratchpad | Self::File(_))
    }

    /// The write that commits `text` to the mind; `None` for message texts.
    pub fn write(&self, text: String) -> Option<MindWrite> {
        match self {
            Self::Composer
            | Self::Queued(_)
            | Self::Pages
            | Self::Recipient
            | Self::Edited(_)
            | Self::Attachments
            | Self::Overrides => None,
            Self::Objective => Some(MindWrite::Objective(text)),
            Self::Scratchpad => Some(MindWrite::Scratchpad(text)),
            Self::File(name) => Some(MindWrite::File { name: name.clone(), text }),
        }
    }

    /// The name under which the draft is stored.
    pub fn key(&self) -> String {
        match self {
            Self::Composer => "composer".to_owned(),
            Self::Objective => "objective".to_owned(),
            Self::Scratchpad => "scratchpad".to_owned(),
            Self::File(name) => format!("file:{name}"),
            Self::Queued(item) => format!("queued:{item}"),
            Self::Pages => "pages".to_owned(),
            Self::Recipient => "recipient".to_owned(),
            Self::Edited(message) => format!("edited:{message}"),
            Self::Attachments => "attachments".to_owned(),
            Self::Overrides => "overrides".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
