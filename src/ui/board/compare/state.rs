//! State of a comparison: base, differences, current and selected hunks, and the commands for them.
//!
//! `model::mind::review` decides what a change is.

use crate::ui::prelude::*;
use crate::ui::view_state::SendBackDraft;
use nexus_engine::queries::tree::steps;
use nexus_model::limits::QUOTED_LINES;
use nexus_model::mind::review::{BaseOption, Reverted, accept_many, offers, revert, revert_all};
use nexus_text::compare::Hunk;
use nexus_text::diff::LineCount;
use nexus_view::blame::{AuthoredChange, first_missing_turn, history};
use nexus_view::review_rows::{
    DiffSection, HunkIndex, HunkKey, has_unknown, name_of, place_of, places, sections_since,
};
use nexus_view::strings::board::compare as words;
use nexus_view::strings::{QuotedChange, listed, sent_back};

#[derive(Clone, Debug)]
pub struct CompareResult {
    pub offer: BaseOption,
    now: Arc<Mind>,
    now_hash: ContentHash,
    reviewed: Option<(ContentHash, Arc<Mind>)>,
    pub sections: Vec<DiffSection>,
    /// Who changed what, as far as known.
    steps: Vec<AuthoredChange>,
}

/// Inputs of a comparison; it is recomputed only if they change.
#[derive(Clone, PartialEq)]
struct CompareKey {
    offer: BaseOption,
    now: ContentHash,
    reviewed: Option<ContentHash>,
    turns: usize,
    /// Number of turns loaded for the comparison, older than the session's loaded ones.
    older: usize,
}

/// Turns of a session that were loaded for a comparison, older than the session's loaded ones.
#[derive(Clone, Default)]
struct OlderTurns {
    of: Option<SessionId>,
    rows: Arc<World>,
    reading: bool,
    failed: bool,
}

#[derive(Clone, Copy)]
pub struct CompareState {
    page: &'static Page,
    room: Workspace,
    base: Selector<Option<ComparisonBase>>,
    older: RwSignal<OlderTurns>,
    /// The turn before all known ones, if one can be loaded.
    pub earlier: Selector<Option<TurnId>>,
    pub offers: Selector<Vec<BaseOption>>,
    /// The comparison; `None` before the first turn.
    pub comparison: Selector<Option<Arc<CompareResult>>>,
    pub at: RwSignal<Option<HunkKey>>,
    /// What is picked and typed to be sent back. Each session has its own, which outlives the panel.
    pub to_send: Selector<SendBackDraft>,
    pub unfolded: RwSignal<Vec<(MindField, usize)>>,
    pub shown: RwSignal<Vec<HunkKey>>,
}

/// All that changed since the last review, which includes changes of an agent.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Unreviewed {
    pub files: usize,
    /// Objective and scratchpad.
    pub others: usize,
    pub lines: LineCount,
    /// True if the authors of some changes are not loaded. They may be agents, so these changes count.
    pub unknown: bool,
}

impl PartialEq for CompareResult {
    /// A new comparison is only made when its inputs changed.
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

impl CompareState {
    /// The state of a newly opened panel, compared with this base or the default one.
    pub fn open(base: Selector<Option<ComparisonBase>>) -> Self {
        let (page, room) = (expect_context::<&Page>(), expect_context::<Workspace>());
        let &Page { sessions: Sessions { focus, .. }, world, .. } = page;
        let on_disk = room.files.on_disk;
        let older = RwSignal::new(OlderTurns::default());
        let known = move |session: SessionId| {
            older.with(|older| if older.of == Some(session) { older.clone() } else { OlderTurns::default() })
        };
        let earlier = select(move || {
            let session = focus.get();
            let known = known(session);
            let missing =
                world.with(WorldParts::SESSIONS, |world| first_missing_turn(world, &known.rows, session));
            missing.filter(|_| !known.failed)
        });
        let offers = select(move || {
            let (session, disk) = (focus.get(), on_disk.get());
            let known = known(session);
            world.with(WorldParts::SESSIONS, |world| {
                let now = world.session(&session).and_then(|session| world.mind(&session.mind));
                let disk = disk.zip(now).map(|(disk, now)| Arc::new(disk.mind(now)));
                offers(world, &known.rows, session, disk.as_ref())
            })
        });
        let key = select(move || {
            let offers = offers.get();
            let wanted = base.get();
            let offer = wanted.and_then(|base| offers.iter().find(|offer| offer.base == base).cloned());
            let offer = offer.or_else(|| offers.first().cloned())?;
            let (turns, older) = (offers.len(), known(focus.get()).rows.turns.len());
            world.with(WorldParts::SESSIONS, |world| {
                let session = world.session(&focus.get())?;
                let (now, reviewed) = (session.mind, session.reviewed);
                Some(CompareKey { offer, now, reviewed, turns, older })
            })
        });
        let comparison = select_from(move |before: Option<&Option<Arc<CompareResult>>>| {
            let CompareKey { offer, now: now_hash, reviewed, .. } = key.get()?;
            let (now, reviewed, steps): (Option<Arc<Mind>>, _, Vec<AuthoredChange>) =
                world.with_untracked(|world| {
                    let mind = |hash: ContentHash| Some((hash, Arc::clone(world.mind(&hash)?)));
                    let now = world.mind(&now_hash).cloned();
                    let session = focus.get_untracked();
                    let known = untrack(|| known(session));
                    (now, reviewed.and_then(mind), history(world, &known.rows, session))
                });
            let now = now?;
            let reviewed_mind = reviewed.as_ref().map(|(_, mind)| &**mind);
            let hash = |reviewed: &Option<(ContentHash, Arc<Mind>)>| reviewed.as_ref().map(|(hash, _)| *hash);
            let is_alike = |before: &&CompareResult| {
                Arc::ptr_eq(&before.offer.mind, &offer.mind) && hash(&before.reviewed) == hash(&reviewed)
            };
            let before = before.and_then(Option::as_deref).filter(is_alike);
            let before = before.map(|before| (&*before.sections, &*before.steps)).unwrap_or_default();
            let sections = sections_since(before, &offer.mind, &now, reviewed_mind, &steps);
            Some(Arc::new(CompareResult { offer, now, now_hash, reviewed, sections, steps }))
        });
        Self {
            page,
            room,
            base,
            older,
            earlier,
            offers,
            comparison,
            at: RwSignal::new(None),
            to_send: select(move || {
                page.drafts.send_back.with(|all| all.get(&focus.get()).cloned()).unwrap_or_default()
            }),
            unfolded: RwSignal::new(Vec::new()),
            shown: RwSignal::new(Vec::new()),
        }
    }

    pub fn is_reading(self) -> bool {
        self.older.with(|older| older.reading)
    }

    /// Doubles the number of loaded earlier turns, so that few steps lead to the first one.
    pub fn read_earlier(self) {
        let Some(turn) = self.earlier.get_untracked() else { return };
        let session = self.page.dispatch.session();
        let mut most = TURNS_LOADED;
        let mut is_busy = false;
        self.older.update(|older| {
            is_busy = older.reading && older.of == Some(session);
            if older.of != Some(session) {
                *older = OlderTurns { of: Some(session), ..OlderTurns::default() };
            }
            older.reading = true;
            most = most.max(older.rows.turns.len());
        });
        if is_busy {
            return;
        }
        let (records, older) = (self.page.history.records(), self.older);
        spawn_local(async move {
            let read = steps(&records, turn, most).await;
            // The panel may be closed by now, or show another session.
            let is_here = older.try_with_untracked(|older| older.of == Some(session)) == Some(true);
            if is_here {
                older.update(|older| {
                    older.reading = false;
                    match read {
                        Ok(rows) if rows.turn(&turn).is_some() => Arc::make_mut(&mut older.rows).absorb(rows),
                        Ok(_) | Err(_) => older.failed = true,
                    }
                });
            }
        });
    }

    /// Loads earlier turns while a change has no known author, or the requested turn is unknown.
    pub fn read_what_is_needed(self) {
        let base = self.base;
        Effect::new(move |_| {
            let wanted = base.get();
            let is_there = |wanted: &ComparisonBase| {
                self.offers.with(|offers| offers.iter().any(|offer| offer.base == *wanted))
            };
            let is_turn = |base: &ComparisonBase| matches!(base, ComparisonBase::Turn(_));
            let lacks_turn = wanted.is_some_and(|wanted| is_turn(&wanted) && !is_there(&wanted));
            let unknown = self.comparison.with_some(|look| has_unknown(&look.sections));
            if (lacks_turn || unknown) && self.earlier.get().is_some() && !self.is_reading() {
                untrack(move || self.read_earlier());
            }
        });
    }

    fn now(self) -> Option<Arc<CompareResult>> {
        self.comparison.get_untracked()
    }

    pub fn choose(self, key: &str) {
        let base = self.offers.with_untracked(|offers| {
            offers.iter().map(|offer| offer.base.clone()).find(|base| base.key() == key)
        });
        self.at.set(None);
        let session = self.page.dispatch.session();
        self.room.tabs.base.set(base.map(|base| (session, base)));
    }

    /// True if this is the current hunk. Reactive.
    pub fn is_at(self, name: &HunkKey) -> bool {
        self.at.with(|at| at.as_ref() == Some(name))
    }

    /// The position of the current hunk. Reactive.
    pub fn place(self) -> Option<HunkIndex> {
        let look = self.comparison.get()?;
        self.at.with_some(|name| place_of(&look.sections, name))
    }

    /// Moves to the next or previous hunk and returns its position.
    pub fn step(self, back: bool) -> Option<HunkIndex> {
        let look = self.now()?;
        let all = places(&look.sections);
        let here = self.at.with_some_untracked(|name| place_of(&look.sections, name));
        let next = match here.and_then(|here| all.iter().position(|place| *place == here)) {
            None => 0,
            Some(at) if back => at.saturating_sub(1),
            Some(at) => (at + 1).min(all.len().saturating_sub(1)),
        };
        let place = *all.get(next)?;
        self.at.set(name_of(&look.sections, place));
        Some(place)
    }

    /// Before a hunk is removed: moves to the next one, or from the last one to the previous.
    fn leave(self, look: &CompareResult, name: &HunkKey) {
        let all = places(&look.sections);
        let Some(here) =
            place_of(&look.sections, name).and_then(|here| all.iter().position(|at| *at == here))
        else {
            return;
        };
        let next = all.get(here + 1).or_else(|| all.get(here.checked_sub(1)?)).copied();
        self.at.set(next.and_then(|place| name_of(&look.sections, place)));
        self.change_picked(|picked| picked.retain(|other| other != name));
    }

    /// Before all hunks of a field are removed: moves to the first one after them, or the last one before.
    fn leave_field(self, look: &CompareResult, section: usize) {
        let all = places(&look.sections);
        let after = all.iter().find(|(other, _)| *other > section);
        let next = after.or_else(|| all.iter().rev().find(|(other, _)| *other < section)).copied();
        let is_there = |name: &HunkKey| place_of(&look.sections, name).is_some_and(|at| at.0 == section);
        if self.at.with_some_untracked(is_there) {
            self.at.set(next.and_then(|place| name_of(&look.sections, place)));
        }
        self.change_picked(|picked| picked.retain(|name| !is_there(name)));
    }

    pub fn section_at(self) -> Option<usize> {
        untrack(|| self.place()).map(|(section, _)| section)
    }

    /// Accepts hunks, and offers undo under this title.
    fn review(self, look: &CompareResult, hunks: &[(&MindField, Option<&Hunk>)], title: String) {
        // A first review starts from the default base: what changed before the shown one stays unreviewed.
        let first = || {
            let stored = |offer: &BaseOption| Some((offer.hash?, Arc::clone(&offer.mind)));
            self.offers.with_untracked(|offers| offers.iter().find_map(stored))
        };
        let Some((from, mind)) = look.reviewed.clone().or_else(first) else { return };
        let edits = accept_many(&mind, &look.now, hunks.iter().copied());
        let session = self.page.dispatch.session();
        let command = move |edits| Command::ReviewChanges { session, from, edits };
        self.page.dispatch.send_undoable(command(edits), title, move || command(Vec::new()));
    }

    pub fn accept(self, name: &HunkKey) {
        let Some(look) = self.now() else { return };
        let Some((section, hunk)) = hunk_of(&look.sections, name) else { return };
        self.leave(&look, name);
        let field = &section.change.field;
        self.review(&look, &[(field, Some(hunk))], words::accepted(field));
    }

    pub fn accept_field(self, section: usize) {
        let Some(look) = self.now() else { return };
        let Some(field) = look.sections.get(section) else { return };
        self.leave_field(&look, section);
        self.review(&look, &all_of(field), words::accepted_all_of(&field.change.field));
    }

    pub fn accept_all(self) {
        let Some(look) = self.now() else { return };
        let hunks: Vec<_> = look.sections.iter().flat_map(all_of).collect();
        self.change_picked(Vec::clear);
        self.review(&look, &hunks, words::ACCEPTED_ALL.to_owned());
    }

    /// Writes reverted texts and offers undo.
    fn write(self, look: &CompareResult, title: String, writes: Vec<MindWrite>) {
        let (session, base) = (self.page.dispatch.session(), look.now_hash);
        let before = Arc::clone(&look.now);
        let (world, notices) = (self.page.world, self.page.notices);
        let mind = move || world.mind_untracked(session);
        let command = Command::EditMind { session, base, writes: writes.clone() };
        self.page.dispatch.send_then(command, move |done| {
            let Some((left, mind_left)) = mind().filter(|_| done.is_ok()) else { return };
            let reverted = |write| Reverted::new(Arc::clone(&before), write, Arc::clone(&mind_left));
            let reverted: Vec<_> = writes.iter().filter_map(reverted).collect();
            notices.add_with_undo(title, move || {
                let now = mind();
                let undo =
                    |(_, now): &(_, Arc<Mind>)| reverted.iter().flat_map(|one| one.undo(now)).collect();
                let writes = now.as_ref().map(undo).unwrap_or_default();
                Command::EditMind { session, base: left, writes }
            });
        });
    }

    /// Undoes the last action while its notice offers that.
    pub fn undo(self) -> bool {
        let undo = self.page.notices.take_undo();
        undo.iter().for_each(|undo| self.page.dispatch.send(undo()));
        undo.is_some()
    }

    pub fn revert(self, name: &HunkKey) {
        let Some(look) = self.now() else { return };
        let Some((section, hunk)) = hunk_of(&look.sections, name) else { return };
        self.leave(&look, name);
        if let Some(write) = revert(&section.change, &hunk.id) {
            self.write(&look, words::reverted(&section.change.field), vec![write]);
        }
    }

    pub fn revert_field(self, section: usize) {
        let Some(look) = self.now() else { return };
        if let Some(field) = look.sections.get(section) {
            self.leave_field(&look, section);
            self.write(&look, words::reverted(&field.change.field), vec![revert_all(&field.change)]);
        }
    }

    /// Reverts all changes except those of the operator.
    pub fn revert_others(self) {
        let Some(look) = self.now() else { return };
        let writes = look.sections.iter().filter_map(DiffSection::revert_others).collect();
        self.change_picked(Vec::clear);
        self.write(&look, words::REVERTED_ALL.to_owned(), writes);
    }

    /// The size of the comparison; `None` without unreviewed changes of agents. Counts the operator's own changes
    /// too, as Compare does.
    pub fn unreviewed(self) -> Option<Unreviewed> {
        let look = self.comparison.get()?;
        let mut left = Unreviewed { unknown: has_unknown(&look.sections), ..Unreviewed::default() };
        let mut by_agents = false;
        for section in &look.sections {
            by_agents |= section.facts.iter().any(|facts| {
                let by = &facts.by;
                !facts.reviewed && (by.is_empty() || by.iter().any(|by| by.needs_review()))
            });
            let is_file = matches!(section.change.field, MindField::File(_));
            left.files += usize::from(is_file);
            left.others += usize::from(!is_file);
            let lines = section.found.count();
            left.lines.added += lines.added;
            left.lines.removed += lines.removed;
        }
        by_agents.then_some(left)
    }

    fn change_picked(self, change: impl FnOnce(&mut Vec<HunkKey>)) {
        self.change_to_send(|draft| change(&mut draft.picked));
    }

    pub fn change_to_send(self, change: impl FnOnce(&mut SendBackDraft)) {
        self.page.drafts.change_send_back(self.page.dispatch.session(), change);
    }

    pub fn pick(self, name: &HunkKey) {
        self.change_picked(|picked| match picked.iter().position(|other| other == name) {
            Some(at) => drop(picked.remove(at)),
            None => picked.push(name.clone()),
        });
    }

    pub fn name(self, agent: &AgentKey) -> String {
        self.page.agents.name_untracked(agent)
    }

    pub fn go_to_turn(self, turn: TurnId) {
        let message = self.page.world.with_untracked(|world| world.turn(&turn)?.messages.first().copied());
        match message {
            Some(message) => {
                self.room.pane.set(Pane::Timeline);
                focus::focus_and_scroll_to(format!("message-{message}"));
            }
            // The turn is not loaded: show it as a snapshot.
            None => {
                let session = self.page.dispatch.session();
                self.room.dialogs.show_snapshot(Some(SnapshotTarget { session, turn, mind: None }));
            }
        }
    }

    /// The picked hunks by agent, and how many no agent made. Reactive.
    pub fn by_agent(self) -> (Vec<(AgentKey, Vec<HunkKey>)>, usize) {
        let (mut by, mut rest): (Vec<(AgentKey, Vec<HunkKey>)>, usize) = (Vec::new(), 0);
        let Some(look) = self.comparison.get() else { return (by, rest) };
        for name in self.to_send.get().picked {
            let place = place_of(&look.sections, &name);
            let facts = place.and_then(|(section, hunk)| look.sections.get(section)?.facts.get(hunk));
            let agent = facts.and_then(|facts| facts.by.iter().find_map(|author| author.agent()));
            match agent {
                Some(agent) => match by.iter_mut().find(|(other, _)| other == agent) {
                    Some((_, names)) => names.push(name),
                    None => by.push((agent.clone(), vec![name])),
                },
                // Hunks that no longer exist are not counted.
                None => rest += usize::from(place.is_some()),
            }
        }
        (by, rest)
    }

    pub fn send_back(self) {
        let Some(look) = self.now() else { return };
        let (session, remark) = (self.page.dispatch.session(), self.to_send.get_untracked().remark);
        let (by, _) = untrack(|| self.by_agent());
        let names: Vec<_> = by.iter().map(|(agent, _)| self.name(agent)).collect();
        let notices = self.page.notices;
        for (number, (agent, hunks)) in by.iter().enumerate() {
            let quotes: Vec<_> = hunks.iter().filter_map(|name| quote(&look.sections, name)).collect();
            let text = sent_back(&remark, &quotes);
            let words = (number + 1 == by.len()).then(|| words::sent(&listed(&names)));
            let sent = hunks.clone();
            let target = Target::Agents(vec![agent.clone()]);
            let message = NewMessage { target, ..self.page.dispatch.message(text) };
            self.page.dispatch.send_message(message, move |done| {
                if !done {
                    return;
                }
                // Another session may be in view by now.
                self.page.drafts.change_send_back(session, |draft| {
                    draft.picked.retain(|name| !sent.contains(name));
                    if words.is_some() {
                        draft.remark.clear();
                    }
                });
                if let Some(words) = words {
                    notices.add(NoticeKind::Info, words, "");
                }
            });
        }
    }
}

/// All hunks of a section; the section as a whole if it has none.
fn all_of(section: &DiffSection) -> Vec<(&MindField, Option<&Hunk>)> {
    let field = &section.change.field;
    match section.found.hunks.as_slice() {
        [] => vec![(field, None)],
        hunks => hunks.iter().map(|hunk| (field, Some(hunk))).collect(),
    }
}

pub fn hunk_at(sections: &[DiffSection], (section, hunk): HunkIndex) -> Option<(&DiffSection, &Hunk)> {
    let section = sections.get(section)?;
    Some((section, section.found.hunks.get(hunk)?))
}

fn hunk_of<'s>(sections: &'s [DiffSection], name: &HunkKey) -> Option<(&'s DiffSection, &'s Hunk)> {
    hunk_at(sections, place_of(sections, name)?)
}

fn quote(sections: &[DiffSection], name: &HunkKey) -> Option<QuotedChange> {
    let (section, hunk) = hunk_of(sections, name)?;
    let first = hunk.new.start + usize::from(!hunk.new.is_empty());
    Some(QuotedChange {
        field: words::quoted_field(&section.change.field),
        lines: (first.max(1), hunk.new.end.max(1)),
        hunk: section.found.quoted(hunk, QUOTED_LINES),
    })
}
