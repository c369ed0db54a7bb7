//! The fields of the terminal that a node works in, in the form of the graph editor.

use crate::ui::kit::prelude::*;
use crate::ui::run_graph::editor_state::EditorState;
use nexus_model::id::NodeId;
use nexus_model::run::terminal::TerminalSpec;
use nexus_view::graph_editor::EditorMessage;
use nexus_view::graph_editor::change::NodeChange;
use nexus_view::language::Text;
use nexus_view::strings::graph::{editor, terminal as words};

type SpecPart = fn(&mut TerminalSpec) -> &mut String;

#[component]
pub(super) fn TerminalFields(state: EditorState, id: NodeId) -> impl IntoMarkup {
    let id = StoredValue::new(id);
    let terminal = select(move || {
        state.with(|editor| editor.node(&id.get_value()).and_then(|node| node.terminal.clone()))
    });
    let has = select(move || terminal.with(Option::is_some));
    let keep = move |terminal: Option<TerminalSpec>| {
        state.send(EditorMessage::Node(id.get_value(), NodeChange::Terminal(terminal)));
    };
    let field = move |name: &'static str, title: Text, about: Text, part: SpecPart| {
        let shown = select(move || {
            terminal.with(|terminal| {
                terminal.clone().map(|mut spec| std::mem::take(part(&mut spec))).unwrap_or_default()
            })
        });
        let write = move |text: &str| {
            let mut spec = terminal.get_untracked().unwrap_or_default();
            text.clone_into(part(&mut spec));
            keep(Some(spec));
            Ok(())
        };
        text_field(name, title, shown, write).test(name).code().hint(about)
    };
    let fields = move || {
        has.get().then(|| {
            view! {
                <p class="hint">{words::ASKS}</p>
                {field("graph-terminal-address", words::ADDRESS, words::HOW_TO, |spec| &mut spec.address)}
                {field("graph-terminal-command", words::COMMAND, words::COMMAND_ABOUT, |spec| &mut spec.command)}
                {field("graph-terminal-resume", words::RESUME, words::RESUME_ABOUT, |spec| &mut spec.resume)}
                {field("graph-terminal-prompt", words::PROMPT, words::PROMPT_ABOUT, |spec| &mut spec.prompt)}
            }
        })
    };
    view! {
        {check(editor::TERMINAL, move || has.get(), move |on| keep(on.then(TerminalSpec::usual)))
            .test("graph-terminal")}
        {fields}
    }
}
