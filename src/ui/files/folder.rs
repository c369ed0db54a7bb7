//! The folder section of the file panel: connect a folder, show differences, and resolve them.

use crate::ui::board::file_name::remove;
use crate::ui::dispatch::Dispatch;
use crate::ui::files::folder_sync::{FolderSyncState, FolderSyncStatus};
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Notices, Sessions};
use crate::ui::workspace::board_tabs::{BoardTab, BoardTabState};
use crate::ui::workspace::file_panel::FilePanelState;
use nexus_model::mind::folder_sync::FileStatus;
use nexus_model::mind::review::ComparisonBase;
use nexus_view::language::Text;
pub use nexus_view::strings::board::files as words;

#[component]
pub fn FolderSyncPanel(
    /// The tie of the session in view.
    ties: FolderSyncState,
) -> impl IntoMarkup {
    let read_only = expect_context::<Sessions>().read_only();
    let state = ties.state();
    let button =
        move |test: &'static str, label: &'static str, about: &'static str, act: fn(FolderSyncState)| {
            button(label)
                .test(test)
                .title(about)
                .disabled(move || read_only.get() || ties.busy().get())
                .on_click(move |_| act(ties))
        };
    let part = move || match state.get() {
        FolderSyncStatus::Unknown => Markup::Empty,
        FolderSyncStatus::Hindered(why) => {
            view! { <p class="hint" data-testid="folder-hindered">{words::hindered(why)}</p> }
        }
        FolderSyncStatus::Free => view! {
            <p class="hint">{words::FREE}</p>
            {button("folder-tie", words::TIE.get(), words::TIE_ABOUT.get(), FolderSyncState::pick)}
        },
        FolderSyncStatus::Lapsed(name) => view! {
            <p class="hint" data-testid="folder-lapsed">{words::lapsed(&name)}</p>
            {move || ties.refused().get().then(|| view! {
                <p class="hint" role="alert" data-testid="folder-refused">{words::NOT_ALLOWED}</p>
            })}
            {button("folder-allow", words::ALLOW.get(), words::ALLOW_ABOUT.get(), FolderSyncState::allow)}
            {button("folder-untie", words::UNTIE.get(), words::UNTIE_ABOUT.get(), FolderSyncState::untie)}
        },
        FolderSyncStatus::Failed(error) => view! {
            <p class="hint" role="alert">{words::failed(&error)}</p>
            {button("folder-tie", words::TIE.get(), words::TIE_ABOUT.get(), FolderSyncState::pick)}
            {button("folder-untie", words::UNTIE.get(), words::UNTIE_ABOUT.get(), FolderSyncState::untie)}
        },
        FolderSyncStatus::Tied(name) => view! {
            <p class="hint" data-testid="folder-tied">{move || words::tied(&name, ties.differences().with(Vec::len))}</p>
            <div class="desk-bar">
                <WriteAllButton ties />
                <CompareFolderButton ties />
                {button("folder-look", words::LOOK.get(), words::LOOK_ABOUT.get(), FolderSyncState::look)}
                {button("folder-untie", words::UNTIE.get(), words::UNTIE_ABOUT.get(), FolderSyncState::untie)}
            </div>
            <FolderDifferences ties />
            <p class="hint">{move || words::left_out(ties.left_out().get().passed_over, ties.left_out().get().cut)}</p>
        },
    };
    view! {
        <section class="desk-disk" aria-label=words::FOLDER>
            <h3 class="label">{words::FOLDER}</h3>
            {part}
        </section>
    }
}

#[component]
fn WriteAllButton(ties: FolderSyncState) -> impl IntoMarkup {
    let read_only = expect_context::<Sessions>().read_only();
    let count = select(move || {
        ties.differences().with(|all| all.iter().filter(|(_, standing)| standing.is_written()).count())
    });
    button(move || words::write(count.get()))
        .first()
        .test("folder-write")
        .title(words::WRITE_ABOUT)
        .disabled(move || count.get() == 0 || read_only.get() || ties.busy().get())
        .on_click(move |_| ties.write_all())
}

/// Leads to COMPARE, against the folder. Looking changes nothing, so it is there for those who read along, too.
#[component]
fn CompareFolderButton(ties: FolderSyncState) -> impl IntoMarkup {
    let (desk, faces) = (expect_context::<FilePanelState>(), expect_context::<BoardTabState>());
    let same = move || ties.differences().with(Vec::is_empty);
    let compare = move |_| {
        desk.open.set(false);
        faces.base().set(Some(ComparisonBase::Disk));
        faces.show(BoardTab::Compare);
    };
    button(words::COMPARE)
        .test("folder-compare")
        .title(words::COMPARE_ABOUT)
        .disabled(move || same() || desk.on_disk.with(Option::is_none))
        .on_click(compare)
}

/// Each file that differs, in what way, and what can be done.
#[component]
fn FolderDifferences(ties: FolderSyncState) -> impl IntoMarkup {
    let (dispatch, notices) = (expect_context::<Dispatch>(), expect_context::<Notices>());
    let read_only = expect_context::<Sessions>().read_only();
    let item = move |(name, standing): (String, FileStatus)| {
        let (file, label) = (StoredValue::new(name.clone()), name.clone());
        let ours = move |over: bool| ties.write(vec![file.get_value()], over);
        let act = move |test: &'static str, label: Text, does: Callback<()>| {
            quiet_button(label)
                .test(test)
                .disabled(move || read_only.get() || ties.busy().get())
                .on_click(move |_| does.run(()))
        };
        let keep = Callback::new(move |()| ours(true));
        let theirs = Callback::new(move |()| ties.take_theirs(file.get_value()));
        let delete = Callback::new(move |()| remove(dispatch, notices, file.get_value()));
        let (first, second) = match standing {
            FileStatus::Same | FileStatus::ChangedThere | FileStatus::NewThere => {
                (None, Some((words::READ, theirs)))
            }
            FileStatus::ChangedHere => (None, Some((words::THEIRS, theirs))),
            FileStatus::NewHere => (None, None),
            FileStatus::GoneHere => (None, Some((words::BRING_BACK, theirs))),
            FileStatus::GoneThere => (Some((words::WRITE_AGAIN, keep)), Some((words::DELETE_HERE, delete))),
            FileStatus::Both => (Some((words::OURS, keep)), Some((words::THEIRS, theirs))),
        };
        // The folder's side cannot be taken where it is no text; ours cannot be written where there is none.
        let second = second.filter(|_| standing == FileStatus::GoneThere || ties.has_theirs(&name));
        view! {
            <li class="desk-note" data-testid="folder-difference" data-file=label data-kind=words::kind(standing)>
                <p>
                    <b>{name}</b>
                    {" "}
                    {words::standing(standing)}
                </p>
                {first.map(|(label, does)| act("folder-ours", label, does))}
                {second.map(|(label, does)| act("folder-theirs", label, does))}
            </li>
        }
    };
    view! { <ul class="desk-notes">{keyed_list(move || ties.differences().get(), Clone::clone, item)}</ul> }
}
