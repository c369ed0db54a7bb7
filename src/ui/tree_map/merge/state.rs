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
    Refused(String),
    Draft(Arc<MergeDraft>),
}

/// Lines that may stand in the place of a clash.
#[derive(Clone, PartialEq)]
pub(super) struct ResolutionLines {
    pub(super) text: String,
    /// As the Core proposed them, and why; `None` where the operator began them.
    pub(super) proposed: Option<(String, String)>,
}

/// Why a question came to nothing; `None` within where it was stopped.
pub(super) type ProposalFailure = Option<ProviderError>;

#[derive(Clone, Copy)]
pub(super) struct MergeState {
    tree: TreeState,
    dispatch: Dispatch,
    core: Selector<CoreRow>,
    read_only: Selector<bool>,
    pub(super) found: RwSignal<DraftResult>,
    /// What is decided, by the marks of what clashes.
    pub(super) decided: RwSignal<VecMap<ContentHash, Resolution>>,
    pub(super) lines: RwSignal<VecMap<ContentHash, ResolutionLines>>,
    pub(super) without: RwSignal<VecMap<ContentHash, NoProposalReason>>,
    pub(super) asked: RwSignal<Option<Job>>,
    pub(super) answered: RwSignal<Option<AnsweredMerge>>,
    pub(super) failed: RwSignal<Option<ProposalFailure>>,
    pub(super) problem: RwSignal<String>,
}

impl MergeState {
    /// The desk, which hears of what the Core says as long as the dialog is there.
    pub(super) fn open(tree: TreeState) -> Self {
        let this = Self {
            tree,
            dispatch: expect_context(),
            core: expect_context::<CoreView>().row,
            read_only: expect_context::<Sessions>().read_only,
            found: RwSignal::new(DraftResult::Reading),
            decided: RwSignal::new(VecMap::new()),
            lines: RwSignal::new(VecMap::new()),
            without: RwSignal::new(VecMap::new()),
            asked: RwSignal::new(None),
            answered: RwSignal::new(None),
            failed: RwSignal::new(None),
            problem: RwSignal::new(String::new()),
        };
        spawn_here(this.hear());
        this
    }

    async fn hear(self) {
        let Some((other, from)) = self.tree.merged.get_untracked() else { return };
        let (records, session) = (self.tree.records(), self.dispatch.session());
        let mut news = records.news().ready_chunks(1_024);
        let mut read = None;
        // What is told of the branch is to reach to its end by the time the clashes are decided. Nobody waits for it: what
        // the summary lacks when the branch is merged is told as it was said.
        if let Some(from) = from {
            self.dispatch.offer(MaintenanceCommand::Summarise { session: from }.into(), |_| ());
        }
        loop {
            self.make().await;
            // Where the other session has gone on since, it is its new head that is merged.
            let drafted = self.found.try_with_untracked(|found| match found {
                DraftResult::Draft(draft) => Some(draft.merging.other),
                DraftResult::Reading | DraftResult::Refused(_) => None,
            });
            let other = drafted.flatten().unwrap_or(other);
            if let Ok((seq, said)) = advice(&records, session, other, read).await {
                read = Some(seq);
                said.into_iter().for_each(|each| self.take_in(each));
            }
            let concerns = |stream: &StreamId| {
                *stream == StreamId::Session(session)
                    || from.is_some_and(|it| *stream == StreamId::Session(it))
            };
            while !news.next().await.is_none_or(|streams| streams.iter().any(concerns)) {}
        }
    }

    /// Makes the draft, or makes it again.
    pub(super) async fn make(self) {
        let Some((other, from)) = self.tree.merged.get_untracked() else { return };
        let made = match draft(&self.tree.records(), self.dispatch.session(), other, from).await {
            Ok(Ok(draft)) => DraftResult::Draft(Arc::new(draft)),
            Ok(Err(rejection)) => DraftResult::Refused(strings::rejection(&rejection).title),
            Err(_) => DraftResult::Refused(common::UNREADABLE.to_owned()),
        };
        // A draft that says the same is not drawn again: that would take the focus from it.
        if self.found.try_get_untracked().is_some_and(|found| found != made) {
            self.found.try_set(made);
        }
    }

    fn take_in(self, said: MergeAdvice) {
        match said {
            MergeAdvice::Asked(job) => {
                self.failed.set(None);
                self.asked.set(Some(job));
            }
            MergeAdvice::Proposed(answered) => {
                let proposed = &answered.proposal;
                for each in &proposed.proposals {
                    // Other lines than those that were taken count only when they are taken, too.
                    if self
                        .decided
                        .with_untracked(|all| matches!(all.get(&each.clash), Some(Resolution::Lines(_))))
                    {
                        self.decided.update(|all| {
                            all.remove(&each.clash);
                        });
                    }
                    let lines = ResolutionLines {
                        text: each.text.clone(),
                        proposed: Some((each.text.clone(), each.why.clone())),
                    };
                    self.lines.update(|all| {
                        all.insert(each.clash, lines);
                    });
                    self.without.update(|all| {
                        all.remove(&each.clash);
                    });
                }
                for each in &proposed.without {
                    self.without.update(|all| {
                        all.insert(each.clash, each.why);
                    });
                }
                self.answered.set(Some(answered));
            }
            MergeAdvice::Failed { job, failure } => {
                if self.asked.with_untracked(|asked| asked.as_ref().is_some_and(|it| it.id == job)) {
                    self.failed.set(Some(failure));
                }
            }
        }
    }

    /// The draft, where there is one.
    pub(super) fn draft(self) -> Option<Arc<MergeDraft>> {
        match self.found.get() {
            DraftResult::Draft(draft) => Some(draft),
            DraftResult::Reading | DraftResult::Refused(_) => None,
        }
    }

    /// The marks of what clashes and is not decided.
    pub(super) fn open_marks(self) -> Vec<ContentHash> {
        let Some(draft) = self.draft() else { return Vec::new() };
        let marks = draft.contested().map(|(mark, _)| mark);
        self.decided.with(|decided| marks.filter(|mark| decided.get(mark).is_none()).collect())
    }

    pub(super) fn merging(self) -> Option<MergeRequest> {
        let draft = untrack(|| self.draft())?;
        let mut merging = draft.merging.clone();
        merging.decided = self.decided.with_untracked(|decided| decisions(&draft, decided));
        Some(merging)
    }

    pub(super) fn decide(self, mark: &ContentHash, side: Resolution) {
        self.decided.update(|decided| {
            decided.insert(*mark, side);
        });
    }

    pub(super) fn decide_all(self, side: &Resolution) {
        let Some(draft) = untrack(|| self.draft()) else { return };
        self.decided.set(draft.contested().map(|(mark, _)| (mark, side.clone())).collect());
    }

    pub(super) fn begin(self, mark: &ContentHash, clash: &Conflict) {
        let end = if clash.ours.is_empty() || clash.ours.ends_with('\n') { "" } else { "\n" };
        let text = format!("{}{end}{}", clash.ours, clash.theirs);
        self.lines.update(|all| {
            all.insert(*mark, ResolutionLines { text, proposed: None });
        });
    }

    /// The operator changes lines; what was taken already is what stands there.
    pub(super) fn rewrite(self, mark: &ContentHash, text: String) {
        if self.decided.with_untracked(|all| matches!(all.get(mark), Some(Resolution::Lines(_)))) {
            self.decide(mark, Resolution::Lines(Arc::from(text.as_str())));
        }
        self.lines.update(|all| {
            if let Some(lines) = all.get_mut(mark) {
                lines.text = text;
            }
        });
    }

    pub(super) fn take(self, mark: &ContentHash) {
        let text = self.lines.with_untracked(|all| all.get(mark).map(|lines| Arc::from(lines.text.as_str())));
        if let Some(text) = text {
            self.decide(mark, Resolution::Lines(text));
        }
    }

    /// How many clashes the Core is asked about now, if it is.
    pub(super) fn asking(self) -> Option<usize> {
        let open = self.core.with(|row| row.jobs.of(JobSlot::Core).map(|job| job.id))?;
        let asked = self.asked.get().filter(|job| job.id == open)?;
        asked.question().map(|question| question.clashes.len())
    }

    pub(super) fn may_ask(self) -> bool {
        !self.read_only.get() && self.core.with(|row| !row.works()) && self.draft().is_some()
    }

    pub(super) fn ask(self, clashes: Vec<ContentHash>) {
        let Some(mut merging) = self.merging() else { return };
        merging.decided = Vec::new();
        self.problem.set(String::new());
        self.dispatch.offer(Command::AskAboutClashes { merging, clashes }, move |outcome| {
            if let Err(rejection) = outcome {
                self.refused(&rejection);
            }
        });
    }

    pub(super) fn stop(self) {
        self.dispatch.send(Command::StopSync { session: self.dispatch.session() });
    }

    /// Tells why not; where the session has moved on, the draft is made again.
    pub(super) fn refused(self, rejection: &Rejection) {
        let told = strings::rejection(rejection);
        if *rejection == Rejection::MovedOn {
            self.problem.try_set(told.advice);
            spawn_local(self.make());
        } else {
            self.problem.try_set(told.title);
        }
    }
}

/// What is decided, field by field, in the order of the clashes.
fn decisions(
    draft: &MergeDraft,
    decided: &VecMap<ContentHash, Resolution>,
) -> Vec<(MindField, Vec<Resolution>)> {
    let contested = draft.joining.fields.iter().filter(|field| field.clashes() > 0);
    let sides =
        |marks: Vec<ContentHash>| marks.iter().filter_map(|mark| decided.get(mark).cloned()).collect();
    contested.map(|field| (field.field.clone(), sides(field.marks()))).collect()
}
