use super::*;
use crate::tests::{Tab, says, tab};
use nexus_model::command::Command;
use nexus_model::id::SessionId;
use nexus_model::message::content::text_of;
use nexus_model::mind::MindWrite;
use nexus_model::turn::tree::HeadMoveReason;

fn write(tab: &Tab, text: &str) {
    let (session, base) = (tab.session, tab.session_row().mind);
    let writes = vec![MindWrite::File { name: "a.txt".into(), text: text.into() }];
    tab.send(Command::EditMind { session, base, writes }).unwrap();
}

fn turn(tab: &Tab, text: &str) -> TurnId {
    tab.say(&format!("@Engineer {text}")).unwrap();
    tab.session_row().head.unwrap()
}

fn snapshot(tab: &Tab, id: TurnId, left: Option<ContentHash>, turns: usize) -> Option<TurnSnapshot> {
    let (records, session) = (tab.records(), tab.session);
    tab.wait_for(async move { super::snapshot(&records, session, id, left.as_ref(), turns).await.unwrap() })
}

fn words(snapshot: &TurnSnapshot) -> Vec<String> {
    let turns: Vec<_> = snapshot.world.ancestry(Some(snapshot.turn.id)).map(|turn| turn.id).collect();
    let mut messages: Vec<_> = snapshot.world.messages.values().collect();
    messages.retain(|message| message.turn.is_some_and(|turn| turns.contains(&turn)));
    messages.sort_by_key(|message| message.sequence);
    messages.into_iter().map(|message| text_of(&message.parts)).collect()
}

fn has_older(snapshot: &TurnSnapshot) -> bool {
    snapshot.world.ancestry(Some(snapshot.turn.id)).last().is_some_and(|turn| turn.parent.is_some())
}

#[test]
fn snapshot_has_thread_and_files_and_changes_nothing() {
    let tab = tab(|_, _| says("fine"));
    write(&tab, "FIRST\n");
    let one = turn(&tab, "one");
    write(&tab, "SECOND\n");
    let two = turn(&tab, "two");
    let before = tab.events().len();
    let snapshot_then = snapshot(&tab, one, None, 40).unwrap();
    assert_eq!(snapshot_then.mind.file("a.txt"), Some("FIRST\n"));
    assert_eq!(words(&snapshot_then), ["@Engineer one", "fine"]);
    assert_eq!((snapshot_then.newer.as_slice(), has_older(&snapshot_then)), ([two].as_slice(), false));
    let short = snapshot(&tab, two, None, 1).unwrap();
    assert_eq!(words(&short), ["@Engineer two", "fine"]);
    assert!(has_older(&short) && short.newer.is_empty());
    assert!(snapshot(&tab, TurnId::from(7), None, 40).is_none(), "a turn that is not there");
    assert!(
        snapshot(&tab, one, Some(ContentHash::of_text("nowhere")), 40).is_none(),
        "a mind that is not there"
    );
    assert_eq!(tab.events().len(), before);
    assert_eq!(tab.mind().file("a.txt"), Some("SECOND\n"));
}

#[test]
fn reflog_survives_a_reload_and_former_heads_can_be_continued() {
    let tab = tab(|_, _| says("fine"));
    let one = turn(&tab, "one");
    let two = turn(&tab, "two");
    write(&tab, "WRITTEN AFTER TWO\n");
    tab.send(Command::MoveHead { session: tab.session, to: one, newest: false }).unwrap();
    tab.kill();
    let again = tab.again(|_, _| says("fine"));
    again.open().unwrap();
    let (reader, session) = (again.records(), again.session);
    let (heads, more) = again.wait_for(async move {
        let mut heads = Reflog::default();
        let more = more_heads(&reader, session, &mut heads).await.unwrap();
        (heads, more)
    });
    let entries: Vec<_> = heads.all.iter().map(|head| (head.turn, head.reason)).collect();
    assert_eq!(
        entries,
        [
            (Some(one), HeadMoveReason::Moved),
            (Some(two), HeadMoveReason::Ended),
            (Some(one), HeadMoveReason::Ended)
        ]
    );
    assert!(!more);
    let left = heads.all[1].mind_before;
    let snapshot_then = snapshot(&again, two, left, 40).unwrap();
    assert_eq!(snapshot_then.mind.file("a.txt"), Some("WRITTEN AFTER TWO\n"));
    assert_eq!(snapshot(&again, two, None, 40).unwrap().mind.file("a.txt"), None, "as the turn left it");
    let fork = SessionId::from(7_000);
    let (from, label) = (again.session, String::new());
    again.send(Command::ContinueFrom { session: fork, from, turn: two, mind: left, label }).unwrap();
    let world = again.world();
    let row = world.session(&fork).unwrap();
    assert_eq!(world.working_mind(row).unwrap().file("a.txt"), Some("WRITTEN AFTER TWO\n"));
}
