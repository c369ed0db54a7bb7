use super::*;
use nexus_model::provider::{KEY_LOCKED, NO_KEY};
use nexus_model::settings::schema::{SILENCE, info};

fn field(category: ProviderErrorKind, message: &str) -> Option<SettingsField> {
    field_of(&ProviderError::new(category, message))
}

#[test]
fn each_kind_has_the_field_that_fixes_it() {
    let table = [
        (ProviderErrorKind::Authentication, "", Some(SettingsField::ApiKey)),
        (ProviderErrorKind::Permission, "", Some(SettingsField::ApiKey)),
        (ProviderErrorKind::Quota, "insufficient_quota", Some(SettingsField::Model)),
        (ProviderErrorKind::RateLimit, "", None),
        (ProviderErrorKind::Overloaded, "", Some(SettingsField::Model)),
        (ProviderErrorKind::Server, "", None),
        (ProviderErrorKind::BadRequest, "Unknown name", Some(SettingsField::Model)),
        (ProviderErrorKind::BadRequest, "max_tokens: 90000 > 8192", Some(SettingsField::MaxTokens)),
        (ProviderErrorKind::BadRequest, "a maxOutputTokens value of 90000", Some(SettingsField::MaxTokens)),
        (ProviderErrorKind::BadRequest, "temperature must be 1", Some(SettingsField::Temperature)),
        (
            ProviderErrorKind::BadRequest,
            "Unsupported value: reasoning.effort",
            Some(SettingsField::ReasoningEffort),
        ),
        (ProviderErrorKind::NotFound, "models/gone is not found", Some(SettingsField::Model)),
        (ProviderErrorKind::NotFound, "404 page not found", Some(SettingsField::BaseUrl)),
        (
            ProviderErrorKind::NotFound,
            "The requested URL /v2/models was not found",
            Some(SettingsField::BaseUrl),
        ),
        (ProviderErrorKind::ContextOverflow, "", Some(SettingsField::ContextWindow)),
        (ProviderErrorKind::Blocked, "", None),
        (ProviderErrorKind::Unreachable, "", Some(SettingsField::BaseUrl)),
        (ProviderErrorKind::Stalled, "", Some(SettingsField::Timeout)),
        (ProviderErrorKind::CutOff, "", None),
        (ProviderErrorKind::Garbled, "", Some(SettingsField::BaseUrl)),
        (ProviderErrorKind::Empty, "", None),
        (ProviderErrorKind::NotSetUp, NO_KEY, Some(SettingsField::ApiKey)),
        (ProviderErrorKind::NotSetUp, KEY_LOCKED, Some(SettingsField::ApiKey)),
        (ProviderErrorKind::NotSetUp, NO_MODEL, Some(SettingsField::Model)),
        (ProviderErrorKind::NotSetUp, "The agent may not use this provider.", Some(SettingsField::Provider)),
    ];
    for (kind, message, wanted) in table {
        assert_eq!(field(kind, message), wanted, "{kind:?}: {message}");
    }
}

#[test]
fn an_answer_at_its_token_limit_refers_to_that_limit() {
    let cut = ProviderError::new(ProviderErrorKind::CutOff, "It is at its limit.");
    let cut = ProviderError { code: Some(TOKEN_LIMIT.to_owned()), ..cut };
    assert_eq!(field_of(&cut), Some(SettingsField::MaxTokens));
}

#[test]
fn the_timeout_is_named_as_in_the_settings() {
    let (agent, provider) = ("engineer".into(), "gemini".into());
    assert_eq!(SettingsField::Timeout.id(&agent, &provider), info(SILENCE).id);
    assert_eq!(SettingsField::Timeout.label().0, info(SILENCE).label);
}
