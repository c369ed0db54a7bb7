//! Never says what a page wrote.
//!
//! Owns the words about pages that embed this one.

use crate::domain::address::AddressProblem;
use crate::domain::embedding::{BadPage, Refused};
use crate::domain::limits::{EMBEDDED_BYTES, EMBEDDED_DRAFTS, EMBEDDERS};
use crate::ui::words::size;

pub(crate) const PAGE: &str = "A page that may place drafts";
pub(crate) const PAGE_ABOUT: &str = "Where Nexus stands in the frame of another page: the exact origin of that page, such as \
     https://docs.example or http://localhost:3000. It may put words into the composer, which you see and send, and nothing \
     else. Nobody may otherwise.";
pub(crate) const LET_IN: &str = "Let it in";
pub(crate) const MAY: &str = "when this page sends a draft → the composer of the session in view";
pub(crate) const RESTS: &str = "paused";

/// Why a page cannot be let in.
pub(crate) fn bad_page(bad: BadPage) -> String {
    match bad {
        BadPage::Address(AddressProblem::Empty) => "It needs the origin of a page.".to_owned(),
        BadPage::Address(AddressProblem::KeyInside) => {
            "A name, a password or a key is no part of an origin.".to_owned()
        }
        BadPage::Address(
            AddressProblem::Scheme
            | AddressProblem::Host
            | AddressProblem::Port
            | AddressProblem::Blank
            | AddressProblem::Query,
        ) => "This is no origin. One looks like https://docs.example or http://localhost:3000.".to_owned(),
        BadPage::Path => "An origin ends with the name and port: leave out what follows.".to_owned(),
        BadPage::NotSafe => "Only https: is safe here, but for pages of this machine.".to_owned(),
        BadPage::TooMany => format!("There are {EMBEDDERS} already. Delete one first."),
    }
}

/// What is told, once for each page, when a draft of it was refused.
pub(crate) fn refused(origin: &str, why: Refused) -> (String, String) {
    // Pages without an origin, such as those in a sandbox, are called so by browsers.
    let page = if origin == "null" { "A page without an origin" } else { origin };
    let told = match why {
        Refused::NotAllowed if origin == "null" => {
            "It cannot be let in: nobody could tell it from others.".to_owned()
        }
        Refused::NotAllowed => {
            "Nothing was placed. To let it, add its origin under Settings → Triggers.".to_owned()
        }
        Refused::Shape | Refused::Version => {
            "Its message does not look as the guide to embedding says. Nothing was placed.".to_owned()
        }
        Refused::Empty => "The draft said nothing.".to_owned(),
        Refused::TooLong => {
            format!("The draft was longer than {}. Nothing was placed.", size(EMBEDDED_BYTES))
        }
        Refused::Hidden => "The draft held characters that cannot be seen. Nothing was placed.".to_owned(),
        Refused::Full => {
            format!("{EMBEDDED_DRAFTS} drafts stand in the composer already. Send or clear them first.")
        }
        Refused::Rests | Refused::Busy | Refused::ReadOnly => "Nothing was placed.".to_owned(),
    };
    (format!("{page} wanted to place a draft"), told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_who_and_what_to_set() {
        let (title, told) = refused("https://docs.example", Refused::NotAllowed);
        assert_eq!(title, "https://docs.example wanted to place a draft");
        assert!(told.contains("Settings → Triggers"), "{told}");
        let (title, told) = refused("null", Refused::NotAllowed);
        assert!(title.starts_with("A page without an origin") && !told.contains("Settings"), "{told}");
        assert!(bad_page(BadPage::Path).contains("leave out"));
    }
}
