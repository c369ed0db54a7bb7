//! The dialog that starts a run of a graph, with its forecast; the selection of its completion; and the dialog that
//! shows an envelope of an edge.

use crate::ui::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::tree_map::history_links::graph_editor_path;
use crate::ui::workspace::attachments_of_draft;
use nexus_model::context::forecast::forecast;
use nexus_model::run::graph::Completion;
use nexus_model::run::templates::{fitted, graph_templates, own_templates};
use nexus_view::run_graph::NodeRole;
use nexus_view::strings::chat::race;
use nexus_view::strings::graph::ends_when;
use nexus_view::strings::{run_graph as words, tree as tree_words};

lazy_view!(run_graph, lazy_graph_dialog, GraphDialog);

/// The dialog that starts a run of a graph, with agents of this device. `started` gets the opened run. Its message is the
/// composer's, so that it outlives the dialog, and goes with the composer's files and options. Tests know its parts by
/// names: the dialog, its title, the message, the buttons that start and that cancel.
pub(super) fn start_dialog(
    [test, title, message, start, cancel]: [&'static str; 5],
    template: Selector<Option<GraphTemplate>>,
    (choices, more): (Markup, Markup),
    (node, leave): (NodeRef<Dialog>, impl Fn() + Copy + 'static),
    started: impl Fn(RunId) + Copy + 'static,
) -> Markup {
    let &Page { dispatch, run: RunView { is_open: works, .. }, world, .. } = expect_context();
    let (field, composer) = (NodeRef::<Textarea>::new(), dispatch.field(&DraftField::Composer));
    let before = composer.text.get_untracked().to_string();
    let is_empty = RwSignal::new(before.trim().is_empty());
    let begin = move |_| {
        let text = field.get_untracked().map(|field| field.value()).unwrap_or_default();
        let template = template.get_untracked().filter(|_| !works.get_untracked() && !text.trim().is_empty());
        let Some(template) = template else { return };
        let graph = world.with_untracked(|world| fitted(world, template));
        let (message, clear) = dispatch.composed(text);
        let (session, message) = (message.session, NewMessage { graph: Some(Box::new(graph)), ..message });
        dispatch.send_message(message, move |done| {
            let run = world.with_untracked(|world| world.session(&session).and_then(|row| row.run));
            if let (true, Some(run)) = (done, run) {
                clear();
                started(run);
            }
        });
    };
    // The composer's files are behind the dialog.
    let attached = attachments_of_draft(dispatch).map(|files| {
        let names: Vec<_> = files.iter().map(|(_, file)| file.name.clone()).collect();
        (!names.is_empty()).then(|| race::with_images(&names))
    });
    let typed = move |event| {
        let text = event_target_value(&event);
        composer.typed(&text);
        is_empty.set(text.trim().is_empty());
    };
    modal("dialog graph-dialog", test, leave).titled(title).node(node).with_children(view! {
        <h2 id=title>{words::NEW_TITLE}</h2>
        <div class="field">
            <label class="field-name" for=message>{common::MESSAGE}</label>
            <textarea
                id=message class="area" rows="3" data-testid=message node_ref=field dir="auto"
                prop:value=before on:input=typed
            ></textarea>
        </div>
        <p class="hint">{attached}</p>
        {choices}
        <Forecast template />
        <p class="field-problem" role="alert">{move || works.get().then_some(tree_words::BUSY)}</p>
        <div class="card-actions">
            {button(common::START).first().test(start).disabled(move || works.get() || is_empty.get()).on_click(begin)}
            {more}
            {quiet_button(common::CANCEL).test(cancel).on_click(move |_| leave())}
        </div>
    })
}

#[component]
pub fn GraphDialog() -> impl IntoMarkup {
    let &Page { world, .. } = expect_context();
    let Workspace { dialogs, .. } = expect_context();
    let (dialog, leave) = dialog::leaving(move || dialogs.opened.set(None));
    let own = world.with_untracked(own_templates).into_iter();
    let own = own.filter_map(|(_, read)| read.ok());
    let templates = StoredValue::new(own.chain(graph_templates()).collect::<Vec<_>>());
    let chosen = RwSignal::new(0usize);
    let started = move |run| {
        leave();
        address::follow(&run_graph_path(run));
    };
    let option = move |(at, template): (usize, GraphTemplate)| {
        let steps: Vec<_> = template.nodes.iter().map(|node| node.key.to_string()).collect();
        view! {
            <label class="graph-template">
                <input
                    type="radio" name="graph-template" data-testid="graph-template" prop:checked=move || chosen.get() == at
                    on:change=move |_| chosen.set(at)
                />
                <span class="graph-template-name">{language::translated(&template.name)}</span>
                <span class="hint">{language::translated(&template.about)}</span>
                <span class="graph-template-nodes">{steps.join(" → ")}</span>
            </label>
        }
    };
    let options: Vec<Markup> = templates.get_value().into_iter().enumerate().map(option).collect();
    let choices = view! {
        <fieldset class="graph-templates">
            <legend class="field-name">{common::TEMPLATE}</legend>
            {options}
        </fieldset>
    };
    let edit = view! {
        <a class="button" href=move || graph_editor_path(Some(chosen.get())) data-testid="graph-edit">{words::EDIT_GRAPHS}</a>
    };
    start_dialog(
        ["graph-dialog", "graph-dialog-title", "graph-message", "graph-start", "graph-cancel"],
        select(move || templates.with_value(|all| all.get(chosen.get()).cloned())),
        (choices, edit),
        (dialog, leave),
        started,
    )
}

pub(super) fn as_json(envelope: &Envelope) -> String {
    json::to_tree(envelope).map(|tree| format!("{tree:#}")).unwrap_or_default()
}

#[component]
pub(super) fn EnvelopeDialog(
    title: String,
    envelope: Envelope,
    opened: RwSignal<Option<(String, Envelope)>>,
) -> impl IntoMarkup {
    let (node, leave) = dialog::leaving(move || opened.set(None));
    let text = as_json(&envelope);
    modal("dialog graph-dialog", "run-envelope-dialog", leave).titled("run-envelope-title").node(node).beside().with_children(view! {
        <h2 id="run-envelope-title">{title}</h2>
        <p dir="auto">{language::translate_template(&envelope.summary)}</p>
        <pre class="inspect-text" tabindex="0" role="group" aria-labelledby="run-envelope-title" dir="auto">{text}</pre>
        <div class="card-actions">
            {button(common::CLOSE).first().test("run-envelope-close").on_click(move |_| leave())}
        </div>
    })
}

#[component]
pub(super) fn Forecast(template: Selector<Option<GraphTemplate>>) -> impl IntoMarkup {
    let &Page { dispatch, world, .. } = expect_context();
    let forecast_text = select(move || {
        let template = template.get()?;
        Some(world.with(WorldParts::ALL, |world| {
            let template = fitted(world, template);
            words::forecast(&forecast(world, dispatch.session(), &template, "", dispatch.now()))
        }))
    });
    view! { <p class="hint" data-testid="graph-forecast">{move || forecast_text.get()}</p> }
}

#[component]
pub(super) fn EndsWhen(state: RunScreenState) -> impl IntoMarkup {
    let &Page { dispatch, .. } = expect_context();
    let known = state.diagram.map(move |diagram| {
        let diagram = diagram.as_ref().filter(|diagram| diagram.run.status.is_open())?;
        let has = |role: NodeRole| diagram.nodes.iter().any(|node| node.role == role);
        let can = |completion: &Completion| match completion {
            Completion::Verifier => has(NodeRole::Verifier),
            Completion::Orchestrator => has(NodeRole::Orchestrator),
            Completion::Drained | Completion::Budget => true,
        };
        let now = diagram.run.graph.as_ref()?.completion;
        Some((now, Completion::ALL.into_iter().filter(can).collect::<Vec<_>>()))
    });
    move || {
        let (now, all) = known.get().filter(|_| state.is_live() && !state.is_imported())?;
        let choices = all.iter().enumerate().map(|(at, one)| (at.to_string(), ends_when(*one).to_owned()));
        let choices = choices.collect();
        let at = all.iter().position(|one| *one == now).unwrap_or_default().to_string();
        let run = state.run;
        let pick = move |at: String| {
            let completion = at.parse::<usize>().ok().and_then(|at| all.get(at).copied());
            if let Some(completion) = completion {
                dispatch.send(Command::SetCompletion { run, completion });
            }
        };
        Some(
            select_box(options(choices, Selector::fixed(at)), pick)
                .test("run-ends-when")
                .named(words::ENDS_WHEN),
        )
    }
}
