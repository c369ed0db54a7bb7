//! The native tests over several crates. They are one program, because each program is linked with all crates.
//!
//! - `architecture`, `languages`, `palette`, `words`: rules for the sources of the crates and of the page.
//! - `fake_servers`: the fake provider without a browser, so that a failing flow can trust it.
//! - `many_models`: every codec turns any history of several models into a valid request for its provider. Histories
//!   are random. They are checked by the fake provider's strict rules, which were written independently of the codecs,
//!   from the services' documentation and from recordings.
//! - `markdown`, `recordings`, `schema`: third-party cases, which `corpus::at_hand` finds or reports as absent.

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod corpus {
    pub(crate) mod at_hand;
    pub(crate) mod html;
    pub(crate) mod vectors;
}
#[allow(dead_code, reason = "the browser flows use the rest")]
mod e2e {
    pub(crate) mod http;
    pub(crate) mod provider;
    pub(crate) mod site;
}
#[cfg(test)]
mod fake_servers {
    mod anthropic_rules;
    mod bad_input;
    mod chat_rules;
    mod client;
    mod codec;
    mod exchange;
    mod gemini_rules;
    mod ollama_rules;
    mod protocols;
    mod responses_rules;
    mod spoil;
    mod static_site;
}
#[cfg(test)]
mod languages;
#[cfg(test)]
mod many_models {
    mod history;
    mod law;
    mod makers;
}
#[cfg(test)]
#[allow(clippy::string_slice, clippy::wildcard_enum_match_arm, reason = "these are tests")]
mod markdown {
    mod cases;
    mod hostile;
    mod large;
    mod tree;
}
#[cfg(test)]
mod palette;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod words;
