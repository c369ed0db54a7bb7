use super::*;

/// Emits the types of its objects as texts.
#[derive(Default)]
struct Names(EventStream);

impl Family for Names {
    fn stream(&mut self) -> &mut EventStream {
        &mut self.0
    }

    fn take(&mut self, name: Option<&str>, object: Map<String, Value>) {
        self.0.understood = true;
        let object = named(name, object);
        let text = object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let part = self.0.prose.next_part();
        self.0.emit(ModelEvent::Text { part, text });
    }

    fn take_end_marker(&mut self) {
        self.0.emit(ModelEvent::Repeated);
    }
}

#[test]
fn objects_end_markers_and_garbage_are_distinguished() {
    let mut names = Names::default();
    let read = names.feed(b"event: ping\ndata: {}\n\ndata: [DONE]\n\ndata: [1]\n\ndata:\n\ndata: {x\n\nhm\n");
    let ping = ModelEvent::Text { part: 0, text: "ping".to_owned() };
    assert_eq!(read, [ping, ModelEvent::Repeated, ModelEvent::Skipped, ModelEvent::Skipped]);
    assert_eq!(names.0.stray(), "hm");
    assert_eq!(names.end(), [ModelEvent::Skipped]);
}

#[test]
fn heartbeats_are_ignored_and_plain_text_errors_are_kept() {
    let mut names = Names::default();
    assert_eq!(names.feed(&b"data: ping\n\ndata: null\n\ndata: \"pong\"\n\n".repeat(30)), []);
    let read = names.feed(b"event: error\ndata: upstream gone\n\n");
    let failure = ProviderError::new(ProviderErrorKind::Server, "upstream gone");
    assert_eq!(read, [ModelEvent::Failed(failure)]);
}

#[test]
fn too_many_unreadable_events_in_a_row_fail_the_stream() {
    let mut names = Names::default();
    let garbage = b"data: garbage\n\n".repeat(20);
    let read = names.feed(&[&garbage[..], b"data: {}\n\n", &garbage[..]].concat());
    assert!(!read.iter().any(|event| matches!(event, ModelEvent::Failed(_))));
    let too_many = ProviderError::new(ProviderErrorKind::Garbled, "21 parts in a row could not be read");
    let foreign = [ModelEvent::Skipped, ModelEvent::Failed(too_many)];
    assert_eq!(names.feed(b"data: more\n\n"), foreign);
}

#[test]
fn repeated_call_counts_once_and_a_duplicate_id_is_not_used_twice() {
    let mut stream = EventStream::default();
    let mut call = |name| stream.call(Some("a"), name, ToolArgs::Parsed(serde_json::json!({})));
    let parts = ["x", "x", "x", "y"].map(&mut call);
    assert_eq!(parts, [Some(0), None, None, Some(1)]);
    let events = stream.prose.events;
    let repeated = events.iter().filter(|event| **event == ModelEvent::Repeated);
    assert_eq!(repeated.count(), 2);
    let ids = events.iter().filter_map(|event| {
        let ModelEvent::Call { call, .. } = event else { return None };
        Some((call.id.as_str(), call.own_id, call.name.as_str()))
    });
    assert_eq!(ids.collect::<Vec<_>>(), [("a", false, "x"), ("call-1", true, "y")]);
}
