//! Screenshots of transient states: prompts, errors, search results, memories, changes, the tree and its dialogs.
//!
//! Asserts nothing about the pictures.

pub(crate) mod documents;
pub(crate) mod runs;

use anyhow::{Context, Result};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::flows::pictures::{self, Album, to_pane};
use crate::parts::*;
use crate::provider::{Answer, Gate, Refusal, Reply};
use crate::stage::Stage;
use crate::team;

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
    let folder = pictures::folder().context("NEXUS_SCREENSHOTS names no folder")?;
    std::fs::create_dir_all(&folder)?;
    Ok(Album::new(folder))
}

async fn ask(stage: &Stage, agent: &str, question: &str, answer: &str, words: &str) -> Result<()> {
    stage.provider.queue_for(agent, Answer::say(answer));
    app::say_to(&stage.page, &agent.to_lowercase(), question).await?;
    stage.page.see_words(answers_of(&agent.to_lowercase()), words).await?;
    app::idle(&stage.page).await
}

/// The Engineer writes a file and answers.
async fn write(stage: &Stage, name: &str, text: &str, said: &str) -> Result<()> {
    stage.provider.queue_for("Engineer", app::writing(name, text));
    ask(stage, "Engineer", "Write the list of birds.", said, said).await
}

/// The ways to start: the demo, a key, and a local model that is not found.
pub(crate) async fn first(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    album.with_ultrawide().add(&stage.page, "first").await?;
    stage.page.fill(FIRST_KEY, "not-a-key").await?;
    album.add(&stage.page, "first-key").await?;
    stage.page.click(FIRST_LOCAL).await?;
    stage.page.see_words(FIRST_LOCAL_TOLD, "No server answered").await?;
    album.add(&stage.page, "first-local").await
}

/// A tool run that waits for approval, a long answer above it, queued messages below, and a run at its limit.
pub(crate) async fn asking(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    app::set_up(stage).await?;
    ask(stage, "Engineer", "How would you build the quiz?", LONG, "rests for ten questions").await?;
    album.with_ultrawide().add(&stage.page, "answer").await?;
    team::rule(&stage.page, "engineer", "write_file", "ask").await?;
    let wanted = json!({ "name": "birds.md", "content": POEM });
    stage
        .provider
        .queue_for("Engineer", Answer::new().text("I would write it like this.").call("write_file", wanted));
    app::say_to(&stage.page, "engineer", "Write the list of birds.").await?;
    stage.page.see(APPROVAL_CARD).await?;
    for text in ["And then show it to the Critic.", "@Architect plan the next step"] {
        app::say(&stage.page, text).await?;
    }
    stage.page.see_count(QUEUE_ITEM, 2).await?;
    album.add_at(&stage.page, "approval", Some("[data-testid=approval-card]")).await?;
    stage.page.click(APPROVAL_EDIT).await?;
    album.add_at(&stage.page, "approval-edited", Some("[data-testid=approval-card]")).await
}

/// A retry, a failed call, a stopped answer, and the dialog that asks for the passphrase.
pub(crate) async fn trouble(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    app::set_up(stage).await?;
    stage
        .provider
        .queue_for("Architect", Reply::error(&Refusal::argument("The model “bird-2” does not exist.")));
    stage.provider.queue_for("Engineer", Reply::rate_limited("50s"));
    app::say_to(&stage.page, "ALL", "Begin.").await?;
    stage.page.see(RETRY_CARD).await?;
    album.add_at(&stage.page, "retry", Some("[data-testid=error-card]")).await?;
    stage.page.click(STOP).await?;
    app::idle(&stage.page).await?;
    album.add(&stage.page, "stopped").await?;
    team::open_settings(&stage.page).await?;
    stage.page.click(KEY_KEEP_PASSPHRASE).await?;
    stage.page.fill(PASSPHRASE, "four canary words here").await?;
    stage.page.click(KEY_REMEMBER).await?;
    stage.page.see_words(KEY_STATE, "unlocked").await?;
    stage.page.click(KEY_LOCK).await?;
    team::leave_settings(&stage.page).await?;
    stage.provider.take_refusals();
    app::say_to(&stage.page, "engineer", "Are you there?").await?;
    stage.page.see(UNLOCK_DIALOG).await?;
    album.add(&stage.page, "unlock").await
}

/// A long answer, the memories of it, and the memories view.
async fn remembered(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
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
        stage.provider.queue_for_archivist(Answer::say(&answer.to_string()));
    }
    app::let_remember(&stage.page).await?;
    ask(stage, "Engineer", "How would you build the quiz?", LONG, "rests for ten questions").await?;
    stage.page.click(FACE_MEMORIES).await?;
    stage.page.see(MEMORY).await
}

/// Search, pins, the menu of a message, and memories.
pub(crate) async fn care(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    remembered(stage).await?;
    to_pane(&stage.page, "board").await?;
    album.add(&stage.page, "memories").await?;
    stage.page.click(FACE_EDIT).await?;
    to_pane(&stage.page, "timeline").await?;

    let pins = "for (const pin of document.querySelectorAll('[data-testid=message-pin]')) pin.click()";
    stage.page.eval(pins, &[]).await?;
    stage.page.click(PINS_OPEN).await?;
    stage.page.see(PIN).await?;
    album.add(&stage.page, "pins").await?;
    stage.page.press(Key::Escape).await?;
    stage.page.hidden(PINS).await?;
    stage.page.click(FIND_OPEN).await?;
    stage.page.fill(FIND_TEXT, "bird").await?;
    stage.page.see_words(FIND_COUNT, "of").await?;
    album.add(&stage.page, "find").await?;
    stage.page.click(FIND_CLOSE).await?;
    stage.page.resize(360, 780).await?;
    stage.page.click_last(MESSAGE_MORE).await?;
    stage.page.see(MESSAGE_MENU).await?;
    album.add(&stage.page, "message-menu").await
}

/// The recap, the form that sends changes back, and a conflict.
pub(crate) async fn changes(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    app::set_up(stage).await?;
    write(stage, "birds.md", POEM, "Five birds are on the list.").await?;
    let plan = json!({ "objective": "A quiz about birds", "scratchpad": "- [x] list\n- [ ] questions\n- [ ] count\n" });
    stage.provider.queue_for("Architect", Answer::new().call("update_nexus_state", plan));
    stage.provider.queue_for("Architect", Answer::say("The plan has three steps."));
    let longer = POEM.replace("- wren\n", "- wren, the loudest\n- swift\n- robin\n");
    stage.provider.queue_for("Engineer", app::writing("birds.md", &longer));
    stage.provider.queue_for("Engineer", Answer::say("Two more birds."));
    stage.provider.queue_for("Critic", Answer::say("Good.\nIs a tern known to children?"));
    app::say_to(&stage.page, "ALL", "Go on.").await?;
    stage.page.see_words(answers_of("critic"), "known to children").await?;
    app::idle(&stage.page).await?;
    stage.page.click(CATCH_UP_OPEN).await?;
    stage.page.see(CATCH_UP).await?;
    album.with_ultrawide().add(&stage.page, "catch-up").await?;
    stage.page.click(CATCH_UP_REVIEW).await?;
    stage.page.see(HUNK).await?;
    stage.page.eval("document.querySelector('[data-testid=hunk-pick]').click()", &[]).await?;
    stage.page.see(SEND_BACK_FORM).await?;
    stage.page.fill(SEND_BACK_REMARK, "Keep what the operator asked for.").await?;
    to_pane(&stage.page, "board").await?;
    album.with_ultrawide().add(&stage.page, "send-back").await?;

    // While the Engineer thinks, the operator writes the line that it is about to write.
    stage.page.click(FACE_EDIT).await?;
    stage.page.see(FILE_EDITOR).await?;
    let gate = Gate::new();
    let theirs =
        json!({ "activeFile": longer.replace("- heron\n", "- grey heron\n"), "activeFileName": "birds.md" });
    let answer = Answer::new().text("The heron is grey.").hold(&gate);
    stage.provider.queue_for("Engineer", answer.call("update_nexus_state", theirs));
    stage.provider.queue_for("Engineer", Answer::say("Written."));
    to_pane(&stage.page, "timeline").await?;
    app::say_to(&stage.page, "engineer", "Be exact about the heron.").await?;
    stage.page.see_words(answers_of("engineer"), "The heron is grey.").await?;
    stage.page.fill(FILE_EDITOR, "").await?;
    stage.page.paste(FILE_EDITOR, &longer.replace("- heron\n", "- white heron\n")).await?;
    stage.page.see_words(FILE_EDITOR, "white heron").await?;
    gate.open();
    stage.page.see(CLASH).await?;
    app::idle(&stage.page).await?;
    to_pane(&stage.page, "board").await?;
    album.add_at(&stage.page, "clash", Some("[data-part=files]")).await
}

/// A tree with forks, a session on one of them, a comparison; also on the widest screen.
pub(crate) async fn tree(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    app::set_up(stage).await?;
    write(stage, "birds.md", POEM, "Five birds are on the list.").await?;
    ask(stage, "Critic", "Is it good?", "The tern is not known to children.", "not known").await?;
    stage.page.click(OPEN_TREE).await?;
    stage.page.see(TREE.with("data-done", "true")).await?;
    for name in ["without terns", "only owls"] {
        stage.page.eval("document.querySelector('[data-testid=tree-plane]').focus()", &[]).await?;
        stage.page.press(Key::Up).await?;
        stage.page.click(TREE_FORK).await?;
        stage.page.see_words(TREE_FLAG, "in view").await?;
        stage.page.click_last(TREE_FLAG_NAME).await?;
        stage.page.fill(TREE_FLAG_FIELD, name).await?;
        stage.page.press(Key::Enter).await?;
        stage.page.see_words(TREE_FLAG, name).await?;
        stage.page.eval("history.back()", &[]).await?;
        stage.page.see(WAR_ROOM).await?;
        write(stage, "birds.md", &POEM.replace("- tern\n", ""), "Four birds are left.").await?;
        stage.page.click(OPEN_TREE).await?;
        stage.page.see(TREE.with("data-done", "true")).await?;
    }
    stage.page.click(TREE_WHOLE).await?;
    album.with_ultrawide().add(&stage.page, "tree").await?;
    stage.page.click(TREE_TO_HEAD).await?;
    stage.page.click(TREE_MARK).await?;
    stage.page.eval("document.querySelector('[data-testid=tree-plane]').focus()", &[]).await?;
    stage.page.press(Key::Up + Key::Up).await?;
    stage.page.click(TREE_COMPARE).await?;
    stage.page.see(TREE_COMPARED).await?;
    album.add(&stage.page, "tree-compare").await
}

/// The session list, the turn menu, an edited message, and a step to its sibling.
pub(crate) async fn sessions(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    app::set_up(stage).await?;
    ask(stage, "Engineer", "How would you build the quiz?", LONG, "rests for ten questions").await?;
    stage.page.click_last(TURN_ACTIONS).await?;
    stage.page.see(TURN_MENU).await?;
    album.add(&stage.page, "turn-menu").await?;
    stage.page.press(Key::Escape).await?;
    stage.page.hidden(TURN_MENU).await?;
    stage.page.click_last(MESSAGE.with("data-role", "user").inner(TURN_ACTIONS)).await?;
    stage.page.click(TURN_EDIT).await?;
    stage.page.see(EDIT_TEXT).await?;
    album.add_at(&stage.page, "turn-edit", Some("[data-testid=edit-text]")).await?;
    stage.page.fill(EDIT_TEXT, "How would you begin?").await?;
    stage.provider.queue_for("Engineer", Answer::say("With the list of birds."));
    stage.page.click(EDIT_RESEND).await?;
    stage.page.see_words(answers_of("engineer"), "With the list of birds.").await?;
    app::idle(&stage.page).await?;
    album.add(&stage.page, "siblings").await?;
    stage.page.click(COMPOSER).await?;
    stage.page.press("/").await?;
    stage.page.see(MENTION_LIST).await?;
    album.add(&stage.page, "commands").await?;
    stage.page.fill(COMPOSER, "").await?;
    to_pane(&stage.page, "agents").await?;
    stage.page.click(RAIL_MENU).await?;
    stage.page.see(SESSION_MENU).await?;
    album.add(&stage.page, "session-menu").await?;
    stage.page.press(Key::Escape).await?;
    to_pane(&stage.page, "timeline").await?;
    app::new_session(&stage.page).await?;
    album.add(&stage.page, "empty-session").await?;
    stage.page.click(SESSION_SWITCHER).await?;
    stage.page.see(SESSION_OPEN).await?;
    album.add(&stage.page, "sessions").await?;
    stage.page.click(SESSION_SHELF.with("data-filter", "Archived")).await?;
    album.add(&stage.page, "sessions-archived").await
}

/// A merge with a conflict.
pub(crate) async fn merge(stage: &mut Stage) -> Result<()> {
    let album = album()?;
    app::set_up(stage).await?;
    write(stage, "birds.md", POEM, "Five birds are on the list.").await?;
    stage.page.click(OPEN_TREE).await?;
    stage.page.see(TREE.with("data-done", "true")).await?;
    stage.page.click(TREE_FORK).await?;
    stage.page.see_words(TREE_FLAG, "in view").await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;
    let theirs = POEM.replace("- wren\n", "- wren, the loudest\n").replace("- tern\n", "- tern\n- robin\n");
    write(stage, "birds.md", &theirs, "A robin, and the wren sings.").await?;
    stage.page.click(OPEN_TREE).await?;
    stage.page.see(TREE.with("data-done", "true")).await?;
    stage.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    stage.page.click(TREE_OPEN).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.see_words(SESSION_SWITCHER, "main").await?;
    write(stage, "birds.md", &POEM.replace("- wren\n", "- wren, the smallest\n"), "The wren is small.")
        .await?;
    stage.page.click(OPEN_TREE).await?;
    stage.page.see(TREE.with("data-done", "true")).await?;
    stage.page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    stage.page.click(TREE_MERGE).await?;
    stage.page.see_words(MERGE_TOLD, "1 conflict to decide").await?;
    album.with_ultrawide().add(&stage.page, "merge").await?;
    stage.page.click(MERGE_BOTH).await?;
    stage.page.see_words(MERGE_TOLD, "all conflicts decided").await?;
    album.add(&stage.page, "merge-decided").await?;
    stage.page.click(MERGE_GO).await?;
    stage.page.hidden(MERGE).await?;
    album.add(&stage.page, "tree-merged").await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;
    album.add(&stage.page, "merged-timeline").await
}
