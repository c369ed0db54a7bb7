//! The fake provider of the browser flows, tested by itself. Never starts a browser: this runs with
//! the plain native tests, so that a flow that fails can trust its judge.

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
