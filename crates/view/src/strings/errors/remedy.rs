//! Where a failed model call is mended: a field of the settings, a page of the provider, or neither.
//!
//! The provider's message decides between fields only; what happened is the kind's business.

use nexus_model::id::{AgentKey, ProviderId};
use nexus_model::provider::failure::{NO_KEY, ProviderError, ProviderErrorKind, TOKEN_LIMIT};

use crate::language::Text;
use crate::strings::settings;

/// A field of the settings that can mend a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsField {
    Provider,
    Model,
    ReasoningEffort,
    MaxTokens,
    Temperature,
    ContextWindow,
    BaseUrl,
    ApiKey,
    Timeout,
}

impl SettingsField {
    pub const ALL: [Self; 9] = [
        Self::Provider,
        Self::Model,
        Self::ReasoningEffort,
        Self::MaxTokens,
        Self::Temperature,
        Self::ContextWindow,
        Self::BaseUrl,
        Self::ApiKey,
        Self::Timeout,
    ];

    pub fn id(self, agent: &AgentKey, provider: &ProviderId) -> String {
        match self {
            Self::Provider => format!("{agent}-provider"),
            Self::Model => format!("{agent}-model"),
            Self::ReasoningEffort => format!("{agent}-thinking"),
            Self::MaxTokens => format!("{agent}-tokens"),
            Self::Temperature => format!("{agent}-temperature"),
            Self::ContextWindow => format!("{agent}-context"),
            Self::BaseUrl => format!("provider-{provider}-address"),
            Self::ApiKey => format!("key-{provider}-field"),
            Self::Timeout => "silence".to_owned(),
        }
    }

    pub const fn label(self) -> Text {
        match self {
            Self::Provider => settings::PROVIDER,
            Self::Model => settings::MODEL,
            Self::ReasoningEffort => settings::THINKING,
            Self::MaxTokens => settings::MAX_TOKENS,
            Self::Temperature => settings::TEMPERATURE,
            Self::ContextWindow => settings::CONTEXT,
            Self::BaseUrl => settings::provider_card::BASE_URL,
            Self::ApiKey => settings::provider_card::KEY,
            Self::Timeout => Text("Response timeout (seconds)"),
        }
    }
}

pub fn field_of(failure: &ProviderError) -> Option<SettingsField> {
    match failure.category {
        ProviderErrorKind::Authentication | ProviderErrorKind::Permission => Some(SettingsField::ApiKey),
        // The account is raised at the provider; what can be changed here is who answers.
        ProviderErrorKind::Quota | ProviderErrorKind::Overloaded => Some(SettingsField::Model),
        ProviderErrorKind::RateLimit
        | ProviderErrorKind::Server
        | ProviderErrorKind::Blocked
        | ProviderErrorKind::Empty => None,
        ProviderErrorKind::BadRequest => Some(named_in(&failure.message)),
        // A host that misses the model names it; one that misses the path does not.
        ProviderErrorKind::NotFound => {
            let words = failure.message.to_lowercase();
            let is_of_model = words.contains("model") && !words.contains("url");
            Some(if is_of_model { SettingsField::Model } else { SettingsField::BaseUrl })
        }
        ProviderErrorKind::ContextOverflow => Some(SettingsField::ContextWindow),
        ProviderErrorKind::Unreachable | ProviderErrorKind::Garbled => Some(SettingsField::BaseUrl),
        ProviderErrorKind::Stalled => Some(SettingsField::Timeout),
        ProviderErrorKind::CutOff => {
            (failure.code.as_deref() == Some(TOKEN_LIMIT)).then_some(SettingsField::MaxTokens)
        }
        ProviderErrorKind::NotSetUp if failure.message == NO_KEY => Some(SettingsField::ApiKey),
        ProviderErrorKind::NotSetUp => Some(SettingsField::Provider),
    }
}

/// Whether a page of the provider can help: where its keys are made and its accounts are kept.
pub fn is_for_provider(kind: ProviderErrorKind) -> bool {
    matches!(
        kind,
        ProviderErrorKind::Authentication | ProviderErrorKind::Permission | ProviderErrorKind::Quota
    )
}

fn named_in(message: &str) -> SettingsField {
    let words = message.to_lowercase();
    let named = [
        (
            SettingsField::MaxTokens,
            ["max_tokens", "max_completion", "max_output", "maxoutput", "num_predict"].as_slice(),
        ),
        (SettingsField::Temperature, &["temperature"]),
        (SettingsField::ReasoningEffort, &["thinking", "reasoning", "effort"]),
    ];
    let field = named.into_iter().find(|(_, names)| names.iter().any(|name| words.contains(name)));
    field.map_or(SettingsField::Model, |(field, _)| field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::settings::schema::{SILENCE, info};

    fn field(category: ProviderErrorKind, message: &str) -> Option<SettingsField> {
        field_of(&ProviderError::new(category, message))
    }

    #[test]
    fn each_kind_leads_to_the_field_that_mends_it() {
        let table = [
            (ProviderErrorKind::Authentication, "", Some(SettingsField::ApiKey)),
            (ProviderErrorKind::Permission, "", Some(SettingsField::ApiKey)),
            (ProviderErrorKind::Quota, "insufficient_quota", Some(SettingsField::Model)),
            (ProviderErrorKind::RateLimit, "", None),
            (ProviderErrorKind::Overloaded, "", Some(SettingsField::Model)),
            (ProviderErrorKind::Server, "", None),
            (ProviderErrorKind::BadRequest, "Unknown name", Some(SettingsField::Model)),
            (ProviderErrorKind::BadRequest, "max_tokens: 90000 > 8192", Some(SettingsField::MaxTokens)),
            (
                ProviderErrorKind::BadRequest,
                "a maxOutputTokens value of 90000",
                Some(SettingsField::MaxTokens),
            ),
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
            (
                ProviderErrorKind::NotSetUp,
                "The agent may not use this provider.",
                Some(SettingsField::Provider),
            ),
        ];
        for (kind, message, wanted) in table {
            assert_eq!(field(kind, message), wanted, "{kind:?}: {message}");
        }
    }

    #[test]
    fn an_answer_that_reached_its_token_limit_leads_to_that_limit() {
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
}
