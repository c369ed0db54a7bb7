//! The menu of a message: its actions and links, including those of its turn. And the button at a text selection that
//! quotes it in the composer.

use crate::ui::chat::message_actions::serve::MessageActionsHandler;
use crate::ui::hooks::text::selection;
use crate::ui::hooks::text::selection::SelectedText;
use crate::ui::prelude::*;
use crate::ui::tree_map::history_links::inspect_path;
use crate::ui::workspace::message_actions::{MessageAction, VoiceRequest, VoiceState};
use nexus_model::message::Role;
use nexus_model::message::content::text_of;
use nexus_model::session::Target;
use nexus_view::strings::chat::message_actions as words;
use nexus_view::strings::settings::voice as voice_words;

#[component]
pub fn MessageMenu(id: MessageId, serve: MessageActionsHandler) -> impl IntoMarkup {
    let care = serve.care;
    let message = serve.message(id)?;
    let opener = format!("#message-{id} [data-testid=message-more]");
    let entry = move |name: &'static str, told: String, wish: MessageAction| {
        menu_item(told).test(name).on_click(move |_| care.wish(wish.clone())).into_markup()
    };
    let pinned = care.pins.with_untracked(|pins| pins.iter().any(|pin| pin.message == id));
    let pin = if pinned { common::UNPIN } else { common::PIN };
    let mut entries = vec![
        entry("menu-copy", words::COPY.to_owned(), MessageAction::Copy(id)),
        entry("menu-quote", words::QUOTE.to_owned(), MessageAction::Quote(id)),
        entry("menu-pin", pin.to_owned(), MessageAction::Pin(id)),
    ];
    for tool in &message.metadata.tool_run_ids {
        let Some(run) = serve.past.with_untracked(|world| world.tool_run(tool).cloned()) else { continue };
        let touched: Vec<_> = run.touched.iter().map(|touched| touched.field.clone()).collect();
        let told = words::to_tool(&run.call.name, &touched.join(", "));
        entries.push(entry("menu-tool", told, MessageAction::ToTool(*tool)));
        for touched in run.touched.iter().filter(|touched| touched.is_file) {
            let told = words::open_file(&touched.field);
            entries.push(entry("menu-file", told, MessageAction::ToFile(touched.field.clone())));
        }
    }
    let is_deletable = message.deleted_at.is_none()
        && message.session == serve.dispatch.session()
        && matches!(message.role, Role::User | Role::Assistant);
    let sure = RwSignal::new(false);
    let delete = is_deletable.then(|| {
        menu_item(move || if sure.get() { words::DELETE_SURE } else { words::DELETE })
            .test("menu-delete")
            .title(words::DELETE_ABOUT)
            .on_click(move |event| {
                if sure.get_untracked() {
                    care.wish(MessageAction::Delete(id));
                } else {
                    // The menu stays, to be asked a second time.
                    event.stop_propagation();
                    sure.set(true);
                }
            })
            .into_markup()
    });
    let inspect = message.turn.filter(|_| message.role == Role::Assistant).map(|turn| {
        view! {
            <a role="menuitem" tabindex="-1" data-testid="menu-inspect" href=inspect_path(turn)>{words::INSPECT}</a>
        }
    });
    let read = use_context::<VoiceState>().filter(|voice| voice.can_speak).and_then(|voice| {
        let text = text_of(&message.parts);
        let agent = message.agent.clone().filter(|_| message.role == Role::Assistant)?;
        let is_empty = text.trim().is_empty();
        let press = move |_| voice.wish(VoiceRequest::Read(id, agent.clone(), text.clone()));
        (!is_empty).then(|| menu_item(voice_words::READ).test("menu-read").on_click(press).into_markup())
    });
    let leave = move || {
        if care.menu.get_untracked() == Some(id) {
            care.menu.set(None);
        }
    };
    Some(menu(words::ACTS, "message-menu", opener, view! { {entries} {read} {inspect} {delete} }, leave))
}

/// The action, while something is selected.
#[component]
pub fn AskAboutSelection(serve: MessageActionsHandler) -> impl IntoMarkup {
    let picked = RwSignal::new(None::<SelectedText>);
    selection::on_change(move || {
        let now = selection::picked();
        if picked.try_with_untracked(|old| *old != now) == Some(true) {
            picked.set(now);
        }
    });
    let shown = move || {
        picked.get().map(|picked| {
            let (_, agent) = serve.origin(&picked.origin);
            let told = match &agent {
                Some(agent) => words::ask(&serve.agents.name_untracked(agent)),
                None => match serve.care.target.get() {
                    Target::Agents(agents) => agents.first().map_or(words::ASK.to_owned(), |agent| {
                        words::ask(&serve.agents.name_untracked(agent))
                    }),
                    Target::All => words::ASK.to_owned(),
                },
            };
            let (left, top) = picked.place.clone();
            view! {
                <button
                    type="button"
                    class="button ask-action"
                    data-testid="ask-selection"
                    title=words::ASK_KEY
                    aria-keyshortcuts="Alt+Q"
                    style:left=left
                    style:top=top
                    // What is selected stays so until it is quoted.
                    on:pointerdown=|event| event.prevent_default()
                    on:mousedown=|event| event.prevent_default()
                    on:click=move |_| serve.ask(&picked)
                >
                    {told}
                    <kbd aria-hidden="true">{words::ASK_KEY}</kbd>
                </button>
            }
        })
    };
    view! { {shown} }
}
