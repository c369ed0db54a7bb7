//! Never looks anything up.
//!
//! Owns the words of what agents may cost and do: caps, prices, the device's rules.

pub(crate) const COSTS: &str = "Prices and caps";
pub(crate) const COSTS_ABOUT: &str =
    "What a run may use before it pauses and asks, and what Nexus reckons that tokens cost.";

pub(crate) const CAPS: &str = "A run pauses and asks at";
pub(crate) const CAPS_ABOUT: &str =
    "Counts from the next run on. An empty field means the usual, which it shows.";
pub(crate) const CAP_CALLS: &str = "Model calls";
pub(crate) const CAP_CALLS_ABOUT: &str = "Every answer, and every step after tools, is one.";
pub(crate) const CAP_TOKENS: &str = "Tokens, in and out";
pub(crate) const CAP_TOKENS_ABOUT: &str = "All that goes to the models and comes back.";
pub(crate) const CAP_DOLLARS: &str = "US dollars, estimated";
pub(crate) const CAP_DOLLARS_ABOUT: &str = "Counted where the price of a model is known.";
pub(crate) const WHOLE_WRONG: &str = "A whole number from 1 on, or nothing.";
pub(crate) const CAP_DOLLARS_WRONG: &str = "Dollars above 0, such as 2.50, or nothing. No comma.";

pub(crate) const SILENCE: &str = "Silence that ends an answer, in seconds";
pub(crate) const SILENCE_ABOUT: &str = "Pings count as sound. A server on this machine may usually be silent for 300 seconds, while it reads the prompt.";
pub(crate) const SILENCE_WRONG: &str = "Whole seconds from 1 to 3600, or nothing.";

pub(crate) const PRICES: &str = "Prices";
pub(crate) const PRICES_ABOUT: &str = "Costs reckoned with them are estimates: providers change their prices, and large requests often have \
     others. What a provider's list of models tells comes before what was shipped; enter what you pay where you know \
     better. Models on this machine cost nothing here unless you say so.";
pub(crate) const MODEL: &str = "Model";
pub(crate) const INPUT: &str = "Input";
pub(crate) const CACHED: &str = "Cached";
pub(crate) const OUTPUT: &str = "Output";
pub(crate) const BACK: &str = "Back";
pub(crate) const UNKNOWN: &str = "not known";
pub(crate) const AS_INPUT: &str = "as input";
pub(crate) const OWN: &str = "your price";
pub(crate) const BOTH: &str = "Counts once input and output are there.";
pub(crate) const PRICE_WRONG: &str = "Dollars from 0 on, such as 0.75. No comma.";
pub(crate) const TO_USUAL: &str = "Use usual price";
pub(crate) const REMOVE: &str = "Remove";
pub(crate) const ADD: &str = "Add a model";
pub(crate) const PROVIDER: &str = "Provider";
pub(crate) const NO_MODEL: &str = "Enter the model's id.";

pub(crate) const RULES: &str = "Permissions";
pub(crate) const RULES_ABOUT: &str =
    "What holds for all agents on this device, whatever each of them may do.";
pub(crate) const RULES_ORDER: &str = "Deny comes before ask, and ask before allow: an agent that may not use a tool does not get it by an allow \
     here, and a deny here holds for every agent. Changes count from the next call on.";
pub(crate) const AS_AGENT: &str = "As the agent says";
pub(crate) const RULES_OTHER: &str = "There are rules besides these, about single agents or several tools, or rules that cannot be read and so deny all.";
pub(crate) const RULES_FORGET: &str = "Forget all rules of this device";

/// What the table is, and of when.
pub(crate) fn table(dated: &str) -> String {
    format!("US dollars for a million tokens. Shipped prices as of {dated}: estimates.")
}
