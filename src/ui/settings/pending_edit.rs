//! The fields that follow from the schema of settings; and edits of one row that follow each other faster than the row shows
//! them. [`AgentEditor`] sends those of an agent's definition.

use serde_json::Value;

use crate::ui::prelude::*;
use nexus_model::agent::Agent;
use nexus_model::settings::schema::{AnySetting, SCHEMA, SettingGroup, SettingInfo};
use nexus_view::strings::settings::appearance as words;

/// What was sent of a row last. An edit of a whole row replaces it; built on a row that does not show the edit before
/// yet, it would take that one back.
pub(super) struct PendingEdit<T: 'static>(StoredValue<Option<SentRow<T>>>);

impl<T> Clone for PendingEdit<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PendingEdit<T> {}

struct SentRow<T> {
    /// The row as it was shown then.
    seen: T,
    sent: T,
    /// How many edits have not been answered.
    in_flight: usize,
}

impl<T: Clone + PartialEq + Send + Sync + 'static> PendingEdit<T> {
    pub(super) fn new() -> Self {
        Self(StoredValue::new(None))
    }

    /// Sends the row with this edit; one that changes nothing is not sent.
    pub(super) fn send(
        self,
        dispatch: Dispatch,
        shown: &T,
        edit: &dyn Fn(&mut T),
        command: fn(T) -> Command,
    ) {
        if let Some(row) = self.edited(shown, edit) {
            dispatch.send_then(command(row), move |outcome| self.answered(outcome.is_ok()));
        }
    }

    /// The row with this edit and those that are on their way. `None` where the edit changes nothing.
    fn edited(self, shown: &T, edit: &dyn Fn(&mut T)) -> Option<T> {
        self.0.try_update_value(|pending| {
            let kept = pending.take().filter(|last| last.in_flight > 0 || last.seen == *shown);
            let (before, in_flight) =
                kept.map_or_else(|| (shown.clone(), 0), |last| (last.sent, last.in_flight));
            let mut after = before.clone();
            edit(&mut after);
            let changes = after != before;
            *pending = Some(SentRow {
                seen: shown.clone(),
                sent: after.clone(),
                in_flight: in_flight + usize::from(changes),
            });
            changes.then_some(after)
        })?
    }

    /// Notes the answer to an edit. What follows a rejected one builds on the row again.
    fn answered(self, accepted: bool) {
        self.0.try_update_value(|pending| {
            if let Some(last) = pending {
                last.in_flight = last.in_flight.saturating_sub(1);
            }
            if !accepted {
                *pending = None;
            }
        });
    }
}

/// Changes an agent's definition, as handlers copy it.
#[derive(Clone, Copy)]
pub struct AgentEditor {
    dispatch: Dispatch,
    row: Selector<AgentRow>,
    pending: PendingEdit<Agent>,
}

impl AgentEditor {
    pub(crate) fn new(dispatch: Dispatch, row: Selector<AgentRow>) -> Self {
        Self { dispatch, row, pending: PendingEdit::new() }
    }

    pub(crate) fn agent(self, edit: &dyn Fn(&mut Agent)) {
        let shown = self.row.with_untracked(|row| Arc::clone(&row.agent));
        self.pending.send(self.dispatch, &shown, edit, |agent| Command::ChangeAgent { agent });
    }
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
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let SettingInfo { id, test, .. } = *info;
    let (title, hint, wrong) = (Text(info.label), Text(info.hint), Text(info.wrong));
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
            let (kind, kept) = (setting.kind, settings.value(setting));
            let value = select(move || {
                kept.with(|kept| kept.as_deref().map(|kept| kind.show(kept)).unwrap_or_default())
            });
            let keep = move |text: &str| {
                // Nothing goes back to the default.
                let value = if text.is_empty() { Value::Null } else { kind.enter(text).ok_or(wrong)? };
                dispatch.set_setting(setting, value);
                Ok(())
            };
            let example = kind.show(&kind.default.into());
            text_field(id, title, value, keep).test(test).hint(hint).example(example).code().into_markup()
        }
        AnySetting::Choice(setting) => {
            let (kind, kept, chosen) = (setting.kind, settings.text(setting), settings.get(setting));
            let problem = select(move || {
                let is_wrong = kept.with(|kept| !kept.is_empty() && *kept != chosen.get());
                is_wrong.then(|| words::wrong(&kept.get(), tr(kind.name_of(chosen.get()))))
            });
            let choices = kind.options.iter().map(|(value, name)| ((*value).to_owned(), tr(name).to_owned()));
            let choices = Selector::fixed(choices.collect::<Vec<_>>());
            let value = select(move || chosen.get().to_owned());
            let keep = move |value: String| dispatch.set_setting(setting, value);
            choice_field(id, title, choices, value, keep).test(test).hint(hint).problem(problem).into_markup()
        }
        AnySetting::Text(setting) => {
            let value = settings.text(setting);
            let keep = move |text: &str| dispatch.set_setting(setting, text);
            free_field(id, title, value, keep).test(test).hint(hint).into_markup()
        }
        AnySetting::Own(_) | AnySetting::Rows(_) => Markup::Empty,
    }
}
