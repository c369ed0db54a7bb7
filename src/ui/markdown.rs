//! Never loads or links anything that a model wrote: an address is shown as text beside its words.
//!
//! Owns how Markdown looks on screen: complete, or while it grows.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::text::hidden::reveal;
use crate::domain::text::markdown::{Block, Inline, Item, blocks, settled};
use crate::ui::each::Each;

/// A text that is complete.
#[component]
pub fn Markdown(
    /// The text.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    all(blocks(&text))
}

/// A text that grows. Blocks that what comes later cannot change are laid out once; only the rest is read again.
#[component]
pub fn LiveMarkdown(
    /// The text. It only grows.
    text: ArcRwSignal<String>,
) -> impl IntoView {
    let length = StoredValue::new(0);
    let pieces = Memo::new(move |before: Option<&Vec<(usize, Arc<str>)>>| {
        let mut pieces = before.cloned().unwrap_or_default();
        text.with(|text| {
            let start = length.get_value();
            let open = text.get(start..).unwrap_or("");
            let at = settled(open);
            // The last piece is what was open; it is replaced.
            pieces.pop();
            if at > 0 {
                pieces.push((start, Arc::from(open.get(..at).unwrap_or(""))));
                length.set_value(start + at);
            }
            pieces.push((start + at, Arc::from(open.get(at..).unwrap_or(""))));
        });
        pieces
    });
    let done = move || {
        pieces
            .with(|pieces| {
                pieces.split_last().map(|(_, done)| {
                    done.iter().map(|(start, text)| (*start, Arc::clone(text))).collect::<Vec<_>>()
                })
            })
            .unwrap_or_default()
    };
    let open = move || pieces.with(|pieces| pieces.last().map(|(_, text)| blocks(text))).unwrap_or_default();
    view! { class="n",
        <Each each=done key=|(start, _)| *start children=|(_, text)| all(blocks(&text)) />
        {move || all(open())}
    }
}

fn all(blocks: Vec<Block>) -> Vec<AnyView> {
    blocks.into_iter().map(block).collect()
}

fn block(block: Block) -> AnyView {
    match block {
        Block::Heading { level, words } => view! { class="n",
            <p class="prose-heading" role="heading" attr:aria-level=(level + 2).min(6) data-level=level>{pieces(words)}</p>
        }
        .into_any(),
        Block::Paragraph(words) => view! { class="n", <p>{pieces(words)}</p> }.into_any(),
        Block::Code { language, text } => view! { class="n",
            <figure class="prose-code">
                {(!language.is_empty()).then(|| view! { class="n", <figcaption class="label">{language}</figcaption> })}
                <pre tabindex="0" dir="ltr"><code>{reveal(&text)}</code></pre>
            </figure>
        }
        .into_any(),
        Block::Quote(inner) => view! { class="n", <blockquote>{all(inner)}</blockquote> }.into_any(),
        Block::List { start: Some(start), items } => view! { class="n",
            <ol class="prose-list" start=start>{items.into_iter().map(item).collect_view()}</ol>
        }
        .into_any(),
        Block::List { start: None, items } => {
            view! { class="n", <ul class="prose-list">{items.into_iter().map(item).collect_view()}</ul> }.into_any()
        }
        Block::Table { head, rows } => {
            let head = head.into_iter().map(|cell| view! { class="n", <th scope="col">{pieces(cell)}</th> });
            let row = |cells: Vec<Vec<Inline>>| {
                let cells = cells.into_iter().map(|cell| view! { class="n", <td>{pieces(cell)}</td> });
                view! { class="n", <tr>{cells.collect_view()}</tr> }
            };
            view! { class="n",
                <div class="prose-table" tabindex="0">
                    <table>
                        <thead><tr>{head.collect_view()}</tr></thead>
                        <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
                    </table>
                </div>
            }
            .into_any()
        }
        Block::Rule => view! { class="n", <hr /> }.into_any(),
    }
}

fn item(item: Item) -> AnyView {
    let Item { done, mut blocks } = item;
    // A paragraph alone, or before a list within, needs no space around it.
    let first = match blocks.first() {
        Some(Block::Paragraph(_)) => Some(blocks.remove(0)),
        Some(_) | None => None,
    };
    let words = match first {
        Some(Block::Paragraph(words)) => pieces(words),
        Some(_) | None => Vec::new(),
    };
    let mark = done.map(|done| {
        let (sign, name) = if done { ("☑", "done: ") } else { ("☐", "open: ") };
        view! { class="n",
            <span class="prose-task" aria-hidden="true">{sign}</span>
            <span class="unseen">{name}</span>
        }
    });
    view! { class="n", <li data-task=done.map(|done| done.to_string())>{mark} {words} {all(blocks)}</li> }
        .into_any()
}

fn pieces(words: Vec<Inline>) -> Vec<AnyView> {
    words.into_iter().map(piece).collect()
}

fn piece(piece: Inline) -> AnyView {
    match piece {
        Inline::Text(text) => text.into_any(),
        Inline::Code(code) => view! { class="n", <code>{reveal(&code)}</code> }.into_any(),
        Inline::Strong(words) => view! { class="n", <strong>{pieces(words)}</strong> }.into_any(),
        Inline::Emphasis(words) => view! { class="n", <em>{pieces(words)}</em> }.into_any(),
        Inline::Struck(words) => view! { class="n", <s>{pieces(words)}</s> }.into_any(),
        Inline::Link { words, address } => view! { class="n",
            <span class="prose-link">{pieces(words)}" "<span class="prose-address" dir="ltr">{reveal(&address)}</span></span>
        }
        .into_any(),
        Inline::Break => view! { class="n", <br /> }.into_any(),
    }
}
