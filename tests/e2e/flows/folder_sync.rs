//! Flows for the sync with a folder on disk, with the page's private file system in its place.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::files::stored;
use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

/// Makes the picker return the page's private folder `tied`.
pub(crate) const PICKER: &str = "window.showDirectoryPicker = async () =>
    (await navigator.storage.getDirectory()).getDirectoryHandle('tied', { create: true });";

/// Permission lasts for one page load, as in browsers that ask each time.
const LAPSING: &str = "(() => {
    let given = false;
    const pick = window.showDirectoryPicker;
    window.showDirectoryPicker = async () => { given = true; return pick(); };
    FileSystemHandle.prototype.queryPermission = async () => given ? 'granted' : 'prompt';
    FileSystemHandle.prototype.requestPermission = async () => {
        window.__asked = (window.__asked ?? 0) + 1;
        if (window.__refuse) return 'denied';
        given = true;
        return 'granted';
    };
})();";

/// Writes a file there, like another program.
async fn put(page: &Page, name: &str, text: &str) -> Result<()> {
    let script = "const [path, text] = arguments;
        const names = path.split('/'), file = names.pop();
        let folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('tied', { create: true });
        for (const name of names) folder = await folder.getDirectoryHandle(name, { create: true });
        const stream = await (await folder.getFileHandle(file, { create: true })).createWritable();
        await stream.write(text);
        await stream.close();";
    page.eval_async(script, &[json!(name), json!(text)]).await.map(drop)
}

/// Text of a file there.
pub(crate) async fn on_disk(page: &Page, name: &str) -> Result<String> {
    let script = "const names = arguments[0].split('/'), file = names.pop();
        let folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('tied');
        for (const name of names) folder = await folder.getDirectoryHandle(name);
        return (await (await folder.getFileHandle(file)).getFile()).text();";
    let text = page.eval_async(script, &[json!(name)]).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Simulates the operator's return to the page.
async fn come_back(page: &Page) -> Result<Value> {
    page.eval("window.dispatchEvent(new Event('focus'))", &[]).await
}

fn difference(name: &str, kind: &str) -> Selector {
    FOLDER_DIFFERENCE.with("data-file", name).with("data-kind", kind)
}

/// The Engineer writes a file of the session.
async fn write_here(fixture: &Fixture, name: &str, text: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing(name, text));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::send_to(&fixture.page, "engineer", "Write it.").await?;
    stored(&fixture.page, name, Some(text)).await?;
    app::idle(&fixture.page).await
}

async fn set_up(fixture: &mut Fixture, scripts: &[&str]) -> Result<()> {
    for script in scripts {
        fixture.page.in_every_document(script).await?;
    }
    app::set_up(fixture).await
}

/// Links the current session with the folder.
async fn tie(fixture: &Fixture) -> Result<()> {
    put(&fixture.page, "a.txt", "one\n").await?;
    put(&fixture.page, "src/b.txt", "b\n").await?;
    put(&fixture.page, "node_modules/x.js", "no\n").await?;
    put(&fixture.page, "picture.bin", "\u{0}\u{1}\u{2}").await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.click(FOLDER_TIE).await?;
    fixture.page.see_text(FOLDER_LINKED, "“tied”").await?;
    stored(&fixture.page, "a.txt", Some("one\n")).await?;
    stored(&fixture.page, "src/b.txt", Some("b\n")).await?;
    fixture.page.see_text(FOLDER_LINKED, "No differences.").await
}

/// Comparison with a folder, and reading and writing it.
pub(crate) async fn linked(fixture: &mut Fixture) -> Result<()> {
    set_up(fixture, &[PICKER]).await?;
    compare(fixture).await?;
    fixture.page.click(FACE_EDIT).await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.hidden(FILES_PANEL).await?;
    app::start_over(fixture).await?;
    tied(fixture).await
}

/// Read when the operator returns, written on request, and no foreign change is overwritten.
async fn tied(fixture: &mut Fixture) -> Result<()> {
    tie(fixture).await?;
    fixture.page.see_text(FILES_PANEL, "1 file is skipped").await?;
    ensure!(fixture.page.count(FILE_ROW).await? == 2, "a heap or a picture was read in");
    // Changed outside: read when the page is shown again.
    put(&fixture.page, "a.txt", "two\n").await?;
    put(&fixture.page, "new.txt", "new\n").await?;
    come_back(&fixture.page).await?;
    stored(&fixture.page, "a.txt", Some("two\n")).await?;
    stored(&fixture.page, "new.txt", Some("new\n")).await?;
    // Changed here: shown, and written on request.
    write_here(fixture, "src/b.txt", "better\n").await?;
    fixture.page.see(difference("src/b.txt", "changed-here")).await?;
    ensure!(on_disk(&fixture.page, "src/b.txt").await? == "b\n", "it was written unasked");
    write_here(fixture, "made/c.txt", "c\n").await?;
    fixture.page.see(difference("made/c.txt", "new-here")).await?;
    fixture.page.click(FOLDER_WRITE).await?;
    fixture.page.see_text(FOLDER_LINKED, "No differences.").await?;
    ensure!(on_disk(&fixture.page, "src/b.txt").await? == "better\n");
    ensure!(on_disk(&fixture.page, "made/c.txt").await? == "c\n");
    // Changed in both places: nothing is overwritten.
    write_here(fixture, "a.txt", "mine\n").await?;
    fixture.page.see(difference("a.txt", "changed-here")).await?;
    put(&fixture.page, "a.txt", "theirs\n").await?;
    fixture.page.click(FOLDER_WRITE).await?;
    fixture.page.see_text(NOTICE, "a.txt changed on disk").await?;
    ensure!(on_disk(&fixture.page, "a.txt").await? == "theirs\n", "what changed outside was overwritten");
    stored(&fixture.page, "a.txt", Some("mine\n")).await?;
    fixture.page.see(difference("a.txt", "both")).await?;
    // The operator decides, once no notice covers the button.
    app::dismiss_notices(&fixture.page).await?;
    fixture.page.click(difference("a.txt", "both").inner(FOLDER_OURS)).await?;
    fixture.page.see_text(FOLDER_LINKED, "No differences.").await?;
    ensure!(on_disk(&fixture.page, "a.txt").await? == "mine\n");
    put(&fixture.page, "a.txt", "theirs again\n").await?;
    write_here(fixture, "a.txt", "mine again\n").await?;
    come_back(&fixture.page).await?;
    fixture.page.click(difference("a.txt", "both").inner(FOLDER_THEIRS)).await?;
    stored(&fixture.page, "a.txt", Some("theirs again\n")).await?;
    // After a reload the link is known without opening the file panel.
    put(&fixture.page, "src/b.txt", "from outside\n").await?;
    fixture.page.reload().await?;
    stored(&fixture.page, "src/b.txt", Some("from outside\n")).await?;
    // It is in no export.
    let stored = fixture.page.database().await?.to_string();
    ensure!(!stored.contains("picture.bin"), "the ledger contains data of the folder");
    Ok(())
}

/// A lapsed permission is requested again by a click; without it, or if it is denied, nothing is read, written or
/// lost.
pub(crate) async fn permission_lapsed(fixture: &mut Fixture) -> Result<()> {
    set_up(fixture, &[PICKER, LAPSING]).await?;
    tie(fixture).await?;
    put(&fixture.page, "a.txt", "meanwhile\n").await?;
    fixture.page.reload().await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.see_text(FOLDER_LAPSED, "“tied”").await?;
    come_back(&fixture.page).await?;
    stored(&fixture.page, "a.txt", Some("one\n")).await?;
    ensure!(
        fixture.page.eval("return window.__asked ?? 0", &[]).await? == 0,
        "permission was requested without a click"
    );

    // Denied: reported, and nothing changes here or there.
    fixture.page.eval("window.__refuse = true", &[]).await?;
    for attempt in 1..=2 {
        fixture.page.click(FOLDER_ALLOW).await?;
        fixture
            .page
            .wait_for("the permission request", "window.__asked === arguments[0]", &[json!(attempt)])
            .await?;
        fixture.page.see_text(FOLDER_ERROR, "Nothing was read or written").await?;
        fixture.page.see_text(FOLDER_LAPSED, "“tied”").await?;
    }
    ensure!(fixture.page.count(FOLDER_WRITE).await? == 0, "it could be written");
    write_here(fixture, "src/b.txt", "b, here\n").await?;
    come_back(&fixture.page).await?;
    stored(&fixture.page, "a.txt", Some("one\n")).await?;
    ensure!(
        on_disk(&fixture.page, "a.txt").await? == "meanwhile\n"
            && on_disk(&fixture.page, "src/b.txt").await? == "b\n"
    );

    // Granted: outside changes are read, local changes wait to be written.
    fixture.page.eval("window.__refuse = false", &[]).await?;
    fixture.page.click(FOLDER_ALLOW).await?;
    stored(&fixture.page, "a.txt", Some("meanwhile\n")).await?;
    fixture.page.hidden(FOLDER_ERROR).await?;
    fixture.page.see(difference("src/b.txt", "changed-here")).await?;
    fixture.page.click(FOLDER_WRITE).await?;
    fixture.page.see_text(FOLDER_LINKED, "No differences.").await?;
    // Unlinking deletes nothing, here or there.
    fixture.page.click(FOLDER_UNTIE).await?;
    fixture.page.see(FOLDER_TIE).await?;
    stored(&fixture.page, "a.txt", Some("meanwhile\n")).await?;
    ensure!(on_disk(&fixture.page, "a.txt").await? == "meanwhile\n");
    fixture.page.reload().await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.see(FOLDER_TIE).await
}

/// Without browser support the page says so and shows no button.
pub(crate) async fn unsupported(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document("delete window.showDirectoryPicker;").await?;
    app::set_up(fixture).await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.see_text(FOLDER_PROBLEM, "cannot link folders").await?;
    ensure!(fixture.page.count(FOLDER_TIE).await? == 0);
    Ok(())
}

/// Compare with the folder: differences, authors, and restoring the version on disk; follows changes of the folder.
async fn compare(fixture: &mut Fixture) -> Result<()> {
    tie(fixture).await?;
    ensure!(
        fixture
            .page
            .eval(
                "return document.querySelector(arguments[0]).disabled",
                &[Selector::from(FOLDER_COMPARE).as_str().into()]
            )
            .await?
            == true,
        "there is nothing to compare"
    );
    write_here(fixture, "a.txt", "one\nmine\n").await?;
    fixture.page.see(difference("a.txt", "changed-here")).await?;
    write_here(fixture, "new.txt", "new\n").await?;
    fixture.page.see(difference("new.txt", "new-here")).await?;
    fixture.page.click(FOLDER_COMPARE).await?;
    fixture.page.see(COMPARE_LIST).await?;
    let base = "document.querySelector(arguments[0]).value === 'disk'";
    fixture
        .page
        .wait_for("the folder as the base", base, &[Selector::from(COMPARE_BASE).as_str().into()])
        .await?;
    fixture.page.see_text(COMPARE_FIGURES, "2 files · 2 changes").await?;
    fixture.page.see_text(HUNK, "Engineer").await?;
    // Changes of the folder appear when the operator returns.
    put(&fixture.page, "src/b.txt", "b\n").await?;
    put(&fixture.page, "a.txt", "one\ntheirs\n").await?;
    come_back(&fixture.page).await?;
    fixture.page.see_text(COMPARE_LIST, "theirs").await?;
    fixture.page.see_text(COMPARE_LIST, "mine").await?;
    // Restores the version on disk.
    let of_file = COMPARE_FIELD.with("data-field", "a.txt");
    fixture.page.click(of_file.inner(REVERT_FILE)).await?;
    stored(&fixture.page, "a.txt", Some("one\ntheirs\n")).await?;
    fixture.page.see_text(COMPARE_FIGURES, "1 file · 1 change").await?;
    ensure!(on_disk(&fixture.page, "a.txt").await? == "one\ntheirs\n", "comparing wrote");
    // Unlinked, there is no folder to compare with.
    fixture.page.click(FACE_EDIT).await?;
    fixture.page.click(FILE_ALL).await?;
    fixture.page.click(FOLDER_UNTIE).await?;
    fixture.page.see(FOLDER_TIE).await?;
    fixture.page.click(FACE_COMPARE).await?;
    fixture.page.see(COMPARE_BASE).await?;
    let removed =
        "![...document.querySelectorAll(`${arguments[0]} option`)].some(one => one.value === 'disk')";
    fixture
        .page
        .wait_for(
            "the folder to be no base any more",
            removed,
            &[Selector::from(COMPARE_BASE).as_str().into()],
        )
        .await
}
