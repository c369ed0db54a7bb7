//! The terminal of the selected node: its screen with keyboard input, or the consent that it needs first.

use leptos::ev::{ClipboardEvent, Event};
use leptos::html::Label;

use crate::ui::hooks::js_part::LazyTerminals;
use crate::ui::hooks::text::take_if_longer;
use crate::ui::hooks::virtual_list::on_resize;
use crate::ui::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use nexus_engine::port::lazy::{TerminalKey, TerminalState, TerminalView, Terminals};
use nexus_model::run::templates::{TerminalConsent, consent_row, consent_to};
use nexus_model::run::terminal::{TerminalSpec, origin};
use nexus_text::terminal::Span;
use nexus_view::run_graph::NodeRole;
use nexus_view::strings::graph::terminal as words;
use nexus_view::terminal::{TerminalKeyPress, colors, css_classes, keys};

/// Minimum time between renderings of the screen, in milliseconds.
const FRAME_MS: u64 = 16;

#[component]
pub(super) fn TerminalPane(state: RunScreenState) -> impl IntoMarkup {
    let &Page { dispatch, world, .. } = expect_context();
    let open = RwSignal::new(false);
    let secret = RwSignal::new(String::new());
    let offer = select(move || {
        let node = state.selected_node().filter(|_| state.is_live() && !state.is_imported())?;
        let can = matches!(node.role, NodeRole::Agent | NodeRole::Docs | NodeRole::Verifier);
        let is_graph = state.diagram.with_some(|diagram| {
            diagram.run.graph.is_some() && (diagram.run.status.is_open() || node.terminal.is_some())
        });
        let bound = node.terminal.map(|terminal| *terminal);
        let session = node.session;
        let agents = bound.as_ref().and_then(|terminal| {
            world.with(WorldParts::SETTINGS, |world| consent_to(world, session, &node.id, terminal))
        });
        let has_model = node.agent.is_some() || node.role == NodeRole::Verifier;
        let offer = TerminalOffer {
            run: state.run,
            session,
            node: node.id,
            bound,
            agents: agents.as_ref().is_some_and(|consent| consent.agents),
            has_model,
        };
        (can && is_graph).then_some((offer, agents.is_some()))
    });
    let allowed = select(move || {
        let (offer, is_allowed) = offer.get()?;
        let key = TerminalKey { session: offer.session, node: offer.node };
        offer.bound.filter(|_| is_allowed).map(|terminal| (key, terminal))
    });
    let is_bound = offer.map_some(move |(offer, _)| offer.bound.is_some());
    let revoke = move |_| {
        let Some((key, _)) = allowed.get_untracked() else { return };
        dispatch.set_row(&consent_row(key.session, &key.node), serde_json::Value::Null);
        let terminals = expect_context::<LazyTerminals>();
        spawn_local(async move {
            if let Ok(terminals) = (terminals.0)().await {
                terminals.detach(&key);
            }
        });
    };
    let screen = move || {
        let (key, terminal) = allowed.get()?;
        Some(view! { <TerminalScreen key=key terminal secret /> })
    };
    let label = move || match (is_bound.get(), allowed.with(Option::is_some)) {
        (false, _) => words::USE,
        (true, false) => words::ALLOW,
        (true, true) => words::CHANGE,
    };
    let dialog = move || {
        let offer = open.get().then(|| offer.get_untracked()).flatten()?.0;
        Some(view! { <TerminalDialog offer open secret /> })
    };
    view! {
        <Show when=move || offer.with(Option::is_some)>
            <section
                class="terminal-pane" data-testid="terminal-pane" aria-label=words::TITLE
                data-open=move || allowed.with(Option::is_some).then_some("")
            >
                <Show when=move || is_bound.get() && allowed.with(Option::is_none)>
                    <p class="hint" data-testid="terminal-asks">{words::ASKS}</p>
                </Show>
                {screen}
                <div class="terminal-bar">
                    {quiet_button(label).test("terminal-open").title(words::USE_ABOUT).on_click(move |_| open.set(true))}
                    <Show when=move || allowed.with(Option::is_some)>
                        {quiet_button(words::REVOKE).danger().test("terminal-revoke").title(words::REVOKE_ABOUT).on_click(revoke)}
                    </Show>
                </div>
            </section>
        </Show>
        {dialog}
    }
}

#[component]
fn TerminalScreen(key: TerminalKey, terminal: TerminalSpec, secret: RwSignal<String>) -> impl IntoMarkup {
    let load = expect_context::<LazyTerminals>();
    let clock = expect_context::<&Page>().dispatch.clock();
    let (frame, probe, input) = (NodeRef::<Label>::new(), NodeRef::<Div>::new(), NodeRef::<Textarea>::new());
    let shown = RwSignal::new(TerminalView::default());
    let is_lost = RwSignal::new(false);
    let hub = StoredValue::new(None::<Rc<dyn Terminals>>);
    let may_call = origin(&terminal.address).is_some_and(address::may_call);
    let own = StoredValue::new((key, terminal));
    let with_hub = move |act: &dyn Fn(&dyn Terminals, &TerminalKey)| {
        if let Some(hub) = hub.get_value() {
            own.with_value(|(key, _)| act(&*hub, key));
        }
    };
    let fit = move || {
        let (Some(frame), Some(probe)) = (frame.get_untracked(), probe.get_untracked()) else {
            return;
        };
        let letter = probe.get_bounding_client_rect();
        let fits = |room: i32, one: f64| if one > 0.0 { (f64::from(room) / one) as usize } else { 0 };
        let columns = fits(frame.client_width(), letter.width() / 100.0);
        let rows = fits(frame.client_height(), letter.height());
        if columns > 1 && rows > 1 {
            with_hub(&|hub, key| hub.resize(key, columns.max(40), rows));
        }
    };
    on_resize(move || vec![frame.get().map(Into::into)], fit);
    let attach = move |terminals: &Rc<dyn Terminals>| {
        let secret = secret.get_untracked();
        own.with_value(|(key, terminal)| terminals.attach(key, terminal, &secret));
    };
    let follow = async move {
        let Ok(terminals) = (load.0)().await else { return is_lost.set(true) };
        let key = own.with_value(|(key, _)| key.clone());
        let mut changes = terminals.changes(&key).ready_chunks(1_024);
        attach(&terminals);
        hub.set_value(Some(Rc::clone(&terminals)));
        fit();
        loop {
            shown.set(terminals.view(&key));
            if changes.next().await.is_none() {
                return;
            }
            clock.sleep(FRAME_MS).await;
        }
    };
    if may_call {
        spawn_here(follow);
    }
    let send = move |text: &str| with_hub(&|hub, key| hub.send(key, text));
    let key = move |event: KeyboardEvent| {
        // Shortcuts of the panes, and input method composition.
        if event.is_composing() || event.meta_key() || (event.alt_key() && event.shift_key()) {
            return;
        }
        let (name, ctrl, alt, shift) = (event.key(), event.ctrl_key(), event.alt_key(), event.shift_key());
        // Copy and paste are left to the browser.
        let is_clipboard = ctrl && (shift || name == "v");
        let press = TerminalKeyPress { key: &name, ctrl, alt, shift };
        let application = shown.with_untracked(|shown| shown.application_cursor);
        if let Some(bytes) = keys(press, application).filter(|_| !is_clipboard) {
            event.prevent_default();
            event.stop_propagation();
            send(&bytes);
        }
    };
    let typed = move |event: Event| {
        let text = event_target_value(&event);
        if let Some(input) = input.get_untracked() {
            input.set_value("");
        }
        send(&text);
    };
    let paste = move |event: ClipboardEvent| {
        let Some(text) = take_if_longer(&event, 0) else { return };
        with_hub(&|hub, key| hub.paste(key, &text));
    };
    let state = shown.map(move |shown| shown.state);
    let status = move || {
        let title = shown.with(|shown| shown.title.clone());
        own.with_value(|(_, terminal)| words::state(state.get(), &terminal.address, &title))
    };
    let count = shown.map(move |shown| shown.rows.len());
    let rows = keyed_list(
        move || (0..count.get()).collect(),
        |at: &usize| *at,
        move |at| {
            let row = shown.map(move |shown| shown.rows.get(at).cloned().unwrap_or_default());
            view! { <div class="terminal-row">{move || row.get().into_iter().map(span).collect::<Vec<_>>()}</div> }
        },
    );
    let cursor = move || {
        let (row, column) = shown.with(|shown| shown.cursor)?;
        Some(view! {
            <div class="terminal-cursor" style:inset-block-start=format!("{row}lh") style:inset-inline-start=format!("{column}ch")></div>
        })
    };
    let is_closed = move || matches!(state.get(), TerminalState::Closed(_));
    let again = move |_| hub.with_value(|hub| hub.as_ref().map(attach)).unwrap_or_default();
    if !may_call {
        return view! {
            <p class="hint" role="status" data-testid="terminal-reload">{words::RELOAD_ABOUT}</p>
            {button(words::RELOAD).test("terminal-reload-page").on_click(|_| address::reload())}
        };
    }
    view! {
        <p class="hint" role="status" data-testid="terminal-state">
            {move || if is_lost.get() { words::NOT_LOADED.get().to_owned() } else { status() }}
        </p>
        <Show when=is_closed>{button(words::RECONNECT).test("terminal-again").on_click(again)}</Show>
        <label class="terminal" node_ref=frame>
            <div class="terminal-probe" node_ref=probe aria-hidden="true">{"0".repeat(100)}</div>
            <div class="terminal-rows" dir="ltr" data-testid="terminal-rows">{rows}{cursor}</div>
            <textarea class="terminal-input" node_ref=input rows="1" data-testid="terminal-input" aria-label=words::SCREEN
                autocomplete="off" autocapitalize="off" spellcheck="false" title=words::SCREEN
                on:keydown=key on:input=typed on:paste=paste
            ></textarea>
        </label>
    }
}

fn span(span: Span) -> Markup {
    let Span { text, style } = span;
    let ((fore, back), looks) = (colors(style), css_classes(style));
    view! { <span data-looks=looks style:color=fore style:background-color=back>{text}</span> }
}

/// A node of a run, and the terminal that it is bound to.
#[derive(Clone, PartialEq)]
pub(super) struct TerminalOffer {
    pub(super) run: RunId,
    pub(super) session: SessionId,
    pub(super) node: String,
    pub(super) bound: Option<TerminalSpec>,
    pub(super) agents: bool,
    /// True if a model could answer for the node instead.
    pub(super) has_model: bool,
}

#[component]
pub(super) fn TerminalDialog(
    offer: TerminalOffer,
    open: RwSignal<bool>,
    secret: RwSignal<String>,
) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    let spec = RwSignal::new(offer.bound.clone().unwrap_or_else(TerminalSpec::usual));
    let agents = RwSignal::new(offer.agents);
    let is_invalid = select(move || !spec.with(TerminalSpec::is_sound));
    let (has_terminal, has_model) = (offer.bound.is_some(), offer.has_model);
    let offer = StoredValue::new(offer);
    let (node, leave) = dialog::leaving(move || open.set(false));
    let bind = move |terminal: Option<TerminalSpec>| {
        let (run, node) = offer.with_value(|offer| (offer.run, offer.node.as_str().into()));
        Command::BindTerminal { run, node, terminal: terminal.map(Box::new) }
    };
    let accept = move |_| {
        let terminal = spec.get_untracked();
        let (row, is_new) = offer.with_value(|offer| {
            (consent_row(offer.session, &offer.node), offer.bound.as_ref() != Some(&terminal))
        });
        let consent = TerminalConsent { terminal: terminal.clone(), agents: agents.get_untracked() };
        let store = move || {
            if let Ok(value) = serde_json::to_value(&consent) {
                dispatch.set_row(&row, value);
            }
        };
        if is_new {
            dispatch.send_done(bind(Some(terminal)), store);
        } else {
            store();
        }
        leave();
    };
    let unbind = move |_| {
        dispatch.send(bind(None));
        leave();
    };
    let line = move |test: &'static str,
                     label: Text,
                     about: Text,
                     part: fn(&mut TerminalSpec) -> &mut String| {
        let value = std::mem::take(part(&mut spec.get_untracked()));
        view! {
            <div class="field">
                <label class="field-name" for=test>{label}</label>
                <input class="input" type="text" id=test data-testid=test data-face="code" autocomplete="off"
                    autocapitalize="off" spellcheck="false" value=value
                    on:input=move |event| spec.update(|spec| event_target_value(&event).trim_start().clone_into(part(spec))) />
                <p class="hint">{about}</p>
            </div>
        }
    };
    let fields = [
        line("terminal-address", words::ADDRESS, words::HOW_TO, |spec| &mut spec.address),
        line("terminal-command", words::COMMAND, words::COMMAND_ABOUT, |spec| &mut spec.command),
        line("terminal-resume", words::RESUME, words::RESUME_ABOUT, |spec| &mut spec.resume),
        line("terminal-prompt", words::PROMPT, words::PROMPT_ABOUT, |spec| &mut spec.prompt),
    ];
    modal("dialog graph-dialog", "terminal-dialog", leave).titled("terminal-title").node(node).with_children(view! {
        <h2 id="terminal-title">{words::TITLE}</h2>
        <p>{words::ABOUT}</p>
        {fields}
        <div class="field">
            <label class="field-name" for="terminal-secret">{words::SECRET}</label>
            <input class="input" type="password" id="terminal-secret" data-testid="terminal-secret"
                autocomplete="off" on:input=move |event| secret.set(event_target_value(&event)) />
        </div>
        {check(words::AGENTS, move || agents.get(), move |on| agents.set(on)).test("terminal-agents")}
        <p class="field-problem" role="alert">{move || is_invalid.get().then_some(words::NOT_SOUND)}</p>
        <div class="card-actions">
            {button(words::ACCEPT).test("terminal-accept").disabled(move || is_invalid.get()).on_click(accept)}
            <Show when=move || has_terminal && has_model>
                {quiet_button(words::UNBIND).test("terminal-unbind").on_click(unbind)}
            </Show>
            {quiet_button(common::CANCEL).test("terminal-cancel").on_click(move |_| leave())}
        </div>
    })
}
