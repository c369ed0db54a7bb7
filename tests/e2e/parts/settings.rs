//! Selectors for the settings.

use super::Part;

parts! {
    OPEN_SETTINGS = "open-settings";
    /// A newer version waits, on any screen.
    NEW_VERSION = "new-version";
    /// Button: loads it.
    NEW_VERSION_TAKE = "new-version-take";
    SETTINGS = "settings";
    /// Button of a section on a narrow screen: back to the list of sections.
    SETTINGS_SECTIONS = "settings-sections";
    /// Input: the operator's name.
    SETTINGS_NAME = "settings-name";
    /// Button: offers the providers that can be added; each is a button `preset-<id>`.
    PROVIDER_ADD = "provider-add";
    /// Button in the offer: a host that is not on it.
    PRESET_OTHER = "preset-other";
    /// A provider; `data-provider` is its id. Folded where nothing has to be done.
    PROVIDER_CARD = "provider-card";
    /// Input in it: its key, kept in this tab as the field is left.
    PROVIDER_KEY = "provider-key";
    PROVIDER_BASE_URL = "provider-base-url";
    /// Select in it: how it speaks.
    PROVIDER_PROTOCOL = "provider-protocol";
    /// Button in it: lets all agents think with it.
    PROVIDER_USE = "provider-use";
    /// Button in it: asks it for its models.
    PROVIDER_TEST = "provider-test";
    /// What that saw; `data-check` is `address`, `reached`, `key`, `models` or `in-use`, `data-state` is `passed`,
    /// `failed` or `unknown`.
    PROVIDER_TEST_STEP = "provider-test-step";
    /// Says that the page must load again before the provider can be called.
    PROVIDER_RELOAD = "provider-reload";
    /// Button in it: asks whether to remove it.
    PROVIDER_REMOVE = "provider-remove";
    PROVIDER_REMOVE_YES = "provider-remove-yes";
    /// What there is of the key; `data-held` is `true` where it can be used.
    KEY_STATE = "key-state";
    /// Choice in it: keep the key in this tab only.
    KEY_KEEP_TAB = "key-keep-tab";
    /// Choice in it: keep the key under a passphrase.
    KEY_KEEP_PASSPHRASE = "key-keep-passphrase";
    /// Choice in it: remember it in the clear; opens a dialog.
    KEY_KEEP_CLEAR = "key-keep-clear";
    /// Checkbox in that dialog.
    KEY_CLEAR_CONSENT = "key-clear-consent";
    KEY_CLEAR_YES = "key-clear-yes";
    /// Button: remembers the key that was entered.
    KEY_REMEMBER = "key-remember";
    /// The form for a missing key, in a banner or an error card.
    KEY_FORM = "key-form";
    MISSING_KEY = "missing-key";
    /// Button in it: keeps the key, and tries again in an error card.
    MISSING_KEY_SAVE = "missing-key-save";
    /// Choice in it and on the first screen: keep the key in this tab only.
    PLACE_TAB = "place-tab";
    /// Choice there: under a passphrase.
    PLACE_PASSPHRASE = "place-passphrase";
    /// Choice there: on this device without a passphrase.
    PLACE_CLEAR = "place-clear";
    /// Input there: the passphrase.
    PLACE_WORDS = "place-words";
    /// Checkbox there: others may read the key.
    PLACE_AGREED = "place-agreed";
    /// Says where the key is kept, as it was chosen before; the choices are folded away in it.
    PLACE_BEFORE = "place-before";
    /// Button in the banner of a missing key: shows the form.
    BANNER_KEY = "banner-key";
    /// Button: locks all keys under the passphrase.
    KEY_LOCK = "key-lock";
    /// Button beside it: opens the form for another passphrase.
    PASSPHRASE_CHANGE = "passphrase-change";
    /// Input in that form: the passphrase that holds.
    PASSPHRASE_NOW = "passphrase-now";
    /// Input in that form: the one that is to hold.
    PASSPHRASE_NEXT = "passphrase-next";
    /// Button in that form.
    PASSPHRASE_CHANGE_YES = "passphrase-change-yes";
    KEY_FORGET = "key-forget";
    PASSPHRASE = "passphrase";
    /// Button: unlocks the keys.
    UNLOCK = "unlock";
    /// The dialog that asks for the passphrase when a call waits.
    UNLOCK_DIALOG = "unlock-dialog";
    /// Buttons in the offer.
    PRESET_OPENAI = "preset-openai";
    PRESET_ANTHROPIC = "preset-anthropic";
    PRESET_OLLAMA = "preset-ollama";
    PRESET_LLAMA_CPP = "preset-llamacpp";
    /// Select: a tag, or nothing for the browser's.
    LANGUAGE_SELECT = "language";
    /// Select: `dark`, `light` or `auto`.
    THEME_SELECT = "theme-select";
    /// One agent's settings; `data-agent` is its key.
    AGENT_SETTINGS = "agent-settings";
    /// Input in it: the model's id, with the provider's models as suggestions.
    AGENT_MODEL = "agent-model";
    /// What the provider's list tells of the model.
    AGENT_MODEL_FACTS = "agent-model-facts";
    AGENT_NAME = "agent-name";
    /// Button in it: one place earlier.
    AGENT_UP = "agent-up";
    /// Button in it: makes a copy.
    AGENT_DUPLICATE = "agent-duplicate";
    /// Button in it: takes it out of the roster.
    AGENT_DELETE = "agent-delete";
    AGENT_ADD = "agent-add";
    /// Input: takes one in from a file.
    AGENT_IMPORT = "agent-import";
    /// Why the file was not taken in.
    AGENT_IMPORT_PROBLEM = "agent-import-problem";
    /// Select in it: the provider's id.
    AGENT_PROVIDER = "agent-provider";
    /// Select in it: `allow`, `ask` or `deny`; `data-tool` is the tool's name.
    AGENT_TOOL = "agent-tool";
    /// Select: what holds of a tool for all agents: empty, `allow`, `ask` or `deny`; `data-tool` is the tool's name.
    RULE_TOOL = "rule-tool";
    /// Input: how many model calls a run may make.
    CAP_CALLS = "cap-calls";
    /// Input: how many tokens it may use.
    CAP_TOKENS = "cap-tokens";
    /// Input: how many dollars it may cost.
    CAP_DOLLARS = "cap-dollars";
    /// What a model costs; `data-model` and `data-provider` say which, `data-own` is `true` where the operator does.
    PRICE_ROW = "price-row";
    /// Input in it: dollars for a million tokens of the request.
    PRICE_INPUT = "price-input";
    /// Input in it: of the answer.
    PRICE_OUTPUT = "price-output";
    /// Button in it: goes back to the shipped price, or out of the table.
    PRICE_RESET = "price-reset";
    /// Input: the id of a model to add to the table.
    PRICE_MODEL = "price-model";
    PRICE_ADD = "price-add";
}
