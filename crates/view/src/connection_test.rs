//! Builds the report of a connection test, check by check, from the result of listing the provider's models.
//!
//! Never names a cause that the browser cannot distinguish.

use nexus_engine::keys::KeyState;
use nexus_model::provider::{KeyCheck, ListedModels, ModelInfo, Provider, ProviderError, ProviderErrorKind};
use serde::Serialize;

use CheckOutcome::{Failed, Passed, Unknown};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionCheck {
    Address,
    Reached,
    Key,
    Models,
    InUse,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CheckOutcome {
    Passed(CheckDetail),
    Failed(CheckDetail),
    /// Cannot be determined from the response.
    Unknown(CheckDetail),
}

#[derive(Clone, Debug, PartialEq)]
pub enum CheckDetail {
    MayCall(String),
    NeedsReload(String),
    /// Browsers block the call: plain `http` to another machine.
    NoPageMayCall(String),
    /// The HTTP status; `None` if the list arrived without one being recorded.
    Answered(Option<u16>),
    NoAnswer(String),
    KeyTaken,
    /// The list arrived, but the request did not verify the key.
    KeyNotChecked,
    NoKeyNeeded,
    NoKey,
    KeyLocked,
    /// The provider rejected the key, with this message.
    KeyRefused(String),
    Forbidden(String),
    NotTried,
    /// Any other message of the provider.
    Said(String),
    Models(usize),
    /// The provider has no model list; the operator can type a model's id.
    NoList,
    AllListed(Vec<String>),
    NotListed(Vec<String>),
    /// An agent that uses the provider has no model.
    NoModel,
    NobodyUses,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAccess {
    Open,
    AfterReload,
    Closed,
}

/// Checks before the first request. If one fails, no request is sent.
pub fn before(provider: &Provider, gate: HostAccess, key: KeyState) -> Vec<(ConnectionCheck, CheckOutcome)> {
    let url = || provider.base_url.clone();
    let address = match gate {
        HostAccess::Open => Passed(CheckDetail::MayCall(url())),
        HostAccess::AfterReload => Failed(CheckDetail::NeedsReload(provider.origin().unwrap_or_else(url))),
        HostAccess::Closed => Failed(CheckDetail::NoPageMayCall(url())),
    };
    let missing = match key {
        KeyState::Usable(_) => None,
        KeyState::Missing => Some(CheckDetail::NoKey),
        KeyState::Locked => Some(CheckDetail::KeyLocked),
    };
    let missing = missing.filter(|_| gate == HostAccess::Open && provider.needs_key);
    let key = missing.map(|why| (ConnectionCheck::Key, Failed(why)));
    std::iter::once((ConnectionCheck::Address, address)).chain(key).collect()
}

/// All checks, from the response to listing the models. `used` are the models that agents use there.
pub fn after(
    provider: &Provider,
    had_key: bool,
    used: &[String],
    answer: &Result<ListedModels, ProviderError>,
) -> Vec<(ConnectionCheck, CheckOutcome)> {
    let address = Passed(CheckDetail::MayCall(provider.base_url.clone()));
    let [reached, key, models] = match answer {
        Ok(list) => listed(provider, had_key, list),
        Err(failure) => rejected(had_key, failure),
    };
    let in_use = in_use(used, answer.as_ref().ok().map(|list| &list.models));
    vec![
        (ConnectionCheck::Address, address),
        (ConnectionCheck::Reached, reached),
        (ConnectionCheck::Key, key),
        (ConnectionCheck::Models, models),
        (ConnectionCheck::InUse, in_use),
    ]
}

fn listed(provider: &Provider, had_key: bool, list: &ListedModels) -> [CheckOutcome; 3] {
    let key = match (had_key, provider.needs_key, &list.key) {
        (true, _, KeyCheck::Accepted) => Passed(CheckDetail::KeyTaken),
        (true, _, KeyCheck::Rejected(error)) => Failed(CheckDetail::KeyRefused(error.message.clone())),
        (true, _, KeyCheck::NotChecked) => Unknown(CheckDetail::KeyNotChecked),
        (false, false, _) => Passed(CheckDetail::NoKeyNeeded),
        // Some hosts list models without a key.
        (false, true, _) => Unknown(CheckDetail::NoKey),
    };
    [Passed(CheckDetail::Answered(None)), key, Passed(CheckDetail::Models(list.models.len()))]
}

fn rejected(had_key: bool, failure: &ProviderError) -> [CheckOutcome; 3] {
    use ProviderErrorKind as Category;
    let message = || failure.message.clone();
    let reached = Passed(CheckDetail::Answered(failure.status));
    let not_tried = || Unknown(CheckDetail::NotTried);
    match failure.category {
        Category::Unreachable | Category::Stalled | Category::CutOff => {
            [Failed(CheckDetail::NoAnswer(message())), not_tried(), not_tried()]
        }
        Category::Authentication if had_key => {
            [reached, Failed(CheckDetail::KeyRefused(message())), not_tried()]
        }
        Category::Authentication | Category::NotSetUp => {
            [reached, Failed(CheckDetail::NoKey), Unknown(CheckDetail::Said(message()))]
        }
        Category::Permission => [reached, Failed(CheckDetail::Forbidden(message())), not_tried()],
        Category::NotFound => [reached, not_tried(), Unknown(CheckDetail::NoList)],
        Category::Quota
        | Category::RateLimit
        | Category::Overloaded
        | Category::Server
        | Category::BadRequest
        | Category::ContextOverflow
        | Category::Blocked
        | Category::Garbled
        | Category::Empty => [reached, not_tried(), Failed(CheckDetail::Said(message()))],
    }
}

fn in_use(used: &[String], models: Option<&Vec<ModelInfo>>) -> CheckOutcome {
    if used.iter().any(String::is_empty) {
        return Failed(CheckDetail::NoModel);
    }
    let Some(models) = models else { return Unknown(CheckDetail::NotTried) };
    if used.is_empty() {
        return Unknown(CheckDetail::NobodyUses);
    }
    let is_listed = |id: &&String| models.iter().any(|model| model.id == **id);
    let missing: Vec<_> = used.iter().filter(|id| !is_listed(id)).cloned().collect();
    if missing.is_empty() {
        Passed(CheckDetail::AllListed(used.to_vec()))
    } else {
        Failed(CheckDetail::NotListed(missing))
    }
}

#[cfg(test)]
mod tests;
