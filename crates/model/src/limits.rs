//! Limits and defaults of the domain: sizes, counts and times.
//!
//! Settings can override some of them.

/// Tool rounds per turn; then the turn ends as timed out.
pub const TOOL_ROUNDS: u32 = 8;
/// Tool calls of one answer that run concurrently.
pub const TOOLS_AT_A_TIME: usize = 4;
pub const TOOL_TIMEOUT_MS: u64 = 30_000;
/// Timeout of a check file without progress of a test, in milliseconds.
pub const CHECK_SILENT_MS: u64 = 5_000;
/// Timeout of a single test's promise, in milliseconds.
pub const CHECK_TEST_MS: u64 = 3_000;
/// Timeout of all checks of a session, in milliseconds; less than that of a tool.
pub const CHECKS_MS: u64 = 25_000;
/// Additional time before their iframe is removed, in milliseconds.
pub const CHECKS_SLACK_MS: u64 = 2_000;
/// Timeout for loading the sandbox document, in milliseconds.
pub const CHECK_LOAD_MS: u64 = 2_500;
/// Maximum bytes of files that checks may read; above it they get only scripts and JSON.
pub const CHECKS_BYTES: usize = 8_000_000;
/// Maximum number of messages from a sandbox, and maximum characters of each.
pub const CHECK_MESSAGES: u32 = 3_000;
pub const CHECK_MESSAGE_CHARS: u32 = 64_000;
/// Timeout of a silent model stream, in milliseconds. Comments and pings count as data.
pub const STREAM_IDLE_MS: u64 = 120_000;
/// The same for a server on this machine, which is silent while it processes the prompt.
pub const STREAM_IDLE_LOOPBACK_MS: u64 = 300_000;
/// Model calls per run; at a limit the run pauses and asks.
pub const RUN_CALLS: u32 = 60;
pub const RUN_TOKENS: u64 = 1_000_000;
/// Cost limit of a run by known prices, in whole US dollars.
pub const RUN_DOLLARS: u64 = 5;
/// Maximum dollars of a price or limit setting, to catch typing errors.
pub const PRICE_MOST: f64 = 1_000_000.0;
/// Maximum bytes of an image or file attached to a message.
pub const ATTACHMENT_BYTES: u64 = 8_000_000;
/// Maximum bytes of images per request, as base64; of older images only the name is sent.
pub const PICTURE_BYTES: usize = 16_000_000;
/// Pasted or opened text above this size becomes an attachment.
pub const PASTE_BYTES: usize = 1_000_000;
/// Debounce before the state is mirrored to `nexus_context_state`, in milliseconds.
pub const MIRROR_MS: u64 = 2_000;
/// Debounce before the operator's typing is committed to the mind, in milliseconds.
pub const DRAFT_DEBOUNCE_MS: u64 = 2_000;
/// Critical errors stored for the next start.
pub const CRITICAL_ERRORS: usize = 5;
/// Default rounds of a run that repeats until the work is done.
pub const ROUNDS_UNTIL_DONE: u32 = 6;
/// Repetitions of the same tool call or answer that pause a run.
pub const REPEATS: usize = 3;
/// Turns without a change of the mind that pause a run.
pub const IDLE_TURNS: usize = 20;
/// Timeout of a whole answer, in milliseconds.
pub const STREAM_TOTAL_MS: u64 = 600_000;
/// The same for a server on this machine, which may be slow and costs nothing.
pub const STREAM_TOTAL_LOOPBACK_MS: u64 = 3_600_000;
/// Concurrent model calls per provider; the last slot is reserved for messages to a single agent.
pub const CALLS_AT_A_TIME: usize = 4;
/// Consecutive unreadable chunks after which a stream is aborted.
pub const BAD_PIECES: u32 = 20;
/// The first retry delay is up to twice this, in milliseconds.
pub const RETRY_BASE_MS: u64 = 1_000;
/// Retry delays after a rate limit without `Retry-After`, in milliseconds; then the operator is asked.
pub const RATE_LIMIT_WAITS_MS: [u64; 2] = [5_000, 15_000];
/// Automatic retries of a model call after a temporary error.
pub const RETRIES: u32 = 2;
pub const RETRY_CAP_MS: u64 = 60_000;
/// Maximum interval between saves of partial text, in milliseconds.
pub const PARTIAL_MS: u64 = 1_000;
/// Retry delay for lazily loaded code, in milliseconds.
pub const CHUNK_RETRY_MS: u64 = 5_000;
/// Maximum tokens of a request if the model's window is unknown.
pub const UNKNOWN_WINDOW_TOKENS: u64 = 128_000;
/// Maximum tokens of an answer, including thinking, if the protocol needs a number and none is set. Lowered for models
/// with a lower limit.
pub const ANSWER_TOKENS: u32 = 32_000;
/// The share of the window that a request may fill, in percent.
pub const WINDOW_PERCENT: u64 = 85;
/// Maximum bytes of a tool result in a prompt.
pub const TOOL_RESULT_BYTES: usize = 256 * 1024;
/// Maximum bytes of the active file in the mind block; longer files are read with tools.
pub const ACTIVE_FILE_BYTES: usize = 48 * 1024;
/// Maximum length of a chain of deltas before a full copy is stored.
pub const DELTA_LINKS: u32 = 32;
/// Turns loaded before a session is shown: more than fit on the first screen.
pub const TURNS_FIRST: usize = 12;
/// Turns loaded per page, and maximum page size in long threads.
pub const TURNS_LOADED: usize = 40;
pub const TURNS_LOADED_MOST: usize = 320;
/// Delay before the turns of the next request are preloaded, in milliseconds.
pub const LOAD_AHEAD_MS: u64 = 1_500;
/// Maximum number of preloaded turns, to limit the cost for readers.
pub const LOAD_AHEAD_TURNS: usize = 1_000;
/// Minimum number of former heads loaded per page.
pub const HEADS_PAGE: usize = 60;

// The tree.
/// Former heads that a session remembers with their minds.
pub const FORMER_HEADS: usize = 64;
/// The number of them, and of other sessions' heads, that are searched for the end of a branch.
pub const FORMER_HEADS_SEARCHED: usize = 16;
/// Maximum steps along a branch that has no head.
pub const BRANCH_STEPS: usize = 256;
/// Maximum characters of a session's title, and of names made from another name.
pub const LABEL_CHARS: usize = 120;
/// Time until a deleted session is purged, in milliseconds.
pub const DELETED_MS: u64 = 7 * 24 * 60 * 60_000;
/// Delay after start before deleted sessions are checked for purging, in milliseconds.
pub const PURGE_AFTER_START_MS: u64 = 45_000;
/// Interval of later checks, in milliseconds.
pub const PURGE_EVERY_MS: u64 = 6 * 60 * 60_000;
/// Delay after opening a stream before its newest events are checked, in milliseconds.
pub const EVENTS_CHECK_MS: u64 = 3_000;
/// The number of newest events that are checked.
pub const EVENTS_CHECKED: u64 = 400;
pub const JOB_DAY_CALLS: u64 = 300;
pub const JOB_DAY_TOKENS: u64 = 3_000_000;
/// Cost limit per day by known prices, in whole US dollars.
pub const JOB_DAY_DOLLARS: u64 = 3;
/// Maximum bytes of an image attached to a message.
pub const IMAGE_BYTES: u64 = 5_000_000;
pub const SESSION_IMAGES_BYTES: u64 = 24_000_000;
/// Idle time before keys under a passphrase are locked, in milliseconds.
pub const KEY_IDLE_MS: u64 = 15 * 60_000;
/// Interval of that check, in milliseconds.
pub const KEY_CHECK_MS: u64 = 30_000;
/// Minimum length of a passphrase in characters.
pub const PASSPHRASE_CHARS: usize = 8;
/// Minimum PBKDF2 iterations for a passphrase.
pub const KEY_ROUNDS: u32 = 600_000;
/// Minimum duration of the iterations, in milliseconds; faster devices use more iterations.
pub const KEY_ROUNDS_MS: u64 = 250;
pub const MODELS_TIMEOUT_MS: u64 = 30_000;
pub const MODELS_BYTES: usize = 8_000_000;
/// How long an unchanged model list counts as fresh, in milliseconds.
pub const MODELS_FRESH_MS: u64 = 60 * 60_000;
pub const AGENT_FILE_BYTES: usize = 1_000_000;
/// Events loaded for the activity feed when a session comes into view.
pub const PAST_EVENTS: usize = 200;
/// Images per message.
pub const IMAGES: usize = 8;
/// Context window requested from an Ollama server by default, in tokens. Ollama's own default silently truncates
/// prompts; a larger window needs memory that many computers lack.
pub const OLLAMA_WINDOW_TOKENS: u64 = 32_768;
/// Tool calls accepted per answer; more indicate a broken stream.
pub const CALLS_PER_ANSWER: usize = 256;

// The Core.
/// Newest messages of the conversation that the Core reads.
pub const SYNC_MESSAGES: usize = 30;
/// Maximum bytes of each; longer ones are truncated.
pub const SYNC_MESSAGE_BYTES: usize = 8 * 1024;
/// Maximum bytes of a file that the Core reads.
pub const SYNC_FILE_BYTES: usize = 48 * 1024;

// Files.
pub const FILE_NAME_BYTES: usize = 255;
/// Maximum bytes of a file opened from disk.
pub const OPEN_BYTES: u64 = 8_000_000;
/// Maximum bytes of all files opened at once.
pub const OPEN_ALL_BYTES: u64 = 40_000_000;
/// Maximum bytes of an unpacked word processor document.
pub const DOCUMENT_BYTES: usize = 40_000_000;
/// Files opened at once.
pub const OPEN_FILES: usize = 500;
pub const FOLDER_FILES: usize = 1_000;
/// Maximum bytes of all of them.
pub const FOLDER_BYTES: u64 = 24_000_000;
/// Maximum bytes of each of them.
pub const FOLDER_FILE_BYTES: u64 = 1_000_000;
pub const FOLDER_DEPTH: usize = 16;
/// Maximum bytes of a passage included in a message.
pub const PASSAGE_BYTES: usize = 24 * 1024;
/// Maximum bytes of all passages in a message.
pub const PASSAGES_BYTES: usize = 64 * 1024;
/// File references per message; more are plain text.
pub const REFERENCED_FILES: usize = 200;
/// Maximum characters of a name for completion while typing.
pub const MENTION_CHARS: usize = 200;
/// Lines that a file search returns.
pub const FIND_HITS: usize = 100;
/// Maximum bytes of them.
pub const FIND_BYTES: usize = 48 * 1024;
/// Maximum characters of each line.
pub const FIND_LINE_CHARS: usize = 300;

// The editor of files.
/// Files up to this many characters update the draft on each frame while typing.
pub const EDITOR_QUICK_CHARS: u32 = 100_000;
/// Debounce for longer files, in milliseconds.
pub const EDITOR_DEBOUNCE_MS: u32 = 250;
/// Maximum delay while typing continuously in a longer file, in milliseconds; less than the draft debounce.
pub const EDITOR_MAX_DELAY_MS: u32 = 1_500;
/// Maximum lines of the fallback editor, because browsers lay out a text area as a whole.
pub const PLAIN_EDITOR_LINES: usize = 5_000;
/// Lines per block of a longer, read-only file.
pub const LONG_TEXT_BLOCK_LINES: usize = 200;
/// Unchanged lines shown around a change; others are collapsed.
pub const COMPARE_CONTEXT: usize = 3;
/// Maximum lines of a hunk quoted to an agent.
pub const QUOTED_LINES: usize = 200;
/// Open questions listed in the run summary.
pub const OPEN_QUESTIONS: usize = 8;
/// Maximum bytes of one record of a dump; attachments are the largest.
pub const DUMP_RECORD_BYTES: usize = 64 * 1024 * 1024;
/// Maximum sessions of a dump, including those of workers, lanes and jobs. Lower in this crate's tests to keep them
/// fast.
pub const DUMP_SESSIONS: usize = if cfg!(test) { 1_200 } else { 100_000 };
/// Events read from the store at a time for an export.
pub const DUMP_EVENTS: usize = 200;
/// Maximum rows per transaction of an import.
pub const IMPORT_ROWS: usize = 400;
/// Maximum bytes per transaction of an import; a larger row gets its own transaction.
pub const IMPORT_BYTES: usize = 2 * 1024 * 1024;
/// Restore points that are kept regardless of age.
pub const POINTS_NEWEST: usize = 5;
/// Number of earlier days whose newest restore point is kept.
pub const POINTS_DAYS: u64 = 7;
/// Minimum interval between automatic restore points, in milliseconds.
pub const POINT_EVERY_MS: u64 = 60 * 60_000;
/// Delay after start before the first restore point is considered, in milliseconds.
pub const POINT_AFTER_START_MS: u64 = 60_000;
/// Maximum bytes of a ledger for automatic restore points.
pub const POINT_BYTES: u64 = 256 * 1024 * 1024;
/// Interval of export reminders if the browser may clear the storage, in milliseconds.
pub const EXPORT_EVERY_MS: u64 = 7 * 24 * 60 * 60_000;
/// A storage quota below this indicates a private window.
pub const SMALL_QUOTA_BYTES: u64 = 512 * 1024 * 1024;
/// Maximum number of visible notices; the oldest is dropped.
pub const NOTICES: usize = 12;
/// Pause in hands-free speech after which it is sent, in milliseconds.
pub const VOICE_PAUSE_MS: u64 = 1_500;
/// Minimum press of a button to count as press-and-hold, in milliseconds.
pub const VOICE_HOLD_MS: u64 = 400;
/// Timeout of a recogniser that was told to stop, in milliseconds; then it is aborted.
pub const VOICE_END_MS: u64 = 2_000;
/// Timeout of a piece of speech without progress at the default rate, in milliseconds.
pub const SPEECH_SILENCE_MS: u64 = 15_000;
pub const VOICES_WAIT_MS: u64 = 2_000;
pub const RAW_ANSWER_BYTES: usize = 2_000_000;
/// Maximum bytes of all stored raw responses; then the oldest are deleted.
pub const RAW_TOTAL_BYTES: u64 = 64_000_000;
/// Bytes of new responses after which that is checked again.
pub const RAW_CHECK_BYTES: u64 = 8_000_000;
pub const AUDIT_PAGE: usize = 500;
/// Maximum characters of a text shown in audit and inspector; copying copies all of it.
pub const SHOWN_CHARS: usize = 200_000;

// Preview.
/// Console lines that are kept.
pub const PREVIEW_LINES: usize = 200;
/// Maximum bytes of files that a preview page can fetch.
pub const PREVIEW_FILES_BYTES: usize = 4_000_000;
/// Maximum characters of a console line.
pub const PREVIEW_LINE_CHARS: usize = 2_000;
/// Timeout of a running page without a response, in milliseconds.
pub const PREVIEW_SILENCE_MS: u64 = 2_000;
/// Interval of the pings, in milliseconds.
pub const PREVIEW_PING_MS: u64 = 500;
pub const PREVIEW_LOAD_MS: u64 = 10_000;
/// Maximum messages from a page between two pings; a page that sends more is stopped.
pub const PREVIEW_MESSAGES: u32 = 2_000;
/// Debounce before the preview reloads after an edit, in milliseconds.
pub const PREVIEW_DEBOUNCE_MS: u64 = 400;

// The timeline.
/// Maximum characters of the excerpt stored with a pin.
pub const PIN_CHARS: usize = 160;
/// Pinned messages per session.
pub const PINS: usize = 200;
/// Maximum matches of a conversation search; the newest are kept.
pub const FIND_PLACES: usize = 10_000;
/// Timeline rows rendered at its end.
pub const ROWS_NEWEST: usize = 240;
/// Additional rows rendered when scrolling near an edge.
pub const ROWS_STEP: usize = 120;
/// Maximum number of rendered rows.
pub const ROWS_MOST: usize = 480;
/// Maximum characters of a quoted selection; longer ones are truncated with a note.
pub const QUOTE_CHARS: usize = 20_000;
pub const PALETTE_ROWS: usize = 150;
pub const PALETTE_RECENT: usize = 5;

// Tree.
/// Straight runs of at least this many plain turns are collapsed in the tree.
pub const FOLDED_RUN: usize = 8;
/// Turns that stay visible at each end of such a run.
pub const FOLD_ENDS: usize = 1;
pub const TREE_PAGE: usize = 400;
pub const TREE_PREVIEW_CHARS: usize = 1_200;
/// Maximum turns of a merged branch that are described.
pub const MERGE_SUMMARY_TURNS: usize = 12;
pub const CONFLICTS_PER_REQUEST: usize = 24;
pub const CONFLICT_CONTEXT_LINES: usize = 6;
/// Maximum bytes by which proposed lines may exceed twice the conflicting text.
pub const PROPOSAL_BYTES: usize = 4 * 1024;
pub const PROPOSAL_WHY_CHARS: usize = 240;
/// Newest events of a session that are searched for earlier merge proposals.
pub const PROPOSAL_SEARCH_EVENTS: u64 = 400;

// Workers.
/// Default limit of nested delegation.
pub const WORKER_DEPTH: u32 = 3;
/// Maximum setting, and the bound of all walks if the limit is off.
pub const WORKER_DEPTH_MOST: u32 = 64;
/// Concurrent workers per session.
pub const WORKERS_AT_ONCE: usize = 8;
/// Maximum bytes of a worker's report; longer ones are truncated with a note.
pub const REPORT_BYTES: usize = 16 * 1024;
/// Maximum bytes of conflicts shown in a report; the rest is in the worker's session.
pub const CONFLICT_BYTES: usize = 8 * 1024;
pub const TASK_TITLE_CHARS: usize = 60;

/// Merges that a session remembers, to merge the same branch again from there.
pub const MERGES_REMEMBERED: usize = 24;

// The Archivist: compaction, summaries, memories.
/// The share of the window that a compaction aims for, in percent.
pub const COMPACTED_PERCENT: u64 = 60;
/// Minimum number of turns that a compaction keeps.
pub const TURNS_KEPT: usize = 3;
/// Tokens reserved for the summary of a compaction.
pub const COMPACTION_TOKENS: u64 = 1_000;
/// Maximum bytes of the summary of a compaction; longer ones are truncated.
pub const COMPACTION_BYTES: usize = 24 * 1024;
/// Maximum bytes of the operator's focus for a compaction.
pub const FOCUS_BYTES: usize = 2_000;
/// Tool results up to this many bytes of JSON are never truncated.
pub const TRUNCATE_FROM_BYTES: usize = 4 * 1024;
/// Bytes of a truncated result's beginning.
pub const TRUNCATE_FIRST_BYTES: usize = 1_024;
/// Bytes of its end.
pub const TRUNCATE_LAST_BYTES: usize = 512;
/// Turns after a failed compaction before an automatic retry.
pub const COMPACTION_PAUSE_TURNS: usize = 4;
/// Idle time after a run before the Archivist starts, in milliseconds.
pub const MAINTENANCE_DELAY_MS: u64 = 2_000;
/// Unusable answers in a row before the Archivist stops asking a model for the day.
pub const UNUSABLE_ANSWERS: u32 = 3;
/// Minimum number of messages for the first summary.
pub const SUMMARY_FIRST: usize = 2;
/// New messages before the next summary.
pub const SUMMARY_EVERY: usize = 10;
/// Maximum messages per summary; the next one reads the rest.
pub const SUMMARY_MESSAGES: usize = 60;
/// Maximum bytes of a message that the Archivist reads; longer ones are truncated.
pub const MAINTENANCE_MESSAGE_BYTES: usize = 6_000;
pub const TITLE_WORDS: usize = 8;
pub const TITLE_CHARS: usize = 120;
pub const SUMMARY_CHARS: usize = 5_000;
/// Maximum number of a session's keywords.
pub const KEYWORDS: usize = 8;
/// Unchecked messages that start a memory job.
pub const MEMORY_EVERY: usize = 4;
/// Maximum messages per memory job.
pub const MEMORY_MESSAGES: usize = 40;
/// Earlier messages included as context.
pub const MEMORY_BEFORE: usize = 2;
pub const MEMORIES_PER_JOB: usize = 20;
pub const MEMORY_CHARS: usize = 255;
/// Maximum memories in a context.
pub const MEMORIES_OFFERED: usize = 25;
/// Days after which the weight of a memory drops by one.
pub const MEMORY_DAYS: u64 = 30;
/// Maximum known memories in the Archivist's prompt.
pub const MEMORIES_KNOWN: usize = 60;

// Finding and routing.
/// Maximum postings of the search index, of eight bytes each.
pub const SEARCH_PAIRS: usize = 3_000_000;
pub const SEARCH_TEXT_BYTES: usize = 64 * 1024;
/// Bytes indexed from the beginning of tool arguments and results.
pub const SEARCH_TOOL_FIRST_BYTES: usize = 4 * 1024;
/// Bytes indexed from their end.
pub const SEARCH_TOOL_LAST_BYTES: usize = 2 * 1024;
/// Rows indexed per batch.
pub const SEARCH_PAGE: usize = 64;
/// Maximum time per slice of indexing, in milliseconds, so that the page stays responsive.
pub const SEARCH_SLICE_MS: u64 = 8;
/// Results shown per page.
pub const SEARCH_SHOWN: usize = 20;
/// Bytes of a result's excerpt.
pub const SEARCH_EXCERPT: usize = 180;

// Triggers.
pub const TRIGGERS: usize = 50;
/// Maximum bytes of a trigger's name and text.
pub const TRIGGER_BYTES: usize = 16 * 1024;
pub const TRIGGER_LEAST_MS: u64 = 60_000;
/// Minimum time between firings by events, in milliseconds.
pub const TRIGGER_GAP_MS: u64 = 60_000;
/// Debounce between an event and the firing, in milliseconds, so that frequent changes fire once.
pub const TRIGGER_QUIET_MS: u64 = 2_000;
/// Maximum firings per hour; then the trigger is paused.
pub const TRIGGERS_AN_HOUR: usize = 12;
/// Maximum delay of a scheduled firing that still counts, in milliseconds.
pub const TRIGGER_LATE_MS: u64 = 120_000;

// Several tabs.
/// Time in which a tab that is gone may come back to its session, as after a reload, before another one takes it over,
/// in milliseconds.
pub const RELOAD_MS: u64 = 4_000;

/// Time without writes after which a session with open work counts as abandoned, in milliseconds.
pub const UNLOCKED_QUIET_MS: u64 = 120_000;
/// Time that another tab has to release a session, in milliseconds.
pub const UNLOCKED_RELEASE_MS: u64 = 1_500;

// The page that embeds this one.
pub const EMBEDDERS: usize = 20;
pub const EMBEDDED_BYTES: usize = 32 * 1024;
pub const EMBEDDED_ID_BYTES: usize = 64;
/// Drafts in a composer before it is sent.
pub const EMBEDDED_DRAFTS: usize = 20;
/// Burst size of the rate limit for messages.
pub const EMBEDDED_AT_ONCE: u32 = 10;
/// Time per further message, in milliseconds.
pub const EMBEDDED_EACH_MS: u64 = 1_000;
/// Excess messages after which listening stops for a while.
pub const EMBEDDED_FLOOD: u32 = 200;
/// Duration of that, in milliseconds.
pub const EMBEDDED_MUTE_MS: u64 = 60_000;
/// Maximum number of origins with a notice.
pub const EMBEDDED_NOTICES: usize = 8;

// Runs as graphs.
pub const GRAPH_NODES: usize = 1_000;
pub const GRAPH_EDGES: usize = 4_000;
/// Maximum number of templates per device, and maximum characters of their names.
pub const GRAPH_TEMPLATES: usize = 100;
pub const GRAPH_NAME_CHARS: usize = 80;
/// Default turn limit of a node in a graph.
pub const NODE_TURNS: u32 = 6;
/// Default turn limit of an orchestrator, which runs after each step of other nodes.
pub const ORCHESTRATOR_TURNS: u32 = 24;
/// Maximum bytes of a context pack, and maximum characters of a terminal command.
pub const PACK_BYTES: usize = 16_000;
pub const TERMINAL_COMMAND_CHARS: usize = 1_000;
/// Maximum stored bytes of a turn's terminal output, and of its patch.
pub const TERMINAL_LOG_BYTES: usize = 200_000;
pub const PATCH_BYTES: usize = 200_000;
/// Default timeout of a turn in a terminal, in milliseconds.
pub const TERMINAL_TURN_MS: u64 = 30 * 60_000;
/// Ticks of an orchestrator without a change before the run pauses.
pub const IDLE_TICKS: u32 = 2;
