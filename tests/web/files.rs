//! Tests of files: dropped and picked ones, the file panel, and references in messages.

use nexus::ui::hooks::files::compression::unpacked;
use nexus_engine::tests::says;
use nexus_text::zip::zip;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::script;

async fn page() -> MountedPage {
    MountedPage::open(|_, _| says("Seen.")).await
}

/// Waits until the session has this text of a file; `None` waits for its removal.
async fn stored(page: &MountedPage, name: &str, text: Option<&str>) {
    page.until(&format!("{name} to be {text:?}"), || page.tab.mind().file(name) == text).await;
}

fn arrival(name: &str, kind: &str) -> Selector {
    ARRIVAL.with("data-file", name).with("data-kind", kind)
}

fn row(name: &str) -> Selector {
    FILE_ROW.with("data-file", name)
}

const TEXT: &str = "first\r\n\tsecond, without an end";

/// The panel with three files.
async fn panel() -> MountedPage {
    let page = page().await;
    let files: &[(&str, &str, &[u8])] =
        &[("a.txt", "", TEXT.as_bytes()), ("b.txt", "", b"b\n"), ("c.txt", "", "ü".as_bytes())];
    page.drop_files(files).await;
    stored(&page, "c.txt", Some("ü")).await;
    page.click(FILE_ALL).await;
    page
}

#[wasm_bindgen_test]
async fn a_file_is_renamed_into_a_folder_but_not_to_a_bad_name_or_one_in_use() {
    let page = panel().await;
    page.click(row("b.txt").inner(FILE_ROW_RENAME)).await;
    page.fill(FILE_NAME, "a.txt").await;
    page.press("Enter").await;
    page.see_text(FILES_PANEL, "A file named a.txt already exists.").await;
    page.fill(FILE_NAME, "../b.txt").await;
    page.press("Enter").await;
    page.see_text(FILES_PANEL, "“../b.txt” is not a valid file name.").await;
    assert_eq!(page.text(FILE_NAME).await, "../b.txt", "the typed name is lost");
    page.fill(FILE_NAME, "docs/b.txt").await;
    page.press("Enter").await;
    page.see(FILE_FOLDER.with("data-folder", "docs")).await;
    stored(&page, "docs/b.txt", Some("b\n")).await;
    stored(&page, "b.txt", None).await;
    page.has_focus(row("docs/b.txt").inner(FILE_ROW_RENAME)).await;
    page.press("Enter").await;
    page.has_focus(FILE_NAME).await;
    page.press("Escape").await;
    page.hidden(FILE_NAME).await;
    page.has_focus(row("docs/b.txt").inner(FILE_ROW_RENAME)).await;
}

#[wasm_bindgen_test]
async fn a_long_list_of_files_is_searched_by_name() {
    let page = panel().await;
    assert_eq!(page.count(FILE_SEARCH), 0, "a short list has a search");
    let names: Vec<String> = (0..15).map(|at| format!("src/part{at}.rs")).collect();
    let files: Vec<(&str, &str, &[u8])> =
        names.iter().map(|name| (name.as_str(), "", b"x".as_slice())).collect();
    page.drop_files(&files).await;
    page.fill(FILE_SEARCH, "PART12").await;
    page.see_count(FILE_ROW, 1).await;
    page.see(row("src/part12.rs")).await;
    page.fill(FILE_SEARCH, "nowhere").await;
    page.see_text(FILES_PANEL, "No results").await;
}

#[wasm_bindgen_test]
async fn a_deleted_file_is_restored_byte_for_byte() {
    let page = panel().await;
    page.click(row("a.txt").inner(FILE_ROW_DELETE)).await;
    page.see_text(NOTICE, "“a.txt” is deleted.").await;
    stored(&page, "a.txt", None).await;
    page.click(NOTICE_UNDO).await;
    stored(&page, "a.txt", Some(TEXT)).await;
}

#[wasm_bindgen_test]
async fn files_are_downloaded_alone_and_as_one_archive() {
    let page = panel().await;
    let (name, archive) = page.download(FILE_ZIP).await;
    assert_eq!(name, "main.zip");
    let expected = [("a.txt", TEXT), ("b.txt", "b\n"), ("c.txt", "ü")];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    assert_eq!(unpacked(&archive, 1 << 20).await.unwrap(), expected);
    assert_eq!(
        page.download(row("b.txt").inner(FILE_ROW_DOWNLOAD)).await,
        ("b.txt".to_owned(), b"b\n".to_vec())
    );
}

#[wasm_bindgen_test]
async fn a_file_opened_from_the_list_is_in_the_editor() {
    let page = panel().await;
    page.click(row("a.txt").inner(FILE_OPEN)).await;
    page.see(FILE_TAB.with("data-file", "a.txt").with("data-active", "true")).await;
    page.see(FILE_EDITOR).await;
}

#[wasm_bindgen_test]
async fn a_reference_is_completed_and_the_file_sent_as_it_was() {
    let page = page().await;
    page.drop_files(&[("src/notes.txt", "", b"one\ntwo\nthree\n"), ("other.txt", "", b"x")]).await;
    stored(&page, "src/notes.txt", Some("one\ntwo\nthree\n")).await;
    page.choose(TARGET_SELECT, "engineer").await;
    page.fill(COMPOSER, "Look at #no").await;
    page.see(MENTION_LIST).await;
    page.press("Enter").await;
    page.see_text(COMPOSER, "Look at #src/notes.txt ").await;
    page.hidden(MENTION_LIST).await;
    page.see_text(ATTACHMENT, "src/notes.txt").await;
    page.fill(COMPOSER, "Look at #src/notes.txt please").await;
    page.click(SEND).await;
    page.see_text(answers_of("engineer"), "Seen.").await;
    let prompt = page.tab.question(0);
    assert!(prompt.contains("Look at #src/notes.txt please"), "{prompt}");
    assert!(prompt.contains("1\tone\n2\ttwo\n3\tthree"), "{prompt}");
    page.see_text(PASSAGE, "#src/notes.txt").await;
}

#[wasm_bindgen_test]
async fn referenced_lines_are_sent_and_shown_alone() {
    let page = page().await;
    page.drop_files(&[("src/notes.txt", "", b"one\ntwo\nthree\n")]).await;
    stored(&page, "src/notes.txt", Some("one\ntwo\nthree\n")).await;
    page.ask("engineer", "And #src/notes.txt:2-3?", "Seen.").await;
    let prompt = page.tab.question(0);
    assert!(prompt.contains("lines=\"2-3\" of=\"3\""), "{prompt}");
    let passage = prompt.split("<passage").nth(1).unwrap();
    assert!(passage.contains("2\ttwo") && !passage.contains("one"), "{prompt}");
    page.see_text(PASSAGE, "2-3 of 3 lines").await;
}

/// Prototype methods of files that a test replaced, restored when dropped.
struct FilePrototype;

impl FilePrototype {
    fn with(script_text: &str) -> Self {
        script(
            "window.file_size = Object.getOwnPropertyDescriptor(Blob.prototype, 'size');
            window.file_bytes = Blob.prototype.arrayBuffer",
        );
        script(script_text);
        Self
    }
}

impl Drop for FilePrototype {
    fn drop(&mut self) {
        script(
            "Object.defineProperty(Blob.prototype, 'size', window.file_size);
            Blob.prototype.arrayBuffer = window.file_bytes",
        );
    }
}

#[wasm_bindgen_test]
async fn a_single_dropped_file_is_opened() {
    let page = page().await;
    page.drop_files(&[("notes.txt", "text/plain", b"mine\n")]).await;
    page.see(FILE_TAB.with("data-file", "notes.txt").with("data-active", "true")).await;
    page.see_text(NOTICE, "notes.txt is open").await;
}

#[wasm_bindgen_test]
async fn many_dropped_files_are_opened_converted_attached_or_refused_with_a_reason() {
    const PNG: &[u8] = &[0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 0];
    let page = page().await;
    // A size that cannot be created here, and a file that changes while it is read.
    let _prototype = FilePrototype::with(
        "window.files_read = [];
        Object.defineProperty(Blob.prototype, 'size', { configurable: true, get() {
            return this.name === 'huge.log' ? 2 ** 31 : window.file_size.get.call(this);
        } });
        Blob.prototype.arrayBuffer = function () {
            window.files_read.push(this.name);
            return this.name === 'moving.txt' ? Promise.reject(new DOMException('it changed', 'NotReadableError'))
                : window.file_bytes.call(this);
        }",
    );
    page.drop_files(&[("notes.txt", "text/plain", b"mine\n")]).await;
    stored(&page, "notes.txt", Some("mine\n")).await;
    let body: &[u8] = b"<w:document><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:document>";
    let report = zip([("word/document.xml", body, None)]).unwrap();
    let many: &[(&str, &str, &[u8])] = &[
        ("a.txt", "text/plain", "grüße\r\n".as_bytes()),
        ("empty.txt", "text/plain", b""),
        ("tool.bin", "", &[0x7f, b'E', b'L', b'F', 0, 0]),
        ("Report.docx", "", &report),
        ("huge.log", "text/plain", b"x"),
        ("moving.txt", "text/plain", b"x"),
        ("notes.txt", "text/plain", b"theirs\n"),
        ("page.svg", "image/svg+xml", b"<svg/>"),
        ("broken.png", "image/png", b"<html>404"),
        ("photo.png", "image/png", PNG),
    ];
    page.drop_files(many).await;
    page.see_text(arrival("tool.bin", "refused"), "neither UTF-8 text").await;
    page.see_text(arrival("huge.log", "refused"), "larger than").await;
    page.see_text(arrival("moving.txt", "refused"), "changed").await;
    page.see(arrival("notes.txt", "taken")).await;
    // The image is sent with the message; what only has its name is not: providers reject it in each later request.
    page.see_text(NOTICE, "“broken.png” could not be read").await;
    page.see_count(IMAGE_CHIP, 1).await;
    for (name, text) in [
        ("a.txt", "grüße\r\n"),
        ("empty.txt", ""),
        ("page.svg", "<svg/>"),
        ("Report.md", "Hello\n"),
        ("notes.txt", "mine\n"),
    ] {
        stored(&page, name, Some(text)).await;
    }
    assert!(!script("window.files_read.includes('huge.log')").is_truthy(), "two gigabytes were read");
}

#[wasm_bindgen_test]
async fn a_dropped_file_of_a_name_in_use_is_kept_beside_or_replaces() {
    let page = page().await;
    page.drop_files(&[("notes.txt", "", b"mine\n"), ("a.txt", "", b"a\n")]).await;
    stored(&page, "a.txt", Some("a\n")).await;
    page.drop_files(&[("notes.txt", "", b"theirs\n")]).await;
    page.click(arrival("notes.txt", "taken").inner(ARRIVAL_BOTH)).await;
    stored(&page, "notes-2.txt", Some("theirs\n")).await;
    stored(&page, "notes.txt", Some("mine\n")).await;
    page.drop_files(&[("notes.txt", "", b"newer\n"), ("a.txt", "", b"a\n")]).await;
    page.see(arrival("a.txt", "same")).await;
    page.click(arrival("notes.txt", "taken").inner(ARRIVAL_REPLACE)).await;
    stored(&page, "notes.txt", Some("newer\n")).await;
    page.hidden(arrival("notes.txt", "taken")).await;
}

#[wasm_bindgen_test]
async fn a_picked_folder_is_read_without_its_generated_files_and_folds() {
    let page = page().await;
    page.click(FILE_ALL).await;
    page.see(FILES_PANEL).await;
    let files: &[(&str, &str, &[u8])] = &[
        ("app/src/main.js", "", b"go()\n"),
        ("app/src/ui/list.js", "", b"list()\n"),
        ("app/node_modules/left/pad.js", "", b"no\n"),
        ("app/logo.bin", "", b"\x00\x01"),
        ("app/dot.gif", "", b"GIF89a"),
    ];
    page.pick(FILE_PICK_FOLDER, files).await;
    page.see(row("app/src/ui/list.js")).await;
    page.see_text(ARRIVAL, "1 file of the folder was skipped").await;
    page.see(row("app/dot.gif")).await;
    page.see_count(FILE_ROW, 3).await;
    let folder = FILE_FOLDER.with("data-folder", "app/src");
    page.click(folder.clone()).await;
    page.hidden(row("app/src/main.js")).await;
    page.click(folder).await;
    page.see(row("app/src/main.js")).await;
}

#[wasm_bindgen_test]
async fn an_image_that_is_opened_in_the_files_is_a_file() {
    let page = page().await;
    page.click(FILE_ALL).await;
    page.see(FILES_PANEL).await;
    page.pick(FILE_PICK, &[("dot.gif", "image/gif", b"GIF89a")]).await;
    page.see(row("dot.gif")).await;
    page.see_count(IMAGE_CHIP, 0).await;
}

#[wasm_bindgen_test]
async fn a_file_belongs_to_the_session_that_was_in_view_at_the_drop() {
    let page = page().await;
    let _prototype = FilePrototype::with(
        "window.open_gate = null;
        Blob.prototype.arrayBuffer = async function () {
            if (this.name === 'slow.txt' && !window.open_gate)
                await new Promise((open) => { window.open_gate = open; });
            return window.file_bytes.call(this);
        }",
    );
    let file: &[(&str, &str, &[u8])] = &[("slow.txt", "text/plain", b"here\n")];
    page.drop_files(file).await;
    page.until("the file to be read", || script("window.open_gate").is_truthy()).await;
    page.click(SESSION_SWITCHER).await;
    page.click(SESSION_NEW).await;
    page.hidden(SESSION_LIST).await;
    let first = page.tab.session.to_string();
    let is_another = || page.attributes(SESSION_SWITCHER, "data-session") != [first.as_str()];
    page.until("the new session", is_another).await;
    page.drop_files(file).await;
    page.see(FILE_TAB.with("data-file", "slow.txt")).await;
    stored(&page, "slow.txt", None).await;
    script("window.open_gate()");
    stored(&page, "slow.txt", Some("here\n")).await;
    page.click(SESSION_SWITCHER).await;
    page.click(SESSION_OPEN.with("data-session", &first)).await;
    page.see(FILE_TAB.with("data-file", "slow.txt")).await;
}

#[wasm_bindgen_test]
async fn a_paste_of_5_mb_is_attached_and_survives_a_reload() {
    const LINE: &str = "0123456789 abcdefghij klmnopqrst\n";
    let page = MountedPage::open(|_, _| says("A lot of text.")).await;
    let is_left = page.paste(&LINE.repeat((5 << 20) / LINE.len())).await;
    assert!(!is_left, "the field takes all of it");
    page.see(ATTACHMENT).await;
    // The message refers to the file that holds it.
    assert_eq!(page.text(COMPOSER).await, "#pasted-1.txt ");
    page.ask("engineer", "#pasted-1.txt What is this?", "A lot of text.").await;
    assert!(page.tab.question(0).contains("What is this?"));
    let sent = page.tab.requests.borrow()[0].1.to_string().len();
    assert!(sent < 4_000_000, "all of it was sent: {sent} bytes");
    let page = page.reload(|_, _| says("never asked")).await;
    page.see_text(answers_of("engineer"), "A lot of text.").await;
}

#[wasm_bindgen_test]
async fn the_preview_of_another_session_s_equal_page_is_its_own() {
    let page = page().await;
    let first = page.session();
    let files: &[(&str, &str, &[u8])] = &[("index.html", "", b"<p>Harbour</p>")];
    page.drop_files(files).await;
    stored(&page, "index.html", Some("<p>Harbour</p>")).await;
    page.new_session().await;
    page.drop_files(files).await;
    page.see(FILE_TAB.with("data-file", "index.html")).await;
    page.click(FACE_PREVIEW).await;
    page.see(PREVIEW_FILE).await;
    page.open_session(&first).await;
    let previews = page.tab.running.handle.previews.clone();
    let session = page.tab.session;
    page.until("the report of the session in view", || previews.get(session).is_some()).await;
}

/// The folder's picker, which is answered by `pickFolder()`.
const PICKER: &str = "window.showDirectoryPicker = () => new Promise((done) => {
    window.pickFolder = async () => {
        const root = await navigator.storage.getDirectory();
        done(await root.getDirectoryHandle('picked', { create: true }));
    };
})";

#[wasm_bindgen_test]
async fn a_folder_that_is_picked_late_is_linked_to_the_session_that_asked() {
    script(PICKER);
    let page = page().await;
    let first = page.session();
    page.click(FILE_ALL).await;
    page.click(FOLDER_TIE).await;
    page.new_session().await;
    page.see(FOLDER_TIE).await;
    crate::script_promise("pickFolder().then(() => new Promise((done) => setTimeout(done, 100)))").await;
    page.settle().await;
    assert_eq!(page.count(FOLDER_LINKED), 0, "another session is linked");
    page.open_session(&first).await;
    page.see_text(FOLDER_LINKED, "picked").await;
    page.click(FOLDER_UNTIE).await;
    page.see(FOLDER_TIE).await;
}
