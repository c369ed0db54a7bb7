//! The menu of a message: its actions and links, including those of its turn. And the button at a text selection that
//! quotes it in the composer.

use crate::ui::chat::message_actions::handler::MessageActionsHandler;
use crate::ui::hooks::text::SelectedText;
use crate::ui::prelude::*;
use nexus_view::strings::chat::message_actions as words;
use nexus_view::strings::settings::voice as voice_words;

#[component]
pub fn MessageMenu(id: MessageId, handler: MessageActionsHandler) -> impl IntoMarkup {
    let actions = handler.room.actions;
    let message = handler.message(id)?;
    let opener = format!("#message-{id} [data-testid=message-more]");
    let entry = move |name: &'static str, label: String, action: MessageAction| {
        menu_item(label).test(name).on_click(move |_| actions.request(action.clone())).into_markup()
    };
    let pinned = actions.pins.with_untracked(|pins| pins.iter().any(|pin| pin.message == id));
    let pin = if pinned { common::UNPIN } else { common::PIN };
    let mut entries = vec![
        entry("menu-copy", words::COPY.to_owned(), MessageAction::Copy(id)),
        entry("menu-quote", words::QUOTE.to_owned(), MessageAction::Quote(id)),
        entry("menu-pin", pin.to_owned(), MessageAction::Pin(id)),
    ];
    for tool in &message.metadata.tool_run_ids {
        let Some(run) = handler.page.world.with_untracked(|world| world.tool_run(tool).cloned()) else {
            continue;
        };
        let touched: Vec<_> = run.touched.iter().map(|touched| touched.field.clone()).collect();
        let label = words::to_tool(&run.call.name, &touched.join(", "));
        entries.push(entry("menu-tool", label, MessageAction::ToTool(*tool)));
        for touched in run.touched.iter().filter(|touched| touched.is_file) {
            let label = words::open_file(&touched.field);
            entries.push(entry("menu-file", label, MessageAction::ToFile(touched.field.clone())));
        }
    }
    let is_deletable = message.deleted_at.is_none()
        && message.session == handler.page.dispatch.session()
        && matches!(message.role, Role::User | Role::Assistant);
    let is_confirming = RwSignal::new(false);
    let delete = is_deletable.then(|| {
        menu_item(move || if is_confirming.get() { words::DELETE_SURE } else { words::DELETE })
            .test("menu-delete")
            .title(words::DELETE_ABOUT)
            .on_click(move |event| {
                if is_confirming.get_untracked() {
                    actions.request(MessageAction::Delete(id));
                } else {
                    // The menu stays open for the confirmation.
                    event.stop_propagation();
                    is_confirming.set(true);
                }
            })
            .into_markup()
    });
    let inspect = message.turn.filter(|_| message.role == Role::Assistant).map(|turn| {
        view! {
            <a role="menuitem" tabindex="-1" data-testid="menu-inspect" href=inspect_path(turn)>{words::INSPECT}</a>
        }
    });
    let (voice, text) = (handler.room.voice, text_of(&message.parts));
    let reader = message.agent.clone().filter(|_| message.role == Role::Assistant);
    let read = reader.filter(|_| voice.can_speak && !text.trim().is_empty()).map(|agent| {
        let press = move |_| voice.request(VoiceRequest::Read(id, agent.clone(), text.clone()));
        menu_item(voice_words::READ).test("menu-read").on_click(press).into_markup()
    });
    let leave = move || {
        if actions.menu.get_untracked() == Some(id) {
            actions.menu.set(None);
        }
    };
    Some(menu(words::ACTS, "message-menu", opener, view! { {entries} {read} {inspect} {delete} }, leave))
}

/// The button, while text is selected.
#[component]
pub fn AskAboutSelection(handler: MessageActionsHandler) -> impl IntoMarkup {
    let picked = RwSignal::new(None::<SelectedText>);
    text::on_selection_change(move || {
        let now = text::picked_text();
        if picked.try_with_untracked(|old| *old != now) == Some(true) {
            picked.set(now);
        }
    });
    move || {
        picked.get().map(|picked| {
            let (_, agent) = handler.origin(&picked.origin);
            let agent = agent.or_else(|| handler.room.target.with(|target| first_recipient(target).cloned()));
            let label = match agent {
                Some(agent) => words::ask(&handler.page.agents.name_untracked(&agent)),
                None => words::ASK.to_owned(),
            };
            let (left, top) = picked.place.clone();
            view! {
                <button
                    type="button" class="button ask-action" data-testid="ask-selection" title=words::ASK_KEY
                    aria-keyshortcuts="Alt+Q" style:left=left style:top=top
                    // Keep the selection until it is quoted.
                    on:pointerdown=|event| event.prevent_default()
                    on:mousedown=|event| event.prevent_default()
                    on:click=move |_| handler.ask(&picked)
                >
                    {label}
                    <kbd aria-hidden="true">{words::ASK_KEY}</kbd>
                </button>
            }
        })
    }
}
