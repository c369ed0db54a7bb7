//! Classifies Ollama's errors: `{"error": "words"}`, as the response body or as a line of the stream.
//!
//! Shares its shapes, and the pages of gateways and tunnels, with OpenAI-compatible hosts.

use serde_json::Value;

use crate::openai_chat;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// What an answer means that is no stream.
pub fn classify(status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    let failure = openai_chat::error::classify(status, content_type, body);
    // A foreign origin is refused like this, without a word, where the browser shows the answer at all.
    if status == 403 && body.trim().is_empty() {
        return ProviderError { category: ProviderErrorKind::Permission, ..failure };
    }
    failure
}

/// The failure in a line of the answer, if it holds one.
pub fn failure_in(line: &Value) -> Option<ProviderError> {
    openai_chat::error::failure_in(line, None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_refusal_has_its_category() {
        use ProviderErrorKind as C;
        let cases = [
            (400, "registry.ollama.ai/library/gemma3:1b does not support tools", C::BadRequest),
            (400, "\"llama3\" does not support thinking", C::BadRequest),
            (404, "model \"llama9\" not found, try pulling it first", C::NotFound),
            (401, "unauthorized", C::Authentication),
            (503, "server busy, please try again.  maximum pending requests exceeded", C::Overloaded),
            (500, "llama runner process has terminated: signal: killed", C::Server),
            (429, "you have reached your hourly usage limit", C::RateLimit),
        ];
        for (status, words, category) in cases {
            let body = json!({ "error": words });
            let failure = classify(status, None, &body.to_string());
            assert_eq!((failure.category, failure.message.as_str()), (category, words));
            assert_eq!(failure.status, Some(status));
        }
        assert_eq!(classify(403, None, "").category, C::Permission);
        let midway =
            failure_in(&json!({"error": "an error was encountered while running the model"})).unwrap();
        assert_eq!((midway.category, midway.status), (C::Server, None));
        assert_eq!(failure_in(&json!({"message": {"content": "x"}, "done": false})), None);
    }
}
