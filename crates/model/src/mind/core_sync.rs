//! State and scheduling of the Core's syncs: when one is due, its last result, and its model.
//!
//! [`answer`] parses the model's answers. Never calls a model and reads no clock.

pub mod answer;
pub mod wording;

use serde::{Deserialize, Serialize};

use crate::agent::defaults::REHEARSAL_MODEL;
use crate::id::{Millis, ProviderId, SyncId, TurnId};
use crate::llm::{ModelConfig, Thinking, Usage};
use crate::mind::{Mind, MindWrite, resolve};
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;
use crate::run::{RunStatus, RunUsage};
use crate::session::{Session, SessionKind, SessionStatus};
use crate::settings::schema::{CORE_AUTO, CORE_LINES, CORE_MODEL, CORE_PROPOSE, CORE_PROVIDER, CORE_WAIT};
use crate::turn::PendingRetry;
use crate::turn::tree::is_ancestor;
use crate::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::diff::changed_lines;
use nexus_text::vec_map::VecSet;

/// What the failure of a sync carries as its code where the answer came whole and held no patch.
pub const NO_PATCH: &str = "no_patch";

/// Who wanted a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncCause {
    Manual,
    /// Enough had changed.
    Auto,
    /// The operator, about the clashes of a merge. It looks at no plan and changes nothing.
    Merge,
}

/// How a sync ended that came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncEnd {
    /// The model could not be asked, or what it said was of no use.
    Failed,
    /// The operator stopped it.
    Cancelled,
    /// The page was closed.
    Interrupted,
}

/// The Core of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreState {
    /// The mind that the last sync saw, or the one that the session began with: what has changed since counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synced: Option<ContentHash>,
    /// A sync that the operator asked for and that waits for a run to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<SyncId>,
    /// The sync that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenSync>,
    /// The last sync, where it came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedSync>,
    /// The last sync that came to an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<SyncRecord>,
    /// The last one that changed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SyncRecord>,
    /// A change that waits for the operator to apply or dismiss it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<CoreProposal>,
    /// What all its calls in this session used. They belong to no run, so no run counts them.
    #[serde(default, skip_serializing_if = "RunUsage::is_nothing")]
    pub spent: RunUsage,
}

/// A sync that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenSync {
    pub id: SyncId,
    pub cause: SyncCause,
    /// The mind that it sees.
    pub base: ContentHash,
    pub provider: ProviderId,
    /// The model that is asked.
    pub model: String,
    /// When it began.
    pub at: Millis,
    /// The attempt that waits for its time, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<PendingRetry>,
}

/// A sync that came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedSync {
    pub id: SyncId,
    pub end: SyncEnd,
    /// The provider that was asked, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderId>,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Why, where a failure ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ProviderError>,
    /// When.
    pub at: Millis,
}

/// A sync that came to an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncRecord {
    /// Its id; absent for syncs of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<SyncId>,
    /// When it ended.
    pub at: Millis,
    /// Why it changed what it did, in the model's words.
    pub reasoning: String,
    /// The mind before and after, where it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minds: Option<(ContentHash, ContentHash)>,
    /// Fields whose change was dropped because the operator had written the same lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Whether sentences of the objective that it only reworded stayed as they were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept_words: bool,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(default)]
    pub usage: Usage,
    /// What it cost by the prices known at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Whether the operator took it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// The turn that the session pointed to; absent before the first one, and in records of earlier programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<TurnId>,
}

/// A change that the Core proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreProposal {
    pub sync: SyncId,
    /// When.
    pub at: Millis,
    /// The mind that the Core saw.
    pub base: ContentHash,
    pub writes: Vec<MindWrite>,
    /// Why, in the model's words.
    pub reasoning: String,
    /// The model that was asked.
    pub model: String,
}

impl CoreProposal {
    /// The mind `now` with what is proposed, of which the parts that no longer fit are left out. The Core saw `seen`.
    pub fn applied(&self, seen: &Mind, now: &Mind) -> Mind {
        let edits = |write: &MindWrite| resolve(now, seen, std::slice::from_ref(write)).ok();
        now.with(&self.writes.iter().filter_map(edits).flatten().collect::<Vec<_>>())
    }
}

/// What an answer of the Core is to a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalStep {
    /// The Core proposes these writes, in place of what it proposed before.
    Made(Vec<MindWrite>),
    Applied,
    Dismissed,
}

/// What the Core wants to change; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncPatch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratchpad: Option<String>,
    #[serde(default)]
    pub reasoning: String,
}

impl CoreState {
    pub fn is_fresh(&self) -> bool {
        *self == Self::default()
    }

    /// The mind that the last sync left: with what it changed, or as it saw it where it changed nothing.
    pub fn after_last(&self) -> Option<&ContentHash> {
        let changed = self.last.as_ref().and_then(|last| last.minds.as_ref());
        changed.map(|(_, after)| after).or(self.synced.as_ref())
    }

    pub fn minds(&self) -> impl Iterator<Item = &ContentHash> {
        let of_change = self.change.iter().filter_map(|change| change.minds.as_ref());
        let open = self.open.iter().map(|open| &open.base);
        let proposed = self.proposal.iter().map(|proposal| &proposal.base);
        self.synced
            .iter()
            .chain(open)
            .chain(proposed)
            .chain(of_change.flat_map(|(before, after)| [before, after]))
    }
}

impl SyncPatch {
    /// What it writes to the mind that it was made for. Blank fields, and ends of lines at a text's end, are no change:
    /// models leave them out without meaning anything by it.
    pub fn writes(&self, base: &Mind) -> Vec<MindWrite> {
        let objective = wanted(self.objective.as_deref(), &base.objective).map(MindWrite::Objective);
        let scratchpad = wanted(self.scratchpad.as_deref(), &base.scratchpad).map(MindWrite::Scratchpad);
        objective.into_iter().chain(scratchpad).collect()
    }
}

fn wanted(text: Option<&str>, base: &str) -> Option<String> {
    let text = text?.trim_end();
    if text.is_empty() || text == base.trim_end() {
        return None;
    }
    let end = base.get(base.trim_end().len()..).unwrap_or_default();
    Some(format!("{text}{end}"))
}

/// The Core of a session as it is at the session's head: what it said and changed after a turn that is not in the thread is
/// not so there.
pub fn core_at_head(world: &World, session: &Session) -> CoreState {
    let is_here = |record: &SyncRecord| {
        let is_above = |after| session.head.is_some_and(|head| is_ancestor(world, after, head) != Ok(false));
        record.after.is_none_or(is_above)
    };
    let mut state = session.core.clone();
    state.change = state.change.filter(is_here);
    state.last = state.last.filter(is_here);
    state
}

/// When the Core is asked by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncRules {
    pub auto: bool,
    /// After how much quiet, in milliseconds.
    pub wait_ms: u64,
    /// How many changed lines are not enough.
    pub lines: usize,
}

impl SyncRules {
    pub fn of(world: &World) -> Self {
        Self {
            auto: world.value(CORE_AUTO),
            wait_ms: world.value(CORE_WAIT) as u64,
            lines: world.value(CORE_LINES) as usize,
        }
    }
}

/// What the Core thinks with: its own provider and model where they are set, else the Architect's, or those of the
/// first agent where there is no Architect.
pub fn core_config(world: &World) -> ModelConfig {
    let roster = world.roster();
    let architect = roster.iter().find(|agent| agent.key.as_str() == "architect").or_else(|| roster.first());
    let like = architect.map(|agent| agent.config.clone());
    let fresh = |provider: ProviderId, model: String| ModelConfig {
        provider,
        model,
        thinking: Thinking::Auto,
        max_tokens: None,
        temperature: None,
        context_tokens: None,
    };
    match (world.chosen(CORE_PROVIDER), world.chosen(CORE_MODEL), like) {
        (Some(provider), Some(model), _) => fresh(ProviderId(provider), model),
        (Some(provider), None, Some(like)) if like.provider.as_str() != provider => {
            // A model is known by its provider only: one that nobody chose fails as such.
            let agents = world.agents_on(&ProviderId(provider.clone()));
            let model = agents.first().map(|agent| agent.config.model.clone()).unwrap_or_default();
            fresh(ProviderId(provider), model)
        }
        (_, model, Some(like)) => {
            let same = model.as_ref().is_none_or(|model| *model == like.model);
            ModelConfig {
                context_tokens: like.context_tokens.filter(|_| same),
                ..fresh(like.provider, model.unwrap_or(like.model))
            }
        }
        (provider, model, None) => fresh(
            ProviderId(provider.unwrap_or_else(|| "rehearsal".to_owned())),
            model.unwrap_or_else(|| REHEARSAL_MODEL.to_owned()),
        ),
    }
}

/// Whether the Core only proposes its changes.
pub fn proposes(world: &World) -> bool {
    world.value(CORE_PROPOSE)
}

/// Whether a run works in a session; one that waits for the operator does not.
pub fn is_busy(world: &World, session: &Session) -> bool {
    let status = world.open_run(session).map(|run| run.status);
    matches!(status, Some(RunStatus::Queued | RunStatus::Running))
}

/// Whether the Core is to be asked by itself once it is quiet.
pub fn is_due(world: &World, session: &Session) -> bool {
    let rules = SyncRules::of(world);
    let core = &session.core;
    rules.auto
        && session.status == SessionStatus::Open
        && session.kind == SessionKind::User
        && core.open.is_none()
        && core.wanted.is_none()
        && !is_busy(world, session)
        && has_changed(world, session, rules.lines)
}

/// Whether more than `lines` lines of the files changed since the last sync.
pub fn has_changed(world: &World, session: &Session, lines: usize) -> bool {
    if session.core.synced.as_ref() == Some(&session.mind) {
        return false;
    }
    let Some(now) = world.working_mind(session) else { return false };
    match &session.core.synced {
        None => differs_by_more(&Mind::default(), now, lines),
        // What was seen and is not loaded is not known: then nothing is due.
        Some(synced) => world.mind(synced).is_some_and(|before| differs_by_more(before, now, lines)),
    }
}

/// Whether the files of two minds differ by more than `lines` inserted and deleted lines. A file that has another name
/// and the same text is the same file.
pub fn differs_by_more(before: &Mind, after: &Mind, lines: usize) -> bool {
    let mut left = lines;
    for (old, new) in pairs(before, after) {
        match changed_lines(old, new, left) {
            Some(changed) => left -= changed,
            None => return true,
        }
    }
    false
}

/// The names of the files that differ between two minds, by their new names where they have one.
pub fn changed_files(before: &Mind, after: &Mind) -> Vec<String> {
    let names: VecSet<_> = before.files.keys().chain(after.files.keys()).collect();
    let hash = |mind: &Mind, name: &String| mind.files.get(name).map(|file| file.hash.clone());
    names.into_iter().filter(|name| hash(before, name) != hash(after, name)).cloned().collect()
}

/// The texts of each file that differs, before and after.
fn pairs<'m>(before: &'m Mind, after: &'m Mind) -> Vec<(&'m str, &'m str)> {
    let mut pairs = Vec::new();
    let mut gone = Vec::new();
    for (name, file) in &before.files {
        match after.files.get(name) {
            Some(new) if new.hash == file.hash => {}
            Some(new) => pairs.push((&*file.text, &*new.text)),
            None => gone.push(file),
        }
    }
    for (_, file) in after.files.iter().filter(|(name, _)| before.files.get(*name).is_none()) {
        match gone.iter().position(|old| old.hash == file.hash) {
            Some(place) => drop(gone.swap_remove(place)),
            None => pairs.push(("", &*file.text)),
        }
    }
    pairs.extend(gone.into_iter().map(|file| (&*file.text, "")));
    pairs
}

#[cfg(test)]
#[path = "core_sync_tests.rs"]
mod tests;
