//! Never shows what a page said as anything but words.
//!
//! Owns the console below a page.

use leptos::prelude::*;

use crate::domain::preview::{Console, Line};
use crate::domain::text::hidden::reveal;
use crate::ui::each::Each;
use crate::ui::words::preview as words;

/// The lines of a console, the newest last.
#[component]
pub fn ConsoleList(
    /// The console.
    console: RwSignal<Console>,
) -> impl IntoView {
    let lines = move || console.with(|console| console.lines().cloned().collect::<Vec<_>>());
    let dropped = move || {
        console.with(Console::dropped).gt(&0).then(|| {
            view! { class="n", <p class="preview-dropped">{words::dropped(console.with(Console::dropped))}</p> }
        })
    };
    let row = |line: Line| {
        view! { class="n",
            <li data-testid="preview-line" data-tone=line.tone.as_str()>{reveal(&line.text).to_string()}</li>
        }
    };
    view! { class="n",
        <details class="preview-console" open>
            <summary>{words::CONSOLE}</summary>
            {dropped}
            <ul data-testid="preview-console" tabindex="0" aria-label=words::CONSOLE>
                <Each each=lines key=|line: &Line| line.number children=row />
            </ul>
            {move || console.with(|console| console.lines().next().is_none())
                .then(|| view! { class="n", <p class="preview-dropped">{words::QUIET}</p> })}
        </details>
    }
}
