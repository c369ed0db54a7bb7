//! Strings of run limits, prices and tool rules.

pub const COSTS: &str = "Prices and caps";
pub const COSTS_ABOUT: &str =
    "What a run may use before it pauses and asks, and what Nexus reckons that tokens cost.";

pub const CAPS: &str = "A run pauses and asks at";
pub const CAPS_ABOUT: &str = "Counts from the next run on. An empty field means the usual, which it shows.";
pub const CAP_CALLS: &str = "Model calls";
pub const CAP_CALLS_ABOUT: &str = "Every answer, and every step after tools, is one.";
pub const CAP_TOKENS: &str = "Tokens, in and out";
pub const CAP_TOKENS_ABOUT: &str = "All that goes to the models and comes back.";
pub const CAP_DOLLARS: &str = "US dollars, estimated";
pub const CAP_DOLLARS_ABOUT: &str = "Counted where the price of a model is known.";
pub const WHOLE_WRONG: &str = "A whole number from 1 on, or nothing.";
pub const CAP_DOLLARS_WRONG: &str = "Dollars above 0, such as 2.50, or nothing. No comma.";

pub const SILENCE: &str = "Silence that ends an answer, in seconds";
pub const SILENCE_ABOUT: &str = "Pings count as sound. A server on this machine may usually be silent for 300 seconds, while it reads the prompt.";
pub const SILENCE_WRONG: &str = "Whole seconds from 1 to 3600, or nothing.";

pub const PRICES: &str = "Prices";
pub const PRICES_ABOUT: &str = "Costs reckoned with them are estimates: providers change their prices, and large requests often have \
     others. What a provider's list of models tells comes before what was shipped; enter what you pay where you know \
     better. Models on this machine cost nothing here unless you say so.";
pub const MODEL: &str = "Model";
pub const INPUT: &str = "Input";
pub const CACHED: &str = "Cached";
pub const OUTPUT: &str = "Output";
pub const BACK: &str = "Back";
pub const UNKNOWN: &str = "not known";
pub const AS_INPUT: &str = "as input";
pub const OWN: &str = "your price";
pub const BOTH: &str = "Counts once input and output are there.";
pub const PRICE_WRONG: &str = "Dollars from 0 on, such as 0.75. No comma.";
pub const TO_USUAL: &str = "Use usual price";
pub const REMOVE: &str = "Remove";
pub const ADD: &str = "Add a model";
pub const PROVIDER: &str = "Provider";
pub const NO_MODEL: &str = "Enter the model's id.";

pub const RULES: &str = "Permissions";
pub const RULES_ABOUT: &str = "What holds for all agents on this device, whatever each of them may do.";
pub const RULES_ORDER: &str = "Deny comes before ask, and ask before allow: an agent that may not use a tool does not get it by an allow \
     here, and a deny here holds for every agent. Changes count from the next call on.";
pub const AS_AGENT: &str = "As the agent says";
pub const RULES_OTHER: &str = "There are rules besides these, about single agents or several tools, or rules that cannot be read and so deny all.";
pub const RULES_FORGET: &str = "Forget all rules of this device";

/// What the table is, and of when.
pub fn table(dated: &str) -> String {
    format!("US dollars for a million tokens. Shipped prices as of {dated}: estimates.")
}
