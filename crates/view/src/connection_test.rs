//! Builds the report of a connection test, check by check, from the result of listing the provider's models.
//!
//! Never names a cause that the browser cannot distinguish.

use nexus_model::provider::{KeyCheck, ListedModels, ModelInfo, Provider, ProviderError, ProviderErrorKind};
use serde::Serialize;

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
    NobodyUses,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAccess {
    Open,
    AfterReload,
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAvailability {
    Yes,
    No,
    Locked,
}

/// Checks before the first request. If one fails, no request is sent.
pub fn before(
    provider: &Provider,
    gate: HostAccess,
    key: KeyAvailability,
) -> Vec<(ConnectionCheck, CheckOutcome)> {
    let url = provider.base_url.clone();
    let origin = || provider.origin().unwrap_or_else(|| url.clone());
    let address = match gate {
        HostAccess::Open => CheckOutcome::Passed(CheckDetail::MayCall(url.clone())),
        HostAccess::AfterReload => CheckOutcome::Failed(CheckDetail::NeedsReload(origin())),
        HostAccess::Closed => CheckOutcome::Failed(CheckDetail::NoPageMayCall(url.clone())),
    };
    let mut checks = vec![(ConnectionCheck::Address, address)];
    if gate == HostAccess::Open && provider.needs_key {
        match key {
            KeyAvailability::Yes => {}
            KeyAvailability::No => {
                checks.push((ConnectionCheck::Key, CheckOutcome::Failed(CheckDetail::NoKey)))
            }
            KeyAvailability::Locked => {
                checks.push((ConnectionCheck::Key, CheckOutcome::Failed(CheckDetail::KeyLocked)))
            }
        }
    }
    checks
}

/// All checks, from the response to listing the models. `used` are the models that agents use there.
pub fn after(
    provider: &Provider,
    had_key: bool,
    used: &[String],
    answer: &Result<ListedModels, ProviderError>,
) -> Vec<(ConnectionCheck, CheckOutcome)> {
    let address =
        (ConnectionCheck::Address, CheckOutcome::Passed(CheckDetail::MayCall(provider.base_url.clone())));
    let [reached, key, models] = match answer {
        Ok(list) => listed(provider, had_key, list),
        Err(failure) => rejected(had_key, failure),
    };
    let in_use = in_use(used, answer.as_ref().ok().map(|list| &list.models));
    vec![
        address,
        (ConnectionCheck::Reached, reached),
        (ConnectionCheck::Key, key),
        (ConnectionCheck::Models, models),
        (ConnectionCheck::InUse, in_use),
    ]
}

fn listed(provider: &Provider, had_key: bool, list: &ListedModels) -> [CheckOutcome; 3] {
    let key = match (had_key, provider.needs_key, &list.key) {
        (true, _, KeyCheck::Accepted) => CheckOutcome::Passed(CheckDetail::KeyTaken),
        (true, _, KeyCheck::Rejected(error)) => {
            CheckOutcome::Failed(CheckDetail::KeyRefused(error.message.clone()))
        }
        (true, _, KeyCheck::NotChecked) => CheckOutcome::Unknown(CheckDetail::KeyNotChecked),
        (false, false, _) => CheckOutcome::Passed(CheckDetail::NoKeyNeeded),
        // Some hosts list models without a key.
        (false, true, _) => CheckOutcome::Unknown(CheckDetail::NoKey),
    };
    [
        CheckOutcome::Passed(CheckDetail::Answered(None)),
        key,
        CheckOutcome::Passed(CheckDetail::Models(list.models.len())),
    ]
}

fn rejected(had_key: bool, failure: &ProviderError) -> [CheckOutcome; 3] {
    use ProviderErrorKind as Category;
    let message = || failure.message.clone();
    let reached = CheckOutcome::Passed(CheckDetail::Answered(failure.status));
    let not_tried = || CheckOutcome::Unknown(CheckDetail::NotTried);
    match failure.category {
        Category::Unreachable | Category::Stalled | Category::CutOff => {
            [CheckOutcome::Failed(CheckDetail::NoAnswer(message())), not_tried(), not_tried()]
        }
        Category::Authentication if had_key => {
            [reached, CheckOutcome::Failed(CheckDetail::KeyRefused(message())), not_tried()]
        }
        Category::Authentication | Category::NotSetUp => [
            reached,
            CheckOutcome::Failed(CheckDetail::NoKey),
            CheckOutcome::Unknown(CheckDetail::Said(message())),
        ],
        Category::Permission => {
            [reached, CheckOutcome::Failed(CheckDetail::Forbidden(message())), not_tried()]
        }
        Category::NotFound => [reached, not_tried(), CheckOutcome::Unknown(CheckDetail::NoList)],
        Category::Quota
        | Category::RateLimit
        | Category::Overloaded
        | Category::Server
        | Category::BadRequest
        | Category::ContextOverflow
        | Category::Blocked
        | Category::Garbled
        | Category::Empty => [reached, not_tried(), CheckOutcome::Failed(CheckDetail::Said(message()))],
    }
}

fn in_use(used: &[String], models: Option<&Vec<ModelInfo>>) -> CheckOutcome {
    let Some(models) = models else { return CheckOutcome::Unknown(CheckDetail::NotTried) };
    if used.is_empty() {
        return CheckOutcome::Unknown(CheckDetail::NobodyUses);
    }
    let is_listed = |id: &&String| models.iter().any(|model| model.id == **id);
    let missing: Vec<_> = used.iter().filter(|id| !is_listed(id)).cloned().collect();
    if missing.is_empty() {
        CheckOutcome::Passed(CheckDetail::AllListed(used.to_vec()))
    } else {
        CheckOutcome::Failed(CheckDetail::NotListed(missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str) -> ModelInfo {
        nexus_text::json::read(&format!(r#"{{"id":"{id}","name":"{id}"}}"#)).unwrap()
    }

    fn listed_models(ids: &[&str], key: KeyCheck) -> Result<ListedModels, ProviderError> {
        Ok(ListedModels { models: ids.iter().map(|id| model(id)).collect(), key })
    }

    fn failed(category: ProviderErrorKind, status: Option<u16>) -> Result<ListedModels, ProviderError> {
        Err(ProviderError { status, ..ProviderError::new(category, "their message") })
    }

    fn outcome(checks: &[(ConnectionCheck, CheckOutcome)], wanted: ConnectionCheck) -> CheckOutcome {
        checks.iter().find(|(check, _)| *check == wanted).map(|(_, outcome)| outcome.clone()).unwrap()
    }

    #[test]
    fn a_successful_response_passes_every_check() {
        let used = vec!["b".to_owned()];
        let checks = after(&Provider::gemini(), true, &used, &listed_models(&["a", "b"], KeyCheck::Accepted));
        assert_eq!(checks.len(), 5);
        assert!(checks.iter().all(|(_, outcome)| matches!(outcome, CheckOutcome::Passed(_))), "{checks:?}");
        assert_eq!(outcome(&checks, ConnectionCheck::Models), CheckOutcome::Passed(CheckDetail::Models(2)));
    }

    #[test]
    fn a_model_list_alone_does_not_verify_the_key() {
        let key = |check| {
            outcome(
                &after(&Provider::gemini(), true, &[], &listed_models(&["a"], check)),
                ConnectionCheck::Key,
            )
        };
        assert_eq!(key(KeyCheck::NotChecked), CheckOutcome::Unknown(CheckDetail::KeyNotChecked));
        let error = ProviderError::new(ProviderErrorKind::Authentication, "their message");
        let rejected = CheckOutcome::Failed(CheckDetail::KeyRefused("their message".into()));
        assert_eq!(key(KeyCheck::Rejected(error)), rejected);
    }

    #[test]
    fn no_response_does_not_verify_the_key() {
        let checks = after(&Provider::gemini(), true, &[], &failed(ProviderErrorKind::Unreachable, None));
        assert_eq!(
            outcome(&checks, ConnectionCheck::Reached),
            CheckOutcome::Failed(CheckDetail::NoAnswer("their message".into()))
        );
        assert_eq!(outcome(&checks, ConnectionCheck::Key), CheckOutcome::Unknown(CheckDetail::NotTried));
    }

    #[test]
    fn a_rejected_key_keeps_the_provider_s_message() {
        let checks =
            after(&Provider::gemini(), true, &[], &failed(ProviderErrorKind::Authentication, Some(401)));
        assert_eq!(
            outcome(&checks, ConnectionCheck::Reached),
            CheckOutcome::Passed(CheckDetail::Answered(Some(401)))
        );
        assert_eq!(
            outcome(&checks, ConnectionCheck::Key),
            CheckOutcome::Failed(CheckDetail::KeyRefused("their message".into()))
        );
    }

    #[test]
    fn a_host_without_a_model_list_is_no_error() {
        let checks = after(&Provider::gemini(), true, &[], &failed(ProviderErrorKind::NotFound, Some(404)));
        assert_eq!(outcome(&checks, ConnectionCheck::Models), CheckOutcome::Unknown(CheckDetail::NoList));
    }

    #[test]
    fn an_unlisted_model_is_named() {
        let used = vec!["a".to_owned(), "gone".to_owned()];
        let checks = after(&Provider::gemini(), true, &used, &listed_models(&["a"], KeyCheck::Accepted));
        assert_eq!(
            outcome(&checks, ConnectionCheck::InUse),
            CheckOutcome::Failed(CheckDetail::NotListed(vec!["gone".into()]))
        );
    }

    #[test]
    fn a_failed_precheck_sends_no_request() {
        let provider = Provider::gemini();
        let first =
            |gate, key| before(&provider, gate, key).into_iter().map(|(_, outcome)| outcome).collect();
        let origin = "https://generativelanguage.googleapis.com".to_owned();
        let checks: Vec<CheckOutcome> = first(HostAccess::AfterReload, KeyAvailability::Yes);
        assert_eq!(checks, [CheckOutcome::Failed(CheckDetail::NeedsReload(origin.clone()))]);
        let checks: Vec<CheckOutcome> = first(HostAccess::Open, KeyAvailability::Locked);
        assert_eq!(
            checks,
            [
                CheckOutcome::Passed(CheckDetail::MayCall(origin)),
                CheckOutcome::Failed(CheckDetail::KeyLocked)
            ]
        );
    }
}
