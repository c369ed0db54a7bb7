use super::*;
use nexus_engine::keys::KeyStorage;

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
        outcome(&after(&Provider::gemini(), true, &[], &listed_models(&["a"], check)), ConnectionCheck::Key)
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
    let checks = after(&Provider::gemini(), true, &[], &failed(ProviderErrorKind::Authentication, Some(401)));
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
fn an_agent_without_model_is_reported_with_and_without_a_list() {
    let used = [String::new()];
    for answer in [listed_models(&["a"], KeyCheck::Accepted), failed(ProviderErrorKind::NotFound, Some(404))]
    {
        let checks = after(&Provider::gemini(), true, &used, &answer);
        assert_eq!(outcome(&checks, ConnectionCheck::InUse), CheckOutcome::Failed(CheckDetail::NoModel));
    }
}

#[test]
fn a_failed_precheck_sends_no_request() {
    let provider = Provider::gemini();
    let first = |gate, key| before(&provider, gate, key).into_iter().map(|(_, outcome)| outcome).collect();
    let origin = "https://generativelanguage.googleapis.com".to_owned();
    let checks: Vec<CheckOutcome> = first(HostAccess::AfterReload, KeyState::Usable(KeyStorage::Tab));
    assert_eq!(checks, [CheckOutcome::Failed(CheckDetail::NeedsReload(origin.clone()))]);
    let checks: Vec<CheckOutcome> = first(HostAccess::Open, KeyState::Locked);
    assert_eq!(
        checks,
        [CheckOutcome::Passed(CheckDetail::MayCall(origin)), CheckOutcome::Failed(CheckDetail::KeyLocked)]
    );
}
