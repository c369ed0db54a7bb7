//! Strings of errors: failed model calls, storage, crashes. A provider's own message is shown beside ours.

use crate::StorageStatus;
use crate::strings::prelude::*;
use nexus_model::provider::{KEY_LOCKED, NO_KEY, NO_MODEL};
use nexus_model::signal::BackupReminder;

pub fn failure(failure: &ProviderError, provider: &str, address: &str, model: &str) -> Notice {
    failure_of_kind(failure.category, failure, provider, address, model)
}

texts! {
    fn failure_of_kind(kind: ProviderErrorKind, failure: &ProviderError, provider: &str, address: &str, model: &str) -> Notice {
        ProviderErrorKind::Authentication => "Invalid API key",
            "{provider} rejected the API key. Enter another one, then retry.";
        ProviderErrorKind::Permission => "Permission denied",
            "{provider} accepts the API key but not this call: the API may be disabled, the key restricted, or the region not supported. Check the key at the provider, then retry.";
        ProviderErrorKind::Quota => "Quota exceeded",
            "{provider} reports that the quota or credit is used up. No setting here changes that: raise it there, or pick another model.";
        ProviderErrorKind::RateLimit => {
            let wait = match failure.retry_after_ms {
                Some(ms) => text!("It asks to wait {}.", pause(ms)),
                None => text!("Wait a minute."),
            };
            Notice::new(tr("Too many requests"), text!("{provider} limits the request rate. {wait} Then retry."))
        };
        ProviderErrorKind::Overloaded => "The model is overloaded", "Wait a moment, then retry, or pick another model.";
        ProviderErrorKind::Server => "Provider error",
            "{provider} reports an internal error. Wait a moment, then retry.";
        ProviderErrorKind::BadRequest => "Invalid request",
            "{provider} rejected the request as malformed. Check the model's settings; its message is below.";
        ProviderErrorKind::NotFound => "Model not found",
            "{address} has no model “{model}”, or the base URL is wrong. Pick a model from the provider's list in Settings, then retry.";
        ProviderErrorKind::ContextOverflow => "The conversation is too long for this model",
            "Enter the context window that the model has, pick a model with a larger one, or shorten the files, then retry.";
        ProviderErrorKind::Blocked => "A safety filter stopped the answer",
            "Rephrase the message, or pick another model.";
        ProviderErrorKind::Unreachable => "{provider} cannot be reached",
            "No response from {address}, and the browser does not say why. Check these, then retry.";
        ProviderErrorKind::Stalled => "The answer stalled",
            "The response timed out. The partial answer is kept. Retry, or continue it.";
        ProviderErrorKind::CutOff => "The answer was cut off",
            "It ended before it was complete. The partial answer is kept; its tool calls were not run. Continue it, or retry for a new answer.";
        ProviderErrorKind::Garbled => "Unexpected response",
            "Something other than a model answered, such as a sign-in page of the network. Check the base URL in Settings, then retry.";
        ProviderErrorKind::Empty => "The answer was empty", "Retry, or rephrase the message.";
        ProviderErrorKind::NotSetUp if failure.message == NO_KEY => "No API key for {provider}",
            "A key kept in this tab only is lost when the tab is closed or reloaded. Enter it, then retry.";
        ProviderErrorKind::NotSetUp if failure.message == KEY_LOCKED => "The API key for {provider} is locked",
            "Unlock it with your passphrase, then retry.";
        ProviderErrorKind::NotSetUp if failure.message == NO_MODEL => "This agent has no model",
            "Choose one in Settings, then retry.";
        ProviderErrorKind::NotSetUp => "This agent is not set up",
            "Its provider or model is missing or not allowed. Check its settings, then retry.";
    }
}

texts! {
    /// A provider that is set to need no key rejected a call without one.
    pub fn key_required(provider: &str) -> Notice = "{provider} requires an API key",
        "No key was sent. Turn on “Requires an API key” for it in Settings → Providers, enter the key, then retry.";
}

/// How long to wait, in units: `15:00` would read as a time of day.
fn pause(ms: u64) -> String {
    match ms.div_ceil(1_000) {
        seconds @ 0..=90 => count(seconds.max(1), "second", "seconds"),
        seconds => minutes(seconds.div_ceil(60)),
    }
}

/// Title of a failed call without a provider's name.
pub fn failure_kind(category: ProviderErrorKind) -> String {
    failure(&ProviderError::new(category, ""), tr("The provider"), "", "").title
}

pub fn error_notice(message: &str, location: &str, is_crash: bool) -> Notice {
    if !is_crash {
        return Notice::new(tr("An error was recorded during an earlier visit"), translate_template(message));
    }
    let place = if location.is_empty() { String::new() } else { format!(" ({location})") };
    Notice::new(
        tr("Nexus crashed during an earlier visit"),
        text!("{message}{place}. No stored data was lost."),
    )
}

pub fn events_unreadable(unknown: &[String], damaged: &[String]) -> Notice {
    let total = count(unknown.len() + damaged.len(), "stored event", "stored events");
    let mut advice = String::new();
    if !unknown.is_empty() {
        let kinds = listed(&distinct(unknown));
        advice.push_str(&text!("Unknown kinds, probably of a newer version of Nexus: {kinds}. "));
    }
    if !damaged.is_empty() {
        advice.push_str(&text!("Damaged data: {}. ", listed(&distinct(damaged))));
    }
    advice.push_str(tr("They are kept unchanged and have no effect; the event log shows them."));
    Notice::new(text!("{total} cannot be read"), advice)
}

fn distinct(kinds: &[String]) -> Vec<String> {
    kinds.iter().cloned().collect::<VecSet<String>>().into_iter().collect()
}

texts! {
    pub fn banner_memory(storage: StorageStatus) -> Notice {
        StorageStatus::Device => "Storage unavailable: nothing is saved", "";
        StorageStatus::ReadOnly => "Read-only",
            "The data on this device was written by a newer version of Nexus. It is shown unchanged. Reload to get that version.";
        StorageStatus::Denied => "Storage unavailable: nothing is saved",
            "The browser denies storage here, so everything is lost when this page closes. Allow site data, or open Nexus in its own tab.";
        StorageStatus::Newer => "Storage unavailable: nothing is saved",
            "The data on this device was written by a newer version of Nexus and is left unchanged. Reload to get that version; until then everything here is lost when this page closes.";
        StorageStatus::Full => "Storage unavailable: nothing is saved",
            "The storage of this device or browser is full, so everything is lost when this page closes. Free some space, then reload.";
        StorageStatus::Failed => "Storage unavailable: nothing is saved",
            "The browser's database did not open. What it holds is unchanged and not shown, and everything new is lost when this page closes. Close other Nexus tabs and reload.";
    }

    /// Notice after the browser cleared the page's storage.
    pub fn cleared() -> Notice = "The browser cleared your data",
        "The data stored here is gone. If you have an export, import it in Settings → Data.";

    pub fn reminder(reminder: BackupReminder) -> Notice {
        BackupReminder::Export => "Export your data",
            "The last export is a week old or more, and the browser does not guarantee to keep your data. Settings → Data exports everything as one file.";
        BackupReminder::LittleRoom { quota } => {
            Notice::new(
                text!("The browser gives this page only {} of storage.", large_size(quota)),
                tr("Private windows do this, and delete the data when the last one is closed. Settings → Data exports it first."),
            )
        };
    }

    /// Notice that the ledger cannot be written.
    pub fn banner_store(reason: &str) -> Notice = "Storage failed",
        "{reason}. Nothing new is saved until it works again; what you type stays in its field.";
    pub fn banner_waiting() -> Notice = "Waiting for storage",
        "Another tab or program keeps the storage of this browser busy. Close other Nexus tabs, or wait: Nexus continues as soon as the storage answers.";
    pub fn banner_deleted() -> Notice = "The stored data was deleted",
        "The browser deleted the storage of Nexus while this tab was open, so nothing new is saved. Save what this tab still holds before you close or reload it.";
    pub fn part_missing() -> Notice = "A part of Nexus could not be loaded",
        "The connection may be down, or Nexus was updated while this page was open. Loading is retried every few seconds, and what you send waits for it. If that does not help, reload the page.";
    pub fn banner_read_only() -> Notice = "Read-only", "Another tab is working in this session. Its changes appear here.";
    pub fn no_reply_from_tab() -> Notice = "The other tab did not answer.", "Close it to take over here.";
    pub fn banner_safe_mode() -> Notice = "Safe mode",
        "Nothing runs automatically, and the session of your last visit was not opened. The list has all sessions.";
    pub fn banner_demo() -> Notice = "Demo", "Agents play prepared answers. For your own work, connect a model.";
}

pub const STARTING: Text = Text("Starting…");

pub const SAVE_FROM_MEMORY_ABOUT: Text =
    Text("A JSON file with the messages and files loaded in this tab. It can be read, but not imported.");

pub const LEAVE_SAFE_MODE: Text = Text("Start normally");
pub const WORK_HERE: Text = Text("Take over");
pub const WORK_HERE_ABOUT: Text =
    Text("The other tab becomes read-only. Its running work is interrupted and can be resumed here.");

pub fn too_long_pasted(name: &str, bytes: usize) -> Notice {
    let size = crate::strings::format::size(bytes);
    Notice::new(
        text!("The pasted text was saved as “{name}”"),
        text!("{size} is too much for a message. The agents can read the file; the message mentions it."),
    )
}

/// Where to fix a failed model call: a settings field, a page of the provider, or neither.
///
/// The provider's message only selects between fields; the kind of the error decides the rest.
pub mod remedy {
    use crate::strings::prelude::*;
    use crate::strings::settings;
    use nexus_model::provider::{NO_MODEL, TOKEN_LIMIT};

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
        NeedsKey,
        Timeout,
    }

    impl SettingsField {
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
                Self::NeedsKey => format!("provider-{provider}-needs-key"),
                Self::Timeout => "silence".to_owned(),
            }
        }

        pub const fn label(self) -> Text {
            match self {
                Self::Provider => common::PROVIDER,
                Self::Model => common::MODEL,
                Self::ReasoningEffort => settings::THINKING,
                Self::MaxTokens => settings::MAX_TOKENS,
                Self::Temperature => settings::TEMPERATURE,
                Self::ContextWindow => settings::CONTEXT,
                Self::BaseUrl => settings::provider_card::BASE_URL,
                Self::ApiKey => common::API_KEY,
                Self::NeedsKey => settings::provider_card::NEEDS_KEY,
                Self::Timeout => Text("Response timeout (seconds)"),
            }
        }
    }

    /// The settings field that fixes a failed call, if any.
    pub fn field_of(failure: &ProviderError) -> Option<SettingsField> {
        match failure.category {
            ProviderErrorKind::CutOff if failure.code.as_deref() == Some(TOKEN_LIMIT) => {
                Some(SettingsField::MaxTokens)
            }
            ProviderErrorKind::Authentication | ProviderErrorKind::Permission => Some(SettingsField::ApiKey),
            // The account is changed at the provider; here the operator can choose another model.
            ProviderErrorKind::Quota | ProviderErrorKind::Overloaded => Some(SettingsField::Model),
            ProviderErrorKind::RateLimit
            | ProviderErrorKind::Server
            | ProviderErrorKind::Blocked
            | ProviderErrorKind::CutOff
            | ProviderErrorKind::Empty => None,
            ProviderErrorKind::BadRequest => Some(named_in(&failure.message)),
            // A host without the model names it; a host without the path does not.
            ProviderErrorKind::NotFound => {
                let message = failure.message.to_lowercase();
                let is_of_model = message.contains("model") && !message.contains("url");
                Some(if is_of_model { SettingsField::Model } else { SettingsField::BaseUrl })
            }
            ProviderErrorKind::ContextOverflow => Some(SettingsField::ContextWindow),
            ProviderErrorKind::Unreachable | ProviderErrorKind::Garbled => Some(SettingsField::BaseUrl),
            ProviderErrorKind::Stalled => Some(SettingsField::Timeout),
            ProviderErrorKind::NotSetUp if failure.lacks_key() => Some(SettingsField::ApiKey),
            ProviderErrorKind::NotSetUp if failure.message == NO_MODEL => Some(SettingsField::Model),
            ProviderErrorKind::NotSetUp => Some(SettingsField::Provider),
        }
    }

    /// True if the provider's page for keys and accounts can help.
    pub fn is_for_provider(kind: ProviderErrorKind) -> bool {
        matches!(
            kind,
            ProviderErrorKind::Authentication | ProviderErrorKind::Permission | ProviderErrorKind::Quota
        )
    }

    fn named_in(message: &str) -> SettingsField {
        let lower = message.to_lowercase();
        let named = [
            (
                SettingsField::MaxTokens,
                ["max_tokens", "max_completion", "max_output", "maxoutput", "num_predict"].as_slice(),
            ),
            (SettingsField::Temperature, &["temperature"]),
            (SettingsField::ReasoningEffort, &["thinking", "reasoning", "effort"]),
        ];
        let field = named.into_iter().find(|(_, names)| names.iter().any(|name| lower.contains(name)));
        field.map_or(SettingsField::Model, |(field, _)| field)
    }

    #[cfg(test)]
    mod tests;
}

#[cfg(test)]
mod tests;
