//! A text field that the operator and agents both edit, with its last author, state and conflicts; the form for a
//! file's name; and the removal of a file, which can be undone including its uncommitted draft.
//!
//! Never replaces the operator's unsaved text with that of others.

use crate::ui::hooks::text::use_shared_text;
use crate::ui::prelude::*;
use nexus_model::mind::check_name;
use nexus_text::merge3;
use nexus_view::strings::Notice;
use nexus_view::strings::board as words;

/// How long an agent's change stays marked, in milliseconds.
const MARKED_MS: u64 = 6_000;

#[derive(Clone, Copy)]
pub struct FieldStatus {
    /// Name and colour of the agent that wrote last, and when.
    by: Selector<Option<(String, &'static str, Millis)>>,
    now: Selector<Millis>,
    state: Selector<DraftState>,
}

impl FieldStatus {
    /// The status of `field`, whose draft is in this state.
    pub fn of(field: &DraftField, state: Selector<DraftState>) -> Self {
        let &Page { agents, mind, now, .. } = expect_context();
        let field = field.clone();
        let written = mind.last_writers.map(move |writers| writers.get(&field).cloned());
        let by = select(move || {
            let written = written.get()?;
            let agent = agents.rows.row(&written.agent)?;
            Some(agent.with(|row| (row.agent.identity.name.clone(), row.agent.accent.name(), written.at)))
        });
        Self { by, now, state }
    }

    /// True if an agent wrote a moment ago.
    pub fn marked(self) -> bool {
        let until = self.by.with_some(|(_, _, at)| Some(at.0.saturating_add(MARKED_MS)));
        until.is_some_and(|until| self.now.get().0 < until)
    }

    pub fn accent(self) -> Option<&'static str> {
        self.by.with_some(|(_, accent, _)| Some(*accent))
    }
}

#[component]
pub fn SharedField(
    id: &'static str,
    field: DraftField,
    title: &'static str,
    hint: &'static str,
    is_code: bool,
) -> impl IntoMarkup {
    let slot = expect_context::<&Page>().dispatch.field(&field);
    let status = FieldStatus::of(&field, slot.state);
    let figures = move || slot.text.with(|text| words::figures(text));
    view! {
        <div class="board-head">
            <label class="label" for=id title=hint>{title}</label>
            <FieldNote status />
            <span class="board-figures">{figures}</span>
        </div>
        <SharedText id name=id label=String::new() hint field=slot is_code status />
    }
}

/// The last author, or that the operator is typing.
#[component]
pub fn FieldNote(status: FieldStatus) -> impl IntoMarkup {
    let typing = move || status.state.get() == DraftState::Typing;
    let kind = move || match (typing(), status.marked()) {
        (true, _) => Some("draft"),
        (false, true) => Some("written"),
        (false, false) => None,
    };
    let words = move || match status.by.get() {
        _ if typing() => common::EDITING.to_owned(),
        Some((who, _, at)) => words::written(&who, at, status.now.get()),
        None => String::new(),
    };
    view! {
        <span
            class="shared-note" data-kind=kind data-accent=move || status.accent()
            title=move || typing().then_some(words::TYPING_ABOUT)
        >
            {words}
        </span>
    }
}

/// The text area, with buttons for a conflict.
#[component]
pub fn SharedText(
    id: &'static str,
    name: &'static str,
    /// Its accessible name if no label is visible.
    label: String,
    hint: &'static str,
    field: DraftBinding,
    is_code: bool,
    status: FieldStatus,
) -> impl IntoMarkup {
    let read_only = expect_context::<&Page>().sessions.read_only;
    let area = NodeRef::<Textarea>::new();
    use_shared_text(area, field.text);
    let in_conflict = move || field.state.get() == DraftState::Conflicted;
    // Nobody but the operator is to read the marks.
    let is_marked = move || field.text.with(|text| merge3::is_marked(text));
    let label = (!label.is_empty()).then_some(label);
    view! {
        <Show when=in_conflict>
            <div class="conflict" role="alert">
                <b>{words::CONFLICT}</b>
                <span>{words::CONFLICT_ADVICE}</span>
                <span class="conflict-actions">
                    {button(words::CONFLICT_KEEP).test("conflict-keep").disabled(is_marked)
                        .on_click(move |_| field.keep())}
                    {quiet_button(words::CONFLICT_THEIRS).on_click(move |_| field.discard())}
                </span>
            </div>
        </Show>
        <div
            class="shared" data-written=move || status.marked().to_string()
            data-accent=move || status.accent()
        >
            <textarea
                node_ref=area id=id class="area" data-testid=name
                data-face=is_code.then_some("code") aria-label=label placeholder=hint
                spellcheck=(!is_code).to_string() autocomplete="off"
                readonly=move || read_only.get() on:input=move |ev| field.typed(&event_target_value(&ev))
            ></textarea>
        </div>
    }
}

#[component]
pub fn FileNameForm(
    present: String,
    /// Initial name of a new file.
    suggested: String,
    action: &'static str,
    taken: Selector<Vec<String>>,
    done: impl Fn(String) + Copy + Send + Sync + 'static,
    /// Called when the form is cancelled.
    cancel: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoMarkup {
    let name = RwSignal::new(if suggested.is_empty() { present.clone() } else { suggested });
    let problem = RwSignal::new(None::<String>);
    let input = NodeRef::<Input>::new();
    use_select_all(input);
    // The button that asked for the name gets the focus back, and what replaces the button takes it over.
    let before = StoredValue::new(scroll::save_focus());
    let cancel = move || {
        before.with_value(scroll::SavedFocus::restore);
        cancel();
    };
    // A click handler, not `submit`: sandboxed iframes submit nothing. Enter clicks this button too.
    let submit = move |ev: MouseEvent| {
        ev.prevent_default();
        let new_name = name.get_untracked().trim().to_owned();
        if new_name.is_empty() {
            problem.set(Some(words::NAME_EMPTY.to_owned()));
        } else if new_name == present {
            cancel();
        } else if taken.get_untracked().contains(&new_name) {
            problem.set(Some(words::name_taken(&new_name)));
        } else if let Err(error) = check_name(&new_name) {
            let Notice { title, advice } = strings::write_error(&error);
            problem.set(Some(format!("{title}. {advice}")));
        } else {
            before.with_value(scroll::SavedFocus::restore);
            done(new_name);
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

/// Deletes a file and offers undo, which restores its uncommitted draft too.
pub fn remove(dispatch: Dispatch, name: String) {
    let field = DraftField::File(name.clone());
    let text = dispatch.field(&field).text.get_untracked().to_string();
    dispatch.discard_draft(&field);
    let command = dispatch.mind_edit(vec![MindWrite::Remove(name.clone())]);
    let Command::EditMind { session, base, .. } = command else { return };
    let title = words::deleted(&name);
    let writes = vec![MindWrite::New { name: name.clone(), text }, MindWrite::Activate(name)];
    let back = move || Command::EditMind { session, base, writes: writes.clone() };
    dispatch.send_undoable(command, title, back);
}
