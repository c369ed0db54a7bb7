//! The list of keyboard shortcuts, global and local.

use leptos::html::Dialog;

use crate::ui::actions::{ActionContext, KeyboardState};
use crate::ui::hooks::keys;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Settings;
use nexus_model::settings::schema::SINGLE_KEYS;
use nexus_view::language::Text;
use nexus_view::shortcuts::SHORTCUTS;
use nexus_view::strings::palette as words;

#[component]
pub fn ShortcutSheet(
    /// What can be done.
    reach: ActionContext,
) -> impl IntoMarkup {
    let KeyboardState(asked) = expect_context();
    let dialog = NodeRef::<Dialog>::new();
    let close = move || asked.set(None);
    let singles = expect_context::<Settings>().get(SINGLE_KEYS);
    let about = move || if singles.get() { words::KEYS_ABOUT } else { words::KEYS_OFF };
    let apple = keys::is_apple();
    let all = untrack(|| reach.all());
    let anywhere = SHORTCUTS.iter().filter_map(|(act, chord)| {
        let action = all.iter().find(|action| action.act == Some(*act))?;
        Some((chord.shown(apple), action.title.clone()))
    });
    let line = |(keys, title): (String, String)| {
        view! {
            <div class="sheet-line" data-testid="sheet-line">
                <dt><kbd>{keys}</kbd></dt>
                <dd>{title}</dd>
            </div>
        }
    };
    let part = |title: &'static str, lines: Vec<(String, String)>| {
        view! {
            <section class="sheet-part">
                <h3 class="label">{title}</h3>
                <dl>{lines.into_iter().map(line)}</dl>
            </section>
        }
    };
    let own = |key: Text| if apple { key.0.replace("Ctrl", "⌘") } else { key.to_owned() };
    let local = words::LOCAL.iter().map(|(place, lines)| {
        let lines = lines.iter().map(|(key, does)| (own(*key), (*does).to_owned())).collect();
        part(place.get(), lines)
    });
    let anywhere = part(words::ANYWHERE.get(), anywhere.collect());
    modal("sheet", "key-sheet", close).titled("sheet-title").beside().node(dialog).holding(view! {
        <div class="sheet-box">
            <header class="sheet-head">
                <h2 id="sheet-title">{words::KEYS}</h2>
                {quiet_button(words::CLOSE).test("key-sheet-close").on_click(move |_| close())}
            </header>
            <p class="hint">{about}</p>
            <div class="sheet-parts" tabindex="0" role="group" aria-labelledby="sheet-title">
                <div class="sheet-columns">
                    {anywhere}
                    {local}
                </div>
            </div>
        </div>
    })
}
