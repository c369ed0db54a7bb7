//! Asks before opening a link that may leak the conversation: shows the full address and who would receive it.

use leptos::html::Button;

use crate::ui::kit::prelude::*;
use crate::ui::markdown::ProseText;
use crate::ui::view_state::{MindView, WorldReader};
use nexus_model::message::content::text_of;
use nexus_text::invisible::reveal;
use nexus_text::links::{carries, host_of, query_of};
use nexus_view::strings::chat::answer as words;

/// Tells whether a link carries words of the conversation.
#[derive(Clone, Copy)]
pub struct LinkChecker {
    past: WorldReader,
    mind: MindView,
    own: Selector<ProseText>,
}

impl LinkChecker {
    pub(super) fn new(own: Selector<ProseText>) -> Self {
        Self { past: expect_context::<WorldReader>(), mind: expect_context::<MindView>(), own }
    }

    /// Whether an address carries a piece of what others said, or of the mind.
    pub(super) fn carries(self, address: &str) -> bool {
        // What stands in the message itself is where the link is from.
        let own = self.own.with_untracked(|own| own.text.clone());
        // Models are shown more than what stands in the timeline.
        let said: Vec<String> = self.past.with_untracked(|world| {
            let texts = world.messages.values().map(|message| text_of(&message.parts));
            texts.filter(|text| *text != own).collect()
        });
        let files = self.mind.files().get_untracked();
        let files = files.iter().filter_map(|name| Some(self.mind.file_text(name)?.get_untracked()));
        let kept: Vec<_> = files
            .chain([self.mind.objective().get_untracked(), self.mind.scratchpad().get_untracked()])
            .collect();
        carries(address, said.iter().map(String::as_str).chain(kept.iter().map(|text| &**text)))
    }
}

/// The question.
#[component]
pub fn LinkPanel(address: String, asked: RwSignal<Option<String>>) -> impl IntoMarkup {
    let host = reveal(host_of(&address).unwrap_or_default());
    let about = words::link_asked(&host, query_of(&address).chars().count());
    let leave = NodeRef::<Button>::new();
    Effect::new(move |_| {
        if let Some(button) = leave.get() {
            // A button in the page takes the focus.
            drop(button.focus());
        }
    });
    view! {
        <div class="link-panel" role="alertdialog" aria-label=words::LINK_TITLE data-testid="link-panel">
            <strong>{words::LINK_TITLE}</strong>
            <p>{about}</p>
            <pre class="message-data" tabindex="0">{reveal(&address)}</pre>
            <div class="card-actions">
                <a
                    class="button" href=address.clone() target="_blank" rel="noopener noreferrer nofollow"
                    on:click=move |_| asked.set(None)
                >
                    {words::LINK_OPEN}
                </a>
                <button type="button" class="quiet" node_ref=leave on:click=move |_| asked.set(None)>
                    {words::LINK_LEAVE}
                </button>
            </div>
        </div>
    }
}
