//! The merge dialog: shows the draft, resolves its conflicts and sends the merge.
//!
//! A conflict has both sides, the choice, and lines proposed by the Core or written by the operator. Choices and
//! proposals belong to conflicting lines, so they survive a new draft.

use crate::ui::board::comparison::sides;
use crate::ui::prelude::*;
use crate::ui::tree_map::state::TreeState;
use crate::ui::view_state::ResolutionLines;
use nexus_engine::queries::{AnsweredMerge, MergeAdvice, MergeDraft, advice, draft};
use nexus_model::command::{MergeRequest, Rejection};
use nexus_model::job::Job;
use nexus_model::limits::{COMPARE_CONTEXT, CONFLICTS_PER_REQUEST};
use nexus_model::mind::merge::proposal::NoProposalReason;
use nexus_model::mind::merge::{FieldMerge, MergedField};
use nexus_model::provider::ProviderError;
use nexus_text::merge3::{Conflict, Resolution};
use nexus_view::strings::board::compare::field as field_name;
use nexus_view::strings::board::merge as core;
use nexus_view::strings::tree_layout as own;

#[component]
pub fn MergeDialog(tree: TreeState) -> impl IntoMarkup {
    let merge = MergeState::open(tree);
    let sides = merge.sides();
    let heading = own::merge_heading(sides.other(), &sides.ours);
    let close = move || tree.cancel_merge();
    let conflicts = move || merge.draft().map_or(0, |draft| draft.merge.conflict_count());
    let open = select(move || merge.open_marks());
    let open_count = move || open.with(Vec::len);
    let can_merge = move || merge.draft().is_some() && open_count() == 0;
    let do_merge = move |_| {
        let Some(request) = merge.request() else { return };
        let done: Vec<_> = untrack(|| merge.draft())
            .iter()
            .flat_map(|draft| draft.conflicts())
            .map(|(mark, _)| mark)
            .collect();
        spawn_local(async move {
            match merge.page.dispatch.send_and_wait(Command::MergeBranch(request)).await {
                Ok(()) => {
                    merge.lines.update(|all| all.retain(|mark, _| !done.contains(mark)));
                    tree.close_merge();
                    tree.follows_head.set_value(true);
                }
                Err(rejection) => merge.reject(&rejection),
            }
        });
    };
    let shown = move || match merge.result.get() {
        DraftResult::Reading => view! { <p class="hint">{own::READING}</p> },
        DraftResult::Rejected(title) => {
            view! { <p class="field-problem" data-testid="merge-error">{title}</p> }
        }
        DraftResult::Draft(draft) => fields(&draft, merge),
    };
    let summary = move || {
        merge.draft().map(|draft| {
            own::drafted(draft.turns, draft.merge.fields.len(), draft.merge.conflict_count(), open_count())
        })
    };
    let ask_all = move |_| {
        merge.request_proposals(
            open.with_untracked(|open| open.iter().take(CONFLICTS_PER_REQUEST).copied().collect()),
        )
    };
    modal("tree-compare", "merge", close).label(heading.clone()).with_children(view! {
        <header class="tree-compare-head">
            <h2>{heading}</h2>
            <p class="hint" role="status" data-testid="merge-summary">{summary}</p>
        </header>
        <p class="field-problem" role="alert">{move || merge.problem.get()}</p>
        {shown}
        <footer class="tree-merge-foot">
            <CoreStatusLine merge />
            <Show when=move || { conflicts() > 1 }>
                {button(own::all_from(&sides.ours)).test("merge-all-ours")
                    .on_click(move |_| merge.decide_all(&Resolution::Ours))}
                {button(own::all_from_other(sides.other())).test("merge-all-theirs")
                    .on_click(move |_| merge.decide_all(&Resolution::Theirs))}
            </Show>
            <Show when=move || { open_count() > 1 }>
                {button(move || core::ask_all(open_count().min(CONFLICTS_PER_REQUEST))).test("merge-ask-all")
                    .title(core::ASK_ABOUT).disabled(move || !merge.may_request()).on_click(ask_all)}
            </Show>
            {button(common::CANCEL).test("merge-cancel").on_click(move |_| close())}
            {button(own::MERGE).first().test("merge-go").disabled(move || !can_merge()).on_click(do_merge)}
        </footer>
    })
}

/// The Core's progress, result and usage.
#[component]
fn CoreStatusLine(merge: MergeState) -> impl IntoMarkup {
    let asking = select(move || merge.open_conflicts());
    let status = move || match (asking.get(), merge.failed.get()) {
        (Some(conflicts), _) => core::core_reading(conflicts),
        (None, Some(None)) => core::STOPPED.to_owned(),
        (None, Some(Some(_))) => String::new(),
        (None, None) => merge.proposal_result.get().map(|it| core::proposal_result(&it)).unwrap_or_default(),
    };
    let failed = move || {
        let failure = merge.failed.get()?.filter(|_| asking.get().is_none())?;
        let job = merge.job.get()?;
        let providers = merge.page.providers;
        let notice = core::failed(&failure, || providers.failure_notice(&job.provider, &failure, &job.model));
        Some(view! {
            <div class="core-failed" role="alert" data-testid="merge-core-failed">
                <b>{notice.title}</b>
                <p>{notice.advice}</p>
                <p class="core-own">{reveal(&language::translate_template(&failure.message))}</p>
            </div>
        })
    };
    view! {
        <div class="tree-core">
            {failed}
            <p class="hint" role="status" data-testid="merge-core">{status}</p>
            <Show when=move || asking.get().is_some()>
                {quiet_button(common::STOP).test("merge-core-stop").on_click(move |_| merge.stop())}
            </Show>
        </div>
    }
}

fn fields(draft: &MergeDraft, merge: MergeState) -> Markup {
    let sides = merge.sides();
    let none = draft.merge.fields.is_empty().then(|| own::no_changes(sides.other()));
    view! { <p class="hint">{none}</p> {draft.merge.fields.iter().map(|field| one(field, &sides, merge))} }
}

fn one(merged: &MergedField, names: &SideNames, merge: MergeState) -> Markup {
    let name = reveal(&field_name(&merged.field));
    let note = match &merged.merge {
        FieldMerge::Taken(Some(_)) => own::changed_file(names.other()),
        FieldMerge::Taken(None) => own::removed_file(names.other()),
        FieldMerge::Chunks(_) => own::agreed(merged.conflict_count()),
        FieldMerge::Whole { .. } => String::new(),
    };
    let conflicts = merged.contested();
    let all = conflicts.len();
    let numbered = conflicts.into_iter().zip(merged.conflict_ids()).zip(1..);
    let conflicts = numbered.map(|((conflict, mark), number)| {
        conflict_view(merged, (conflict, mark), (number, all), names, merge)
    });
    view! {
        <section class="tree-merge-field" data-testid="merge-field">
            <h3>{name} <span class="hint">{note}</span></h3>
            {conflicts}
        </section>
    }
}

fn conflict_view(
    merged: &MergedField,
    (conflict, mark): (Conflict, ContentHash),
    (number, all): (usize, usize),
    names: &SideNames,
    merge: MergeState,
) -> Markup {
    let is_whole = matches!(merged.merge, FieldMerge::Whole { .. });
    let at = number.saturating_sub(1);
    let (before, after) = merged.around(at, COMPARE_CONTEXT);
    let side = |text: &str| Some(Arc::from(format!("{before}{text}{after}")));
    let field_diff =
        FieldDiff { field: merged.field.clone(), old: side(&conflict.ours), new: side(&conflict.theirs) };
    let shown = before.split_inclusive('\n').count();
    let (ours, theirs) = merged.lines_before(at);
    let compared = sides(field_diff, (ours.saturating_sub(shown), theirs.saturating_sub(shown)));
    let is_gone = match &merged.merge {
        FieldMerge::Whole { ours, theirs } => [ours.is_none(), theirs.is_none()],
        FieldMerge::Taken(_) | FieldMerge::Chunks(_) => [false; 2],
    };
    let head = |words: String, text: &str, is_gone: bool| {
        let empty = if is_gone { own::DELETED_SIDE } else { own::EMPTY_SIDE };
        let empty = text.is_empty().then_some(empty);
        view! { <span>{words} " " {empty.map(|empty| view! { <i>{empty}</i> })}</span> }
    };
    let theirs = names.other().unwrap_or(own::OTHER_BRANCH.get());
    let heads = [
        head(own::ours(&names.ours), &conflict.ours, is_gone[0]),
        head(own::theirs(theirs), &conflict.theirs, is_gone[1]),
    ];
    let chosen = merge.resolutions.map(move |resolutions| resolutions.get(&mark).map(name_of));
    let heading = own::conflict(number, all);
    let label = heading.clone();
    let choice = move |side: Resolution, words: String, test: &'static str| {
        let which = name_of(&side);
        let choose = move |_| merge.decide(mark, side.clone());
        button(words)
            .test(test)
            .with("aria-pressed", move || (chosen.get() == Some(which)).to_string())
            .on_click(choose)
    };
    let both = (!is_whole).then(|| choice(Resolution::Both, own::BOTH.get().to_owned(), "merge-both"));
    let conflict = StoredValue::new(conflict);
    let begin = move |_| conflict.with_value(|conflict| merge.begin(mark, conflict));
    let ask = move |_| merge.request_proposals(vec![mark]);
    let title = move || if merge.may_request() { core::ASK_ABOUT } else { core::CORE_WORKS };
    view! {
        <div class="tree-conflict" role="group" aria-label=label data-decided=move || chosen.get().is_some().to_string()>
            <p class="label">{heading}</p>
            <div class="tree-sides" data-chosen=move || chosen.get()>
                <div class="tree-side-heads hint">{heads}</div>
                {compared}
            </div>
            <div class="tree-actions">
                {choice(Resolution::Ours, own::keep(&names.ours), "merge-ours")}
                {choice(Resolution::Theirs, own::take(names.other()), "merge-theirs")}
                {both}
                {(!merged.is_of_image()).then(|| view! {
                    {button(core::WRITE).test("merge-write").title(core::WRITE_ABOUT).on_click(begin)}
                    {button(core::ASK).test("merge-ask").title(title).disabled(move || !merge.may_request())
                        .on_click(ask)}
                })}
            </div>
            <ProposedLines mark chosen is_whole merge />
        </div>
    }
}

/// The value of `data-chosen`.
fn name_of(side: &Resolution) -> &'static str {
    match side {
        Resolution::Ours => "ours",
        Resolution::Theirs => "theirs",
        Resolution::Both => "both",
        Resolution::Lines(_) => LINES,
    }
}

const LINES: &str = "lines";

fn lines_id(mark: ContentHash) -> String {
    format!("merge-lines-{mark}")
}

/// Lines that may resolve a conflict, or why the Core proposed none.
#[component]
fn ProposedLines(
    mark: ContentHash,
    chosen: Selector<Option<&'static str>>,
    is_whole: bool,
    merge: MergeState,
) -> impl IntoMarkup {
    let lines = move || merge.lines.with(|all| all.get(&mark).cloned());
    // Typing changes only the text, so that the field is not rerendered.
    let kind = select(move || lines().map(|lines| lines.proposed.map(|(_, why)| why)));
    let text = select(move || lines().map(|lines| lines.text).unwrap_or_default());
    let changed = select(move || {
        lines().is_some_and(|it| it.proposed.is_some_and(|(proposed_text, _)| proposed_text != it.text))
    });
    let no_proposals = move || {
        let why = merge.no_proposals.with(|all| all.get(&mark).copied())?;
        Some(view! { <p class="hint" data-testid="merge-without">{core::proposal_error(why)}</p> })
    };
    let is_taken = move || chosen.get() == Some(LINES);
    let note = move || {
        let taken = if is_taken() { core::TAKEN } else { core::NOT_TAKEN };
        let empty = if is_whole { core::NO_FILE } else { core::NOTHING };
        let empty = text.with(String::is_empty).then_some(empty);
        let parts = [changed.get().then_some(core::CHANGED), empty, Some(taken)];
        parts.into_iter().flatten().map(Text::get).collect::<Vec<_>>().join(" ")
    };
    let typed = move |ev| merge.rewrite(mark, event_target_value(&ev));
    let take = move |_| merge.accept(mark);
    let shown = move || {
        let why = kind.get()?;
        let (name, why) = match why {
            Some(why) if why.is_empty() => (core::PROPOSED, Some(common::NO_REASON.to_owned())),
            Some(why) => (core::PROPOSED, Some(why)),
            None => (core::OWN, None),
        };
        let why = why.map(|why| view! { <p class="tree-why" dir="auto" data-testid="merge-why">{why}</p> });
        Some(view! {
            <div class="tree-proposal" role="group" aria-label=name data-testid="merge-proposal" data-taken=move || is_taken().to_string()>
                <p class="label">{name}</p>
                {why}
                <textarea id=lines_id(mark) class="tree-side-text" dir="auto" spellcheck="false" data-testid="merge-lines" aria-label=name prop:value=text on:input=typed></textarea>
                <div class="tree-actions">
                    {button(core::TAKE).test("merge-take")
                        .with("aria-pressed", move || is_taken().to_string()).on_click(take)}
                    <span class="hint" role="status">{note}</span>
                </div>
            </div>
        })
    };
    view! { {no_proposals} {shown} }
}

#[derive(Clone, PartialEq)]
enum DraftResult {
    Reading,
    Rejected(String),
    Draft(Arc<MergeDraft>),
}

impl DraftResult {
    fn draft(self) -> Option<Arc<MergeDraft>> {
        if let Self::Draft(draft) = self { Some(draft) } else { None }
    }
}

/// The names of the two sides' sessions.
struct SideNames {
    ours: String,
    /// `None` if what is merged is a turn that no session is at.
    other: Option<String>,
}

impl SideNames {
    fn other(&self) -> Option<&str> {
        self.other.as_deref()
    }
}

#[derive(Clone, Copy)]
struct MergeState {
    tree: TreeState,
    page: &'static Page,
    result: RwSignal<DraftResult>,
    /// Resolutions, by the conflicts' hashes.
    resolutions: RwSignal<VecMap<ContentHash, Resolution>>,
    /// Like other drafts they outlive the dialog.
    lines: RwSignal<VecMap<ContentHash, ResolutionLines>>,
    no_proposals: RwSignal<VecMap<ContentHash, NoProposalReason>>,
    job: RwSignal<Option<Job>>,
    proposal_result: RwSignal<Option<AnsweredMerge>>,
    /// Why a proposal failed; `None` within if it was stopped.
    failed: RwSignal<Option<Option<ProviderError>>>,
    problem: RwSignal<String>,
}

impl MergeState {
    /// The state of the dialog, which follows the Core's advice until the dialog closes.
    fn open(tree: TreeState) -> Self {
        let page: &Page = expect_context();
        let this = Self {
            tree,
            page,
            result: RwSignal::new(DraftResult::Reading),
            resolutions: RwSignal::new(VecMap::new()),
            lines: page.drafts.merge_lines,
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
        let (records, session) = (self.tree.records(), self.page.dispatch.session());
        let mut news = records.news().ready_chunks(1_024);
        let mut read = None;
        // The branch's summary should be current by the time of the merge. Not awaited: what it lacks is quoted
        // verbatim in the merge.
        if let Some(from) = from {
            self.page.dispatch.send_quietly(Command::Summarise { session: from }, |_| ());
        }
        loop {
            self.draft_again().await;
            // If the other session has moved on, its new head is merged.
            let drafted = self.result.try_get_untracked().and_then(DraftResult::draft);
            let other = drafted.map_or(other, |draft| draft.request.other);
            if let Ok((seq, advice)) = advice(&records, session, other, read).await {
                // At first this is the advice of before: what the operator wrote meanwhile stays.
                let is_known = read.replace(seq).is_none();
                advice.into_iter().for_each(|one| self.apply_advice(one, is_known));
            }
            let concerns = |stream: &StreamId| {
                *stream == StreamId::Session(session)
                    || from.is_some_and(|it| *stream == StreamId::Session(it))
            };
            while !news.next().await.is_none_or(|streams| streams.iter().any(concerns)) {}
        }
    }

    /// Creates or renews the draft.
    async fn draft_again(self) {
        let Some((other, from)) = self.tree.merged.get_untracked() else { return };
        let new_result = match draft(&self.tree.records(), self.page.dispatch.session(), other, from).await {
            Ok(Ok(draft)) => DraftResult::Draft(Arc::new(draft)),
            Ok(Err(rejection)) => DraftResult::Rejected(strings::rejection(&rejection).title),
            Err(_) => DraftResult::Rejected(common::UNREADABLE.to_owned()),
        };
        // An unchanged draft is not rerendered, which would lose the focus.
        self.result.set_if_changed(new_result);
    }

    fn apply_advice(self, advice: MergeAdvice, is_known: bool) {
        match advice {
            MergeAdvice::Requested(job) => {
                self.failed.set(None);
                self.job.set(Some(job));
            }
            MergeAdvice::Proposed(proposal_result) => {
                let proposed = &proposal_result.proposal;
                let is_written = |mark: ContentHash| {
                    self.lines.with_untracked(|all| all.get(&mark).is_some_and(|it| it.proposed.is_none()))
                };
                for one in proposed.proposals.iter().filter(|one| !(is_known && is_written(one.conflict))) {
                    // New lines count only once they are accepted too.
                    if self.is_in_lines(one.conflict) {
                        self.resolutions.update(|all| all.remove(&one.conflict));
                    }
                    let lines = ResolutionLines {
                        text: one.text.clone(),
                        proposed: Some((one.text.clone(), one.why.clone())),
                    };
                    self.lines.update(|all| all.insert(one.conflict, lines));
                    self.no_proposals.update(|all| all.remove(&one.conflict));
                }
                for one in &proposed.unresolved {
                    self.no_proposals.update(|all| all.insert(one.conflict, one.why));
                }
                self.proposal_result.set(Some(proposal_result));
            }
            MergeAdvice::Failed { job: id, failure } => {
                if self.job.with_some_untracked(|it| it.id == id) {
                    self.failed.set(Some(failure));
                }
            }
        }
    }

    fn sides(self) -> SideNames {
        let focus = self.page.dispatch.session();
        let from = self.tree.merged.get_untracked().and_then(|(_, from)| from);
        let name = |session| {
            let flags = self.tree.flags.get_untracked();
            flags.iter().find(|flag| flag.session == session).map(|flag| reveal(&flag.name))
        };
        SideNames { ours: name(focus).unwrap_or_else(|| own::IN_VIEW.to_owned()), other: from.and_then(name) }
    }

    fn draft(self) -> Option<Arc<MergeDraft>> {
        self.result.get().draft()
    }

    /// The hashes of unresolved conflicts.
    fn open_marks(self) -> Vec<ContentHash> {
        let Some(draft) = self.draft() else { return Vec::new() };
        let marks = draft.conflicts().map(|(mark, _)| mark);
        self.resolutions.with(|resolutions| marks.filter(|mark| resolutions.get(mark).is_none()).collect())
    }

    fn request(self) -> Option<MergeRequest> {
        let draft = untrack(|| self.draft())?;
        let mut request = draft.request.clone();
        request.resolutions = self.resolutions.with_untracked(|resolutions| decisions(&draft, resolutions));
        Some(request)
    }

    fn decide(self, mark: ContentHash, side: Resolution) {
        self.resolutions.update(|resolutions| resolutions.insert(mark, side));
    }

    fn decide_all(self, side: &Resolution) {
        let Some(draft) = untrack(|| self.draft()) else { return };
        self.resolutions.set(draft.conflicts().map(|(mark, _)| (mark, side.clone())).collect());
    }

    fn begin(self, mark: ContentHash, conflict: &Conflict) {
        // The operator does without the Core.
        self.failed.set(None);
        let end = if conflict.ours.is_empty() || conflict.ours.ends_with('\n') { "" } else { "\n" };
        let text = format!("{}{end}{}", conflict.ours, conflict.theirs);
        self.lines.update(|all| match all.get(&mark) {
            // Pressed again, it replaces nothing that was typed.
            Some(lines) if lines.proposed.is_none() => {}
            Some(_) | None => drop(all.insert(mark, ResolutionLines { text, proposed: None })),
        });
        focus::soon(lines_id(mark));
    }

    /// Edits the lines of a conflict; accepted lines change with them.
    fn rewrite(self, mark: ContentHash, text: String) {
        if self.is_in_lines(mark) {
            self.decide(mark, Resolution::Lines(Arc::from(text.as_str())));
        }
        self.lines.update(|all| {
            if let Some(lines) = all.get_mut(&mark) {
                lines.text = text;
            }
        });
    }

    fn is_in_lines(self, mark: ContentHash) -> bool {
        self.resolutions.with_untracked(|all| matches!(all.get(&mark), Some(Resolution::Lines(_))))
    }

    fn accept(self, mark: ContentHash) {
        let lines = self.lines.with_untracked(|all| all.get(&mark).cloned());
        if let Some(lines) = lines {
            self.decide(mark, Resolution::Lines(Arc::from(lines.text)));
        }
    }

    /// The number of conflicts that the Core is working on, if it is.
    fn open_conflicts(self) -> Option<usize> {
        let open = self.page.core.row.with(|row| row.jobs.of(JobSlot::Core).map(|job| job.id))?;
        let job = self.job.get().filter(|job| job.id == open)?;
        job.question().map(|question| question.conflicts.len())
    }

    fn may_request(self) -> bool {
        !self.page.sessions.read_only.get()
            && self.page.core.row.with(|row| !row.works())
            && self.draft().is_some()
    }

    fn request_proposals(self, conflicts: Vec<ContentHash>) {
        let Some(mut request) = self.request() else { return };
        request.resolutions = Vec::new();
        self.problem.set(String::new());
        self.page.dispatch.send_quietly(Command::AskAboutConflicts { request, conflicts }, move |outcome| {
            if let Err(rejection) = outcome {
                self.reject(&rejection);
            }
        });
    }

    fn stop(self) {
        self.page.dispatch.send(Command::StopSync { session: self.page.dispatch.session() });
    }

    /// Shows the rejection; if the session has moved on, renews the draft.
    fn reject(self, rejection: &Rejection) {
        let notice = strings::rejection(rejection);
        if *rejection == Rejection::MovedOn {
            self.problem.set(notice.advice);
            spawn_local(self.draft_again());
        } else {
            self.problem.set(notice.title);
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
