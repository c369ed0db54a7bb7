use super::*;
use nexus_model::agent::Priority;
use nexus_model::id::{IdSource, Millis};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

use nexus_model::message::content::{MessagePart, ToolArgs, ToolCall};
use nexus_model::mind::Mind;
use nexus_model::run::{Node, RunCause};
use nexus_model::testing::{SeqIds, a_message, a_session, a_turn};
use nexus_model::tool::ToolStatus;
use nexus_model::turn::TurnPhase;

/// A session that is put together turn by turn.
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

    /// Puts a tool run and its result message into a turn.
    fn tool_run(&mut self, turn: TurnId) -> ToolRunId {
        let id = ToolRunId::new(&mut self.ids);
        let result = self.message(Role::Tool, Some(turn));
        let mut row = self.world.turns[&turn].as_ref().clone();
        let asked_by = row.messages[0];
        row.messages.push(result);
        row.tool_runs.push(id);
        let run = ToolRun {
            id,
            session: self.session.id,
            run: row.run,
            turn,
            agent: row.agent.clone(),
            asked_by,
            place: 0,
            call: ToolCall {
                id: "c".into(),
                own_id: false,
                name: "read_file".into(),
                args: ToolArgs::Parsed(serde_json::json!({})),
            },
            status: ToolStatus::Succeeded,
            proposed: Vec::new(),
            approval: None,
            result: None,
            touched: Vec::new(),
            minds: None,
            worker: None,
            requested_at: Millis(0),
            started_at: None,
            ended_at: None,
        };
        self.world.turns.insert(turn, Arc::new(row));
        self.world.tool_runs.insert(id, Arc::new(run));
        let mut message = self.world.messages[&asked_by].as_ref().clone();
        message.metadata.tool_run_ids.push(id);
        self.world.messages.insert(asked_by, Arc::new(message));
        id
    }

    fn node(&mut self, agent: &str, priority: Priority, place: u32, status: NodeStatus) {
        self.run.nodes.push(Node {
            agent: Some(agent.into()),
            ..Node::new(agent.into(), format!("agent.{agent}"), place, priority, status)
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

    /// The rows in letters: User, Assistant, System, tool, ending, round, paused, unasked, `-` for the unread line.
    fn picture(&mut self, seen: Option<u64>) -> String {
        let letter = |row: &TimelineRow| match row {
            TimelineRow::Message { message, .. } => match message.0.role {
                Role::User => 'U',
                Role::Assistant => 'A',
                Role::System => 'S',
                Role::Tool => 'T',
            },
            TimelineRow::Tool { .. } => 't',
            TimelineRow::Ending { .. } => 'e',
            TimelineRow::Round(_) => 'r',
            TimelineRow::Paused { .. } => 'p',
            TimelineRow::Unasked { .. } => 'u',
            TimelineRow::Held { .. } => 'h',
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
fn a_broadcast_reads_as_question_and_answers_with_tools_where_they_were_asked_for() {
    let mut scene = SessionFixture::new();
    let asked = scene.message(Role::User, None);
    let first = scene.turn("architect", &[asked], TurnEnd::Completed);
    scene.tool_run(first);
    scene.turn("engineer", &[], TurnEnd::Completed);
    assert_eq!(scene.picture(None), "UAtA");
}

#[test]
fn messages_that_nobody_answered_stand_at_the_end() {
    let mut scene = SessionFixture::new();
    let first = scene.message(Role::User, None);
    scene.turn("architect", &[first], TurnEnd::Completed);
    let second = scene.message(Role::User, None);
    scene.session.unanswered.push(second);
    assert_eq!(scene.picture(None), "UAU");
    let rows = scene.show(None).rows;
    assert!(matches!(rows.last(), Some((_, TimelineRow::Message { unanswered: true, .. }))));
}

#[test]
fn a_failed_turn_has_a_card_and_can_be_tried_again_until_it_was() {
    let mut scene = SessionFixture::new();
    let asked = scene.message(Role::User, None);
    scene.turn("architect", &[asked], TurnEnd::Error);
    assert_eq!(scene.picture(None), "UAe");
    let retry = |timeline: Timeline| {
        timeline
            .rows
            .into_iter()
            .find_map(|(_, row)| if let TimelineRow::Ending { retry, .. } = row { Some(retry) } else { None })
    };
    assert_eq!(retry(scene.show(None)), Some(true));
    scene.turn("architect", &[asked], TurnEnd::Completed);
    assert_eq!(retry(scene.show(None)), Some(false));
    assert_eq!(scene.picture(None), "UAeA");
}

#[test]
fn a_stopped_turn_is_not_offered_again_once_its_agent_went_on() {
    let mut scene = SessionFixture::new();
    let first = scene.message(Role::User, None);
    scene.turn("architect", &[first], TurnEnd::Cancelled);
    let offered = |scene: &mut SessionFixture| {
        scene.show(None).rows.iter().any(|(_, row)| matches!(row, TimelineRow::Ending { retry: true, .. }))
    };
    assert!(offered(&mut scene));
    let second = scene.message(Role::User, None);
    scene.turn("architect", &[second], TurnEnd::Completed);
    assert!(!offered(&mut scene));
}

#[test]
fn what_a_turn_says_after_its_tools_goes_on_with_what_it_said_before() {
    let mut scene = SessionFixture::new();
    let asked = scene.message(Role::User, None);
    let turn = scene.turn("architect", &[asked], TurnEnd::Completed);
    scene.tool_run(turn);
    let after = scene.message(Role::Assistant, Some(turn));
    let mut row = scene.world.turns[&turn].as_ref().clone();
    row.messages.push(after);
    scene.world.turns.insert(turn, Arc::new(row));
    assert_eq!(scene.picture(None), "UAtA");
    let continued = |row: &TimelineRow| matches!(row, TimelineRow::Message { continued: true, .. });
    let rows = scene.show(None).rows;
    assert_eq!(rows.iter().map(|(_, row)| continued(row)).collect::<Vec<_>>(), [false, false, false, true]);
    let ends = |row: &TimelineRow| matches!(row, TimelineRow::Message { ends_turn: Some(used), .. } if used.calls == 2);
    assert_eq!(rows.iter().map(|(_, row)| ends(row)).collect::<Vec<_>>(), [false, false, false, true]);
}

#[test]
fn rounds_are_summed_up_after_their_last_turn() {
    let mut scene = SessionFixture::new();
    scene.run.rounds.limit = 3;
    let asked = scene.message(Role::User, None);
    scene.turn("architect", &[asked], TurnEnd::Completed);
    scene.turn("critic", &[], TurnEnd::Completed);
    let summary =
        |round| RoundSummary { round, changed: "plan +3".into(), outcome: "goes on".into(), end: None };
    scene.run.round_summaries.push(summary(1));
    scene.run.rounds.current = 2;
    assert_eq!(scene.picture(None), "UAAr");
    scene.turn("architect", &[], TurnEnd::Completed);
    assert_eq!(scene.picture(None), "UAArA");
    scene.run.round_summaries.push(summary(2));
    assert_eq!(scene.picture(None), "UAArAr");
}

#[test]
fn a_paused_run_asks_and_a_stopped_one_offers_those_it_did_not_reach() {
    let mut scene = SessionFixture::new();
    let asked = scene.message(Role::User, None);
    let stopped = scene.turn("architect", &[asked], TurnEnd::Cancelled);
    scene.node("architect", Priority::High, 0, NodeStatus::Error);
    scene.run.nodes[0].turn = Some(stopped);
    scene.node("critic", Priority::Low, 2, NodeStatus::Idle);
    scene.node("engineer", Priority::Normal, 1, NodeStatus::Idle);
    scene.run.status = RunStatus::Paused;
    scene.run.pause = Some(PauseCause::CallCap { calls: 60 });
    assert_eq!(scene.picture(None), "UAep");
    scene.run.status = RunStatus::Cancelled;
    let rows = scene.show(None).rows;
    let Some((_, TimelineRow::Unasked { agents, .. })) = rows.last() else {
        panic!("expected the unasked agents")
    };
    assert_eq!(agents, &["engineer".into(), "critic".into()]);
}

#[test]
fn a_run_that_the_operator_ended_asks_for_nothing() {
    let mut scene = SessionFixture::new();
    let asked = scene.message(Role::User, None);
    let interrupted = scene.turn("architect", &[asked], TurnEnd::Interrupted);
    scene.node("architect", Priority::High, 0, NodeStatus::Error);
    scene.run.nodes[0].turn = Some(interrupted);
    scene.node("critic", Priority::Low, 2, NodeStatus::Idle);
    scene.run.status = RunStatus::Cancelled;
    assert_eq!(scene.picture(None), "UAe");
}

#[test]
fn the_unread_line_stands_above_the_first_message_that_the_reader_missed() {
    let mut scene = SessionFixture::new();
    let asked = scene.message(Role::User, None);
    scene.turn("architect", &[asked], TurnEnd::Completed);
    scene.turn("engineer", &[], TurnEnd::Completed);
    assert_eq!(scene.picture(Some(2)), "UA-A");
    assert_eq!(scene.picture(Some(3)), "UAA");
    assert_eq!(scene.picture(Some(0)), "U-AA");
}

#[test]
fn notices_stand_where_they_came() {
    let mut scene = SessionFixture::new();
    let asked = scene.message(Role::User, None);
    scene.turn("architect", &[asked], TurnEnd::Completed);
    scene.message(Role::System, None);
    assert_eq!(scene.picture(None), "UAS");
    scene.turn("engineer", &[], TurnEnd::Completed);
    assert_eq!(scene.picture(None), "UASA");
}

#[test]
fn a_note_of_the_core_stands_only_in_the_version_that_it_came_in() {
    // With the turn that it names, and in logs of earlier programs by what was said right before it.
    for names_its_turn in [true, false] {
        let mut scene = SessionFixture::new();
        let asked = scene.message(Role::User, None);
        let first = scene.turn("architect", &[asked], TurnEnd::Completed);
        let note = scene.message(Role::System, None);
        let mut row = scene.world.messages.get(&note).unwrap().as_ref().clone();
        let after = names_its_turn.then_some(first);
        let sync = nexus_model::id::JobId::new(&mut scene.ids);
        row.metadata.core = Some(nexus_model::message::CoreNote {
            sync,
            touched: Vec::new(),
            dropped: Vec::new(),
            kept_words: false,
            after,
        });
        scene.world.messages.insert(note, Arc::new(row));
        assert_eq!(scene.picture(None), "UAS");
        // The message in other words: another version, where nothing was noted.
        scene.session.head = None;
        let again = scene.message(Role::User, None);
        let second = scene.turn("architect", &[again], TurnEnd::Completed);
        assert_eq!(scene.picture(None), "UA", "{names_its_turn}");
        let noted = scene.message(Role::System, None);
        assert_eq!(scene.picture(None), "UAS");
        scene.session.head = Some(first);
        assert_eq!(scene.picture(None), "UAS");
        let shown: Vec<TimelineKey> = scene.show(None).rows.into_iter().map(|(key, _)| key).collect();
        assert!(shown.contains(&TimelineKey::Message(note)) && !shown.contains(&TimelineKey::Message(noted)));
        scene.session.head = Some(second);
        assert_eq!(scene.picture(None), "UAS");
    }
}

#[test]
fn a_thread_that_is_not_loaded_to_its_root_says_where_to_go_on() {
    let mut scene = SessionFixture::new();
    scene.session.head = Some(TurnId::new(&mut scene.ids));
    let loaded = scene.turn("architect", &[], TurnEnd::Completed);
    assert_eq!(scene.show(None).earlier, Some(loaded));
    let mut whole = SessionFixture::new();
    whole.turn("architect", &[], TurnEnd::Completed);
    assert_eq!(whole.show(None).earlier, None);
}

#[test]
fn a_session_that_is_not_there_has_an_empty_timeline() {
    let mut ids = SeqIds::default();
    ids.next_ulid();
    assert_eq!(timeline(&World::default(), SessionId::new(&mut ids), None), Timeline::default());
}
