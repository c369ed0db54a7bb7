//! Fields generated from the schema of settings; the question before something is deleted; and rapid edits of one row,
//! each based on the edit before. [`AgentEditor`] sends those of an agent's definition.

use crate::ui::kit::control::{Control, Field};
use crate::ui::prelude::*;
use nexus_model::settings::schema::{AnySetting, SCHEMA, SettingInfo};
use nexus_view::strings::settings::appearance as words;

/// The last edit sent for a row. An edit replaces the whole row; based on a row that does not show the previous edit
/// yet, it would revert that one.
pub(super) struct PendingEdit<T: 'static> {
    shown: Selector<T>,
    last: StoredValue<Option<SentRow<T>>>,
}

impl<T> Clone for PendingEdit<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PendingEdit<T> {}

struct SentRow<T> {
    /// True until the row is shown changed: then the shown one is the newer.
    is_unseen: bool,
    sent: T,
    /// Number of edits without a reply.
    in_flight: usize,
}

impl<T: Clone + PartialEq + Send + Sync + 'static> PendingEdit<T> {
    /// Edits of the shown row.
    pub(super) fn of(shown: Selector<T>) -> Self {
        let last = StoredValue::new(None::<SentRow<T>>);
        // Not compared with the row at the edit, to which an undo or another tab may return it.
        Effect::new(move || {
            shown.track();
            last.update_value(|last| last.iter_mut().for_each(|last| last.is_unseen = false));
        });
        Self { shown, last }
    }

    /// Sends the row with this edit, unless it changes nothing.
    pub(super) fn send(self, dispatch: Dispatch, edit: &dyn Fn(&mut T), command: fn(T) -> Command) {
        self.send_then(dispatch, edit, command, |_| ());
    }

    /// Like `send`; `then` gets whether the edit was accepted.
    pub(super) fn send_then(
        self,
        dispatch: Dispatch,
        edit: &dyn Fn(&mut T),
        command: fn(T) -> Command,
        then: impl FnOnce(bool) + 'static,
    ) {
        if let Some(row) = self.edited(edit) {
            dispatch.send_then(command(row), move |outcome| {
                self.on_reply(outcome.is_ok());
                then(outcome.is_ok());
            });
        }
    }

    /// The row with this edit and those that it does not show yet; `None` if the edit changes nothing.
    fn edited(self, edit: &dyn Fn(&mut T)) -> Option<T> {
        self.last.try_update_value(|pending| {
            let last_edit = pending.take().filter(|last| last.in_flight > 0 || last.is_unseen);
            let (before, in_flight, was_unseen) = match last_edit {
                Some(last) => (last.sent, last.in_flight, last.is_unseen),
                None => (self.shown.get_untracked(), 0, false),
            };
            let mut after = before.clone();
            edit(&mut after);
            let changes = after != before;
            *pending = Some(SentRow {
                is_unseen: changes || was_unseen,
                sent: after.clone(),
                in_flight: in_flight + usize::from(changes),
            });
            changes.then_some(after)
        })?
    }

    /// The row is changed in another way: the next edit is based on the shown one.
    pub(super) fn forget(self) {
        self.last.set_value(None);
    }

    /// Handles the reply to an edit. After a rejection, edits are based on the shown row again.
    fn on_reply(self, accepted: bool) {
        // The settings may be closed by now.
        self.last.try_update_value(|pending| {
            if let Some(last) = pending {
                last.in_flight = last.in_flight.saturating_sub(1);
            }
            if !accepted {
                *pending = None;
            }
        });
    }
}

/// Edits an agent's definition. Copied by handlers.
#[derive(Clone, Copy)]
pub struct AgentEditor {
    dispatch: Dispatch,
    pub(super) row: Selector<AgentRow>,
    pending: PendingEdit<Agent>,
}

impl AgentEditor {
    pub(super) fn new(dispatch: Dispatch, row: Selector<AgentRow>) -> Self {
        Self { dispatch, row, pending: PendingEdit::of(row.map(|row| Agent::clone(&row.agent))) }
    }

    /// Memoises a part of the definition.
    pub(super) fn read(self, get: fn(&Agent) -> String) -> Selector<String> {
        self.row.map(move |row| get(&row.agent))
    }

    pub(super) fn agent(self, edit: &dyn Fn(&mut Agent)) {
        self.pending.send(self.dispatch, edit, |agent| Command::ChangeAgent { agent });
    }
}

/// A button and, once it was pressed, the question below it, with the button `yes` that acts.
pub(super) fn button_with_question(
    first: Control,
    about: impl Fn() -> String + Copy + Send + Sync + 'static,
    yes: impl Fn() -> Control + Copy + Send + Sync + 'static,
) -> impl IntoMarkup {
    let is_asked = RwSignal::new(false);
    let question = move || {
        let node = NodeRef::<Div>::new();
        // The button may be at the lower edge of the view.
        Effect::new(move |_| node.get().into_iter().for_each(|node| focus::scroll_into_view(&node)));
        view! {
            <div class="callout" role="alert" node_ref=node>
                <p>{about}</p>
                <div class="settings-actions">
                    {yes}
                    {button(common::CANCEL).on_click(move |_| is_asked.set(false))}
                </div>
            </div>
        }
    };
    view! {
        {first.with("aria-expanded", move || is_asked.get().to_string()).on_click(move |_| is_asked.set(true))}
        <Show when=move || is_asked.get()>{question}</Show>
    }
}

/// A select that is labelled as the schema says.
pub(super) fn setting_choice(
    info: &'static SettingInfo,
    choices: Vec<(String, String)>,
    value: impl Into<Selector<String>>,
    store: impl Fn(String) + Send + 'static,
) -> Field {
    choice_field(info.id, Text(info.label), Selector::fixed(choices), value, store)
        .test(info.test)
        .hint(Text(info.hint))
}

pub fn setting_fields(group: SettingGroup) -> Markup {
    let all: Vec<_> = SCHEMA.iter().filter(|(_, info)| info.group == group).collect();
    let rows = all.chunk_by(|(_, one), (_, next)| one.row > 0 && one.row == next.row).map(|row| {
        let is_row = row.iter().any(|(_, info)| info.row > 0);
        let fields = row.iter().map(|(setting, info)| setting_field(*setting, info));
        if is_row {
            view! { <div class="settings-row">{fields}</div> }
        } else {
            fields.into_markup()
        }
    });
    rows.into_markup()
}

fn setting_field(setting: AnySetting, info: &'static SettingInfo) -> Markup {
    let &Page { dispatch, settings, .. } = expect_context();
    let SettingInfo { id, test, .. } = *info;
    let (title, hint, wrong) = (Text(info.label), Text(info.hint), Text(info.error));
    match setting {
        AnySetting::Check(setting) => {
            let is_on = settings.get(setting);
            view! {
                <div class="field">
                    {check(title, is_on, move |on| dispatch.set_setting(setting, on))
                        .with("id", id).test(test)}
                    <p class="hint">{hint}</p>
                </div>
            }
        }
        AnySetting::Number(setting) => {
            let (kind, stored) = (setting.kind, settings.value(setting));
            let value = stored
                .map(move |stored| stored.as_deref().map(|stored| kind.show(stored)).unwrap_or_default());
            let store = move |text: &str| {
                // An empty field restores the default.
                let value = if text.is_empty() { Value::Null } else { kind.enter(text).ok_or(wrong)? };
                dispatch.set_setting(setting, value);
                Ok(())
            };
            let example = kind.show(&kind.default.into());
            text_field(id, title, value, store).test(test).hint(hint).example(example).code().into_markup()
        }
        AnySetting::Choice(setting) => {
            let (kind, stored, chosen) = (setting.kind, settings.text(setting), settings.get(setting));
            let problem = select(move || {
                let is_wrong = stored.with(|stored| !stored.is_empty() && *stored != chosen.get());
                is_wrong.then(|| words::wrong(&stored.get(), tr(kind.name_of(chosen.get()))))
            });
            let choices = kind.options.iter().map(|(value, name)| ((*value).to_owned(), tr(name).to_owned()));
            let value = select(move || chosen.get().to_owned());
            let store = move |value: String| dispatch.set_setting(setting, value);
            setting_choice(info, choices.collect(), value, store).problem(problem).into_markup()
        }
        AnySetting::Text(setting) => {
            let value = settings.text(setting);
            let store = move |text: &str| dispatch.set_setting(setting, text);
            free_field(id, title, value, store).test(test).hint(hint).into_markup()
        }
        AnySetting::Own(_) | AnySetting::Rows(_) => Markup::Empty,
    }
}
