//! Property tests of context assembly over random threads, checked on the recipe and the whole prompt.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::calls::prompt::prompt_of;
use crate::tests::{Tab, says, tab};
use nexus_model::limits::TURNS_KEPT;
use nexus_model::testing::{a_message, a_turn};
use nexus_text::testing::check_until_seen;

/// One turn of a thread: whose it is, the bytes of the question, the tool result and the answer; whether it failed, or
/// is a compaction that keeps so many turns.
#[derive(Clone, Debug)]
struct TurnStep {
    own: bool,
    asked: usize,
    result: usize,
    failed: bool,
    compacts: Option<(usize, bool)>,
}

fn any_step() -> impl Strategy<Value = TurnStep> {
    let bytes = prop_oneof![3 => 0usize..400, 1 => 400usize..30_000];
    let result = prop_oneof![2 => Just(0usize), 2 => 0usize..60_000];
    let compacts = proptest::option::weighted(0.2, (0usize..5, any::<bool>()));
    (any::<bool>(), bytes, result, proptest::bool::weighted(0.2), compacts)
        .prop_map(|(own, asked, result, failed, compacts)| TurnStep { own, asked, result, failed, compacts })
}

struct ThreadFixture {
    world: World,
    session: SessionId,
    head: Option<TurnId>,
    next: u128,
}

impl ThreadFixture {
    fn say(&mut self, turn: &mut Turn, role: Role, parts: Vec<MessagePart>) -> MessageId {
        self.next += 1;
        let id = MessageId::from(self.next);
        let row = Message { role, parts, turn: Some(turn.id), ..a_message(id, self.session) };
        self.world.messages.insert(id, Arc::new(row));
        match role {
            Role::User => turn.query.push(id),
            Role::Assistant | Role::System | Role::Tool => turn.messages.push(id),
        }
        id
    }

    /// The marker of a turn ends with a full stop, so that no marker is a prefix of another.
    fn step(&mut self, step: &TurnStep) {
        self.next += 1;
        let id = TurnId::from(self.next);
        let mut turn = Turn { parent: self.head, ..a_turn(id, self.session) };
        turn.agent = if step.own { "architect" } else { "engineer" }.into();
        let shown: Vec<TurnId> =
            thread_context(&self.world, self.head).turns.iter().map(|turn| turn.id).collect();
        if let Some((keeps, made)) = step.compacts
            && let Some(at) = shown.len().checked_sub(keeps + 1)
        {
            turn.kind = TurnKind::Compaction;
            let summary = made.then(|| format!("summary-{}.", id.bits()));
            let row = compaction(id, self.session, (shown[at], shown.get(at + 1).copied()), summary);
            self.world.compactions.insert(id, Arc::new(row));
        } else {
            let mark = id.bits();
            let text = |what: &str, bytes| MessagePart::text(format!("{what}-{mark}. {}", "x".repeat(bytes)));
            self.say(&mut turn, Role::User, vec![text("asked", step.asked)]);
            if step.result > 0 {
                self.next += 1;
                let run = nexus_model::id::ToolRunId::from(self.next);
                let args = ToolArgs::Parsed(json!({ "name": "f" }));
                let (call_id, name) = ("c".to_owned(), "read_file".to_owned());
                let call = ToolCall { id: call_id.clone(), own_id: false, name: name.clone(), args };
                let result = json!({ "text": format!("result-{mark}. {}", "y".repeat(step.result)) });
                let answer = ToolResult { call_id, name, result, is_error: false };
                let asks = self.say(&mut turn, Role::Assistant, vec![PartBody::ToolCall(call).into()]);
                let result_message =
                    self.say(&mut turn, Role::Tool, vec![PartBody::ToolResult(answer).into()]);
                for id in [asks, result_message] {
                    let mut row = self.world.message(&id).unwrap().as_ref().clone();
                    row.metadata.tool_run_ids.push(run);
                    self.world.messages.insert(id, Arc::new(row));
                }
            }
            self.say(&mut turn, Role::Assistant, vec![text("said", 20)]);
            if step.failed {
                turn.end = Some(TurnEnd::Error);
            }
        }
        self.head = Some(id);
        self.world.turns.insert(id, Arc::new(turn));
    }
}

fn compaction(
    turn: TurnId,
    session: SessionId,
    (through, first_kept): (TurnId, Option<TurnId>),
    summary: Option<String>,
) -> Compaction {
    Compaction {
        turn,
        session,
        reason: CompactionReason::Threshold,
        through,
        first_kept,
        turns: 1,
        provider: "p".into(),
        model: "m".into(),
        tokens_before: 1,
        summary,
        ..Compaction::default()
    }
}

/// An open turn of the Architect without calls, and its world.
fn open_turn(tab: &Tab, window: u64) -> (ThreadFixture, Turn) {
    let world = tab.world().clone();
    let mut turn = world.turn(&tab.session_row().head.unwrap()).unwrap().as_ref().clone();
    turn.calls.clear();
    turn.config.context_tokens = Some(window);
    (ThreadFixture { world, session: tab.session, head: None, next: 100_000 }, turn)
}

#[test]
fn request_shows_or_lists_all_turns_and_never_omits_the_newest() {
    let tab = tab(|_, _| says("ok"));
    tab.say("@Architect hello").unwrap();
    let steps = proptest::collection::vec(any_step(), 0..14);
    let config = ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(300) };
    let values = (steps, 2_500u64..40_000);
    check_until_seen(&config, ["in short", "left out", "summed up"], &values, |(steps, window), see| {
        let (mut thread, mut turn) = open_turn(&tab, window);
        steps.iter().for_each(|step| thread.step(step));
        turn.parent = thread.head;
        let (recipe, contents) = recipe_of(&thread.world, &turn, Millis(5)).unwrap();
        for text in &contents {
            thread.world.blobs.insert(ContentHash::of_text(text), Arc::from(text.as_str()));
        }
        let world = &thread.world;
        let context = thread_context(world, turn.parent);
        // The summary and every later turn, in order: shown or listed as omitted.
        let summary = context.compaction.and_then(|made| summary_text(made));
        prop_assert_eq!(&recipe.summary, &summary.as_deref().map(ContentHash::of_text));
        let (shown, left_out) = (recipe.turns.loaded(world), recipe.omitted_turns.loaded(world));
        let all: Vec<_> = left_out.iter().chain(&shown).map(|turn| turn.id).collect();
        prop_assert_eq!(all, context.turns.iter().map(|turn| turn.id).collect::<Vec<_>>());
        // The newest turns are omitted only if they do not fit even when truncated.
        let room = room(world, &turn.config);
        let tokens = |row: &Turn| tokens_for(world, row, &turn.agent, InputKinds::ALL);
        let history: u64 = shown.iter().map(|turn| tokens(turn)).sum();
        let saved = saved_by(world, &recipe.truncated);
        let base_tokens = recipe.tokens + saved - history;
        let newest: Vec<_> = context.turns.iter().rev().take(TURNS_KEPT).collect();
        if let Some(missing) = newest.iter().position(|turn| left_out.iter().any(|out| out.id == turn.id)) {
            let least = |row: &Turn| {
                let exchange = row.agent == turn.agent && row.end == Some(TurnEnd::Completed);
                let saves = if exchange { saved_by(world, &row.messages) } else { 0 };
                tokens(row) - saves
            };
            let least: u64 = newest[..=missing].iter().map(|turn| least(turn)).sum();
            prop_assert!(base_tokens + least > room, "{} and {least} of {room}", base_tokens);
        }
        prop_assert!(recipe.tokens <= room || shown.is_empty());
        // The prompt has exactly these turns, complete except for the results listed as truncated.
        let prompt = prompt_of(world, &turn, &recipe).expect("all of it is there");
        let prompt = format!("{:?}", prompt.entries);
        for row in &left_out {
            prop_assert!(!prompt.contains(&format!("asked-{}.", row.id.bits())), "{:?}", row.id);
        }
        for row in &shown {
            prop_assert!(prompt.contains(&format!("asked-{}.", row.id.bits())), "{:?}", row.id);
            prop_assert!(prompt.contains(&format!("said-{}.", row.id.bits())), "{:?}", row.id);
        }
        prop_assert_eq!(prompt.matches("given_in_short").count(), recipe.truncated.len());
        prop_assert_eq!(prompt.contains("summary-"), summary.is_some());
        let covered = [!recipe.truncated.is_empty(), !left_out.is_empty(), summary.is_some()];
        covered
            .into_iter()
            .zip(["in short", "left out", "summed up"])
            .filter(|(covered, _)| *covered)
            .for_each(|(_, what)| see(what));
        Ok(())
    });
}
