//! Never draws: each screen does that in its own module.
//!
//! Owns which screens there are, each a part of the program that is loaded when it is first shown, and which of their
//! inner parts come later still. A function marked
//! with `wasm_split` and all that only it reaches become a file of their own (`xtask/src/split.rs`); calling it is what
//! loads that file.

use std::sync::Arc;

use futures_util::{FutureExt as _, future};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::wasm_split;

use crate::domain::id::AgentKey;
use crate::domain::session::QueueMode;
use crate::domain::text::markdown::{READER, Reader};
use crate::domain::timeline::Row;
use crate::engine::parts::{Coming, NotLoaded};
use crate::ui::app::settings_path;
use crate::ui::archivist::gauge::Gauge;
use crate::ui::archivist::mark::CompactionMark;
use crate::ui::archivist::memories::MemoriesPanel;
use crate::ui::as_it_was::AsItWasPanel;
use crate::ui::audit::AuditScreen;
use crate::ui::board::code_text::{CodeFile, CodeText};
use crate::ui::board::long_text::LongText;
use crate::ui::care::alerts::AlertService;
use crate::ui::care::serve::CareService;
use crate::ui::catch_up::CatchUpCard;
use crate::ui::chat::queue::{ModeChoice, Queue};
use crate::ui::compare::ComparePanel;
use crate::ui::core::CorePanel;
use crate::ui::data::DataCards;
use crate::ui::desk::Desk;
use crate::ui::finder::ThreadFinder;
use crate::ui::first_start::FirstStart;
use crate::ui::heads::HeadList;
use crate::ui::hooks::address;
use crate::ui::hooks::js_part::{self, JsPart};
use crate::ui::hooks::keep_focus::keep_focus;
use crate::ui::hooks::style::dress;
use crate::ui::inspect::InspectScreen;
use crate::ui::later::{Draw, Later};
use crate::ui::look_back::{AUDIT, INSPECT, TREE};
use crate::ui::overriding::OverChoice;
use crate::ui::palette::Everything;
use crate::ui::preview::PreviewPanel;
use crate::ui::race::RacePlace;
use crate::ui::room::Overriding;
use crate::ui::sessions::SessionList;
use crate::ui::settings::SettingsScreen;
use crate::ui::settings::unlock::Asking;
use crate::ui::tree_map::TreeScreen;
use crate::ui::turn_menu::{EditMessage, TurnMenu};
use crate::ui::voice::bar::VoiceBar;
use crate::ui::voice::settings::VoiceFields;
use crate::ui::war_room::WarRoom;
use crate::ui::workers::card::WorkerCard;
use crate::ui::workers::needs::WorkerNeeds;

/// The war room, when it has come.
#[component]
pub fn War() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("war_room", war_room()) /> }
}

/// The first start, when it has come.
#[component]
pub fn First() -> impl IntoView {
    view! { class="n", <Later load=|| Box::pin(first_start()) /> }
}

/// The settings, when they have come.
#[component]
pub fn Settings() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("settings", settings()) /> }
}

/// The audit, when it has come.
#[component]
pub fn Audit() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("settings", audit()) /> }
}

/// The inspector, when it has come.
#[component]
pub fn Inspect() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("settings", inspect()) /> }
}

/// The tree, when it has come.
#[component]
pub fn Tree() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("settings", tree()) /> }
}

/// A part that has a stylesheet of its own, when both have come.
fn dressed<T: 'static>(
    style: &'static str,
    part: impl Future<Output = Result<T, NotLoaded>> + 'static,
) -> Coming<T> {
    Box::pin(future::join(part, dress(style)).map(|(part, ())| part))
}

/// Loads the screen that the page opens with, so that it takes the place of the static page without a gap. One that does
/// not come says so itself when it is shown.
pub async fn load_first(is_set_up: bool) {
    let at_settings = address::may_write_history() && address::path() == settings_path();
    let at = |below: &str| address::may_write_history() && address::path().ends_with(below);
    let first: Coming<Draw> = match (at_settings, is_set_up) {
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
fn war_room() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <WarRoom /> }.into_any())
}

#[wasm_split(first_start, fallible)]
fn first_start() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <FirstStart /> }.into_any())
}

#[wasm_split(settings, fallible)]
fn settings() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <SettingsScreen /> }.into_any())
}

/// The cards about data as a whole, below the settings.
pub(in crate::ui) fn data_cards() -> Coming<Draw> {
    dressed("settings", data())
}

#[wasm_split(settings, fallible)]
fn data() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <DataCards /> }.into_any())
}

#[wasm_split(settings, fallible)]
fn audit() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <AuditScreen /> }.into_any())
}

/// In the part of the audit: they look like each other, and lead to each other.
#[wasm_split(settings, fallible)]
fn inspect() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <InspectScreen /> }.into_any())
}

#[wasm_split(settings, fallible)]
fn tree() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <TreeScreen /> }.into_any())
}

/// The reader of Markdown, which the war room shows answers by; it comes with the board.
#[wasm_split(board, fallible)]
pub(in crate::ui) fn markdown() -> Result<&'static Reader, NotLoaded> {
    Ok(&READER)
}

/// The Core's place on the board.
pub(in crate::ui) fn core_panel() -> Coming<Draw> {
    dressed("board", core_board())
}

#[wasm_split(board, fallible)]
fn core_board() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <CorePanel /> }.into_any())
}

/// What cares for the timeline: finding, pins, menus, quoting.
pub(in crate::ui) fn care() -> Coming<Draw> {
    dressed("board", care_service())
}

#[wasm_split(board, fallible)]
fn care_service() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <CareService /> }.into_any())
}

/// What calls the operator back to a page that is hidden.
pub(in crate::ui) fn alerts() -> Coming<Draw> {
    Box::pin(alert_service())
}

#[wasm_split(board, fallible)]
fn alert_service() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <AlertService /> }.into_any())
}

/// What draws the gauge of an agent's window.
pub(in crate::ui) type DrawGauge = fn(AgentKey) -> AnyView;
/// What draws a row of the timeline.
pub(in crate::ui) type DrawRow = fn(Signal<Row>) -> AnyView;

/// How full an agent's window is.
pub(in crate::ui) fn window_gauge() -> Coming<DrawGauge> {
    dressed("board", gauge())
}

#[wasm_split(board, fallible)]
fn gauge() -> Result<DrawGauge, NotLoaded> {
    Ok(|agent| view! { class="n", <Gauge agent /> }.into_any())
}

/// The mark of a compaction in the timeline.
pub(in crate::ui) fn compaction_mark() -> Coming<DrawRow> {
    dressed("board", mark())
}

#[wasm_split(board, fallible)]
fn mark() -> Result<DrawRow, NotLoaded> {
    Ok(|row| view! { class="n", <CompactionMark row /> }.into_any())
}

/// The card of a worker.
pub(in crate::ui) fn worker_card() -> Coming<DrawRow> {
    dressed("board", card_of_worker())
}

#[wasm_split(board, fallible)]
fn card_of_worker() -> Result<DrawRow, NotLoaded> {
    Ok(|row| view! { class="n", <WorkerCard row /> }.into_any())
}

/// What workers need of the operator, and models that race.
pub(in crate::ui) fn worker_needs() -> Coming<Draw> {
    dressed("board", needs_of_workers())
}

#[wasm_split(board, fallible)]
fn needs_of_workers() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <RacePlace /> <WorkerNeeds /> }.into_any())
}

/// The face of what is remembered, when it has come.
#[component]
pub fn Memories() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("board", memories()) /> }
}

#[wasm_split(board, fallible)]
fn memories() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <MemoriesPanel /> }.into_any())
}

/// The desk of the war room's board, with the folder on disk.
pub(in crate::ui) fn file_desk() -> Coming<Draw> {
    dressed("board", desk())
}

#[wasm_split(board, fallible)]
fn desk() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <Desk /> }.into_any())
}

/// What draws the editor of a file.
pub(in crate::ui) type DrawCode = fn(CodeFile) -> AnyView;
/// What draws a long file that cannot be edited.
pub(in crate::ui) type DrawLong = fn(String, Signal<Arc<str>>) -> AnyView;

/// The editor of files, with its JavaScript; does not come where the page was built without.
pub(in crate::ui) fn code_editor() -> Coming<(DrawCode, JsPart)> {
    Box::pin(async {
        // First, because a page without it needs none of the rest.
        let part = js_part::load("editor").await?;
        Ok((dressed("board", code_text()).await?, part))
    })
}

/// A long file, to be read.
pub(in crate::ui) fn long_file() -> Coming<DrawLong> {
    dressed("board", long_text())
}

#[wasm_split(board, fallible)]
fn code_text() -> Result<DrawCode, NotLoaded> {
    Ok(|file| view! { class="n", <CodeText file /> }.into_any())
}

#[wasm_split(board, fallible)]
fn long_text() -> Result<DrawLong, NotLoaded> {
    Ok(|label, text| view! { class="n", <LongText label text /> }.into_any())
}

/// The face COMPARE of the board, when it has come.
#[component]
pub fn Compare() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("board", compare()) /> }
}

#[wasm_split(board, fallible)]
fn compare() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <ComparePanel /> }.into_any())
}

/// The face PREVIEW of the board, when it has come.
#[component]
pub fn Preview() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("board", preview()) /> }
}

#[wasm_split(board, fallible)]
fn preview() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <PreviewPanel /> }.into_any())
}

/// What the newest run came to, when it has come.
#[component]
pub fn CatchUp() -> impl IntoView {
    view! { class="n", <Later load=|| dressed("board", catch_up()) /> }
}

#[wasm_split(board, fallible)]
fn catch_up() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <CatchUpCard /> }.into_any())
}

/// The palette, the sheet of keys and what they offer, on any screen.
pub(in crate::ui) fn palette() -> Coming<Draw> {
    dressed("board", everything())
}

/// It also sets to work what keeps the focus, which belongs to no screen and lives as long as the page.
#[wasm_split(board, fallible)]
fn everything() -> Result<Draw, NotLoaded> {
    keep_focus();
    Ok(|| view! { class="n", <Everything /> }.into_any())
}

/// The dialog that asks for the passphrase, in the part of the settings.
pub(in crate::ui) fn unlock_dialog() -> Coming<Draw> {
    dressed("settings", unlock())
}

#[wasm_split(settings, fallible)]
fn unlock() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <Asking /> }.into_any())
}

/// The bar of voice, with all that listens and reads.
pub(in crate::ui) fn voice_bar() -> Coming<Draw> {
    dressed("board", voice())
}

#[wasm_split(board, fallible)]
fn voice() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <VoiceBar /> }.into_any())
}

/// The settings of voice; their looks are those of the bar.
pub(in crate::ui) fn voice_settings() -> Coming<Draw> {
    dressed("board", voice_fields())
}

#[wasm_split(settings, fallible)]
fn voice_fields() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <VoiceFields /> }.into_any())
}

/// The list of sessions.
pub(in crate::ui) fn session_list() -> Coming<Draw> {
    dressed("board", sessions())
}

#[wasm_split(board, fallible)]
fn sessions() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <SessionList /> }.into_any())
}

/// The strip of messages that wait.
pub(in crate::ui) fn queue() -> Coming<Draw> {
    dressed("board", waiting_messages())
}

#[wasm_split(board, fallible)]
fn waiting_messages() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <Queue /> }.into_any())
}

/// What draws the choice of what happens to the next message.
pub(in crate::ui) type DrawModes = fn(RwSignal<Option<QueueMode>>) -> AnyView;

/// The choice of what happens to the next message while a run works.
pub(in crate::ui) fn queue_modes() -> Coming<DrawModes> {
    dressed("board", modes())
}

#[wasm_split(board, fallible)]
fn modes() -> Result<DrawModes, NotLoaded> {
    Ok(|chosen| view! { class="n", <ModeChoice chosen /> }.into_any())
}

/// Draws the choice of what holds for a message alone.
pub(in crate::ui) type DrawOver = fn(Overriding) -> AnyView;

/// The choice of what holds for the next message alone.
pub(in crate::ui) fn over_choice() -> Coming<DrawOver> {
    dressed("board", over())
}

#[wasm_split(board, fallible)]
fn over() -> Result<DrawOver, NotLoaded> {
    Ok(|over| view! { class="n", <OverChoice over /> }.into_any())
}

/// A turn as it was, in the place of the panes.
pub(in crate::ui) fn as_it_was() -> Coming<Draw> {
    dressed("board", then())
}

#[wasm_split(board, fallible)]
fn then() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <AsItWasPanel /> }.into_any())
}

/// The heads that a session had.
pub(in crate::ui) fn head_list() -> Coming<Draw> {
    dressed("board", heads())
}

#[wasm_split(board, fallible)]
fn heads() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <HeadList /> }.into_any())
}

/// What can be done from a turn.
pub(in crate::ui) fn turn_menu() -> Coming<Draw> {
    dressed("board", menu_of_turn())
}

#[wasm_split(board, fallible)]
fn menu_of_turn() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <TurnMenu /> }.into_any())
}

/// The field in which a message is said in other words.
pub(in crate::ui) fn edit_message() -> Coming<Draw> {
    dressed("board", message_in_other_words())
}

#[wasm_split(board, fallible)]
fn message_in_other_words() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <EditMessage /> }.into_any())
}

/// What finds a thread, to go there or to send something there.
pub(in crate::ui) fn thread_finder() -> Coming<Draw> {
    dressed("board", finder())
}

#[wasm_split(board, fallible)]
fn finder() -> Result<Draw, NotLoaded> {
    Ok(|| view! { class="n", <ThreadFinder /> }.into_any())
}
