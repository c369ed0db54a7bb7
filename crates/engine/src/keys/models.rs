//! Lists a provider's models and checks whether it accepts a key.

use crate::keys::ModelQuery;
use crate::keys::service::{KeyService, ModelsFuture};
use crate::port::HttpError;
use crate::prelude::*;
use nexus_model::limits::{MODELS_BYTES, MODELS_FRESH_MS, MODELS_TIMEOUT_MS};
use nexus_model::provider::{KeyCheck, ListedModels, ModelInfo, ModelList};
use nexus_providers::codec::Codec;
use nexus_providers::http::{Endpoint, HttpRequest, KeyProbe, Secret};
use nexus_text::shorten::counted;

impl KeyService {
    /// Lists a provider's models. Loaded with the model calls.
    pub(crate) fn list(self, query: ModelQuery) -> ModelsFuture {
        Box::pin(async move {
            match query {
                ModelQuery::Known { provider, checks_key } => self.models(provider, checks_key).await,
                ModelQuery::Unknown(provider) => self.models_at(&provider, None, false).await,
            }
        })
    }

    pub(super) async fn models(
        &self,
        id: ProviderId,
        checks_key: bool,
    ) -> Result<ListedModels, ProviderError> {
        let missing = |what: &str| ProviderError::new(ProviderErrorKind::NotSetUp, what);
        let provider = self.engine.world.borrow().live_provider(&id).cloned();
        let provider = provider.ok_or_else(|| missing("The provider is not set up on this device."))?;
        let key = self.keys().key(&provider);
        let listed = self.models_at(&provider, key, checks_key).await?;
        self.store_models(&id, &listed.models, self.engine.now()).await;
        Ok(listed)
    }

    async fn models_at(
        &self,
        provider: &Provider,
        key: Option<Secret>,
        checks_key: bool,
    ) -> Result<ListedModels, ProviderError> {
        let endpoint = Endpoint { base_url: provider.base_url.clone(), key };
        let codec = self.engine.parts.codec(provider.protocol).await?;
        let (status, body) = self.ask((codec.models_request)(&endpoint)).await?;
        let models = (codec.read_models)(status, &body)?;
        let key = if checks_key && endpoint.key.is_some() {
            self.check_key(codec, &endpoint).await
        } else {
            KeyCheck::NotChecked
        };
        Ok(ListedModels { models, key })
    }

    /// Checks the key with a provider that returned its model list.
    async fn check_key(&self, codec: &Codec, endpoint: &Endpoint) -> KeyCheck {
        let (request, has_key) = match (codec.key_probe)(endpoint) {
            KeyProbe::List => return KeyCheck::Accepted,
            KeyProbe::WithKey(request) => (request, true),
            KeyProbe::WithoutKey(request) => (request, false),
        };
        let Ok((status, body)) = self.ask(request).await else { return KeyCheck::NotChecked };
        if (200..300).contains(&status) {
            return if has_key { KeyCheck::Accepted } else { KeyCheck::NotChecked };
        }
        let error = (codec.classify)(status, None, &body);
        let is_key_error =
            matches!(error.category, ProviderErrorKind::Authentication | ProviderErrorKind::Permission);
        match (is_key_error, has_key) {
            (true, true) => KeyCheck::Rejected(error),
            (true, false) => KeyCheck::Accepted,
            (false, _) => KeyCheck::NotChecked,
        }
    }

    /// Sends a request and returns the status and the whole body, within a timeout.
    async fn ask(&self, request: HttpRequest) -> Result<(u16, String), ProviderError> {
        let work = Box::pin(whole(&*self.http, request));
        self.engine.within(MODELS_TIMEOUT_MS, work).await.unwrap_or_else(|| {
            let seconds = counted(MODELS_TIMEOUT_MS / 1_000, "second", "seconds");
            let message = format!("No response for {seconds}.");
            Err(ProviderError::new(ProviderErrorKind::Stalled, message))
        })
    }

    /// Stores the list if it changed or the stored one is old.
    async fn store_models(&self, id: &ProviderId, models: &[ModelInfo], at: Millis) {
        let name = ModelList::setting(id);
        let known = self.engine.world.borrow().setting(&name).cloned();
        let known = known.and_then(|value| nexus_text::json::from_tree::<ModelList>(&value).ok());
        let is_fresh = |known: &ModelList| at.0.saturating_sub(known.at.0) < MODELS_FRESH_MS;
        if known.is_some_and(|known| known.models == models && is_fresh(&known)) {
            return;
        }
        let list = ModelList { at, models: models.to_vec() };
        if let Ok(value) = nexus_text::json::to_tree(&list) {
            // On failure the ledger informs the operator; the list itself was returned.
            self.engine.tell(Command::ChangeSetting { name, value }).await;
        }
    }
}

/// Sends a request and reads the whole response.
async fn whole(http: &dyn Http, request: HttpRequest) -> Result<(u16, String), ProviderError> {
    let failed = |error| match error {
        HttpError::Unreachable(message) => ProviderError::new(ProviderErrorKind::Unreachable, message),
        HttpError::Broken(message) => ProviderError::new(ProviderErrorKind::CutOff, message),
    };
    let mut handle = http.send(request).await.map_err(failed)?;
    let mut bytes = Vec::new();
    while let Some(piece) = handle.body.next().await {
        bytes.extend_from_slice(&piece.map_err(failed)?);
        if bytes.len() > MODELS_BYTES {
            return Err(ProviderError::new(
                ProviderErrorKind::Garbled,
                "The response is too long for a model list.",
            ));
        }
    }
    Ok((handle.status, String::from_utf8_lossy(&bytes).into_owned()))
}
