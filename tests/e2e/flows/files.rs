//! Flow for files and folders dropped from disk.
//!
//! `folder_sync` covers the folder on disk.

use std::fs;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::selectors::*;

/// Drops files onto the editor, or onto the page without one: name, media type, and bytes of each.
pub(crate) async fn drop_files(page: &Page, files: &[(&str, &str, &[u8])]) -> Result<()> {
    let files: Vec<Value> = files.iter().map(|(name, mime, bytes)| json!([name, mime, bytes])).collect();
    let script = "const data = new DataTransfer();
        for (const [name, type, bytes] of arguments[0])
            data.items.add(new File([new Uint8Array(bytes)], name, { type }));
        const options = { dataTransfer: data, bubbles: true, cancelable: true };
        const over = new DragEvent('dragover', options), drop = new DragEvent('drop', options);
        const target = document.querySelector('.cm-content') ?? document.body;
        target.dispatchEvent(over);
        target.dispatchEvent(drop);
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

/// A folder dropped from disk: the page says how to open its files, and other dropped files open and survive a reload.
pub(crate) async fn files(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let page = &fixture.page;
    let disk = page.profile().downloads().join("to drop");
    fs::create_dir_all(disk.join("app"))?;
    fs::write(disk.join("app/inside.txt"), "inside\n")?;
    fs::write(disk.join("beside.txt"), "beside\n")?;
    page.drop_paths(&[&disk.join("app"), &disk.join("beside.txt")]).await?;
    let refused = ARRIVAL.with("data-file", "app").with("data-kind", "refused");
    page.see_text(refused.clone(), "is a folder").await?;
    page.see_text(refused, "drop the files in it").await?;
    stored(page, "beside.txt", Some("beside\n")).await?;
    page.drop_paths(&[&disk.join("app/inside.txt")]).await?;
    stored(page, "inside.txt", Some("inside\n")).await?;
    ensure!(page.eval("return location.pathname", &[]).await? == "/", "the browser opened the folder");
    fixture.page.reload().await?;
    fixture.page.see(FILE_TAB.with("data-file", "inside.txt")).await
}
