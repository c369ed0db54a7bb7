//! The table of all settings. Each row defines the constant, field, parser, palette entry and import rule.
//!
//! The kind `Own` is for values that are no check, number, choice or text; `Rows` has a value for each key below a name.

use crate::limits::{
    JOB_DAY_CALLS, JOB_DAY_DOLLARS, JOB_DAY_TOKENS, RUN_CALLS, RUN_DOLLARS, RUN_TOKENS, STREAM_IDLE_MS,
    WORKER_DEPTH, WORKER_DEPTH_MOST,
};
use crate::settings::{Check, Choice, Notation, Number, Own, Rows, Setting, Text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingGroup {
    You,
    Core,
    Archivist,
    RunLimits,
    JobLimits,
    Retention,
    /// Reading answers aloud.
    Reading,
    /// Dictation.
    Listening,
    Appearance,
    /// On the settings screen, drawn by its own component.
    Custom,
    /// Not on the settings screen.
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingInfo {
    pub group: SettingGroup,
    /// Consecutive fields with the same number share a row; 0 for a row of its own.
    pub row: u8,
    pub id: &'static str,
    /// The field's `data-testid`; the id, unless set.
    pub test: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    /// The error text for an invalid number.
    pub error: &'static str,
    /// More search words.
    pub keywords: &'static str,
    /// The label in import proposals; `None` if it is never proposed. With a label above, an import says that it leaves
    /// the setting out.
    pub imported: Option<&'static str>,
}

const HIDDEN: SettingInfo = SettingInfo {
    group: SettingGroup::Hidden,
    row: 0,
    id: "",
    test: "",
    label: "",
    hint: "",
    error: "",
    keywords: "",
    imported: None,
};

const fn field(
    group: SettingGroup,
    id: &'static str,
    keywords: &'static str,
    label: &'static str,
    hint: &'static str,
) -> SettingInfo {
    SettingInfo { group, id, test: id, label, hint, keywords, ..HIDDEN }
}

/// A permission of this device without a field; an import leaves it out under this label.
const fn permission(label: &'static str) -> SettingInfo {
    SettingInfo { label, ..HIDDEN }
}

/// A field drawn by its own component, with its label in the palette.
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

    const fn error(self, wrong: &'static str) -> Self {
        Self { error: wrong, ..self }
    }

    const fn imported(self) -> Self {
        self.imported_as(self.label)
    }

    const fn imported_as(self, name: &'static str) -> Self {
        Self { imported: Some(name), ..self }
    }
}

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

// Constants contain no texts, so that programs that only read settings stay small.
macro_rules! schema {
    ($($constant:ident: $kind:ident = $name:literal, $how:expr, $info:expr;)*) => {
        $(pub const $constant: Setting<$kind> = Setting { name: $name, kind: $how };)*

        /// All settings, in the order of the screen.
        pub static SCHEMA: [(AnySetting, SettingInfo); [$($name),*].len()] =
            [$((AnySetting::$kind($constant), $info)),*];
    };
}

pub fn info<K>(setting: Setting<K>) -> &'static SettingInfo {
    SCHEMA.iter().find(|(one, _)| one.name() == setting.name).map_or(&HIDDEN, |(_, info)| info)
}

// Name, value, and: group, id, search words, label, hint.
schema! {
    OPERATOR_NAME: Text = "operator_name", Text,
        field(SettingGroup::You, "operator-name", "operator you who profile account user",
            "Your name", "Sent to the agents with your messages.").test("settings-name").imported();
    QUEUE_MODE: Own = "queue_mode", Own,
        field(SettingGroup::Custom, "queue-usual", "busy waiting queue steer collect interrupt follow up mode",
            "Default for messages sent during a run", "It can also be chosen for each message while a run works.")
            .imported_as("Messages sent during a run");

    CORE_PROVIDER: Text = "core_provider", Text, custom("core-provider", "sync supervisor", "Core: provider").imported();
    CORE_MODEL: Text = "core_model", Text, custom("core-model", "sync", "Core: model").imported();
    CORE_AUTO: Check = "core_auto", Check { default: true },
        field(SettingGroup::Core, "core-auto", "core sync automatic",
            "Sync automatically after changes",
            "Each sync costs a model call. It never starts during a run, or twice for the same files.").imported();
    CORE_PROPOSE: Check = "core_propose", Check { default: false },
        field(SettingGroup::Core, "core-propose", "core sync propose apply dismiss objective",
            "Propose changes instead of making them",
            "A proposal waits on the board until you apply or dismiss it. Otherwise the Core changes objective and scratchpad directly, and each change can be undone there.").imported();
    CORE_WAIT: Number = "core_wait_ms", number(3_000, 0, 3_600_000, Notation::Seconds),
        field(SettingGroup::Core, "core-wait", "core sync delay wait idle debounce", "Sync delay (seconds)",
            "Counted from your last keystroke or the end of a run.")
            .row(1).error("Seconds from 0 to 3600, or blank.").imported();
    CORE_LINES: Number = "core_lines", number(5, 0, 10_000, Notation::Whole),
        field(SettingGroup::Core, "core-lines", "core sync threshold minimum changed lines", "Ignore changes up to (lines)",
            "Inserted plus deleted lines since the last sync; a replaced line counts twice.")
            .row(1).error("A whole number from 0 to 10000, or blank.").imported();

    COMPACT_AUTO: Check = "compact_auto", Check { default: true },
        field(SettingGroup::Archivist, "compact-auto", "archivist compaction compact summarise summarize context window overflow",
            "Compact conversations automatically",
            "Happens at 85 % of the model’s context window, or when a request was too long, with the agent’s own model. If off, the oldest turns beyond that are left out.").imported();
    SUMMARY_AUTO: Check = "summary_auto", Check { default: true },
        field(SettingGroup::Archivist, "summary-auto", "archivist session title name",
            "Keep a title, summary and keywords for each session",
            "Updated after two messages, then after every ten.").imported();
    MEMORY_AUTO: Check = "memory_auto", Check { default: true },
        field(SettingGroup::Archivist, "memory-auto", "archivist remember facts",
            "Remember facts about you",
            "Checked after every four messages. Read, edit and delete them under Memories in the war room.").imported();
    ARCHIVIST_PROVIDER: Text = "archivist_provider", Text,
        custom("archivist-provider", "summaries memories", "Archivist: provider").imported();
    ARCHIVIST_MODEL: Text = "archivist_model", Text,
        custom("archivist-model", "summaries memories", "Archivist: model").imported();

    CAP_CALLS: Number = "cap_calls", number(RUN_CALLS as u64, 1, u32::MAX as u64, Notation::Grouped),
        field(SettingGroup::RunLimits, "cap-calls", "cap limit pause", "Model calls",
            "Each answer and each step after a tool call counts as one.")
            .row(1).error("A whole number from 1 up, or blank.").imported_as("Model calls per run");
    // Above this most, a number in JSON is no longer exact.
    CAP_TOKENS: Number = "cap_tokens", number(RUN_TOKENS, 1, 1 << 53, Notation::Grouped),
        field(SettingGroup::RunLimits, "cap-tokens", "cap limit pause", "Tokens (input and output)",
            "All tokens sent to and received from models.")
            .row(1).error("A whole number from 1 up, or blank.").imported_as("Tokens per run");
    CAP_DOLLARS: Number = "cap_dollars", number(RUN_DOLLARS, 0, 1_000_000, Notation::Dollars),
        field(SettingGroup::RunLimits, "cap-dollars", "cap limit pause money cost", "Cost (US dollars, estimated)",
            "Counted where the model’s price is known.")
            .row(1).error("Dollars above 0, such as 2.50, or blank. No comma.").imported_as("Cost per run");
    CAP_TOOL_CALLS: Number = "cap_tool_calls", number(0, 0, u32::MAX as u64, Notation::Grouped),
        field(SettingGroup::RunLimits, "cap-tool-calls", "cap limit pause", "Tool calls",
            "All tools of all agents of a run. 0 removes the limit.")
            .row(2).error("A whole number from 0 up, or blank.").imported_as("Tool calls per run");
    CAP_MINUTES: Number = "cap_minutes", number(0, 0, u32::MAX as u64, Notation::Grouped),
        field(SettingGroup::RunLimits, "cap-minutes", "cap limit pause time wall clock duration", "Time (minutes)",
            "How long agents work. Waiting for you does not count. 0 removes the limit.")
            .row(2).error("Whole minutes from 0 up, or blank.").imported_as("Minutes per run");
    JOB_CALLS: Number = "job_calls", number(JOB_DAY_CALLS, 1, u32::MAX as u64, Notation::Grouped),
        field(SettingGroup::JobLimits, "job-calls", "cap limit budget core archivist background jobs", "Job calls per day",
            "Retries count, too.")
            .row(1).error("A whole number from 1 up, or blank.").imported();
    JOB_TOKENS: Number = "job_tokens", number(JOB_DAY_TOKENS, 1, 1 << 53, Notation::Grouped),
        field(SettingGroup::JobLimits, "job-tokens", "cap limit budget core archivist background jobs", "Job tokens per day",
            "Input and output.")
            .row(1).error("A whole number from 1 up, or blank.").imported();
    JOB_DOLLARS: Number = "job_dollars", number(JOB_DAY_DOLLARS, 0, 1_000_000, Notation::Dollars),
        field(SettingGroup::JobLimits, "job-dollars", "cap limit budget money cost core archivist background jobs",
            "Job cost per day (US dollars, estimated)", "Counted where the model’s price is known.")
            .row(1).error("Dollars above 0, such as 2.50, or blank. No comma.").imported();
    // The default is that of a server elsewhere; one on this machine has its own.
    SILENCE: Number = "silence_seconds", number(STREAM_IDLE_MS / 1_000, 1, 3_600, Notation::Grouped),
        field(SettingGroup::RunLimits, "silence", "timeout stream idle slow hang", "Response timeout (seconds)",
            "Keep-alive pings reset the timer. Local servers get 300 seconds by default, because they may be processing the prompt.")
            .test("silence-seconds").row(3).error("Whole seconds from 1 to 3600, or blank.")
            .imported_as("Response timeout");
    WORKER_DEPTH_LIMIT: Number = "worker_depth", number(WORKER_DEPTH as u64, 0, WORKER_DEPTH_MOST as u64, Notation::Whole),
        field(SettingGroup::RunLimits, "worker-depth", "delegate worker recursion nested limit", "Max delegation depth (subagents)",
            "A subagent may delegate parts of its task to subagents of its own. 0 removes the limit; the budget of the original run still applies to all.")
            .row(3).error("A whole number from 0 to 64, or blank.").imported();
    RAW_DAYS: Number = "raw_days", number(7, 0, 365, Notation::Whole),
        field(SettingGroup::Retention, "raw-days", "inspector raw responses retention log debug",
            "Keep raw responses for (days)",
            "Stored on this device for the inspector, without API keys, and deleted after this time or when there are too many. 0 keeps none and deletes existing ones.")
            .error("Whole days from 0 to 365, or blank.").imported();
    PRICES: Own = "prices", Own,
        custom("price-model", "add cost money tokens pricing", "Model prices").imported_as("Your prices");

    EMBEDDER_ROWS: Rows = "page/", Rows,
        custom("page-origin", "trigger embed frame iframe postmessage host origin draft", "Page that may insert drafts");
    GRAPH_ROWS: Rows = "graph/", Rows, HIDDEN.imported_as("Graph template");
    TERMINAL_ROWS: Rows = "terminal/", Rows, permission("Allowed terminals");
    GRAPH_DRAFT: Own = "graph_draft", Own, HIDDEN;

    VOICE_LANGUAGE: Own = "voice_language", Own,
        field(SettingGroup::Custom, "voice-language", "speech recognition voice dictation locale", "Speech language",
            "The language that the microphone listens for.").imported();
    VOICE_LANGUAGES: Own = "voice_languages", Own,
        field(SettingGroup::Custom, "voice-languages", "speech recognition voice list", "Available languages",
            "One language tag per line, such as en-US or pt-BR. Leave blank for those of the browser and its voices.")
            .imported_as("Speech languages");
    AUTO_READ: Check = "voice_auto_read", Check { default: false },
        field(SettingGroup::Reading, "voice-auto-read-setting", "speech voice tts text to speech", "Read answers aloud as they arrive",
            "Reads sentence by sentence; code and tables are only mentioned. Esc stops it.").imported();
    HANDS_FREE: Check = "voice_hands_free", Check { default: false },
        field(SettingGroup::Listening, "voice-hands-free-setting", "speech voice microphone",
            "Start the microphone hands-free",
            "It keeps listening, and sends what you said when you pause. Speaking stops the reading of an answer.");
    VOICE_SOUNDS: Own = "voice_sounds", Own, HIDDEN.imported_as("Voices");

    NOTIFY: Check = "attention_notify", Check { default: false },
        field(SettingGroup::Custom, "calls-notify", "notification desktop alert call back", "Show notifications",
            "They name the session and the reason, never text of an agent. The browser asks you once.");
    NOTIFY_SOUND: Check = "attention_sound", Check { default: false },
        field(SettingGroup::Custom, "calls-sound", "notification sound tone beep", "Play a sound",
            "Two short tones, generated in this page.").imported_as("Notification sound");

    // `public/boot.js` and the style sheets use the same values for the theme and the three after it.
    THEME: Choice = "theme", Choice { default: "dark",
        options: &[("dark", "Dark"), ("light", "Light"), ("auto", "System")] },
        field(SettingGroup::Appearance, "theme", "dark light night colours colors mode", "Theme",
            "The colours of all screens. Dark by default.").row(1).test("theme-select").imported();
    DENSITY: Choice = "density", Choice { default: "comfortable",
        options: &[("comfortable", "Comfortable"), ("compact", "Compact")] },
        field(SettingGroup::Appearance, "density", "compact comfortable spacing tight", "Density",
            "Compact reduces the spacing between elements.").row(1).imported();
    TEXT_SIZE: Choice = "text_size", Choice { default: "100",
        options: &[("90", "90 %"), ("100", "100 %"), ("110", "110 %"), ("125", "125 %"), ("150", "150 %")] },
        field(SettingGroup::Appearance, "text-size", "font size larger smaller bigger zoom", "Text size",
            "Scales everything, relative to the browser’s setting.").row(2).imported();
    MOTION: Choice = "motion", Choice { default: "auto",
        options: &[("auto", "System"), ("reduced", "Reduced"), ("full", "Full")] },
        field(SettingGroup::Appearance, "motion", "animation reduced", "Motion",
            "Reduced turns off animations. Full keeps them even if your system asks for less motion.").row(2).imported();
    // English, or a file in `public/languages` that `public/boot.js` loads.
    LANGUAGE: Text = "language", Text,
        field(SettingGroup::Custom, "language", "language locale translation english german deutsch", "Language",
            "Of the interface. Agents answer in the language that they are written to. Changing it reloads the page.")
            .imported();
    SINGLE_KEYS: Check = "single_keys", Check { default: true },
        field(SettingGroup::Custom, "single-keys", "shortcuts keyboard keys hotkeys letters", "Single-key shortcuts",
            "Work outside text fields; ? shows them all. Turn them off if you use speech input or press keys by accident. Ctrl K and Ctrl . always work.")
            .imported();

    KEEP_GOING: Own = "keep_going", Own, HIDDEN.imported_as("Keep going");
    TOOL_RULES: Own = "tool_rules", Own, permission("Rules for tools");
    MODEL_LIST_ROWS: Rows = "models.", Rows, HIDDEN;
    TRIGGER_ROWS: Rows = "trigger/", Rows, HIDDEN;
    TRIGGER_DRAFT: Own = "trigger_draft", Own, HIDDEN;
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
