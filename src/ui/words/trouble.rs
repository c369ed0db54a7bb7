//! Never hides what a provider said: its own words stand beside ours.
//!
//! Owns what is said when a model call, the storage, or the program failed.

use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::live::Care;
use crate::ui::Storage;
use crate::ui::words::{Told, elapsed, size};

/// A failed call of a model of a provider at an address, with what to do. The words that came are shown beside it.
pub fn failure(failure: &Failure, provider: &str, address: &str, model: &str) -> Told {
    match failure.category {
        FailureCategory::Authentication => Told::new(
            "The key was refused",
            format!("{provider} does not accept this key. Enter it again in the settings, then retry."),
        ),
        FailureCategory::Permission => Told::new(
            "The key may not do this",
            format!(
                "{provider} knows the key but does not allow this call: the API may be off, the key restricted, or \
                 the region closed. Check the key at the provider, then retry."
            ),
        ),
        FailureCategory::Quota => Told::new(
            "The allowance is used up",
            format!(
                "{provider} reports that a quota or the credit is spent. Raise it there, or pick another model."
            ),
        ),
        FailureCategory::RateLimit => {
            let wait = match failure.retry_after_ms {
                Some(ms) => format!("It asks to wait {}.", elapsed(ms.max(1_000))),
                None => "Wait a minute.".to_owned(),
            };
            Told::new("Too many requests", format!("{provider} asks for a pause. {wait} Then retry."))
        }
        FailureCategory::Overloaded => {
            Told::new("The model is overloaded", "Wait a little, then retry, or pick another model.")
        }
        FailureCategory::Server => Told::new(
            "The provider failed",
            format!("{provider} reports a fault of its own. Wait a little, then retry."),
        ),
        FailureCategory::BadRequest => Told::new(
            "The request was not understood",
            format!(
                "{provider} refused it as malformed. Check the model's settings; its words below say more."
            ),
        ),
        FailureCategory::NotFound => Told::new(
            "There is no such model",
            format!(
                "{address} knows no model “{model}”, or nothing is at this address. Pick one from the provider's list in \
                 the settings, then retry."
            ),
        ),
        FailureCategory::ContextOverflow => Told::new(
            "The conversation is too long for this model",
            "Pick a model with a larger window, or make the files smaller, then retry.",
        ),
        FailureCategory::Blocked => {
            Told::new("A safety filter stopped the answer", "Say it in other words, or pick another model.")
        }
        FailureCategory::Unreachable => Told::new(
            format!("{provider} cannot be reached"),
            format!(
                "Nothing came from {address}, and the browser does not tell a page why. Look at these, then retry."
            ),
        ),
        FailureCategory::Stalled => Told::new(
            "The answer stopped coming",
            "It took too long. What had come is kept. Retry, or go on from there.",
        ),
        FailureCategory::CutOff => Told::new(
            "The answer was cut off",
            "It ended before it was whole. What had come is kept, and no call in it was run. Go on from there, or retry \
             for a new answer.",
        ),
        FailureCategory::Garbled => Told::new(
            "That was not an answer of a model",
            "Something else answered in its place, such as a sign-in page of the network or a wrong address. Check \
             the address in the settings, then retry.",
        ),
        FailureCategory::Empty => Told::new("The answer was empty", "Retry, or say it in other words."),
        FailureCategory::NotSetUp => Told::new(
            "This agent cannot be asked yet",
            "Its provider, model or key is missing in this tab. Enter it in the settings, then retry.",
        ),
    }
}

/// A critical error of an earlier visit.
pub fn told_error(message: &str, location: &str) -> Told {
    let place = if location.is_empty() { String::new() } else { format!(" ({location})") };
    Told::new("Nexus failed during an earlier visit", format!("{message}{place}. Nothing stored was lost."))
}

/// Nothing is kept, and why.
pub fn banner_memory(storage: Storage) -> Told {
    let advice = match storage {
        Storage::Device => "",
        Storage::ReadOnly => {
            return Told::new(
                "Read only",
                "What is on this device was written by a newer version of Nexus. It is shown and left as it is. \
                 Reload to get that version.",
            );
        }
        Storage::Denied => {
            "The browser denies storage here, so everything is gone when this page closes. Allow site data, or open \
             Nexus in a tab of its own."
        }
        Storage::Newer => {
            "What is on this device was written by a newer version of Nexus and is left as it is. Reload to get that \
             version; until then everything here is gone when this page closes."
        }
        Storage::Full => {
            "This device, or what the browser allows, is full, so everything is gone when this page closes. Make \
             room, then reload."
        }
        Storage::Failed => {
            "The browser's database did not open, so everything is gone when this page closes. Close other tabs of \
             Nexus and reload."
        }
    };
    Told::new("Nothing is kept", advice)
}

/// What is told where the browser cleared what was kept.
pub fn cleared() -> Told {
    Told::new(
        "Your data was cleared by the browser.",
        "What was kept here is gone. If you have an export, Settings → Data restores it.",
    )
}

/// What the operator is reminded of.
pub fn care(care: Care) -> Told {
    match care {
        Care::Export => Told::new(
            "Time for an export.",
            "Nothing was exported for a week or more, and the browser does not promise to keep what is here. Settings → \
             Data exports everything as one file.",
        ),
        Care::LittleRoom { quota } => Told::new(
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
pub fn banner_store(reason: &str) -> Told {
    Told::new(
        "Storage failed",
        format!("{reason}. Nothing new is taken in until it works again; what you type stays in its field."),
    )
}

/// The part of the program that changes things did not come.
pub fn part_missing() -> Told {
    Told::new(
        "A part of Nexus is missing",
        "It could not be loaded: the connection may be gone, or Nexus was renewed while this page was open. It is asked \
         for again every few seconds, and what you send waits for it. If that does not help, load the page again.",
    )
}

/// Another tab works in this session.
pub fn banner_read_only() -> Told {
    Told::new("Read only", "Another tab works in this session. What it does shows here as it comes.")
}

/// Offers to work in this tab.
pub const WORK_HERE: &str = "Work here";
/// What that does.
pub const WORK_HERE_ABOUT: &str =
    "The other tab can only read then. What runs there is cut off, and can go on here.";

/// The other tab was asked to hand over, and did not.
pub fn nobody_hands_over() -> Told {
    Told::new("The other tab did not answer.", "Close it, and this one can work here.")
}

/// Rehearsal answers.
pub fn banner_rehearsal() -> Told {
    Told::new("Rehearsal", "A stand-in answers by fixed rules, without a model, a key or a network.")
}

/// A long paste became a file.
pub fn too_long_pasted(name: &str, bytes: usize) -> Told {
    let size = crate::ui::words::size(bytes);
    Told::new(
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
            FailureCategory::Authentication,
            FailureCategory::Permission,
            FailureCategory::Quota,
            FailureCategory::RateLimit,
            FailureCategory::Overloaded,
            FailureCategory::Server,
            FailureCategory::BadRequest,
            FailureCategory::NotFound,
            FailureCategory::ContextOverflow,
            FailureCategory::Blocked,
            FailureCategory::Unreachable,
            FailureCategory::Stalled,
            FailureCategory::CutOff,
            FailureCategory::Garbled,
            FailureCategory::Empty,
            FailureCategory::NotSetUp,
        ];
        let mut titles = crate::domain::sorted::SortedSet::new();
        for category in all {
            let told = failure(&Failure::new(category, "raw"), "Gemini", "https://a.example", "gemini-9");
            assert!(!told.title.is_empty() && told.advice.ends_with('.'), "{told:?}");
            assert!(titles.insert(told.title), "two failures with one title");
        }
    }

    #[test]
    fn n02_n05_no_cause_is_claimed_and_the_model_and_address_are_named() {
        let of = |category| {
            let told = failure(&Failure::new(category, "raw"), "Gemini", "https://a.example", "gemini-9");
            format!("{} {}", told.title, told.advice)
        };
        let unreachable = of(FailureCategory::Unreachable);
        for cause in ["offline", "CORS", "DNS", "refused", "wrong"] {
            assert!(!unreachable.contains(cause), "{unreachable}");
        }
        assert!(unreachable.contains("https://a.example"));
        let missing = of(FailureCategory::NotFound);
        assert!(
            missing.contains("gemini-9") && missing.contains("https://a.example") && missing.contains("list")
        );
    }

    #[test]
    fn a_told_error_keeps_the_program_s_words() {
        let told = told_error("index out of bounds", "src/a.rs:3");
        assert!(told.advice.contains("index out of bounds (src/a.rs:3)"));
    }
}
