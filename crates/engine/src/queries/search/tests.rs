use serde_json::json;

use super::*;
use crate::port::{Batch, Store as _};
use crate::tests::{Tab, calls, says, tab};
use nexus_model::command::{Command, NewMessage};
use nexus_model::mind::Mind;

fn search(tab: &Tab, pairs: usize) -> Rc<SearchService> {
    let records = tab.records();
    Rc::new(SearchService::with_capacity(records, Rc::clone(&tab.clock) as Rc<dyn Clock>, pairs))
}

fn refresh(tab: &Tab, search: &Rc<SearchService>) {
    let search = Rc::clone(search);
    tab.wait_for(async move { search.refresh(|| ()).await.unwrap() });
}

fn results_for(tab: &Tab, search: &Rc<SearchService>, words: &'static str) -> Vec<SearchResult> {
    let search = Rc::clone(search);
    tab.wait_for(async move { search.shown(&search.find(words), words).await.unwrap() })
}

fn line(result: &SearchResult) -> String {
    result
        .pieces
        .iter()
        .map(|(found, text)| if *found { format!("[{text}]") } else { text.clone() })
        .collect()
}

#[test]
fn messages_are_found_with_excerpts_and_new_ones_are_indexed() {
    let tab = tab(|agent, _| says(&format!("{agent} answers about zebras")));
    tab.say("@Critic Where do okapis live?").unwrap();
    let search = search(&tab, usize::MAX);
    refresh(&tab, &search);
    let found = results_for(&tab, &search, "okapi");
    assert_eq!(found.len(), 1);
    assert_eq!(line(&found[0]), "@Critic Where do [okapis] live?");
    assert_eq!((found[0].role, found[0].about.name.as_str()), (Some(Role::User), "main"));
    let answer = results_for(&tab, &search, "ZEBRAS");
    assert_eq!(answer[0].agent, Some("critic".into()));
    assert!(search.find("giraffe").is_empty());
    tab.say("@Critic And giraffes?").unwrap();
    tab.send(Command::TitleSession { session: tab.session, title: "Giraffe matters".into() }).unwrap();
    refresh(&tab, &search);
    let fields: Vec<_> = search.find("giraffe").iter().map(|hit| hit.place.field()).collect();
    assert_eq!(fields, [SearchField::Title, SearchField::Message]);
    tab.send(Command::TitleSession { session: tab.session, title: "Other matters".into() }).unwrap();
    refresh(&tab, &search);
    assert_eq!(search.find("giraffe").len(), 1, "an old title is not found");
    assert_eq!(search.progress(), SearchProgress { read: 4, of: 4, omitted: 0, is_reading: false });
}

#[test]
fn messages_to_nodes_of_a_graph_are_found_above_the_answer_to_them() {
    let tab = tab(|agent, _| says(&format!("{agent} answers about zebras")));
    let text = r#"{
        "version": 1, "name": "Led", "mode": "AUTO", "completion": "orchestrator",
        "nodes": [
            { "key": "lead", "kind": "orchestrator", "instruction": "Have a page built." },
            { "key": "build", "kind": "agent.engineer", "instruction": "Build what you are told." }
        ]
    }"#;
    let graph = Some(Box::new(GraphTemplate::read(text).unwrap()));
    tab.send(Command::SendMessage(NewMessage { graph, ..NewMessage::new(tab.session, "A page") })).unwrap();
    let text = "Where do okapis live?".to_owned();
    let start = Command::StartNode { run: tab.run_id(), node: "build".into(), text };
    tab.send(start).unwrap();
    let search = search(&tab, usize::MAX);
    refresh(&tab, &search);
    let found = results_for(&tab, &search, "okapi");
    assert_eq!(found.len(), 1);
    assert_eq!(line(&found[0]), "Where do [okapis] live?");
    assert_eq!((found[0].role, found[0].agent.clone()), (Some(Role::User), None));
    let node = tab.world().turn(&found[0].turn.unwrap()).unwrap().node.clone();
    assert_eq!(node, Some("build".into()));
    let answer = results_for(&tab, &search, "engineer zebras");
    assert_eq!((answer[0].hit.place, answer[0].agent.clone()), (found[0].hit.place, Some("engineer".into())));
}

#[test]
fn deleted_sessions_and_messages_are_not_found() {
    let tab = tab(|_, _| says("yes"));
    tab.say("@Critic about llamas").unwrap();
    let search = search(&tab, usize::MAX);
    refresh(&tab, &search);
    assert_eq!(search.find("llamas").len(), 1);
    let other = SessionId::from(1 << 90);
    tab.send(Command::CreateSession { session: other, label: "next".into(), mind: Mind::default() }).unwrap();
    tab.send(Command::DeleteSession { session: tab.session }).unwrap();
    refresh(&tab, &search);
    assert!(search.find("llamas").is_empty());
    tab.send(Command::RestoreSession { session: tab.session }).unwrap();
    refresh(&tab, &search);
    assert_eq!(search.find("llamas").len(), 1);
    let store = tab.store.clone();
    let removes = vec![(Table::Messages, String::new())];
    tab.wait_for(async move { store.write(Batch { removes, ..Batch::default() }).await.unwrap() });
    refresh(&tab, &search);
    assert!(search.find("llamas").is_empty());
}

#[test]
fn newest_messages_are_indexed_first_and_omitted_ones_counted() {
    let tab = tab(|_, _| says("fine"));
    tab.say("@Critic the elder message").unwrap();
    tab.say("@Critic the newer message").unwrap();
    let search = search(&tab, 6);
    refresh(&tab, &search);
    assert_eq!(search.find("newer").len(), 1);
    assert!(search.find("elder").is_empty());
    assert!(search.progress().omitted > 0);
    let before = search.progress();
    refresh(&tab, &search);
    assert_eq!(search.progress(), before, "text beyond the capacity is not read again");
}

#[test]
fn unreadable_rows_are_skipped() {
    let tab = tab(|_, _| says("fine"));
    tab.say("@Critic a good one").unwrap();
    let store = tab.store.clone();
    let id = MessageId::from(7).to_string();
    let puts = vec![
        (Table::Messages, (id, json!({"id": 7}).to_string())),
        (Table::Sessions, ("x".into(), "{".into())),
    ];
    tab.wait_for(async move { store.write(Batch { puts, ..Batch::default() }).await.unwrap() });
    let search = search(&tab, usize::MAX);
    refresh(&tab, &search);
    assert_eq!(search.find("good").len(), 1);
}

#[test]
fn messages_outside_the_current_thread_are_recognised() {
    let tab = tab(|_, _| says("yes"));
    tab.say("@Critic first").unwrap();
    tab.say("@Critic second").unwrap();
    let find_one = |tab: &Tab, word: &'static str| {
        let search = search(tab, usize::MAX);
        refresh(tab, &search);
        let one = results_for(tab, &search, word).remove(0);
        let SearchLocation::Message(id) = one.hit.place else { panic!("a message") };
        (id, one.turn, search)
    };
    let (first, first_turn, _) = find_one(&tab, "first");
    let (second, second_turn, _) = find_one(&tab, "second");
    tab.send(Command::MoveHead { session: tab.session, to: first_turn.unwrap(), newest: false }).unwrap();
    let (_, _, search) = find_one(&tab, "first");
    let session = tab.session;
    let in_thread = tab.wait_for(async move {
        let first = search.is_in_thread(session, first, first_turn).await.unwrap();
        let second = search.is_in_thread(session, second, second_turn).await.unwrap();
        let nowhere = search.is_in_thread(session, first_of_none(), None).await.unwrap();
        (first, second, nowhere)
    });
    assert_eq!(in_thread, (true, false, false));
}

fn first_of_none() -> MessageId {
    MessageId::from(1)
}

#[test]
fn tool_calls_and_results_are_found_by_their_ends() {
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
    let search = search(&tab, usize::MAX);
    refresh(&tab, &search);
    let [asked]: [SearchResult; 1] = results_for(&tab, &search, "quokka").try_into().unwrap();
    let tool = asked.tool.clone().unwrap();
    assert_eq!((tool.name.as_str(), tool.is_result), ("write_file", false));
    assert!(line(&asked).contains("[quokka]"), "{}", line(&asked));
    let world = tab.world();
    assert_eq!(world.tool_run(&tool.run.unwrap()).unwrap().call.name, "write_file");
    drop(world);
    assert_eq!(search.find("wombat").len(), 1, "the end, too");
    assert!(search.find("numbat").is_empty(), "but not the text between");
    let [answered]: [SearchResult; 1] = results_for(&tab, &search, "named").try_into().unwrap();
    let tool = answered.tool.clone().unwrap();
    assert_eq!((tool.name.as_str(), tool.is_result, answered.role), ("read_file", true, Some(Role::Tool)));
    assert_eq!(tab.world().tool_run(&tool.run.unwrap()).unwrap().call.name, "read_file");
}

#[test]
fn tool_results_fill_at_most_half_of_the_index() {
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
    let search = search(&tab, 4);
    refresh(&tab, &search);
    assert!(search.find("named").is_empty());
    assert!(search.progress().omitted > 0);
    let before = search.progress();
    refresh(&tab, &search);
    assert_eq!(search.progress(), before);
}
