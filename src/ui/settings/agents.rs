//! The list of agents, and adding one: blank, from a template, or from a file.

pub mod agent;
pub mod model;

use leptos::html::Input;

use crate::ui::hooks::files;
use crate::ui::prelude::*;
use crate::ui::settings::agents::agent::{AgentForm, title_id};
use nexus_engine::tools;
use nexus_model::agent::{Agent, defaults, file};
use nexus_model::limits::AGENT_FILE_BYTES;
use nexus_view::strings::settings as card_words;

#[component]
pub fn AgentList(agents: Agents, providers: Providers) -> impl IntoMarkup {
    let (dispatch, notices) = (expect_context::<Dispatch>(), expect_context::<Notices>());
    let chosen_file = NodeRef::<Input>::new();
    let problem = RwSignal::new(None::<String>);
    let template = RwSignal::new("0".to_owned());
    let add_agent = move |agent: Agent| {
        let title = title_id(&agent.key);
        dispatch.send_and_focus(Command::ChangeAgent { agent }, title);
    };
    let all = move || agents.all_untracked().iter().map(|agent| agent.as_ref().clone()).collect::<Vec<_>>();
    let add = move |_| {
        let at = template.with_untracked(|at| at.parse::<usize>().unwrap_or_default());
        let Some(pattern) = defaults::templates().into_iter().nth(at) else { return };
        let mut agent = defaults::agent_like(&pattern, all().iter());
        // Uses the first agent's model until it is changed.
        if let Some(first) =
            agents.order.get_untracked().first().and_then(|key| agents.rows.get_untracked(key))
        {
            agent.config.provider = first.agent.config.provider.clone();
            agent.config.model = first.agent.config.model.clone();
            agent.config.context_tokens = first.agent.config.context_tokens;
        }
        add_agent(agent);
    };
    let import = move |text: Option<String>| {
        let Some(text) = text else { return problem.set(Some(card_words::NOT_READ.to_owned())) };
        match file::read(&text) {
            Ok(file) => {
                let existing_providers: Vec<_> =
                    providers.all_untracked().iter().map(|one| one.as_ref().clone()).collect();
                let tools: Vec<_> = tools::all().map(|(name, _)| name).collect();
                let (agent, remarks) = file.join(&all(), &existing_providers, &tools);
                problem.set(None);
                let remarks: Vec<_> = remarks.iter().map(strings::remark).collect();
                let title = card_words::imported(&agent.identity.name);
                notices.add(NoticeKind::Info, title, remarks.join(" "));
                add_agent(agent);
            }
            Err(wrong) => problem.set(Some(strings::file_problem(&wrong))),
        }
    };
    let names = defaults::templates().into_iter().enumerate().map(|(at, agent)| {
        let name = if at == 0 { card_words::TEMPLATE_BLANK.to_owned() } else { agent.identity.name };
        (at.to_string(), name)
    });
    view! {
        {keyed_list(move || agents.order.get(), Clone::clone,
            move |key| agents.rows.row(&key).map(|row| view! { <AgentForm row agents providers /> }))}
        <div class="settings-actions agent-new">
            {choice_field("agent-template", card_words::AGENT_TEMPLATE, Selector::fixed(names.collect()),
                template, move |chosen| template.set(chosen)).test("agent-template")}
            {button(card_words::AGENT_ADD).test("agent-add").on_click(add)}
            <label class="button file-button">
                {card_words::AGENT_IMPORT}
                <input
                    node_ref=chosen_file class="unseen" type="file" accept="application/json,.json"
                    data-testid="agent-import"
                    on:change=move |_| files::read_chosen(chosen_file, AGENT_FILE_BYTES, import)
                />
            </label>
        </div>
        <p class="field-problem" role="alert" data-testid="agent-import-problem">{problem}</p>
    }
}
