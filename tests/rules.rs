//! The native tests over several crates, as one program: each program more is linked with all of them.
//!
//! - `architecture`, `languages`, `palette`, `words`: what the sources of the crates and of the page hold to.
//! - `fake_servers`: the fake provider itself, without a browser, so that a failing flow can trust it.
//! - `many_models`: every codec turns any history of several models into a request that its provider accepts. The judges
//!   are the fake provider's strict rules, which were written independently of the codecs, from what is known of the
//!   services and from recordings.
//! - `markdown`, `recordings`, `schema`: cases of others. They are read from where `corpus::at_hand` finds them; if
//!   absent, the tests say so.

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
