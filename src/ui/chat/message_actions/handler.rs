//! Performs the message actions: copy, quote, pin, go to messages, tool runs and files, and their shortcuts.

use std::str::FromStr;

use crate::ui::chat::reading::ReadingPosition;
use crate::ui::prelude::*;
use crate::ui::workspace::choose_recipient;
use nexus_model::limits::QUOTE_CHARS;
use nexus_model::message::{added, quotation};
use nexus_view::strings::chat::message_actions as words;

pub(super) const FIND_FIELD: &str = "find-text";

#[derive(Clone, Copy)]
pub struct MessageActionsHandler {
    pub(super) page: &'static Page,
    pub(super) room: Workspace,
    pub(super) reading: ReadingPosition,
    operator: Selector<String>,
}

impl MessageActionsHandler {
    pub(super) fn new() -> Self {
        let page = expect_context::<&Page>();
        let operator = page.settings.text(OPERATOR_NAME);
        Self { page, room: expect_context(), reading: expect_context(), operator }
    }

    pub(super) fn key(self, event: &KeyboardEvent) {
        if event.is_composing() || event.meta_key() {
            return;
        }
        let is_search = event.ctrl_key() && event.shift_key() && !event.alt_key() && event.code() == "KeyF";
        let is_quote = event.alt_key() && !event.ctrl_key() && !event.shift_key() && event.code() == "KeyQ";
        if is_search {
            event.prevent_default();
            self.perform(MessageAction::Find);
        } else if is_quote && let Some(picked) = text::picked_text() {
            event.prevent_default();
            self.ask(&picked);
        }
    }

    pub(super) fn perform(self, action: MessageAction) {
        match action {
            MessageAction::Copy(id) => self.copy(id),
            MessageAction::Quote(id) => {
                if let Some(message) = self.message(id) {
                    self.quote(&self.who(&message), &text_of(&message.parts));
                }
            }
            MessageAction::Pin(id) => {
                let pinned =
                    self.room.actions.pins.with_untracked(|pins| pins.iter().any(|pin| pin.message == id));
                let session = self.page.dispatch.session();
                self.page.dispatch.send(Command::PinMessage { session, message: id, pinned: !pinned });
            }
            MessageAction::Delete(id) => {
                let session = self.page.dispatch.session();
                self.page.dispatch.send(Command::DeleteMessage { session, message: id });
            }
            MessageAction::Menu(id) => {
                let open = self.room.actions.menu.get_untracked() == Some(id);
                self.room.actions.menu.set((!open).then_some(id));
            }
            MessageAction::ToMessage(id) => self.go(TimelineKey::Message(id)),
            MessageAction::ToTool(id) => self.go(TimelineKey::Tool(id)),
            MessageAction::ToFile(name) => self.open_file(name),
            MessageAction::ToChange(name) => self.to_change(&name),
            MessageAction::Find => {
                self.room.pane.set(Pane::Timeline);
                if self.room.actions.is_searching.get_untracked() {
                    focus::soon(FIND_FIELD.to_owned());
                } else {
                    self.room.actions.is_searching.set(true);
                }
            }
            MessageAction::Pins => self.room.actions.lists.update(|open| *open = !*open),
        }
    }

    pub(super) fn message(self, id: MessageId) -> Option<Arc<Message>> {
        self.page.world.with_untracked(|world| world.message(&id).cloned())
    }

    /// The author's name as in the timeline.
    pub(super) fn who(self, message: &Message) -> String {
        self.name(message.role, message.agent.as_ref())
    }

    pub(super) fn name(self, role: Role, agent: Option<&AgentKey>) -> String {
        match role {
            Role::User => Some(self.operator.get_untracked())
                .filter(|name| !name.is_empty())
                .unwrap_or(common::YOU.into()),
            Role::System => common::NEXUS.to_owned(),
            Role::Assistant | Role::Tool => {
                agent.map(|key| self.page.agents.name_untracked(key)).unwrap_or_default()
            }
        }
    }

    fn copy(self, id: MessageId) {
        let text = self.message(id).map(|message| text_of(&message.parts)).unwrap_or_default();
        if text.is_empty() {
            self.page.notices.add(NoticeKind::Info, words::SAYS_NOTHING, "");
            return;
        }
        spawn_local(async move {
            if text::copy(&text).await {
                self.page.notices.add(NoticeKind::Info, words::COPIED, "");
            } else {
                self.page.notices.add(NoticeKind::Error, words::NOT_COPIED, words::NOT_COPIED_ADVICE);
            }
        });
    }

    /// Appends a quotation to the composer's text and moves the caret to its end.
    fn quote(self, who: &str, text: &str) {
        let excerpt: String = text.chars().take(QUOTE_CHARS).collect();
        if excerpt.len() < text.len() {
            self.page.notices.add(NoticeKind::Info, words::QUOTE_CUT, words::quote_cut(QUOTE_CHARS));
        }
        let Some(quoted) = quotation(who, &excerpt) else {
            self.page.notices.add(NoticeKind::Info, words::SAYS_NOTHING, "");
            return;
        };
        let field = self.page.dispatch.field(&DraftField::Composer);
        field.typed(&added(&field.text.get_untracked(), &quoted));
        self.room.pane.set(Pane::Timeline);
        text::end_soon(COMPOSER);
    }

    /// Quotes the selection, addressed to its author.
    pub(super) fn ask(self, picked: &text::SelectedText) {
        let (who, agent) = self.origin(&picked.origin);
        if let Some(agent) = agent {
            choose_recipient(self.page.dispatch, &Target::Agents(vec![agent]));
        }
        self.quote(&who, &picked.text);
        text::clear_selection();
    }

    /// The author of the selected text: the name to quote, and the agent that can be asked.
    pub(super) fn origin(self, origin: &text::SelectionOrigin) -> (String, Option<AgentKey>) {
        let agent_here = |key: &AgentKey| {
            let row = self.page.agents.rows.get_untracked(key);
            row.is_some_and(|row| row.agent.exists()).then(|| key.clone())
        };
        match origin {
            text::SelectionOrigin::Message(element) => {
                let message = id_of(element).and_then(|id| self.message(id));
                let who = message.as_ref().map(|message| self.who(message)).unwrap_or_default();
                (who, message.and_then(|message| agent_here(message.agent.as_ref()?)))
            }
            text::SelectionOrigin::Tool(element) => {
                let run = self.page.world.with_untracked(|world| world.tool_run(&id_of(element)?).cloned());
                let Some(run) = run else { return Default::default() };
                let who = words::of_tool(&run.call.name, &self.page.agents.name_untracked(&run.agent));
                (who, agent_here(&run.agent))
            }
            text::SelectionOrigin::Board(name) if name.is_empty() => (common::BOARD.to_owned(), None),
            text::SelectionOrigin::Board(name) => (name.clone(), None),
        }
    }

    pub(super) fn go(self, key: TimelineKey) {
        spawn_local(async move {
            if !self.reading.go(key).await {
                self.page.notices.add(NoticeKind::Info, words::GONE, words::GONE_ADVICE);
            }
        });
    }

    fn open_file(self, name: String) {
        if !self.page.mind.files.order.with_untracked(|files| files.contains(&name)) {
            self.page.notices.add(NoticeKind::Info, words::no_file(&name), "");
            return;
        }
        self.room.show_board(BoardTab::Edit);
        self.room.open_file(self.page, name);
    }

    fn to_change(self, name: &str) {
        let session = self.page.dispatch.session();
        let run = self.page.world.with_untracked(|world| last_change(world, &session, name));
        match run {
            Some(run) => self.go(TimelineKey::Tool(run)),
            None => {
                self.page.notices.add(NoticeKind::Info, words::NO_CHANGE, words::NO_CHANGE_ADVICE);
            }
        }
    }
}

/// The id at the end of an element's id.
fn id_of<T: FromStr>(element: &str) -> Option<T> {
    element.split_once('-')?.1.parse().ok()
}

/// The newest tool run that changed a file, among the loaded turns.
fn last_change(world: &World, session: &SessionId, name: &str) -> Option<ToolRunId> {
    let session = world.session(session)?;
    let newest = world.open_turn(session).map(|turn| turn.id).or(session.head);
    let mut runs = world.ancestry(newest).flat_map(|turn| turn.tool_runs.iter().rev());
    let changed = |id: &&ToolRunId| {
        world
            .tool_run(id)
            .is_some_and(|run| run.touched.iter().any(|touched| touched.is_file && touched.field == name))
    };
    runs.find(changed).copied()
}
