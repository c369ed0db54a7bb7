//! Read-only view of a long file without the code editor, in blocks that the browser lays out when visible.

use std::sync::Arc;

use leptos::prelude::*;

use nexus_model::limits::LONG_TEXT_BLOCK_LINES;

#[component]
pub fn LongText(label: String, text: Signal<Arc<str>>) -> impl IntoView {
    let blocks = move || {
        let text = text.get();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let blocks = lines.chunks(LONG_TEXT_BLOCK_LINES).map(|lines| lines.concat());
        blocks.map(|block| view! { class="n", <pre class="long-block">{block}</pre> }).collect::<Vec<_>>()
    };
    view! { class="n",
        <div class="long-text" role="region" tabindex="0" aria-label=label data-testid="file-long">
            {blocks}
        </div>
    }
}
