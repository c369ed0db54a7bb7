//! A text field that the operator and agents both edit, with its last author, state and conflicts; the form for a file's
//! name; and the removal of a file, with a way back that includes its uncommitted draft.
//!
//! Never replaces what the operator types with what others write.

use leptos::ev::MouseEvent;
use leptos::html::{Input, Textarea};

use crate::ui::dispatch::drafts::DraftBinding;
use crate::ui::hooks::focus::use_select_all;
use crate::ui::hooks::text::use_shared_text;
use crate::ui::prelude::*;
use crate::ui::view_state::DraftState;
use nexus_model::mind::MindWrite;
use nexus_view::strings::board as words;

/// How long what an agent wrote is marked, in milliseconds.
const MARKED_MS: u64 = 6_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldStyle {
    Prose,
    Code,
}

#[derive(Clone, Copy)]
pub struct FieldStatus {
    /// The agent that wrote it last, its colour, and when.
    by: Selector<Option<(String, &'static str, Millis)>>,
    now: Selector<Millis>,
    state: Selector<DraftState>,
}

impl FieldStatus {
    /// What is known of `field`, whose draft is in this state.
    pub fn of(field: &DraftField, state: Selector<DraftState>, now: Selector<Millis>) -> Self {
        let (mind, agents) = (expect_context::<MindView>(), expect_context::<Agents>());
        let written = mind.written(field);
        let by = select(move || {
            let written = written.get()?;
            let agent = agents.rows.row(&written.agent)?;
            Some(agent.with(|row| (row.agent.identity.name.clone(), row.agent.accent.name(), written.at)))
        });
        Self { by, now, state }
    }

    /// Whether an agent wrote it a moment ago.
    pub fn marked(self) -> bool {
        let until = self.by.with(|by| by.as_ref().map(|(_, _, at)| at.0.saturating_add(MARKED_MS)));
        until.is_some_and(|until| self.now.get().0 < until)
    }

    /// The colour of who wrote it last.
    pub fn accent(self) -> Option<&'static str> {
        self.by.with(|by| by.as_ref().map(|(_, accent, _)| *accent))
    }
}

#[component]
pub fn SharedField(
    id: &'static str,
    field: DraftField,
    title: &'static str,
    /// What it is for; shown while it is empty.
    hint: &'static str,
    face: FieldStyle,
    now: Selector<Millis>,
) -> impl IntoMarkup {
    let slot = expect_context::<Dispatch>().field(&field);
    let standing = FieldStatus::of(&field, slot.state, now);
    let figures = move || slot.text.with(|text| words::figures(text));
    view! {
        <div class="board-head">
            <label class="label" for=id title=hint>{title}</label>
            <FieldNote standing />
            <span class="board-figures">{figures}</span>
        </div>
        <SharedText id name=id label=String::new() hint field=slot face standing />
    }
}

/// Who wrote it, or that it is being typed.
#[component]
pub fn FieldNote(standing: FieldStatus) -> impl IntoMarkup {
    let typing = move || standing.state.get() == DraftState::Typing;
    let kind = move || match (typing(), standing.marked()) {
        (true, _) => Some("draft"),
        (false, true) => Some("written"),
        (false, false) => None,
    };
    let words = move || match standing.by.get() {
        _ if typing() => common::EDITING.to_owned(),
        Some((who, _, at)) => words::written(&who, at, standing.now.get()),
        None => String::new(),
    };
    view! {
        <span
            class="shared-note" data-kind=kind data-accent=move || standing.accent()
            title=move || typing().then_some(words::TYPING_ABOUT)
        >
            {words}
        </span>
    }
}

/// The text area, and what to do about a clash.
#[component]
pub fn SharedText(
    id: &'static str,
    name: &'static str,
    /// What it is called where no label stands beside it.
    label: String,
    hint: &'static str,
    field: DraftBinding,
    face: FieldStyle,
    standing: FieldStatus,
) -> impl IntoMarkup {
    let read_only = expect_context::<Sessions>().read_only;
    let area = NodeRef::<Textarea>::new();
    use_shared_text(area, field.text);
    let clashed = move || field.state.get() == DraftState::Clashed;
    let label = (!label.is_empty()).then_some(label);
    view! {
        <Show when=clashed>
            <div class="clash" role="alert">
                <b>{words::CLASH}</b>
                <span>{words::CLASH_ADVICE}</span>
                <span class="clash-actions">
                    {button(words::CLASH_KEEP).on_click(move |_| field.keep())}
                    {quiet_button(words::CLASH_THEIRS).on_click(move |_| field.discard())}
                </span>
            </div>
        </Show>
        <div
            class="shared" data-written=move || standing.marked().to_string()
            data-accent=move || standing.accent()
        >
            <textarea
                node_ref=area id=id class="area" data-testid=name
                data-face=(face == FieldStyle::Code).then_some("code") aria-label=label placeholder=hint
                spellcheck=(face == FieldStyle::Prose).to_string() autocomplete="off"
                readonly=move || read_only.get() on:input=move |ev| field.typed(&event_target_value(&ev))
            ></textarea>
        </div>
    }
}

#[component]
pub fn FileNameForm(
    present: String,
    /// A name to begin with, where the file has none yet.
    suggested: String,
    action: &'static str,
    taken: Selector<Vec<String>>,
    done: impl Fn(String) + Copy + Send + Sync + 'static,
    /// No name after all.
    cancel: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoMarkup {
    let name = RwSignal::new(if suggested.is_empty() { present.clone() } else { suggested });
    let problem = RwSignal::new(None::<String>);
    let input = NodeRef::<Input>::new();
    use_select_all(input);
    // The click, not the form's own event: a sandboxed frame submits nothing. Enter clicks this button too.
    let submit = move |ev: MouseEvent| {
        ev.prevent_default();
        let wanted = name.get_untracked().trim().to_owned();
        if wanted.is_empty() {
            problem.set(Some(words::NAME_EMPTY.to_owned()));
        } else if wanted == present {
            cancel();
        } else if taken.get_untracked().contains(&wanted) {
            problem.set(Some(words::name_taken(&wanted)));
        } else {
            done(wanted);
        }
    };
    let escape = move |ev: KeyboardEvent| {
        if ev.key() == "Escape" {
            cancel();
        }
    };
    view! {
        <form class="file-name-form" on:keydown=escape>
            <input
                node_ref=input class="input" data-face="code" data-testid="file-name"
                aria-label=words::FILE_NAME aria-invalid=move || problem.get().map(|_| "true")
                placeholder=words::FILE_NAME_EXAMPLE autocomplete="off" spellcheck="false" prop:value=name
                on:input=move |ev| {
                    problem.set(None);
                    name.set(event_target_value(&ev));
                }
            />
            <button type="submit" class="button" on:click=submit>{action}</button>
            {quiet_button(common::CANCEL).on_click(move |_| cancel())}
            <p class="field-problem" role="alert">{problem}</p>
        </form>
    }
}

/// Deletes a file and offers to put it back, with what was typed into it and not shared yet.
pub fn remove(dispatch: Dispatch, notices: Notices, name: String) {
    let field = DraftField::File(name.clone());
    let text = dispatch.field(&field).text.get_untracked().to_string();
    dispatch.discard_draft(&field);
    let Command::EditMind { session, base, .. } = dispatch.mind_edit(Vec::new()) else { return };
    dispatch.write_mind_then(vec![MindWrite::Remove(name.clone())], move |done| {
        if done {
            let writes = vec![MindWrite::New { name: name.clone(), text }, MindWrite::Activate(name.clone())];
            let back = move || Command::EditMind { session, base, writes: writes.clone() };
            notices.tell_undo(words::deleted(&name), back);
        }
    });
}
