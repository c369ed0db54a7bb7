//! Never holds a key: of keys only whether there is one.
//!
//! Owns what the settings say, and the providers.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use crate::domain::id::ProviderId;
use crate::domain::provider::Provider;
use crate::domain::sorted::SortedMap;
use crate::ui::view_state::rows::Rows;

/// The settings by name.
#[derive(Clone, Copy)]
pub struct Settings(pub(super) RwSignal<SortedMap<String, Arc<Value>>>);

impl Settings {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(SortedMap::new()))
    }

    /// What a setting says.
    pub fn value(&self, name: &'static str) -> Signal<Option<Arc<Value>>> {
        let all = self.0;
        Memo::new(move |_| all.with(|all| all.get(name).cloned())).into()
    }

    /// What a setting says, as text; empty where it says none.
    pub fn text(&self, name: &'static str) -> Signal<String> {
        let all = self.0;
        let read = move |all: &SortedMap<String, Arc<Value>>| {
            all.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        Memo::new(move |_| all.with(read)).into()
    }

    /// Whether a setting is on; off where it says nothing.
    pub fn is_on(&self, name: &'static str) -> Signal<bool> {
        let all = self.0;
        let read = move |all: &SortedMap<String, Arc<Value>>| {
            all.get(name).and_then(|value| value.as_bool()).unwrap_or_default()
        };
        Memo::new(move |_| all.with(read)).into()
    }
}

/// What the settings show of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderRow {
    /// The definition.
    pub provider: Arc<Provider>,
    /// Whether a usable key is in this tab.
    pub has_key: bool,
}

/// The providers that are set up.
#[derive(Clone, Copy)]
pub struct Providers(pub(super) Rows<ProviderId, ProviderRow>);

impl Providers {
    pub(super) fn new() -> Self {
        Self(Rows::new())
    }

    /// Their ids.
    pub fn order(&self) -> Signal<Vec<ProviderId>> {
        self.0.order()
    }

    /// The row of a provider.
    pub fn row(&self, id: &ProviderId) -> Option<Signal<ProviderRow>> {
        self.0.row(id)
    }

    /// The row of a provider as it is now, for handlers.
    pub fn get_untracked(&self, id: &ProviderId) -> Option<ProviderRow> {
        self.0.get_untracked(id)
    }

    /// Takes in that a key was put or forgotten.
    pub(in crate::ui) fn note_key(&self, id: &ProviderId, has_key: bool) {
        self.0.change(id, |row| row.has_key = has_key);
    }
}
