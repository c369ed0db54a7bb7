//! Never computes anything.
//!
//! Owns the numbers of Nexus. Each is a default; settings may override it.

/// Tool rounds in one turn; then the turn ends as timed out.
pub const TOOL_ROUNDS: u32 = 8;
/// Tool calls of one answer that run at a time.
pub const TOOLS_AT_A_TIME: usize = 4;
/// How long a tool may run, in milliseconds.
pub const TOOL_TIMEOUT_MS: u64 = 30_000;
/// How long a model stream may be silent, in milliseconds. Comments and pings count as bytes.
pub const STREAM_IDLE_MS: u64 = 120_000;
/// The same for a server on this machine, which is silent while it reads the prompt.
pub const STREAM_IDLE_LOOPBACK_MS: u64 = 300_000;
/// Model calls of one run; at a cap the run pauses and asks.
pub const RUN_CALLS: u32 = 60;
/// Tokens of one run.
pub const RUN_TOKENS: u64 = 1_000_000;
/// What one run may cost where prices are known, in whole US dollars.
pub const RUN_DOLLARS: u64 = 5;
/// Dollars that a price or a cap may be set to, at most: more is a slip of the finger.
pub const PRICE_MOST: f64 = 1_000_000.0;
/// The most bytes of one picture or file that goes along with a message as it is.
pub const ATTACHMENT_BYTES: u64 = 8_000_000;
/// The most bytes of pictures in one request, as base64; older ones are only told of.
pub const PICTURE_BYTES: usize = 16_000_000;
/// Text pasted or read from a file above this many bytes becomes an attachment.
pub const PASTE_BYTES: usize = 1_000_000;
/// Quiet after which the state is mirrored to `nexus_context_state`, in milliseconds.
pub const MIRROR_MS: u64 = 2_000;
/// Quiet after which the operator's typing becomes an edit of the mind, in milliseconds.
pub const DRAFT_QUIET_MS: u64 = 2_000;
/// Critical errors kept for the next start.
pub const CRITICAL_ERRORS: usize = 5;
/// Rounds of a run that keeps going until the work is done.
pub const ROUNDS_UNTIL_DONE: u32 = 6;
/// The same tool call with the same arguments, or the same answer, this many times pauses a run.
pub const REPEATS: usize = 3;
/// Turns without a change of the mind that pause a run.
pub const IDLE_TURNS: usize = 20;
/// The longest that one answer may take, in milliseconds, however steadily it comes.
pub const STREAM_TOTAL_MS: u64 = 600_000;
/// The same for a server on this machine, which may be slow and costs nothing.
pub const STREAM_TOTAL_LOOPBACK_MS: u64 = 3_600_000;
/// Model calls under way at one provider at a time; the last place is kept for what the operator asks one agent.
pub const CALLS_AT_A_TIME: usize = 4;
/// Pieces of a stream in a row that cannot be read before it is given up.
pub const BAD_PIECES: u32 = 20;
/// The first span of a wait before another attempt is twice this, in milliseconds.
pub const RETRY_BASE_MS: u64 = 1_000;
/// The waits after too many requests where the provider names none, in milliseconds; then the operator is asked.
pub const RATE_LIMIT_WAITS_MS: [u64; 2] = [5_000, 15_000];
/// Automatic retries of a model call that failed in passing.
pub const RETRIES: u32 = 2;
/// The longest that a retry waits, in milliseconds.
pub const RETRY_CAP_MS: u64 = 60_000;
/// The pieces of partial text are stored at least this often, in milliseconds.
pub const PARTIAL_MS: u64 = 1_000;
/// How long until a part of the program that did not come is asked for again, in milliseconds.
pub const PART_RETRY_MS: u64 = 5_000;
/// Tokens that a request may hold where the model's window is unknown.
pub const UNKNOWN_WINDOW_TOKENS: u64 = 128_000;
/// Tokens of one answer, thinking included, where the protocol wants a number and none is set. Models that can write
/// less are asked for less.
pub const ANSWER_TOKENS: u32 = 32_000;
/// The share of the window that context assembly fills, in percent.
pub const WINDOW_PERCENT: u64 = 85;
/// The most bytes of a tool result that a model is shown.
pub const TOOL_RESULT_BYTES: usize = 256 * 1024;
/// The most bytes of the active file in the mind block; longer files are read with tools.
pub const ACTIVE_FILE_BYTES: usize = 48 * 1024;
/// Turns loaded at a time.
pub const TURNS_LOADED: usize = 40;
/// The most bytes of a text that is read as Markdown; a longer one is shown as it is.
pub const MARKDOWN_BYTES: usize = 2 * 1024 * 1024;
/// How deep blocks and marks may stand in each other; what is deeper shows as words.
pub const MARKDOWN_DEPTH: usize = 100;
/// Links in one text; further ones show as words.
pub const MARKDOWN_LINKS: usize = 2_000;
/// Footnotes in one text; further ones show as they were written.
pub const MARKDOWN_NOTES: usize = 1_000;
/// Pieces of one text that are laid out; what comes after them shows as it was written.
pub const MARKDOWN_PIECES: usize = 60_000;
/// Rows of a table; the rest shows as text.
pub const TABLE_ROWS: usize = 200;
/// Columns of a table; the rest shows as text.
pub const TABLE_COLUMNS: usize = 50;
/// The most bytes of a block of code that are coloured; about twenty milliseconds' work.
pub const HIGHLIGHT_BYTES: usize = 64 * 1024;
/// The most bytes of code that are coloured in one text.
pub const PAGE_HIGHLIGHT_BYTES: usize = 256 * 1024;
/// The most bytes of a formula that is set; a longer one shows as it was written.
pub const MATHS_BYTES: usize = 8 * 1024;
/// The most bytes of an image within a text.
pub const IMAGE_IN_TEXT_BYTES: usize = 2 * 1024 * 1024;
/// The most bytes of an image that goes with a message.
pub const IMAGE_BYTES: u64 = 5_000_000;
/// A link that carries more characters than this in its query asks before it opens.
pub const LINK_QUERY: usize = 200;
/// Quiet after which keys under a passphrase are locked, in milliseconds.
pub const KEY_IDLE_MS: u64 = 15 * 60_000;
/// How often that is looked at, in milliseconds.
pub const KEY_LOOK_MS: u64 = 30_000;
/// The fewest characters of a passphrase.
pub const PASSPHRASE_CHARS: usize = 8;
/// The fewest rounds of PBKDF2 for a passphrase.
pub const KEY_ROUNDS: u32 = 600_000;
/// How long these rounds take at least, in milliseconds; more rounds are made on a faster device.
pub const KEY_ROUNDS_MS: u64 = 250;
/// How long a list of models may take, in milliseconds.
pub const MODELS_TIMEOUT_MS: u64 = 30_000;
/// The most bytes of a list of models.
pub const MODELS_BYTES: usize = 8_000_000;
/// How long a list of models counts as new where the provider gives the same again, in milliseconds.
pub const MODELS_FRESH_MS: u64 = 60 * 60_000;
/// The largest agent file, in bytes.
pub const AGENT_FILE_BYTES: usize = 1_000_000;
/// Events of a session that are read back for the activity feed when it comes into view.
pub const PAST_EVENTS: usize = 200;
/// Images that go with one message.
pub const IMAGES: usize = 8;
/// Tokens of the window that an Ollama server is asked to make where none is set. Its own default is so small that it
/// cuts prompts without a word; a larger one takes memory that many computers lack.
pub const OLLAMA_WINDOW_TOKENS: u64 = 32_768;
/// Tool calls that are taken from one answer; more are the mark of a stream gone wrong.
pub const CALLS_PER_ANSWER: usize = 256;
/// The longest silence of an answer that can be chosen, in seconds.
pub const SILENCE_MOST_SECONDS: u64 = 3_600;

/// Days for which the answers of providers are kept as they came; the setting may say another number, 0 for never.
pub const RAW_DAYS: u64 = 7;
/// The most days that can be chosen.
pub const RAW_DAYS_MOST: u64 = 365;
/// The most bytes that are kept of one answer as it came.
pub const RAW_ANSWER_BYTES: usize = 2_000_000;
/// The most bytes of answers as they came that are kept together; then the oldest go, however young they are.
pub const RAW_TOTAL_BYTES: u64 = 64_000_000;
/// After how many bytes of new ones that is looked at again.
pub const RAW_LOOK_BYTES: u64 = 8_000_000;
/// Events that the audit reads at a time.
pub const AUDIT_PAGE: usize = 500;
/// The most characters of one text that the audit and the inspector show; it can be copied whole.
pub const SHOWN_CHARS: usize = 200_000;
