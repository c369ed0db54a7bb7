//! The list of triggers and the form to create or edit one.

use serde::{Deserialize, Serialize};

use crate::ui::prelude::*;
use nexus_model::session::trigger::{
    DueState, PauseReason, Recipient, Schedule, Trigger, TriggerError, triggers,
};
use nexus_model::settings::schema::TRIGGER_DRAFT;
use nexus_text::json;
use nexus_view::session_list::sessions;
use nexus_view::strings::board::deleted;
use nexus_view::strings::settings::triggers as words;
use nexus_view::strings::{quoted, rejection};

/// Stored as a draft until it is saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TriggerFormState {
    /// The edited trigger; `None` for a new one.
    changed: Option<Trigger>,
    name: String,
    kind: String,
    at: String,
    first: String,
    minutes: String,
    file: String,
    place: String,
    to: String,
    text: String,
}

/// The form's value of a recipient.
fn value_of(to: &Recipient) -> String {
    match to {
        Recipient::Persona(agent) => format!("@{agent}"),
        Recipient::Session(session) => session.to_string(),
    }
}

fn target_of(value: &str) -> Option<Recipient> {
    match value.strip_prefix('@') {
        Some(agent) => Some(Recipient::Persona(AgentKey(agent.to_owned()))),
        None => value.parse().ok().map(Recipient::Session),
    }
}

impl TriggerFormState {
    fn blank(agents: Agents) -> Self {
        let first = agents.order.get_untracked().first().map(|key| format!("@{key}"));
        Self {
            kind: "every".to_owned(),
            minutes: "60".to_owned(),
            to: first.unwrap_or_default(),
            ..Self::default()
        }
    }

    fn of(trigger: &Trigger, local: LocalTime, agents: Agents) -> Self {
        let mut form = Self {
            changed: Some(trigger.clone()),
            name: trigger.name.clone(),
            kind: words::kind(&trigger.when).to_owned(),
            to: value_of(&trigger.to),
            text: trigger.text.clone(),
            ..Self::blank(agents)
        };
        form.place = trigger.when.session().map(|one| one.to_string()).unwrap_or_default();
        match &trigger.when {
            Schedule::At(at) => form.at = local.field(*at),
            Schedule::Every { ms, from } => {
                form.minutes = (ms / 60_000).to_string();
                form.first = local.field(*from);
            }
            Schedule::FileChanged { file, .. } => form.file.clone_from(file),
            Schedule::RunFailed { .. } | Schedule::ObjectiveChanged { .. } => {}
        }
        form
    }

    fn when(&self, now: Millis, local: LocalTime) -> Result<Schedule, String> {
        let session = self.place.parse().ok();
        Ok(match self.kind.as_str() {
            "at" => Schedule::At(local.from_field(&self.at).ok_or(words::NO_TIME.get())?),
            "file" => Schedule::FileChanged { file: self.file.trim().to_owned(), session },
            "failed" => Schedule::RunFailed { session },
            "objective" => Schedule::ObjectiveChanged { session },
            _ => {
                let minutes = self.minutes.trim().parse::<u64>().ok();
                let minutes = minutes.filter(|one| (1..=words::MOST_MINUTES).contains(one));
                let ms = minutes.ok_or_else(words::no_minutes)?.saturating_mul(60_000);
                let from = match self.first.trim() {
                    // An unchanged first time keeps its seconds.
                    "" => Millis(now.0.saturating_add(ms)),
                    first => match self.changed.as_ref().map(|old| &old.when) {
                        Some(Schedule::Every { from, .. }) if local.field(*from) == first => *from,
                        Some(_) | None => local.from_field(first).ok_or(words::NO_TIME.get())?,
                    },
                };
                Schedule::Every { ms, from }
            }
        })
    }
}

#[derive(Clone, Copy)]
struct TriggerEditor {
    page: &'static Page,
    form: RwSignal<Option<TriggerFormState>>,
    problem: RwSignal<Option<String>>,
    is_saving: RwSignal<bool>,
}

impl TriggerEditor {
    /// While a form is open, no other may be opened: what was typed would be lost.
    fn is_open(self) -> bool {
        self.form.with(Option::is_some)
    }

    fn edit(self, form: TriggerFormState) {
        self.problem.set(None);
        self.form.set(Some(form));
        focus::soon("trigger-name".to_owned());
    }

    fn leave(self) {
        self.problem.set(None);
        self.form.set(None);
        focus::soon("trigger-add".to_owned());
    }

    fn save(self) {
        // A second click would create a second trigger.
        let Some(form) = self.form.get_untracked().filter(|_| !self.is_saving.get_untracked()) else {
            return;
        };
        let now = self.page.dispatch.now();
        let (when, to) = match (form.when(now, self.page.local), target_of(&form.to)) {
            (Ok(when), Some(to)) => (when, to),
            (Err(wrong), _) => return self.problem.set(Some(wrong)),
            (_, None) => return self.problem.set(Some(strings::trigger_error(TriggerError::Nobody))),
        };
        let TriggerFormState { changed, name, text, .. } = form;
        let trigger = match changed {
            Some(changed) => Trigger { name, when, to, text, ..changed },
            None => Trigger {
                id: self.page.dispatch.trigger_id(),
                name,
                when,
                to,
                text,
                pause_reason: None,
                since: now,
                last: None,
                recent: Vec::new(),
            },
        };
        self.is_saving.set(true);
        self.page.dispatch.send_quietly(Command::ChangeTrigger(trigger), move |outcome| {
            self.is_saving.set(false);
            match outcome {
                Ok(()) => self.leave(),
                Err(rejected) => {
                    let notice = rejection(&rejected);
                    self.problem.set(Some(format!("{}. {}", notice.title, notice.advice)));
                }
            }
        });
    }

    fn session_name(self, session: SessionId) -> String {
        self.page.world.with(WorldParts::SESSIONS, |world| match world.session(&session) {
            Some(row) => quoted(&reveal(&row.name())),
            None => session.to_string(),
        })
    }

    fn target_name(self, to: &Recipient) -> String {
        match to {
            Recipient::Persona(key) => AgentBadge::of(Some(key)).name(),
            Recipient::Session(session) => self.session_name(*session),
        }
    }
}

#[component]
pub fn TriggerList() -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let draft = page.settings.value(TRIGGER_DRAFT).get_untracked();
    let form = draft.and_then(|draft| json::read::<TriggerFormState>(draft.as_str()?).ok());
    let (form, problem, is_saving) = (RwSignal::new(form), RwSignal::new(None), RwSignal::new(false));
    let editor = TriggerEditor { page, form, problem, is_saving };
    page.dispatch.store_form(TRIGGER_DRAFT, editor.form.map_some(|form| json::write(form).ok()));
    let all = editor.page.world.select(WorldParts::SETTINGS, triggers);
    let list = move || {
        let rows = all.get();
        if rows.is_empty() {
            return view! { <p class="hint" data-testid="trigger-none">{words::NONE}</p> };
        }
        rows.into_iter().map(|row| card(row, editor)).into_markup()
    };
    view! {
        {list}
        {move || editor.is_open().then(|| view! { <TriggerForm editor /> })}
        <div class="settings-actions">
            {button(words::ADD).id("trigger-add").test("trigger-add").disabled(move || editor.is_open())
                .on_click(move |_| editor.edit(TriggerFormState::blank(editor.page.agents)))}
        </div>
    }
}

fn card(row: Trigger, editor: TriggerEditor) -> Markup {
    let id = row.id;
    let &Page { local, now, .. } = editor.page;
    let watched = row.when.session();
    let place = watched.map_or_else(|| words::ANYWHERE.to_owned(), |session| editor.session_name(session));
    let schedule = words::when(&row.when, &place, |at| words::moment(at, now.get_untracked(), local));
    let shown = row.clone();
    let status = select(move || match (shown.pause_reason, shown.due_state(now.get())) {
        (Some(rest), _) => Some(words::rest(rest)),
        (None, DueState::Later(at) | DueState::Due(at)) => Some(words::moment(at, now.get(), local)),
        (None, DueState::Never | DueState::Missed(..)) => None,
    });
    let last = row.last.as_ref().map(|last| {
        let outcome = words::outcome(last.outcome.as_ref());
        let (at, rest) = (last.at, format!("{}; {outcome}.", words::cause(&last.cause)));
        view! { <p class="hint" data-testid="trigger-last">{move || ago(at, now.get())} ": " {rest}</p> }
    });
    let is_paused = row.pause_reason.is_some();
    let is_over = row.pause_reason == Some(PauseReason::Over);
    let (edited, name) = (row.clone(), row.name.clone());
    let button = |test: &'static str, label: Text| button(label).test(test).label(format!("{label}: {name}"));
    let pause = (!is_over).then(|| {
        button("trigger-pause", if is_paused { common::RESUME } else { words::PAUSE }).on_click(move |_| {
            editor.page.dispatch.send(Command::SetTriggerPaused { trigger: id, paused: !is_paused })
        })
    });
    let edit = move |_| editor.edit(TriggerFormState::of(&edited, editor.page.local, editor.page.agents));
    let removed = row.clone();
    let remove = move |_| {
        let (command, title) = (Command::RemoveTrigger { trigger: id }, deleted(&removed.name));
        let removed = removed.clone();
        editor.page.dispatch.send_undoable(command, title, move || Command::ChangeTrigger(removed.clone()));
    };
    view! {
        <div class="settings-card" data-testid="trigger" data-rests=is_paused.to_string()>
            <h3 dir="auto">{reveal(&row.name).to_string()}</h3>
            <p data-testid="trigger-line">
                {format!("{schedule} → {}", editor.target_name(&row.to))}
                {move || status.get().map(|status| view! { " " <span class="tag" data-testid="trigger-status">{status}</span> })}
            </p>
            <p class="hint" dir="auto">{reveal(&row.text).to_string()}</p>
            {last}
            <div class="settings-actions">
                {pause}
                {button("trigger-edit", common::EDIT).disabled(move || editor.is_open()).on_click(edit)}
                {button("trigger-delete", common::DELETE).on_click(remove)}
            </div>
        </div>
    }
}

type FormField = fn(&mut TriggerFormState) -> &mut String;

#[component]
fn TriggerForm(editor: TriggerEditor) -> impl IntoMarkup {
    let form = editor.form;
    let get = move |field: FormField| {
        select(move || form.get().map(|mut form| std::mem::take(field(&mut form))).unwrap_or_default())
    };
    let put = move |value: String, field: FormField| {
        form.update(|form| form.iter_mut().for_each(|form| field(form).clone_from(&value)));
    };
    let input = move |id: &'static str, title: Text, kind: &'static str, hint: Text, field: FormField| {
        let about = format!("{id}-about");
        view! {
            <div class="field">
                <label class="field-name" for=id>{title}</label>
                <input
                    class="input" id=id data-testid=id type=kind dir="auto" autocomplete="off"
                    aria-describedby=about.clone() prop:value=get(field)
                    on:input=move |event| put(event_target_value(&event), field)
                />
                <p class="hint" id=about hidden=hint.is_empty()>{hint}</p>
            </div>
        }
    };
    let choice = move |id, title, choices: Selector<Vec<(String, String)>>, field: FormField| {
        choice_field(id, title, choices, get(field), move |value| put(value, field)).test(id)
    };
    let sessions = move || {
        let open =
            editor.page.world.with(WorldParts::SESSIONS, |world| sessions(world, SessionFilter::Open, ""));
        open.into_iter().map(|row| (row.id.to_string(), quoted(&reveal(&row.name)))).collect::<Vec<_>>()
    };
    // Without the current value among them, the list would show its first choice, and an archived session or a deleted
    // agent would be kept in secret.
    let with_current = move |mut all: Vec<(String, String)>, current: String| {
        if let Some(target) = target_of(&current).filter(|_| all.iter().all(|(value, _)| *value != current)) {
            all.push((current, editor.target_name(&target)));
        }
        all
    };
    let current_place = get(|form| &mut form.place);
    let places = select(move || {
        let all = std::iter::once((String::new(), words::ANY.to_owned())).chain(sessions()).collect();
        with_current(all, current_place.get())
    });
    let current_target = get(|form| &mut form.to);
    let targets = select(move || {
        let keys = editor.page.agents.order.get();
        let named =
            keys.into_iter().map(|key| (format!("@{key}"), editor.target_name(&Recipient::Persona(key))));
        with_current(named.chain(sessions()).collect(), current_target.get())
    });
    let kinds = Selector::fixed(words::KINDS.map(|(kind, name)| (kind.to_owned(), name.to_owned())).to_vec());
    let kind = get(|form| &mut form.kind);
    let place =
        move || choice("trigger-place", common::SESSION, places, |form| &mut form.place).into_markup();
    let more = move || match kind.get().as_str() {
        "at" => input("trigger-at", words::AT, "datetime-local", Text(""), |form| &mut form.at),
        "file" => view! {
            {input("trigger-file", common::FILE, "text", words::FILE_ABOUT, |form| &mut form.file)}
            {place()}
        },
        "failed" | "objective" => place(),
        _ => view! {
            {input("trigger-minutes", words::EVERY, "number", Text(""), |form| &mut form.minutes)}
            {input("trigger-first", words::FIRST, "datetime-local", words::FIRST_ABOUT, |form| &mut form.first)}
        },
    };
    let text = get(|form| &mut form.text);
    view! {
        <div class="settings-card" role="group" aria-label=words::ADD data-testid="trigger-form">
            <div class="settings-row">
                {input("trigger-name", common::NAME, "text", Text(""), |form| &mut form.name)}
                {choice("trigger-kind", words::WHEN, kinds, |form| &mut form.kind)}
            </div>
            <div class="settings-row">{more}</div>
            {choice("trigger-to", words::TO, targets, |form| &mut form.to)}
            <div class="field">
                <label class="field-name" for="trigger-text">{common::MESSAGE}</label>
                <textarea
                    class="area" id="trigger-text" data-testid="trigger-text" rows="3" dir="auto"
                    placeholder=words::TEXT_EXAMPLE prop:value=text
                    on:input=move |event| put(event_target_value(&event), |form| &mut form.text)
                ></textarea>
            </div>
            <p class="field-problem" role="alert" data-testid="trigger-problem">{move || editor.problem.get()}</p>
            <div class="settings-actions">
                {button(common::SAVE).first().test("trigger-keep").on_click(move |_| editor.save())}
                {quiet_button(common::CANCEL).test("trigger-cancel").disabled(move || editor.is_saving.get())
                    .on_click(move |_| editor.leave())}
            </div>
        </div>
    }
}
