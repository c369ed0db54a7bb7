//! The list of sessions beside the tree: go to the head, rename, archive.

use leptos::ev::KeyboardEvent;
use leptos::html::Input;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus::use_select_all;
use crate::ui::kit::icon::EDIT;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::state::TreeState;
use nexus_engine::queries::tree::SessionFlag;
use nexus_model::command::Command;
use nexus_model::session::SessionStatus;
use nexus_text::invisible::reveal;
use nexus_view::strings::tree_layout as words;

#[component]
pub fn FlagList(tree: TreeState) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let row = move |flag: SessionFlag| {
        let head = flag.head;
        let session = flag.session;
        let about = move || {
            let mut about: Vec<&'static str> = Vec::new();
            if tree.focus() == session {
                about.push(words::IN_VIEW.get());
            }
            about.extend(words::flag(flag.origin, flag.status));
            if head.is_none() {
                about.push(words::NO_HEAD.get());
            }
            about.join(" · ")
        };
        let is_here = move || head.is_some() && tree.at.get() == head;
        let title = flag.title.clone().map(|title| reveal(&title));
        let naming = RwSignal::new(false);
        let label = StoredValue::new(flag.label.clone());
        let field = NodeRef::<Input>::new();
        use_select_all(field);
        let keep = move || {
            let new = field.get_untracked().map(|field| field.value()).unwrap_or_default();
            naming.set(false);
            if !new.trim().is_empty() && new.trim() != label.get_value() {
                dispatch.send(Command::LabelSession { session, label: new });
            }
        };
        let key = move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => keep(),
            "Escape" => naming.set(false),
            _ => {}
        };
        let is_away = flag.status != SessionStatus::Open;
        let put = move |_| {
            let status = if is_away { SessionStatus::Open } else { SessionStatus::Archived };
            dispatch.send(Command::SetSessionStatus { session, status });
        };
        let words_of_put = if is_away { words::UNARCHIVE } else { words::ARCHIVE };
        let end = move |_| {
            dispatch.send(Command::SetSessionStatus { session, status: SessionStatus::Closed });
        };
        let end = (!is_away).then(|| quiet_button(words::END).test("tree-flag-close").on_click(end));
        view! {
            <li class="tree-flag-row">
                <button
                    type="button" class="tree-flag" data-testid="tree-flag" data-session=session.to_string()
                    disabled=head.is_none() aria-pressed=move || is_here().to_string()
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
                <Show when=move || naming.get()>
                    <input
                        class="input" data-testid="tree-flag-field" aria-label=words::NAME node_ref=field
                        prop:value=label.get_value() on:keydown=key on:blur=move |_| naming.set(false)
                    />
                </Show>
                <span class="tree-flag-acts">
                    {icon_button(icon(EDIT)).test("tree-flag-name").title(words::NAME).label(words::NAME)
                        .on_click(move |_| naming.set(true))}
                    {quiet_button(words_of_put).test("tree-flag-archive").on_click(put)}
                    {end}
                </span>
            </li>
        }
    };
    let rows = move || tree.flags.get().into_iter().map(row).collect::<Vec<_>>();
    view! {
        <section class="tree-flags" aria-label=words::SESSIONS>
            <h2 class="label">{words::SESSIONS}</h2>
            <ul>{rows}</ul>
        </section>
    }
}
