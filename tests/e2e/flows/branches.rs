//! Flows for turns and sessions: fork, edit, retry, reset, archive, delete and restore.

use anyhow::{Context as _, Result, ensure};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::keyboard::{self, reach};
use crate::flows::screenshots;
use crate::page::Page;
use crate::provider::{Answer, ApiError, Reply};
use crate::selectors::*;

/// The Engineer is asked, and answers.
async fn ask(fixture: &Fixture, question: &str, answer: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", Answer::say(answer));
    app::send_to(&fixture.page, "engineer", question).await?;
    fixture.page.see_text(answers_of("engineer"), answer).await?;
    app::idle(&fixture.page).await
}

/// The Engineer writes a file, and answers.
async fn ask_for_file(fixture: &Fixture, question: &str, text: &str, answer: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("a.txt", text));
    ask(fixture, question, answer).await
}

/// Opens the turn menu of a message with this text.
pub(crate) async fn act(page: &Page, words: &str) -> Result<()> {
    let script = "const message = [...document.querySelectorAll(arguments[0])]
            .find(each => each.textContent.includes(arguments[1]));
        message.querySelector(arguments[2]).click();";
    let selectors = [MESSAGE, TURN_ACTIONS].map(|part| Selector::from(part).as_str().to_owned());
    let [message, actions] = selectors;
    page.see_text(MESSAGE, words).await?;
    page.eval(script, &[message.into(), words.into(), actions.into()]).await?;
    page.see(TURN_MENU).await
}

/// Text of the request after the first `before` ones.
fn prompt_after(fixture: &Fixture, before: usize) -> Result<String> {
    let requests = fixture.provider.requests();
    requests.get(before).map(|request| request.all_text()).context("no request")
}

async fn titled(page: &Page, words: &str) -> Result<()> {
    page.wait_for(
        &format!("the title to say {words:?}"),
        "document.title.includes(arguments[0])",
        &[words.into()],
    )
    .await
}

/// Takes a screenshot if they are enabled.
async fn picture(page: &Page, name: &str) -> Result<()> {
    screenshots::moment(page, &format!("tree-{name}")).await
}

async fn hidden(page: &Page, words: &str) -> Result<()> {
    let is_removed = "[...document.querySelectorAll(arguments[0])]
        .every(each => !each.textContent.includes(arguments[1]))";
    let message = Selector::from(MESSAGE).as_str().to_owned();
    page.wait_for(&format!("{words:?} to go"), is_removed, &[message.into(), words.into()]).await
}

/// Reflog, fork from an older turn, edited message, and another answer, each in a session.
pub(crate) async fn branches(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    heads(fixture).await?;
    app::start_over(fixture).await?;
    fork(fixture).await?;
    app::start_over(fixture).await?;
    resend(fixture).await?;
    app::start_over(fixture).await?;
    again(fixture).await
}

/// A fork from an older turn restores its files in a new session; the other one is unchanged, before and after a
/// reload.
async fn fork(fixture: &mut Fixture) -> Result<()> {
    ask_for_file(fixture, "Begin.", "FIRST\n", "First written.").await?;
    ask_for_file(fixture, "Change it.", "SECOND\n", "Second written.").await?;
    fixture.page.see_text(FILE_EDITOR, "SECOND").await?;
    let main = app::session(&fixture.page).await?;
    act(&fixture.page, "First written.").await?;
    fixture.page.fill(TURN_CONTINUE_NAME, "another way").await?;
    fixture.page.click(TURN_CONTINUE).await?;
    fixture.page.hidden(TURN_MENU).await?;
    titled(&fixture.page, "another way").await?;
    fixture.page.see_text(FILE_EDITOR, "FIRST").await?;
    fixture.page.see(FORK_MARK).await?;
    hidden(&fixture.page, "Second written.").await?;
    let before = fixture.provider.requests().len();
    ask(fixture, "And now?", "Another way it is.").await?;
    let prompt = prompt_after(fixture, before)?;
    ensure!(prompt.contains("Begin.") && prompt.contains("FIRST"), "the past did not go along");
    ensure!(!prompt.contains("Change it.") && !prompt.contains("SECOND"), "the other branch was sent");
    let fork = app::session(&fixture.page).await?;
    app::open_session(&fixture.page, &main).await?;
    fixture.page.see_text(answers_of("engineer"), "Second written.").await?;
    fixture.page.see_text(FILE_EDITOR, "SECOND").await?;
    app::open_session(&fixture.page, &fork).await?;
    fixture.page.see_text(answers_of("engineer"), "Another way it is.").await?;
    fixture.page.reload().await?;
    fixture.page.see_text(answers_of("engineer"), "Another way it is.").await?;
    fixture.page.see_text(MESSAGE, "Begin.").await?;
    fixture.page.see_text(FILE_EDITOR, "FIRST").await?;
    app::open_session(&fixture.page, &main).await?;
    fixture.page.see_text(FILE_EDITOR, "SECOND").await
}

/// An edited message is sent with its own history; one can switch between both, with the files of each.
async fn resend(fixture: &mut Fixture) -> Result<()> {
    ask_for_file(fixture, "Begin.", "FIRST\n", "First written.").await?;
    ask_for_file(fixture, "Make it loud.", "LOUD\n", "Loud now.").await?;
    // Messages of this visit can be edited, too, not only those that were loaded.
    let questions = fixture.page.count(MESSAGE.with("data-role", "user")).await?;
    fixture.page.see_count(MESSAGE_EDIT, questions).await?;
    act(&fixture.page, "Loud now.").await?;
    picture(&fixture.page, "menu").await?;
    fixture.page.press(Key::Escape).await?;
    fixture.page.hidden(TURN_MENU).await?;
    act(&fixture.page, "Make it loud.").await?;
    fixture.page.click(TURN_EDIT).await?;
    fixture.page.hidden(TURN_MENU).await?;
    fixture.page.see_text(EDIT_TEXT, "Make it loud.").await?;
    picture(&fixture.page, "edit").await?;
    fixture.page.fill(EDIT_TEXT, "Make it quiet.").await?;
    fixture.provider.queue_for("Engineer", app::writing("a.txt", "QUIET\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Quiet now."));
    let before = fixture.provider.requests().len();
    fixture.page.click(EDIT_RESEND).await?;
    fixture.page.see_text(answers_of("engineer"), "Quiet now.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.hidden(EDIT_TEXT).await?;
    let prompt = prompt_after(fixture, before)?;
    ensure!(prompt.contains("Make it quiet.") && prompt.contains("FIRST"), "not on its own past");
    ensure!(!prompt.contains("loud") && !prompt.contains("LOUD"), "a sibling was sent");
    fixture.page.see_text(SIBLING_PLACE, "2/2").await?;
    hidden(&fixture.page, "Loud now.").await?;
    fixture.page.see_text(FILE_EDITOR, "QUIET").await?;
    fixture.page.click(SIBLING_PREVIOUS).await?;
    fixture.page.see_text(SIBLING_PLACE, "1/2").await?;
    fixture.page.see_text(answers_of("engineer"), "Loud now.").await?;
    fixture.page.see_text(FILE_EDITOR, "LOUD").await?;
    hidden(&fixture.page, "Quiet now.").await?;
    // The switch is announced, and undone.
    fixture.page.see_text(NOTICE, "Showing version 1 of 2. Files are as they were there.").await?;
    fixture.page.click(NOTICE_UNDO).await?;
    fixture.page.see_text(SIBLING_PLACE, "2/2").await?;
    fixture.page.see_text(FILE_EDITOR, "QUIET").await?;
    fixture.page.click(SIBLING_PREVIOUS).await?;
    fixture.page.see_text(SIBLING_PLACE, "1/2").await?;
    fixture.page.see_text(FILE_EDITOR, "LOUD").await?;
    fixture.page.reload().await?;
    fixture.page.see_text(SIBLING_PLACE, "1/2").await?;
    fixture.page.see_text(FILE_EDITOR, "LOUD").await?;
    fixture.page.click(SIBLING_NEXT).await?;
    fixture.page.see_text(answers_of("engineer"), "Quiet now.").await?;
    fixture.page.see_text(FILE_EDITOR, "QUIET").await?;
    // Back to the beginning, and to the former head.
    act(&fixture.page, "First written.").await?;
    fixture.page.click(TURN_BACK).await?;
    fixture.page.see_text(FILE_EDITOR, "FIRST").await?;
    hidden(&fixture.page, "Quiet now.").await?;
    fixture.page.click(GO_AHEAD).await?;
    fixture.page.see_text(answers_of("engineer"), "Quiet now.").await?;
    fixture.page.see_text(FILE_EDITOR, "QUIET").await
}

/// Another agent answers the same question beside the first answer; a failed turn is retried at the head.
async fn again(fixture: &mut Fixture) -> Result<()> {
    ask(fixture, "Who can help?", "I can.").await?;
    act(&fixture.page, "I can.").await?;
    fixture.page.choose(TURN_AGAIN_AGENT, "critic").await?;
    fixture.provider.queue_for("Critic", Answer::say("I can, too."));
    let before = fixture.provider.requests().len();
    fixture.page.click(TURN_AGAIN).await?;
    fixture.page.see_text(answers_of("critic"), "I can, too.").await?;
    app::idle(&fixture.page).await?;
    let prompt = prompt_after(fixture, before)?;
    ensure!(prompt.contains("Who can help?") && !prompt.contains("I can."), "it saw the first answer");
    fixture.page.see_text(SIBLING_PLACE, "2/2").await?;
    hidden(&fixture.page, "I can.").await?;
    fixture.page.click(SIBLING_PREVIOUS).await?;
    fixture.page.see_text(answers_of("engineer"), "I can.").await?;
    fixture.provider.queue_for("Engineer", Reply::error(&ApiError::argument("No.")));
    app::send_to(&fixture.page, "engineer", "More.").await?;
    fixture.page.see_text(ERROR_CARD, "No.").await?;
    // With a turn after it, the step can no longer be undone: that would hide the turn.
    fixture.page.hidden(NOTICE_UNDO).await?;
    app::idle(&fixture.page).await
}

/// Sessions are created, renamed, searched, archived, deleted and restored, also after a reload.
pub(crate) async fn sessions(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    ask(fixture, "Remember the heron.", "I will.").await?;
    let page = &fixture.page;
    let main = app::session(page).await?;
    app::new_session(page).await?;
    let second = app::session(page).await?;
    page.click(SESSION_SWITCHER).await?;
    let row = |session: &str| SESSION_ROW.with("data-session", session);
    // A name in use is rejected with a reason.
    page.click(row(&second).inner(SESSION_NAME)).await?;
    page.choose(SESSION_OWNER, "engineer").await?;
    page.fill(SESSION_LABEL, "main").await?;
    page.click(SESSION_KEEP).await?;
    page.see_text(SESSION_ERROR, "empty or taken").await?;
    picture(page, "naming").await?;
    page.fill(SESSION_LABEL, "birds").await?;
    page.click(SESSION_KEEP).await?;
    page.hidden(SESSION_LABEL).await?;
    page.see_text(row(&second), "birds").await?;
    page.fill(SESSION_SEARCH, "BIRD").await?;
    page.see_count(SESSION_ROW, 1).await?;
    page.fill(SESSION_SEARCH, "").await?;
    page.see_count(SESSION_ROW, 2).await?;
    // Archiving the current session opens another one.
    keyboard::enter(page, row(&second).inner(SESSION_ARCHIVE)).await?;
    page.see_count(SESSION_ROW, 1).await?;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await?;
    page.click(SESSION_FILTER.with("data-filter", "Archived")).await?;
    page.see(row(&second)).await?;
    keyboard::enter(page, row(&second).inner(SESSION_REOPEN)).await?;
    page.hidden(row(&second)).await?;
    // Closed: read-only until it is reopened.
    page.click(SESSION_FILTER.with("data-filter", "Open")).await?;
    keyboard::enter(page, row(&second).inner(SESSION_END)).await?;
    page.hidden(row(&second)).await?;
    page.click(SESSION_FILTER.with("data-filter", "Archived")).await?;
    page.see_text(row(&second), "closed").await?;
    page.click(SESSION_OPEN.with("data-session", &second)).await?;
    page.see(SESSION_SWITCHER.with("data-session", &second)).await?;
    page.fill(COMPOSER, "Is anybody there?").await?;
    page.click(SEND).await?;
    page.see_text(NOTICE, "closed").await?;
    page.see_text(COMPOSER, "Is anybody there?").await?;
    picture(page, "closed").await?;
    page.fill(COMPOSER, "").await?;
    page.click(SESSION_SWITCHER).await?;
    page.click(SESSION_FILTER.with("data-filter", "Archived")).await?;
    page.click(row(&second).inner(SESSION_REOPEN)).await?;
    page.hidden(row(&second)).await?;
    // Deleted and undone at once.
    page.click(SESSION_FILTER.with("data-filter", "Open")).await?;
    keyboard::enter(page, row(&main).inner(SESSION_DELETE)).await?;
    page.hidden(row(&main)).await?;
    page.see(SESSION_SWITCHER.with("data-session", &second)).await?;
    picture(page, "undo").await?;
    keyboard::enter(page, SESSION_UNDO).await?;
    page.see(row(&main)).await?;
    // Deleted, and restored after a reload.
    keyboard::enter(page, row(&main).inner(SESSION_DELETE)).await?;
    page.hidden(row(&main)).await?;
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see(SESSION_SWITCHER.with("data-session", &second)).await?;
    page.click(SESSION_SWITCHER).await?;
    page.see(SESSION_OPEN).await?;
    page.click(row(&second).inner(SESSION_NAME)).await?;
    let owner =
        format!("document.querySelector({:?})?.value === 'engineer'", Selector::from(SESSION_OWNER).as_str());
    page.wait_for("the session to be the Engineer's", &owner, &[]).await?;
    page.click(Selector::css(".session-naming [data-testid=session-keep]")).await?;
    page.hidden(SESSION_LABEL).await?;
    // The last open session cannot be deleted.
    page.click(row(&second).inner(SESSION_DELETE)).await?;
    page.see_text(SESSION_ERROR, "last open session").await?;
    keyboard::enter(page, SESSION_FILTER.with("data-filter", "Deleted")).await?;
    page.see_text(row(&main), "deleted permanently in 7 days").await?;
    keyboard::enter(page, row(&main).inner(SESSION_RESTORE)).await?;
    page.hidden(row(&main)).await?;
    page.click(SESSION_FILTER.with("data-filter", "Open")).await?;
    page.click(SESSION_OPEN.with("data-session", &main)).await?;
    page.see_text(MESSAGE, "Remember the heron.").await
}

/// True if the URL names a turn.
const IN_ADDRESS: &str = "location.search.includes('at=')";

/// The snapshot of an older turn: its files and messages; read-only, typed text is kept, and a reload shows it again.
/// From there one forks or returns.
pub(crate) async fn snapshot(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    ask_for_file(fixture, "Begin.", "FIRST\n", "First written.").await?;
    ask_for_file(fixture, "Change it.", "SECOND\n", "Second written.").await?;
    fixture.page.fill(COMPOSER, "Half a thought.").await?;
    let events = app::events(&fixture.page).await?.len();
    act(&fixture.page, "First written.").await?;
    fixture.page.click(TURN_SNAPSHOT).await?;
    fixture.page.hidden(TURN_MENU).await?;
    first_then(&fixture.page).await?;
    let focused = "document.activeElement?.dataset.testid === 'snapshot-title'";
    fixture.page.wait_for("the turn to have the focus", focused, &[]).await?;
    fixture.page.wait_for("the address to say so", IN_ADDRESS, &[]).await?;
    let shut = "document.querySelector('.panes').inert && document.querySelector('.panes').checkVisibility({ visibilityProperty: true }) === false";
    fixture.page.wait_for("the current state to be inert", shut, &[]).await?;
    picture(&fixture.page, "as-it-was").await?;
    fixture.page.reload().await?;
    first_then(&fixture.page).await?;
    // One turn back by keys, and back to now.
    let page = &fixture.page;
    page.wait_for("the turn to have the focus", focused, &[]).await?;
    page.press(Key::Left).await?;
    page.see_text(SNAPSHOT_TITLE, "Critic").await?;
    page.see_text(SNAPSHOT_STATUS, "Critic is ready.").await?;
    page.see_text(SNAPSHOT_MIND, "No files").await?;
    page.press(Key::Right).await?;
    first_then(page).await?;
    page.press(Key::Escape).await?;
    page.hidden(SNAPSHOT).await?;
    page.see_text(COMPOSER, "Half a thought.").await?;
    page.see_text(FILE_EDITOR, "SECOND").await?;
    page.wait_for("the address to be as before", &format!("!{IN_ADDRESS}"), &[]).await?;
    ensure!(app::events(page).await?.len() == events, "looking changed something");
    // From the tree, and on in a new session.
    let main = app::session(page).await?;
    page.click(OPEN_TREE).await?;
    page.see(TREE.with("data-done", "true")).await?;
    page.eval("document.querySelector('[data-testid=tree-plane]').focus()", &[]).await?;
    page.see_text(TREE_ANSWERED, "Second written.").await?;
    page.press(Key::Up).await?;
    page.see_text(TREE_ANSWERED, "First written.").await?;
    page.click(TREE_THEN).await?;
    first_then(page).await?;
    page.click(SNAPSHOT_CONTINUE).await?;
    page.hidden(SNAPSHOT).await?;
    page.see(FORK_MARK).await?;
    page.see_text(FILE_EDITOR, "FIRST").await?;
    app::open_session(page, &main).await?;
    page.see_text(COMPOSER, "Half a thought.").await?;
    page.see_text(FILE_EDITOR, "SECOND").await?;
    // An unknown turn is reported, and one can return.
    let missing = fixture.site.url("/?at=00000000000000000000000007");
    fixture.page.goto(&missing).await?;
    fixture.page.see(SNAPSHOT_GONE).await?;
    fixture.page.click(SNAPSHOT_RETURN).await?;
    fixture.page.hidden(SNAPSHOT).await?;
    fixture.page.see_text(FILE_EDITOR, "SECOND").await
}

/// Checks that the first turn of [`as_it_was`] is shown, and nothing later.
async fn first_then(page: &Page) -> Result<()> {
    page.see_text(SNAPSHOT_TITLE, "Engineer").await?;
    page.see_text(SNAPSHOT_STATUS, "First written.").await?;
    page.see_text(SNAPSHOT_MIND, "FIRST").await?;
    page.see_text(SNAPSHOT_DIFFERS, "a.txt").await?;
    let later = "!document.querySelector(arguments[0]).textContent.includes('Second written.')";
    let selector = Selector::from(SNAPSHOT_STATUS).as_str().to_owned();
    page.wait_for("no later content", later, &[selector.into()]).await
}

/// The reflog lists every former head with its mind, also from another session; each can be opened as a snapshot, and
/// forked.
async fn heads(fixture: &mut Fixture) -> Result<()> {
    ask_for_file(fixture, "Begin.", "FIRST\n", "First written.").await?;
    ask_for_file(fixture, "Change it.", "SECOND\n", "Second written.").await?;
    let page = &fixture.page;
    let main = app::session(page).await?;
    act(page, "First written.").await?;
    page.click(TURN_BACK).await?;
    page.see_text(FILE_EDITOR, "FIRST").await?;
    app::new_session(page).await?;
    page.click(SESSION_SWITCHER).await?;
    let heads_of_main = || SESSION_ROW.with("data-session", &main).inner(SESSION_HEADS);
    page.click(heads_of_main()).await?;
    page.see_count(HEAD_ROW, 6).await?;
    picture(page, "heads").await?;
    let rows = page.texts(HEAD_ROW).await?;
    let row_contains = |at: usize, words: &[&str]| {
        rows.get(at).is_some_and(|row| words.iter().all(|words| row.contains(words)))
    };
    ensure!(row_contains(0, &["now", "rewound to here", "First written."]), "{rows:?}");
    ensure!(row_contains(1, &["answered", "Engineer", "Second written."]), "{rows:?}");
    ensure!(row_contains(5, &["Architect is ready."]), "{rows:?}");
    ensure!(
        page.count(HEAD_ROW.inner(HEAD_CONTINUE)).await? == 5,
        "the current head has a button to continue"
    );
    // By keys to the second entry, and its snapshot.
    page.eval("document.querySelector('[data-testid=head-open]').focus()", &[]).await?;
    page.press(Key::Down).await?;
    page.press(Key::Enter).await?;
    page.hidden(HEAD_LIST).await?;
    page.see_text(SNAPSHOT_STATUS, "Second written.").await?;
    page.see_text(SNAPSHOT_MIND, "SECOND").await?;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await?;
    page.click(SNAPSHOT_RETURN).await?;
    page.hidden(SNAPSHOT).await?;
    page.see_text(FILE_EDITOR, "FIRST").await?;
    // Fork from there.
    page.click(SESSION_SWITCHER).await?;
    page.click(heads_of_main()).await?;
    page.see_count(HEAD_ROW, 6).await?;
    page.eval("document.querySelectorAll('[data-testid=head-continue]')[0].click()", &[]).await?;
    page.hidden(HEAD_LIST).await?;
    page.see(FORK_MARK).await?;
    page.see_text(FILE_EDITOR, "SECOND").await
}

/// The same by keyboard: another session, an edited message, a step to its sibling.
pub(crate) async fn keyboard(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    app::new_session(&fixture.page).await?;
    ask(fixture, "Say it.", "Said.").await?;
    let page = &fixture.page;
    let main = app::session(page).await?;
    reach(page, TURN_ACTIONS).await?;
    page.press(Key::Enter).await?;
    page.see(TURN_MENU).await?;
    reach(page, TURN_EDIT).await?;
    page.press(Key::Enter).await?;
    page.see(EDIT_TEXT).await?;
    page.wait_for(
        "the field to have the focus",
        "document.activeElement?.dataset.testid === 'edit-text'",
        &[],
    )
    .await?;
    page.press(Key::Control + "a").await?;
    page.press("Say it well.").await?;
    fixture.provider.queue_for("Engineer", Answer::say("Well said."));
    page.press(Key::Enter).await?;
    page.see_text(answers_of("engineer"), "Well said.").await?;
    app::idle(page).await?;
    reach(page, SIBLING_PREVIOUS).await?;
    page.press(Key::Enter).await?;
    page.see_text(SIBLING_PLACE, "1/2").await?;
    page.see_text(answers_of("engineer"), "Said.").await?;
    page.has_focus("sibling-previous").await?;
    page.press(Key::Right).await?;
    page.see_text(SIBLING_PLACE, "2/2").await?;
    // Escape closes a menu and restores the focus.
    reach(page, TURN_ACTIONS).await?;
    page.press(Key::Enter).await?;
    page.see(TURN_MENU).await?;
    page.press(Key::Escape).await?;
    page.hidden(TURN_MENU).await?;
    page.has_focus("turn-actions").await?;
    // A fork, and back by the list.
    page.press(Key::Enter).await?;
    page.see(TURN_MENU).await?;
    reach(page, TURN_CONTINUE).await?;
    page.press(Key::Enter).await?;
    page.see(FORK_MARK).await?;
    reach(page, SESSION_SWITCHER).await?;
    page.press(Key::Enter).await?;
    page.see(SESSION_LIST).await?;
    let focused = "document.activeElement?.dataset.testid === 'session-search'";
    page.wait_for("the search to have the focus", focused, &[]).await?;
    page.press("session 2").await?;
    page.press(Key::Down).await?;
    page.wait_for(
        "a row to have the focus",
        "document.activeElement?.dataset.testid === 'session-open'",
        &[],
    )
    .await?;
    page.press(Key::Down).await?;
    let is_main = "document.activeElement?.dataset.session === arguments[0]";
    page.wait_for("the other row to have the focus", is_main, &[main.as_str().into()]).await?;
    page.press(Key::Enter).await?;
    page.hidden(SESSION_LIST).await?;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await
}
