//! Tests that every codec turns any history of several models into a valid request for its provider.
//!
//! Histories are random. They are checked by the fake provider's strict rules, which were written independently of
//! the codecs, from the services' documentation and from recordings.

#[allow(dead_code, reason = "the browser flows use the rest")]
mod e2e {
    pub(crate) mod http;
    pub(crate) mod provider;
}

#[cfg(test)]
mod many_models {
    mod history;
    mod law;
    mod makers;
}
