//! Tests of the selectors over a world: what wakes them, and when they keep their value.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::unbounded;
use leptos::prelude::*;
use nexus::ui::kit::selector::{Selector, select, select_by};
use nexus::ui::kit::signal::RwSignal;
use nexus::ui::page::Page;
use nexus::ui::tree_map::history_links::HistoryContext;
use nexus::ui::view_state::{AgentState, WorldParts};
use nexus::ui::{Dispatch, LocalTime};
use nexus_engine::tests::{says, tab};
use nexus_model::agent::defaults::first_agents;
use nexus_model::id::{Millis, SessionId};
use nexus_model::mind::Mind;
use nexus_model::run::{Node, NodeStatus, Run, RunCause, RunStatus};
use nexus_model::session::{DraftField, QueueMode, Session};
use nexus_model::settings::schema::OPERATOR_NAME;
use nexus_model::turn::{Turn, TurnPhase};
use nexus_model::world::World;
use nexus_view::draft_merge::EditBuffer;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::mounted_page::config;

/// Counts how often a selector notifies a reader, the first read included.
fn wakes<T: Clone + PartialEq + Send + Sync + 'static>(read: Selector<T>) -> impl Fn() -> u32 {
    thread_local!(static COUNTS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) });
    let index = COUNTS.with_borrow_mut(|all| {
        all.push(0);
        all.len() - 1
    });
    let reader = select_by(
        move || {
            COUNTS.with_borrow_mut(|all| all[index] += 1);
            read.get();
        },
        |(), ()| false,
    );
    move || {
        reader.get_untracked();
        COUNTS.with_borrow(|all| all[index])
    }
}

fn id(last: char) -> SessionId {
    format!("0000000000000000000000000{last}").parse().unwrap()
}

fn session(id: SessionId, label: &str, mind: &Mind) -> Arc<Session> {
    let row = json!({
        "id": id, "label": label, "status": "open", "origin": "user", "kind": "user",
        "mind": mind.hash(), "last_sequence": 0, "created_at": 1,
    });
    Arc::new(serde_json::from_value(row).unwrap())
}

/// A world of two sessions and the default agents, with its page.
fn fixture() -> (Rc<RefCell<World>>, &'static Page) {
    let (mut world, mind) = (World::default(), Mind::default());
    world.sessions.insert(id('1'), session(id('1'), "One", &mind));
    world.sessions.insert(id('2'), session(id('2'), "Two", &mind));
    world.minds.insert(mind.hash(), Arc::new(mind));
    world.agents.extend(first_agents().into_iter().map(|agent| (agent.key.clone(), Arc::new(agent))));
    let world = Rc::new(RefCell::new(world));
    let config = config(&tab(|_, _| says("never asked")));
    let dispatch = Dispatch::new(config.handle, config.clock, config.ids, unbounded().0);
    let page =
        Page::new(&world, id('1'), dispatch, HistoryContext::new(config.records), LocalTime::default());
    (world, page)
}

#[wasm_bindgen_test]
fn selector_notifies_only_on_a_changed_value() {
    Owner::new().with(|| {
        let number = RwSignal::new(2);
        let is_even = select(move || number.get() % 2 == 0);
        let count = wakes(is_even);
        assert_eq!(count(), 1);
        number.set(4);
        assert_eq!(count(), 1);
        number.set(5);
        assert_eq!(count(), 2);
        assert!(!is_even.get_untracked());
        // A signal notifies on every set.
        let count = wakes(Selector::from(number));
        assert_eq!(count(), 1);
        number.set(5);
        assert_eq!(count(), 2);
    });
}

#[wasm_bindgen_test]
fn disposed_selector_returns_none() {
    let owner = Owner::new();
    let one = owner.with(|| Selector::fixed(1));
    assert_eq!(one.try_get_untracked(), Some(1));
    owner.cleanup();
    assert_eq!(one.try_get_untracked(), None);
}

#[wasm_bindgen_test]
fn changed_part_reruns_only_its_selectors() {
    Owner::new().with(|| {
        let (world, page) = fixture();
        let reads = Rc::new(Cell::new(0));
        let counted = send_wrapper::SendWrapper::new(Rc::clone(&reads));
        let names = page.world.select(WorldParts::SESSIONS, move |world| {
            counted.set(counted.get() + 1);
            world.sessions.len()
        });
        let name = page.settings.text(OPERATOR_NAME);
        assert_eq!((names.get_untracked(), name.get_untracked().as_str(), reads.get()), (2, "", 1));
        let setting = (OPERATOR_NAME.name().to_owned(), Arc::new(Value::from("Ada")));
        world.borrow_mut().settings.extend([setting]);
        assert_eq!(name.get_untracked(), "", "nobody said that it changed");
        page.world.changed(WorldParts::SETTINGS);
        assert_eq!((names.get_untracked(), name.get_untracked().as_str(), reads.get()), (2, "Ada", 1));
        page.world.changed(WorldParts::SESSIONS.and(WorldParts::MEMORIES));
        assert_eq!((names.get_untracked(), reads.get()), (2, 2));
    });
}

#[wasm_bindgen_test]
fn changed_row_notifies_only_its_readers() {
    Owner::new().with(|| {
        let (world, page) = fixture();
        let order = page.agents.order;
        let keys = order.get_untracked();
        let rows: Vec<_> = keys.iter().map(|key| page.agents.rows.row(key).unwrap()).collect();
        let (first, second, of_order) = (wakes(rows[0]), wakes(rows[1]), wakes(order));
        assert_eq!((first(), second(), of_order()), (1, 1, 1));
        let mut agent = rows[0].get_untracked().agent.as_ref().clone();
        agent.identity.name = "Another".to_owned();
        world.borrow_mut().agents.insert(keys[0].clone(), Arc::new(agent));
        page.world.changed(WorldParts::ROSTER);
        assert_eq!((first(), second(), of_order()), (2, 1, 1));
        assert_eq!(rows[0].get_untracked().agent.identity.name, "Another");
    });
}

#[wasm_bindgen_test]
fn agents_of_a_paused_run_wait_for_the_operator() {
    Owner::new().with(|| {
        let (world, page) = fixture();
        let keys = page.agents.order.get_untracked();
        let states = || [0, 1, 2].map(|at| page.agents.rows.row(&keys[at]).unwrap().get_untracked().state);
        let hash = Mind::default().hash();
        let turn = Turn {
            phase: TurnPhase::AwaitingToolResult,
            agent: keys[0].clone(),
            config: world.borrow().agents[&keys[0]].config.clone(),
            ..Turn::opened("0000000000000000000000000T".parse().unwrap(), id('1'), hash, Millis(0))
        };
        let run_id = "0000000000000000000000000R".parse().unwrap();
        let cause = RunCause::Message("0000000000000000000000000M".parse().unwrap());
        let node = |at: usize, status, turn| Node {
            agent: Some(keys[at].clone()),
            turn,
            status,
            ..Node::new(keys[at].as_str().into(), "agent", 0)
        };
        let nodes = vec![
            node(0, NodeStatus::Running, Some(turn.id)),
            node(1, NodeStatus::Ready, None),
            node(2, NodeStatus::Done, None),
        ];
        let run = Run { nodes, ..Run::opened(run_id, id('1'), cause, hash, Millis(0)) };
        let put = |status| {
            let run = Run { status, ..run.clone() };
            world.borrow_mut().runs.insert(run_id, Arc::new(run));
            page.world.changed(WorldParts::SESSIONS);
        };
        world.borrow_mut().turns.insert(turn.id, Arc::new(turn.clone()));
        let own = Session { run: Some(run_id), ..world.borrow().sessions[&id('1')].as_ref().clone() };
        world.borrow_mut().sessions.insert(id('1'), Arc::new(own));
        put(RunStatus::Running);
        let processing = AgentState::Processing(TurnPhase::AwaitingToolResult);
        assert_eq!(states(), [processing, AgentState::Queued, AgentState::Idle]);
        assert_eq!(page.run.queue_mode(QueueMode::FollowUp), QueueMode::FollowUp);
        put(RunStatus::Paused);
        assert_eq!(states(), [AgentState::Asking, AgentState::Asking, AgentState::Idle]);
        let mode = || page.run.queue_mode(QueueMode::FollowUp);
        assert_eq!(mode(), QueueMode::FollowUp, "Resume continues this turn, which reads no message");
        world.borrow_mut().turns.insert(turn.id, Arc::new(Turn { phase: TurnPhase::Failed, ..turn }));
        put(RunStatus::Paused);
        assert_eq!(mode(), QueueMode::Steer, "Resume would not take it along");
    });
}

#[wasm_bindgen_test]
fn edit_of_a_field_that_was_not_shown_is_noticed() {
    Owner::new().with(|| {
        let (_, view) = fixture();
        let has_edit = select(move || view.drafts.has_edit(id('1')));
        assert!(!has_edit.get_untracked());
        let typing = EditBuffer { text: "typed".into(), base: Mind::default().hash(), in_conflict: false };
        view.drafts.slot(id('2'), &DraftField::Objective).set(Some(typing.clone()));
        assert!(!has_edit.get_untracked());
        view.drafts.slot(id('1'), &DraftField::File("a.txt".to_owned())).set(Some(typing));
        assert!(has_edit.get_untracked());
    });
}

#[wasm_bindgen_test]
fn removed_row_keeps_its_last_value() {
    Owner::new().with(|| {
        let (world, page) = fixture();
        let row = page.sessions.rows.row(&id('2')).unwrap();
        assert_eq!(row.get_untracked().label, "Two");
        world.borrow_mut().sessions.remove(&id('2'));
        page.world.changed(WorldParts::SESSIONS);
        assert_eq!(row.get_untracked().label, "Two");
        assert!(page.sessions.rows.row(&id('2')).is_none());
        assert_eq!(page.sessions.rows.order.get_untracked(), [id('1')]);
    });
}

#[wasm_bindgen_test]
fn board_keeps_its_content_while_another_session_loads() {
    Owner::new().with(|| {
        let (world, page) = fixture();
        let count = page.agents.order.get_untracked().len();
        assert_eq!(count, first_agents().len());
        let hash = page.mind.hash.get_untracked();
        assert_eq!(hash, Some(Mind::default().hash()));
        page.sessions.focus.set_if_changed(id('3'));
        assert_eq!(page.agents.order.get_untracked().len(), count);
        assert_eq!(page.mind.hash.get_untracked(), hash);
        assert!(!page.conversation.loaded.get_untracked());
        let mind = Mind { objective: "Other".to_owned(), ..Mind::default() };
        world.borrow_mut().sessions.insert(id('3'), session(id('3'), "Three", &mind));
        world.borrow_mut().minds.insert(mind.hash(), Arc::new(mind));
        page.world.changed(WorldParts::ALL);
        assert_eq!(&*page.mind.objective.get_untracked(), "Other");
        assert!(page.conversation.loaded.get_untracked());
    });
}
