//! The folder section of the file panel: connect a folder, show differences, and resolve them.

use leptos::prelude::*;

use crate::ui::board::file_panel::FilePanelState;
use crate::ui::board::removal::remove;
use crate::ui::board::tabs::{BoardTab, BoardTabState};
use crate::ui::dispatch::Dispatch;
use crate::ui::files::folder_sync::{FolderSyncState, FolderSyncStatus};
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::view_state::{Notices, Sessions};
use nexus_model::mind::folder_sync::FileStatus;
use nexus_model::mind::review::ComparisonBase;
pub use nexus_view::strings::board::files as words;

#[component]
pub fn FolderSyncPanel(
    /// The tie of the session in view.
    ties: FolderSyncState,
) -> impl IntoView {
    let read_only = expect_context::<Sessions>().read_only();
    let state = ties.state();
    let button =
        move |test: &'static str, label: &'static str, about: &'static str, act: fn(FolderSyncState)| {
            view! { class="n",
                <button
                    type="button"
                    class="button"
                    data-testid=test
                    title=about
                    disabled=move || read_only.get() || ties.busy().get()
                    on:click=move |_| act(ties)
                >
                    {label}
                </button>
            }
        };
    let part = move || {
        match state.get() {
        FolderSyncStatus::Unknown => ().into_any(),
        FolderSyncStatus::Hindered(why) => {
            view! { class="n", <p class="hint" data-testid="folder-hindered">{words::hindered(why)}</p> }.into_any()
        }
        FolderSyncStatus::Free => view! { class="n",
            <p class="hint">{words::FREE}</p>
            {button("folder-tie", words::TIE, words::TIE_ABOUT, FolderSyncState::pick)}
        }
        .into_any(),
        FolderSyncStatus::Lapsed(name) => view! { class="n",
            <p class="hint" data-testid="folder-lapsed">{words::lapsed(&name)}</p>
            {move || ties.refused().get().then(|| view! { class="n",
                <p class="hint" role="alert" data-testid="folder-refused">{words::NOT_ALLOWED}</p>
            })}
            {button("folder-allow", words::ALLOW, words::ALLOW_ABOUT, FolderSyncState::allow)}
            {button("folder-untie", words::UNTIE, words::UNTIE_ABOUT, FolderSyncState::untie)}
        }
        .into_any(),
        FolderSyncStatus::Failed(error) => view! { class="n",
            <p class="hint" role="alert">{words::failed(&error)}</p>
            {button("folder-tie", words::TIE, words::TIE_ABOUT, FolderSyncState::pick)}
            {button("folder-untie", words::UNTIE, words::UNTIE_ABOUT, FolderSyncState::untie)}
        }
        .into_any(),
        FolderSyncStatus::Tied(name) => view! { class="n",
            <p class="hint" data-testid="folder-tied">{move || words::tied(&name, ties.differences().with(Vec::len))}</p>
            <div class="desk-bar">
                <WriteAllButton ties />
                <CompareFolderButton ties />
                {button("folder-look", words::LOOK, words::LOOK_ABOUT, FolderSyncState::look)}
                {button("folder-untie", words::UNTIE, words::UNTIE_ABOUT, FolderSyncState::untie)}
            </div>
            <FolderDifferences ties />
            <p class="hint">{move || words::left_out(ties.left_out().get().passed_over, ties.left_out().get().cut)}</p>
        }
        .into_any(),
    }
    };
    view! { class="n",
        <section class="desk-disk" aria-label=words::FOLDER>
            <h3 class="label">{words::FOLDER}</h3>
            {part}
        </section>
    }
}

#[component]
fn WriteAllButton(ties: FolderSyncState) -> impl IntoView {
    let read_only = expect_context::<Sessions>().read_only();
    let count = Memo::new(move |_| {
        ties.differences().with(|all| all.iter().filter(|(_, standing)| standing.is_written()).count())
    });
    view! { class="n",
        <button
            type="button"
            class="button"
            data-weight="first"
            data-testid="folder-write"
            title=words::WRITE_ABOUT
            disabled=move || count.get() == 0 || read_only.get() || ties.busy().get()
            on:click=move |_| ties.write_all()
        >
            {move || words::write(count.get())}
        </button>
    }
}

/// Leads to COMPARE, against the folder. Looking changes nothing, so it is there for those who read along, too.
#[component]
fn CompareFolderButton(ties: FolderSyncState) -> impl IntoView {
    let (desk, faces) = (expect_context::<FilePanelState>(), expect_context::<BoardTabState>());
    let same = move || ties.differences().with(Vec::is_empty);
    let compare = move |_| {
        desk.open.set(false);
        faces.base().set(Some(ComparisonBase::Disk));
        faces.show(BoardTab::Compare);
    };
    view! { class="n",
        <button
            type="button"
            class="button"
            data-testid="folder-compare"
            title=words::COMPARE_ABOUT
            disabled=move || same() || desk.on_disk.with(Option::is_none)
            on:click=compare
        >
            {words::COMPARE}
        </button>
    }
}

/// Each file that differs, in what way, and what can be done.
#[component]
fn FolderDifferences(ties: FolderSyncState) -> impl IntoView {
    let (dispatch, notices) = (expect_context::<Dispatch>(), expect_context::<Notices>());
    let read_only = expect_context::<Sessions>().read_only();
    let item = move |(name, standing): (String, FileStatus)| {
        let (file, label) = (StoredValue::new(name.clone()), name.clone());
        let ours = move |over: bool| ties.write(vec![file.get_value()], over);
        let act = move |test: &'static str, label: &'static str, does: Callback<()>| {
            view! { class="n",
                <button
                    type="button"
                    class="quiet"
                    data-testid=test
                    disabled=move || read_only.get() || ties.busy().get()
                    on:click=move |_| does.run(())
                >
                    {label}
                </button>
            }
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
        view! { class="n",
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
    view! { class="n",
        <ul class="desk-notes">
            <KeyedList each=move || ties.differences().get() key=Clone::clone children=item />
        </ul>
    }
}
