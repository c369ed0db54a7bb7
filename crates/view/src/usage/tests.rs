use super::*;
use nexus_model::agent::defaults::DEMO_MODEL;
use nexus_model::event::EventPayload;
use nexus_model::id::StreamId;
use nexus_model::testing::a_turn;
use nexus_model::turn::Turn;
use serde_json::json;

const DAY: u64 = 24 * 60 * 60_000;

fn written(at: u64, session: u128, turn: Option<TurnId>, kind: EventKind) -> String {
    let stream = StreamId::Session(SessionId::from(session));
    let kind = EventPayload::from(kind);
    serde_json::to_string(&Event { v: 1, stream, seq: 1, at: Millis(at), run: None, turn, kind }).unwrap()
}

fn answered(at: u64, session: u128, turn: TurnId, used: (u64, u64), cost: Option<u64>) -> String {
    let data = json!({"ModelAnswered": {
        "call": 0, "message": nexus_model::id::MessageId::from(9), "parts": [],
        "usage": {"input": used.0, "output": used.1}, "finish": "stop", "cost": cost,
    }});
    let kind = ["stop", "Stop", "completed", "end"].into_iter().find_map(|finish| {
        let mut data = data.clone();
        data["ModelAnswered"]["finish"] = json!(finish);
        serde_json::from_value::<EventKind>(data).ok()
    });
    written(at, session, Some(turn), kind.unwrap())
}

fn tally() -> UsageTally {
    let mut tally = UsageTally::default();
    for (id, agent, model) in [(1, "engineer", "large"), (2, "critic", "small"), (3, "critic", DEMO_MODEL)] {
        let id = TurnId::from(id);
        let mut turn = Turn { agent: agent.into(), ..a_turn(id, SessionId::from(7)) };
        turn.config.model = model.into();
        tally.read(&written(1, 7, Some(id), EventKind::TurnOpened { turn }));
    }
    tally.read(&answered(DAY, 7, TurnId::from(1), (100, 10), Some(2_000_000_000)));
    tally.read(&answered(2 * DAY, 7, TurnId::from(1), (200, 20), Some(500_000_000)));
    tally.read(&answered(2 * DAY + 5, 8, TurnId::from(2), (50, 5), None));
    tally.read(&answered(2 * DAY + 6, 8, TurnId::from(3), (900, 90), Some(0)));
    tally.read(r#"{"v":1,"what":"usage of no event"}"#);
    tally
}

fn rows(by: UsageBy, since: u64) -> Vec<(String, u64, u64, bool)> {
    let name = |key: &AgentKey| key.0.to_uppercase();
    let session =
        |id: &SessionId| if *id == SessionId::from(7) { "tea".into() } else { "=cake, \"sweet\"".into() };
    let rows = tally().rows(by, Millis(since), LocalTime::default(), name, session);
    rows.into_iter().map(|row| (row.name.clone(), row.calls, row.tokens(), row.is_unpriced)).collect()
}

#[test]
fn calls_are_grouped_by_day_agent_model_and_session() {
    let one = |name: &str, calls, tokens, open| (name.to_owned(), calls, tokens, open);
    assert_eq!(rows(UsageBy::Day, 0), [one("1970-01-03", 3, 1_265, true), one("1970-01-02", 1, 110, false)]);
    assert_eq!(rows(UsageBy::Agent, 0), [one("ENGINEER", 2, 330, false), one("CRITIC", 2, 1_045, true)]);
    // The demo costs nothing, and counts as everywhere.
    let demo = one("Demo", 1, 990, false);
    assert_eq!(rows(UsageBy::Model, 0), [one("large", 2, 330, false), demo, one("small", 1, 55, true)]);
    assert_eq!(rows(UsageBy::Session, 2 * DAY)[0], one("tea", 1, 220, false));
    let total = tally().total(Millis(0));
    assert_eq!((total.calls, total.input, total.output), (4, 1_250, 125));
    assert_eq!((total.cost, total.is_unpriced), (Cost(2_500_000_000), true));
}

#[test]
fn csv_has_figures_and_no_formulas() {
    let row = UsageRow {
        name: "=cake, \"sweet\"".into(),
        calls: 1,
        input: 2,
        output: 3,
        cost: Cost(1_250_000_000),
        is_unpriced: false,
    };
    let text = csv(UsageBy::Session, &[row]);
    assert_eq!(
        text,
        "session,calls,input tokens,output tokens,cost in USD,cost is partial\n\
         \"'=cake, \"\"sweet\"\"\",1,2,3,1.250000000,no\n"
    );
}

#[test]
fn csv_shows_unknown_and_partial_costs_as_such() {
    let row = |cost| UsageRow { name: "a".into(), calls: 1, input: 2, output: 3, cost, is_unpriced: true };
    let text = csv(UsageBy::Day, &[row(Cost(0)), row(Cost(1_830_000_000))]);
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), ["a,1,2,3,,", "a,1,2,3,1.830000000,yes"]);
}
