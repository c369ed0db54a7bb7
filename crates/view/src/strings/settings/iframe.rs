//! Strings about pages that embed Nexus. Never quotes what such a page wrote.

use crate::strings::size;
use nexus_model::limits::{EMBEDDED_BYTES, EMBEDDED_DRAFTS, EMBEDDERS};
use nexus_model::provider::address::AddressError;
use nexus_model::settings::iframe_policy::{EmbedRejection, EmbedderError};

pub const PAGE: &str = "A page that may place drafts";
pub const PAGE_ABOUT: &str = "Where Nexus stands in the frame of another page: the exact origin of that page, such as \
     https://docs.example or http://localhost:3000. It may put words into the composer, which you see and send, and nothing \
     else. Nobody may otherwise.";
pub const LET_IN: &str = "Let it in";
pub const MAY: &str = "when this page sends a draft → the composer of the session in view";
pub const RESTS: &str = "paused";

/// Why a page cannot be let in.
pub fn bad_page(bad: EmbedderError) -> String {
    match bad {
        EmbedderError::Address(AddressError::Empty) => "It needs the origin of a page.".to_owned(),
        EmbedderError::Address(AddressError::KeyInside) => {
            "A name, a password or a key is no part of an origin.".to_owned()
        }
        EmbedderError::Address(
            AddressError::Scheme
            | AddressError::Host
            | AddressError::Port
            | AddressError::Blank
            | AddressError::Query,
        ) => "This is no origin. One looks like https://docs.example or http://localhost:3000.".to_owned(),
        EmbedderError::Path => "An origin ends with the name and port: leave out what follows.".to_owned(),
        EmbedderError::NotSafe => "Only https: is safe here, but for pages of this machine.".to_owned(),
        EmbedderError::TooMany => format!("There are {EMBEDDERS} already. Delete one first."),
    }
}

/// What is told, once for each page, when a draft of it was refused.
pub fn refused(origin: &str, why: EmbedRejection) -> (String, String) {
    // Pages without an origin, such as those in a sandbox, are called so by browsers.
    let page = if origin == "null" { "A page without an origin" } else { origin };
    let told = match why {
        EmbedRejection::NotAllowed if origin == "null" => {
            "It cannot be let in: nobody could tell it from others.".to_owned()
        }
        EmbedRejection::NotAllowed => {
            "Nothing was placed. To let it, add its origin under Settings → Triggers.".to_owned()
        }
        EmbedRejection::Shape | EmbedRejection::Version => {
            "Its message does not look as the guide to embedding says. Nothing was placed.".to_owned()
        }
        EmbedRejection::Empty => "The draft said nothing.".to_owned(),
        EmbedRejection::TooLong => {
            format!("The draft was longer than {}. Nothing was placed.", size(EMBEDDED_BYTES))
        }
        EmbedRejection::Hidden => {
            "The draft held characters that cannot be seen. Nothing was placed.".to_owned()
        }
        EmbedRejection::Full => {
            format!("{EMBEDDED_DRAFTS} drafts stand in the composer already. Send or clear them first.")
        }
        EmbedRejection::Rests | EmbedRejection::Busy | EmbedRejection::ReadOnly => {
            "Nothing was placed.".to_owned()
        }
    };
    (format!("{page} wanted to place a draft"), told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_who_and_what_to_set() {
        let (title, told) = refused("https://docs.example", EmbedRejection::NotAllowed);
        assert_eq!(title, "https://docs.example wanted to place a draft");
        assert!(told.contains("Settings → Triggers"), "{told}");
        let (title, told) = refused("null", EmbedRejection::NotAllowed);
        assert!(title.starts_with("A page without an origin") && !told.contains("Settings"), "{told}");
        assert!(bad_page(EmbedderError::Path).contains("leave out"));
    }
}
