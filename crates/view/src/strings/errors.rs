//! Strings of errors: failed model calls, storage, crashes. A provider's own message is shown beside ours.

use crate::StorageStatus;
use crate::strings::format::{Notice, elapsed, size};
use nexus_model::provider::failure::{NO_KEY, ProviderError, ProviderErrorKind};
use nexus_model::signal::BackupReminder;

/// A failed call of a model of a provider at an address, with what to do. The words that came are shown beside it.
pub fn failure(failure: &ProviderError, provider: &str, address: &str, model: &str) -> Notice {
    match failure.category {
        ProviderErrorKind::Authentication => Notice::new(
            "The key was refused",
            format!("{provider} does not accept this key. Enter another one, then retry."),
        ),
        ProviderErrorKind::Permission => Notice::new(
            "The key may not do this",
            format!(
                "{provider} knows the key but does not allow this call: the API may be off, the key restricted, or \
                 the region closed. Check the key at the provider, then retry."
            ),
        ),
        ProviderErrorKind::Quota => Notice::new(
            "The allowance is used up",
            format!(
                "{provider} reports that a quota or the credit is spent. Raise it there, or pick another model."
            ),
        ),
        ProviderErrorKind::RateLimit => {
            let wait = match failure.retry_after_ms {
                Some(ms) => format!("It asks to wait {}.", elapsed(ms.max(1_000))),
                None => "Wait a minute.".to_owned(),
            };
            Notice::new("Too many requests", format!("{provider} asks for a pause. {wait} Then retry."))
        }
        ProviderErrorKind::Overloaded => {
            Notice::new("The model is overloaded", "Wait a little, then retry, or pick another model.")
        }
        ProviderErrorKind::Server => Notice::new(
            "The provider failed",
            format!("{provider} reports a fault of its own. Wait a little, then retry."),
        ),
        ProviderErrorKind::BadRequest => Notice::new(
            "The request was not understood",
            format!(
                "{provider} refused it as malformed. Check the model's settings; its words below say more."
            ),
        ),
        ProviderErrorKind::NotFound => Notice::new(
            "There is no such model",
            format!(
                "{address} knows no model “{model}”, or nothing is at this address. Pick one from the provider's list in \
                 the settings, then retry."
            ),
        ),
        ProviderErrorKind::ContextOverflow => Notice::new(
            "The conversation is too long for this model",
            "Pick a model with a larger window, or make the files smaller, then retry.",
        ),
        ProviderErrorKind::Blocked => {
            Notice::new("A safety filter stopped the answer", "Say it in other words, or pick another model.")
        }
        ProviderErrorKind::Unreachable => Notice::new(
            format!("{provider} cannot be reached"),
            format!(
                "Nothing came from {address}, and the browser does not tell a page why. Look at these, then retry."
            ),
        ),
        ProviderErrorKind::Stalled => Notice::new(
            "The answer stopped coming",
            "It took too long. What had come is kept. Retry, or go on from there.",
        ),
        ProviderErrorKind::CutOff => Notice::new(
            "The answer was cut off",
            "It ended before it was whole. What had come is kept, and no call in it was run. Go on from there, or retry \
             for a new answer.",
        ),
        ProviderErrorKind::Garbled => Notice::new(
            "That was not an answer of a model",
            "Something else answered in its place, such as a sign-in page of the network or a wrong address. Check \
             the address in the settings, then retry.",
        ),
        ProviderErrorKind::Empty => Notice::new("The answer was empty", "Retry, or say it in other words."),
        ProviderErrorKind::NotSetUp if failure.message == NO_KEY => Notice::new(
            format!("No API key for {provider}"),
            "A key that is kept in the tab only is gone when the tab is closed or reloaded. Enter it, then retry.",
        ),
        ProviderErrorKind::NotSetUp => Notice::new(
            "This agent cannot be asked yet",
            "Its provider or model is missing, or it may not use them. Look at its settings, then retry.",
        ),
    }
}

/// A critical error of an earlier visit.
pub fn told_error(message: &str, location: &str) -> Notice {
    let place = if location.is_empty() { String::new() } else { format!(" ({location})") };
    Notice::new("Nexus failed during an earlier visit", format!("{message}{place}. Nothing stored was lost."))
}

/// Nothing is kept, and why.
pub fn banner_memory(storage: StorageStatus) -> Notice {
    let advice = match storage {
        StorageStatus::Device => "",
        StorageStatus::ReadOnly => {
            return Notice::new(
                "Read only",
                "What is on this device was written by a newer version of Nexus. It is shown and left as it is. \
                 Reload to get that version.",
            );
        }
        StorageStatus::Denied => {
            "The browser denies storage here, so everything is gone when this page closes. Allow site data, or open \
             Nexus in a tab of its own."
        }
        StorageStatus::Newer => {
            "What is on this device was written by a newer version of Nexus and is left as it is. Reload to get that \
             version; until then everything here is gone when this page closes."
        }
        StorageStatus::Full => {
            "This device, or what the browser allows, is full, so everything is gone when this page closes. Make \
             room, then reload."
        }
        StorageStatus::Failed => {
            "The browser's database did not open, so everything is gone when this page closes. Close other tabs of \
             Nexus and reload."
        }
    };
    Notice::new("Nothing is kept", advice)
}

/// What is told where the browser cleared what was kept.
pub fn cleared() -> Notice {
    Notice::new(
        "Your data was cleared by the browser.",
        "What was kept here is gone. If you have an export, Settings → Data restores it.",
    )
}

/// What the operator is reminded of.
pub fn care(care: BackupReminder) -> Notice {
    match care {
        BackupReminder::Export => Notice::new(
            "Time for an export.",
            "Nothing was exported for a week or more, and the browser does not promise to keep what is here. Settings → \
             Data exports everything as one file.",
        ),
        BackupReminder::LittleRoom { quota } => Notice::new(
            format!(
                "The browser gives this page only {}.",
                size(usize::try_from(quota).unwrap_or(usize::MAX))
            ),
            "Private windows are like that: what is here goes when the last of them is closed. Settings → Data exports \
             it before.",
        ),
    }
}

/// The ledger cannot be written.
pub fn banner_store(reason: &str) -> Notice {
    Notice::new(
        "Storage failed",
        format!("{reason}. Nothing new is taken in until it works again; what you type stays in its field."),
    )
}

pub const STARTING: &str = "Starting…";

/// The store takes unusually long to answer.
pub fn banner_waiting() -> Notice {
    Notice::new(
        "Waiting for storage",
        "Another tab or another program keeps the storage of this browser busy. Close other tabs of Nexus, or wait: \
         Nexus goes on by itself as soon as the storage answers.",
    )
}

/// The browser deleted what was kept.
pub fn banner_deleted() -> Notice {
    Notice::new(
        "The stored data was deleted",
        "The browser deleted the storage of Nexus while this tab was open, so nothing new is saved. Save what this \
         tab still holds before you close or reload it.",
    )
}

pub const SAVE_FROM_MEMORY: &str = "Save what this tab holds";
pub const SAVE_FROM_MEMORY_ABOUT: &str = "A JSON file with the messages and files that are loaded in this tab. It is for reading: it cannot be imported.";

/// The part of the program that changes things did not come.
pub fn part_missing() -> Notice {
    Notice::new(
        "A part of Nexus is missing",
        "It could not be loaded: the connection may be gone, or Nexus was renewed while this page was open. It is asked \
         for again every few seconds, and what you send waits for it. If that does not help, load the page again.",
    )
}

/// Another tab works in this session.
pub fn banner_read_only() -> Notice {
    Notice::new("Read only", "Another tab works in this session. What it does shows here as it comes.")
}

pub const WORK_HERE: &str = "Work here";
/// What that does.
pub const WORK_HERE_ABOUT: &str =
    "The other tab can only read then. What runs there is cut off, and can go on here.";

/// The other tab was asked to hand over, and did not.
pub fn nobody_hands_over() -> Notice {
    Notice::new("The other tab did not answer.", "Close it, and this one can work here.")
}

/// The demo answers.
pub fn banner_rehearsal() -> Notice {
    Notice::new("Demo", "Agents play prepared answers. For work of your own, connect a model.")
}

/// A long paste became a file.
pub fn too_long_pasted(name: &str, bytes: usize) -> Notice {
    let size = crate::strings::format::size(bytes);
    Notice::new(
        format!("The pasted text became the file “{name}”"),
        format!("{size} are too much for a message. The agents can read the file; the message names it."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_says_what_happened_and_what_to_do() {
        let all = [
            ProviderErrorKind::Authentication,
            ProviderErrorKind::Permission,
            ProviderErrorKind::Quota,
            ProviderErrorKind::RateLimit,
            ProviderErrorKind::Overloaded,
            ProviderErrorKind::Server,
            ProviderErrorKind::BadRequest,
            ProviderErrorKind::NotFound,
            ProviderErrorKind::ContextOverflow,
            ProviderErrorKind::Blocked,
            ProviderErrorKind::Unreachable,
            ProviderErrorKind::Stalled,
            ProviderErrorKind::CutOff,
            ProviderErrorKind::Garbled,
            ProviderErrorKind::Empty,
            ProviderErrorKind::NotSetUp,
        ];
        let mut titles = nexus_text::vec_map::VecSet::new();
        for category in all {
            let told =
                failure(&ProviderError::new(category, "raw"), "Gemini", "https://a.example", "gemini-9");
            assert!(!told.title.is_empty() && told.advice.ends_with('.'), "{told:?}");
            assert!(titles.insert(told.title), "two failures with one title");
        }
    }

    #[test]
    fn n02_n05_no_cause_is_claimed_and_the_model_and_address_are_named() {
        let of = |category| {
            let told =
                failure(&ProviderError::new(category, "raw"), "Gemini", "https://a.example", "gemini-9");
            format!("{} {}", told.title, told.advice)
        };
        let unreachable = of(ProviderErrorKind::Unreachable);
        for cause in ["offline", "CORS", "DNS", "refused", "wrong"] {
            assert!(!unreachable.contains(cause), "{unreachable}");
        }
        assert!(unreachable.contains("https://a.example"));
        let missing = of(ProviderErrorKind::NotFound);
        assert!(
            missing.contains("gemini-9") && missing.contains("https://a.example") && missing.contains("list")
        );
    }

    #[test]
    fn a_missing_key_is_named_and_no_other_cause_is() {
        let told = failure(
            &ProviderError::new(ProviderErrorKind::NotSetUp, NO_KEY),
            "Gemini",
            "https://a.example",
            "g",
        );
        assert_eq!(told.title, "No API key for Gemini");
        assert!(told.advice.contains("reloaded"));
        let other = failure(
            &ProviderError::new(ProviderErrorKind::NotSetUp, "raw"),
            "Gemini",
            "https://a.example",
            "g",
        );
        assert!(!format!("{other:?}").contains("key"), "{other:?}");
    }

    #[test]
    fn a_told_error_keeps_the_program_s_words() {
        let told = told_error("index out of bounds", "src/a.rs:3");
        assert!(told.advice.contains("index out of bounds (src/a.rs:3)"));
    }
}
