//! The completion list for `@…`, `#…` and `/…`, and slash commands. Loaded with the board.

use crate::ui::prelude::*;
use nexus_view::mention;
use nexus_view::mention::slash::{SentCommand, SlashCommand};
use nexus_view::mention::{matching, slash, unknown_recipient};
use nexus_view::strings::chat as words;

const FILES_SHOWN: usize = 20;

/// What the composer asks of its completion. A trait object, so that the composer's chunk contains none of it.
pub trait Completion {
    /// Updates the list for the text before the caret.
    fn update(&self);
    fn close(&self);
    /// Handles a key in the list; true if it was handled.
    fn key(&self, event: &KeyboardEvent) -> bool;
    /// Runs a text that is a slash command, or says that there is no such command. False if the text is a message.
    fn run(&self, text: &str) -> bool;
}

/// The composer's side of its completion.
#[derive(Clone, Copy)]
pub struct CompletionSlot {
    pub area: NodeRef<Textarea>,
    pub field: DraftBinding,
    /// The element id of the option that Enter inserts, while the list is shown.
    pub active: RwSignal<Option<String>>,
    /// The name of an agent at the start of the message, if none has it.
    pub unknown: RwSignal<Option<String>>,
    /// `None` until it is loaded.
    loaded: StoredValue<Option<Rc<dyn Completion>>>,
}

impl CompletionSlot {
    pub fn new(area: NodeRef<Textarea>, field: DraftBinding) -> Self {
        let (active, unknown) = (RwSignal::new(None), RwSignal::new(None));
        Self { area, field, active, unknown, loaded: StoredValue::new(None) }
    }

    pub fn loaded(self) -> Option<Rc<dyn Completion>> {
        // A command may have removed the composer.
        self.loaded.try_get_value().flatten()
    }
}

lazy_view!(board, lazy_completion, CompletionList { slot: CompletionSlot });

#[component]
fn CompletionList(slot: CompletionSlot) -> impl IntoMarkup {
    let &Page { agents, .. } = expect_context();
    let completion = MentionCompletion::new(slot);
    let MentionCompletion { fitting, chosen, .. } = completion;
    slot.loaded.set_value(Some(Rc::new(completion)));
    Effect::new(move || {
        let chosen = chosen.get();
        slot.active.set_if_changed(fitting.with(|fitting| fitting.get(chosen).map(option_id)));
    });
    Effect::new(move || {
        let names = || completion.named_agents().into_iter().map(|(name, _)| name).collect();
        let unknown = slot.field.text.with(|text| unknown_recipient(text, names).map(str::to_owned));
        slot.unknown.set_if_changed(unknown);
    });
    let item = move |fit: MentionCandidate| {
        let (badge, about, name) = match &fit {
            MentionCandidate::Agent(key) => {
                let row = agents.rows.row(key);
                let about = row.map(|row| row.with_untracked(|row| translated(&row.agent.description)));
                (Some(AgentBadge::of(Some(key))), about, None)
            }
            MentionCandidate::File(name) => (None, None, Some(name.clone())),
            MentionCandidate::Command(command) => {
                (None, Some(tr(command.about).to_owned()), Some(command.name.to_owned()))
            }
        };
        let mark = if matches!(fit, MentionCandidate::Command(_)) { "/" } else { "#" };
        let own = fit.clone();
        let is_chosen = move || fitting.with(|fitting| fitting.get(chosen.get()) == Some(&own));
        let id = option_id(&fit);
        let take_it = move |event: MouseEvent| {
            // The composer keeps the focus.
            event.prevent_default();
            completion.take(&fit);
        };
        view! {
            <li
                class="mention" id=id role="option" aria-selected=move || is_chosen().to_string()
                data-accent=move || badge.map(|badge| badge.accent()) on:mousedown=take_it
            >
                <span aria-hidden="true">{move || badge.map_or_else(|| mark.into_markup(), |badge| badge.picture())}</span>
                <span>{move || name.clone().or_else(|| Some(badge?.name()))}</span>
                <small>{about}</small>
            </li>
        }
    };
    view! {
        <Show when=move || fitting.with(|fitting| !fitting.is_empty())>
            <ul class="mention-list" id="mentions" role="listbox" data-testid="mention-list" aria-label=tr("Suggestions")>
                {keyed_list(move || fitting.get(), Clone::clone, item)}
            </ul>
        </Show>
    }
}

#[derive(Clone, Copy)]
struct MentionCompletion {
    slot: CompletionSlot,
    fitting: RwSignal<Vec<MentionCandidate>>,
    /// Index of the option that Enter inserts.
    chosen: RwSignal<usize>,
    page: &'static Page,
}

impl Completion for MentionCompletion {
    fn update(&self) {
        let text = self.slot.field.text.get_untracked();
        let caret = self.caret(&text);
        let begun = caret.and_then(|caret| mention::at_caret(&text, caret));
        let fitting = match begun {
            Some(begun) if begun.is_file => {
                let names = self.page.mind.files.order.get_untracked();
                let fitting = matching(begun.typed, &names).into_iter().take(FILES_SHOWN);
                fitting.cloned().map(MentionCandidate::File).collect()
            }
            Some(begun) => self.agents_that_fit(begun.typed),
            None => {
                let commands = slash::matching(&text, caret.unwrap_or_default());
                commands.into_iter().map(MentionCandidate::Command).collect()
            }
        };
        self.chosen.set(0);
        self.fitting.set_if_changed(fitting);
    }

    fn close(&self) {
        self.fitting.set_if_changed(Vec::new());
    }

    fn key(&self, event: &KeyboardEvent) -> bool {
        let count = self.fitting.with_untracked(Vec::len);
        if count == 0 {
            return false;
        }
        let chosen = self.chosen.get_untracked();
        match event.key().as_str() {
            "ArrowDown" => self.chosen.set((chosen + 1) % count),
            "ArrowUp" => self.chosen.set((chosen + count - 1) % count),
            key @ ("Enter" | "Tab") if !event.shift_key() => {
                let fit = self.fitting.with_untracked(|fitting| fitting.get(chosen).cloned());
                // Enter after a whole name sends.
                if key == "Enter" && fit.as_ref().is_some_and(|fit| self.is_typed(fit)) {
                    self.close();
                    return false;
                }
                fit.into_iter().for_each(|fit| self.take(&fit));
            }
            "Escape" => self.close(),
            _ => return false,
        }
        event.prevent_default();
        event.stop_propagation();
        true
    }

    fn run(&self, text: &str) -> bool {
        match slash::sent(text) {
            SentCommand::None => return false,
            SentCommand::Known(command) => self.take(&MentionCandidate::Command(command)),
            SentCommand::Unknown(name) => {
                let notice = words::no_such_command(name);
                self.page.notices.add(NoticeKind::Info, notice.title, notice.advice);
            }
        }
        true
    }
}

impl MentionCompletion {
    fn new(slot: CompletionSlot) -> Self {
        let (fitting, chosen) = (RwSignal::new(Vec::new()), RwSignal::new(0));
        Self { slot, fitting, chosen, page: expect_context() }
    }

    fn agents_that_fit(self, begun: &str) -> Vec<MentionCandidate> {
        let named = untrack(|| self.named_agents());
        let names: Vec<_> = named.iter().map(|(name, _)| name.clone()).collect();
        let key_of = |fits: &String| named.iter().find(|(name, _)| name == fits).map(|(_, key)| key.clone());
        matching(begun, &names).into_iter().filter_map(key_of).map(MentionCandidate::Agent).collect()
    }

    fn named_agents(self) -> Vec<(String, AgentKey)> {
        let named = |row: AgentRow| (row.agent.identity.name.clone(), row.agent.key.clone());
        self.page.agents.roster().into_iter().map(named).collect()
    }

    /// The caret in the text, in bytes.
    fn caret(self, text: &str) -> Option<usize> {
        text::place(self.slot.area).map(|place| mention::byte_of(text, place))
    }

    /// What a candidate inserts; `None` for a command.
    fn inserted(self, fit: &MentionCandidate) -> Option<String> {
        match fit {
            MentionCandidate::File(name) => Some(format!("#{name}")),
            MentionCandidate::Agent(agent) => {
                self.page.agents.rows.get_untracked(agent).map(|row| format!("@{}", row.agent.identity.name))
            }
            MentionCandidate::Command(_) => None,
        }
    }

    fn is_typed(self, fit: &MentionCandidate) -> bool {
        let text = self.slot.field.text.get_untracked();
        let place = self.caret(&text).zip(self.inserted(fit));
        place.is_some_and(|(caret, inserted)| mention::is_whole(&text, caret, &inserted))
    }

    fn take(self, fit: &MentionCandidate) {
        self.close();
        let field = self.slot.field;
        let text = field.text.get_untracked();
        if let MentionCandidate::Command(command) = fit {
            let name = text.find(char::is_whitespace).unwrap_or(text.len());
            field.typed(text.get(name..).unwrap_or_default().trim_start());
            self.page.keyboard.set(Some(ShortcutAction::Named(command.action)));
            return;
        }
        let (Some(caret), Some(inserted)) = (self.caret(&text), self.inserted(fit)) else { return };
        let Some(begun) = mention::at_caret(&text, caret) else { return };
        let (text, caret) = mention::insert(&text, begun.at, caret, &inserted);
        field.typed(&text);
        let place = mention::utf16_of(&text, caret);
        text::select_soon(self.slot.area, place, place);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum MentionCandidate {
    Agent(AgentKey),
    File(String),
    Command(&'static SlashCommand),
}

/// The element id of an option, for `aria-activedescendant`.
fn option_id(fit: &MentionCandidate) -> String {
    match fit {
        MentionCandidate::Agent(agent) => format!("mention-{agent}"),
        // Ids contain no spaces.
        MentionCandidate::File(name) => format!("mention-file-{}", name.replace(char::is_whitespace, "_")),
        MentionCandidate::Command(command) => format!("mention-command-{}", command.name),
    }
}
