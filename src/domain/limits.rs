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
/// Automatic retries of a model call that failed in passing.
pub const RETRIES: u32 = 2;
/// The longest that a retry waits, in milliseconds.
pub const RETRY_CAP_MS: u64 = 60_000;
/// The pieces of partial text are stored at least this often, in milliseconds.
pub const PARTIAL_MS: u64 = 1_000;
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
/// Events of a session that are read back for the activity feed when it comes into view.
pub const PAST_EVENTS: usize = 200;
/// Tokens of the window that an Ollama server is asked to make where none is set. Its own default is so small that it
/// cuts prompts without a word; a larger one takes memory that many computers lack.
pub const OLLAMA_WINDOW_TOKENS: u64 = 32_768;
/// Tool calls that are taken from one answer; more are the mark of a stream gone wrong.
pub const CALLS_PER_ANSWER: usize = 256;
