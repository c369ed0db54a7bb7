//! Never changes a session.
//!
//! Owns the list of sessions beside the tree: each leads to its head.

use leptos::prelude::*;

use crate::domain::text::hidden::reveal;
use crate::engine::tree_reader::Flag;
use crate::ui::tree_map::state::Tree;
use crate::ui::words::tree_map as words;

/// The list.
#[component]
pub fn Flags(
    /// The tree.
    tree: Tree,
) -> impl IntoView {
    let row = move |flag: Flag| {
        let head = flag.head;
        let session = flag.session;
        let about = move || {
            let mut about: Vec<&'static str> = Vec::new();
            if tree.focus() == session {
                about.push(words::IN_VIEW);
            }
            about.extend(words::flag(flag.origin, flag.status));
            if head.is_none() {
                about.push(words::NO_HEAD);
            }
            about.join(" · ")
        };
        let is_here = move || head.is_some() && tree.at.get() == head;
        let title = flag.title.clone().map(|title| reveal(&title));
        view! { class="n",
            <li>
                <button
                    type="button"
                    class="tree-flag"
                    data-testid="tree-flag"
                    data-session=session.to_string()
                    disabled=head.is_none()
                    aria-pressed=move || is_here().to_string()
                    on:click=move |_| {
                        if let Some(head) = head {
                            tree.show(head);
                        }
                    }
                >
                    <span class="tree-flag-name">{reveal(&flag.label)}</span>
                    <span class="tree-flag-title">{title}</span>
                    <span class="tree-flag-about">{about}</span>
                </button>
            </li>
        }
        .into_any()
    };
    let rows = move || tree.flags.get().into_iter().map(row).collect::<Vec<_>>();
    view! { class="n",
        <section class="tree-flags" aria-label=words::SESSIONS>
            <h2 class="label">{words::SESSIONS}</h2>
            <ul>{rows}</ul>
        </section>
    }
}
