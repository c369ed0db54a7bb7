//! Read-only view of a long file without the code editor, in blocks that the browser lays out when visible.

use crate::ui::kit::prelude::*;
use std::sync::Arc;

use nexus_model::limits::LONG_TEXT_BLOCK_LINES;

lazy_view!(board, lazy_long_text, LongText { label: String, text: Selector<Arc<str>> });

#[component]
pub fn LongText(label: String, text: Selector<Arc<str>>) -> impl IntoMarkup {
    let blocks = move || {
        let text = text.get();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let blocks = lines.chunks(LONG_TEXT_BLOCK_LINES).map(|lines| lines.concat());
        blocks.map(|block| view! { <pre class="long-block">{block}</pre> }).collect::<Vec<_>>()
    };
    view! {
        <div class="long-text" role="region" tabindex="0" aria-label=label data-testid="file-long">
            {blocks}
        </div>
    }
}
