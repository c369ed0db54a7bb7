//! Settings and providers. Of API keys only their state.

use serde_json::Value;

use crate::ui::kit::base::*;
use crate::ui::view_state::world_reader::{KeyedRows, OrderedRows, WorldReader};
use nexus_engine::keys::{KeyRing, KeyState};
use nexus_engine::port::VaultUnavailable;
use nexus_model::id::ProviderId;
use nexus_model::provider::{ModelList, Provider, ProviderError, ProviderErrorKind};
use nexus_model::settings::{Setting, SettingKind};
use nexus_model::world::{World, WorldParts};
use nexus_text::json;
use nexus_view::strings;

#[derive(Clone, Copy)]
pub struct Settings(WorldReader);

impl Settings {
    pub(crate) fn new(world: WorldReader) -> Self {
        Self(world)
    }

    /// The value of a setting; its default if none valid is stored.
    pub fn get<K>(&self, setting: Setting<K>) -> Selector<K::Value>
    where
        K: SettingKind + Send + Sync + 'static,
        K::Value: Clone + PartialEq + Send + Sync + 'static,
    {
        self.0.select(WorldParts::SETTINGS, move |world| setting.read(world.stored(setting)))
    }

    pub fn get_untracked<K: SettingKind>(&self, setting: Setting<K>) -> K::Value {
        self.0.with_untracked(|world| setting.read(world.stored(setting)))
    }

    pub fn value<K>(&self, setting: Setting<K>) -> Selector<Option<Arc<Value>>> {
        let name = setting.name();
        self.0.select(WorldParts::SETTINGS, move |world| world.settings.get(name).cloned())
    }

    /// The stored value of a setting as text; empty if it is not a string.
    pub fn text<K>(&self, setting: Setting<K>) -> Selector<String> {
        let name = setting.name();
        self.0.select(WorldParts::SETTINGS, move |world| {
            let value = world.settings.get(name).and_then(|value| value.as_str());
            value.unwrap_or_default().to_owned()
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ProviderRow {
    pub provider: Arc<Provider>,
    pub key: KeyState,
    /// The models that the provider listed, as stored: reading them is code of later screens.
    pub listed: Option<Arc<Value>>,
}

impl ProviderRow {
    pub fn models(&self) -> Option<ModelList> {
        json::from_tree(self.listed.as_deref()?).ok()
    }
}

#[derive(Clone, Copy)]
pub struct Providers {
    world: WorldReader,
    pub rows: KeyedRows<ProviderId, ProviderRow>,
    /// The provider whose key a call waits for.
    pub wanted: RwSignal<Option<ProviderId>>,
    /// Why no key can be stored under a passphrase; `None` if it can.
    pub unavailable: Selector<Option<VaultUnavailable>>,
    /// True once stored keys were read, so that an absent key is missing.
    pub restored: Selector<bool>,
}

impl Providers {
    /// True if no key was sent, because none is stored and the provider is set to need none. Not reactive.
    pub fn is_keyless(self, id: &ProviderId, failure: &ProviderError) -> bool {
        let is_keyless = |row: ProviderRow| !row.provider.needs_key && row.key == KeyState::Missing;
        failure.category == ProviderErrorKind::Authentication
            && self.rows.get_untracked(id).is_some_and(is_keyless)
    }

    /// The state of a provider's key; `None` if there is no such provider.
    pub fn key_state(self, id: ProviderId) -> Selector<Option<KeyState>> {
        self.rows.map(move |rows| rows.get(&id).map(|row| row.key))
    }

    /// A provider's label; its id if there is no such provider.
    pub fn label_untracked(&self, id: &ProviderId) -> String {
        self.rows.get_untracked(id).map_or_else(|| id.0.clone(), |row| row.provider.label.clone())
    }

    /// The notice of a failed call. Not reactive.
    pub fn failure_notice(self, id: &ProviderId, failure: &ProviderError, model: &str) -> strings::Notice {
        let provider = self.label_untracked(id);
        if self.is_keyless(id, failure) {
            return strings::key_required(&provider);
        }
        let address = self.rows.get_untracked(id).map(|row| row.provider.base_url.clone());
        strings::failure(failure, &provider, &address.unwrap_or_default(), model)
    }

    pub(crate) fn new(world: WorldReader, keys: &KeyRing) -> Self {
        let (all, unavailable_ring, ring) = (keys.clone(), keys.clone(), keys.clone());
        let parts = WorldParts::ROSTER.and(WorldParts::SETTINGS);
        Self {
            world,
            rows: KeyedRows::of(world.select(parts, move |world| Arc::new(rows(world, &all)))),
            wanted: RwSignal::new(None),
            unavailable: world.select(WorldParts::ROSTER, move |_| unavailable_ring.unavailable()),
            restored: world.select(WorldParts::ROSTER, move |_| ring.is_restored()),
        }
    }

    /// Reactive.
    pub fn all(&self) -> Vec<Arc<Provider>> {
        self.rows.with(|rows| rows.iter().map(|row| Arc::clone(&row.provider)).collect())
    }

    pub fn all_untracked(&self) -> Vec<Arc<Provider>> {
        untrack(|| self.all())
    }

    /// Ids and labels of the providers. Reactive.
    pub fn labels(&self) -> Vec<(String, String)> {
        self.all().iter().map(|provider| (provider.id.0.clone(), provider.label.clone())).collect()
    }

    /// True if a provider's row fulfils a condition. Reactive to all rows.
    pub fn any(&self, condition: impl Fn(&ProviderRow) -> bool) -> bool {
        self.rows.with(|rows| rows.iter().any(condition))
    }

    /// A key was put or removed.
    pub fn note_keys(&self) {
        self.world.changed(WorldParts::ROSTER);
    }
}

fn rows(world: &World, keys: &KeyRing) -> OrderedRows<ProviderId, ProviderRow> {
    let rows = world.providers.keys().filter_map(|id| world.live_provider(id)).map(|provider| {
        let listed = world.setting(&ModelList::setting(&provider.id)).filter(|listed| !listed.is_null());
        let row = ProviderRow {
            provider: Arc::new(provider.clone()),
            key: keys.state(provider),
            listed: listed.cloned(),
        };
        (provider.id.clone(), row)
    });
    rows.collect()
}
