//! Tests of code blocks and link references in answers: code as a file, applied to a file, and references that are
//! defined at the end.

use nexus_engine::tests::{Scripted, ScriptedChunk, says};
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;

const FIRST: &str = "fn main() {\n    println!(\"<b>Grüße</b>, 世界 🦀\");\n}";
const SECOND: &str = "fn main() {\n    println!(\"Hallo\");\n}";
const FILE: &str = "main.rs";

/// The Engineer answers with the first code, then with the second; others see two files.
fn with_code() -> impl FnMut(&str, &Value) -> Scripted {
    let mut codes = [FIRST, SECOND].into_iter();
    move |agent, _| match agent {
        "Engineer" => {
            let code = codes.next().unwrap();
            says(&format!("Like so:\n\n```rust title=\"{FILE}\"\n{code}\n```\n\nThat is all."))
        }
        _ => says("I see two."),
    }
}

/// The page with the first code block.
async fn shown() -> MountedPage {
    let page = MountedPage::open(with_code()).await;
    page.ask("engineer", "Show me.", "That is all.").await;
    page.see_count(CODE_COPY, 1).await;
    page
}

/// Saves the first code block under its own name.
async fn saved() -> MountedPage {
    let page = shown().await;
    page.click(CODE_OPEN).await;
    page.press("Enter").await;
    page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await;
    page.hidden(FILE_NAME).await;
    page
}

/// Opens the panel that applies the newest code block.
async fn apply_last(page: &MountedPage) {
    page.all(CODE_APPLY).pop().unwrap().click();
    page.settle().await;
}

#[wasm_bindgen_test]
async fn code_is_not_applied_without_a_file() {
    let page = shown().await;
    page.click(CODE_APPLY).await;
    page.see(APPLY_ACCEPT.with("disabled", "")).await;
    page.click(APPLY_DISCARD).await;
    page.hidden(APPLY_ACCEPT).await;
}

#[wasm_bindgen_test]
async fn code_becomes_a_file_under_its_own_name_with_a_last_line_end() {
    let page = shown().await;
    page.click(CODE_OPEN).await;
    assert_eq!(page.text(FILE_NAME).await, FILE);
    assert_eq!(page.count(FILE_TAB), 0, "the file exists before the request");
    page.press("Enter").await;
    page.see(FILE_TAB.with("data-file", FILE).with("data-active", "true")).await;
    page.see_text(FILE_EDITOR, FIRST).await;
    assert_eq!(page.text(FILE_EDITOR).await, format!("{FIRST}\n"));
    page.hidden(FILE_NAME).await;
}

#[wasm_bindgen_test]
async fn a_used_name_is_rejected_and_another_one_accepted() {
    let page = saved().await;
    page.click(CODE_OPEN).await;
    page.fill(FILE_NAME, FILE).await;
    page.press("Enter").await;
    page.see_text(Selector::css(".code-panel [role=alert]"), FILE).await;
    assert_eq!(page.count(FILE_TAB), 1);
    page.fill(FILE_NAME, "other.rs").await;
    page.press("Enter").await;
    page.see(FILE_TAB.with("data-file", "other.rs").with("data-active", "true")).await;
    // The agents see it like any file.
    page.ask("critic", "How many?", "I see two.").await;
    let question = page.tab.question(1);
    assert!(question.contains(FILE) && question.contains("other.rs"), "{question}");
}

#[wasm_bindgen_test]
async fn code_replaces_a_file_only_after_its_diff_was_accepted() {
    let page = saved().await;
    page.ask("engineer", "Again.", "That is all.").await;
    page.see_count(CODE_COPY, 2).await;
    let events = page.tab.events().len();
    apply_last(&page).await;
    page.see_text(APPLY_DIFF, "Grüße").await;
    page.see_text(APPLY_DIFF, "Hallo").await;
    assert_eq!(page.text(FILE_EDITOR).await, format!("{FIRST}\n"), "it was applied unasked");
    page.click(APPLY_DISCARD).await;
    page.hidden(APPLY_DIFF).await;
    assert_eq!(page.text(FILE_EDITOR).await, format!("{FIRST}\n"), "it was applied against a no");
    assert_eq!(page.tab.events().len(), events, "a no is an event");

    apply_last(&page).await;
    page.see(APPLY_DIFF).await;
    page.click(APPLY_ACCEPT).await;
    page.hidden(APPLY_DIFF).await;
    page.see_text(FILE_EDITOR, "Hallo").await;
    assert_eq!(page.text(FILE_EDITOR).await, format!("{SECOND}\n"));
    // Says so if nothing would change.
    apply_last(&page).await;
    page.see(APPLY_ACCEPT.with("disabled", "")).await;

    let page = page.reload(|_, _| says("never asked")).await;
    page.see_text(FILE_EDITOR, "Hallo").await;
}

/// An answer whose references are defined after five seconds.
fn defined_late() -> Scripted {
    let text = "Read [the guide][g], see ![a plan][p] and mind the note[^n].\n\nThe middle.\n\n- one [g]\n- two\n\nThe end";
    let rest = ".\n\n[g]: https://guide.example/x \"The guide\"\n[p]: https://plans.example/p.png\n\n[^n]: Mind it.\n";
    let mut answer = says(text);
    answer.beats.splice(1.., [ScriptedChunk::Wait(5_000)].into_iter().chain(says(rest).beats));
    answer
}

#[wasm_bindgen_test]
async fn references_are_source_until_they_are_defined_and_the_rest_is_kept() {
    let page = MountedPage::open(|_, _| defined_late()).await;
    page.send_to("engineer", "Explain.").await;
    let text = answers_of("engineer").inner(MESSAGE_TEXT);
    let inside = |what: &str| Selector::css(&format!("{text} {what}"));
    page.see_text(text.clone(), "The end").await;
    page.see_count(inside("a"), 0).await;
    page.see_count(inside(".prose-link"), 0).await;
    let words = page.text(text.clone()).await;
    assert!(words.contains("[the guide][g]") && words.contains("[^n]"), "{words:?}");
    let middle = page.all(inside("p")).into_iter().find(|it| it.text_content().unwrap() == "The middle.");

    page.tab.pass(6_000);
    page.see(answers_of("engineer").with("data-status", "completed")).await;
    page.idle().await;
    page.see(inside(".prose-notes")).await;
    let guide = "https://guide.example/x";
    // The image's name is a button that opens it.
    assert_eq!(page.attributes(inside("a[href]"), "href"), [guide, "https://plans.example/p.png", guide]);
    assert_eq!(page.texts(inside("sup")), ["1"]);
    assert_eq!(page.texts(inside(".prose-image .prose-alt")), ["🖼 a plan"]);
    let words = page.text(text.clone()).await;
    assert!(!words.contains("[g]") && !words.contains("[^n]") && words.contains("Mind it."), "{words:?}");
    assert!(middle.unwrap().is_connected(), "what did not change was made again");

    let before = page.see(text.clone()).await.inner_html();
    let page = page.reload(|_, _| says("never asked")).await;
    page.see(inside(".prose-notes")).await;
    assert_eq!(page.see(text.clone()).await.inner_html(), before);
}
