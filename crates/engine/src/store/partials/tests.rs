use super::*;
use nexus_model::message::content::{text_of, thinking_of};
use nexus_model::testing::SeqIds;

#[test]
fn pieces_are_joined_and_a_later_attempt_replaces_the_first() {
    let message = MessageId::new(&mut SeqIds::default());
    let mut rows = Vec::new();
    let mut put = |attempt, texts: &[(usize, bool, &str)]| {
        let mut tail = PartialTail::new(message, attempt);
        for (part, thinking, text) in texts {
            tail.push(*part, *thinking, text);
            rows.extend(tail.piece().unwrap().puts.into_iter().map(|(_, row)| row));
        }
        assert!(tail.piece().is_none());
    };
    put(1, &[(0, false, "void")]);
    put(2, &[(0, true, "think"), (1, false, "one "), (1, false, "two")]);
    rows.sort();
    let parts = join(&rows);
    assert_eq!((text_of(&parts).as_str(), thinking_of(&parts).as_str()), ("one two", "think"));
    rows.push(whole(message, &[MessagePart::text("one two three")]).unwrap().1);
    rows.sort();
    assert_eq!(text_of(&join(&rows)), "one two three");
}

#[test]
fn text_reclassified_as_thinking_is_also_stored_as_thinking() {
    let message = MessageId::new(&mut SeqIds::default());
    let mut rows = Vec::new();
    let mut tail = PartialTail::new(message, 1);
    let mut put = |tail: &mut PartialTail| {
        rows.extend(tail.piece().unwrap().puts.into_iter().map(|(_, row)| row));
        let parts = join(&rows);
        (thinking_of(&parts), text_of(&parts))
    };
    let expected = |thinking: &str, text: &str| (thinking.to_owned(), text.to_owned());
    tail.push(0, false, "hm");
    assert_eq!(put(&mut tail), expected("", "hm"));
    tail.push(0, false, ", so");
    tail.mark_as_thinking(0);
    tail.push(1, false, "Yes.");
    assert_eq!(put(&mut tail), expected("hm, so", "Yes."));
    let mut tail = PartialTail::new(message, 2);
    tail.push(0, false, "at once");
    tail.mark_as_thinking(0);
    assert_eq!(put(&mut tail), expected("at once", ""));
}

#[test]
fn restarted_answer_replaces_stored_pieces() {
    let message = MessageId::new(&mut SeqIds::default());
    let mut tail = PartialTail::new(message, 1);
    let mut rows = Vec::new();
    let mut put = |tail: &mut PartialTail| {
        rows.extend(tail.piece().unwrap().puts.into_iter().map(|(_, row)| row));
        text_of(&join(&rows))
    };
    tail.push(0, false, "void");
    assert_eq!(put(&mut tail), "void");
    tail.push(0, false, " and not yet on disk");
    tail.restart();
    assert_eq!(put(&mut tail), "");
    tail.push(0, false, "anew");
    assert_eq!(put(&mut tail), "anew");
}

#[test]
fn text_received_after_the_page_was_hidden_is_stored_too() {
    let message = MessageId::new(&mut SeqIds::default());
    let mut rows: VecMap<String, String> = VecMap::new();
    let mut tail = PartialTail::new(message, 1);
    let mut store = |batch: Batch| {
        rows.extend(batch.puts.into_iter().map(|(_, row)| row));
        for (_, prefix) in batch.removes {
            rows.retain(|key, _| !key.starts_with(&prefix));
        }
        let rows: Vec<StoredRow> = rows.iter().map(|(key, json)| (key.clone(), json.clone())).collect();
        text_of(&join(&rows))
    };
    tail.push(0, false, "one");
    store(tail.piece().unwrap());
    tail.push(0, false, " two");
    let puts = whole(message, &[MessagePart::text("one two")]).into_iter().collect();
    assert_eq!(store(Batch { puts, ..Batch::default() }), "one two");
    tail.push(0, false, " three");
    assert_eq!(store(tail.piece().unwrap()), "one two three");
}
