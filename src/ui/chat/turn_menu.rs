//! The menu of a turn: fork, edit the message, repeat the turn, race, go back.
//!
//! Each creates a branch or moves the head; nothing is rewritten.

use crate::ui::chat::message_overrides::OverridesButton;
use crate::ui::chat::race::RaceDialog;
use crate::ui::prelude::*;
use nexus_model::turn::{Turn, TurnPhase};
use nexus_view::strings::chat::race as race_words;
use nexus_view::strings::tree as words;

lazy_view!(board, lazy_turn_menu, TurnMenu);
lazy_view!(board, lazy_message_editor, EditMessage);

/// The turn menu, or the dialog that starts a race.
#[component]
pub(crate) fn TurnMenu() -> impl IntoMarkup {
    let opened = expect_context::<Workspace>().dialogs.opened.get_untracked();
    match opened {
        Some(OpenDialog::Race(turn)) => view! { <RaceDialog turn /> },
        Some(_) | None => view! { <TurnMenuList /> },
    }
}

#[component]
fn TurnMenuList() -> impl IntoMarkup {
    let &Page { dispatch, run: RunView { is_working: works, .. }, world, .. } = expect_context();
    let room = expect_context::<Workspace>();
    let dialogs = room.dialogs;
    let Some(OpenDialog::Turn(turn, message)) = dialogs.opened.get_untracked() else { return None };
    let session = dispatch.session();
    let (from, is_question, is_head, overrides) = world.with_untracked(|world| {
        let from = world.turn(&turn)?;
        let is_question = world.message(&message).is_some_and(|row| row.is_question());
        let is_head = world.session(&session)?.head == Some(turn);
        Some((Arc::clone(from), is_question, is_head, MessageOverrides::of_turn(world, from)))
    })?;
    let is_open = from.phase.is_open();
    // A model can answer again: the turn is closed, and no merge or compaction.
    let can_repeat = !is_open && from.kind == TurnKind::Normal;
    let (dialog, leave) = dialog::leaving(move || dialogs.opened.set(None));
    let name = NodeRef::<Input>::new();
    let continue_here = move || {
        let label = name.get_untracked().map(|name| name.value()).unwrap_or_default();
        dispatch.continue_from_session(session, (turn, None), label, move |is_created| {
            if is_created {
                leave()
            }
        });
    };
    let back = move |_| {
        let command = Command::MoveHead { session, to: turn, newest: false };
        dispatch.send_done(command, leave);
    };
    let edit = move |_| {
        leave();
        dialogs.editing.set(Some(message));
    };
    let view_snapshot = move |_| {
        leave();
        dialogs.show_snapshot(Some(SnapshotTarget { session, turn, mind: None }));
    };
    let compare = move |_| {
        leave();
        room.compare_with(Some(ComparisonBase::Turn(turn)));
    };
    let races = can_repeat.then(|| {
        let open = move |again: bool| dialogs.open(OpenDialog::Race(again.then_some(turn)));
        let buttons = view! {
            <div class="turn-row">
                {button(race_words::OPEN_AGAIN).test("turn-race").disabled(works)
                    .on_click(move |_| open(true))}
                {quiet_button(race_words::OPEN_NEW).test("turn-race-new").disabled(works)
                    .on_click(move |_| open(false))}
            </div>
        };
        action(buttons, race_words::ABOUT)
    });
    let again = (!is_question && can_repeat)
        .then(|| view! { <AskAgainItem from overrides leave=Callback::new(move |()| leave()) /> });
    let opener = format!("#message-{message} [data-testid=turn-actions]");
    Some(modal("dialog turn-menu", "turn-menu", leave).at(opener).titled("turn-menu-title").node(dialog).with_children(view! {
        <h2 id="turn-menu-title">{common::TURN_ACTIONS}</h2>
        <Show when=move || works.get()><p class="hint" data-testid="turn-busy">{words::BUSY}</p></Show>
        {is_question.then(|| {
            action(button(words::EDIT).first().test("turn-edit").disabled(works).on_click(edit), words::EDIT_ABOUT)
        })}
        {again}
        {races}
        {(!is_open).then(|| {
            let fork = view! {
                <div class="turn-row">
                    {button(common::FORK_FROM_HERE).test("turn-continue").on_click(move |_| continue_here())}
                    <input
                        class="input" dir="auto" maxlength="120" data-testid="turn-continue-name"
                        placeholder=words::CONTINUE_NAME aria-label=words::CONTINUE_NAME node_ref=name
                        on:keydown=move |event| if event.key() == "Enter" && !event.is_composing() {
                            event.prevent_default();
                            continue_here();
                        }
                    />
                </div>
            };
            action(fork, words::CONTINUE_ABOUT)
        })}
        {(!is_open && !is_head).then(|| [
            action(button(words::BACK).test("turn-back").disabled(works).on_click(back), words::BACK_ABOUT),
            action(button(words::OPEN).test("turn-snapshot").on_click(view_snapshot), words::OPEN_ABOUT),
            action(button(words::COMPARE).test("turn-compare").on_click(compare), words::COMPARE_ABOUT),
        ])}
        {quiet_button(common::CLOSE).test("turn-close").on_click(move |_| leave())}
    }))
}

fn action(controls: impl IntoMarkup, about: Text) -> Markup {
    view! { <section class="turn-action">{controls}<p class="hint">{about}</p></section> }
}

#[component]
fn AskAgainItem(from: Arc<Turn>, overrides: MessageOverrides, leave: Callback<()>) -> impl IntoMarkup {
    let &Page { agents, dispatch, providers, run: RunView { is_working: works, .. }, .. } = expect_context();
    let chosen = RwSignal::new(from.agent.clone());
    let model = RwSignal::new(String::new());
    let (turn, agent_before, tools_before) = (from.id, from.agent.clone(), overrides.tools.clone());
    let overrides_state = OverridesState::new(overrides);
    let try_again = move |_| {
        let agent = chosen.get_untracked();
        let row = agents.rows.get_untracked(&agent);
        let config = row.and_then(|row| config_of(&row.agent, &model.get_untracked(), agents, providers));
        let agent = Some(agent).filter(|agent| *agent != agent_before);
        // Overrides of the retried turn apply by default; what is set here replaces them.
        let chosen_tools = overrides_state.overrides.get_untracked().tools;
        let tools = (chosen_tools != tools_before).then(|| Box::new(chosen_tools.unwrap_or_default()));
        let command = Command::TryAgain { session: dispatch.session(), turn, agent, config, tools };
        dispatch.notify_projector(ProjectorMessage::Read);
        dispatch.send_done(command, move || leave.run(()));
    };
    let options = untrack(|| agents.roster()).into_iter().map(|AgentRow { agent, .. }| {
        option(agent.key.0.clone(), agent.identity.name.clone(), agent.key == from.agent)
    });
    let models = move || {
        let own = chosen.get();
        let agent = agents.rows.get_untracked(&own).map(|row| row.agent)?;
        // The first option is the agent's own model.
        let own = value_of(&agent.config);
        let others = choices(&agent, agents, providers).into_iter().filter(move |choice| choice.value != own);
        Some(others.map(|choice| option(choice.value, choice.label, false)))
    };
    let controls = view! {
        <div class="turn-row">
            {button(words::AGAIN).first().test("turn-again").disabled(works).on_click(try_again)}
            {select_box(options, move |key| {
                chosen.set(AgentKey(key));
                model.set(String::new());
            }).test("turn-again-agent").label(common::AGENT)}
            {select_box([option("", words::OWN_MODEL, true), models.into_markup()],
                move |value| model.set(value)).test("turn-again-model").label(common::MODEL)}
            <OverridesButton over=overrides_state with_model=false />
        </div>
    };
    action(controls, if from.phase == TurnPhase::Failed { words::AGAIN_FAILED } else { words::AGAIN_ABOUT })
}

/// The id of the form; one message is edited at a time.
const EDIT_FORM: &str = "edit-message";

#[component]
pub(crate) fn EditMessage() -> impl IntoMarkup {
    let &Page { dispatch, run: RunView { is_working: works, .. }, world, .. } = expect_context();
    let Workspace { dialogs, .. } = expect_context();
    let message = dialogs.editing.get_untracked()?;
    let text = world.with_untracked(|world| world.message(&message).map(|row| text_of(&row.parts)))?;
    let overrides = world.with_untracked(|world| {
        let turn = world.message(&message)?.turn.and_then(|turn| world.turn(&turn))?;
        Some(MessageOverrides::of_turn(world, turn))
    });
    let over = OverridesState::new(overrides.unwrap_or_default());
    let area = NodeRef::<Textarea>::new();
    focus::once_mounted(area);
    // The message may be above the view, and the list scrolls when the form takes its place.
    request_animation_frame(|| focus::show(EDIT_FORM));
    let rows = text.lines().count().clamp(2, 16).to_string();
    let session = dispatch.session();
    let field = dispatch.field(&DraftField::Edited(message));
    // An edit without a draft starts with the message's text.
    let words_now = select(move || match field.state.get() {
        DraftState::Saved => text.clone(),
        DraftState::Typing | DraftState::Conflicted => field.text.get().to_string(),
    });
    let end = move || {
        // Another session may be in view by now, or another screen.
        dispatch.discard_draft_of(session, &DraftField::Edited(message));
        if dialogs.editing.try_get_untracked() == Some(Some(message)) {
            dialogs.editing.set(None);
        }
    };
    let resend = move || {
        if works.get_untracked() {
            return;
        }
        let text = words_now.get_untracked();
        let said = Box::new(over.overrides.get_untracked());
        let command =
            Command::Resend { session, message, text, attachments: Vec::new(), overrides: Some(said) };
        dispatch.notify_projector(ProjectorMessage::Read);
        dispatch.send_done(command, move || {
            end();
            if dispatch.session() == session {
                focus::soon(COMPOSER.to_owned());
            }
        });
    };
    Some(view! {
        <div id=EDIT_FORM class="edit-message" data-testid="edit-message">
            <textarea
                class="input" dir="auto" rows=rows aria-label=words::EDIT_FIELD data-testid="edit-text"
                prop:value=words_now node_ref=area on:input=move |event| field.typed(&event_target_value(&event))
                on:keydown=move |event| match event.key().as_str() {
                    _ if event.is_composing() => {}
                    // The edit stays as a draft.
                    "Escape" => dialogs.editing.set(None),
                    _ if events::is_send_key(&event) => {
                        event.prevent_default();
                        resend();
                    }
                    _ => {}
                }
            />
            <div class="turn-row">
                {button(words::RESEND).first().test("edit-resend").disabled(works)
                    .on_click(move |_| resend())}
                <OverridesButton over with_model=true />
                {quiet_button(common::CANCEL).test("edit-cancel").on_click(move |_| end())}
                <span class="composer-hint">{common::ENTER_SENDS}</span>
            </div>
            <p class="hint">{words::EDIT_ABOUT}</p>
        </div>
    })
}

/// The button that opens the turn menu; `None` for notices and messages without a turn.
pub fn turn_actions(message: &Message) -> Option<Markup> {
    let (id, turn) = (message.id, message.turn?);
    if !matches!(message.role, Role::User | Role::Assistant) && !message.is_note_of_turn() {
        return None;
    }
    let Workspace { dialogs, .. } = expect_context();
    let button = plain_button("message-inspect turn-actions", icon(BRANCH)).test("turn-actions");
    let button = button.named(common::TURN_ACTIONS).with("aria-haspopup", "dialog");
    Some(button.on_click(move |_| dialogs.open(OpenDialog::Turn(turn, id))).into_markup())
}

/// The editor in place of a message; `None` while it is not edited.
pub fn edited(id: MessageId) -> impl Fn() -> Option<Markup> + Copy + Send + Sync {
    let editing = expect_context::<Workspace>().dialogs.editing;
    let is_edited = select(move || editing.get() == Some(id));
    move || is_edited.get().then(|| view! { <LazyView load=lazy_message_editor /> })
}

lazy_view!(board, lazy_branch_row, BranchRow { row: Selector<TimelineRow> });

#[component]
fn BranchRow(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { dispatch, run: RunView { is_working: works, .. }, .. } = expect_context();
    let first = row.get_untracked();
    if let TimelineRow::Siblings { .. } = first {
        return view! { <SiblingStepper row /> };
    }
    if let TimelineRow::Forked { from, label } = first {
        let mark = match from {
            Some(session) => quiet_button(words::fork_mark(&label))
                .test("fork-origin")
                .on_click(move |_| dispatch.open(session))
                .into_markup(),
            None => words::fork_mark("").into_markup(),
        };
        return view! {
            <div class="round" role="separator" data-testid="fork-mark"><div class="round-lines">{mark}</div></div>
        };
    }
    let to = move || row.with(|row| if let TimelineRow::Ahead { to } = row { Some(*to) } else { None });
    view! {
        <div class="branch" data-testid="ahead">
            <span>{words::AHEAD}</span>
            {quiet_button(words::GO_ON).test("go-ahead").disabled(works)
                .on_click(move |_| if let Some(to) = to() { dispatch.step_to(to, words::WENT_AHEAD.to_owned()) })}
        </div>
    }
}

#[component]
fn SiblingStepper(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { dispatch, run: RunView { is_working: works, .. }, .. } = expect_context();
    let siblings = row.map(move |row| {
        let TimelineRow::Siblings { turn, all } = row else { return (1, 1, None, None) };
        let at = all.iter().position(|other| other == turn).unwrap_or_default();
        let beside = |at: Option<usize>| at.and_then(|at| all.get(at).copied());
        (at.saturating_add(1), all.len(), beside(at.checked_sub(1)), beside(at.checked_add(1)))
    });
    let step = move |by: isize| {
        let (at, of, before, after) = siblings.get_untracked();
        let to = if by < 0 { before } else { after };
        if let Some(to) = to.filter(|_| !works.get_untracked()) {
            dispatch.step_to(to, words::stepped(at.saturating_add_signed(by), of));
        }
    };
    let position_text = move || siblings.with(|(at, of, ..)| words::version_of(*at, *of));
    view! {
        <div
            class="branch" role="group" aria-label=position_text data-testid="siblings"
            on:keydown=move |event| match event.key().as_str() {
                "ArrowLeft" => step(-1),
                "ArrowRight" => step(1),
                _ => {}
            }
        >
            // Not disabled at the ends: the focus stays for the way back.
            {icon_button(icon(icon::BACK)).test("sibling-previous").named(words::PREVIOUS)
                .with("aria-disabled", move || siblings.with(|siblings| siblings.2.is_none() || works.get()).to_string())
                .on_click(move |_| step(-1))}
            <span data-testid="sibling-place" aria-live="polite">
                {move || siblings.with(|(at, of, ..)| words::place(*at, *of))}
            </span>
            {icon_button(icon(icon::FORWARD)).test("sibling-next").named(words::NEXT)
                .with("aria-disabled", move || siblings.with(|siblings| siblings.3.is_none() || works.get()).to_string())
                .on_click(move |_| step(1))}
        </div>
    }
}
