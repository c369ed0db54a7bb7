//! The menu of a turn: fork, edit the message, repeat the turn, race, go back.
//!
//! Each creates a branch or moves the head; nothing is rewritten.

use leptos::ev::Event;
use leptos::html::{Dialog, Input, Textarea};
use leptos::prelude::*;

use crate::ui::chat::message_overrides::OverridesButton;
use crate::ui::chat::race::dialog::RaceDialog;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::dialog::use_modal;
use crate::ui::kit::model_choice::{choices, config_of, value_of};
use crate::ui::shell::dialogs::{DialogState, OpenDialog, SnapshotTarget};
use crate::ui::shell::workspace::OverridesState;
use crate::ui::view_state::{Agents, ProjectorMessage, Providers, RunView, WorldReader};
use nexus_model::command::{Command, MessageOverrides};
use nexus_model::id::{AgentKey, MessageId, TurnId};
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, Role, Source};
use nexus_model::run::Node;
use nexus_model::turn::{Turn, TurnKind, TurnPhase};
use nexus_model::world::World;
use nexus_view::strings::chat::race as race_words;
use nexus_view::strings::{snapshot as past_words, tree as words};

#[derive(Clone, PartialEq)]
struct TurnMenuContext {
    turn: TurnId,
    message: MessageId,
    is_question: bool,
    is_head: bool,
    failed: bool,
    open: bool,
    can_race: bool,
    agent: AgentKey,
    held: MessageOverrides,
}

fn look(past: WorldReader, dispatch: Dispatch, opened: Option<OpenDialog>) -> Option<TurnMenuContext> {
    let Some(OpenDialog::Turn(turn, message)) = opened else { return None };
    let session = dispatch.session();
    past.fold_untracked(|world| {
        let row: &Turn = world.turn(&turn)?;
        Some(TurnMenuContext {
            turn,
            message,
            is_question: world.message(&message).is_some_and(|row| is_question(row)),
            is_head: world.session(&session)?.head == Some(turn),
            failed: row.phase == TurnPhase::Failed,
            open: row.phase.is_open(),
            can_race: !row.phase.is_open() && row.kind == TurnKind::Normal,
            agent: row.agent.clone(),
            held: held(world, row),
        })
    })
}

fn held(world: &World, turn: &Turn) -> MessageOverrides {
    let run = turn.run.and_then(|run| world.run(&run));
    let is_it = |node: &&Node| Some(&node.id) == turn.node.as_ref();
    let node = run.and_then(|run| run.nodes.iter().find(is_it));
    let Some(node) = node else { return MessageOverrides::default() };
    MessageOverrides { config: node.config.clone(), tools: node.tools.as_deref().cloned() }
}

/// Whether a message can be said in other words: not what another agent said.
fn is_question(message: &Message) -> bool {
    message.role == Role::User && message.source != Some(Source::Agent)
}

/// What is open: the menu, or the dialog that begins a race.
#[component]
pub(crate) fn TurnMenu() -> impl IntoView {
    let opened = expect_context::<DialogState>().opened().get_untracked();
    match opened {
        Some(OpenDialog::Race(turn)) => view! { class="n", <RaceDialog turn /> }.into_any(),
        Some(_) | None => view! { class="n", <TurnMenuList /> }.into_any(),
    }
}

/// The menu, above everything.
#[component]
fn TurnMenuList() -> impl IntoView {
    let (dispatch, desk) = (expect_context::<Dispatch>(), expect_context::<DialogState>());
    let (past, works) = (expect_context::<WorldReader>(), expect_context::<RunView>().works());
    let from = look(past, dispatch, desk.opened().get_untracked())?;
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog);
    let leave = move || {
        // The browser gives the focus back to where it was.
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
        desk.close();
    };
    let session = dispatch.session();
    let (turn, message) = (from.turn, from.message);
    let name = NodeRef::<Input>::new();
    let go_on = move || {
        let label = name.get_untracked().map(|name| name.value()).unwrap_or_default();
        dispatch.continue_from(turn, label, move |done| {
            if done {
                leave()
            }
        });
    };
    let back = move |_| {
        let command = Command::MoveHead { session, to: turn, newest: false };
        dispatch.send_then(command, move |outcome| {
            if outcome.is_ok() {
                leave()
            }
        });
    };
    let edit = move |_| {
        leave();
        desk.edit(Some(message));
    };
    let then = move |_| {
        leave();
        desk.look_at(Some(SnapshotTarget { session, turn, mind: None }));
    };
    let is_open = from.open;
    let races = from.can_race.then(|| {
        let open = move |again: bool| desk.open(OpenDialog::Race(again.then_some(turn)));
        view! { class="n",
            <section class="turn-way">
                <div class="turn-row">
                    <button
                        type="button" class="button" data-testid="turn-race" disabled=move || works.get()
                        on:click=move |_| open(true)
                    >
                        {race_words::OPEN_AGAIN}
                    </button>
                    <button
                        type="button" class="quiet" data-testid="turn-race-new" disabled=move || works.get()
                        on:click=move |_| open(false)
                    >
                        {race_words::OPEN_NEW}
                    </button>
                </div>
                <p class="hint">{race_words::ABOUT}</p>
            </section>
        }
    });
    let again = (!from.is_question && !from.open).then(
        || view! { class="n", <AskAgainItem from=from.clone() leave=Callback::new(move |()| leave()) /> },
    );
    Some(view! { class="n",
        <dialog
            class="dialog turn-menu"
            node_ref=dialog
            aria-labelledby="turn-menu-title"
            data-testid="turn-menu"
            on:cancel=move |event: Event| {
                event.prevent_default();
                leave();
            }
        >
            <h2 id="turn-menu-title">{words::TURN}</h2>
            <Show when=move || works.get()><p class="hint" data-testid="turn-busy">{words::BUSY}</p></Show>
            {from.is_question.then(|| view! { class="n",
                <section class="turn-way">
                    <button
                        type="button" class="button" data-weight="first" data-testid="turn-edit"
                        disabled=move || works.get()
                        on:click=edit
                    >
                        {words::EDIT}
                    </button>
                    <p class="hint">{words::EDIT_ABOUT}</p>
                </section>
            })}
            {again}
            {races}
            {(!is_open).then(|| view! { class="n",
                <section class="turn-way">
                    <div class="turn-row">
                        <button type="button" class="button" data-testid="turn-continue" on:click=move |_| go_on()>
                            {words::CONTINUE}
                        </button>
                        <input
                            class="input" dir="auto" maxlength="120" data-testid="turn-continue-name"
                            placeholder=words::CONTINUE_NAME aria-label=words::CONTINUE_NAME
                            node_ref=name
                            on:keydown=move |event| if event.key() == "Enter" && !event.is_composing() { go_on() }
                        />
                    </div>
                    <p class="hint">{words::CONTINUE_ABOUT}</p>
                </section>
            })}
            {(!is_open && !from.is_head).then(|| view! { class="n",
                <section class="turn-way">
                    <button
                        type="button" class="button" data-testid="turn-back"
                        disabled=move || works.get()
                        on:click=back
                    >
                        {words::BACK}
                    </button>
                    <p class="hint">{words::BACK_ABOUT}</p>
                </section>
            })}
            {(!is_open && !from.is_head).then(|| view! { class="n",
                <section class="turn-way">
                    <button type="button" class="button" data-testid="turn-then" on:click=then>{past_words::OPEN}</button>
                    <p class="hint">{past_words::OPEN_ABOUT}</p>
                </section>
            })}
            <button type="button" class="quiet" data-testid="turn-close" on:click=move |_| leave()>
                {words::CLOSE}
            </button>
        </dialog>
    })
}

/// Asks a turn's query once more.
#[component]
fn AskAgainItem(from: TurnMenuContext, leave: Callback<()>) -> impl IntoView {
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().works());
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    let chosen = RwSignal::new(from.agent.clone());
    let model = RwSignal::new(String::new());
    let over = OverridesState::new(from.held.clone());
    let (turn, was, held) = (from.turn, from.agent.clone(), from.held.tools.clone());
    let try_again = move |_| {
        let agent = chosen.get_untracked();
        let config = agents
            .get_untracked(&agent)
            .and_then(|row| config_of(&row.agent, &model.get_untracked(), agents, providers));
        let agent = Some(agent).filter(|agent| *agent != was);
        // What held before goes along by itself; what is said here takes its place.
        let said = over.said.get_untracked().tools;
        let tools = (said != held).then(|| Box::new(said.unwrap_or_default()));
        let command = Command::TryAgain { session: dispatch.session(), turn, agent, config, tools };
        dispatch.wake(ProjectorMessage::Read);
        dispatch.send_then(command, move |outcome| {
            if outcome.is_ok() {
                leave.run(())
            }
        });
    };
    let roster = agents.order().get_untracked().into_iter().filter_map(|key| agents.get_untracked(&key));
    let roster: Vec<_> = roster.map(|row| row.agent).collect();
    let options = roster.into_iter().map(|agent| {
        let (key, is_chosen) = (agent.key.clone(), agent.key == from.agent);
        view! { class="n", <option value=key.0 selected=is_chosen>{agent.identity.name.clone()}</option> }
    });
    let models = move || {
        let own = chosen.get();
        let agent = agents.get_untracked(&own).map(|row| row.agent)?;
        // Its own stands above them already.
        let own = value_of(&agent.config);
        let others = choices(&agent, agents, providers).into_iter().filter(move |choice| choice.value != own);
        let others =
            others.map(|choice| view! { class="n", <option value=choice.value>{choice.label}</option> });
        Some(others.collect_view())
    };
    view! { class="n",
        <section class="turn-way">
            <div class="turn-row">
                <button
                    type="button" class="button" data-weight="first" data-testid="turn-again"
                    disabled=move || works.get()
                    on:click=try_again
                >
                    {words::AGAIN}
                </button>
                <select
                    class="select" data-testid="turn-again-agent" aria-label=words::AGENT
                    on:change=move |event| {
                        chosen.set(AgentKey(event_target_value(&event)));
                        model.set(String::new());
                    }
                >
                    {options.collect_view()}
                </select>
                <select
                    class="select" data-testid="turn-again-model" aria-label=words::MODEL
                    on:change=move |event| model.set(event_target_value(&event))
                >
                    <option value="">{words::OWN_MODEL}</option>
                    {models}
                </select>
                <OverridesButton over with_model=false />
            </div>
            <p class="hint">{if from.failed { words::AGAIN_FAILED } else { words::AGAIN_ABOUT }}</p>
        </section>
    }
}

/// The field in which a message is said in other words, in its place.
#[component]
pub(crate) fn EditMessage() -> impl IntoView {
    let (dispatch, desk) = (expect_context::<Dispatch>(), expect_context::<DialogState>());
    let (past, works) = (expect_context::<WorldReader>(), expect_context::<RunView>().works());
    let message = desk.editing().get_untracked()?;
    let text = past.fold_untracked(|world| Some(text_of(&world.message(&message)?.parts)))?;
    let held = past.fold_untracked(|world| {
        let turn = world.message(&message)?.turn.and_then(|turn| world.turn(&turn))?;
        Some(held(world, turn))
    });
    let over = OverridesState::new(held.unwrap_or_default());
    let field = NodeRef::<Textarea>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            // A field that is gone already needs no focus.
            drop(field.focus());
        }
    });
    let resend = move || {
        let Some(field) = field.get_untracked().filter(|_| !works.get_untracked()) else { return };
        let text = field.value();
        let said = Box::new(over.said.get_untracked());
        let command = Command::Resend {
            session: dispatch.session(),
            message,
            text,
            attachments: Vec::new(),
            overrides: Some(said),
        };
        dispatch.wake(ProjectorMessage::Read);
        dispatch.send_then(command, move |outcome| {
            if outcome.is_ok() {
                desk.edit(None)
            }
        });
    };
    let rows = text.lines().count().clamp(2, 16).to_string();
    Some(view! { class="n",
        <div class="edit-message" data-testid="edit-message">
            <textarea
                class="input"
                dir="auto"
                rows=rows
                aria-label=words::EDIT_FIELD
                data-testid="edit-text"
                prop:value=text
                node_ref=field
                on:keydown=move |event| match event.key().as_str() {
                    "Escape" => desk.edit(None),
                    "Enter" if event.ctrl_key() || event.meta_key() => {
                        event.prevent_default();
                        resend();
                    }
                    _ => {}
                }
            />
            <div class="turn-row">
                <button
                    type="button" class="button" data-weight="first" data-testid="edit-resend"
                    disabled=move || works.get()
                    on:click=move |_| resend()
                >
                    {words::RESEND}
                </button>
                <OverridesButton over />
                <button type="button" class="quiet" data-testid="edit-cancel" on:click=move |_| desk.edit(None)>
                    {words::CANCEL}
                </button>
            </div>
        </div>
    })
}
