use super::*;
use nexus_model::event::{EVENT_VERSION, EventKind};
use nexus_model::id::{Millis, StreamId};

fn notice() -> Arc<Event> {
    Arc::new(Event {
        v: EVENT_VERSION,
        stream: StreamId::App,
        seq: 1,
        at: Millis(0),
        run: None,
        turn: None,
        kind: EventKind::Notice { text: "hello".into() }.into(),
    })
}

#[test]
fn publish_reaches_and_counts_only_subscribers_of_the_topic() {
    let bus = Bus::default();
    let mut ui = bus.subscribe(&[Topic::UiEvents]);
    let mut other = bus.subscribe(&[Topic::LlmRequests]);
    assert_eq!(bus.publish(&notice()), 1);
    assert!(ui.try_recv().is_ok());
    assert!(other.try_recv().is_err());
    drop(ui);
    assert_eq!(bus.publish(&notice()), 0);
}
