//! Tests of the fake provider itself, without a browser, so that a failing flow can trust it.

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
