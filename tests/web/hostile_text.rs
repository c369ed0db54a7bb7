//! Tests of hostile text on the page: in answers, messages, tool calls, files and titles. None of it runs, loads
//! anything, or becomes an element that is not allowed.
//!
//! `answers.rs` proves the elements of each text alone; native tests in `tests/markdown` prove those of third-party
//! texts, which cannot be read here.

use nexus_engine::tests::{calls, says};
use nexus_text::invisible::{reveal, reveal_encoded};
use nexus_text::links::SCHEMES;
use nexus_text::markdown::page::{Attribute, Tag};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::{MountedPage, queued};
use crate::script;
use crate::vectors::{OWN, places};

/// Maximum number of characters in a session's name.
const NAME: usize = 120;

/// A text without whitespace, which layout changes.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Texts that can be sent.
fn usable() -> impl Iterator<Item = &'static str> {
    OWN.into_iter().filter(|vector| !vector.trim().is_empty() && !vector.contains('\0'))
}

/// Records calls that hostile text would make, and requests, until dropped.
struct Traps;

impl Traps {
    fn set() -> Self {
        script(
            "window.ran = [];
            window.trapped = Object.fromEntries(['alert', 'confirm', 'prompt', 'print'].map((name) => [name, window[name]]));
            for (const name in window.trapped) window[name] = () => { window.ran.push(name); };
            performance.setResourceTimingBufferSize(100000);
            performance.clearResourceTimings()",
        );
        Self
    }

    /// Checks that nothing ran or was requested, and that no text became a handler.
    fn check(&self, page: &MountedPage) {
        let found = script(
            "JSON.stringify(window.ran.concat(performance.getEntriesByType('resource').map((entry) => entry.name)
                .filter((name) => !name.startsWith(location.origin) && !/^(data|blob):/.test(name))))",
        );
        assert_eq!(found.as_string().unwrap(), "[]", "hostile text ran");
        for element in page.all(Selector::css("*")) {
            let names: Vec<_> =
                element.get_attribute_names().iter().filter_map(|name| name.as_string()).collect();
            assert!(!names.iter().any(|name| name.starts_with("on")), "{}", element.outer_html());
            let address = element.get_attribute("href").unwrap_or_default().trim().to_lowercase();
            let runs = ["javascript:", "vbscript:", "data:"].iter().any(|scheme| address.starts_with(scheme));
            assert!(!runs, "{}", element.outer_html());
        }
    }
}

impl Drop for Traps {
    fn drop(&mut self) {
        script("Object.assign(window, window.trapped)");
    }
}

#[wasm_bindgen_test]
async fn hostile_answers_contain_only_allowed_elements_and_run_nothing() {
    let mut answers = OWN.iter().map(|vector| places(vector).join("\n\n"));
    let page = MountedPage::open(move |_, _| says(&answers.next().unwrap())).await;
    let traps = Traps::set();
    for number in 0..OWN.len() {
        page.tab.say(&format!("@Engineer {number}")).unwrap();
    }
    page.see_count(answers_of("engineer").with("data-status", "completed"), OWN.len()).await;
    let tags: Vec<&str> = Tag::ALL.iter().map(|tag| tag.name()).collect();
    let names: Vec<&str> = Attribute::ALL.iter().map(|name| name.name()).collect();
    let inside = page.all(Selector::css(&format!("{} *", answers_of("engineer").inner(MESSAGE_TEXT))));
    assert!(inside.len() > OWN.len(), "{} elements", inside.len());
    for element in inside {
        let html = element.outer_html();
        assert!(tags.contains(&element.tag_name().to_lowercase().as_str()), "{html}");
        for name in element.get_attribute_names().iter().filter_map(|name| name.as_string()) {
            assert!(names.contains(&name.as_str()), "{name} in {html}");
        }
        if let Some(address) = element.get_attribute("href") {
            assert!(SCHEMES.iter().any(|scheme| address.to_lowercase().starts_with(scheme)), "{html}");
        }
        if let Some(source) = element.get_attribute("src") {
            assert!(source.starts_with("data:image/"), "{html}");
        }
    }
    traps.check(&page);
}

#[wasm_bindgen_test]
async fn hostile_code_is_shown_unchanged_except_invisible_characters() {
    let mut answers = OWN.iter().map(|vector| format!("~~~~~~\n{vector}\n~~~~~~"));
    let page = MountedPage::open(move |_, _| says(&answers.next().unwrap())).await;
    for number in 0..OWN.len() {
        page.tab.say(&format!("@Engineer {number}")).unwrap();
    }
    page.see_count(answers_of("engineer").with("data-status", "completed"), OWN.len()).await;
    let code = format!("{} pre", answers_of("engineer").inner(MESSAGE_TEXT));
    page.see_count(Selector::css(&code), OWN.len()).await;
    for (shown, vector) in page.texts(Selector::css(&code)).iter().zip(OWN) {
        let wanted = reveal(&vector.replace("\r\n", "\n").replace('\0', "\u{fffd}"));
        assert_eq!(squeezed(shown), squeezed(&wanted), "{vector:?}");
    }
}

#[wasm_bindgen_test]
async fn hostile_messages_are_shown_and_sent_as_text() {
    let page = MountedPage::open(|_, _| says("I read it.")).await;
    let traps = Traps::set();
    let text = usable().collect::<Vec<_>>().join("\n");
    page.ask("engineer", &text, "I read it.").await;
    let shown = squeezed(&page.text(MESSAGE.with("data-role", "user").inner(MESSAGE_TEXT)).await);
    let prompt = squeezed(&page.tab.question(0));
    for vector in usable() {
        assert!(shown.contains(&squeezed(vector)), "{vector:?} is not shown");
        // Invisible characters are spelled out for models.
        assert!(prompt.contains(&squeezed(&reveal_encoded(vector))), "{vector:?} was not sent");
    }
    traps.check(&page);
}

#[wasm_bindgen_test]
async fn hostile_tool_calls_results_and_files_are_shown_as_text() {
    const FILES: usize = 4;
    let every = |number: usize| usable().skip(number).step_by(FILES).collect::<Vec<_>>().join("\n");
    let files: Vec<(String, String)> =
        (0..FILES).map(|number| (format!("hostile-{number}.txt"), every(number))).collect();
    let writes: Vec<_> =
        files.iter().map(|(name, text)| ("write_file", json!({ "name": name, "content": text }))).collect();
    let reads: Vec<_> = files.iter().map(|(name, _)| ("read_file", json!({ "name": name }))).collect();
    let page = MountedPage::open(queued(vec![
        // Names of missing files are in the error.
        ("Engineer", calls(&OWN.map(|vector| ("read_file", json!({ "name": vector }))))),
        ("Engineer", calls(&writes)),
        ("Engineer", calls(&reads)),
        ("Engineer", says("Look at that.")),
    ]))
    .await;
    let traps = Traps::set();
    page.ask("engineer", "Show me.", "Look at that.").await;
    page.see_count(TOOL_CARD, OWN.len() + 2 * FILES).await;
    let unfold = |what: &str| {
        for element in page.all(Selector::css(what)) {
            element.set_attribute("open", "").unwrap();
        }
    };
    let cards = Selector::from(TOOL_CARD);
    unfold(cards.as_str());
    page.see_text(TOOL_CARD, "Result").await;
    unfold(&format!("{cards} details"));
    page.settle().await;
    let shown = squeezed(&page.texts(TOOL_CARD).join("\n"));
    for vector in usable() {
        let plain = squeezed(&reveal(vector));
        let escaped = json!(vector).to_string();
        let escaped = squeezed(&reveal(escaped.trim_matches('"')));
        assert!(shown.contains(&plain) || shown.contains(&escaped), "no card shows {vector:?}");
    }
    for (name, text) in &files {
        page.click(FILE_TAB.with("data-file", name)).await;
        let first = text.lines().find(|line| line.len() > 8).unwrap();
        page.see_text(FILE_EDITOR, first).await;
    }
    let odd = "script, iframe, object, embed, img, svg, form, input, style, link, base, meta, template";
    let timeline = Selector::from(TIMELINE);
    for element in page.all(Selector::css(&format!("{timeline} :is({odd})"))) {
        // The app's own icons: on its buttons, and beside authors.
        let is_icon = element.matches(":is(button, .avatar, .message-inspect) > svg.sign").unwrap();
        assert!(is_icon, "hostile text became {}", element.outer_html());
    }
    traps.check(&page);
}

#[wasm_bindgen_test]
async fn hostile_session_names_are_shown_as_text_also_in_the_title() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    let traps = Traps::set();
    // As many in one name as fit: it is one text, whatever it contains.
    let mut together: Vec<(String, Vec<&str>)> = Vec::new();
    for vector in usable() {
        match together.last_mut() {
            Some((name, within)) if name.chars().count() + vector.chars().count() < NAME => {
                name.push_str(&format!(" · {vector}"));
                within.push(vector);
            }
            _ => together.push((vector.to_owned(), vec![vector])),
        }
    }
    page.click(SESSION_SWITCHER).await;
    for (name, within) in together {
        let before = script("document.title").as_string().unwrap();
        page.click(SESSION_NAME).await;
        page.fill(SESSION_LABEL, &name).await;
        page.click(SESSION_KEEP).await;
        page.hidden(SESSION_LABEL).await;
        page.until("the title", || script("document.title").as_string().unwrap() != before).await;
        let title = squeezed(&script("document.title").as_string().unwrap());
        let shown = squeezed(&page.text(SESSION_OPEN).await);
        for vector in within {
            // A single-line field has no line breaks; the browser changes spaces.
            let wanted = squeezed(&reveal(vector.replace(['\n', '\r'], "").trim()));
            assert!(title.contains(&wanted), "{vector:?} made the title {title:?}");
            assert!(shown.contains(&wanted), "{vector:?} shows as {shown:?}");
        }
    }
    traps.check(&page);
}
