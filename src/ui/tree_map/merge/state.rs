//! State of the merge dialog: the draft, the operator's choices, and the Core's proposals.
//!
//! Choices and proposals belong to conflicting lines, so they survive a new draft.

use futures_util::StreamExt as _;

use crate::ui::prelude::*;
use crate::ui::tree_map::state::TreeState;
use crate::ui::view_state::{CoreRow, CoreView};
use nexus_engine::queries::merge_draft::{AnsweredMerge, MergeAdvice, MergeDraft, advice, draft};
use nexus_model::command::{MaintenanceCommand, MergeRequest, Rejection};
use nexus_model::id::StreamId;
use nexus_model::job::{Job, JobSlot};
use nexus_model::mind::merge::proposal::NoProposalReason;
use nexus_model::mind::review::MindField;
use nexus_model::provider::failure::ProviderError;
use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::{Conflict, Resolution};
use nexus_text::vec_map::VecMap;

#[derive(Clone, PartialEq)]
pub(super) enum DraftResult {
    Reading,
    Rejected(String),
    Draft(Arc<MergeDraft>),
}

/// Lines that may resolve a conflict.
#[derive(Clone, PartialEq)]
pub(super) struct ResolutionLines {
    pub(super) text: String,
    /// As the Core proposed them, and why; `None` if the operator wrote them.
    pub(super) proposed: Option<(String, String)>,
}

/// Why a proposal failed; `None` if it was stopped.
pub(super) type ProposalFailure = Option<ProviderError>;

#[derive(Clone, Copy)]
pub(super) struct MergeState {
    tree: TreeState,
    dispatch: Dispatch,
    core: Selector<CoreRow>,
    read_only: Selector<bool>,
    pub(super) result: RwSignal<DraftResult>,
    /// Resolutions, by the conflicts' hashes.
    pub(super) resolutions: RwSignal<VecMap<ContentHash, Resolution>>,
    pub(super) lines: RwSignal<VecMap<ContentHash, ResolutionLines>>,
    pub(super) no_proposals: RwSignal<VecMap<ContentHash, NoProposalReason>>,
    pub(super) job: RwSignal<Option<Job>>,
    pub(super) proposal_result: RwSignal<Option<AnsweredMerge>>,
    pub(super) failed: RwSignal<Option<ProposalFailure>>,
    pub(super) problem: RwSignal<String>,
}

impl MergeState {
    /// The state of the dialog, which follows the Core's advice until the dialog closes.
    pub(super) fn open(tree: TreeState) -> Self {
        let this = Self {
            tree,
            dispatch: expect_context(),
            core: expect_context::<CoreView>().row,
            read_only: expect_context::<Sessions>().read_only,
            result: RwSignal::new(DraftResult::Reading),
            resolutions: RwSignal::new(VecMap::new()),
            lines: RwSignal::new(VecMap::new()),
            no_proposals: RwSignal::new(VecMap::new()),
            job: RwSignal::new(None),
            proposal_result: RwSignal::new(None),
            failed: RwSignal::new(None),
            problem: RwSignal::new(String::new()),
        };
        spawn_here(this.follow());
        this
    }

    async fn follow(self) {
        let Some((other, from)) = self.tree.merged.get_untracked() else { return };
        let (records, session) = (self.tree.records(), self.dispatch.session());
        let mut news = records.news().ready_chunks(1_024);
        let mut read = None;
        // The branch's summary should be current by the time of the merge. Not awaited: what it lacks is quoted
        // verbatim in the merge.
        if let Some(from) = from {
            self.dispatch.send_quietly(MaintenanceCommand::Summarise { session: from }.into(), |_| ());
        }
        loop {
            self.draft_again().await;
            // If the other session has moved on, its new head is merged.
            let drafted = self.result.try_with_untracked(|result| match result {
                DraftResult::Draft(draft) => Some(draft.request.other),
                DraftResult::Reading | DraftResult::Rejected(_) => None,
            });
            let other = drafted.flatten().unwrap_or(other);
            if let Ok((seq, advice)) = advice(&records, session, other, read).await {
                read = Some(seq);
                advice.into_iter().for_each(|one| self.apply_advice(one));
            }
            let concerns = |stream: &StreamId| {
                *stream == StreamId::Session(session)
                    || from.is_some_and(|it| *stream == StreamId::Session(it))
            };
            while !news.next().await.is_none_or(|streams| streams.iter().any(concerns)) {}
        }
    }

    /// Creates or renews the draft.
    pub(super) async fn draft_again(self) {
        let Some((other, from)) = self.tree.merged.get_untracked() else { return };
        let new_result = match draft(&self.tree.records(), self.dispatch.session(), other, from).await {
            Ok(Ok(draft)) => DraftResult::Draft(Arc::new(draft)),
            Ok(Err(rejection)) => DraftResult::Rejected(strings::rejection(&rejection).title),
            Err(_) => DraftResult::Rejected(common::UNREADABLE.to_owned()),
        };
        // An unchanged draft is not rerendered, which would lose the focus.
        if self.result.try_get_untracked().is_some_and(|result| result != new_result) {
            self.result.try_set(new_result);
        }
    }

    fn apply_advice(self, advice: MergeAdvice) {
        match advice {
            MergeAdvice::Requested(job) => {
                self.failed.set(None);
                self.job.set(Some(job));
            }
            MergeAdvice::Proposed(proposal_result) => {
                let proposed = &proposal_result.proposal;
                for one in &proposed.proposals {
                    // New lines count only once they are accepted too.
                    if self
                        .resolutions
                        .with_untracked(|all| matches!(all.get(&one.conflict), Some(Resolution::Lines(_))))
                    {
                        self.resolutions.update(|all| {
                            all.remove(&one.conflict);
                        });
                    }
                    let lines = ResolutionLines {
                        text: one.text.clone(),
                        proposed: Some((one.text.clone(), one.why.clone())),
                    };
                    self.lines.update(|all| {
                        all.insert(one.conflict, lines);
                    });
                    self.no_proposals.update(|all| {
                        all.remove(&one.conflict);
                    });
                }
                for one in &proposed.unresolved {
                    self.no_proposals.update(|all| {
                        all.insert(one.conflict, one.why);
                    });
                }
                self.proposal_result.set(Some(proposal_result));
            }
            MergeAdvice::Failed { job: id, failure } => {
                if self.job.with_untracked(|job| job.as_ref().is_some_and(|it| it.id == id)) {
                    self.failed.set(Some(failure));
                }
            }
        }
    }

    /// The draft, if there is one.
    pub(super) fn draft(self) -> Option<Arc<MergeDraft>> {
        match self.result.get() {
            DraftResult::Draft(draft) => Some(draft),
            DraftResult::Reading | DraftResult::Rejected(_) => None,
        }
    }

    /// The hashes of unresolved conflicts.
    pub(super) fn open_marks(self) -> Vec<ContentHash> {
        let Some(draft) = self.draft() else { return Vec::new() };
        let marks = draft.conflicts().map(|(mark, _)| mark);
        self.resolutions.with(|resolutions| marks.filter(|mark| resolutions.get(mark).is_none()).collect())
    }

    pub(super) fn request(self) -> Option<MergeRequest> {
        let draft = untrack(|| self.draft())?;
        let mut request = draft.request.clone();
        request.resolutions = self.resolutions.with_untracked(|resolutions| decisions(&draft, resolutions));
        Some(request)
    }

    pub(super) fn decide(self, mark: &ContentHash, side: Resolution) {
        self.resolutions.update(|resolutions| {
            resolutions.insert(*mark, side);
        });
    }

    pub(super) fn decide_all(self, side: &Resolution) {
        let Some(draft) = untrack(|| self.draft()) else { return };
        self.resolutions.set(draft.conflicts().map(|(mark, _)| (mark, side.clone())).collect());
    }

    pub(super) fn begin(self, mark: &ContentHash, conflict: &Conflict) {
        let end = if conflict.ours.is_empty() || conflict.ours.ends_with('\n') { "" } else { "\n" };
        let text = format!("{}{end}{}", conflict.ours, conflict.theirs);
        self.lines.update(|all| {
            all.insert(*mark, ResolutionLines { text, proposed: None });
        });
    }

    /// Edits the lines of a conflict; accepted lines change with them.
    pub(super) fn rewrite(self, mark: &ContentHash, text: String) {
        if self.resolutions.with_untracked(|all| matches!(all.get(mark), Some(Resolution::Lines(_)))) {
            self.decide(mark, Resolution::Lines(Arc::from(text.as_str())));
        }
        self.lines.update(|all| {
            if let Some(lines) = all.get_mut(mark) {
                lines.text = text;
            }
        });
    }

    pub(super) fn accept(self, mark: &ContentHash) {
        let text = self.lines.with_untracked(|all| all.get(mark).map(|lines| Arc::from(lines.text.as_str())));
        if let Some(text) = text {
            self.decide(mark, Resolution::Lines(text));
        }
    }

    /// The number of conflicts that the Core is working on, if it is.
    pub(super) fn open_conflicts(self) -> Option<usize> {
        let open = self.core.with(|row| row.jobs.of(JobSlot::Core).map(|job| job.id))?;
        let job = self.job.get().filter(|job| job.id == open)?;
        job.question().map(|question| question.conflicts.len())
    }

    pub(super) fn may_request(self) -> bool {
        !self.read_only.get() && self.core.with(|row| !row.works()) && self.draft().is_some()
    }

    pub(super) fn request_proposals(self, conflicts: Vec<ContentHash>) {
        let Some(mut request) = self.request() else { return };
        request.resolutions = Vec::new();
        self.problem.set(String::new());
        self.dispatch.send_quietly(Command::AskAboutConflicts { request, conflicts }, move |outcome| {
            if let Err(rejection) = outcome {
                self.reject(&rejection);
            }
        });
    }

    pub(super) fn stop(self) {
        self.dispatch.send(Command::StopSync { session: self.dispatch.session() });
    }

    /// Shows the rejection; if the session has moved on, renews the draft.
    pub(super) fn reject(self, rejection: &Rejection) {
        let notice = strings::rejection(rejection);
        if *rejection == Rejection::MovedOn {
            self.problem.try_set(notice.advice);
            spawn_local(self.draft_again());
        } else {
            self.problem.try_set(notice.title);
        }
    }
}

/// The resolutions by field, in the order of the conflicts.
fn decisions(
    draft: &MergeDraft,
    resolutions: &VecMap<ContentHash, Resolution>,
) -> Vec<(MindField, Vec<Resolution>)> {
    let contested = draft.merge.fields.iter().filter(|field| field.conflict_count() > 0);
    let sides =
        |marks: Vec<ContentHash>| marks.iter().filter_map(|mark| resolutions.get(mark).cloned()).collect();
    contested.map(|field| (field.field.clone(), sides(field.conflict_ids()))).collect()
}
