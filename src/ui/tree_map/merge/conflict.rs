//! One conflict of a merge: both sides, the choice, and lines proposed by the Core or written by the operator.

use crate::ui::board::comparison::sides;
use crate::ui::prelude::*;
use crate::ui::tree_map::merge::state::MergeState;
use nexus_model::limits::COMPARE_CONTEXT;
use nexus_model::mind::merge::{FieldMerge, MergedField};
use nexus_model::mind::review::FieldDiff;
use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::{Conflict, Resolution};
use nexus_view::strings::board::merge as core;
use nexus_view::strings::tree_layout as own;

pub(super) fn conflict_view(
    merged: &MergedField,
    conflict: Conflict,
    mark: ContentHash,
    (number, all): (usize, usize),
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
    let head = |words: &'static str, text: &str| {
        let empty = text.is_empty().then_some(own::EMPTY_SIDE);
        view! { <span>{words} " " {empty.map(|empty| view! { <i>{empty}</i> })}</span> }
    };
    let heads = [head(own::OURS_SIDE.get(), &conflict.ours), head(own::THEIRS_SIDE.get(), &conflict.theirs)];
    let mark = StoredValue::new(mark);
    let chosen = select(move || {
        merge
            .resolutions
            .with(|resolutions| mark.with_value(|mark| resolutions.get(mark).map(ConflictChoice::of)))
    });
    let heading = own::conflict(number, all);
    let label = heading.clone();
    let choice = move |side: Resolution, words: &'static str, test: &'static str| {
        let which = ConflictChoice::of(&side);
        let choose = move |_| mark.with_value(|mark| merge.decide(mark, side.clone()));
        button(words)
            .test(test)
            .with("aria-pressed", move || (chosen.get() == Some(which)).to_string())
            .on_click(choose)
    };
    let both = (!is_whole).then(|| choice(Resolution::Both, own::BOTH.get(), "merge-both"));
    let conflict = StoredValue::new(conflict);
    let begin = move |_| mark.with_value(|mark| conflict.with_value(|conflict| merge.begin(mark, conflict)));
    let ask = move |_| merge.request_proposals(vec![mark.get_value()]);
    let title = move || if merge.may_request() { core::ASK_ABOUT } else { core::CORE_WORKS };
    view! {
        <div class="tree-conflict" role="group" aria-label=label data-decided=move || chosen.get().is_some().to_string()>
            <p class="label">{heading}</p>
            <div class="tree-sides" data-chosen=move || chosen.get().map(ConflictChoice::name)>
                <div class="tree-side-heads hint">{heads}</div>
                {compared}
            </div>
            <div class="tree-actions">
                {choice(Resolution::Ours, own::OURS.get(), "merge-ours")}
                {choice(Resolution::Theirs, own::THEIRS.get(), "merge-theirs")}
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

#[derive(Clone, Copy, PartialEq)]
enum ConflictChoice {
    Ours,
    Theirs,
    Both,
    Lines,
}

impl ConflictChoice {
    fn of(side: &Resolution) -> Self {
        match side {
            Resolution::Ours => Self::Ours,
            Resolution::Theirs => Self::Theirs,
            Resolution::Both => Self::Both,
            Resolution::Lines(_) => Self::Lines,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Theirs => "theirs",
            Self::Both => "both",
            Self::Lines => "lines",
        }
    }
}

/// Lines that may resolve a conflict, or why the Core proposed none.
#[component]
fn ProposedLines(
    mark: StoredValue<ContentHash>,
    chosen: Selector<Option<ConflictChoice>>,
    is_whole: bool,
    merge: MergeState,
) -> impl IntoMarkup {
    let lines = move || merge.lines.with(|all| mark.with_value(|mark| all.get(mark).cloned()));
    // Typing changes only the text, so that the field is not rerendered.
    let kind = select(move || lines().map(|lines| lines.proposed.map(|(_, why)| why)));
    let text = select(move || lines().map(|lines| lines.text).unwrap_or_default());
    let changed = select(move || {
        lines().is_some_and(|it| it.proposed.is_some_and(|(proposed_text, _)| proposed_text != it.text))
    });
    let no_proposals = move || {
        let why = merge.no_proposals.with(|all| mark.with_value(|mark| all.get(mark).copied()))?;
        Some(view! { <p class="hint" data-testid="merge-without">{core::proposal_error(why)}</p> })
    };
    let note = move || {
        let taken = if chosen.get() == Some(ConflictChoice::Lines) { core::TAKEN } else { core::NOT_TAKEN };
        let empty = match (text.with(String::is_empty), is_whole) {
            (true, true) => core::NO_FILE,
            (true, false) => core::NOTHING,
            (false, _) => Text(""),
        };
        let changed = if changed.get() { core::CHANGED } else { Text("") };
        [changed, empty, taken]
            .into_iter()
            .filter(|words| !words.is_empty())
            .map(Text::get)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let typed = move |ev| mark.with_value(|mark| merge.rewrite(mark, event_target_value(&ev)));
    let take = move |_| mark.with_value(|mark| merge.accept(mark));
    let shown = move || {
        let why = kind.get()?;
        let (name, why) = match why {
            Some(why) if why.is_empty() => (core::PROPOSED, Some(common::NO_REASON.to_owned())),
            Some(why) => (core::PROPOSED, Some(why)),
            None => (core::OWN, None),
        };
        let why = why.map(|why| view! { <p class="tree-why" dir="auto" data-testid="merge-why">{why}</p> });
        Some(view! {
            <div class="tree-proposal" role="group" aria-label=name data-testid="merge-proposal" data-taken=move || (chosen.get() == Some(ConflictChoice::Lines)).to_string()>
                <p class="label">{name}</p>
                {why}
                <textarea class="tree-side-text" dir="auto" spellcheck="false" data-testid="merge-lines" aria-label=name prop:value=text on:input=typed></textarea>
                <div class="tree-actions">
                    {button(core::TAKE).test("merge-take")
                        .with("aria-pressed", move || (chosen.get() == Some(ConflictChoice::Lines)).to_string())
                        .on_click(take)}
                    <span class="hint" role="status">{note}</span>
                </div>
            </div>
        })
    };
    view! { {no_proposals} {shown} }
}
