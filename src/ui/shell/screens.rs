//! Declares the lazily loaded screens and their lazy parts.
//!
//! A function marked with `wasm_split`, with everything that only it reaches, becomes a part (`xtask/src/split.rs`);
//! calling the function loads it. It returns a constructor, not a view, so that the view is created under its caller's
//! owner. All are `fallible`: a panic on a missing file would end the page, so the screen shows the failure with a
//! retry (`ui::kit::lazy_view`). A part with a stylesheet of its own, which `index.html` names `disabled` with
//! `data-style`, is loaded through `dressed`.

use std::sync::Arc;

use futures_util::{FutureExt as _, future};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::wasm_split;

use crate::ui::audit::AuditScreen;
use crate::ui::board::code_text::{CodeFile, CodeFileEditor};
use crate::ui::board::compare::ComparePanel;
use crate::ui::board::core_panel::CorePanel;
use crate::ui::board::long_text::LongText;
use crate::ui::board::preview::PreviewPanel;
use crate::ui::chat::message_actions::alerts::NotificationService;
use crate::ui::chat::message_actions::serve::MessageActionsService;
use crate::ui::chat::message_overrides::OverridesButton;
use crate::ui::chat::queue::{MessageQueue, NextMessageMode};
use crate::ui::chat::race::RaceSlot;
use crate::ui::chat::turn_menu::{EditMessage, TurnMenu};
use crate::ui::chat::voice::bar::VoiceBar;
use crate::ui::chat::voice::settings::VoiceFields;
use crate::ui::chat::workers::card::WorkerCard;
use crate::ui::chat::workers::needs::WorkerNeeds;
use crate::ui::files::FilePanel;
use crate::ui::first_start::FirstStart;
use crate::ui::hooks::address;
use crate::ui::hooks::address::settings_path;
use crate::ui::hooks::focus_restore::keep_focus;
use crate::ui::hooks::js_part;
use crate::ui::hooks::js_part::JsChunk;
use crate::ui::hooks::style::dress;
use crate::ui::inspect::InspectScreen;
use crate::ui::kit::lazy_view::{LazyView, RenderFn};
use crate::ui::maintenance::gauge::WindowGauge;
use crate::ui::maintenance::mark::CompactionMark;
use crate::ui::maintenance::memories::MemoriesPanel;
use crate::ui::palette::PaletteOverlay;
use crate::ui::run_summary::RunSummaryCard;
use crate::ui::search::SearchDialog;
use crate::ui::sessions::SessionList;
use crate::ui::settings::SettingsScreen;
use crate::ui::settings::data::BackupCards;
use crate::ui::settings::providers::key_form::{KeyForm, WantedKey};
use crate::ui::settings::providers::unlock::UnlockPrompt;
use crate::ui::shell::war_room::WarRoom;
use crate::ui::shell::workspace::OverridesState;
use crate::ui::tree_map::TreeScreen;
use crate::ui::tree_map::history_links::{AUDIT, INSPECT, TREE};
use crate::ui::tree_map::reflog::ReflogDialog;
use crate::ui::tree_map::turn_snapshot::SnapshotPanel;
use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_model::id::AgentKey;
use nexus_model::session::QueueMode;
use nexus_text::markdown::{MarkdownReader, READER};
use nexus_view::timeline::TimelineRow;

/// The war room, when it has come.
#[component]
pub fn LazyWarRoom() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("war_room", war_room()) /> }
}

/// The first start, when it has come.
#[component]
pub fn LazyFirstStart() -> impl IntoView {
    view! { class="n", <LazyView load=|| Box::pin(first_start()) /> }
}

/// The settings, when they have come.
#[component]
pub fn LazySettings() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("settings", settings()) /> }
}

/// The audit, when it has come.
#[component]
pub fn LazyAudit() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("settings", audit()) /> }
}

/// The inspector, when it has come.
#[component]
pub fn LazyInspector() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("settings", inspect()) /> }
}

/// The tree, when it has come.
#[component]
pub fn LazyTree() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("settings", tree()) /> }
}

/// A part that has a stylesheet of its own, when both have come.
fn dressed<T: 'static>(
    style: &'static str,
    part: impl Future<Output = Result<T, ChunkLoadError>> + 'static,
) -> LazyFuture<T> {
    Box::pin(future::join(part, dress(style)).map(|(part, ())| part))
}

/// Loads the screen that the page opens with, so that it takes the place of the static page without a gap. One that does
/// not come says so itself when it is shown.
pub async fn load_first(is_set_up: bool) {
    let at_settings = address::may_write_history() && address::path() == settings_path();
    let at = |below: &str| address::may_write_history() && address::path().ends_with(below);
    let first: LazyFuture<RenderFn> = match (at_settings, is_set_up) {
        _ if at(AUDIT) => dressed("settings", audit()),
        _ if at(INSPECT) => dressed("settings", inspect()),
        _ if at(TREE) => dressed("settings", tree()),
        (true, _) => dressed("settings", settings()),
        (false, true) => dressed("war_room", war_room()),
        (false, false) => Box::pin(first_start()),
    };
    // What did not come is asked for again when it is shown.
    first.map(|_| ()).await;
}

/// Loads what comes next wherever one is: the war room, and the reader of what agents write. Only once the page stands, which is what brings the executor.
pub fn load_ahead() {
    spawn_local(war_room().then(|_| markdown()).then(|_| everything()).map(|_| ()));
}

#[wasm_split(war_room, fallible)]
fn war_room() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <WarRoom /> }.into_any())
}

#[wasm_split(first_start, fallible)]
fn first_start() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <FirstStart /> }.into_any())
}

#[wasm_split(settings, fallible)]
fn settings() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <SettingsScreen /> }.into_any())
}

/// The cards about data as a whole, below the settings.
pub(crate) fn data_cards() -> LazyFuture<RenderFn> {
    dressed("settings", data())
}

#[wasm_split(settings, fallible)]
fn data() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <BackupCards /> }.into_any())
}

#[wasm_split(settings, fallible)]
fn audit() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <AuditScreen /> }.into_any())
}

/// In the part of the audit: they look like each other, and lead to each other.
#[wasm_split(settings, fallible)]
fn inspect() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <InspectScreen /> }.into_any())
}

#[wasm_split(settings, fallible)]
fn tree() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <TreeScreen /> }.into_any())
}

/// The reader of Markdown, which the war room shows answers by; it comes with the board.
#[wasm_split(board, fallible)]
pub(crate) fn markdown() -> Result<&'static MarkdownReader, ChunkLoadError> {
    Ok(&READER)
}

/// The Core's place on the board.
pub(crate) fn core_panel() -> LazyFuture<RenderFn> {
    dressed("board", core_board())
}

#[wasm_split(board, fallible)]
fn core_board() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <CorePanel /> }.into_any())
}

/// What cares for the timeline: finding, pins, menus, quoting.
pub(crate) fn care() -> LazyFuture<RenderFn> {
    dressed("board", care_service())
}

#[wasm_split(board, fallible)]
fn care_service() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <MessageActionsService /> }.into_any())
}

/// What calls the operator back to a page that is hidden.
pub(crate) fn alerts() -> LazyFuture<RenderFn> {
    Box::pin(alert_service())
}

#[wasm_split(board, fallible)]
fn alert_service() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <NotificationService /> }.into_any())
}

/// What draws the gauge of an agent's window.
pub(crate) type RenderGauge = fn(AgentKey) -> AnyView;
/// What draws a row of the timeline.
pub(crate) type RenderRow = fn(Signal<TimelineRow>) -> AnyView;

/// How full an agent's window is.
pub(crate) fn window_gauge() -> LazyFuture<RenderGauge> {
    dressed("board", gauge())
}

#[wasm_split(board, fallible)]
fn gauge() -> Result<RenderGauge, ChunkLoadError> {
    Ok(|agent| view! { class="n", <WindowGauge agent /> }.into_any())
}

/// The mark of a compaction in the timeline.
pub(crate) fn compaction_mark() -> LazyFuture<RenderRow> {
    dressed("board", mark())
}

#[wasm_split(board, fallible)]
fn mark() -> Result<RenderRow, ChunkLoadError> {
    Ok(|row| view! { class="n", <CompactionMark row /> }.into_any())
}

pub(crate) fn worker_card() -> LazyFuture<RenderRow> {
    dressed("board", card_of_worker())
}

#[wasm_split(board, fallible)]
fn card_of_worker() -> Result<RenderRow, ChunkLoadError> {
    Ok(|row| view! { class="n", <WorkerCard row /> }.into_any())
}

/// What workers need of the operator, and models that race.
pub(crate) fn worker_needs() -> LazyFuture<RenderFn> {
    dressed("board", needs_of_workers())
}

#[wasm_split(board, fallible)]
fn needs_of_workers() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <RaceSlot /> <WorkerNeeds /> }.into_any())
}

/// The face of what is remembered, when it has come.
#[component]
pub fn LazyMemories() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("board", memories()) /> }
}

#[wasm_split(board, fallible)]
fn memories() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <MemoriesPanel /> }.into_any())
}

/// The desk of the war room's board, with the folder on disk.
pub(crate) fn file_desk() -> LazyFuture<RenderFn> {
    dressed("board", desk())
}

#[wasm_split(board, fallible)]
fn desk() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <FilePanel /> }.into_any())
}

/// What draws the editor of a file.
pub(crate) type RenderCodeEditor = fn(CodeFile) -> AnyView;
/// What draws a long file that cannot be edited.
pub(crate) type RenderLongText = fn(String, Signal<Arc<str>>) -> AnyView;

/// The editor of files, with its JavaScript; does not come where the page was built without.
pub(crate) fn code_editor() -> LazyFuture<(RenderCodeEditor, JsChunk)> {
    Box::pin(async {
        // First, because a page without it needs none of the rest.
        let part = js_part::load("editor").await?;
        Ok((dressed("board", code_text()).await?, part))
    })
}

/// A long file, to be read.
pub(crate) fn long_file() -> LazyFuture<RenderLongText> {
    dressed("board", long_text())
}

#[wasm_split(board, fallible)]
fn code_text() -> Result<RenderCodeEditor, ChunkLoadError> {
    Ok(|file| view! { class="n", <CodeFileEditor file /> }.into_any())
}

#[wasm_split(board, fallible)]
fn long_text() -> Result<RenderLongText, ChunkLoadError> {
    Ok(|label, text| view! { class="n", <LongText label text /> }.into_any())
}

/// The face COMPARE of the board, when it has come.
#[component]
pub fn LazyCompare() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("board", compare()) /> }
}

#[wasm_split(board, fallible)]
fn compare() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <ComparePanel /> }.into_any())
}

/// The face PREVIEW of the board, when it has come.
#[component]
pub fn LazyPreview() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("board", preview()) /> }
}

#[wasm_split(board, fallible)]
fn preview() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <PreviewPanel /> }.into_any())
}

/// What the newest run came to, when it has come.
#[component]
pub fn LazyRunSummary() -> impl IntoView {
    view! { class="n", <LazyView load=|| dressed("board", catch_up()) /> }
}

#[wasm_split(board, fallible)]
fn catch_up() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <RunSummaryCard /> }.into_any())
}

/// The palette, the sheet of keys and what they offer, on any screen.
pub(crate) fn palette() -> LazyFuture<RenderFn> {
    dressed("board", everything())
}

/// It also sets to work what keeps the focus, which belongs to no screen and lives as long as the page.
#[wasm_split(board, fallible)]
fn everything() -> Result<RenderFn, ChunkLoadError> {
    keep_focus();
    Ok(|| view! { class="n", <PaletteOverlay /> }.into_any())
}

/// The dialog that asks for the passphrase, in the part of the settings.
pub(crate) fn unlock_dialog() -> LazyFuture<RenderFn> {
    dressed("settings", unlock())
}

#[wasm_split(settings, fallible)]
fn unlock() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <UnlockPrompt /> }.into_any())
}

/// What draws the form for a missing key.
pub(crate) type DrawKeyForm = fn(WantedKey) -> AnyView;

/// The form for a missing key, in the part of the settings.
pub(crate) fn key_form() -> LazyFuture<DrawKeyForm> {
    dressed("settings", form_for_key())
}

#[wasm_split(settings, fallible)]
fn form_for_key() -> Result<DrawKeyForm, ChunkLoadError> {
    Ok(|wanted| view! { class="n", <KeyForm wanted /> }.into_any())
}

/// The bar of voice, with all that listens and reads.
pub(crate) fn voice_bar() -> LazyFuture<RenderFn> {
    dressed("board", voice())
}

#[wasm_split(board, fallible)]
fn voice() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <VoiceBar /> }.into_any())
}

/// The settings of voice; their looks are those of the bar.
pub(crate) fn voice_settings() -> LazyFuture<RenderFn> {
    dressed("board", voice_fields())
}

#[wasm_split(settings, fallible)]
fn voice_fields() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <VoiceFields /> }.into_any())
}

pub(crate) fn session_list() -> LazyFuture<RenderFn> {
    dressed("board", sessions())
}

#[wasm_split(board, fallible)]
fn sessions() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <SessionList /> }.into_any())
}

/// The strip of messages that wait.
pub(crate) fn queue() -> LazyFuture<RenderFn> {
    dressed("board", waiting_messages())
}

#[wasm_split(board, fallible)]
fn waiting_messages() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <MessageQueue /> }.into_any())
}

/// What draws the choice of what happens to the next message.
pub(crate) type RenderModeSelect = fn(RwSignal<Option<QueueMode>>) -> AnyView;

/// The choice of what happens to the next message while a run works.
pub(crate) fn queue_modes() -> LazyFuture<RenderModeSelect> {
    dressed("board", modes())
}

#[wasm_split(board, fallible)]
fn modes() -> Result<RenderModeSelect, ChunkLoadError> {
    Ok(|chosen| view! { class="n", <NextMessageMode chosen /> }.into_any())
}

/// Draws the choice of what holds for a message alone.
pub(crate) type RenderOverrides = fn(OverridesState) -> AnyView;

/// The choice of what holds for the next message alone.
pub(crate) fn over_choice() -> LazyFuture<RenderOverrides> {
    dressed("board", over())
}

#[wasm_split(board, fallible)]
fn over() -> Result<RenderOverrides, ChunkLoadError> {
    Ok(|over| view! { class="n", <OverridesButton over /> }.into_any())
}

/// A turn as it was, in the place of the panes.
pub(crate) fn as_it_was() -> LazyFuture<RenderFn> {
    dressed("board", then())
}

#[wasm_split(board, fallible)]
fn then() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <SnapshotPanel /> }.into_any())
}

/// The heads that a session had.
pub(crate) fn head_list() -> LazyFuture<RenderFn> {
    dressed("board", heads())
}

#[wasm_split(board, fallible)]
fn heads() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <ReflogDialog /> }.into_any())
}

/// What can be done from a turn.
pub(crate) fn turn_menu() -> LazyFuture<RenderFn> {
    dressed("board", menu_of_turn())
}

#[wasm_split(board, fallible)]
fn menu_of_turn() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <TurnMenu /> }.into_any())
}

/// The field in which a message is said in other words.
pub(crate) fn edit_message() -> LazyFuture<RenderFn> {
    dressed("board", message_in_other_words())
}

#[wasm_split(board, fallible)]
fn message_in_other_words() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <EditMessage /> }.into_any())
}

/// What finds a thread, to go there or to send something there.
pub(crate) fn thread_finder() -> LazyFuture<RenderFn> {
    dressed("board", finder())
}

#[wasm_split(board, fallible)]
fn finder() -> Result<RenderFn, ChunkLoadError> {
    Ok(|| view! { class="n", <SearchDialog /> }.into_any())
}
