//! One conversation, several models: whatever history agents on different providers leave behind, each codec turns
//! it into a request that its provider takes. Never looks at how a codec does it.
//!
//! The histories are random, the judges are the strict rules of the fake provider, which were written from what is
//! known of the services and from recordings, by other hands than the codecs.

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
