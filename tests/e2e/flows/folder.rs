//! Flows for the sync with a folder on disk, with the page's private file system in its place.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::files::stored;
use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

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
async fn write_here(stage: &Stage, name: &str, text: &str) -> Result<()> {
    stage.provider.queue_for("Engineer", app::writing(name, text));
    stage.provider.queue_for("Engineer", Answer::say("Written."));
    app::say_to(&stage.page, "engineer", "Write it.").await?;
    stored(&stage.page, name, Some(text)).await?;
    app::idle(&stage.page).await
}

async fn set_up(stage: &mut Stage, scripts: &[&str]) -> Result<()> {
    for script in scripts {
        stage.page.before_scripts(script).await?;
    }
    app::set_up(stage).await
}

/// Links the current session with the folder.
async fn tie(stage: &Stage) -> Result<()> {
    put(&stage.page, "a.txt", "one\n").await?;
    put(&stage.page, "src/b.txt", "b\n").await?;
    put(&stage.page, "node_modules/x.js", "no\n").await?;
    put(&stage.page, "picture.bin", "\u{0}\u{1}\u{2}").await?;
    stage.page.click(FILE_ALL).await?;
    stage.page.click(FOLDER_TIE).await?;
    stage.page.see_words(FOLDER_TIED, "“tied”").await?;
    stored(&stage.page, "a.txt", Some("one\n")).await?;
    stored(&stage.page, "src/b.txt", Some("b\n")).await?;
    stage.page.see_words(FOLDER_TIED, "No differences.").await
}

/// Comparison with a folder, and reading and writing it.
pub(crate) async fn linked(stage: &mut Stage) -> Result<()> {
    set_up(stage, &[PICKER]).await?;
    compare(stage).await?;
    stage.page.click(FACE_EDIT).await?;
    stage.page.click(FILE_ALL).await?;
    stage.page.hidden(FILE_DESK).await?;
    app::afresh(stage).await?;
    tied(stage).await
}

/// Read when the operator returns, written on request, and no foreign change is overwritten.
async fn tied(stage: &mut Stage) -> Result<()> {
    tie(stage).await?;
    stage.page.see_words(FILE_DESK, "1 file is skipped").await?;
    ensure!(stage.page.count(FILE_ROW).await? == 2, "a heap or a picture was read in");
    // Changed outside: read when the page is shown again.
    put(&stage.page, "a.txt", "two\n").await?;
    put(&stage.page, "new.txt", "new\n").await?;
    come_back(&stage.page).await?;
    stored(&stage.page, "a.txt", Some("two\n")).await?;
    stored(&stage.page, "new.txt", Some("new\n")).await?;
    // Changed here: shown, and written on request.
    write_here(stage, "src/b.txt", "better\n").await?;
    stage.page.see(difference("src/b.txt", "changed-here")).await?;
    ensure!(on_disk(&stage.page, "src/b.txt").await? == "b\n", "it was written unasked");
    write_here(stage, "made/c.txt", "c\n").await?;
    stage.page.see(difference("made/c.txt", "new-here")).await?;
    stage.page.click(FOLDER_WRITE).await?;
    stage.page.see_words(FOLDER_TIED, "No differences.").await?;
    ensure!(on_disk(&stage.page, "src/b.txt").await? == "better\n");
    ensure!(on_disk(&stage.page, "made/c.txt").await? == "c\n");
    // Changed in both places: nothing is overwritten.
    write_here(stage, "a.txt", "mine\n").await?;
    stage.page.see(difference("a.txt", "changed-here")).await?;
    put(&stage.page, "a.txt", "theirs\n").await?;
    stage.page.click(FOLDER_WRITE).await?;
    stage.page.see_words(NOTICE, "a.txt changed on disk").await?;
    ensure!(on_disk(&stage.page, "a.txt").await? == "theirs\n", "what changed outside was overwritten");
    stored(&stage.page, "a.txt", Some("mine\n")).await?;
    stage.page.see(difference("a.txt", "both")).await?;
    // The operator decides, once no notice covers the button.
    app::dismiss_notices(&stage.page).await?;
    stage.page.click(difference("a.txt", "both").inner(FOLDER_OURS)).await?;
    stage.page.see_words(FOLDER_TIED, "No differences.").await?;
    ensure!(on_disk(&stage.page, "a.txt").await? == "mine\n");
    put(&stage.page, "a.txt", "theirs again\n").await?;
    write_here(stage, "a.txt", "mine again\n").await?;
    come_back(&stage.page).await?;
    stage.page.click(difference("a.txt", "both").inner(FOLDER_THEIRS)).await?;
    stored(&stage.page, "a.txt", Some("theirs again\n")).await?;
    // After a reload the link is known without opening the file panel.
    put(&stage.page, "src/b.txt", "from outside\n").await?;
    stage.page.reload().await?;
    stored(&stage.page, "src/b.txt", Some("from outside\n")).await?;
    // It is in no export.
    let stored = stage.page.database().await?.to_string();
    ensure!(!stored.contains("picture.bin"), "the ledger contains data of the folder");
    Ok(())
}

/// A lapsed permission is requested again by a click; without it, or if it is denied, nothing is read, written or
/// lost.
pub(crate) async fn lapsed(stage: &mut Stage) -> Result<()> {
    set_up(stage, &[PICKER, LAPSING]).await?;
    tie(stage).await?;
    put(&stage.page, "a.txt", "meanwhile\n").await?;
    stage.page.reload().await?;
    stage.page.click(FILE_ALL).await?;
    stage.page.see_words(FOLDER_LAPSED, "“tied”").await?;
    come_back(&stage.page).await?;
    stored(&stage.page, "a.txt", Some("one\n")).await?;
    ensure!(
        stage.page.eval("return window.__asked ?? 0", &[]).await? == 0,
        "permission was requested without a click"
    );

    // Denied: reported, and nothing changes here or there.
    stage.page.eval("window.__refuse = true", &[]).await?;
    for attempt in 1..=2 {
        stage.page.click(FOLDER_ALLOW).await?;
        stage
            .page
            .wait_for("the permission request", "window.__asked === arguments[0]", &[json!(attempt)])
            .await?;
        stage.page.see_words(FOLDER_REFUSED, "Nothing was read or written").await?;
        stage.page.see_words(FOLDER_LAPSED, "“tied”").await?;
    }
    ensure!(stage.page.count(FOLDER_WRITE).await? == 0, "it could be written");
    write_here(stage, "src/b.txt", "b, here\n").await?;
    come_back(&stage.page).await?;
    stored(&stage.page, "a.txt", Some("one\n")).await?;
    ensure!(
        on_disk(&stage.page, "a.txt").await? == "meanwhile\n"
            && on_disk(&stage.page, "src/b.txt").await? == "b\n"
    );

    // Granted: outside changes are read, local changes wait to be written.
    stage.page.eval("window.__refuse = false", &[]).await?;
    stage.page.click(FOLDER_ALLOW).await?;
    stored(&stage.page, "a.txt", Some("meanwhile\n")).await?;
    stage.page.hidden(FOLDER_REFUSED).await?;
    stage.page.see(difference("src/b.txt", "changed-here")).await?;
    stage.page.click(FOLDER_WRITE).await?;
    stage.page.see_words(FOLDER_TIED, "No differences.").await?;
    // Unlinking deletes nothing, here or there.
    stage.page.click(FOLDER_UNTIE).await?;
    stage.page.see(FOLDER_TIE).await?;
    stored(&stage.page, "a.txt", Some("meanwhile\n")).await?;
    ensure!(on_disk(&stage.page, "a.txt").await? == "meanwhile\n");
    stage.page.reload().await?;
    stage.page.click(FILE_ALL).await?;
    stage.page.see(FOLDER_TIE).await
}

/// Without browser support the page says so and shows no button.
pub(crate) async fn none(stage: &mut Stage) -> Result<()> {
    stage.page.before_scripts("delete window.showDirectoryPicker;").await?;
    app::set_up(stage).await?;
    stage.page.click(FILE_ALL).await?;
    stage.page.see_words(FOLDER_HINDERED, "cannot link folders").await?;
    ensure!(stage.page.count(FOLDER_TIE).await? == 0);
    Ok(())
}

/// Compare with the folder: differences, authors, and restoring the version on disk; follows changes of the folder.
async fn compare(stage: &mut Stage) -> Result<()> {
    tie(stage).await?;
    ensure!(
        stage
            .page
            .eval(
                "return document.querySelector(arguments[0]).disabled",
                &[Selector::from(FOLDER_COMPARE).as_str().into()]
            )
            .await?
            == true,
        "there is nothing to compare"
    );
    write_here(stage, "a.txt", "one\nmine\n").await?;
    stage.page.see(difference("a.txt", "changed-here")).await?;
    write_here(stage, "new.txt", "new\n").await?;
    stage.page.see(difference("new.txt", "new-here")).await?;
    stage.page.click(FOLDER_COMPARE).await?;
    stage.page.see(COMPARE_LIST).await?;
    let base = "document.querySelector(arguments[0]).value === 'disk'";
    stage
        .page
        .wait_for("the folder as the base", base, &[Selector::from(COMPARE_BASE).as_str().into()])
        .await?;
    stage.page.see_words(COMPARE_FIGURES, "2 changes in 2 fields").await?;
    stage.page.see_words(HUNK, "Engineer").await?;
    // Changes of the folder appear when the operator returns.
    put(&stage.page, "src/b.txt", "b\n").await?;
    put(&stage.page, "a.txt", "one\ntheirs\n").await?;
    come_back(&stage.page).await?;
    stage.page.see_words(COMPARE_LIST, "theirs").await?;
    stage.page.see_words(COMPARE_LIST, "mine").await?;
    // Restores the version on disk.
    let of_file = COMPARE_FIELD.with("data-field", "a.txt");
    stage.page.click(of_file.inner(REVERT_FILE)).await?;
    stored(&stage.page, "a.txt", Some("one\ntheirs\n")).await?;
    stage.page.see_words(COMPARE_FIGURES, "1 change in 1 field").await?;
    ensure!(on_disk(&stage.page, "a.txt").await? == "one\ntheirs\n", "comparing wrote");
    // Unlinked, there is no folder to compare with.
    stage.page.click(FACE_EDIT).await?;
    stage.page.click(FILE_ALL).await?;
    stage.page.click(FOLDER_UNTIE).await?;
    stage.page.see(FOLDER_TIE).await?;
    stage.page.click(FACE_COMPARE).await?;
    stage.page.see(COMPARE_BASE).await?;
    let removed =
        "![...document.querySelectorAll(`${arguments[0]} option`)].some(one => one.value === 'disk')";
    stage
        .page
        .wait_for(
            "the folder to be no base any more",
            removed,
            &[Selector::from(COMPARE_BASE).as_str().into()],
        )
        .await
}
