use futures_util::FutureExt as _;
use nexus_model::prelude::*;
use serde_json::json;

use super::*;
use crate::lazy::loader::BuiltInEngine;
use crate::port::{Batch, Store as _};
use crate::store::in_memory::InMemoryStore;
use crate::tests::{calls, says, tab};
use nexus_view::tree_layout::TreeLayout;

fn asked_again(body: &Value) -> bool {
    body["contents"].as_array().unwrap().last().unwrap().to_string().contains("functionResponse")
}

#[test]
fn tree_is_read_from_the_store() {
    let tab = tab(|agent, body| match agent {
        "Engineer" if !asked_again(body) => {
            calls(&[("write_file", json!({"name": "a.txt", "content": "one\n"}))])
        }
        _ => says(&format!("\n{agent} is done.\nMore.")),
    });
    tab.say("Build it").unwrap();
    tab.say("@Engineer and more").unwrap();
    let records = tab.records();
    let read = {
        let records = records.clone();
        async move {
            let keys = keys(&records).await.unwrap();
            let (dots, damaged) = stubs(&records, keys).await.unwrap();
            let flags = flags(&records).await.unwrap();
            let ids: Vec<TurnId> = dots.iter().map(|dot| dot.id).collect();
            let words = last_lines(&records, &ids).await.unwrap();
            let at = *ids.last().unwrap();
            let short = preview(&records, at, 9).await.unwrap().unwrap();
            let last = preview(&records, at, usize::MAX).await.unwrap().unwrap();
            (dots, damaged, flags, words, (short, last))
        }
    };
    let (dots, damaged, flags, words, (short, last)) = tab.wait_for(read);
    assert_eq!((dots.len(), damaged), (4, 0));
    assert!(dots.iter().all(|dot| dot.end == Some(TurnEnd::Completed)));
    assert_eq!(flags.len(), 1);
    assert_eq!(flags.first().unwrap().head, dots.last().map(|dot| dot.id));
    let agents: Vec<&str> = words.iter().map(|(_, words)| words.as_str()).collect();
    assert_eq!(agents, ["Architect is done.", "Engineer is done.", "Critic is done.", "Engineer is done."]);
    assert_eq!((short.prompt.as_str(), last.prompt.as_str()), ("@Engineer…", "@Engineer and more"));
    assert_eq!(last.tools, ["write_file"]);
    assert!(last.answer.ends_with("More."));
    let map = TreeLayout::new(dots, &VecSet::new(), &VecSet::new());
    assert_eq!((map.lanes, map.rows), (1, 4));
}

#[test]
fn mind_at_a_head_is_the_working_mind_elsewhere_the_turns() {
    let tab = tab(|agent, _| says(&format!("{agent} is done.")));
    let write = |text: &str| {
        let (session, base) = (tab.session, tab.session_row().mind);
        let writes = vec![MindWrite::Objective(text.into())];
        tab.send(Command::EditMind { session, base, writes }).unwrap();
    };
    write("first");
    tab.say("@Engineer one").unwrap();
    let one = tab.session_row().head.unwrap();
    write("second");
    tab.say("@Engineer two").unwrap();
    let two = tab.session_row().head.unwrap();
    write("third");
    let records = tab.records();
    let session = tab.session;
    let minds = tab.wait_for(async move {
        [mind_at(&records, one, session).await.unwrap(), mind_at(&records, two, session).await.unwrap()]
    });
    assert_eq!(minds.map(|mind| mind.unwrap().objective.clone()), ["first", "third"]);
}

#[test]
fn unreadable_rows_are_counted_and_skipped() {
    let store = InMemoryStore::default();
    let good = json!({"id": "00000000000000000000000002", "session": "00000000000000000000000001", "kind": "normal",
        "agent": "critic", "opened_at": 5, "parent": "00000000000000000000000009", "calls": "not looked at"});
    let rows = [("2", good.to_string()), ("3", "{".to_owned()), ("4", json!({"id": 4}).to_string())];
    let puts = rows.map(|(key, row)| (Table::Turns, (key.to_owned(), row))).to_vec();
    store.write(Batch { puts, ..Batch::default() }).now_or_never().unwrap().unwrap();
    let records = EventQueries::new(Rc::new(store), Rc::new(BuiltInEngine::default()), Rc::default());
    let keys = keys(&records).now_or_never().unwrap().unwrap();
    let (dots, damaged) = stubs(&records, keys).now_or_never().unwrap().unwrap();
    assert_eq!((dots.len(), damaged), (1, 2));
    assert!(TreeLayout::new(dots, &VecSet::new(), &VecSet::new()).nodes.iter().all(|spot| spot.is_orphan));
}
