use super::*;
use nexus_model::agent::Priority;
use nexus_model::id::{IdSource, Millis};
use nexus_model::provider::{ProviderError, ProviderErrorKind};

use nexus_model::message::content::{MessagePart, ToolArgs, ToolCall};
use nexus_model::mind::Mind;
use nexus_model::run::graph::OPERATOR_NODE;
use nexus_model::run::{Node, ReachedLimit, RunCause};
use nexus_model::testing::{SeqIds, a_message, a_session, a_turn};
use nexus_model::tool::ToolStatus;
use nexus_model::turn::TurnPhase;

/// Builds a session turn by turn.
struct SessionFixture {
    ids: SeqIds,
    world: World,
    session: Session,
    run: Run,
}

impl SessionFixture {
    fn new() -> Self {
        let mut ids = SeqIds::default();
        let id = SessionId::new(&mut ids);
        let session = a_session(id);
        let run = Self::run(&mut ids, id);
        Self { ids, world: World::default(), session, run }
    }

    fn run(ids: &mut SeqIds, session: SessionId) -> Run {
        let (id, cause) = (RunId::new(ids), RunCause::Message(MessageId::new(ids)));
        Run::opened(id, session, cause, Mind::default().hash(), Millis(0))
    }

    fn message(&mut self, role: Role, turn: Option<TurnId>) -> MessageId {
        self.session.last_sequence += 1;
        let id = MessageId::new(&mut self.ids);
        let message = Message {
            sequence: self.session.last_sequence,
            role,
            parts: vec![MessagePart::text("words")],
            turn,
            ..a_message(id, self.session.id)
        };
        self.world.messages.insert(id, Arc::new(message));
        id
    }

    /// A turn of `agent` that answers `query` with one message, at the head.
    fn turn(&mut self, agent: &str, query: &[MessageId], end: TurnEnd) -> TurnId {
        let id = TurnId::new(&mut self.ids);
        let answer = self.message(Role::Assistant, Some(id));
        let failure = (end == TurnEnd::Error).then(|| ProviderError::new(ProviderErrorKind::Server, "500"));
        let turn = Turn {
            parent: self.session.head,
            agent: agent.into(),
            run: Some(self.run.id),
            round: self.run.rounds.current,
            query: query.to_vec(),
            answers: query.to_vec(),
            messages: vec![answer],
            phase: if end == TurnEnd::Completed { TurnPhase::Completed } else { TurnPhase::Failed },
            end: Some(end),
            failure,
            ..a_turn(id, self.session.id)
        };
        self.world.turns.insert(id, Arc::new(turn));
        self.session.head = Some(id);
        id
    }

    /// Adds a tool run and its result message to a turn.
    fn tool_run(&mut self, turn: TurnId) -> ToolRunId {
        let id = ToolRunId::new(&mut self.ids);
        let result = self.message(Role::Tool, Some(turn));
        let mut row = self.world.turns[&turn].as_ref().clone();
        let requested_by = row.messages[0];
        row.messages.push(result);
        row.tool_runs.push(id);
        let run = ToolRun {
            id,
            session: self.session.id,
            run: row.run,
            turn,
            agent: row.agent.clone(),
            requested_by,
            call: ToolCall {
                id: "c".into(),
                own_id: false,
                name: "read_file".into(),
                args: ToolArgs::Parsed(serde_json::json!({})),
            },
            status: ToolStatus::Succeeded,
            ..ToolRun::default()
        };
        self.world.turns.insert(turn, Arc::new(row));
        self.world.tool_runs.insert(id, Arc::new(run));
        let mut message = self.world.messages[&requested_by].as_ref().clone();
        message.metadata.tool_run_ids.push(id);
        self.world.messages.insert(requested_by, Arc::new(message));
        id
    }

    fn node(&mut self, agent: &str, priority: Priority, place: u32, status: NodeStatus) {
        self.run.nodes.push(Node {
            agent: Some(agent.into()),
            priority,
            status,
            ..Node::new(agent.into(), format!("agent.{agent}"), place)
        });
    }

    fn show(&mut self, seen: Option<u64>) -> Timeline {
        let mut world = self.world.clone();
        let mut session = self.session.clone();
        session.run = Some(self.run.id);
        world.runs.insert(self.run.id, Arc::new(self.run.clone()));
        world.sessions.insert(session.id, Arc::new(session));
        timeline(&world, self.session.id, seen)
    }

    /// The rows as letters: User, Assistant, System, tool, ending, round, paused, unasked, `-` for the unread line.
    fn picture(&mut self, seen: Option<u64>) -> String {
        let letter = |row: &TimelineRow| match row {
            TimelineRow::Message(row) => match row.message.0.role {
                Role::User => 'U',
                Role::Assistant => 'A',
                Role::System => 'S',
                Role::Tool => 'T',
            },
            TimelineRow::Tool { .. } => 't',
            TimelineRow::Ending { .. } => 'e',
            TimelineRow::Round(_) => 'r',
            TimelineRow::Paused { .. } => 'p',
            TimelineRow::NotAsked { .. } => 'u',
            TimelineRow::Retrying { .. } => 'h',
            TimelineRow::Compaction { .. } => 'c',
            TimelineRow::Unread => '-',
            TimelineRow::Siblings { .. } => '=',
            TimelineRow::Forked { .. } => 'F',
            TimelineRow::Ahead { .. } => '>',
        };
        self.show(seen).rows.iter().map(|(_, row)| letter(row)).collect()
    }
}

#[test]
fn a_broadcast_shows_question_answers_and_tools_at_their_calls() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    let first = fixture.turn("architect", &[question], TurnEnd::Completed);
    fixture.tool_run(first);
    fixture.turn("engineer", &[], TurnEnd::Completed);
    assert_eq!(fixture.picture(None), "UAtA");
}

#[test]
fn unanswered_messages_are_last() {
    let mut fixture = SessionFixture::new();
    let first = fixture.message(Role::User, None);
    fixture.turn("architect", &[first], TurnEnd::Completed);
    let second = fixture.message(Role::User, None);
    fixture.session.unanswered.push(second);
    assert_eq!(fixture.picture(None), "UAU");
    let rows = fixture.show(None).rows;
    assert!(matches!(rows.last(), Some((_, TimelineRow::Message(MessageRow { unanswered: true, .. })))));
}

#[test]
fn a_failed_turn_has_a_card_and_can_be_retried_once() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    fixture.turn("architect", &[question], TurnEnd::Error);
    assert_eq!(fixture.picture(None), "UAe");
    let retry = |timeline: Timeline| {
        timeline
            .rows
            .into_iter()
            .find_map(|(_, row)| if let TimelineRow::Ending { retry, .. } = row { Some(retry) } else { None })
    };
    assert_eq!(retry(fixture.show(None)), Some(true));
    fixture.turn("architect", &[question], TurnEnd::Completed);
    assert_eq!(retry(fixture.show(None)), Some(false));
    assert_eq!(fixture.picture(None), "UAeA");
}

#[test]
fn only_the_last_failed_turn_of_a_provider_may_ask_for_its_key() {
    let mut fixture = SessionFixture::new();
    for _ in 0..3 {
        let question = fixture.message(Role::User, None);
        fixture.turn("architect", &[question], TurnEnd::Error);
    }
    let may_ask = |(_, row)| {
        let TimelineRow::Ending { is_last_of_provider, .. } = row else { return None };
        Some(is_last_of_provider)
    };
    let asking: Vec<_> = fixture.show(None).rows.into_iter().filter_map(may_ask).collect();
    assert_eq!(asking, [false, false, true]);
}

#[test]
fn a_stopped_turn_is_not_offered_once_its_agent_continued() {
    let mut fixture = SessionFixture::new();
    let first = fixture.message(Role::User, None);
    fixture.turn("architect", &[first], TurnEnd::Cancelled);
    let offered = |fixture: &mut SessionFixture| {
        fixture.show(None).rows.iter().any(|(_, row)| matches!(row, TimelineRow::Ending { retry: true, .. }))
    };
    assert!(offered(&mut fixture));
    let second = fixture.message(Role::User, None);
    fixture.turn("architect", &[second], TurnEnd::Completed);
    assert!(!offered(&mut fixture));
}

#[test]
fn many_successive_calls_of_a_tool_are_a_group_but_failures_are_not_in_it() {
    let mut fixture = SessionFixture::new();
    let asked = fixture.message(Role::User, None);
    let turn = fixture.turn("architect", &[asked], TurnEnd::Completed);
    let ids: Vec<_> = (0..11).map(|_| fixture.tool_run(turn)).collect();
    let groups = |fixture: &mut SessionFixture| -> Vec<_> {
        let rows = fixture.show(None).rows;
        let tools = rows.into_iter().filter(|(_, row)| row.tool().is_some());
        tools.map(|(_, row)| row.group().map(|group| (group.first, group.calls, group.lines.added))).collect()
    };
    assert_eq!(groups(&mut fixture), [Some((ids[0], 11, 0)); 11]);
    let mut change = |at: usize, change: &dyn Fn(&mut ToolRun)| {
        change(Arc::make_mut(fixture.world.tool_runs.get_mut(&ids[at]).unwrap()));
    };
    change(5, &|run| run.status = ToolStatus::Failed);
    change(10, &|run| run.call.name = "write_file".into());
    let lines = LineCount { added: 3, removed: 1 };
    for at in [1, 2] {
        let change_of = FileChange { field: "a.md".into(), lines, is_file: true };
        change(at, &|run| run.touched.push(change_of.clone()));
    }
    // Five before the failure, and too few after it.
    assert_eq!(groups(&mut fixture), [[Some((ids[0], 5, 6)); 5].as_slice(), &[None; 6]].concat());
}

#[test]
fn a_turn_shows_the_results_and_the_messages_of_the_operator_that_it_began_with() {
    let mut fixture = SessionFixture::new();
    let asked = fixture.message(Role::User, None);
    let turn = fixture.turn("engineer", &[asked], TurnEnd::Completed);
    fixture.node("engineer", Priority::Normal, 0, NodeStatus::Done);
    let check = Node { status: NodeStatus::Done, ..Node::new("tests".into(), "verifier", 1) };
    fixture.run.nodes.push(check);
    let of = |node: &str, summary: &str| Envelope {
        status: "failed".into(),
        ..Envelope::text(kinds::RESULT, node.into(), Some(9.into()), summary)
    };
    let failed = of("tests", "1 of 3 tests failed.");
    let mut row = fixture.world.turns[&turn].as_ref().clone();
    // An agent's own answer is a row already.
    let told = Envelope::text(kinds::OPERATOR, OPERATOR_NODE.into(), None, "Mind the title.");
    row.inbox = vec![of("engineer", "Built."), failed.clone(), told.clone()];
    fixture.world.turns.insert(turn, Arc::new(row));
    let rows = fixture.show(None).rows;
    let results = rows.iter().filter_map(|(_, row)| {
        let TimelineRow::Message(row) = row else { return None };
        Some(row.notes_of)
    });
    assert_eq!(results.collect::<Vec<_>>(), [None, Some(turn)]);
    fixture.world.runs.insert(fixture.run.id, Arc::new(fixture.run.clone()));
    let world = &fixture.world;
    assert_eq!(super::inbox_notes(world, &world.turns[&turn]).collect::<Vec<_>>(), [&failed, &told]);
}

#[test]
fn text_after_tools_continues_the_message() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    let turn = fixture.turn("architect", &[question], TurnEnd::Completed);
    fixture.tool_run(turn);
    let after = fixture.message(Role::Assistant, Some(turn));
    let mut row = fixture.world.turns[&turn].as_ref().clone();
    row.messages.push(after);
    fixture.world.turns.insert(turn, Arc::new(row));
    assert_eq!(fixture.picture(None), "UAtA");
    let continued =
        |row: &TimelineRow| matches!(row, TimelineRow::Message(MessageRow { continued: true, .. }));
    let rows = fixture.show(None).rows;
    assert_eq!(rows.iter().map(|(_, row)| continued(row)).collect::<Vec<_>>(), [false, false, false, true]);
    let ends = |row: &TimelineRow| matches!(row, TimelineRow::Message(MessageRow { ends_turn: Some(used), .. }) if used.calls == 2);
    assert_eq!(rows.iter().map(|(_, row)| ends(row)).collect::<Vec<_>>(), [false, false, false, true]);
}

#[test]
fn round_summaries_follow_their_last_turn() {
    let mut fixture = SessionFixture::new();
    fixture.run.rounds.limit = 3;
    let question = fixture.message(Role::User, None);
    fixture.turn("architect", &[question], TurnEnd::Completed);
    fixture.turn("critic", &[], TurnEnd::Completed);
    let summary =
        |round| RoundSummary { round, changed: "plan +3".into(), outcome: "goes on".into(), end: None };
    fixture.run.round_summaries.push(summary(1));
    fixture.run.rounds.current = 2;
    assert_eq!(fixture.picture(None), "UAAr");
    fixture.turn("architect", &[], TurnEnd::Completed);
    assert_eq!(fixture.picture(None), "UAArA");
    fixture.run.round_summaries.push(summary(2));
    assert_eq!(fixture.picture(None), "UAArAr");
}

#[test]
fn a_paused_run_asks_and_a_stopped_run_offers_the_remaining_agents() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    let stopped = fixture.turn("architect", &[question], TurnEnd::Cancelled);
    fixture.node("architect", Priority::High, 0, NodeStatus::Error);
    fixture.run.nodes[0].turn = Some(stopped);
    fixture.node("critic", Priority::Low, 2, NodeStatus::Idle);
    fixture.node("engineer", Priority::Normal, 1, NodeStatus::Idle);
    fixture.run.status = RunStatus::Paused;
    fixture.run.pause = Some(PauseCause::CallCap(ReachedLimit { used: 60, limit: Some(60), shared: false }));
    assert_eq!(fixture.picture(None), "UAep");
    fixture.run.status = RunStatus::Cancelled;
    let rows = fixture.show(None).rows;
    let Some((_, TimelineRow::NotAsked { agents, .. })) = rows.last() else {
        panic!("expected the unasked agents")
    };
    assert_eq!(agents, &["engineer".into(), "critic".into()]);
}

#[test]
fn a_completed_run_offers_the_agents_that_it_skipped() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    let answered = fixture.turn("architect", &[question], TurnEnd::Completed);
    fixture.node("architect", Priority::High, 0, NodeStatus::Done);
    fixture.run.nodes[0].turn = Some(answered);
    fixture.run.status = RunStatus::Completed;
    assert_eq!(fixture.picture(None), "UA");
    fixture.node("critic", Priority::Low, 2, NodeStatus::Idle);
    assert_eq!(fixture.picture(None), "UAu");
}

#[test]
fn a_run_ended_by_the_operator_asks_for_nothing() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    let interrupted = fixture.turn("architect", &[question], TurnEnd::Interrupted);
    fixture.node("architect", Priority::High, 0, NodeStatus::Error);
    fixture.run.nodes[0].turn = Some(interrupted);
    fixture.node("critic", Priority::Low, 2, NodeStatus::Idle);
    fixture.run.status = RunStatus::Cancelled;
    assert_eq!(fixture.picture(None), "UAe");
}

#[test]
fn the_unread_line_is_above_the_first_unread_message() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    fixture.turn("architect", &[question], TurnEnd::Completed);
    fixture.turn("engineer", &[], TurnEnd::Completed);
    assert_eq!(fixture.picture(Some(2)), "UA-A");
    assert_eq!(fixture.picture(Some(3)), "UAA");
    assert_eq!(fixture.picture(Some(0)), "U-AA");
}

#[test]
fn notices_are_placed_by_sequence() {
    let mut fixture = SessionFixture::new();
    let question = fixture.message(Role::User, None);
    fixture.turn("architect", &[question], TurnEnd::Completed);
    fixture.message(Role::System, None);
    assert_eq!(fixture.picture(None), "UAS");
    fixture.turn("engineer", &[], TurnEnd::Completed);
    assert_eq!(fixture.picture(None), "UASA");
}

#[test]
fn a_note_of_the_core_is_shown_only_on_its_branch() {
    // Notes name their turn; in logs of earlier versions the message right before them places them.
    for has_turn in [true, false] {
        let mut fixture = SessionFixture::new();
        let question = fixture.message(Role::User, None);
        let first = fixture.turn("architect", &[question], TurnEnd::Completed);
        let note = fixture.message(Role::System, None);
        let mut row = fixture.world.messages.get(&note).unwrap().as_ref().clone();
        let after = has_turn.then_some(first);
        let sync = nexus_model::id::JobId::new(&mut fixture.ids);
        row.metadata.core = Some(nexus_model::message::CoreNote {
            sync,
            touched: Vec::new(),
            dropped: Vec::new(),
            kept_words: false,
            after,
        });
        fixture.world.messages.insert(note, Arc::new(row));
        assert_eq!(fixture.picture(None), "UAS");
        // An edited message starts another branch, without the note.
        fixture.session.head = None;
        let again = fixture.message(Role::User, None);
        let second = fixture.turn("architect", &[again], TurnEnd::Completed);
        assert_eq!(fixture.picture(None), "UA", "{has_turn}");
        let second_note = fixture.message(Role::System, None);
        assert_eq!(fixture.picture(None), "UAS");
        fixture.session.head = Some(first);
        assert_eq!(fixture.picture(None), "UAS");
        let shown: Vec<TimelineKey> = fixture.show(None).rows.into_iter().map(|(key, _)| key).collect();
        assert!(
            shown.contains(&TimelineKey::Message(note))
                && !shown.contains(&TimelineKey::Message(second_note))
        );
        fixture.session.head = Some(second);
        assert_eq!(fixture.picture(None), "UAS");
    }
}

#[test]
fn a_partly_loaded_thread_names_its_oldest_turn() {
    let mut fixture = SessionFixture::new();
    fixture.session.head = Some(TurnId::new(&mut fixture.ids));
    let loaded = fixture.turn("architect", &[], TurnEnd::Completed);
    assert_eq!(fixture.show(None).earlier, Some(loaded));
    let mut whole = SessionFixture::new();
    whole.turn("architect", &[], TurnEnd::Completed);
    assert_eq!(whole.show(None).earlier, None);
}

#[test]
fn an_unknown_session_has_an_empty_timeline() {
    let mut ids = SeqIds::default();
    ids.next_ulid();
    assert_eq!(timeline(&World::default(), SessionId::new(&mut ids), None), Timeline::default());
}
