use serde_json::json;

use super::*;
use crate::lazy::loader::BuiltInChunks;
use crate::port::{Batch, Store as _};
use crate::testing::{Tab, calls, says, tab};
use nexus_model::command::Command;
use nexus_model::mind::Mind;

fn finder(tab: &Tab, pairs: usize) -> Rc<SearchService> {
    let records =
        EventQueries::new(Rc::new(tab.store.clone()), Rc::new(BuiltInChunks), Rc::clone(&tab.running.bus));
    Rc::new(SearchService::holding(records, Rc::clone(&tab.clock) as Rc<dyn Clock>, pairs))
}

fn refresh(tab: &Tab, finder: &Rc<SearchService>) {
    let finder = Rc::clone(finder);
    tab.wait_for(async move { finder.refresh(|| ()).await.unwrap() });
}

fn shown(tab: &Tab, finder: &Rc<SearchService>, words: &'static str) -> Vec<SearchResult> {
    let finder = Rc::clone(finder);
    tab.wait_for(async move { finder.shown(&finder.find(words), words).await.unwrap() })
}

fn line(shown: &SearchResult) -> String {
    shown.pieces.iter().map(|(found, text)| if *found { format!("[{text}]") } else { text.clone() }).collect()
}

#[test]
fn what_was_said_is_found_with_its_reason_and_what_is_new_comes_in() {
    let tab = tab(|agent, _| says(&format!("{agent} answers about zebras")));
    tab.say("@Critic Where do okapis live?").unwrap();
    let finder = finder(&tab, usize::MAX);
    refresh(&tab, &finder);
    let found = shown(&tab, &finder, "okapi");
    assert_eq!(found.len(), 1);
    assert_eq!(line(&found[0]), "@Critic Where do [okapis] live?");
    assert_eq!((found[0].said_by, found[0].about.label.as_str()), (Some(Role::User), "main"));
    let answer = shown(&tab, &finder, "ZEBRAS");
    assert_eq!(answer[0].agent, Some("critic".into()));
    assert!(finder.find("giraffe").is_empty());
    tab.say("@Critic And giraffes?").unwrap();
    tab.send(Command::TitleSession { session: tab.session, title: "Giraffe matters".into() }).unwrap();
    refresh(&tab, &finder);
    let fields: Vec<_> = finder.find("giraffe").iter().map(|hit| hit.place.field()).collect();
    assert_eq!(fields, [SearchField::Title, SearchField::Message]);
    tab.send(Command::TitleSession { session: tab.session, title: "Other matters".into() }).unwrap();
    refresh(&tab, &finder);
    assert_eq!(finder.find("giraffe").len(), 1, "a title that is gone is not found");
    assert_eq!(finder.progress(), SearchProgress { read: 4, of: 4, left_out: 0, reads: false });
}

#[test]
fn deleted_sessions_are_not_found_and_what_the_store_lost_is_forgotten() {
    let tab = tab(|_, _| says("yes"));
    tab.say("@Critic about llamas").unwrap();
    let finder = finder(&tab, usize::MAX);
    refresh(&tab, &finder);
    assert_eq!(finder.find("llamas").len(), 1);
    let other = SessionId::from(1 << 90);
    tab.send(Command::CreateSession { session: other, label: "next".into(), mind: Mind::default() }).unwrap();
    tab.send(Command::DeleteSession { session: tab.session }).unwrap();
    refresh(&tab, &finder);
    assert!(finder.find("llamas").is_empty());
    tab.send(Command::RestoreSession { session: tab.session }).unwrap();
    refresh(&tab, &finder);
    assert_eq!(finder.find("llamas").len(), 1);
    let store = tab.store.clone();
    let removes = vec![(Table::Messages, String::new())];
    tab.wait_for(async move { store.write(Batch { removes, ..Batch::default() }).await.unwrap() });
    refresh(&tab, &finder);
    assert!(finder.find("llamas").is_empty());
}

#[test]
fn the_newest_is_read_first_and_what_has_no_room_is_told() {
    let tab = tab(|_, _| says("fine"));
    tab.say("@Critic the elder message").unwrap();
    tab.say("@Critic the newer message").unwrap();
    let finder = finder(&tab, 6);
    refresh(&tab, &finder);
    assert_eq!(finder.find("newer").len(), 1);
    assert!(finder.find("elder").is_empty());
    assert!(finder.progress().left_out > 0);
    let before = finder.progress();
    refresh(&tab, &finder);
    assert_eq!(finder.progress(), before, "what has no room is not read again");
}

#[test]
fn rows_that_cannot_be_read_hinder_nothing() {
    let tab = tab(|_, _| says("fine"));
    tab.say("@Critic a good one").unwrap();
    let store = tab.store.clone();
    let id = MessageId::from(7).to_string();
    let puts = vec![
        (Table::Messages, (id, json!({"id": 7}).to_string())),
        (Table::Sessions, ("x".into(), "{".into())),
    ];
    tab.wait_for(async move { store.write(Batch { puts, ..Batch::default() }).await.unwrap() });
    let finder = finder(&tab, usize::MAX);
    refresh(&tab, &finder);
    assert_eq!(finder.find("good").len(), 1);
}

#[test]
fn a_message_on_a_branch_that_was_left_is_told_from_one_in_the_thread() {
    let tab = tab(|_, _| says("yes"));
    tab.say("@Critic first").unwrap();
    tab.say("@Critic second").unwrap();
    let asked = |tab: &Tab, word: &'static str| {
        let finder = finder(tab, usize::MAX);
        refresh(tab, &finder);
        let one = shown(tab, &finder, word).remove(0);
        let SearchLocation::Message(id) = one.hit.place else { panic!("a message") };
        (id, one.turn, finder)
    };
    let (first, first_turn, _) = asked(&tab, "first");
    let (second, second_turn, _) = asked(&tab, "second");
    tab.send(Command::MoveHead { session: tab.session, to: first_turn.unwrap(), newest: false }).unwrap();
    let (_, _, finder) = asked(&tab, "first");
    let session = tab.session;
    let in_thread = tab.wait_for(async move {
        let first = finder.is_in_thread(session, first, first_turn).await.unwrap();
        let second = finder.is_in_thread(session, second, second_turn).await.unwrap();
        let nowhere = finder.is_in_thread(session, first_of_none(), None).await.unwrap();
        (first, second, nowhere)
    });
    assert_eq!(in_thread, (true, false, false));
}

fn first_of_none() -> MessageId {
    MessageId::from(1)
}

#[test]
fn what_tools_were_asked_and_answered_is_found_by_its_ends_and_leads_to_its_card() {
    let tab = tab(|_, body| {
        let contents = body["contents"].to_string();
        if contents.contains("functionResponse") {
            return says("Done.");
        }
        let content =
            format!("quokka\n{}numbat\n{}wombat\n", "filler \n".repeat(4_000), "filler \n".repeat(4_000));
        calls(&[
            ("write_file", json!({"name": "a.txt", "content": content})),
            ("read_file", json!({"name": "none.txt"})),
        ])
    });
    tab.say("@Engineer write it").unwrap();
    let finder = finder(&tab, usize::MAX);
    refresh(&tab, &finder);
    let [asked]: [SearchResult; 1] = shown(&tab, &finder, "quokka").try_into().unwrap();
    let tool = asked.tool.clone().unwrap();
    assert_eq!((tool.name.as_str(), tool.is_result), ("write_file", false));
    assert!(line(&asked).contains("[quokka]"), "{}", line(&asked));
    let world = tab.world();
    assert_eq!(world.tool_run(&tool.run.unwrap()).unwrap().call.name, "write_file");
    drop(world);
    assert_eq!(finder.find("wombat").len(), 1, "the end, too");
    assert!(finder.find("numbat").is_empty(), "but not what lies between");
    let [answered]: [SearchResult; 1] = shown(&tab, &finder, "named").try_into().unwrap();
    let tool = answered.tool.clone().unwrap();
    assert_eq!((tool.name.as_str(), tool.is_result, answered.said_by), ("read_file", true, Some(Role::Tool)));
    assert_eq!(tab.world().tool_run(&tool.run.unwrap()).unwrap().call.name, "read_file");
}

#[test]
fn results_of_tools_take_no_more_than_half_of_the_room() {
    let tab = tab(|_, body| {
        let contents = body["contents"].to_string();
        if contents.contains("functionResponse") {
            says("Done.")
        } else {
            calls(&[("read_file", json!({"name": "gone.txt"}))])
        }
    });
    tab.say("@Engineer an old marsupial").unwrap();
    tab.say("@Engineer another one").unwrap();
    let finder = finder(&tab, 4);
    refresh(&tab, &finder);
    assert!(finder.find("named").is_empty());
    assert!(finder.progress().left_out > 0);
    let before = finder.progress();
    refresh(&tab, &finder);
    assert_eq!(finder.progress(), before);
}
