//! Slice of settings and providers. Of API keys it has only their state.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;

use crate::ui::view_state::rows::{KeyedRows, set_if_new};
use nexus_engine::keys::{KeyRing, KeyState};
use nexus_engine::port::VaultUnavailable;
use nexus_model::id::ProviderId;
use nexus_model::provider::{ModelList, Provider};
use nexus_model::settings::{Setting, SettingKind};
use nexus_text::vec_map::VecMap;

/// The settings by name.
#[derive(Clone, Copy)]
pub struct Settings(pub(super) RwSignal<VecMap<String, Arc<Value>>>);

impl Settings {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(VecMap::new()))
    }

    /// The value of a setting; its default where none is kept that can be read.
    pub fn get<K>(&self, setting: Setting<K>) -> Signal<K::Value>
    where
        K: SettingKind + Send + Sync + 'static,
        K::Value: Clone + PartialEq + Send + Sync + 'static,
    {
        let this = *self;
        Memo::new(move |_| this.0.with(|all| setting.read(all.get(setting.name()).map(AsRef::as_ref)))).into()
    }

    /// The same as it is now, for handlers.
    pub fn get_untracked<K: SettingKind>(&self, setting: Setting<K>) -> K::Value {
        self.0.with_untracked(|all| setting.read(all.get(setting.name()).map(AsRef::as_ref)))
    }

    /// What is kept of a setting, as it was stored.
    pub fn value<K>(&self, setting: Setting<K>) -> Signal<Option<Arc<Value>>> {
        let (all, name) = (self.0, setting.name());
        Memo::new(move |_| all.with(|all| all.get(name).cloned())).into()
    }

    /// What is kept of a setting as text; empty where that is none.
    pub fn text<K>(&self, setting: Setting<K>) -> Signal<String> {
        let (all, name) = (self.0, setting.name());
        let read = move |all: &VecMap<String, Arc<Value>>| {
            all.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        Memo::new(move |_| all.with(read)).into()
    }
}

/// What the settings show of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderRow {
    pub provider: Arc<Provider>,
    pub key: KeyState,
    /// The models that it told of.
    pub models: Option<Arc<ModelList>>,
}

/// The providers that are set up.
#[derive(Clone, Copy)]
pub struct Providers {
    pub(super) rows: KeyedRows<ProviderId, ProviderRow>,
    /// Whose key is wanted by a call that waits for the passphrase.
    wanted: RwSignal<Option<ProviderId>>,
    /// Why no key can be kept under a passphrase.
    hindrance: RwSignal<Option<VaultUnavailable>>,
    /// Whether the keys that the device keeps were read.
    restored: RwSignal<bool>,
}

impl Providers {
    pub(super) fn new() -> Self {
        Self {
            rows: KeyedRows::new(),
            wanted: RwSignal::new(None),
            hindrance: RwSignal::new(None),
            restored: RwSignal::new(false),
        }
    }

    pub fn order(&self) -> Signal<Vec<ProviderId>> {
        self.rows.order()
    }

    pub fn row(&self, id: &ProviderId) -> Option<Signal<ProviderRow>> {
        self.rows.row(id)
    }

    /// The row of a provider as it is now, for handlers.
    pub fn get_untracked(&self, id: &ProviderId) -> Option<ProviderRow> {
        self.rows.get_untracked(id)
    }

    /// Every provider as it is now, for handlers.
    pub fn all_untracked(&self) -> Vec<Arc<Provider>> {
        let ids = self.order().get_untracked();
        ids.iter().filter_map(|id| self.get_untracked(id)).map(|row| row.provider).collect()
    }

    /// Whether a provider's row fulfils a condition. Tracks them all.
    pub fn any(&self, is_so: impl Fn(&ProviderRow) -> bool) -> bool {
        self.order().get().iter().filter_map(|id| self.row(id)).any(|row| row.with(&is_so))
    }

    /// Whose key is wanted by a call that waits for the passphrase.
    pub fn wanted(&self) -> Signal<Option<ProviderId>> {
        self.wanted.into()
    }

    /// Why no key can be kept under a passphrase; `None` where they can.
    pub fn hindrance(&self) -> Signal<Option<VaultUnavailable>> {
        self.hindrance.into()
    }

    /// Takes in that a call waits for a provider's key.
    pub(super) fn want(&self, provider: ProviderId) {
        self.wanted.set(Some(provider));
    }

    /// Whether the keys that the device keeps were read, so that one that is not here is missing.
    pub fn restored(&self) -> Signal<bool> {
        self.restored.into()
    }

    /// Takes in what the key ring says of itself.
    pub(super) fn note_ring(&self, keys: &KeyRing) {
        set_if_new(&self.hindrance, keys.hindrance());
        set_if_new(&self.restored, keys.is_restored());
    }

    /// Takes in that nobody waits for the passphrase any more.
    pub(crate) fn note_decided(&self) {
        self.wanted.set(None);
    }

    /// Takes in that a key was put or forgotten.
    pub(crate) fn note_key(&self, id: &ProviderId, key: KeyState) {
        self.rows.change(id, |row| row.key = key);
    }
}
