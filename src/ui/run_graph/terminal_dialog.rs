//! The dialog in which the operator allows a node a terminal on this machine, and says which.

use leptos::html::Dialog;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::dialog;
use crate::ui::kit::prelude::*;
use nexus_model::command::{Command, GraphCommand};
use nexus_model::id::{RunId, SessionId};
use nexus_model::run::templates::{TerminalConsent, consent_row};
use nexus_model::run::terminal::TerminalSpec;
use nexus_view::language::Text;
use nexus_view::strings::graph::terminal as words;

/// What the dialog is about: a node of a run, and the terminal that it is bound to.
#[derive(Clone, PartialEq)]
pub(super) struct TerminalOffer {
    pub(super) run: RunId,
    pub(super) session: SessionId,
    pub(super) node: String,
    pub(super) bound: Option<TerminalSpec>,
    pub(super) agents: bool,
    /// Whether a model could answer for the node.
    pub(super) has_model: bool,
}

#[component]
pub(super) fn TerminalDialog(
    offer: TerminalOffer,
    open: RwSignal<bool>,
    secret: RwSignal<String>,
) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let node = NodeRef::<Dialog>::new();
    let spec = RwSignal::new(offer.bound.clone().unwrap_or_else(TerminalSpec::usual));
    let agents = RwSignal::new(offer.agents);
    let is_unfit = select(move || !spec.with(TerminalSpec::is_sound));
    let (has_terminal, has_model) = (offer.bound.is_some(), offer.has_model);
    let offer = StoredValue::new(offer);
    let leave = move || {
        dialog::close(node);
        open.set(false);
    };
    let bind = move |terminal: Option<TerminalSpec>| {
        let (run, node) = offer.with_value(|offer| (offer.run, offer.node.as_str().into()));
        Command::Graph(GraphCommand::BindTerminal { run, node, terminal: terminal.map(Box::new) })
    };
    let accept = move |_| {
        let terminal = spec.get_untracked();
        let (row, is_new) = offer.with_value(|offer| {
            (consent_row(offer.session, &offer.node), offer.bound.as_ref() != Some(&terminal))
        });
        let consent = TerminalConsent { terminal: terminal.clone(), agents: agents.get_untracked() };
        let keep = move || {
            if let Ok(value) = serde_json::to_value(&consent) {
                dispatch.set_row(&row, value);
            }
        };
        if is_new {
            dispatch.send_then(bind(Some(terminal)), move |outcome| {
                if outcome.is_ok() {
                    keep();
                }
            });
        } else {
            keep();
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
                     value: String,
                     set: fn(&mut TerminalSpec, String)| {
        view! {
            <div class="field">
                <label class="field-name" for=test>{label}</label>
                <input class="input" type="text" id=test data-testid=test data-face="code" autocomplete="off"
                    autocapitalize="off" spellcheck="false" value=value
                    on:input=move |event| spec.update(|spec| set(spec, event_target_value(&event).trim_start().to_owned())) />
                <p class="hint">{about}</p>
            </div>
        }
    };
    let TerminalSpec { address, command, resume, prompt } = spec.get_untracked();
    let fields: Vec<Markup> = vec![
        line("terminal-address", words::ADDRESS, words::HOW_TO, address, |spec, text| spec.address = text),
        line("terminal-command", words::COMMAND, words::COMMAND_ABOUT, command, |spec, text| {
            spec.command = text
        }),
        line("terminal-resume", words::RESUME, words::RESUME_ABOUT, resume, |spec, text| spec.resume = text),
        line("terminal-prompt", words::PROMPT, words::PROMPT_ABOUT, prompt, |spec, text| spec.prompt = text),
    ];
    modal("dialog graph-dialog", "terminal-dialog", leave).titled("terminal-title").node(node).holding(view! {
        <h2 id="terminal-title">{words::TITLE}</h2>
        <p>{words::ABOUT}</p>
        {fields}
        <div class="field">
            <label class="field-name" for="terminal-secret">{words::SECRET}</label>
            <input class="input" type="password" id="terminal-secret" data-testid="terminal-secret"
                autocomplete="off" on:input=move |event| secret.set(event_target_value(&event)) />
        </div>
        {check(words::AGENTS, move || agents.get(), move |on| agents.set(on)).test("terminal-agents")}
        <p class="field-problem" role="alert">{move || is_unfit.get().then_some(words::NOT_SOUND)}</p>
        <div class="card-actions">
            {button(words::ACCEPT).test("terminal-accept").disabled(move || is_unfit.get()).on_click(accept)}
            <Show when=move || has_terminal && has_model>
                {quiet_button(words::UNBIND).test("terminal-unbind").on_click(unbind)}
            </Show>
            {quiet_button(words::CANCEL).test("terminal-cancel").on_click(move |_| leave())}
        </div>
    })
}
