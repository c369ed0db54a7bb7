//! The open section of the settings, and the list of sections.
//!
//! The screen and the palette share the sections. A browser test compares them with the screen.

use leptos::ev;
use leptos::ev::MouseEvent;

use crate::ui::hooks::address::{push_query, settings_path_at, settings_query, settings_target};
use crate::ui::hooks::focus::{UNTIL_FOUND, use_reveal};
use crate::ui::prelude::*;
pub(crate) use nexus_view::settings_search::{SECTIONS, SectionInfo};
use nexus_view::strings::settings as words;

#[derive(Clone, Copy)]
pub struct OpenSection {
    /// The opened section. Before one is opened, wide screens show the first and narrow ones the list.
    opened: RwSignal<Option<&'static str>>,
    /// The search query. While it is not empty, all sections with matches are shown.
    pub query: RwSignal<String>,
}

impl OpenSection {
    /// The section of the address; follows the browser's history and focus requests into hidden sections.
    pub fn of_address() -> Self {
        let state = Self { opened: RwSignal::new(None), query: RwSignal::new(String::new()) };
        let follow = move || {
            let target = settings_target();
            state.opened.set(target.as_deref().and_then(section_of));
            if let Some(id) = target {
                // Ids in an address are arbitrary: an invalid one matches nothing.
                focus::focus_when_ready(format!("[id=\"{}\"]", id.replace(['"', '\\'], "")));
            }
        };
        follow();
        let back = window_event_listener(ev::popstate, move |_| follow());
        on_cleanup(move || back.remove());
        use_reveal(move |id| {
            state.query.set(String::new());
            state.opened.set(section_of(id));
        });
        state
    }

    /// True while a search shows all sections with matches.
    fn is_searching(self) -> bool {
        self.query.with(|words| !words.trim().is_empty())
    }

    fn is_open(self, id: &str) -> bool {
        self.opened.get().or(SECTIONS.first().map(|first| first.id)) == Some(id)
    }

    pub fn hidden(self, id: &str) -> Option<&'static str> {
        (!self.is_searching() && !self.is_open(id)).then_some(UNTIL_FOUND)
    }

    /// What a narrow screen shows.
    pub fn view_name(self) -> &'static str {
        match (self.is_searching(), self.opened.get()) {
            (true, _) => "search",
            (false, Some(_)) => "section",
            (false, None) => "list",
        }
    }

    fn open(self, id: &'static str) {
        self.query.set(String::new());
        self.opened.set(Some(id));
        push_query(&settings_query(id));
        focus::focus_when_ready(format!("#{id}"));
    }

    fn close(self) {
        let Some(id) = self.opened.get_untracked() else { return };
        self.opened.set(None);
        push_query("");
        focus::focus_when_ready(format!(".settings-link a[data-section={id}]"));
    }
}

fn section_of(id: &str) -> Option<&'static str> {
    SECTIONS.iter().find(|section| section.id == id).map(|section| section.id)
}

/// The list of sections. Arrow keys move the focus.
#[component]
pub fn SectionList(state: OpenSection) -> impl IntoMarkup {
    let links = SECTIONS.map(|SectionInfo { id, name, about, .. }| {
        let open = move |ev: MouseEvent| {
            // With a modifier key, the browser opens a tab or a window.
            if !(ev.ctrl_key() || ev.meta_key() || ev.shift_key()) {
                ev.prevent_default();
                state.open(id);
            }
        };
        view! {
            <li>
                <a
                    href=settings_path_at(id) data-section=id on:click=open
                    aria-current=move || state.is_open(id).then_some("true")
                >
                    <span>{name}</span>
                    <span class="hint" aria-hidden="true">{about}</span>
                </a>
            </li>
        }
    });
    let step = |event| focus::step_by_arrows(&event, ".settings-link nav a");
    view! { <nav aria-label=words::SECTIONS on:keydown=step><ul>{links}</ul></nav> }
}

/// A section with its heading.
#[component]
pub fn SettingsSection(state: OpenSection, section: SectionInfo, children: Markup) -> impl IntoMarkup {
    let SectionInfo { id, name: title, about, .. } = section;
    view! {
        <section class="settings-part" aria-labelledby=id data-reveals=id hidden=move || state.hidden(id)>
            <header>
                {quiet_button(words::ALL_SECTIONS).test("settings-sections").on_click(move |_| state.close())}
                <h2 id=id tabindex="-1">{title}</h2>
                <p class="hint">{about}</p>
            </header>
            <div class="settings-cards">{children}</div>
        </section>
    }
}
