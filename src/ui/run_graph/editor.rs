//! The graph editor: a bar with templates and actions, the drawing, and the form of the selection.

use crate::ui::kit::icon::{REDO, UNDO};
use crate::ui::prelude::*;
use crate::ui::run_graph::canvas::{PlaceState, RunPlace};
use crate::ui::run_graph::editor_canvas::EditorCanvas;
use crate::ui::run_graph::editor_form::EditorForm;
use crate::ui::run_graph::editor_state::EditorState;
use crate::ui::run_graph::template_dialog::start_dialog;
use nexus_model::run::templates::{fitted, graph_templates, own_templates};
use nexus_view::graph_editor::{EditorMessage, GraphEditor, blank};
use nexus_view::strings::graph::editor as words;
use nexus_view::strings::run_graph;

#[component]
pub(super) fn GraphEditorScreen(places: PlaceState, template: Option<Arc<GraphTemplate>>) -> impl IntoMarkup {
    let state = EditorState::open(template);
    address::set_query("edit=1");
    let status = move || {
        state.with(|editor| {
            let name = reveal(&editor.template().name);
            match (name.is_empty(), editor.is_changed()) {
                (true, true) => words::UNSAVED.to_owned(),
                (false, true) => format!("{name} · {}", words::UNSAVED),
                (_, false) => name,
            }
        })
    };
    view! {
        <main class="run-screen" data-testid="graph-editor" data-done="true">
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=common::WAR_ROOM><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint" role="status" data-testid="graph-editor-summary">{status}</p>
                <div class="run-actions">
                    {quiet_button(run_graph::IMPORT).test("run-import").title(run_graph::IMPORT_TITLE)
                        .on_click(move |_| places.imports.set(true))}
                    {quiet_button(words::TO_RUN).test("graph-to-run")
                        .on_click(move |_| places.place.set(RunPlace::Run(None)))}
                </div>
                <a href=home_path() class="button">{common::WAR_ROOM}</a>
            </header>
            <EditorBar places state />
            <div class="run-panes graph-panes">
                <EditorCanvas state />
                <EditorForm state />
            </div>
        </main>
    }
}

#[component]
fn EditorBar(places: PlaceState, state: EditorState) -> impl IntoMarkup {
    let starts = RwSignal::new(false);
    let built_in = StoredValue::new(graph_templates());
    let own = state.world.select(WorldParts::SETTINGS, |world| {
        own_templates(world).into_iter().map(|(name, read)| (name, read.ok())).collect::<Vec<_>>()
    });
    let choices = move || {
        let choice = |value: String, name: String| option(value, name, false);
        let mut all = vec![
            option(String::new(), words::OPEN_TEMPLATE, true),
            choice("new".to_owned(), words::NEW.to_owned()),
        ];
        for (at, (name, _)) in own.get().into_iter().enumerate() {
            all.push(choice(format!("own:{at}"), reveal(&name)));
        }
        built_in.with_value(|built_in| {
            for (at, template) in built_in.iter().enumerate() {
                all.push(choice(format!("built:{at}"), format!("{} ({})", template.name, words::BUILT_IN)));
            }
        });
        all
    };
    let open = move |value: String| {
        let template = match value.split_once(':') {
            Some(("own", at)) => {
                let found =
                    own.with_untracked(|own| at.parse().ok().and_then(|at: usize| own.get(at).cloned()));
                match found {
                    Some((_, Some(template))) => template,
                    Some((_, None)) => {
                        state.notices.add(NoticeKind::Error, words::NOT_READ, "");
                        return;
                    }
                    None => return,
                }
            }
            Some((_, at)) => {
                let found =
                    at.parse().ok().and_then(|at: usize| built_in.with_value(|all| all.get(at).cloned()));
                let Some(template) = found else { return };
                let copy = GraphTemplate { name: format!("{} (copy)", template.name), ..template };
                state.world.with_untracked(|world| fitted(world, copy))
            }
            None if value == "new" => blank(),
            None => return,
        };
        state.send(EditorMessage::Open(template));
    };
    // The list always resets to its title, so that the same template can be opened twice.
    let picker = move || {
        state.with(|editor| editor.template().name.clone());
        select_box(choices, open).test("graph-template-open").label(common::TEMPLATE).into_markup()
    };
    let saved_name = select(move || {
        let name = state.with(|editor| editor.template().name.clone());
        own.with(|own| own.iter().any(|(other, _)| *other == name)).then_some(name)
    });
    let invalid = move || state.problem.with(Option::is_some);
    let unnamed = move || state.with(|editor| editor.template().name.trim().is_empty());
    view! {
        <div class="run-scrubber graph-bar" role="toolbar" aria-label=words::TITLE>
            {picker}
            {icon_button(icon(UNDO)).test("graph-undo").named(common::UNDO)
                .disabled(move || !state.with(GraphEditor::can_undo)).on_click(move |_| state.send(EditorMessage::Undo))}
            {icon_button(icon(REDO)).test("graph-redo").named(words::REDO)
                .disabled(move || !state.with(GraphEditor::can_redo)).on_click(move |_| state.send(EditorMessage::Redo))}
            <span class="graph-bar-space"></span>
            {quiet_button(words::EXPORT).test("graph-export").disabled(invalid).on_click(move |_| state.export())}
            <Show when=move || saved_name.with(Option::is_some)>
                {quiet_button(words::DELETE).test("graph-delete")
                    .on_click(move |_| if let Some(name) = saved_name.get_untracked() { state.delete(name) })}
            </Show>
            {button(words::SAVE).test("graph-save").disabled(move || invalid() || unnamed())
                .on_click(move |_| state.save())}
            {button(words::RUN).first().test("graph-run").disabled(invalid).on_click(move |_| starts.set(true))}
        </div>
        <Show when=move || starts.get()><StartDialog places state starts /></Show>
    }
}

#[component]
fn StartDialog(places: PlaceState, state: EditorState, starts: RwSignal<bool>) -> impl IntoMarkup {
    let node = NodeRef::<Dialog>::new();
    let leave = move || {
        dialog::close(node);
        starts.set(false);
    };
    start_dialog(
        [
            "graph-start-dialog",
            "graph-start-title",
            "graph-start-message",
            "graph-start-run",
            "graph-start-cancel",
        ],
        select(move || Some(state.with(|editor| editor.template().clone()))),
        (String::new(), Markup::Empty, Markup::Empty),
        (node, leave),
        move |run| {
            leave();
            places.place.set(RunPlace::Run(Some(run)));
        },
    )
}
