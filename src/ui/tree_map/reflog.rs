//! The reflog dialog: former heads of a session, each to open as a snapshot or to fork.

use leptos::ev::{Event, KeyboardEvent};
use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::dialog::use_modal;
use crate::ui::hooks::focus;
use crate::ui::kit::agent_badge::AgentBadge;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::shell::dialogs::{DialogState, OpenDialog, SnapshotTarget};
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::view_state::Sessions;
use nexus_engine::port::StoreError;
use nexus_engine::queries::events::EventQueries;
use nexus_engine::queries::reflog::more_heads;
use nexus_engine::queries::tree as reader;
use nexus_model::id::{SessionId, TurnId};
use nexus_model::turn::reflog::{Reflog, ReflogEntry};
use nexus_model::turn::tree::TurnStub;
use nexus_text::invisible::reveal;
use nexus_text::vec_map::VecMap;
use nexus_view::local_time::LocalTime;
use nexus_view::strings::snapshot as words;

/// A head, with what is told of its turn.
#[derive(Clone, Debug)]
struct ReflogRow {
    head: ReflogEntry,
    dot: Option<TurnStub>,
    said: String,
    is_now: bool,
}

/// What the list knows.
#[derive(Clone, Copy)]
struct ReflogState {
    session: SessionId,
    heads: StoredValue<Reflog>,
    rows: RwSignal<Vec<ReflogRow>>,
    more: RwSignal<bool>,
    reads: RwSignal<bool>,
    problem: RwSignal<Option<&'static str>>,
}

impl ReflogState {
    /// Reads further back.
    fn read(self, records: EventQueries) {
        if self.reads.get_untracked() {
            return;
        }
        self.reads.set(true);
        spawn_local(async move {
            let mut heads = self.heads.get_value();
            let from = heads.all.len();
            let read = more(&records, self.session, &mut heads).await;
            // The list may have been closed meanwhile.
            if self.reads.try_set(false).is_some() {
                return;
            }
            match read {
                Ok((more, told)) => {
                    self.more.set(more);
                    let new = heads.all.iter().enumerate().skip(from);
                    let shown = new.map(|(place, head)| {
                        let of = head.turn.and_then(|turn| told.get(&turn));
                        let (dot, said) =
                            of.cloned().map_or((None, String::new()), |(dot, said)| (Some(dot), said));
                        ReflogRow { head: head.clone(), dot, said, is_now: place == 0 }
                    });
                    self.rows.update(|rows| rows.extend(shown));
                    self.heads.set_value(heads);
                }
                Err(_) => self.problem.set(Some(words::UNREADABLE)),
            }
        });
    }
}

/// Older heads, whether there are more, and what their turns were about.
async fn more(
    records: &EventQueries,
    session: SessionId,
    heads: &mut Reflog,
) -> Result<(bool, VecMap<TurnId, (TurnStub, String)>), StoreError> {
    let from = heads.all.len();
    let more = more_heads(records, session, heads).await?;
    let mut turns: Vec<TurnId> = heads.all.iter().skip(from).filter_map(|head| head.turn).collect();
    turns.sort_unstable();
    turns.dedup();
    let (dots, _) = reader::dots(records, turns.iter().map(ToString::to_string).collect()).await?;
    let mut said: VecMap<TurnId, String> = reader::words(records, &turns).await?.into_iter().collect();
    let told = dots.into_iter().map(|dot| {
        let words = said.remove(&dot.id).unwrap_or_default();
        (dot.id, (dot, words))
    });
    Ok((more, told.collect()))
}

/// The list, above everything.
#[component]
pub(crate) fn ReflogDialog() -> impl IntoView {
    let tree = expect_context::<DialogState>();
    let Some(OpenDialog::Heads(session)) = tree.opened().get_untracked() else { return None };
    let look_back = expect_context::<HistoryContext>();
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog);
    let leave = move || {
        // The browser gives the focus back to where it was.
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
        tree.close();
    };
    let list = ReflogState {
        session,
        heads: StoredValue::new(Reflog::default()),
        rows: RwSignal::new(Vec::new()),
        more: RwSignal::new(false),
        reads: RwSignal::new(false),
        problem: RwSignal::new(None),
    };
    list.read(look_back.records());
    let name = expect_context::<Sessions>().get_untracked(&session).map(|row| reveal(&row.label));
    let nothing = move || list.rows.with(Vec::is_empty) && !list.reads.get() && list.problem.get().is_none();
    Some(view! { class="n",
        <dialog
            class="dialog session-list head-list"
            node_ref=dialog
            aria-labelledby="head-list-title"
            data-testid="head-list"
            on:cancel=move |event: Event| {
                event.prevent_default();
                leave();
            }
        >
            <div class="session-head">
                <h2 id="head-list-title">{words::HEADS}</h2>
                <span class="tag" dir="auto">{name}</span>
                <button
                    type="button" class="icon" data-testid="head-list-close"
                    title=words::CLOSE aria-label=words::CLOSE
                    on:click=move |_| leave()
                >
                    {"×"}
                </button>
            </div>
            <p class="hint">{words::HEADS_ABOUT}</p>
            <p class="session-refused" role="alert">{move || list.problem.get()}</p>
            <ol class="session-rows" on:keydown=walk>
                <KeyedList
                    each=move || list.rows.get()
                    key=|row: &ReflogRow| row.head.seq
                    children=move |row: ReflogRow| view! { class="n", <ReflogLine row list leave=Callback::new(move |()| leave()) /> }
                />
            </ol>
            <Show when=nothing><p class="hint" data-testid="head-none">{words::NO_HEADS}</p></Show>
            <Show when=move || list.more.get()>
                <button
                    type="button" class="button" data-testid="head-older"
                    disabled=move || list.reads.get()
                    on:click=move |_| list.read(look_back.records())
                >
                    {words::OLDER_HEADS}
                </button>
            </Show>
        </dialog>
    })
}

/// The arrow keys go from row to row.
fn walk(event: KeyboardEvent) {
    let back = match event.key().as_str() {
        "ArrowDown" => false,
        "ArrowUp" => true,
        _ => return,
    };
    event.prevent_default();
    focus::beside(".head-open", back);
}

#[component]
fn ReflogLine(row: ReflogRow, list: ReflogState, leave: Callback<()>) -> impl IntoView {
    let (dispatch, tree) = (expect_context::<Dispatch>(), expect_context::<DialogState>());
    let (local, focus) = (expect_context::<LocalTime>(), expect_context::<Sessions>().focus());
    let ReflogRow { head, dot, said, is_now } = row;
    let session = list.session;
    let when = words::at(&local.day(head.at, dispatch.now()), &local.clock(head.at));
    let why = words::why(head.why, dot.as_ref().map(|dot| dot.kind), dot.as_ref().and_then(|dot| dot.end));
    let face = AgentBadge::of(dot.as_ref().map(|dot| &dot.agent));
    let who = match (&dot, head.turn) {
        (Some(_), _) => format!("{} {}", face.emoji(), reveal(&face.name())),
        (None, Some(_)) => String::new(),
        (None, None) => words::BEGINNING.to_owned(),
    };
    let (turn, mind) = (head.turn, head.left);
    let left = mind.clone();
    let open = move |_| {
        let Some(turn) = turn else { return };
        leave.run(());
        if focus.get_untracked() != session {
            dispatch.open(session);
        }
        tree.look_at(Some(SnapshotTarget { session, turn, mind: mind.clone() }));
    };
    let go_on = move |_| {
        let Some(turn) = turn else { return };
        dispatch.go_on_from(session, (turn, left.clone()), String::new(), move |made| {
            if made {
                leave.try_run(());
            }
        });
    };
    let go_on = (turn.is_some() && !is_now).then(|| {
        view! { class="n",
            <span class="session-acts">
                <button type="button" class="quiet" data-testid="head-continue" on:click=go_on>{words::CONTINUE}</button>
            </span>
        }
    });
    let now = is_now.then(|| view! { class="n", <span class="tag" data-kind="works">{words::NOW}</span> });
    view! { class="n",
        <li class="session-row" data-testid="head-row" data-turn=turn.map(|turn| turn.to_string())>
            <button
                type="button"
                class="session-open head-open"
                data-testid="head-open"
                data-accent=face.accent()
                disabled=turn.is_none()
                title=words::OPEN
                on:click=open
            >
                <span class="session-name">{who}</span>
                <span class="session-about" dir="auto">{reveal(&said)}</span>
                <span class="session-facts">{now}<span class="tag">{why}</span><span>{when}</span></span>
            </button>
            {go_on}
        </li>
    }
}
