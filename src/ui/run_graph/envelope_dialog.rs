//! The dialog that shows an envelope as it travelled over an edge.

use leptos::html::Dialog;

use crate::ui::hooks::dialog;
use crate::ui::kit::prelude::*;
use nexus_model::run::Envelope;
use nexus_text::json;
use nexus_view::language;
use nexus_view::strings::run_graph as words;

/// The envelope as it is exported.
pub(super) fn written(envelope: &Envelope) -> String {
    json::to_tree(envelope).map(|tree| format!("{tree:#}")).unwrap_or_default()
}

#[component]
pub(super) fn EnvelopeDialog(
    title: String,
    envelope: Envelope,
    opened: RwSignal<Option<(String, Envelope)>>,
) -> impl IntoMarkup {
    let node = NodeRef::<Dialog>::new();
    let leave = move || {
        dialog::close(node);
        opened.set(None);
    };
    let text = written(&envelope);
    modal("dialog graph-dialog", "run-envelope-dialog", leave).titled("run-envelope-title").node(node).beside().holding(view! {
        <h2 id="run-envelope-title">{title}</h2>
        <p dir="auto">{language::told(&envelope.summary)}</p>
        <pre class="inspect-text" tabindex="0" role="group" aria-labelledby="run-envelope-title" dir="auto">{text}</pre>
        <div class="card-actions">
            {button(words::CLOSE).first().test("run-envelope-close").on_click(move |_| leave())}
        </div>
    })
}
