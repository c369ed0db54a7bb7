//! Limits and defaults of the domain: sizes, counts and times.
//!
//! Settings can override some of them.

/// Tool rounds in one turn; then the turn ends as timed out.
pub const TOOL_ROUNDS: u32 = 8;
/// Tool calls of one answer that run at a time.
pub const TOOLS_AT_A_TIME: usize = 4;
/// How long a tool may run, in milliseconds.
pub const TOOL_TIMEOUT_MS: u64 = 30_000;
/// How long a check file may run without a test that begins or ends, in milliseconds.
pub const CHECK_SILENT_MS: u64 = 5_000;
/// How long one test may wait for its promise, in milliseconds.
pub const CHECK_TEST_MS: u64 = 3_000;
/// How long all checks of a session may run; less than a tool may.
pub const CHECKS_MS: u64 = 25_000;
/// How much longer their frame may stand before it is removed.
pub const CHECKS_SLACK_MS: u64 = 2_000;
/// How long the document of the sandbox may take to come.
pub const CHECK_COMING_MS: u64 = 2_500;
/// How many bytes of files checks may read, all together; of more they get scripts and JSON only.
pub const CHECKS_BYTES: usize = 8_000_000;
/// The most messages of a sandbox, and the most characters of each.
pub const CHECK_MESSAGES: u32 = 3_000;
pub const CHECK_MESSAGE_CHARS: u32 = 64_000;
/// How long a model stream may be silent, in milliseconds. Comments and pings count as bytes.
pub const STREAM_IDLE_MS: u64 = 120_000;
/// The same for a server on this machine, which is silent while it reads the prompt.
pub const STREAM_IDLE_LOOPBACK_MS: u64 = 300_000;
/// Model calls of one run; at a cap the run pauses and asks.
pub const RUN_CALLS: u32 = 60;
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
/// So many changes are stored one upon the other before there is a whole copy again.
pub const DELTA_LINKS: u32 = 32;
/// Turns loaded before a session is shown: more than the first screen has room for.
pub const TURNS_FIRST: usize = 12;
/// Turns loaded at a time, and at most where many are there already.
pub const TURNS_LOADED: usize = 40;
pub const TURNS_LOADED_MOST: usize = 320;
/// How long after opening a session what its next request will show is loaded, in milliseconds.
pub const LOAD_AHEAD_MS: u64 = 1_500;
/// The turns at which that loading ends, so that who only reads pays for no more.
pub const LOAD_AHEAD_TURNS: usize = 1_000;
/// Former heads of a session that are read at a time, at least.
pub const HEADS_PAGE: usize = 60;

// The tree.
/// Heads that were left by hand and that a session remembers with their minds.
pub const FORMER_HEADS: usize = 64;
/// How many of them, and of other sessions' heads, are asked whether a branch leads to them.
pub const FORMER_LOOKED_AT: usize = 16;
/// How far a branch is followed that nobody's head stands on.
pub const BRANCH_STEPS: usize = 256;
/// The most characters of a session's title, and of a name that is made from another one.
pub const LABEL_CHARS: usize = 120;
/// How long a deleted session can be restored, in milliseconds.
pub const DELETED_MS: u64 = 7 * 24 * 60 * 60_000;
/// How long after the start it is looked which deleted sessions are due to be forgotten, in milliseconds.
pub const PURGE_AFTER_START_MS: u64 = 45_000;
/// How often after that, in milliseconds.
pub const PURGE_EVERY_MS: u64 = 6 * 60 * 60_000;
/// How long after a stream was opened its newest events are checked, in milliseconds.
pub const EVENTS_CHECK_MS: u64 = 3_000;
/// How many of its newest events are checked.
pub const EVENTS_CHECKED: u64 = 400;
/// Calls of jobs that begin by themselves, in one day.
pub const JOB_DAY_CALLS: u64 = 300;
pub const JOB_DAY_TOKENS: u64 = 3_000_000;
/// What they may cost where prices are known, in whole US dollars.
pub const JOB_DAY_DOLLARS: u64 = 3;
/// The most bytes of an image that goes with a message.
pub const IMAGE_BYTES: u64 = 5_000_000;
/// The most bytes of all images among the files of a session.
pub const SESSION_IMAGES_BYTES: u64 = 24_000_000;
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

// The Core.

/// The newest messages of the conversation that the Core reads.
pub const SYNC_MESSAGES: usize = 30;
/// The most bytes of one of them; a longer one is cut.
pub const SYNC_MESSAGE_BYTES: usize = 8 * 1024;
/// The most bytes of one file that the Core reads.
pub const SYNC_FILE_BYTES: usize = 48 * 1024;

// Files.
/// The longest name of a file, in bytes.
pub const FILE_NAME_BYTES: usize = 255;
/// The most bytes of a file that is opened from disk.
pub const OPEN_BYTES: u64 = 8_000_000;
/// The most bytes of all files that are opened at a time.
pub const OPEN_ALL_BYTES: u64 = 40_000_000;
/// The most bytes of the body of a word processor's document, unpacked.
pub const DOCUMENT_BYTES: usize = 40_000_000;
/// Files that are opened at a time.
pub const OPEN_FILES: usize = 500;
/// Files of a folder that a session is tied to.
pub const FOLDER_FILES: usize = 1_000;
/// The most bytes of all of them.
pub const FOLDER_BYTES: u64 = 24_000_000;
/// The most bytes of one of them.
pub const FOLDER_FILE_BYTES: u64 = 1_000_000;
/// How deep folders in it are looked into.
pub const FOLDER_DEPTH: usize = 16;
/// The most bytes of a file that one place of a message brings along.
pub const PASSAGE_BYTES: usize = 24 * 1024;
/// The most bytes that a message brings along of files.
pub const PASSAGES_BYTES: usize = 64 * 1024;
/// Files and passages that one message points at; further names in it are words.
pub const POINTED_FILES: usize = 200;
/// The most characters of a name that is completed while it is typed.
pub const MENTION_CHARS: usize = 200;
/// Lines that a search in the files shows.
pub const FIND_HITS: usize = 100;
/// The most bytes of them.
pub const FIND_BYTES: usize = 48 * 1024;
/// The most characters of a line among them.
pub const FIND_LINE_CHARS: usize = 300;

// The editor of files.

/// The most characters of a file whose every key is told to the drafts with the next frame.
pub const EDITOR_QUICK_CHARS: u32 = 100_000;
/// Quiet after which what was typed into a longer one is told, in milliseconds.
pub const EDITOR_QUIET_MS: u32 = 250;
/// How long typing without a pause into a longer one stays untold, in milliseconds: less than a draft's own quiet.
pub const EDITOR_UNTOLD_MS: u32 = 1_500;
/// The most lines that can be edited where the editor did not come: browsers lay out a text area whole.
pub const PLAIN_EDITOR_LINES: usize = 5_000;
/// The lines of one block where a longer file is only shown.
pub const LONG_TEXT_BLOCK_LINES: usize = 200;
/// Unchanged lines that are shown on both sides of a change; what lies between is folded.
pub const COMPARE_CONTEXT: usize = 3;
/// The most lines of a hunk that go to an agent with a remark.
pub const QUOTED_LINES: usize = 200;
/// Open questions that catching up lists.
pub const OPEN_QUESTIONS: usize = 8;
/// The most bytes of one record of a dump; attachments are the largest things in one.
pub const DUMP_RECORD_BYTES: usize = 64 * 1024 * 1024;
/// Sessions that one dump may bring, those of workers, lanes and jobs included: more than a device gathers. Tests of this
/// crate have not so long.
pub const DUMP_SESSIONS: usize = if cfg!(test) { 12_000 } else { 100_000 };
/// Events that are read from the store at a time for an export.
pub const DUMP_EVENTS: usize = 200;
/// Rows that an import writes in one transaction, at most.
pub const IMPORT_ROWS: usize = 400;
/// Bytes that an import writes in one transaction, at most; a single larger row goes alone.
pub const IMPORT_BYTES: usize = 2 * 1024 * 1024;
/// Restore points that are kept whatever their age.
pub const POINTS_NEWEST: usize = 5;
/// Days before today of which the newest restore point is kept.
pub const POINTS_DAYS: u64 = 7;
/// The least time between two restore points that are made by themselves, in milliseconds.
pub const POINT_EVERY_MS: u64 = 60 * 60_000;
/// How long the page stands before the first restore point is thought of, in milliseconds.
pub const POINT_AFTER_START_MS: u64 = 60_000;
/// The most bytes of a ledger that restore points are made of by themselves.
pub const POINT_BYTES: u64 = 256 * 1024 * 1024;
/// How long after the last export another one is advised, where the browser may clear what is here.
pub const EXPORT_EVERY_MS: u64 = 7 * 24 * 60 * 60_000;
/// Room of less than this is what private windows are given, and hardly any other.
pub const SMALL_QUOTA_BYTES: u64 = 512 * 1024 * 1024;
/// Notices that stand at a time; the oldest gives way.
pub const NOTICES: usize = 12;
/// The pause after which what was said hands-free is sent, in milliseconds.
pub const VOICE_PAUSE_MS: u64 = 1_500;
/// How long a button is held before letting it go ends what it began, in milliseconds.
pub const VOICE_HOLD_MS: u64 = 400;
/// How long a recogniser that was told to end may take to do so, in milliseconds, before it is ended.
pub const VOICE_END_MS: u64 = 2_000;
/// How long a piece of speech may go without an end at the usual rate, in milliseconds, before its voice counts as stuck.
pub const SPEECH_SILENCE_MS: u64 = 15_000;
/// How long it is waited for the browser's voices, in milliseconds.
pub const VOICES_WAIT_MS: u64 = 2_000;
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

// Preview.
/// Lines of its console that are kept.
pub const PREVIEW_LINES: usize = 200;
/// The most bytes of files that a page in the preview can fetch from, all together.
pub const PREVIEW_FILES_BYTES: usize = 4_000_000;
/// The most characters of one of them.
pub const PREVIEW_LINE_CHARS: usize = 2_000;
/// How long a page that runs may give no sign of life, in milliseconds.
pub const PREVIEW_SILENCE_MS: u64 = 2_000;
/// How often it is asked for one, in milliseconds.
pub const PREVIEW_ASK_MS: u64 = 500;
/// How long its document may take to come, in milliseconds.
pub const PREVIEW_COMING_MS: u64 = 10_000;
/// Messages of a page within the time between two questions; one that sends more is stopped.
pub const PREVIEW_MESSAGES: u32 = 2_000;
/// How long a file rests before the preview follows it, in milliseconds.
pub const PREVIEW_REST_MS: u64 = 400;

// The timeline.
/// Characters of a pinned message that are kept with its pin.
pub const PIN_CHARS: usize = 160;
/// Messages that can be pinned in one session.
pub const PINS: usize = 200;
/// Places that finding in a conversation counts; of more only the newest.
pub const FIND_PLACES: usize = 10_000;
/// Rows of a timeline that are built at its end.
pub const ROWS_NEWEST: usize = 240;
/// Rows that are built besides when the reader comes near an edge.
pub const ROWS_STEP: usize = 120;
/// The most rows that are built.
pub const ROWS_MOST: usize = 480;
/// The most characters of a selection that is quoted; a longer one is cut, and that is said.
pub const QUOTE_CHARS: usize = 20_000;
/// Rows of the palette that are shown at a time; more letters find the others.
pub const PALETTE_ROWS: usize = 150;
/// Actions that the palette remembers as done last.
pub const PALETTE_RECENT: usize = 5;

// Tree.
/// A straight run of so many plain turns is folded into one spot of the tree.
pub const FOLDED_RUN: usize = 8;
/// So many turns at each end of such a run stay to be seen.
pub const FOLD_ENDS: usize = 1;
/// Turns that are read at a time when the tree is drawn.
pub const TREE_PAGE: usize = 400;
/// The most characters of what was asked and answered that the tree's preview shows.
pub const GLIMPSE_CHARS: usize = 1_200;
/// Turns of a branch that are told of, one by one, where it is merged.
pub const MERGED_TOLD: usize = 12;
/// The Core is asked about so many clashes of a merge at a time, at most.
pub const CLASHES_ASKED: usize = 24;
/// Lines before and after a clash that the Core is shown.
pub const CLASH_AROUND: usize = 6;
/// By how many bytes lines that are proposed for a clash may be longer than twice all that clashes.
pub const PROPOSAL_BYTES: usize = 4 * 1024;
/// The most characters of the reason for a proposal.
pub const PROPOSAL_WHY_CHARS: usize = 240;
/// So many of a session's newest events are looked through for what the Core proposed for a merge before.
pub const PROPOSALS_WITHIN: u64 = 400;

// Workers.
/// How many tasks deep workers may send workers, unless a setting says otherwise.
pub const WORKER_DEPTH: u32 = 3;
/// The deepest that can be chosen, and that anything walks where the limit is lifted.
pub const WORKER_DEPTH_MOST: u32 = 64;
/// Workers of one session that work at a time.
pub const WORKERS_AT_ONCE: usize = 8;
/// The most bytes of a worker's report; a longer one is cut, and that is said.
pub const REPORT_BYTES: usize = 16 * 1024;
/// The most bytes of what clashes that a report shows; the rest stays in the worker's session.
pub const CLASH_BYTES: usize = 8 * 1024;
/// The most characters of a task in a few words.
pub const TASK_TITLE_CHARS: usize = 60;

/// Merges that a session remembers, so that a branch that goes on is merged from where it was merged last.
pub const MERGES_KEPT: usize = 24;

// The Archivist: compaction, summaries, memories.

/// The share of the window that a compaction comes down to, in percent.
pub const COMPACTED_PERCENT: u64 = 60;
/// Turns that a compaction leaves as they are, at least.
pub const TURNS_KEPT: usize = 3;
/// Tokens that are set aside for the summary of a compaction.
pub const COMPACTION_TOKENS: u64 = 1_000;
/// The most bytes of the summary of a compaction; a longer one is cut.
pub const COMPACTION_BYTES: usize = 24 * 1024;
/// The most bytes of what the operator wants a compaction to look at.
pub const FOCUS_BYTES: usize = 2_000;
/// Shorter results of tools are never given in short; bytes of their JSON.
pub const CURTAIL_FROM_BYTES: usize = 4 * 1024;
/// What a result that is given in short shows of its beginning; bytes of its JSON.
pub const CURTAIL_FIRST_BYTES: usize = 1_024;
/// What it shows of its end.
pub const CURTAIL_LAST_BYTES: usize = 512;
/// Turns after a failed compaction until one is tried again by itself.
pub const COMPACTION_PAUSE_TURNS: usize = 4;
/// How long it is quiet after a run before the Archivist does anything by itself, in milliseconds.
pub const CHORE_WAIT_MS: u64 = 2_000;
/// Messages from which on a session is summarised.
pub const SUMMARY_FIRST: usize = 2;
/// New messages after which it is summarised again.
pub const SUMMARY_EVERY: usize = 10;
/// The most messages that one summary reads; the rest is read by the next.
pub const SUMMARY_MESSAGES: usize = 60;
/// The most bytes of one message that the Archivist reads; a longer one is cut.
pub const CHORE_MESSAGE_BYTES: usize = 6_000;
/// The most words of a session's title.
pub const TITLE_WORDS: usize = 8;
/// The most characters of a session's title.
pub const TITLE_CHARS: usize = 120;
/// The most characters of a session's summary.
pub const SUMMARY_CHARS: usize = 5_000;
/// The most words to find a session by.
pub const KEYWORDS: usize = 8;
/// Unchecked completed messages from which on they are looked through for what is worth remembering.
pub const MEMORY_EVERY: usize = 4;
/// The most messages that are looked through at a time.
pub const MEMORY_MESSAGES: usize = 40;
/// Messages before these that are shown with them.
pub const MEMORY_BEFORE: usize = 2;
/// The most facts that are taken from one look.
pub const MEMORIES_A_LOOK: usize = 20;
/// The most characters of something that is remembered.
pub const MEMORY_CHARS: usize = 255;
/// The most memories that a context holds.
pub const MEMORIES_OFFERED: usize = 25;
/// Days after which a memory counts one less.
pub const MEMORY_DAYS: u64 = 30;
/// The most memories that the Archivist is told of.
pub const MEMORIES_KNOWN: usize = 60;

// Finding and routing.

/// Pairs of a word and a text that the index of all that was said holds at most, of eight bytes each.
pub const SEARCH_PAIRS: usize = 3_000_000;
/// The most bytes of one text that are taken into it.
pub const SEARCH_TEXT_BYTES: usize = 64 * 1024;
/// Of the result of a tool, and of the arguments of a call, so many bytes of the beginning are taken into it.
pub const SEARCH_TOOL_FIRST_BYTES: usize = 4 * 1024;
/// And so many of the end.
pub const SEARCH_TOOL_LAST_BYTES: usize = 2 * 1024;
/// Rows that are read for it at a time.
pub const SEARCH_PAGE: usize = 64;
/// How long reading for it may keep the page from anything else, in milliseconds.
pub const SEARCH_SLICE_MS: u64 = 8;
/// Results that are shown at a time.
pub const SEARCH_SHOWN: usize = 20;
/// The bytes of a text that a result shows.
pub const SEARCH_EXCERPT: usize = 180;

// Triggers.

/// Triggers that the device keeps at most.
pub const TRIGGERS: usize = 50;
/// The most bytes of a trigger's name and words.
pub const TRIGGER_BYTES: usize = 16 * 1024;
/// The shortest time between two times of a trigger, in milliseconds.
pub const TRIGGER_LEAST_MS: u64 = 60_000;
/// How long after it fired a trigger waits before an event lets it fire again, in milliseconds.
pub const TRIGGER_GAP_MS: u64 = 60_000;
/// How long it is quiet after an event before a trigger fires, in milliseconds: what changes often is told once.
pub const TRIGGER_QUIET_MS: u64 = 2_000;
/// How often a trigger fires within an hour; then it rests.
pub const TRIGGERS_AN_HOUR: usize = 12;
/// How late a time may be noticed and still count, in milliseconds.
pub const TRIGGER_LATE_MS: u64 = 120_000;

// Tabs without locks.

/// How long nothing was written in a session in which something is under way until it counts as left, in milliseconds.
pub const UNLOCKED_QUIET_MS: u64 = 120_000;
/// How long another tab is given to let go of a session, in milliseconds.
pub const UNLOCKED_ASK_MS: u64 = 1_500;

// The page that embeds this one.

/// Pages that may be let in at most.
pub const EMBEDDERS: usize = 20;
/// The longest draft that a page may place, in bytes.
pub const EMBEDDED_BYTES: usize = 32 * 1024;
/// The longest id that it may give a draft, in bytes.
pub const EMBEDDED_ID_BYTES: usize = 64;
/// Drafts that may stand in a composer before it is sent.
pub const EMBEDDED_DRAFTS: usize = 20;
/// Messages that are looked at without a pause between them.
pub const EMBEDDED_AT_ONCE: u32 = 10;
/// After how long one more is, in milliseconds.
pub const EMBEDDED_EACH_MS: u64 = 1_000;
/// Messages too many after which nothing is heard for a while.
pub const EMBEDDED_FLOOD: u32 = 200;
/// For how long, in milliseconds.
pub const EMBEDDED_DEAF_MS: u64 = 60_000;
/// Origins that are told of at most.
pub const EMBEDDED_TOLD: usize = 8;

// Runs as graphs.

/// The most nodes of a graph.
pub const GRAPH_NODES: usize = 1_000;
pub const GRAPH_EDGES: usize = 4_000;
/// The most templates that a device keeps, and the most characters of the name of one.
pub const GRAPH_TEMPLATES: usize = 100;
pub const GRAPH_NAME_CHARS: usize = 80;
/// Turns that a node of a graph may have before the run pauses, where its template does not say.
pub const NODE_TURNS: u32 = 6;
/// The same for an orchestrator, which is asked after each step of others.
pub const ORCHESTRATOR_TURNS: u32 = 24;
/// The most bytes of what a turn in a terminal is told, and the most characters of a command for it.
pub const PACK_BYTES: usize = 16_000;
pub const TERMINAL_COMMAND_CHARS: usize = 1_000;
/// The most bytes of a terminal's output that are kept of a turn, and of the patch of what it changed.
pub const TERMINAL_LOG_BYTES: usize = 200_000;
pub const PATCH_BYTES: usize = 200_000;
/// How long a turn in a terminal may take, where its node's limits do not say, in milliseconds.
pub const TERMINAL_TURN_MS: u64 = 30 * 60_000;
/// So often an orchestrator is asked again without anything having changed; then the run pauses.
pub const IDLE_TICKS: u32 = 2;
