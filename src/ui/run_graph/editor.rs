//! The graph editor: a bar with templates and actions, the drawing, and the form of the selection.

use crate::ui::kit::icon::{REDO, UNDO};
use crate::ui::prelude::*;
use crate::ui::run_graph::canvas::{PlaceState, RunPlace};
use crate::ui::run_graph::editor_canvas::EditorCanvas;
use crate::ui::run_graph::editor_form::EditorForm;
use crate::ui::run_graph::editor_state::{EditorState, offered};
use crate::ui::run_graph::template_dialog::start_dialog;
use nexus_view::graph_editor::{EditorMessage, GraphEditor, blank};
use nexus_view::strings::graph::editor as words;
use nexus_view::strings::run_graph;

#[component]
pub(super) fn GraphEditorScreen(places: PlaceState, template: Option<Arc<GraphTemplate>>) -> impl IntoMarkup {
    let state = EditorState::open(template);
    address::set_query("edit=1");
    let status = move || {
        state.editor.with(|editor| {
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
            <ScreenBar title=words::TITLE>
                <p class="hint graph-summary" role="status" data-testid="graph-editor-summary">{status}</p>
                <div class="run-actions">
                    {quiet_button(run_graph::IMPORT).test("run-import").title(run_graph::IMPORT_TITLE)
                        .on_click(move |_| places.imports.set(true))}
                    {quiet_button(words::TO_RUN).test("graph-to-run")
                        .on_click(move |_| places.go(RunPlace::Run(None)))}
                </div>
            </ScreenBar>
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
    let offered = state.world.select(WorldParts::SETTINGS.and(WorldParts::ROSTER), offered);
    let choices = move || {
        let first = [option("", words::OPEN_TEMPLATE, true), option("new", words::NEW, false)];
        let all = offered.get().into_iter().map(|(value, name, _)| option(value, reveal(&name), false));
        first.into_iter().chain(all).collect::<Vec<_>>()
    };
    let open = move |value: String| {
        let found = offered.with_untracked(|all| all.iter().find(|one| one.0 == value).cloned());
        match found {
            _ if value == "new" => state.send(EditorMessage::Open(blank())),
            Some((.., Some(template))) => state.send(EditorMessage::Open(template)),
            Some((.., None)) => drop(state.notices.add(NoticeKind::Error, words::NOT_READ, "")),
            None => {}
        }
    };
    // The list always resets to its title, so that the same template can be opened twice.
    let picker = move || {
        state.editor.with(|editor| editor.template().name.clone());
        select_box(choices, open).test("graph-template-open").label(common::TEMPLATE).into_markup()
    };
    let saved_name = select(move || {
        let name = state.editor.with(|editor| editor.template().name.clone());
        let is_saved = offered.with(|all| all.iter().any(|one| one.1 == name && one.0.starts_with("own:")));
        is_saved.then_some(name)
    });
    let invalid = move || state.problem.with(Option::is_some);
    let unnamed = move || state.editor.with(|editor| editor.template().name.trim().is_empty());
    view! {
        <div class="run-scrubber graph-bar" role="toolbar" aria-label=words::TITLE>
            {picker}
            {icon_button(icon(UNDO)).test("graph-undo").named(common::UNDO)
                .disabled(move || !state.editor.with(GraphEditor::can_undo)).on_click(move |_| state.send(EditorMessage::Undo))}
            {icon_button(icon(REDO)).test("graph-redo").named(words::REDO)
                .disabled(move || !state.editor.with(GraphEditor::can_redo)).on_click(move |_| state.send(EditorMessage::Redo))}
            <span class="graph-bar-space"></span>
            {quiet_button(common::EXPORT).test("graph-export").title(words::EXPORT).disabled(invalid).on_click(move |_| state.export())}
            <Show when=move || saved_name.with(Option::is_some)>
                {quiet_button(common::DELETE).test("graph-delete").title(words::DELETE)
                    .on_click(move |_| if let Some(name) = saved_name.get_untracked() { state.delete(name) })}
            </Show>
            {button(common::SAVE).test("graph-save").disabled(move || invalid() || unnamed())
                .title(move || if unnamed() { words::UNNAMED } else { words::SAVE })
                .on_click(move |_| state.save())}
            {button(words::RUN).first().test("graph-run").disabled(invalid).on_click(move |_| starts.set(true))}
        </div>
        <Show when=move || starts.get()><StartDialog places state starts /></Show>
    }
}

#[component]
fn StartDialog(places: PlaceState, state: EditorState, starts: RwSignal<bool>) -> impl IntoMarkup {
    let (node, leave) = dialog::leaving(move || starts.set(false));
    start_dialog(
        [
            "graph-start-dialog",
            "graph-start-title",
            "graph-start-message",
            "graph-start-run",
            "graph-start-cancel",
        ],
        select(move || Some(state.editor.with(|editor| editor.template().clone()))),
        (Markup::Empty, Markup::Empty),
        (node, leave),
        move |run| {
            leave();
            places.go(RunPlace::Run(Some(run)));
        },
    )
}
