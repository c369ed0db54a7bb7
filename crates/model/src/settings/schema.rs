//! The table of all settings. A line makes the setting's constant, its field, its palette entry and its import rule.

use crate::limits::{RUN_CALLS, RUN_DOLLARS, RUN_TOKENS, STREAM_IDLE_MS, WORKER_DEPTH, WORKER_DEPTH_MOST};
use crate::settings::{Check, Choice, Notation, Number, Own, Rows, Setting, Text};

/// Where a setting's field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingGroup {
    You,
    Core,
    Archivist,
    RunLimits,
    Retention,
    Reading,
    Listening,
    Appearance,
    Keys,
    /// On the settings screen, drawn by a component of its own.
    Custom,
    /// Not on the settings screen.
    Hidden,
}

/// How a setting is shown and found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingInfo {
    pub group: SettingGroup,
    /// Fields that follow each other with the same number stand side by side; 0 stands alone.
    pub row: u8,
    /// The id of the field.
    pub id: &'static str,
    /// The field's name for tests.
    pub test: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    /// What is said of a number that cannot be taken.
    pub wrong: &'static str,
    /// Other words that it is found by.
    pub also: &'static str,
    /// The name in the list of what an import proposes; `None` where it is never proposed.
    pub imported: Option<&'static str>,
}

const HIDDEN: SettingInfo = SettingInfo {
    group: SettingGroup::Hidden,
    row: 0,
    id: "",
    test: "",
    label: "",
    hint: "",
    wrong: "",
    also: "",
    imported: None,
};

const fn field(
    group: SettingGroup,
    id: &'static str,
    also: &'static str,
    label: &'static str,
    hint: &'static str,
) -> SettingInfo {
    SettingInfo { group, id, test: id, label, hint, also, ..HIDDEN }
}

/// A field that a component of its own draws, with its name in the palette.
const fn custom(id: &'static str, also: &'static str, label: &'static str) -> SettingInfo {
    field(SettingGroup::Custom, id, also, label, "")
}

impl SettingInfo {
    const fn test(self, test: &'static str) -> Self {
        Self { test, ..self }
    }

    const fn row(self, row: u8) -> Self {
        Self { row, ..self }
    }

    const fn wrong(self, wrong: &'static str) -> Self {
        Self { wrong, ..self }
    }

    const fn imported(self) -> Self {
        self.imported_as(self.label)
    }

    const fn imported_as(self, name: &'static str) -> Self {
        Self { imported: Some(name), ..self }
    }
}

/// A setting of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnySetting {
    Check(Setting<Check>),
    Number(Setting<Number>),
    Choice(Setting<Choice>),
    Text(Setting<Text>),
    Own(Setting<Own>),
    Rows(Setting<Rows>),
}

impl AnySetting {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Check(setting) => setting.name,
            Self::Number(setting) => setting.name,
            Self::Choice(setting) => setting.name,
            Self::Text(setting) => setting.name,
            Self::Own(setting) => setting.name,
            Self::Rows(setting) => setting.name,
        }
    }
}

const fn number(default: u64, least: u64, most: u64, notation: Notation) -> Number {
    Number { default, least, most, notation }
}

// The constants carry no words, so that the program that only reads a setting is not larger by them.
macro_rules! schema {
    ($($constant:ident: $kind:ident = $name:literal, $how:expr, $info:expr;)*) => {
        $(pub const $constant: Setting<$kind> = Setting { name: $name, kind: $how };)*

        /// Every setting, in the order of the screen.
        pub static SCHEMA: [(AnySetting, SettingInfo); [$($name),*].len()] =
            [$((AnySetting::$kind($constant), $info)),*];
    };
}

/// How a setting is shown and found.
pub fn info<K>(setting: Setting<K>) -> &'static SettingInfo {
    SCHEMA.iter().find(|(one, _)| one.name() == setting.name).map_or(&HIDDEN, |(_, info)| info)
}

/// The name of a stored setting in the list of what an import proposes.
pub fn import_name(name: &str) -> &str {
    let found = SCHEMA.iter().find(|(setting, _)| setting.name() == name);
    found.and_then(|(_, info)| info.imported).unwrap_or(name)
}

// Name, how it is read, and: group, id, words that it is found by, label, hint.
schema! {
    OPERATOR_NAME: Text = "operator_name", Text,
        field(SettingGroup::You, "operator-name", "operator you who",
            "Your name", "Agents are told it with your messages.").test("settings-name").imported();
    QUEUE_MODE: Own = "queue_mode", Own,
        field(SettingGroup::Custom, "queue-usual", "busy waiting steer collect interrupt follow up mode",
            "While the agents work, a message", "It can be chosen for each message, too, as long as a run works.")
            .imported_as("What becomes of a message while a run works");

    CORE_PROVIDER: Text = "core_provider", Text, custom("core-provider", "sync", "Core: provider");
    CORE_MODEL: Text = "core_model", Text, custom("core-model", "sync", "Core: model");
    CORE_AUTO: Check = "core_auto", Check { default: true },
        field(SettingGroup::Core, "core-auto", "core sync automatic",
            "Ask it by itself when enough lines changed",
            "Each time costs a model call. It is never asked while a run works, and never twice about the same files.");
    CORE_PROPOSE: Check = "core_propose", Check { default: false },
        field(SettingGroup::Core, "core-propose", "core sync propose apply dismiss objective",
            "Propose changes instead of making them",
            "A proposal waits on the board until you apply or dismiss it. Otherwise the Core changes objective and scratchpad itself, and each change can be undone there.");
    CORE_WAIT: Number = "core_wait_ms", number(3_000, 0, 3_600_000, Notation::Seconds),
        field(SettingGroup::Core, "core-wait", "core sync seconds", "Quiet before that, in seconds",
            "Counted from your last keystroke, or the end of a run.")
            .row(1).wrong("Seconds from 0 to 3600, or nothing.");
    CORE_LINES: Number = "core_lines", number(5, 0, 10_000, Notation::Whole),
        field(SettingGroup::Core, "core-lines", "core sync threshold", "Changed lines that are not enough",
            "Inserted and deleted lines since the last sync; a replaced line counts two.")
            .row(1).wrong("A whole number from 0 to 10000, or nothing.");

    COMPACT_AUTO: Check = "compact_auto", Check { default: true },
        field(SettingGroup::Archivist, "compact-auto", "archivist compaction window",
            "Summarise older turns when a context is 85 % full, or was too long",
            "Full is the window of the model, or 400 turns. It is asked of the model of the agent whose window it is. Without this, older turns are left out of requests that they do not fit into.");
    SUMMARY_AUTO: Check = "summary_auto", Check { default: true },
        field(SettingGroup::Archivist, "summary-auto", "archivist session",
            "Keep a title, a summary and keywords of each session",
            "From two messages on, then after every ten new ones.");
    MEMORY_AUTO: Check = "memory_auto", Check { default: true },
        field(SettingGroup::Archivist, "memory-auto", "archivist remember facts",
            "Note what is worth remembering about you",
            "After every four messages. All of it can be read, changed and deleted under Memories in the war room.");
    ARCHIVIST_PROVIDER: Text = "archivist_provider", Text,
        custom("archivist-provider", "archivist", "Provider for summaries and memories");
    ARCHIVIST_MODEL: Text = "archivist_model", Text,
        custom("archivist-model", "summaries memories", "Archivist: model");

    CAP_CALLS: Number = "cap_calls", number(RUN_CALLS as u64, 1, u32::MAX as u64, Notation::Grouped),
        field(SettingGroup::RunLimits, "cap-calls", "cap limit pause", "Model calls",
            "Every answer, and every step after tools, is one.")
            .row(1).wrong("A whole number from 1 on, or nothing.").imported_as("Model calls of a run");
    // Above this most, a number in JSON is no longer exact.
    CAP_TOKENS: Number = "cap_tokens", number(RUN_TOKENS, 1, 1 << 53, Notation::Grouped),
        field(SettingGroup::RunLimits, "cap-tokens", "cap limit pause", "Tokens, in and out",
            "All that goes to the models and comes back.")
            .row(1).wrong("A whole number from 1 on, or nothing.").imported_as("Tokens of a run");
    CAP_DOLLARS: Number = "cap_dollars", number(RUN_DOLLARS, 0, 1_000_000, Notation::Dollars),
        field(SettingGroup::RunLimits, "cap-dollars", "cap limit pause money cost", "US dollars, estimated",
            "Counted where the price of a model is known.")
            .row(1).wrong("Dollars above 0, such as 2.50, or nothing. No comma.").imported_as("Dollars of a run");
    // The default is that of a server elsewhere; one on this machine has its own.
    SILENCE: Number = "silence_seconds", number(STREAM_IDLE_MS / 1_000, 1, 3_600, Notation::Grouped),
        field(SettingGroup::RunLimits, "silence", "timeout stream idle", "Silence that ends an answer, in seconds",
            "Pings count as sound. A server on this machine may usually be silent for 300 seconds, while it reads the prompt.")
            .test("silence-seconds").wrong("Whole seconds from 1 to 3600, or nothing.")
            .imported_as("How long an answer may be silent");
    WORKER_DEPTH_LIMIT: Number = "worker_depth", number(WORKER_DEPTH as u64, 0, WORKER_DEPTH_MOST as u64, Notation::Whole),
        field(SettingGroup::RunLimits, "worker-depth", "delegate subagent nested limit", "How deep workers may send workers",
            "A worker may give parts of its task to workers of its own. 0 lifts the limit; the budget of the run that began it still holds for all of them.")
            .wrong("A whole number from 0 to 64, or nothing.");
    RAW_DAYS: Number = "raw_days", number(7, 0, 365, Notation::Whole),
        field(SettingGroup::Retention, "raw-days", "inspector raw responses keep",
            "Days for which answers are kept as they came",
            "For the inspector. They lie on this device beside the ledger, without keys, and go after so many days, or when there are too many. 0 keeps none, and forgets those that are kept.")
            .wrong("Whole days from 0 to 365, or nothing.");
    PRICES: Own = "prices", Own,
        custom("price-model", "add cost money tokens", "Price of a model").imported_as("Your prices");

    EMBEDDER_ROWS: Rows = "page/", Rows,
        custom("page-origin", "trigger embed frame iframe postmessage host origin draft", "A page that may place drafts");

    VOICE_LANGUAGE: Own = "voice_language", Own,
        field(SettingGroup::Custom, "voice-language", "speech recognition voice", "I speak",
            "What the microphone listens for.");
    VOICE_LANGUAGES: Own = "voice_languages", Own,
        field(SettingGroup::Custom, "voice-languages", "speech recognition voice list", "Languages to choose from",
            "One tag a line, such as en-US or pt-BR. Empty lists what the browser and its voices know.");
    AUTO_READ: Check = "voice_auto_read", Check { default: false },
        field(SettingGroup::Reading, "voice-auto-read-setting", "speech voice", "Read answers aloud as they come",
            "Sentence by sentence; code and tables are only mentioned. Esc stops it at once.");
    HANDS_FREE: Check = "voice_hands_free", Check { default: false },
        field(SettingGroup::Listening, "voice-hands-free-setting", "speech voice microphone",
            "The microphone button begins hands-free",
            "It then goes on listening, and sends what you said when you pause. Speaking while an answer is read stops the reading.");
    VOICE_SOUNDS: Own = "voice_sounds", Own, HIDDEN;

    NOTIFY: Check = "attention_notify", Check { default: false },
        field(SettingGroup::Custom, "calls-notify", "call back desktop", "Show a notification",
            "It names the session and why you are called, nothing that an agent wrote. The browser asks you once.");
    NOTIFY_SOUND: Check = "attention_sound", Check { default: false },
        field(SettingGroup::Custom, "calls-sound", "call back tone", "Play a sound",
            "Two short tones, made in this page. Nothing is downloaded.");

    // `public/boot.js` and the style sheets know the same values of these four.
    THEME: Choice = "theme", Choice { default: "dark",
        options: &[("dark", "Dark"), ("light", "Light"), ("auto", "As the system says")] },
        field(SettingGroup::Appearance, "theme", "dark light colours mode", "Theme",
            "The colours of all screens. Dark where nothing is chosen.").row(1).test("theme-select").imported();
    DENSITY: Choice = "density", Choice { default: "comfortable",
        options: &[("comfortable", "Comfortable"), ("compact", "Compact")] },
        field(SettingGroup::Appearance, "density", "compact comfortable space room tight", "Density",
            "How much stands on a screen: compact takes the space between things, never their words.").row(1).imported();
    TEXT_SIZE: Choice = "text_size", Choice { default: "100",
        options: &[("90", "90 %"), ("100", "100 %"), ("110", "110 %"), ("125", "125 %"), ("150", "150 %")] },
        field(SettingGroup::Appearance, "text-size", "font larger smaller zoom", "Size of text",
            "Everything grows with it, counted from what the browser is set to.").row(2).imported();
    MOTION: Choice = "motion", Choice { default: "auto",
        options: &[("auto", "As the system says"), ("reduced", "Reduced"), ("full", "Full")] },
        field(SettingGroup::Appearance, "motion", "animation reduced", "Motion",
            "Reduced: nothing pulses or slides. Full: it does, whatever the system says.").row(2).imported();
    SINGLE_KEYS: Check = "single_keys", Check { default: true },
        field(SettingGroup::Custom, "single-keys", "shortcuts keyboard letters", "Keys of one letter",
            "Outside of text fields a letter or sign alone is a shortcut; ? shows them all. Off is for those who speak to their computer or press keys by accident. Ctrl K and Ctrl . stay.")
            .imported();

    LANGUAGE: Text = "language", Text, HIDDEN.imported_as("Language");
    KEEP_GOING: Own = "keep_going", Own, HIDDEN.imported_as("Keep going");
    TOOL_RULES: Own = "tool_rules", Own, HIDDEN;
    MODEL_LIST_ROWS: Rows = "models.", Rows, HIDDEN;
    TRIGGER_ROWS: Rows = "trigger/", Rows, HIDDEN;
    OPEN_SESSION: Text = "open_session", Text, HIDDEN;
    FIRST_START_DONE: Check = "first_start_done", Check { default: false }, HIDDEN;
    PANES: Own = "panes", Own, HIDDEN;
    EDITOR_WRAP: Check = "editor_wrap", Check { default: false }, HIDDEN;
    SYNCED_FOLDERS: Own = "tied_folders", Own, HIDDEN;
    RACE_MODELS: Own = "race_models", Own, HIDDEN;
    KEY_KEEPING: Text = "key_keeping", Text, HIDDEN;
    EXPORTED_AT: Own = "exported_at", Own, HIDDEN;
    EXPORT_ADVISED_AT: Own = "export_advised_at", Own, HIDDEN;
    SMALL_QUOTA_TOLD: Check = "small_quota_told", Check { default: false }, HIDDEN;
}
