//! The composer: the message, its recipients, and sending.
//!
//! The field is cleared only after the engine accepted the message.

pub mod completion;
pub mod images;

use leptos::ev::ClipboardEvent;
use leptos::html::Select;

use crate::ui::chat::composer::completion::{Completion, CompletionSlot, lazy_completion};
use crate::ui::chat::composer::images::{
    FilePickButton, ImageAttachments, MentionedFiles, attach_text, lazy_image_chips,
};
use crate::ui::chat::keep_going::{KeepGoingGoal, KeepGoingState, KeepGoingSwitch};
use crate::ui::chat::message_overrides::lazy_overrides;
use crate::ui::chat::queue::lazy_queue_modes;
use crate::ui::chat::reading::ReadingPosition;
use crate::ui::chat::voice::{Microphone, VoiceSlot};
use crate::ui::hooks::page::StaticShellInput;
use crate::ui::prelude::*;
use crate::ui::workspace::choose_recipient;
use nexus_model::limits::PASTE_BYTES;
use nexus_model::mind::blob::{is_document, is_picture};
use nexus_model::session::pages_in;
use nexus_view::strings::chat::{message_hint, no_such_agent};
use nexus_view::strings::search as words;

#[component]
pub fn Composer() -> impl IntoMarkup {
    let &Page { agents, conversation, dispatch, run, sessions, .. } = expect_context();
    let Sessions { read_only, focus: in_view, .. } = sessions;
    let reading = expect_context::<ReadingPosition>();
    let Workspace {
        dialogs, elsewhere, files: file_panel, overrides: overrides_state, target, voice, ..
    } = expect_context();
    let is_running = run.is_open;
    let mode = RwSignal::new(None::<QueueMode>);
    let (field, pages) = (dispatch.field(&DraftField::Composer), dispatch.field(&DraftField::Pages));
    let area = NodeRef::<Textarea>::new();
    let completion = CompletionSlot::new(area, field);
    let with_completion = move |work: fn(&dyn Completion)| completion.loaded().map_or((), |one| work(&*one));
    let images = ImageAttachments::new();
    // If the destination is in view by now, the message is for this session.
    let away = move |heading: Option<Destination>| {
        heading.filter(|one| one.turn.is_some() || one.session != in_view.get())
    };
    let keep_going_state = KeepGoingState::from_setting();
    let (sending, large) = (RwSignal::new(false), RwSignal::new(false));
    // On a phone the less used controls are folded.
    let more = RwSignal::new(false);
    let send = move || {
        let text = field.text.get_untracked().to_string();
        let says_nothing = text.trim().is_empty() && images.is_empty();
        if says_nothing || sending.get_untracked() || read_only.get_untracked() {
            return;
        }
        if completion.loaded().is_some_and(|completion| completion.run(&text)) {
            return;
        }
        sending.set(true);
        let (target, chosen) = (target.get_untracked(), mode.get_untracked());
        let heading = untrack(|| away(elsewhere.get()));
        let (is_here, was_running) = (heading.is_none(), is_running.get_untracked());
        let session = dispatch.session();
        let (message, clear) = dispatch.composed(text);
        let then = move |accepted| {
            sending.set(false);
            if accepted {
                large.set(false);
                elsewhere.set(None);
                // Another session may be in view by now, or another screen.
                clear();
                let is_in_view = in_view.try_get_untracked() == Some(session);
                // The operator sees the message. While agents work it is queued, and the reader stays.
                if is_here && is_in_view && !was_running {
                    reading.newest();
                }
                // The next message gets the default mode again, unless the operator changed it meanwhile.
                if mode.try_get_untracked() == Some(chosen) {
                    mode.set(None);
                }
            }
        };
        let message = NewMessage {
            target,
            mode: chosen.unwrap_or(message.mode),
            keep_going: keep_going_state.option(),
            ..message
        };
        match heading {
            Some(heading) => dispatch.send_to_session(heading, message, then),
            None => dispatch.send_message(message, then),
        }
    };
    voice.send_by(send);
    take_over_shell_field(area, field, send);
    let on_key = move |event: KeyboardEvent| {
        // Keys of an input method are not handled.
        if event.is_composing() || completion.loaded().is_some_and(|completion| completion.key(&event)) {
            return;
        }
        let has_ctrl = event.ctrl_key() || event.meta_key();
        if events::is_send_key(&event) && (has_ctrl || !large.get_untracked()) {
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
            dialogs.editing.set(Some(message));
        }
    };
    // Images and PDFs are attached, all else becomes files of the session.
    let take = move |chosen: Vec<files::PickedFile>| {
        let (pictures, others) = chosen
            .into_iter()
            .partition(|file| is_picture(&file.mime) || is_shown(&file.mime) || is_document(&file.mime));
        // Another tab has the session, with attachments of its own.
        if !read_only.get_untracked() {
            images.take(pictures);
        }
        file_panel.take(others);
    };
    files::on_drop(take);
    let on_paste = move |event: ClipboardEvent| {
        take(files::pasted(&event));
        if !read_only.get_untracked()
            && let Some(text) = text::take_if_longer(&event, PASTE_BYTES)
        {
            attach_text(images.page, field, area, text);
        }
    };
    let hint = move || match (large.get(), is_running.get()) {
        (true, _) => tr("Ctrl+Enter to send · Enter for a new line"),
        (false, true) => tr("Enter to queue · Shift+Enter for a new line"),
        (false, false) => common::ENTER_SENDS.get(),
    };
    let size_words =
        move || if large.get() { tr("Shrink the message box") } else { tr("Enlarge the message box") };
    let placeholder = move || {
        if read_only.get() {
            return common::READ_ONLY.to_owned();
        }
        let row = target.with(|target| agents.rows.row(first_recipient(target)?));
        let name = row.map(|row| row.with(|row| row.agent.identity.name.clone()));
        message_hint(name.as_deref())
    };
    let placed = move || {
        let by = pages_in(&pages.text.get());
        (!by.is_empty()).then(|| status_line("composer-placed", words::placed_by(&by)))
    };
    let send_words = move || if is_running.get() { tr("Queue") } else { tr("Send") };
    let modes = loaded(lazy_queue_modes);
    let choose_mode = move || is_running.get().then(|| modes.get().map(|draw| draw(mode)));
    view! {
        <form class="composer" aria-label=tr("Message") data-large=move || large.get().to_string()>
            {lazy_slot(lazy_completion, move |draw| draw(completion))}
            <div class="composer-box" data-sending=move || sending.get().to_string()>
                <textarea
                    id=COMPOSER class="composer-text" data-testid="composer" dir="auto" rows="2"
                    aria-label=tr("Message to the agents")
                    aria-controls=move || completion.active.with(Option::is_some).then_some("mentions")
                    aria-activedescendant=completion.active
                    placeholder=placeholder
                    node_ref=area prop:value=move || field.text.get().to_string() prop:readOnly=read_only
                    on:input=move |event| {
                        field.typed(&event_target_value(&event));
                        with_completion(|completion| completion.update());
                    }
                    on:click=move |_| with_completion(|completion| completion.update())
                    on:blur=move |_| with_completion(|completion| completion.close()) on:keydown=on_key
                    on:paste=on_paste
                ></textarea>
                <VoiceSlot />
                <MentionedFiles field />
                {lazy_slot(lazy_image_chips, move |draw| draw(images))}
                <KeepGoingGoal state=keep_going_state />
                {move || completion.unknown.get().map(|name| status_line("composer-unknown", no_such_agent(&name)))}
                {placed}
                {move || away(elsewhere.get()).map(|heading| heading_line(&heading, elsewhere))}
                <div class="composer-row" data-more=move || more.get().to_string()>
                    <TargetSelect />
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
                        {lazy_slot(lazy_overrides, move |draw| draw(overrides_state, true))}
                        <button
                            class="button" type="submit" data-weight="first" data-testid="send" title="Enter"
                            disabled=move || read_only.get() || sending.get()
                            on:click=move |event| {
                                // Not `submit`: sandboxed iframes submit nothing.
                                event.prevent_default();
                                send();
                                // What is typed next is text, no shortcut.
                                focus::to_composer();
                            }
                        >
                            {send_words}
                        </button>
                    </div>
                </div>
            </div>
        </form>
    }
}

fn status_line(test: &'static str, text: String) -> Markup {
    view! { <p class="composer-heading" role="status" data-testid=test>{text}</p> }
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
fn take_over_shell_field(area: NodeRef<Textarea>, field: DraftBinding, send: impl Fn() + 'static) {
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
        if now.sends {
            send();
            page::remove_picture();
        }
    });
}

/// The values for all agents, and for another thread.
const ALL: &str = "ALL";
const OTHER: &str = "OTHER";

#[component]
pub fn TargetSelect() -> impl IntoMarkup {
    let &Page { agents, dispatch, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let Workspace { dialogs: tree, target, .. } = expect_context();
    let option = move |key: AgentKey| {
        let badge = AgentBadge::of(Some(&key));
        view! { <option value=key.0>{move || text!("To {}", badge.name())}</option> }
    };
    let select_ref = NodeRef::<Select>::new();
    let value_of =
        |target: &Target| first_recipient(target).map_or_else(|| ALL.to_owned(), |agent| agent.0.clone());
    let value = move || target.with(value_of);
    let choose = move |event| {
        let value = event_target_value(&event);
        if value == OTHER {
            // Restore the selection.
            select_ref
                .get_untracked()
                .into_iter()
                .for_each(|select| select.set_value(&target.with_untracked(value_of)));
            return tree.open(OpenDialog::SendTo);
        }
        let target = if value == ALL { Target::All } else { Target::Agents(vec![AgentKey(value)]) };
        choose_recipient(dispatch, &target);
    };
    // A draft may name an agent that was deleted since: the engine rejects the message.
    let deleted = target.map(move |target| {
        let agent = first_recipient(target)?;
        agents.order.with(|order| !order.contains(agent)).then(|| agent.clone())
    });
    view! {
        <select
            class="select" node_ref=select_ref data-testid="target-select" aria-label=tr("Send to")
            prop:value=value on:change=choose disabled=read_only
        >
            <option value=ALL>{tr("To all agents")}</option>
            {keyed_list(move || agents.order.get(), Clone::clone, option)}
            {move || deleted.get().map(option)}
            <option value=OTHER>{words::TO_OTHER}</option>
        </select>
    }
}
