//! The composer: the message, its recipients, and sending; and the completion list for `@…`, `#…` and `/…`.
//!
//! The field is cleared only after the engine accepted the message.

pub mod images;

use leptos::ev::ClipboardEvent;
use leptos::html::Select;

use crate::ui::chat::composer::images::{
    FilePickButton, ImageAttachments, MentionedFiles, TextAttacher, lazy_image_chips,
};
use crate::ui::chat::keep_going::{KeepGoingGoal, KeepGoingState, KeepGoingSwitch};
use crate::ui::chat::message_overrides::lazy_overrides;
use crate::ui::chat::queue::lazy_queue_modes;
use crate::ui::chat::voice::{Microphone, VoiceSlot};
use crate::ui::hooks::page::StaticShellInput;
use crate::ui::prelude::*;
use nexus_model::limits::PASTE_BYTES;
use nexus_model::message::MessageOrigin;
use nexus_model::mind::blob::{is_document, is_picture};
use nexus_model::session::pages_in;
use nexus_view::mention;
use nexus_view::mention::slash;
use nexus_view::mention::slash::SlashCommand;
use nexus_view::strings::chat::message_hint;
use nexus_view::strings::search as words;

/// Maximum number of files in the completion list.
const FILES_SHOWN: usize = 20;

#[component]
pub fn Composer() -> impl IntoMarkup {
    let &Page { agents, conversation, dispatch, run, sessions, .. } = expect_context();
    let Sessions { read_only, focus: in_view, .. } = sessions;
    let Workspace {
        dialogs, elsewhere, files: file_panel, overrides: overrides_state, target, voice, ..
    } = expect_context();
    let is_running = run.is_open;
    let mode = RwSignal::new(None::<QueueMode>);
    let (field, pages) = (dispatch.field(&DraftField::Composer), dispatch.field(&DraftField::Pages));
    let area = NodeRef::<Textarea>::new();
    let completion = MentionCompletion::new(area, field);
    let (suggestions, chips) = (loaded(lazy_mention_list), loaded(lazy_image_chips));
    // Without the list, Enter would take a suggestion that is not shown.
    let suggest = move || {
        if suggestions.with_untracked(Option::is_some) {
            completion.update();
        }
    };
    let attacher = TextAttacher::new(field, area);
    let images = ImageAttachments::new();
    // If the destination is in view by now, the message is for this session.
    let away = move |heading: Option<Destination>| {
        heading.filter(|one| one.turn.is_some() || one.session != in_view.get())
    };
    let keep_going_state = KeepGoingState::from_setting();
    let (sending, large) = (RwSignal::new(false), RwSignal::new(false));
    // On a phone the less used controls are folded.
    let more = RwSignal::new(false);
    take_over_shell_field(area, field);

    let send = move || {
        let text = field.text.get_untracked().to_string();
        let attached = images.blobs();
        let says_nothing = text.trim().is_empty() && attached.is_empty();
        if says_nothing || sending.get_untracked() || read_only.get_untracked() {
            return;
        }
        sending.set(true);
        let placed_by = pages.text.get_untracked();
        let by = pages_in(&placed_by);
        let clear = move |accepted: bool| {
            sending.set(false);
            // Text that was typed, dictated or placed since stays.
            let now = field.text.get_untracked();
            if let Some(since) = now.strip_prefix(text.as_str()).filter(|_| accepted) {
                field.typed(since.trim_start());
                let remaining = pages.text.get_untracked();
                if let Some(remaining) = remaining.strip_prefix(&*placed_by).filter(|_| !placed_by.is_empty())
                {
                    pages.typed(remaining);
                }
            }
            accepted
        };
        let text = field.text.get_untracked().to_string();
        let sent = attached.clone();
        let (target, chosen) = (target.get_untracked(), mode.get_untracked());
        let then = move |accepted| {
            if clear(accepted) {
                large.set(false);
                images.forget(&sent);
                elsewhere.set(None);
                // The next message gets the default mode again, unless the operator changed it meanwhile.
                if mode.get_untracked() == chosen {
                    mode.set(None);
                }
                overrides_state.overrides.set(Default::default());
            }
        };
        let message = dispatch.message(text);
        let message = NewMessage {
            attachments: attached,
            origin: MessageOrigin::of_pages(by),
            target,
            mode: chosen.unwrap_or(message.mode),
            keep_going: keep_going_state.option(),
            overrides: overrides_state.to_send(),
            ..message
        };
        match untrack(|| away(elsewhere.get())) {
            Some(heading) => dispatch.send_to_session(heading, message, then),
            None => dispatch.send_message(message, then),
        }
    };
    voice.send_by(send);
    let on_key = move |event: KeyboardEvent| {
        // Keys of an input method are not handled.
        if event.is_composing() || completion.key(&event) {
            return;
        }
        let has_ctrl = event.ctrl_key() || event.meta_key();
        if event.key() == "Enter"
            && !event.shift_key()
            && !event.alt_key()
            && (has_ctrl || !large.get_untracked())
        {
            event.prevent_default();
            send();
        }
        if event.key() == "Escape" && large.get_untracked() {
            event.prevent_default();
            large.set(false);
        }
        if event.key() == "ArrowUp"
            && field.text.with_untracked(|text| text.is_empty())
            && !is_running.get_untracked()
            && let Some(message) = conversation.last_question()
        {
            event.prevent_default();
            dialogs.edit(Some(message));
        }
    };
    // Images and PDFs are attached, all else becomes files of the session.
    let take = move |chosen: Vec<files::PickedFile>| {
        let (pictures, others) = chosen
            .into_iter()
            .partition(|file| is_picture(&file.mime) || is_shown(&file.mime) || is_document(&file.mime));
        images.take(pictures);
        file_panel.take(others);
    };
    file_panel.sort_by(take);
    files::on_drop(take);
    let on_paste = move |event: ClipboardEvent| {
        take(files::pasted(&event));
        if let Some(text) = text::take_if_longer(&event, PASTE_BYTES) {
            attacher.attach(text);
        }
    };
    let hint = move || match (large.get(), is_running.get()) {
        (true, _) => tr("Ctrl+Enter to send · Enter for a new line"),
        (false, true) => tr("Enter to queue · Shift+Enter for a new line"),
        (false, false) => tr("Enter to send · Shift+Enter for a new line"),
    };
    let size_words =
        move || if large.get() { tr("Shrink the message box") } else { tr("Enlarge the message box") };
    let placeholder = move || {
        let name = target
            .with(|target| first_recipient(target).cloned())
            .and_then(|key| agents.rows.row(&key))
            .map(|row| row.with(|row| row.agent.identity.name.clone()));
        message_hint(name.as_deref())
    };
    let send_words = move || if is_running.get() { tr("Queue") } else { tr("Send") };
    let modes = loaded(lazy_queue_modes);
    let choices = loaded(lazy_overrides);
    let choose_over = move || choices.get().map(|draw| draw(overrides_state, true));
    let choose_mode = move || is_running.get().then(|| modes.get().map(|draw| draw(mode)));
    view! {
        <form class="composer" aria-label=tr("Message") data-large=move || large.get().to_string()>
            {move || suggestions.get()
                .map(|draw| draw(completion.fitting.into(), completion.chosen.into(), completion.taker()))}
            <div class="composer-box" data-sending=move || sending.get().to_string()>
                <textarea
                    id=COMPOSER class="composer-text" data-testid="composer" dir="auto" rows="2"
                    aria-label=tr("Message to the agents")
                    aria-controls=move || completion.active_id().map(|_| "mentions")
                    aria-activedescendant=move || completion.active_id()
                    placeholder=placeholder
                    node_ref=area prop:value=move || field.text.get().to_string() prop:readOnly=read_only
                    on:input=move |event| {
                        field.typed(&event_target_value(&event));
                        suggest();
                    }
                    on:click=move |_| suggest() on:blur=move |_| completion.close() on:keydown=on_key
                    on:paste=on_paste
                ></textarea>
                <VoiceSlot />
                <MentionedFiles field />
                {move || chips.get().map(|draw| draw(images))}
                <KeepGoingGoal state=keep_going_state />
                {move || placed_line(&pages_in(&pages.text.get()))}
                {move || away(elsewhere.get()).map(|heading| heading_line(&heading, elsewhere))}
                <div class="composer-row" data-more=move || more.get().to_string()>
                    <TargetSelect target />
                    {icon_button(icon(icon::NEW)).test("composer-more").named(tr("More"))
                        .with("aria-expanded", move || more.get().to_string())
                        .on_click(move |_| more.update(|more| *more = !*more))}
                    <Microphone disabled=read_only />
                    <div class="composer-more">
                        <FilePickButton take disabled=read_only />
                        {icon_button(icon(SIZE)).test("composer-size").named(size_words)
                            .with("aria-pressed", move || large.get().to_string())
                            .on_click(move |_| {
                                large.update(|large| *large = !*large);
                                focus::soon(COMPOSER.to_owned());
                            })}
                        <KeepGoingSwitch state=keep_going_state />
                        {choose_mode}
                    </div>
                    <div class="composer-end">
                        <span class="composer-hint">{hint}</span>
                        {choose_over}
                        <button
                            class="button"
                            type="submit"
                            on:click=move |event| {
                                // Not `submit`: sandboxed iframes submit nothing.
                                event.prevent_default();
                                send();
                            }
                            data-weight="first"
                            data-testid="send"
                            title="Enter"
                            disabled=move || read_only.get() || sending.get()
                        >
                            {send_words}
                        </button>
                    </div>
                </div>
            </div>
        </form>
    }
}

fn placed_line(by: &[String]) -> Option<Markup> {
    (!by.is_empty()).then(|| {
        view! {
            <p class="composer-heading" role="status" data-testid="composer-placed">{words::placed_by(by)}</p>
        }
    })
}

/// The destination of the message, if it is another session.
fn heading_line(heading: &Destination, elsewhere: RwSignal<Option<Destination>>) -> Markup {
    view! {
        <p class="composer-heading" role="status" data-testid="composer-heading">
            <span>{words::goes_to(&reveal(&heading.label), &heading.why)}</span>
            {icon_button(icon(icon::CLOSE)).test("composer-here").named(words::STAY)
                .on_click(move |_| elsewhere.set(None))}
        </p>
    }
}

/// Goes on in the composer where the field of the static page was left, in one task: no key is lost between the two.
fn take_over_shell_field(area: NodeRef<Textarea>, field: DraftBinding) {
    let Some(taken) = use_context::<StoredValue<Option<StaticShellInput>>>() else { return };
    Effect::new(move || {
        let Some(area) = area.get() else { return };
        let Some(taken) = taken.try_update_value(Option::take).flatten() else { return };
        let now = page::leave_shell().unwrap_or_else(|| taken.clone());
        // The text was taken when the program mounted the page; what follows it was typed since.
        if let Some(since) = now.text.strip_prefix(&*taken.text).filter(|since| !since.is_empty()) {
            let text = field.text.get_untracked();
            field.typed(&format!("{text}{since}"));
        }
        if now.focused {
            // A removed area has nothing to select.
            drop(area.focus());
            drop(area.set_selection_range(now.selection.0, now.selection.1));
        }
    });
}

#[derive(Clone, Copy)]
struct MentionCompletion {
    area: NodeRef<Textarea>,
    field: DraftBinding,
    fitting: RwSignal<Vec<MentionCandidate>>,
    chosen: RwSignal<usize>,
    agents: Agents,
    mind: MindView,
    keyboard: RwSignal<Option<ShortcutAction>>,
}

impl MentionCompletion {
    fn new(area: NodeRef<Textarea>, field: DraftBinding) -> Self {
        let (fitting, chosen) = (RwSignal::new(Vec::new()), RwSignal::new(0));
        let &Page { agents, keyboard, mind, .. } = expect_context();
        Self { area, field, fitting, chosen, agents, mind, keyboard }
    }

    /// Updates the completion list for the text before the caret.
    fn update(self) {
        let text = self.field.text.get_untracked();
        let caret = text::place(self.area).map(|place| mention::byte_of(&text, place));
        let begun = caret.and_then(|caret| mention::at_caret(&text, caret));
        let fitting = match begun {
            Some(begun) if begun.is_file => self.files_that_fit(begun.typed),
            Some(begun) => self.agents_that_fit(begun.typed),
            None => slash::matching(&text, caret.unwrap_or_default())
                .into_iter()
                .map(MentionCandidate::Command)
                .collect(),
        };
        self.chosen.set(0);
        self.fitting.set_if_changed(fitting);
    }

    fn files_that_fit(self, begun: &str) -> Vec<MentionCandidate> {
        let names = self.mind.files.order.get_untracked();
        mention::matching(begun, &names)
            .into_iter()
            .take(FILES_SHOWN)
            .cloned()
            .map(MentionCandidate::File)
            .collect()
    }

    fn agents_that_fit(self, begun: &str) -> Vec<MentionCandidate> {
        let keys = self.agents.order.get_untracked();
        let name =
            |key: &AgentKey| self.agents.rows.get_untracked(key).map(|row| row.agent.identity.name.clone());
        let named: Vec<_> = keys.iter().filter_map(|key| Some((name(key)?, key.clone()))).collect();
        let names: Vec<_> = named.iter().map(|(name, _)| name.clone()).collect();
        let key_of = |fits: &String| named.iter().find(|(name, _)| name == fits).map(|(_, key)| key.clone());
        mention::matching(begun, &names).into_iter().filter_map(key_of).map(MentionCandidate::Agent).collect()
    }

    fn close(self) {
        self.fitting.set_if_changed(Vec::new());
    }

    /// Handles a key in the completion list; true if it was handled.
    fn key(self, event: &KeyboardEvent) -> bool {
        let count = self.fitting.with_untracked(Vec::len);
        if count == 0 {
            return false;
        }
        let chosen = self.chosen.get_untracked();
        match event.key().as_str() {
            "ArrowDown" => self.chosen.set((chosen + 1) % count),
            "ArrowUp" => self.chosen.set((chosen + count - 1) % count),
            "Enter" | "Tab" if !event.shift_key() => {
                if let Some(fit) = self.fitting.with_untracked(|fitting| fitting.get(chosen).cloned()) {
                    self.take(&fit);
                }
            }
            "Escape" => self.close(),
            _ => return false,
        }
        event.prevent_default();
        event.stop_propagation();
        true
    }

    fn take(self, fit: &MentionCandidate) {
        self.close();
        let text = self.field.text.get_untracked();
        if let MentionCandidate::Command(command) = fit {
            let name = text.find(|c: char| c.is_whitespace()).unwrap_or(text.len());
            self.field.typed(text.get(name..).unwrap_or_default().trim_start());
            self.keyboard.set(Some(ShortcutAction::Named(command.action)));
            return;
        }
        let Some(caret) = text::place(self.area).map(|place| mention::byte_of(&text, place)) else { return };
        let Some(begun) = mention::at_caret(&text, caret) else { return };
        let inserted = match fit {
            MentionCandidate::File(name) => format!("#{name}"),
            MentionCandidate::Agent(agent) => match self.agents.rows.get_untracked(agent) {
                Some(row) => format!("@{}", row.agent.identity.name),
                None => return,
            },
            MentionCandidate::Command(_) => return,
        };
        let (text, caret) = mention::insert(&text, begun.at, caret, &inserted);
        self.field.typed(&text);
        let place = mention::utf16_of(&text, caret);
        text::select_soon(self.area, place, place);
    }

    fn taker(self) -> Callback<MentionCandidate> {
        Callback::new(move |fit: MentionCandidate| self.take(&fit))
    }

    fn active_id(self) -> Option<String> {
        let chosen = self.chosen.get();
        self.fitting.with(|fitting| fitting.get(chosen).map(option_id))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MentionCandidate {
    Agent(AgentKey),
    File(String),
    Command(&'static SlashCommand),
}

lazy_view!(board, lazy_mention_list, MentionList {
    fitting: Selector<Vec<MentionCandidate>>,
    chosen: Selector<usize>,
    take: Callback<MentionCandidate>
});

#[component]
fn MentionList(
    fitting: Selector<Vec<MentionCandidate>>,
    /// Index of the option that Enter inserts.
    chosen: Selector<usize>,
    take: Callback<MentionCandidate>,
) -> impl IntoMarkup {
    let &Page { agents, .. } = expect_context();
    let item = move |fit: MentionCandidate| {
        let (badge, about, name) = match &fit {
            MentionCandidate::Agent(key) => {
                let about = agents
                    .rows
                    .row(key)
                    .map(|row| row.with_untracked(|row| translated(&row.agent.description)));
                (Some(AgentBadge::of(Some(key))), about, None)
            }
            MentionCandidate::File(name) => (None, None, Some(name.clone())),
            MentionCandidate::Command(command) => {
                (None, Some(tr(command.about).to_owned()), Some(command.name.to_owned()))
            }
        };
        let mark = if matches!(fit, MentionCandidate::Command(_)) { "/" } else { "#" };
        let is_chosen = {
            let fit = fit.clone();
            move || fitting.with(|fitting| fitting.get(chosen.get()) == Some(&fit))
        };
        let id = option_id(&fit);
        let take_it = move |event: MouseEvent| {
            // The composer keeps the focus.
            event.prevent_default();
            take.run(fit.clone());
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

/// The element id of an option, for `aria-activedescendant`.
pub(super) fn option_id(fit: &MentionCandidate) -> String {
    match fit {
        MentionCandidate::Agent(agent) => format!("mention-{agent}"),
        // Ids contain no spaces.
        MentionCandidate::File(name) => format!("mention-file-{}", name.replace(char::is_whitespace, "_")),
        MentionCandidate::Command(command) => format!("mention-command-{}", command.name),
    }
}

/// The value for all agents.
const ALL: &str = "ALL";
/// The value for another thread.
const OTHER: &str = "OTHER";

#[component]
pub fn TargetSelect(target: RwSignal<Target>) -> impl IntoMarkup {
    let &Page { agents, .. } = expect_context();
    let Workspace { dialogs: tree, .. } = expect_context();
    let option = move |key: AgentKey| {
        let badge = AgentBadge::of(Some(&key));
        view! { <option value=key.0>{move || text!("To {}", badge.name())}</option> }
    };
    let select_ref = NodeRef::<Select>::new();
    let value_of =
        |target: &Target| first_recipient(target).map_or_else(|| ALL.to_owned(), |agent| agent.0.clone());
    let value = move || target.with(value_of);
    let value_now = move || target.with_untracked(value_of);
    let choose = move |event| {
        let value = event_target_value(&event);
        if value == OTHER {
            // Restore the selection.
            if let Some(select) = select_ref.get_untracked() {
                select.set_value(&value_now());
            }
            return tree.open(OpenDialog::SendTo);
        }
        target.set(if value == ALL { Target::All } else { Target::Agents(vec![AgentKey(value)]) });
    };
    view! {
        <select
            class="select" node_ref=select_ref data-testid="target-select" aria-label=tr("Send to")
            prop:value=value on:change=choose
        >
            <option value=ALL>{tr("To all agents")}</option>
            {keyed_list(move || agents.order.get(), Clone::clone, option)}
            <option value=OTHER>{words::TO_OTHER}</option>
        </select>
    }
}
