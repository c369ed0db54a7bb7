//! Tests of model comparisons: side by side, used, merged or ended, with files and versions.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use leptos::prelude::document;
use nexus_engine::tests::{Scripted, ScriptedChunk, refuses, says};
use nexus_model::command::Command;
use nexus_providers::http::HttpRequest;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Sent, after_a_second, writes};
use crate::script_promise;

const FLASH: &str = "gemini-3.8-flash";
const ARGON: &str = "gemini-4-argon";

/// Answers by agent and model.
type ByModel = Rc<RefCell<Box<dyn FnMut(&str, &str, &Value) -> Scripted>>>;

fn by_model(answer: impl FnMut(&str, &str, &Value) -> Scripted + 'static) -> ByModel {
    Rc::new(RefCell::new(Box::new(answer)))
}

/// The model in the address of a request; empty for other requests.
fn model_of(request: &HttpRequest) -> &str {
    let model = request.url.split("/models/").nth(1).and_then(|rest| rest.split(':').next());
    model.unwrap_or_default()
}

/// Each request with its model.
type Requests = Rc<RefCell<Vec<HttpRequest>>>;

fn script(answers: &ByModel, sent: &Rc<OnceCell<Requests>>) -> impl FnMut(&str, &Value) -> Scripted + use<> {
    let (answers, sent) = (Rc::clone(answers), Rc::clone(sent));
    move |agent, body| {
        let model = sent.get().map(|sent| model_of(sent.borrow().last().unwrap()).to_owned());
        (answers.borrow_mut())(agent, &model.unwrap_or_default(), body)
    }
}

/// A war room in which the Critic uses another model, so that there are two to choose from.
async fn two_models(answers: &ByModel) -> MountedPage {
    let sent = Rc::new(OnceCell::new());
    let page = MountedPage::open(script(answers, &sent)).await;
    sent.set(Rc::clone(&page.tab.sent)).unwrap();
    let mut agent = page.tab.world().agent(&"critic".into()).unwrap().as_ref().clone();
    agent.config.model = ARGON.to_owned();
    page.tab.send(Command::ChangeAgent { agent }).unwrap();
    // The Archivist calls a model, too.
    for name in ["summary_auto", "memory_auto"] {
        page.tab.send(Command::ChangeSetting { name: name.to_owned(), value: false.into() }).unwrap();
    }
    page
}

async fn reload(page: MountedPage, answers: &ByModel) -> MountedPage {
    page.tab.kill();
    let sent = Rc::new(OnceCell::new());
    let tab = page.tab.again(script(answers, &sent));
    sent.set(Rc::clone(&tab.sent)).unwrap();
    drop(page);
    MountedPage::of(tab).await
}

/// Each model writes its own version of the file: one after a second, the other after two.
fn racer(_: &str, model: &str, body: &Value) -> Scripted {
    if model.is_empty() {
        return refuses(404, "NOT_FOUND");
    }
    if !Sent(body.clone()).results().is_empty() {
        return says(&format!("{model} is done."));
    }
    let mut answer =
        after_a_second(&format!("{model} begins. "), writes("poem.txt", &format!("by {model}\n")));
    if model == ARGON {
        answer.beats.insert(1, ScriptedChunk::Wait(1_000));
    }
    answer
}

fn lane(model: &str) -> Selector {
    RACE_LANE.with("data-model", model)
}

/// [`two_models`] after an answer of the Critic, for a message to all.
async fn asked_anew(answers: &ByModel) -> MountedPage {
    let later = answers.replace(Box::new(|_, _, _| says("Critic is ready.")));
    let page = two_models(answers).await;
    page.ask("critic", "Ready?", "Critic is ready.").await;
    *answers.borrow_mut() = later;
    page.choose(TARGET_SELECT, "ALL").await;
    page.tab.sent.borrow_mut().clear();
    page
}

/// Opens the dialog for a new message, from the menu of a turn.
async fn open_dialog(page: &MountedPage) {
    page.open_turn_menu("Critic is ready.").await;
    page.click(Selector::css("[data-testid=turn-race-new]")).await;
    page.see(RACE_DIALOG).await;
}

/// Starts a comparison of a new message.
async fn compare_message(page: &MountedPage, text: &str) {
    open_dialog(page).await;
    page.fill(RACE_TEXT, text).await;
    page.click(RACE_START).await;
    page.hidden(RACE_DIALOG).await;
    page.see_count(RACE_LANE, 2).await;
}

/// Opens the dialog that compares the Engineer's last turn.
async fn open_again(page: &MountedPage) {
    page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await;
    page.click(TURN_RACE).await;
    page.see(RACE_DIALOG).await;
}

async fn waits(page: &MountedPage) {
    page.tab.pass(5_000);
    page.see(RACE.with("data-waits", "true")).await;
}

fn models(page: &MountedPage) -> Vec<String> {
    let sent = page.tab.sent.borrow();
    sent.iter().map(|request| model_of(request).to_owned()).filter(|model| !model.is_empty()).collect()
}

#[wasm_bindgen_test]
async fn two_models_stream_side_by_side_and_a_later_message_waits_for_the_choice() {
    let answers = by_model(racer);
    let page = asked_anew(&answers).await;
    compare_message(&page, "Write a poem.").await;
    for model in [FLASH, ARGON] {
        page.see_text(lane(model).inner(RACE_STATUS), &format!("{model} begins.")).await;
    }
    page.fill(COMPOSER, "And a title.").await;
    page.press("Enter").await;
    page.see_count(QUEUE_ITEM, 1).await;
    page.tab.pass(1_500);
    page.see(lane(FLASH).with("data-state", "done")).await;
    page.see(lane(ARGON).with("data-state", "working")).await;
    waits(&page).await;
    for model in [FLASH, ARGON] {
        page.see_text(lane(model).inner(RACE_STATUS), &format!("{model} is done.")).await;
        page.see_text(lane(model).inner(RACE_CHANGES), "poem.txt +1").await;
        page.see_text(lane(model).inner(RACE_FIGURES), "2 calls").await;
    }
    let called = models(&page);
    assert_eq!(called.len(), 4, "a queued message was sent before the choice: {called:?}");
    for model in [FLASH, ARGON] {
        assert_eq!(called.iter().filter(|one| *one == model).count(), 2, "{called:?}");
    }

    *answers.borrow_mut() = Box::new(|agent, _, _| says(&format!("{agent} gives it a title.")));
    page.run_action("use answer 2", "race-use-2").await;
    page.hidden(RACE).await;
    page.see_text(answers_of("critic"), "Critic gives it a title.").await;
    page.idle().await;
    page.see_text(FILE_EDITOR, &format!("by {ARGON}")).await;
    page.see_text(SIBLING_PLACE, "2/2").await;
    page.see_text(answers_of("architect"), &format!("{ARGON} is done.")).await;
    page.see_count(FORK_MARK, 0).await;
    let page = reload(page, &answers).await;
    page.see_text(SIBLING_PLACE, "2/2").await;
    page.reach(SIBLING_PREVIOUS).await;
    page.press("Enter").await;
    page.see_text(SIBLING_PLACE, "1/2").await;
    page.see_text(answers_of("architect"), &format!("{FLASH} is done.")).await;
    page.see_text(FILE_EDITOR, &format!("by {FLASH}")).await;
}

/// The Engineer has answered once.
async fn answered() -> (MountedPage, ByModel) {
    let answers = by_model(racer);
    let page = two_models(&answers).await;
    page.send_to("engineer", "Write a poem.").await;
    page.tab.pass(5_000);
    page.see_text(answers_of("engineer"), &format!("{FLASH} is done.")).await;
    page.idle().await;
    (page, answers)
}

#[wasm_bindgen_test]
async fn a_comparison_needs_two_different_models() {
    let (page, _) = answered().await;
    open_again(&page).await;
    page.see_count(RACE_MODEL, 3).await;
    let second = RACE_MODEL.with("data-place", "1");
    page.choose(second.clone(), &format!("gemini/{FLASH}")).await;
    page.see_text(RACE_PROBLEM, "different models").await;
    assert!(page.see(RACE_START).await.has_attribute("disabled"));
    page.choose(second, &format!("gemini/{ARGON}")).await;
    page.until("the button to be enabled", || page.count(RACE_START.with("disabled", "")) == 0).await;
}

#[wasm_bindgen_test]
async fn an_interrupted_comparison_goes_on_with_the_unfinished_model_alone() {
    let (page, answers) = answered().await;
    open_again(&page).await;
    page.click(RACE_START).await;
    page.see_text(lane(ARGON).inner(RACE_STATUS), &format!("{ARGON} begins.")).await;
    page.tab.pass(1_500);
    page.see(lane(FLASH).with("data-state", "done")).await;
    let page = reload(page, &answers).await;
    page.see(lane(FLASH).with("data-state", "done")).await;
    page.see_text(lane(ARGON).inner(RACE_STATUS), &format!("{ARGON} begins.")).await;
    page.click(RESUME).await;
    waits(&page).await;
    page.see(lane(ARGON).with("data-state", "done")).await;
    assert_eq!(models(&page), [ARGON, ARGON], "a finished model was called again");

    // Both are compared, and ending it leaves the session unchanged.
    page.click(lane(ARGON).inner(RACE_COMPARE)).await;
    page.see_text(TREE_COMPARED, &format!("{FLASH} is done.")).await;
    page.see_text(TREE_COMPARED, &format!("by {ARGON}")).await;
    page.press("Escape").await;
    page.hidden(TREE_COMPARED).await;
    page.click(RACE_END).await;
    page.hidden(RACE).await;
    page.has_focus(COMPOSER).await;
    page.see_text(FILE_EDITOR, &format!("by {FLASH}")).await;
    page.see_text(SIBLING_PLACE, "1/3").await;
}

#[wasm_bindgen_test]
async fn stop_keeps_the_answers_in_view_until_the_comparison_is_ended() {
    let answers = by_model(racer);
    let page = asked_anew(&answers).await;
    compare_message(&page, "Write a poem.").await;
    page.see_text(lane(ARGON).inner(RACE_STATUS), &format!("{ARGON} begins.")).await;
    page.click(STOP).await;
    page.see(RACE.with("data-waits", "true")).await;
    page.see_text(lane(ARGON).inner(RACE_STATUS), &format!("{ARGON} begins.")).await;
    page.see_count(STOP, 0).await;
    page.click(RACE_END).await;
    page.hidden(RACE).await;
    *answers.borrow_mut() = Box::new(|_, _, _| says("Here I am."));
    page.ask("critic", "Still there?", "Here I am.").await;
    let prompt = page.sent("Critic").pop().unwrap().text();
    assert!(!prompt.contains("Write a poem."), "{prompt}");
}

#[wasm_bindgen_test]
async fn a_stopped_model_leaves_the_keyboard_in_the_message_box() {
    let (page, _) = answered().await;
    open_again(&page).await;
    page.click(RACE_START).await;
    page.see_text(lane(ARGON).inner(RACE_STATUS), &format!("{ARGON} begins.")).await;
    page.reach(lane(ARGON).inner(RACE_STOP)).await;
    page.press("Enter").await;
    page.see(lane(ARGON).with("data-state", "stopped")).await;
    page.has_focus(COMPOSER).await;
}

#[wasm_bindgen_test]
async fn a_failed_model_says_why_and_the_other_answer_is_used() {
    let (page, answers) = answered().await;
    *answers.borrow_mut() = Box::new(|_, model, _| match model {
        ARGON => refuses(400, "this model is not for you"),
        _ => says("The other one is there."),
    });
    open_again(&page).await;
    page.click(RACE_START).await;
    page.see_text(lane(ARGON).inner(RACE_FAILED), "this model is not for you").await;
    waits(&page).await;
    page.see_count(lane(ARGON).inner(RACE_MERGE), 0).await;
    page.see_count(RACE_USE.with("disabled", ""), 1).await;
    // It fails once more.
    page.click(lane(ARGON).inner(RETRY)).await;
    page.until("one more call", || models(&page).iter().filter(|model| *model == ARGON).count() == 2).await;
    page.see_text(lane(ARGON).inner(RACE_FAILED), "this model is not for you").await;
    page.click(lane(FLASH).inner(RACE_USE)).await;
    page.hidden(RACE).await;
    page.see_text(answers_of("engineer"), "The other one is there.").await;
    page.see_text(SIBLING_PLACE, "2/3").await;

    // One more answer, by the other model alone, chosen in the turn's menu.
    *answers.borrow_mut() = Box::new(|_, model, _| says(&format!("{model} answers alone.")));
    page.click_last(answers_of("engineer").inner(TURN_ACTIONS)).await;
    page.choose(TURN_AGAIN_MODEL, &format!("gemini/{ARGON}")).await;
    page.click(TURN_AGAIN).await;
    page.see_text(answers_of("engineer"), &format!("{ARGON} answers alone.")).await;
    page.idle().await;
}

#[wasm_bindgen_test]
async fn one_answer_is_merged_into_the_other() {
    let answers = by_model(racer);
    let page = asked_anew(&answers).await;
    compare_message(&page, "Write a poem.").await;
    waits(&page).await;
    page.reach(lane(ARGON).inner(RACE_MERGE)).await;
    page.press("Enter").await;
    page.see_text(MERGE_SUMMARY, "1 conflict to decide").await;
    page.see_text(MERGE_FIELD, "poem.txt").await;
    // Cancelling leads back to the war room that opened it; opened again, from the tree.
    page.press("Escape").await;
    page.see(WAR_ROOM).await;
    page.hidden(RACE).await;
    page.back().await;
    page.see(TREE_MERGE).await;
    page.hidden(MERGE).await;
    page.click(TREE_MERGE).await;
    page.see_text(MERGE_SUMMARY, "1 conflict to decide").await;
    page.click(MERGE_BOTH).await;
    page.click(MERGE_GO).await;
    page.hidden(MERGE).await;
    let search = || document().location().unwrap().search().unwrap();
    page.until("the address to ask for no other merge", || !search().contains("merge")).await;
    page.go_back().await;
    for model in [FLASH, ARGON] {
        page.see_text(FILE_EDITOR, &format!("by {model}")).await;
    }
    *answers.borrow_mut() = Box::new(|_, _, _| says("I see both poems."));
    page.ask("critic", "What is there?", "I see both poems.").await;
    let prompt = page.sent("Critic").pop().unwrap().text();
    assert!(prompt.contains(&format!("by {FLASH}")) && prompt.contains(&format!("by {ARGON}")), "{prompt}");
}

#[wasm_bindgen_test]
async fn attached_pictures_go_to_every_model() {
    let answers = by_model(|_, model, _| says(&format!("{model} has looked.")));
    let page = asked_anew(&answers).await;
    let paste = "(async () => {
        const canvas = new OffscreenCanvas(40, 30);
        canvas.getContext('2d').fillRect(0, 0, 20, 30);
        const clipboardData = new DataTransfer();
        const blob = await canvas.convertToBlob({ type: 'image/png' });
        clipboardData.items.add(new File([blob], 'cat.png', { type: 'image/png' }));
        document.querySelector('[data-testid=composer]').dispatchEvent(
            new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }));
    })()";
    page.see(COMPOSER).await;
    script_promise(paste).await;
    page.see_count(IMAGE_CHIP, 1).await;
    open_dialog(&page).await;
    page.see_text(RACE_IMAGES, "cat.png").await;
    page.fill(RACE_TEXT, "What is it?").await;
    page.click(RACE_START).await;
    page.see_count(RACE_LANE, 2).await;
    page.until("requests to both models", || models(&page).len() == 2).await;
    page.see_count(IMAGE_CHIP, 0).await;
    for request in page.sent("Architect") {
        assert_eq!(request.0.to_string().matches("inlineData").count(), 1);
    }
}
