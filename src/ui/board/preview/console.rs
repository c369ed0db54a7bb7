//! The console of a previewed page, as plain text.

use leptos::prelude::*;

use crate::ui::kit::keyed_list::KeyedList;
use nexus_model::mind::preview::{Console, ConsoleLine};
use nexus_text::invisible::reveal;
pub use nexus_view::strings::board::preview as words;

/// The lines of a console, the newest last.
#[component]
pub fn ConsoleList(console: RwSignal<Console>) -> impl IntoView {
    let lines = move || console.with(|console| console.lines().cloned().collect::<Vec<_>>());
    let dropped = move || {
        console.with(Console::dropped).gt(&0).then(|| {
            view! { class="n", <p class="preview-dropped">{words::dropped(console.with(Console::dropped))}</p> }
        })
    };
    let row = |line: ConsoleLine| {
        view! { class="n",
            <li data-testid="preview-line" data-tone=line.tone.as_str()>{reveal(&line.text).to_string()}</li>
        }
    };
    view! { class="n",
        <details class="preview-console" open>
            <summary>{words::CONSOLE}</summary>
            {dropped}
            <ul data-testid="preview-console" tabindex="0" aria-label=words::CONSOLE>
                <KeyedList each=lines key=|line: &ConsoleLine| line.number children=row />
            </ul>
            {move || console.with(|console| console.lines().next().is_none())
                .then(|| view! { class="n", <p class="preview-dropped">{words::QUIET}</p> })}
        </details>
    }
}
