//! The console of a previewed page, as plain text.

use crate::ui::kit::prelude::*;
use nexus_model::mind::preview::{Console, ConsoleLine};
use nexus_text::invisible::reveal;
use nexus_view::language::told;
pub use nexus_view::strings::board::preview as words;

/// The lines of a console, the newest last.
#[component]
pub fn ConsoleList(console: RwSignal<Console>) -> impl IntoMarkup {
    let lines = move || console.with(|console| console.lines().cloned().collect::<Vec<_>>());
    let dropped = move || {
        console.with(Console::dropped).gt(&0).then(|| {
            view! { <p class="preview-dropped">{words::dropped(console.with(Console::dropped))}</p> }
        })
    };
    let row = |line: ConsoleLine| {
        view! {
            <li data-testid="preview-line" data-tone=line.tone.as_str()>{reveal(&told(&line.text))}</li>
        }
    };
    view! {
        <details class="preview-console" open>
            <summary>{words::CONSOLE}</summary>
            {dropped}
            <ul data-testid="preview-console" tabindex="0" aria-label=words::CONSOLE>
                {keyed_list(lines, |line: &ConsoleLine| line.number, row)}
            </ul>
            {move || console.with(|console| console.lines().next().is_none())
                .then(|| view! { <p class="preview-dropped">{words::QUIET}</p> })}
        </details>
    }
}
