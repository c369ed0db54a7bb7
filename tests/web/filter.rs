//! Tests of the settings search: which cards it shows, what it marks, and that it scrolls there.

use nexus::ui::hooks::filter::{filter, go_to_first};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{script, script_promise};

/// The id of the marked element, whether it is in view, and the id of the focused one.
fn state() -> String {
    script(
        "(() => {
            const at = document.querySelector('[data-found]'), box = at?.getBoundingClientRect();
            const seen = box && box.top > -1 && box.bottom < innerHeight + 1;
            return [at?.id, seen, document.activeElement.id].join(' ');
        })()",
    )
    .as_string()
    .unwrap()
}

/// Waits until a scroll of the next frame is over.
async fn rendered() {
    script_promise("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))").await;
}

fn synonyms(id: &str) -> String {
    if id == "head" { "wipe" } else { "" }.to_owned()
}

#[wasm_bindgen_test]
async fn a_title_comes_before_the_words_of_a_hint() {
    script(
        "document.body.insertAdjacentHTML('beforeend', `<main id='settings'>
            <section class='settings-part'><header><h2>Agents</h2></header>
                <div class='settings-card'><p class='hint' id='hint'>Rules, noise and colour</p>
                    <label id='option'><span><b id='name'>Tint</b><span class='hint'>Colour</span></span></label></div>
            </section>
            <section class='settings-part'><header><button id='all'>All</button><h2 id='rules' tabindex='-1'>Rules</h2></header>
                <div class='settings-card' id='sounds'><p class='hint'>No noise</p><label id='label'>Noise
                    <input id='input'></label></div>
                <div class='settings-card' id='tint'>Tint</div>
            </section>
        </main>`)",
    );
    assert_eq!(filter("rules", synonyms), (3, 3));
    rendered().await;
    assert!(state().starts_with("rules true"), "{}", state());
    go_to_first();
    assert!(state().ends_with(" rules"), "{}", state());
    filter("noise", synonyms);
    assert!(state().starts_with("label "), "{}", state());
    go_to_first();
    assert!(state().ends_with(" input"), "{}", state());
    filter("tint", synonyms);
    assert!(state().starts_with("name "), "{}", state());
    // A hint inside a label is no title.
    filter("colour", synonyms);
    assert!(state().starts_with("hint "), "{}", state());
    script("document.getElementById('settings').remove()");
}

#[wasm_bindgen_test]
async fn settings_search_marks_the_first_match_and_scrolls_to_it() {
    script(
        "document.body.insertAdjacentHTML('beforeend', `<main id='settings'>
            <section class='settings-part'><header><h2 id='head'>Data</h2></header>
                <div class='settings-card' id='export'>Export <select id='list'><option>heat</option></select></div>
                <details class='settings-card' id='folded'><summary id='sum'>Reset</summary><p>everything</p></details>
            </section>
            <section class='settings-part'><header><h2>Agents</h2></header>
                <div class='settings-card' id='card'><input id='first'><div style='height: 200vh'></div>
                    <div id='field'><p id='label'>Heat of answers</p><input id='input'></div><p>About heat</p>
                </div>
            </section>
        </main>`)",
    );
    // An option is no place to scroll to, but its list is.
    assert_eq!(filter("heat", synonyms), (2, 3));
    assert!(state().starts_with("list "), "{}", state());
    assert_eq!(filter("heat answers", synonyms), (1, 3));
    rendered().await;
    assert!(state().starts_with("label true"), "{}", state());
    go_to_first();
    assert!(state().ends_with("input"), "{}", state());
    // What is folded is marked as a whole, and opened to focus it.
    assert_eq!(filter("everything", synonyms), (1, 3));
    go_to_first();
    assert_eq!(script("document.getElementById('folded').open"), true);
    assert_eq!(filter("reset wipe", synonyms), (1, 3));
    rendered().await;
    assert!(state().starts_with("folded true"), "{}", state());
    assert_eq!(filter(" ", synonyms), (3, 3));
    assert!(state().starts_with(" "), "{}", state());
    script("document.getElementById('settings').remove()");
}
