//! A browser window for flows: wait, read, click, type, tabs and frames.
//!
//! Never sleeps for a fixed time, and uses only what `selectors` lists. Elements are looked up for each call, since the
//! page may have replaced them. Storage, downloads and fault detection are in `page/`.

mod click;
mod clock;
mod downloads;
mod faults;
mod storage;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use thirtyfour::action_chain::ActionChain;
use thirtyfour::prelude::*;
use thirtyfour::{TypingData, WindowHandle};

use crate::browser::{Browser, Profile};
use crate::selectors::Selector;

/// Timeout of each wait.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(40);

/// Interval between two checks.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Dispatches `beforematch` for the first match, if it is in a collapsed part that reveals itself.
const REVEAL: &str = "document.querySelector(arguments[0])?.closest('[data-reveals]')
    ?.dispatchEvent(new Event('beforematch', { bubbles: true })) === 'told'";

/// Polls an expression in the page until it is true, because each driver call costs a dozen messages between
/// processes. Polls fast at first. Returns after four seconds, since the document may be replaced: true, or the last
/// exception of the expression.
const POLL_SCRIPT: &str =
    "const [given, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
    const is = function () { return Boolean(EXPRESSION); };
    const wait = window.__flowTimer ?? setTimeout;
    const end = performance.now() + 4000;
    const pauses = [5, 10, 20, 40];
    const look = () => {
        let seen = null;
        try { seen = is.apply(window, given); } catch (error) { seen = String(error); }
        if (seen === true || performance.now() > end) done(seen);
        else wait(look, pauses.shift() ?? 60);
    };
    look();";

/// Selects an option of the first matching list as a user does; true if the list has it.
const CHOOSE: &str =
    "const option = [...document.querySelectorAll(arguments[0])].flatMap(each => [...each.options])
        .find(each => each.value === arguments[1]);
    const list = option?.closest('select');
    if (!list?.checkVisibility() || list.disabled || option.disabled) return false;
    list.focus();
    if (list.value !== option.value) {
        list.value = option.value;
        for (const kind of ['input', 'change']) list.dispatchEvent(new Event(kind, { bubbles: true }));
    }
    return true;";

/// Focuses a plain text field and selects its content. Fields of the editor and its panels, which listen to keys, are
/// reported as `other`.
const SELECT: &str =
    "const field = [...document.querySelectorAll(arguments[0])].find(each => each.checkVisibility());
    if (!field || field.disabled || field.readOnly) return 'closed';
    if (!field.matches('textarea, input:is(:not([type]), [type=text], [type=search], [type=password])')
        || field.closest('.cm-editor')) return 'other';
    field.scrollIntoView({ block: 'nearest' });
    field.focus();
    field.select();
    if (document.activeElement !== field) return 'closed';
    return field.value === '' ? 'empty' : 'selected';";

/// A browser with one or more tabs, one of them current.
pub(crate) struct Page {
    driver: WebDriver,
    /// Faults of documents that were left.
    seen: Vec<faults::Fault>,
    console: Vec<String>,
    profile: Profile,
}

impl Page {
    pub(crate) async fn new(driver: WebDriver, profile: Profile) -> Result<Self> {
        driver.set_page_load_timeout(Duration::from_secs(30)).await?;
        driver.set_script_timeout(Duration::from_secs(90)).await?;
        let page = Self { driver, seen: Vec::new(), console: Vec::new(), profile };
        page.watch_tab().await?;
        Ok(page)
    }

    /// The browser's profile.
    pub(crate) fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Continues with another browser on the same profile, after this one was killed.
    pub(crate) async fn take_over(&mut self, driver: WebDriver) -> Result<()> {
        driver.set_page_load_timeout(Duration::from_secs(30)).await?;
        driver.set_script_timeout(Duration::from_secs(90)).await?;
        // Ending a session whose browser has exited would take the driver a minute.
        std::mem::replace(&mut self.driver, driver).leak()?;
        self.watch_tab().await
    }

    /// Ends the browser.
    pub(crate) async fn close(self) -> Result<()> {
        Ok(self.driver.quit().await?)
    }

    /// Clears the browser for the next flow: a new tab, and no storage of `blank`'s origin, permissions or downloads.
    /// `blank` is a page without scripts.
    pub(crate) async fn release(self, blank: &str) -> Result<Browser> {
        let Self { driver, profile, .. } = self;
        let old = driver.windows().await?;
        let fresh = driver.new_tab().await?;
        for tab in old {
            driver.switch_to_window(tab).await?;
            driver.close_window().await?;
        }
        driver.switch_to_window(fresh.clone()).await?;
        driver.goto(blank).await?;
        let protocol = driver.cdp();
        let origin = driver.current_url().await?.origin().ascii_serialization();
        let until = Instant::now() + TIMEOUT;
        let is_empty = "const done = arguments[0];
            indexedDB.databases().then(all => done(all.length === 0 && localStorage.length === 0));";
        loop {
            let all = json!({ "origin": origin, "storageTypes": "all" });
            protocol.send_raw("Storage.clearDataForOrigin", all).await?;
            if driver.execute_async(is_empty, Vec::new()).await?.json() == &Value::Bool(true) {
                break;
            }
            ensure!(Instant::now() < until, "the origin's storage was not cleared");
        }
        protocol.send_raw("Browser.resetPermissions", json!({})).await?;
        protocol.send_raw("Browser.setDownloadBehavior", json!({ "behavior": "default" })).await?;
        driver.browser_log().await?;
        profile.empty_downloads()?;
        Ok(Browser { driver, profile })
    }

    pub(crate) async fn goto(&mut self, url: &str) -> Result<()> {
        self.collect_faults().await?;
        self.driver.goto(url).await.with_context(|| format!("{url} did not load"))
    }

    pub(crate) async fn reload(&mut self) -> Result<()> {
        self.collect_faults().await?;
        Ok(self.driver.refresh().await?)
    }

    /// Path and query of the current URL.
    pub(crate) async fn address(&self) -> Result<String> {
        let url = self.driver.current_url().await?;
        Ok(url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path())))
    }

    /// Runs a function body in the page with these `arguments`.
    pub(crate) async fn eval(&self, script: &str, arguments: &[Value]) -> Result<Value> {
        let returned = self.driver.execute(script, arguments.to_vec()).await;
        Ok(returned.with_context(|| format!("in script: {script}"))?.json().clone())
    }

    /// As [`Page::eval`], for an async function body.
    pub(crate) async fn eval_async(&self, script: &str, arguments: &[Value]) -> Result<Value> {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             (async () => {{ {script} }})().then(
                 value => done({{ value: value === undefined ? null : value }}),
                 error => done({{ error: String(error) }}));"
        );
        let returned = self.driver.execute_async(script, arguments.to_vec()).await?;
        match returned.json().get("error").and_then(Value::as_str) {
            Some(error) => bail!("the script failed: {error}"),
            None => Ok(returned.json().get("value").cloned().unwrap_or_default()),
        }
    }

    /// Waits until an expression is true in the page, also across page loads.
    pub(crate) async fn wait_for(&self, what: &str, expression: &str, arguments: &[Value]) -> Result<()> {
        let script = POLL_SCRIPT.replace("EXPRESSION", expression);
        let until = Instant::now() + TIMEOUT;
        loop {
            let last = match self.driver.execute_async(script.as_str(), arguments.to_vec()).await {
                Ok(returned) if returned.json() == &Value::Bool(true) => return Ok(()),
                Ok(returned) => returned.json().as_str().map(str::to_owned),
                Err(error) => Some(error.to_string()),
            };
            if Instant::now() > until {
                let reason = last.map(|error| format!(" ({error})")).unwrap_or_default();
                bail!("timeout after {} s: {what}{reason}", TIMEOUT.as_secs());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until the selector matches a visible element. Reveals a collapsed section of the settings, as the
    /// browser's own search does.
    pub(crate) async fn see(&self, selector: impl Into<Selector>) -> Result<()> {
        let selector = selector.into();
        let seen = format!(
            "[...document.querySelectorAll(arguments[0])].some(each => each.checkVisibility()) || {REVEAL}"
        );
        self.wait_for(&format!("{selector} to show"), &seen, &[json!(selector.as_str())]).await
    }

    /// Waits until no match is visible.
    pub(crate) async fn hidden(&self, selector: impl Into<Selector>) -> Result<()> {
        let selector = selector.into();
        let is_hidden = "[...document.querySelectorAll(arguments[0])].every(each => !each.checkVisibility())";
        self.wait_for(&format!("{selector} to be hidden"), is_hidden, &[json!(selector.as_str())]).await
    }

    /// Waits until the number of matches is `count`.
    pub(crate) async fn see_count(&self, selector: impl Into<Selector>, count: usize) -> Result<()> {
        let selector = selector.into();
        let what = format!("{count} of {selector}");
        let is_count = "document.querySelectorAll(arguments[0]).length === arguments[1]";
        self.wait_for(&what, is_count, &[json!(selector.as_str()), json!(count)]).await
    }

    /// Waits until a match contains this text: in its value if it is a field, else in its content.
    pub(crate) async fn see_text(&self, selector: impl Into<Selector>, words: &str) -> Result<()> {
        let selector = selector.into();
        let what = format!("{words:?} in {selector}");
        let holds = "[...document.querySelectorAll(arguments[0])]
            .some(each => (typeof each.value === 'string' && !each.matches('button') ? each.value : each.textContent).includes(arguments[1]))";
        self.wait_for(&what, holds, &[json!(selector.as_str()), json!(words)]).await
    }

    /// Texts (of fields: values) of all matches in document order. Does not wait.
    pub(crate) async fn texts(&self, selector: impl Into<Selector>) -> Result<Vec<String>> {
        let selector = selector.into();
        let script = "return [...document.querySelectorAll(arguments[0])]
            .map(each => typeof each.value === 'string' ? each.value : each.textContent)";
        Ok(serde_json::from_value(self.eval(script, &[json!(selector.as_str())]).await?)?)
    }

    /// Waits for a match and returns the text of the first one.
    pub(crate) async fn text(&self, selector: impl Into<Selector>) -> Result<String> {
        let selector = selector.into();
        let exists = "document.querySelector(arguments[0])";
        self.wait_for(&format!("{selector}"), exists, &[json!(selector.as_str())]).await?;
        self.texts(selector.clone())
            .await?
            .into_iter()
            .next()
            .with_context(|| format!("{selector} was removed"))
    }

    /// Values of an attribute of all matches that have it, in document order. Does not wait.
    pub(crate) async fn attributes(&self, selector: impl Into<Selector>, name: &str) -> Result<Vec<String>> {
        let script = "return [...document.querySelectorAll(arguments[0])]
            .map(each => each.getAttribute(arguments[1])).filter(each => each !== null)";
        let found = self.eval(script, &[json!(selector.into().as_str()), json!(name)]).await?;
        Ok(serde_json::from_value(found)?)
    }

    /// Number of matches. Does not wait.
    pub(crate) async fn count(&self, selector: impl Into<Selector>) -> Result<usize> {
        Ok(self.texts(selector).await?.len())
    }

    /// The visible text of the page.
    pub(crate) async fn visible_text(&self) -> Result<String> {
        let text = self.eval("return document.body?.innerText ?? ''", &[]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Disconnects the page from the network, or reconnects it.
    pub(crate) async fn go_offline(&self, is_offline: bool) -> Result<()> {
        let conditions =
            json!({ "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.driver.cdp().send_raw("Network.enable", json!({})).await?;
        self.driver.cdp().send_raw("Network.emulateNetworkConditions", conditions).await?;
        Ok(())
    }

    /// Enables or disables scripts of documents. Scripts of the driver still run.
    pub(crate) async fn allow_scripts(&self, may: bool) -> Result<()> {
        let parameters = json!({ "value": !may });
        self.driver.cdp().send_raw("Emulation.setScriptExecutionDisabled", parameters).await?;
        Ok(())
    }

    /// Types into a field, after its content.
    pub(crate) async fn type_into(&self, selector: impl Into<Selector>, text: &str) -> Result<()> {
        let selector = selector.into();
        self.act(&selector, "type into", async |element| element.send_keys(text).await).await
    }

    /// Replaces the content of a field as by select-all and typing. Plain text fields get the whole text at once: the
    /// driver needs a dozen messages between processes for each key.
    pub(crate) async fn fill(&self, selector: impl Into<Selector>, text: &str) -> Result<()> {
        let selector = selector.into();
        self.see(selector.clone()).await?;
        let ready = self.eval(SELECT, &[json!(selector.as_str())]).await?;
        if ready == "selected" || (ready == "empty" && !text.is_empty()) {
            if text.is_empty() {
                self.press(Key::Delete).await?;
            } else {
                self.protocol("Input.insertText", json!({ "text": text })).await?;
            }
            return Ok(());
        }
        let act = async |element: WebElement| {
            element.send_keys(Key::Control + "a").await?;
            let typed = if text.is_empty() { TypingData::from(Key::Delete) } else { text.into() };
            element.send_keys(typed).await
        };
        self.act(&selector, "fill", act).await
    }

    /// Sets the value of a field with an input event, for characters that cannot be typed.
    pub(crate) async fn set_text(&self, selector: impl Into<Selector>, text: &str) -> Result<()> {
        let selector = selector.into();
        self.see(selector.clone()).await?;
        let script = "const field = document.querySelector(arguments[0]);
            field.focus();
            field.value = arguments[1];
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));";
        self.eval(script, &[json!(selector.as_str()), json!(text)]).await.map(drop)
    }

    /// Grants or denies access to the clipboard.
    pub(crate) async fn allow_clipboard(&self, may: bool) -> Result<()> {
        let setting = if may { "granted" } else { "denied" };
        for name in ["clipboard-read", "clipboard-write"] {
            let parameters = json!({ "permission": { "name": name }, "setting": setting });
            self.driver.cdp().send_raw("Browser.setPermission", parameters).await?;
        }
        Ok(())
    }

    /// Selects the option with this value, and waits until the list shows it.
    pub(crate) async fn choose(&self, selector: impl Into<Selector>, value: &str) -> Result<()> {
        let selector = selector.into();
        self.select(selector.clone(), value).await?;
        self.see_text(selector, value).await
    }

    /// Selects the option with this value, in a list that may be reset at once.
    pub(crate) async fn select(&self, selector: impl Into<Selector>, value: &str) -> Result<()> {
        let selector = selector.into();
        let chosen = format!("(function () {{ {CHOOSE} }}).apply(this, arguments) || {REVEAL}");
        let what = format!("option {value:?} of {selector}");
        self.wait_for(&what, &chosen, &[json!(selector.as_str()), json!(value)]).await
    }

    /// Pastes a text: a `paste` event, and the insertion unless the page handled the event.
    pub(crate) async fn paste(&self, selector: impl Into<Selector>, text: &str) -> Result<()> {
        let selector = selector.into();
        self.see(selector.clone()).await?;
        let script = "const field = document.querySelector(arguments[0]);
            field.focus();
            const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', arguments[1]);
            const event = new ClipboardEvent('paste',
                { clipboardData, bubbles: true, cancelable: true, composed: true });
            if (field.dispatchEvent(event)) {
                document.execCommand('insertText', false, arguments[1]);
            }";
        self.eval(script, &[json!(selector.as_str()), json!(text)]).await.map(drop)
    }

    /// A chain of input events. By default, each would take a quarter of a second.
    fn actions(&self) -> ActionChain {
        self.driver.action_chain_with_delay(Some(Duration::ZERO), Some(Duration::ZERO))
    }

    /// Sends keys to the focused element, as from a keyboard. Modifiers are held until the last key.
    pub(crate) async fn press(&self, keys: impl Into<TypingData>) -> Result<()> {
        let is_modifier =
            |key: &char| [Key::Control, Key::Shift, Key::Alt].iter().any(|one| one.value() == *key);
        let (held, keys): (Vec<char>, Vec<char>) = keys.into().as_vec().into_iter().partition(is_modifier);
        let mut chain = self.actions();
        for key in &held {
            chain = chain.key_down(*key);
        }
        for key in keys {
            chain = chain.key_down(key).key_up(key);
        }
        for key in held.into_iter().rev() {
            chain = chain.key_up(key);
        }
        Ok(chain.perform().await?)
    }

    /// Waits until the element with this `data-testid` has focus: a closing dialog restores focus a frame later.
    pub(crate) async fn has_focus(&self, id: &str) -> Result<()> {
        let script = "document.activeElement?.dataset.testid === arguments[0]";
        match self.wait_for(&format!("the focus to be at {id}"), script, &[json!(id)]).await {
            Ok(()) => Ok(()),
            Err(error) => bail!("{error}; it is at {:?}", self.focused().await?),
        }
    }

    /// The `data-testid` of the focused element; empty if it has none.
    pub(crate) async fn focused(&self) -> Result<String> {
        let id = self.eval("return document.activeElement?.dataset.testid ?? ''", &[]).await?;
        Ok(id.as_str().unwrap_or_default().to_owned())
    }

    /// Acts on the first visible match, and retries until it succeeds.
    async fn act(
        &self,
        selector: &Selector,
        what: &str,
        act: impl AsyncFn(WebElement) -> WebDriverResult<()>,
    ) -> Result<()> {
        let script = "return [...document.querySelectorAll(arguments[0])]
            .find(each => each.checkVisibility()) ?? null";
        let until = Instant::now() + TIMEOUT;
        loop {
            let found = self.driver.execute(script, vec![json!(selector.as_str())]).await;
            let error = match found.and_then(|found| found.element()) {
                Ok(element) => match act(element).await {
                    Ok(()) => return Ok(()),
                    Err(error) => error.to_string(),
                },
                Err(_) => "not found".to_owned(),
            };
            if Instant::now() > until {
                bail!("could not {what} {selector}: {error}");
            }
            self.scroll_to(selector).await;
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Reveals the first match and scrolls it to the centre, as a user would: a sticky element may cover it.
    async fn scroll_to(&self, selector: &Selector) {
        drop(self.eval(REVEAL, &[json!(selector.as_str())]).await);
        let scroll = "[...document.querySelectorAll(arguments[0])]
            .find(each => each.checkVisibility())?.scrollIntoView({ block: 'center' })";
        drop(self.eval(scroll, &[json!(selector.as_str())]).await);
    }

    /// Opens another tab with this URL and makes it current.
    pub(crate) async fn open_tab(&mut self, url: &str) -> Result<WindowHandle> {
        let tab = self.driver.new_tab().await?;
        self.switch_to(&tab).await?;
        self.watch_tab().await?;
        self.goto(url).await?;
        Ok(tab)
    }

    /// Closes the current tab and switches to another.
    pub(crate) async fn close_tab(&mut self, next: &WindowHandle) -> Result<()> {
        self.collect_faults().await?;
        self.driver.close_window().await?;
        self.switch_to(next).await
    }

    /// The current tab.
    pub(crate) async fn tab(&self) -> Result<WindowHandle> {
        Ok(self.driver.window().await?)
    }

    /// Switches to a tab.
    pub(crate) async fn switch_to(&self, tab: &WindowHandle) -> Result<()> {
        Ok(self.driver.switch_to_window(tab.clone()).await?)
    }

    /// Enters a frame; further calls act inside it.
    pub(crate) async fn enter_frame(&self, css: &str) -> Result<()> {
        Ok(self.driver.find(By::Css(css)).await?.enter_frame().await?)
    }

    /// Leaves the frame.
    pub(crate) async fn leave_frame(&self) -> Result<()> {
        Ok(self.driver.enter_default_frame().await?)
    }

    /// Crashes the renderer of the current tab and switches to a new, empty tab: the driver cannot use a crashed one.
    pub(crate) async fn crash_renderer(&mut self) -> Result<()> {
        let doomed = self.tab().await?;
        let spare = self.driver.new_tab().await?;
        self.switch_to(&doomed).await?;
        let protocol = self.driver.cdp();
        let crash = protocol.send_raw("Page.crash", json!({}));
        // The renderer that would respond has exited.
        drop(tokio::time::timeout(Duration::from_secs(3), crash).await);
        self.switch_to(&spare).await?;
        self.watch_tab().await
    }

    /// Freezes or resumes the current tab: `frozen` or `active`.
    pub(crate) async fn lifecycle(&self, state: &str) -> Result<()> {
        self.driver.cdp().send_raw("Page.setWebLifecycleState", json!({ "state": state })).await?;
        Ok(())
    }

    /// Sets the exact size of the page in CSS pixels.
    pub(crate) async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", size).await?;
        Ok(())
    }

    /// Blocks URLs that contain one of these strings; none unblocks all.
    pub(crate) async fn block(&self, words: &[&str]) -> Result<()> {
        let protocol = self.driver.cdp();
        let patterns: Vec<_> = words.iter().map(|word| format!("*{word}*")).collect();
        protocol.send_raw("Network.enable", json!({})).await?;
        protocol.send_raw("Network.setBlockedURLs", json!({ "urls": patterns })).await?;
        Ok(())
    }

    /// Drops files and folders from disk on the page.
    pub(crate) async fn drop_paths(&self, paths: &[&Path]) -> Result<()> {
        let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        let data = json!({ "items": [], "files": paths, "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = json!({ "type": kind, "x": 400, "y": 300, "data": data });
            self.driver.cdp().send_raw("Input.dispatchDragEvent", event).await?;
        }
        Ok(())
    }

    /// Sends a command of the DevTools protocol and returns the result.
    pub(crate) async fn protocol(&self, command: &str, parameters: Value) -> Result<Value> {
        let answer = self.driver.cdp().send_raw(command, parameters).await;
        answer.with_context(|| format!("{command} failed"))
    }

    pub(crate) async fn screenshot(&self, file: &Path) -> Result<()> {
        Ok(self.driver.screenshot(file).await?)
    }
}
