//! Common steps in the mounted page: sessions, turns, and the focus.

use leptos::prelude::document;
use leptos::web_sys::{Element, HtmlElement};
use nexus_engine::tests::says;
use serde_json::Value;
use wasm_bindgen::JsCast as _;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, writes};

impl MountedPage {
    /// Id of the session in view.
    pub(crate) fn session(&self) -> String {
        self.attributes(SESSION_SWITCHER, "data-session").pop().unwrap_or_default()
    }

    /// Creates a session from the list, and waits until it is shown and empty.
    pub(crate) async fn new_session(&self) {
        let before = self.session();
        self.click(SESSION_SWITCHER).await;
        self.click(SESSION_NEW).await;
        self.hidden(SESSION_LIST).await;
        self.until("the new session", || self.session() != before).await;
        self.see_count(MESSAGE, 0).await;
    }

    pub(crate) async fn open_session(&self, session: &str) {
        self.click(SESSION_SWITCHER).await;
        self.click(SESSION_OPEN.with("data-session", session)).await;
        self.hidden(SESSION_LIST).await;
        self.see(SESSION_SWITCHER.with("data-session", session)).await;
    }

    /// Opens the turn menu of the first message with this text.
    pub(crate) async fn open_turn_menu(&self, words: &str) {
        self.see_text(MESSAGE, words).await;
        let at = self.texts(MESSAGE).iter().position(|text| text.contains(words)).unwrap();
        let button = self.all(MESSAGE)[at].query_selector(Selector::from(TURN_ACTIONS).as_str()).unwrap();
        let button: HtmlElement = button.unwrap().unchecked_into();
        button.focus().unwrap();
        button.click();
        self.see(TURN_MENU).await;
    }

    /// Waits until no match has this text.
    pub(crate) async fn lacks(&self, selector: impl Into<Selector>, words: &str) {
        let selector = selector.into();
        let is_gone = || !self.texts(selector.clone()).iter().any(|text| text.contains(words));
        self.until(&format!("no {words:?} in {selector}"), is_gone).await;
    }

    /// Focuses the first visible match.
    pub(crate) async fn focus(&self, selector: impl Into<Selector>) {
        self.see(selector).await.focus().unwrap();
        self.settle().await;
    }

    /// Focuses the first visible match, which Tab can reach.
    pub(crate) async fn reach(&self, selector: impl Into<Selector>) {
        let selector = selector.into();
        let element = self.see(selector.clone()).await;
        assert!(element.tab_index() >= 0, "Tab skips {selector}");
        element.focus().unwrap();
        let focused = document().active_element();
        assert!(
            focused.is_some_and(|it| it == *element.unchecked_ref::<Element>()),
            "{selector} takes no focus"
        );
    }

    /// Opens the tree, and waits until it is read.
    pub(crate) async fn open_tree(&self) {
        self.click(OPEN_TREE).await;
        self.see(TREE.with("data-done", "true")).await;
    }

    /// Lets time pass until a match has this text.
    pub(crate) async fn see_text_in_time(&self, selector: impl Into<Selector>, words: &str) {
        let selector = selector.into();
        let is_there = || {
            self.tab.pass(20);
            self.texts(selector.clone()).iter().any(|text| text.contains(words))
        };
        self.until(&format!("{words:?} in {selector}"), is_there).await;
    }

    /// Events of this kind in the log of the first session, as JSON.
    pub(crate) fn logged(&self, kind: &str) -> Vec<Value> {
        let events = self.tab.events().into_iter().map(|event| serde_json::to_value(event).unwrap());
        events.filter(|event| event["kind"] == kind).collect()
    }

    /// The session that this page opens after a reload.
    pub(crate) fn open_next(&mut self, session: &str) {
        let id = self.tab.world().sessions.keys().find(|id| id.to_string() == session).copied();
        self.tab.session = id.unwrap();
    }

    /// The Engineer writes this text into a file, and answers.
    pub(crate) async fn engineer_writes(&self, replies: &Replies, file: (&str, &str), words: [&str; 2]) {
        replies.queue("Engineer", writes(file.0, file.1));
        replies.queue("Engineer", says(words[1]));
        self.ask("engineer", words[0], words[1]).await;
    }
}
