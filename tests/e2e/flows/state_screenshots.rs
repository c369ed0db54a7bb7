//! Screenshots of transient states: prompts, errors, search results, memories, changes, the tree and its dialogs.
//!
//! Asserts nothing about the pictures.

pub(crate) mod documents;
pub(crate) mod runs;

use anyhow::{Context, Result};
use serde_json::json;
use thirtyfour::Key;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::screenshots::{self, Album, to_pane};
use crate::provider::{Answer, ApiError, Gate, Reply};
use crate::selectors::*;

/// An answer with every kind of element.
const LONG: &str = "The quiz needs three things: a **list of birds**, a way to *ask*, and a way to keep count. I would keep \
    the birds in a file of their own, so that the Critic can look at the facts without reading the program, and so that \
    somebody who knows more about birds than about programs can add one.\n\n\
    ## How it is asked\n\n\
    1. A bird is drawn by chance, and never the same one twice in a row.\n\
    2. Four names are offered; three of them are neighbours of the right one, because nobody mistakes a heron for a wren.\n\
    3. The answer is told at once, with one sentence about the bird.\n\n\
    ```js\nexport function draw(birds, last) {\n  const others = birds.filter(bird => bird !== last);\n  \
    return others[Math.floor(Math.random() * others.length)];\n}\n```\n\n\
    | bird | length | how often it is asked |\n| - | -: | -: |\n| heron | 90–98 cm | 12 |\n| wren | 9–10 cm | 31 |\n| \
    kingfisher | 16–17 cm | 24 |\n\n\
    > A bird that is answered rightly three times rests for ten questions.\n\n\
    The chance of a bird is $p_i = \\frac{1}{1 + r_i}$, where $r_i$ counts its right answers; see `draw` above.";

const POEM: &str = "# Birds\n\n- heron\n- wren\n- kingfisher\n- owl\n- tern\n";

fn album() -> Result<Album> {
    let folder = screenshots::folder().context("NEXUS_SCREENSHOTS names no folder")?;
    std::fs::create_dir_all(&folder)?;
    Ok(Album::new(folder))
}

async fn ask(fixture: &Fixture, agent: &str, question: &str, answer: &str, words: &str) -> Result<()> {
    fixture.provider.queue_for(agent, Answer::say(answer));
    app::send_to(&fixture.page, &agent.to_lowercase(), question).await?;
    fixture.page.see_text(answers_of(&agent.to_lowercase()), words).await?;
    app::idle(&fixture.page).await
}

/// The Engineer writes a file and answers.
async fn write(fixture: &Fixture, name: &str, text: &str, answer: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing(name, text));
    ask(fixture, "Engineer", "Write the list of birds.", answer, answer).await
}

/// The ways to start: the demo, a key, and a local model that is not found.
pub(crate) async fn first(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    album.with_ultrawide().add(&fixture.page, "first").await?;
    fixture.page.fill(FIRST_KEY, "not-a-key").await?;
    album.add(&fixture.page, "first-key").await?;
    fixture.page.click(FIRST_LOCAL).await?;
    fixture.page.see_text(FIRST_LOCAL_STATUS, "No server answered").await?;
    album.add(&fixture.page, "first-local").await
}

/// A tool run that waits for approval, a long answer above it, queued messages below, and a run at its limit.
pub(crate) async fn approvals(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    app::set_up(fixture).await?;
    ask(fixture, "Engineer", "How would you build the quiz?", LONG, "rests for ten questions").await?;
    album.with_ultrawide().add(&fixture.page, "answer").await?;
    agent_setup::rule(&fixture.page, "engineer", "write_file", "ask").await?;
    let wanted = json!({ "name": "birds.md", "content": POEM });
    fixture
        .provider
        .queue_for("Engineer", Answer::new().text("I would write it like this.").call("write_file", wanted));
    app::send_to(&fixture.page, "engineer", "Write the list of birds.").await?;
    fixture.page.see(APPROVAL_CARD).await?;
    for text in ["And then show it to the Critic.", "@Architect plan the next step"] {
        app::send(&fixture.page, text).await?;
    }
    fixture.page.see_count(QUEUE_ITEM, 2).await?;
    album.add_at(&fixture.page, "approval", Some("[data-testid=approval-card]")).await?;
    fixture.page.click(APPROVAL_EDIT).await?;
    album.add_at(&fixture.page, "approval-edited", Some("[data-testid=approval-card]")).await
}

/// A retry, a failed call, a stopped answer, and the dialog that asks for the passphrase.
pub(crate) async fn errors(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    app::set_up(fixture).await?;
    fixture
        .provider
        .queue_for("Architect", Reply::error(&ApiError::argument("The model “bird-2” does not exist.")));
    fixture.provider.queue_for("Engineer", Reply::rate_limited("50s"));
    app::send_to(&fixture.page, "ALL", "Begin.").await?;
    fixture.page.see(RETRY_CARD).await?;
    album.add_at(&fixture.page, "retry", Some("[data-testid=error-card]")).await?;
    fixture.page.click(STOP).await?;
    app::idle(&fixture.page).await?;
    album.add(&fixture.page, "stopped").await?;
    agent_setup::open_settings(&fixture.page).await?;
    fixture.page.click(KEY_KEEP_PASSPHRASE).await?;
    fixture.page.fill(PASSPHRASE, "four canary words here").await?;
    fixture.page.click(KEY_REMEMBER).await?;
    fixture.page.see_text(KEY_STATE, "unlocked").await?;
    fixture.page.click(KEY_LOCK).await?;
    agent_setup::leave_settings(&fixture.page).await?;
    fixture.provider.take_errors();
    app::send_to(&fixture.page, "engineer", "Are you there?").await?;
    fixture.page.see(UNLOCK_DIALOG).await?;
    album.add(&fixture.page, "unlock").await
}

/// A long answer, the memories of it, and the memories view.
async fn remembered(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let memories: Vec<_> = [
        ("Ada prefers tabs over spaces, and no semicolons where the language does without them.", 4),
        ("The quiz is for children between eight and ten, who read slowly.", 5),
        ("Herons are asked less often than wrens.", 2),
    ]
    .into_iter()
    .map(|(content, importance)| json!({"content": content, "importance": importance, "message": 1}))
    .collect();
    let answer = json!({
        "title": "A quiz about birds",
        "summary": "Ada wants a quiz about birds that runs in one page. The plan stands, the list of birds is written, and \
            the Critic wants the facts looked at once more before anything is shown to children.",
        "keywords": ["quiz", "birds", "children"], "memories": memories,
    });
    for _ in 0..2 {
        fixture.provider.queue_for_archivist(Answer::say(&answer.to_string()));
    }
    app::enable_archivist(&fixture.page).await?;
    ask(fixture, "Engineer", "How would you build the quiz?", LONG, "rests for ten questions").await?;
    fixture.page.click(FACE_MEMORIES).await?;
    fixture.page.see(MEMORY).await
}

/// Search, pins, the menu of a message, and memories.
pub(crate) async fn message_actions(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    remembered(fixture).await?;
    to_pane(&fixture.page, "board").await?;
    album.add(&fixture.page, "memories").await?;
    fixture.page.click(FACE_EDIT).await?;
    to_pane(&fixture.page, "timeline").await?;

    let pins = "for (const pin of document.querySelectorAll('[data-testid=message-pin]')) pin.click()";
    fixture.page.eval(pins, &[]).await?;
    fixture.page.click(PINS_OPEN).await?;
    fixture.page.see(PIN).await?;
    album.add(&fixture.page, "pins").await?;
    fixture.page.press(Key::Escape).await?;
    fixture.page.hidden(PINS).await?;
    fixture.page.click(FIND_OPEN).await?;
    fixture.page.fill(FIND_TEXT, "bird").await?;
    fixture.page.see_text(FIND_COUNT, "of").await?;
    album.add(&fixture.page, "find").await?;
    fixture.page.click(FIND_CLOSE).await?;
    fixture.page.resize(360, 780).await?;
    fixture.page.click_last(MESSAGE_MORE).await?;
    fixture.page.see(MESSAGE_MENU).await?;
    album.add(&fixture.page, "message-menu").await
}

/// The recap, the form that sends changes back, and a conflict.
pub(crate) async fn changes(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    app::set_up(fixture).await?;
    write(fixture, "birds.md", POEM, "Five birds are on the list.").await?;
    let plan = json!({ "objective": "A quiz about birds", "scratchpad": "- [x] list\n- [ ] questions\n- [ ] count\n" });
    fixture.provider.queue_for("Architect", Answer::new().call("update_nexus_state", plan));
    fixture.provider.queue_for("Architect", Answer::say("The plan has three steps."));
    let longer = POEM.replace("- wren\n", "- wren, the loudest\n- swift\n- robin\n");
    fixture.provider.queue_for("Engineer", app::writing("birds.md", &longer));
    fixture.provider.queue_for("Engineer", Answer::say("Two more birds."));
    fixture.provider.queue_for("Critic", Answer::say("Good.\nIs a tern known to children?"));
    app::send_to(&fixture.page, "ALL", "Go on.").await?;
    fixture.page.see_text(answers_of("critic"), "known to children").await?;
    app::idle(&fixture.page).await?;
    fixture.page.click(CATCH_UP_OPEN).await?;
    fixture.page.see(CATCH_UP).await?;
    album.with_ultrawide().add(&fixture.page, "catch-up").await?;
    fixture.page.click(CATCH_UP_REVIEW).await?;
    fixture.page.see(HUNK).await?;
    fixture.page.eval("document.querySelector('[data-testid=hunk-pick]').click()", &[]).await?;
    fixture.page.see(SEND_BACK_FORM).await?;
    fixture.page.fill(SEND_BACK_REMARK, "Keep what the operator asked for.").await?;
    to_pane(&fixture.page, "board").await?;
    album.with_ultrawide().add(&fixture.page, "send-back").await?;

    // While the Engineer thinks, the operator writes the line that it is about to write.
    fixture.page.click(FACE_EDIT).await?;
    fixture.page.see(FILE_EDITOR).await?;
    let gate = Gate::new();
    let theirs =
        json!({ "activeFile": longer.replace("- heron\n", "- grey heron\n"), "activeFileName": "birds.md" });
    let answer = Answer::new().text("The heron is grey.").hold(&gate);
    fixture.provider.queue_for("Engineer", answer.call("update_nexus_state", theirs));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    to_pane(&fixture.page, "timeline").await?;
    app::send_to(&fixture.page, "engineer", "Be exact about the heron.").await?;
    fixture.page.see_text(answers_of("engineer"), "The heron is grey.").await?;
    fixture.page.fill(FILE_EDITOR, "").await?;
    fixture.page.paste(FILE_EDITOR, &longer.replace("- heron\n", "- white heron\n")).await?;
    fixture.page.see_text(FILE_EDITOR, "white heron").await?;
    gate.open();
    fixture.page.see(CONFLICT).await?;
    app::idle(&fixture.page).await?;
    to_pane(&fixture.page, "board").await?;
    album.add_at(&fixture.page, "conflict", Some("[data-part=files]")).await
}

/// A tree with forks, a session on one of them, a comparison; also on the widest screen.
pub(crate) async fn tree(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    app::set_up(fixture).await?;
    write(fixture, "birds.md", POEM, "Five birds are on the list.").await?;
    ask(fixture, "Critic", "Is it good?", "The tern is not known to children.", "not known").await?;
    fixture.page.click(OPEN_TREE).await?;
    fixture.page.see(TREE.with("data-done", "true")).await?;
    for name in ["without terns", "only owls"] {
        fixture.page.eval("document.querySelector('[data-testid=tree-plane]').focus()", &[]).await?;
        fixture.page.press(Key::Up).await?;
        fixture.page.click(TREE_FORK).await?;
        fixture.page.see_text(TREE_FLAG, "in view").await?;
        fixture.page.click_last(TREE_FLAG_NAME).await?;
        fixture.page.fill(TREE_FLAG_FIELD, name).await?;
        fixture.page.press(Key::Enter).await?;
        fixture.page.see_text(TREE_FLAG, name).await?;
        fixture.page.eval("history.back()", &[]).await?;
        fixture.page.see(WAR_ROOM).await?;
        write(fixture, "birds.md", &POEM.replace("- tern\n", ""), "Four birds are left.").await?;
        fixture.page.click(OPEN_TREE).await?;
        fixture.page.see(TREE.with("data-done", "true")).await?;
    }
    fixture.page.click(TREE_WHOLE).await?;
    album.with_ultrawide().add(&fixture.page, "tree").await?;
    fixture.page.click(TREE_TO_HEAD).await?;
    fixture.page.click(TREE_MARK).await?;
    fixture.page.eval("document.querySelector('[data-testid=tree-plane]').focus()", &[]).await?;
    fixture.page.press(Key::Up + Key::Up).await?;
    fixture.page.click(TREE_COMPARE).await?;
    fixture.page.see(TREE_COMPARED).await?;
    album.add(&fixture.page, "tree-compare").await
}

/// The session list, the turn menu, an edited message, and a step to its sibling.
pub(crate) async fn sessions(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    app::set_up(fixture).await?;
    ask(fixture, "Engineer", "How would you build the quiz?", LONG, "rests for ten questions").await?;
    fixture.page.click_last(TURN_ACTIONS).await?;
    fixture.page.see(TURN_MENU).await?;
    album.add(&fixture.page, "turn-menu").await?;
    fixture.page.press(Key::Escape).await?;
    fixture.page.hidden(TURN_MENU).await?;
    fixture.page.click_last(MESSAGE.with("data-role", "user").inner(TURN_ACTIONS)).await?;
    fixture.page.click(TURN_EDIT).await?;
    fixture.page.see(EDIT_TEXT).await?;
    album.add_at(&fixture.page, "turn-edit", Some("[data-testid=edit-text]")).await?;
    fixture.page.fill(EDIT_TEXT, "How would you begin?").await?;
    fixture.provider.queue_for("Engineer", Answer::say("With the list of birds."));
    fixture.page.click(EDIT_RESEND).await?;
    fixture.page.see_text(answers_of("engineer"), "With the list of birds.").await?;
    app::idle(&fixture.page).await?;
    album.add(&fixture.page, "siblings").await?;
    fixture.page.click(COMPOSER).await?;
    fixture.page.press("/").await?;
    fixture.page.see(MENTION_LIST).await?;
    album.add(&fixture.page, "commands").await?;
    fixture.page.fill(COMPOSER, "").await?;
    to_pane(&fixture.page, "agents").await?;
    fixture.page.click(RAIL_MENU).await?;
    fixture.page.see(SESSION_MENU).await?;
    album.add(&fixture.page, "session-menu").await?;
    fixture.page.press(Key::Escape).await?;
    to_pane(&fixture.page, "timeline").await?;
    app::new_session(&fixture.page).await?;
    album.add(&fixture.page, "empty-session").await?;
    fixture.page.click(SESSION_SWITCHER).await?;
    fixture.page.see(SESSION_OPEN).await?;
    album.add(&fixture.page, "sessions").await?;
    fixture.page.click(SESSION_FILTER.with("data-filter", "Archived")).await?;
    album.add(&fixture.page, "sessions-archived").await
}

/// A merge with a conflict.
pub(crate) async fn merge(fixture: &mut Fixture) -> Result<()> {
    let album = album()?;
    app::set_up(fixture).await?;
    write(fixture, "birds.md", POEM, "Five birds are on the list.").await?;
    fixture.page.click(OPEN_TREE).await?;
    fixture.page.see(TREE.with("data-done", "true")).await?;
    fixture.page.click(TREE_FORK).await?;
    fixture.page.see_text(TREE_FLAG, "in view").await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.see(WAR_ROOM).await?;
    let theirs = POEM.replace("- wren\n", "- wren, the loudest\n").replace("- tern\n", "- tern\n- robin\n");
    write(fixture, "birds.md", &theirs, "A robin, and the wren sings.").await?;
    fixture.page.click(OPEN_TREE).await?;
    fixture.page.see(TREE.with("data-done", "true")).await?;
    fixture.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    fixture.page.click(TREE_OPEN).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.see_text(SESSION_SWITCHER, "main").await?;
    write(fixture, "birds.md", &POEM.replace("- wren\n", "- wren, the smallest\n"), "The wren is small.")
        .await?;
    fixture.page.click(OPEN_TREE).await?;
    fixture.page.see(TREE.with("data-done", "true")).await?;
    fixture.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    fixture.page.click(TREE_MERGE).await?;
    fixture.page.see_text(MERGE_SUMMARY, "1 conflict to decide").await?;
    album.with_ultrawide().add(&fixture.page, "merge").await?;
    fixture.page.click(MERGE_BOTH).await?;
    fixture.page.see_text(MERGE_SUMMARY, "all conflicts decided").await?;
    album.add(&fixture.page, "merge-decided").await?;
    fixture.page.click(MERGE_GO).await?;
    fixture.page.hidden(MERGE).await?;
    album.add(&fixture.page, "tree-merged").await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.see(WAR_ROOM).await?;
    album.add(&fixture.page, "merged-timeline").await
}
