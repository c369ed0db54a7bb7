//! Flows for files: open, reorder, delete and restore, download, reference, search.
//!
//! `folder_sync` covers the folder on disk.

use std::fs;

use anyhow::{Context, Result, ensure};
use nexus_model::mind::blob::{base64_of, bytes_of};
use nexus_text::zip::zip;
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

/// Drops files onto the page: name, media type, and bytes of each.
pub(crate) async fn drop_files(page: &Page, files: &[(&str, &str, &[u8])]) -> Result<()> {
    let files: Vec<Value> = files.iter().map(|(name, mime, bytes)| json!([name, mime, bytes])).collect();
    let script = "const data = new DataTransfer();
        for (const [name, type, bytes] of arguments[0])
            data.items.add(new File([new Uint8Array(bytes)], name, { type }));
        const options = { dataTransfer: data, bubbles: true, cancelable: true };
        const over = new DragEvent('dragover', options), drop = new DragEvent('drop', options);
        document.body.dispatchEvent(over);
        document.body.dispatchEvent(drop);
        return over.defaultPrevented && drop.defaultPrevented;";
    let taken = page.eval(script, &[json!(files)]).await?;
    ensure!(taken == true, "the browser would have opened the file in the page's place");
    Ok(())
}

/// Pastes an image of this size into the composer, like a screenshot.
pub(crate) async fn paste_picture(page: &Page, name: &str, (width, height): (u32, u32)) -> Result<()> {
    let script = "const [name, width, height, field] = arguments;
        const canvas = new OffscreenCanvas(width, height);
        const paint = canvas.getContext('2d');
        paint.fillStyle = '#3a7';
        paint.fillRect(0, 0, width / 2, height);
        const blob = await canvas.convertToBlob({ type: 'image/png' });
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([blob], name, { type: 'image/png' }));
        const options = { clipboardData, bubbles: true, cancelable: true, composed: true };
        const event = new ClipboardEvent('paste', options);
        const composer = document.querySelector(field);
        composer.focus();
        composer.dispatchEvent(event);
        return event.defaultPrevented;";
    let composer = Selector::from(COMPOSER);
    let arguments = [json!(name), json!(width), json!(height), json!(composer.as_str())];
    let taken = page.eval_async(script, &arguments).await?;
    ensure!(taken == true, "the picture was not accepted");
    Ok(())
}

/// Stored text of a file of the current session; null if it does not exist.
pub(crate) const STORED_FILE: &str = "await (async () => {
    const result = request => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const database = await result(indexedDB.open('nexus'));
    try {
        const store = name => database.transaction(name).objectStore(name);
        const view = document.querySelector('[data-testid=session-switcher]')?.dataset.session;
        const all = await result(store('sessions').getAll());
        const session = all.find(each => each.id === view) ?? all[0];
        const mind = await result(store('minds').get(session.mind));
        const hash = mind?.files[name];
        return hash === undefined ? null : (await result(store('blobs').get(hash))).text;
    } finally {
        database.close();
    }
})()";

/// Waits until the store contains this text of a file; `None` waits for its removal.
pub(crate) async fn stored(page: &Page, name: &str, text: Option<&str>) -> Result<()> {
    let script = format!(
        "const [name, wanted] = arguments;
         for (let tries = 0; tries < 400; tries++) {{
             const text = {STORED_FILE};
             if (text === wanted) return 'there';
             if (tries === 399) return text;
             await new Promise(wake => setTimeout(wake, 50));
         }}"
    );
    let found = page.eval_async(&script, &[json!(name), json!(text)]).await?;
    ensure!(found == "there", "{name} contains {found}, not {text:?}");
    Ok(())
}

fn arrival(name: &str, kind: &str) -> Selector {
    ARRIVAL.with("data-file", name).with("data-kind", kind)
}

/// Files are sorted, referenced, opened, and read from a folder, each in a session.
pub(crate) async fn files(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    order(fixture).await?;
    app::start_over(fixture).await?;
    pointed(fixture).await?;
    app::start_over(fixture).await?;
    open_many(fixture).await?;
    app::start_over(fixture).await?;
    names_from_outside(fixture).await?;
    app::start_over(fixture).await?;
    read_slowly(fixture).await
}

/// A file belongs to the session that was current at the drop, even if another session with such a file is opened
/// while it is read.
async fn read_slowly(fixture: &mut Fixture) -> Result<()> {
    let page = &fixture.page;
    let slowly = "const bytes = Blob.prototype.arrayBuffer;
        Blob.prototype.arrayBuffer = async function () {
            if (this.name === 'slow.txt' && !window.open_gate) await new Promise(open => { window.open_gate = open; });
            return bytes.call(this);
        };";
    page.eval(slowly, &[]).await?;
    let first = app::session(page).await?;
    let file: &[(&str, &str, &[u8])] = &[("slow.txt", "text/plain", b"here\n")];
    drop_files(page, file).await?;
    page.wait_for("the file to be read", "window.open_gate", &[]).await?;
    app::new_session(page).await?;
    drop_files(page, file).await?;
    stored(page, "slow.txt", Some("here\n")).await?;
    page.eval("window.open_gate()", &[]).await?;
    app::open_session(page, &first).await?;
    stored(page, "slow.txt", Some("here\n")).await
}

/// Many files at once, most of them invalid in some way.
async fn open_many(fixture: &mut Fixture) -> Result<()> {
    const PNG: &[u8] = &[0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 0];
    let page = &fixture.page;
    // A size that cannot be created here, a file that changes while it is read, and a counter of reads.
    page.eval(
        "window.read = [];
         const size = Object.getOwnPropertyDescriptor(Blob.prototype, 'size').get;
         Object.defineProperty(Blob.prototype, 'size', { get() {
             return this.name === 'huge.log' ? 2 ** 31 : size.call(this);
         }});
         const bytes = Blob.prototype.arrayBuffer;
         Blob.prototype.arrayBuffer = function () {
             window.read.push(this.name);
             return this.name === 'moving.txt'
                 ? Promise.reject(new DOMException('it changed', 'NotReadableError')) : bytes.call(this);
         };",
        &[],
    )
    .await?;
    drop_files(page, &[("notes.txt", "text/plain", b"mine\n")]).await?;
    page.see(FILE_TAB.with("data-file", "notes.txt").with("data-active", "true")).await?;
    page.see_text(NOTICE, "notes.txt is open").await?;

    let body: &[u8] = b"<w:document><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:document>";
    let report = zip([("word/document.xml", body, None)]).context("an archive")?;
    let many: &[(&str, &str, &[u8])] = &[
        ("a.txt", "text/plain", "grüße\r\n".as_bytes()),
        ("empty.txt", "text/plain", b""),
        ("tool.bin", "", &[0x7f, b'E', b'L', b'F', 0, 0]),
        ("Report.docx", "", &report),
        ("huge.log", "text/plain", b"x"),
        ("moving.txt", "text/plain", b"x"),
        ("notes.txt", "text/plain", b"theirs\n"),
        ("page.svg", "image/svg+xml", b"<svg/>"),
        ("photo.png", "image/png", PNG),
    ];
    drop_files(page, many).await?;
    for name in ["tool.bin", "huge.log", "moving.txt"] {
        page.see(arrival(name, "refused")).await?;
    }
    page.see_text(arrival("tool.bin", "refused"), "neither UTF-8 text").await?;
    page.see_text(arrival("huge.log", "refused"), "larger than").await?;
    page.see_text(arrival("moving.txt", "refused"), "changed").await?;
    page.see(arrival("notes.txt", "taken")).await?;
    // The image is sent with the message.
    page.see_count(IMAGE_CHIP, 1).await?;
    stored(page, "a.txt", Some("grüße\r\n")).await?;
    stored(page, "empty.txt", Some("")).await?;
    stored(page, "page.svg", Some("<svg/>")).await?;
    stored(page, "Report.md", Some("Hello\n")).await?;
    stored(page, "notes.txt", Some("mine\n")).await?;
    let read = page.eval("return window.read.includes('huge.log')", &[]).await?;
    ensure!(read == false, "a file of two gigabytes was read");

    // A name in use: keep both, then replace.
    page.click(arrival("notes.txt", "taken").inner(ARRIVAL_BOTH)).await?;
    stored(page, "notes-2.txt", Some("theirs\n")).await?;
    stored(page, "notes.txt", Some("mine\n")).await?;
    drop_files(page, &[("notes.txt", "text/plain", b"newer\n"), ("a.txt", "", "grüße\r\n".as_bytes())])
        .await?;
    page.see(arrival("a.txt", "same")).await?;
    page.click(arrival("notes.txt", "taken").inner(ARRIVAL_REPLACE)).await?;
    stored(page, "notes.txt", Some("newer\n")).await?;
    page.hidden(arrival("notes.txt", "taken")).await?;

    // A folder: the page says how to open its files, and other dropped files open.
    let disk = page.profile().downloads().join("to drop");
    fs::create_dir_all(disk.join("app"))?;
    fs::write(disk.join("app/inside.txt"), "inside\n")?;
    fs::write(disk.join("beside.txt"), "beside\n")?;
    page.drop_paths(&[&disk.join("app"), &disk.join("beside.txt")]).await?;
    page.see_text(arrival("app", "refused"), "is a folder").await?;
    page.see_text(arrival("app", "refused"), "drop the files in it").await?;
    stored(page, "beside.txt", Some("beside\n")).await?;
    page.drop_paths(&[&disk.join("app/inside.txt")]).await?;
    stored(page, "inside.txt", Some("inside\n")).await?;
    ensure!(page.eval("return location.pathname", &[]).await? == "/", "the browser opened the folder");
    fixture.page.reload().await?;
    fixture.page.see(FILE_TAB.with("data-file", "notes-2.txt")).await
}

/// Fills a field as a folder picker does: files with relative paths, as pairs of path and text.
pub(crate) async fn pick_folder(page: &Page, field: Selector, files: Value) -> Result<()> {
    let script = "const input = document.querySelector(arguments[0]);
        const data = new DataTransfer();
        for (const [path, text] of arguments[1]) {
            const file = new File([text], path.split('/').at(-1));
            Object.defineProperty(file, 'webkitRelativePath', { value: path });
            data.items.add(file);
        }
        input.files = data.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));";
    page.eval(script, &[json!(field.as_str()), files]).await.map(drop)
}

/// A picked folder is read without its generated files.
async fn names_from_outside(fixture: &mut Fixture) -> Result<()> {
    let page = &fixture.page;
    page.click(FILE_ALL).await?;
    page.see(FILES_PANEL).await?;
    let files = json!([
        ["app/src/main.js", "go()\n"],
        ["app/src/ui/list.js", "list()\n"],
        ["app/node_modules/left/pad.js", "no\n"],
        ["app/logo.bin", "\u{0}\u{1}"],
        ["app/dot.gif", "GIF89a"],
    ]);
    pick_folder(page, FILE_PICK_FOLDER.into(), files).await?;
    page.see(FILE_ROW.with("data-file", "app/src/ui/list.js")).await?;
    page.see_text(ARRIVAL, "1 file of the folder was skipped").await?;
    page.see(FILE_ROW.with("data-file", "app/dot.gif")).await?;
    ensure!(page.count(FILE_ROW).await? == 3, "a heap was opened");
    // Folded and unfolded.
    page.click(FILE_FOLDER.with("data-folder", "app/src")).await?;
    page.hidden(FILE_ROW.with("data-file", "app/src/main.js")).await?;
    page.click(FILE_FOLDER.with("data-folder", "app/src")).await?;
    page.see(FILE_ROW.with("data-file", "app/src/main.js")).await
}

/// Renamed, deleted, restored exactly, downloaded.
async fn order(fixture: &mut Fixture) -> Result<()> {
    const TEXT: &str = "first\r\n\tsecond, without an end";
    let page = &fixture.page;
    page.download_to().await?;
    drop_files(page, &[("a.txt", "", TEXT.as_bytes()), ("b.txt", "", b"b\n"), ("c.txt", "", "ü".as_bytes())])
        .await?;
    stored(page, "c.txt", Some("ü")).await?;
    page.click(FILE_ALL).await?;
    let row = |name: &str| FILE_ROW.with("data-file", name);
    // A new name, in a folder; a name in use is rejected.
    page.click(row("b.txt").inner(FILE_ROW_RENAME)).await?;
    page.fill(FILE_NAME, "a.txt").await?;
    page.press(thirtyfour::Key::Enter).await?;
    page.see_text(FILES_PANEL, "A file named a.txt already exists.").await?;
    page.fill(FILE_NAME, "docs/b.txt").await?;
    page.press(thirtyfour::Key::Enter).await?;
    page.see(FILE_FOLDER.with("data-folder", "docs")).await?;
    stored(page, "docs/b.txt", Some("b\n")).await?;
    stored(page, "b.txt", None).await?;
    // Deleted and restored.
    page.click(row("a.txt").inner(FILE_ROW_DELETE)).await?;
    page.see_text(NOTICE, "a.txt is deleted.").await?;
    stored(page, "a.txt", None).await?;
    page.click(NOTICE_UNDO).await?;
    stored(page, "a.txt", Some(TEXT)).await?;
    // All of them as one archive.
    page.click(FILE_ZIP).await?;
    let entries = entries(page, &page.downloaded_as("main.zip").await?).await?;
    let expected = [
        ("a.txt".to_owned(), TEXT.as_bytes().to_vec()),
        ("c.txt".to_owned(), "ü".as_bytes().to_vec()),
        ("docs/b.txt".to_owned(), b"b\n".to_vec()),
    ];
    ensure!(entries == expected, "the archive contains {entries:?}");
    fixture.page.click(row("docs/b.txt").inner(FILE_ROW_DOWNLOAD)).await?;
    ensure!(fixture.page.downloaded_as("b.txt").await? == b"b\n");
    // A file opened from the list is in the editor again.
    fixture.page.click(row("a.txt").inner(FILE_OPEN)).await?;
    fixture.page.see(FILE_TAB.with("data-file", "a.txt").with("data-active", "true")).await
}

/// Files of an archive, by its directory; the browser decompresses them.
pub(crate) async fn entries(page: &Page, zip: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    const EXPAND: &str = "const bytes = Uint8Array.from(atob(arguments[0]), sign => sign.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
        let text = '';
        for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) text += String.fromCharCode(byte);
        return btoa(text);";
    let mut files = Vec::new();
    for (name, bytes, is_deflated) in raw_entries(zip)? {
        let bytes = if is_deflated {
            let whole = page.eval_async(EXPAND, &[json!(base64_of(&bytes))]).await?;
            whole.as_str().and_then(bytes_of).context("the browser gave no bytes")?
        } else {
            bytes
        };
        files.push((name, bytes));
    }
    Ok(files)
}

/// The stored entries, with whether they are compressed.
fn raw_entries(zip: &[u8]) -> Result<Vec<(String, Vec<u8>, bool)>> {
    let byte = |at: usize| zip.get(at).copied().map(usize::from);
    let word = |at: usize| Some(byte(at)? | byte(at + 1)? << 8);
    let long = |at: usize| Some(word(at)? | word(at + 2)? << 16);
    let read = || -> Option<Vec<(String, Vec<u8>, bool)>> {
        let end = zip.len() - 22;
        let (count, mut at) = (word(end + 10)?, long(end + 16)?);
        let mut entries = Vec::new();
        for _ in 0..count {
            let (size, length, file) = (long(at + 20)?, word(at + 28)?, long(at + 42)?);
            let name = String::from_utf8(zip.get(at + 46..at + 46 + length)?.to_vec()).ok()?;
            let begins = file + 30 + word(file + 26)? + word(file + 28)?;
            entries.push((name, zip.get(begins..begins + size)?.to_vec(), word(at + 10)? == 8));
            at += 46 + length;
        }
        Some(entries)
    };
    read().context("the archive cannot be read")
}

/// `#file` is completed, and its lines reach the provider as they were when the message was sent.
async fn pointed(fixture: &mut Fixture) -> Result<()> {
    drop_files(&fixture.page, &[("src/notes.txt", "", b"one\ntwo\nthree\n"), ("other.txt", "", b"x")])
        .await?;
    stored(&fixture.page, "src/notes.txt", Some("one\ntwo\nthree\n")).await?;
    fixture.page.choose(TARGET_SELECT, "engineer").await?;
    fixture.page.fill(COMPOSER, "Look at #no").await?;
    fixture.page.see(MENTION_LIST).await?;
    fixture.page.press(thirtyfour::Key::Enter).await?;
    fixture.page.see_text(COMPOSER, "Look at #src/notes.txt ").await?;
    fixture.page.hidden(MENTION_LIST).await?;
    fixture.page.see_text(ATTACHMENT, "src/notes.txt").await?;
    fixture.provider.queue_for("Engineer", Answer::say("Seen."));
    fixture.page.type_into(COMPOSER, "please").await?;
    fixture.page.click(SEND).await?;
    fixture.page.see_text(answers_of("engineer"), "Seen.").await?;
    let prompt = fixture.request_of("Engineer", 1).await?.last_user_text();
    ensure!(prompt.contains("Look at #src/notes.txt please"), "{prompt}");
    ensure!(prompt.contains("1\tone\n2\ttwo\n3\tthree"), "the file is missing: {prompt}");
    fixture.page.see_text(PASSAGE, "#src/notes.txt").await?;
    app::idle(&fixture.page).await?;

    fixture.provider.queue_for("Engineer", Answer::say("Two lines."));
    app::send(&fixture.page, "And #src/notes.txt:2-3?").await?;
    fixture.page.see_text(answers_of("engineer"), "Two lines.").await?;
    let prompt = fixture.request_of("Engineer", 2).await?.last_user_text();
    ensure!(prompt.contains("lines=\"2-3\" of=\"3\""), "{prompt}");
    let passage = prompt.split("<passage").nth(1).context("no passage")?;
    ensure!(passage.contains("2\ttwo") && !passage.contains("one"), "{prompt}");
    fixture.page.see_text(PASSAGE, "2-3 of 3 lines").await
}
