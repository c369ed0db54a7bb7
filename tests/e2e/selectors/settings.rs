//! Selectors for the settings.

use super::TestId;

test_ids! {
    OPEN_SETTINGS = "open-settings";
    /// Note on any screen that a newer version is available.
    NEW_VERSION = "new-version";
    /// Button: load it.
    NEW_VERSION_TAKE = "new-version-take";
    SETTINGS = "settings";
    /// Button of a section on a narrow screen: back to the list of sections.
    SETTINGS_SECTIONS = "settings-sections";
    /// Input: the operator's name.
    SETTINGS_NAME = "settings-name";
    /// Button: list of presets; each is a button `preset-<id>`.
    PROVIDER_ADD = "provider-add";
    /// Button in the list: another host.
    PRESET_OTHER = "preset-other";
    /// A provider; `data-provider` is its id. Folded if it needs no attention.
    PROVIDER_CARD = "provider-card";
    /// Input in it: its API key, stored in this tab when the field loses focus.
    PROVIDER_KEY = "provider-key";
    PROVIDER_BASE_URL = "provider-base-url";
    /// Select in it: API format.
    PROVIDER_PROTOCOL = "provider-protocol";
    /// Button in it: use it for all agents.
    PROVIDER_USE = "provider-use";
    /// Button in it: test the connection.
    PROVIDER_TEST = "provider-test";
    /// Result of a check; `data-check` is `address`, `reached`, `key`, `models` or `in-use`, `data-state` is
    /// `passed`, `failed` or `unknown`.
    PROVIDER_TEST_STEP = "provider-test-step";
    /// Note that the page must be reloaded before it can call the provider.
    PROVIDER_RELOAD = "provider-reload";
    /// Button in it: remove, with confirmation.
    PROVIDER_REMOVE = "provider-remove";
    PROVIDER_REMOVE_YES = "provider-remove-yes";
    /// Status of the key; `data-held` is `true` if it can be used.
    KEY_STATE = "key-state";
    /// Choice in it: store the key in this tab only.
    KEY_KEEP_TAB = "key-keep-tab";
    /// Choice in it: store the key under a passphrase.
    KEY_KEEP_PASSPHRASE = "key-keep-passphrase";
    /// Choice in it: store it unencrypted; opens a dialog.
    KEY_KEEP_CLEAR = "key-keep-clear";
    /// Checkbox in that dialog.
    KEY_CLEAR_CONSENT = "key-clear-consent";
    KEY_CLEAR_YES = "key-clear-yes";
    /// Button: store the entered key.
    KEY_REMEMBER = "key-remember";
    /// The form for a missing key, in a banner or an error card.
    KEY_FORM = "key-form";
    MISSING_KEY = "missing-key";
    /// Button in it: store the key, and retry in an error card.
    MISSING_KEY_SAVE = "missing-key-save";
    /// Choice in it and on the first screen: store the key in this tab only.
    PLACE_TAB = "place-tab";
    /// Choice there: under a passphrase.
    PLACE_PASSPHRASE = "place-passphrase";
    /// Choice there: on this device without a passphrase.
    PLACE_CLEAR = "place-clear";
    /// Input there: the passphrase.
    PLACE_WORDS = "place-words";
    /// Checkbox there: others may read the key.
    PLACE_AGREED = "place-agreed";
    /// Where keys are stored, as chosen before; the choices are folded in it.
    PLACE_BEFORE = "place-before";
    /// Button in the banner of a missing key: show the form.
    BANNER_KEY = "banner-key";
    /// Button: lock all keys with the passphrase.
    KEY_LOCK = "key-lock";
    /// Button beside it: change the passphrase.
    PASSPHRASE_CHANGE = "passphrase-change";
    /// Input in that form: the current passphrase.
    PASSPHRASE_NOW = "passphrase-now";
    /// Input in that form: the new passphrase.
    PASSPHRASE_NEXT = "passphrase-next";
    /// Button in that form.
    PASSPHRASE_CHANGE_YES = "passphrase-change-yes";
    KEY_FORGET = "key-forget";
    PASSPHRASE = "passphrase";
    /// Button: unlock the keys.
    UNLOCK = "unlock";
    /// The dialog that asks for the passphrase when a call needs it.
    UNLOCK_DIALOG = "unlock-dialog";
    /// Presets.
    PRESET_OPENAI = "preset-openai";
    PRESET_ANTHROPIC = "preset-anthropic";
    PRESET_OLLAMA = "preset-ollama";
    PRESET_LLAMA_CPP = "preset-llamacpp";
    /// Select: a language tag; empty for the browser's.
    LANGUAGE_SELECT = "language";
    /// Select: `dark`, `light` or `auto`.
    THEME_SELECT = "theme-select";
    /// One agent's settings; `data-agent` is its key.
    AGENT_SETTINGS = "agent-settings";
    /// Input in it: the model's id, with the provider's models as suggestions.
    AGENT_MODEL = "agent-model";
    /// Details of the model from the provider's list.
    AGENT_MODEL_FACTS = "agent-model-facts";
    AGENT_NAME = "agent-name";
    /// Button in it: move up.
    AGENT_UP = "agent-up";
    /// Button in it: duplicate.
    AGENT_DUPLICATE = "agent-duplicate";
    /// Button in it: remove.
    AGENT_DELETE = "agent-delete";
    AGENT_ADD = "agent-add";
    /// Input: import an agent from a file.
    AGENT_IMPORT = "agent-import";
    /// Import error.
    AGENT_IMPORT_PROBLEM = "agent-import-problem";
    /// Select in it: the provider's id.
    AGENT_PROVIDER = "agent-provider";
    /// Select in it: `allow`, `ask` or `deny`; `data-tool` is the tool's name.
    AGENT_TOOL = "agent-tool";
    /// Select: permission of a tool for all agents: empty, `allow`, `ask` or `deny`; `data-tool` is its name.
    RULE_TOOL = "rule-tool";
    /// Check: ask before every write.
    RULE_ASK_WRITES = "rule-ask-writes";
    /// Input: limit of model calls in a run.
    CAP_CALLS = "cap-calls";
    /// Input: limit of tokens.
    CAP_TOKENS = "cap-tokens";
    /// Input: limit of cost in dollars.
    CAP_DOLLARS = "cap-dollars";
    /// Price of a model, with `data-model` and `data-provider`; `data-own` is `true` if the operator set it.
    PRICE_ROW = "price-row";
    /// Input in it: dollars per million input tokens.
    PRICE_INPUT = "price-input";
    /// Input in it: per million output tokens.
    PRICE_OUTPUT = "price-output";
    /// Button in it: reset to the shipped price, or remove.
    PRICE_RESET = "price-reset";
    /// Input: id of a model to add.
    PRICE_MODEL = "price-model";
    PRICE_ADD = "price-add";
}
