//! Scenarios of images: attached ones reach the model, stay in the history, and are rebuilt byte for byte.

use crate::{change_agent, write_file};
use serde_json::{Value, json};

use nexus_engine::calls::prompt::prompt_of;
use nexus_engine::queries::inspect::{CallReport, RequestMatch, inspect};
use nexus_engine::tests::{Scripted, Tab, calls, says, tab, trickles};
use nexus_model::command::{Command, NewMessage, Rejection};
use nexus_model::id::{Millis, SessionId};
use nexus_model::llm::ModelConfig;
use nexus_model::mind::blob::{NewBlob, base64_of, image_text};
use nexus_model::mind::preview::pictures as pictures_of;
use nexus_model::provider::vision::OmissionReason;
use nexus_model::provider::{ModelInfo, ModelList, Protocol};
use nexus_model::session::workers::{RacePrompt, RaceRequest, shown_race};
use nexus_text::content_hash::ContentHash;
use nexus_view::timeline::{TimelineRow, timeline};

pub(crate) fn picture(name: &str, base64: &str) -> NewBlob {
    NewBlob { name: name.into(), mime: "image/png".into(), base64: base64.into() }
}

/// Sends a message with images.
pub(crate) fn show(tab: &Tab, text: &str, attachments: Vec<NewBlob>) -> Result<(), Rejection> {
    tab.send(Command::SendMessage(NewMessage { attachments, ..NewMessage::new(tab.session, text) }))
}

/// The images in a request, in order.
fn pictures(body: &Value) -> Vec<String> {
    let contents = body["contents"].as_array().unwrap();
    let parts = contents.iter().flat_map(|content| content["parts"].as_array().unwrap());
    parts
        .filter_map(|part| part.get("inlineData"))
        .map(|data| format!("{}:{}", data["mimeType"].as_str().unwrap(), data["data"].as_str().unwrap()))
        .collect()
}

fn requests(tab: &Tab, at: usize) -> Value {
    tab.requests.borrow()[at].1.clone()
}

#[test]
fn image_reaches_every_agent_once_and_stays_in_the_history() {
    let tab = tab(|agent, _| says(&format!("{agent} saw it")));
    show(&tab, "what is this?", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
    for at in 0..3 {
        assert_eq!(pictures(&requests(&tab, at)), ["image/png:aGVsbG8="], "request {at}");
    }
    tab.say("@Critic and now?").unwrap();
    assert_eq!(pictures(&requests(&tab, 3)), ["image/png:aGVsbG8="]);
}

#[test]
fn image_survives_a_reload_and_its_request_is_rebuilt_byte_for_byte() {
    let first = tab(|_, _| says("a cat"));
    show(&first, "", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
    first.kill();
    let again = first.again(|_, _| says("still a cat"));
    again.say("@Architect what was it?").unwrap();
    assert_eq!(pictures(&requests(&again, 0)), ["image/png:aGVsbG8="]);
    let world = again.world();
    for turn in world.turns.values() {
        let recipe = &turn.calls[0].recipe;
        assert_eq!(recipe.blobs.len(), 1);
        let prompt = prompt_of(&world, turn, recipe).expect("all that the recipe names is there");
        assert_eq!(prompt.blobs.len(), 1);
        assert_eq!(prompt_of(&world, turn, recipe), Some(prompt));
    }
    let newest = world.turn(&again.session_row().head.unwrap()).unwrap();
    let prompt = prompt_of(&world, newest, &newest.calls[0].recipe).unwrap();
    let key = nexus_providers::http::Secret::new("k");
    let endpoint = nexus_providers::http::Endpoint {
        base_url: "https://generativelanguage.googleapis.com".into(),
        key: Some(key),
    };
    let request = nexus_providers::gemini::encode::encode(&prompt, &endpoint);
    let body: Value = serde_json::from_str(request.body.as_deref().unwrap()).unwrap();
    assert_eq!(body, requests(&again, 0));
}

#[test]
fn image_stays_with_its_queued_message_over_a_reload() {
    let first = tab(|_, _| trickles(&["busy "]));
    first.say("@Architect work").unwrap();
    show(&first, "@Architect and this", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
    first.pass(2_000);
    first.kill();
    let again = first.again(|_, _| says("seen"));
    again.send(Command::EndRun { run: again.run_id() }).unwrap();
    assert_eq!(pictures(&requests(&again, 0)), ["image/png:aGVsbG8="]);
}

#[test]
fn small_window_omits_old_turns_and_a_known_model_has_room() {
    let turns_in = |window: Option<u64>, model: &str| {
        let tab = tab(|_, _| says("ok"));
        tab.use_model("gemini", model);
        change_agent(&tab, "architect", |agent| agent.config.context_tokens = window);
        for _ in 0..4 {
            tab.say(&format!("@Architect {}", "long ".repeat(40_000))).unwrap();
        }
        let world = tab.world();
        let recipe = world.turn(&tab.session_row().head.unwrap()).unwrap().calls[0].recipe.clone();
        (recipe.turns.len(), recipe.omitted_turns.len())
    };
    assert_eq!(turns_in(None, "gemini-3.8-flash"), (3, 0), "a million tokens");
    assert_eq!(
        turns_in(Some(130_000), "gemini-3.8-flash"),
        (1, 2),
        "the operator's setting takes precedence"
    );
    assert_eq!(turns_in(None, "model-of-tomorrow"), (1, 2), "a default without information");
}

#[test]
fn image_stays_in_the_tool_loop() {
    let mut count = 0;
    let tab = tab(move |_, _| -> Scripted {
        count += 1;
        if count == 1 { calls(&[("list_files", json!({}))]) } else { says("done") }
    });
    show(&tab, "@Engineer look", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
    assert_eq!(pictures(&requests(&tab, 1)), ["image/png:aGVsbG8="]);
}

#[test]
fn unsupported_type_is_noted_and_invalid_data_rejected() {
    let tab = tab(|_, _| says("ok"));
    let zip = NewBlob { mime: "application/zip".into(), ..picture("a.zip", "aGVsbG8=") };
    show(&tab, "@Architect read", vec![zip]).unwrap();
    assert!(pictures(&requests(&tab, 0)).is_empty());
    assert!(tab.question(0).contains("a.zip"), "{}", tab.question(0));
    let rejected = show(&tab, "@Architect read", vec![picture("b.png", "not base64")]);
    assert_eq!(rejected, Err(Rejection::BadAttachment { name: "b.png".into() }));
    assert_eq!(show(&tab, " ", Vec::new()), Err(Rejection::NothingSaid));
}

/// Stores a model list that says which models accept images.
fn tells(tab: &Tab, provider: &str, models: &[(&str, bool)]) {
    let model_info = |(id, sees): &(&str, bool)| ModelInfo {
        id: (*id).into(),
        name: (*id).into(),
        input_limit: None,
        output_limit: None,
        thinks: None,
        accepts_images: Some(*sees),
        price: None,
    };
    let list = ModelList { at: Millis(1), models: models.iter().map(model_info).collect() };
    let (name, value) = (ModelList::setting(&provider.into()), serde_json::to_value(&list).unwrap());
    tab.send(Command::ChangeSetting { name, value }).unwrap();
}

/// The inspector's reports of the newest turn's calls.
fn inspected(tab: &Tab) -> Vec<CallReport> {
    let records = tab.records();
    let turn = tab.session_row().head.unwrap();
    tab.wait_for(async move { inspect(&records, turn).await }).unwrap().unwrap().calls
}

/// The omitted images that the timeline lists.
fn unsupported_attachments(tab: &Tab) -> Vec<Vec<String>> {
    let rows = timeline(&tab.world(), tab.session, None).rows;
    let unsupported_attachments = rows.into_iter().filter_map(|(_, row)| {
        if let TimelineRow::Message(row) = row { Some(row.unsupported_attachments) } else { None }
    });
    unsupported_attachments.filter(|names| !names.is_empty()).collect()
}

#[test]
fn model_without_vision_gets_a_note_and_another_gets_the_images() {
    let mut count = 0;
    let tab = tab(move |_, _| -> Scripted {
        count += 1;
        if count == 1 { calls(&[("list_files", json!({}))]) } else { says("ok") }
    });
    tells(&tab, "gemini", &[("gemini-3.8-flash", false), ("gemini-eye", true)]);
    show(&tab, "@Engineer look", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
    tab.say("@Engineer and now?").unwrap();
    for at in 0..3 {
        let body = requests(&tab, at).to_string();
        assert!(
            pictures(&requests(&tab, at)).is_empty() && !body.contains("aGVsbG8="),
            "request {at}: {body}"
        );
        assert_eq!(body.matches("the picture “cat.png” is attached here").count(), 1, "request {at}: {body}");
    }
    // Only the answer to the message with the image has the note.
    assert_eq!(unsupported_attachments(&tab), [["cat.png"]]);
    let report = inspected(&tab);
    let left: Vec<_> = report[0].omitted_images.iter().map(|one| (one.name.as_str(), one.reason)).collect();
    assert_eq!(left, [("cat.png", OmissionReason::Unsupported)]);
    assert_eq!(report[0].attempts[0].request_match, RequestMatch::Yes);

    tab.use_model("gemini", "gemini-eye");
    tab.say("@Engineer and with this model?").unwrap();
    assert_eq!(pictures(&requests(&tab, 3)), ["image/png:aGVsbG8="]);
    assert!(inspected(&tab)[0].omitted_images.is_empty());

    // The rebuilt request equals the sent one, whatever is known about the models now.
    tells(&tab, "gemini", &[("gemini-3.8-flash", true), ("gemini-eye", false)]);
    let world = tab.world();
    for turn in world.turns.values() {
        let prompt = prompt_of(&world, turn, &turn.calls[0].recipe).unwrap();
        let has = turn.config.model == "gemini-eye";
        assert_eq!(prompt.blobs.len(), usize::from(has), "{}", turn.config.model);
    }
}

#[test]
fn no_family_sends_images_to_a_model_without_vision() {
    for protocol in Protocol::ALL {
        for sees in [true, false] {
            let tab = tab(|_, _| nexus_engine::tests::refuses(400, "NO"));
            tab.use_protocol(protocol, "m");
            tells(&tab, "other", &[("m", sees)]);
            show(&tab, "@Engineer look", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
            let body = requests(&tab, 0).to_string();
            assert_eq!(body.contains("aGVsbG8="), sees, "{protocol:?}: {body}");
            assert_eq!(body.contains("you were not given it"), !sees, "{protocol:?}: {body}");
        }
    }
}

#[test]
fn document_is_sent_to_supporting_protocols_and_noted_for_others() {
    for protocol in Protocol::ALL {
        let tab = tab(|_, _| nexus_engine::tests::refuses(400, "NO"));
        tab.use_protocol(protocol, "m");
        let pdf = NewBlob { mime: "application/pdf".into(), ..picture("a.pdf", "JVBERi0x") };
        show(&tab, "@Engineer read", vec![pdf]).unwrap();
        let body = requests(&tab, 0).to_string();
        assert_eq!(body.contains("JVBERi0x"), protocol.takes_documents(), "{protocol:?}: {body}");
        assert_eq!(body.contains("the document “a.pdf” is attached here"), !protocol.takes_documents());
    }
}

#[test]
fn unseen_image_takes_no_tokens() {
    let turns_in = |sees: bool| {
        let tab = tab(|_, _| says("ok"));
        tells(&tab, "gemini", &[("gemini-3.8-flash", sees)]);
        change_agent(&tab, "architect", |agent| agent.config.context_tokens = Some(16_000));
        for number in 0..9 {
            let own = format!("aGVsbG{number}=");
            show(&tab, "@Architect look", vec![picture("a.png", &own)]).unwrap();
        }
        let world = tab.world();
        let recipe = world.turn(&tab.session_row().head.unwrap()).unwrap().calls[0].recipe.clone();
        recipe.turns.len()
    };
    assert!(turns_in(false) > turns_in(true), "{} and {}", turns_in(false), turns_in(true));
}

#[test]
fn images_of_a_session_are_those_of_its_thread() {
    let tab = tab(|_, _| says("ok"));
    let names = |session: SessionId| -> Vec<(String, ContentHash)> {
        pictures_of(&tab.world(), session).into_iter().map(|one| (one.name, one.hash)).collect()
    };
    let of = |name: &str, base64: &str| (name.to_owned(), ContentHash::of_text(base64));
    show(&tab, "@Critic look", vec![picture("cat.png", "b2xk"), picture("dog.png", "ZG9n")]).unwrap();
    let turn = tab.session_row().head.unwrap();
    let avif = NewBlob { mime: "image/avif".into(), ..picture("new.avif", "YXZpZg==") };
    show(&tab, "@Critic again", vec![picture("cat.png", "bmV3"), avif]).unwrap();
    // Of two with one name the newest counts; also images that the model cannot see are listed.
    let all = [of("cat.png", "bmV3"), of("new.avif", "YXZpZg=="), of("dog.png", "ZG9n")];
    assert_eq!(names(tab.session), all);
    let newest = requests(&tab, 1);
    assert!(!newest.to_string().contains("YXZpZg==") && newest.to_string().contains("new.avif"), "{newest}");

    // A fork has the images before it, not those after.
    let session = SessionId::from(5_001u128);
    let (from, label) = (tab.session, String::new());
    tab.send(Command::ContinueFrom { session, from, turn, mind: None, label }).unwrap();
    let mut before = names(session);
    before.sort();
    let mut expected = [of("cat.png", "b2xk"), of("dog.png", "ZG9n")];
    expected.sort();
    assert_eq!(before, expected);
}

#[test]
fn image_reaches_every_lane_of_a_race() {
    let tab = tab(|_, _| says("a cat"));
    let race = |prompt: RacePrompt| {
        let config = tab.world().agent(&"engineer".into()).unwrap().config.clone();
        let models = ["one", "two", "three"];
        let models = models.map(|model| ModelConfig { model: format!("gemini-{model}"), ..config.clone() });
        let (session, agent) = (tab.session, "engineer".into());
        tab.send(Command::Race(RaceRequest { session, prompt, agent, models: models.to_vec() })).unwrap();
        tab.settle();
    };
    let attachments = vec![picture("cat.png", "aGVsbG8=")];
    race(RacePrompt::Message { text: "what is this?".into(), attachments });
    assert_eq!(tab.requests.borrow().len(), 3);
    let lane = shown_race(&tab.world(), tab.session).unwrap().lanes[0].session;
    tab.send(Command::PickLane { session: tab.session, lane }).unwrap();
    race(RacePrompt::Turn(tab.session_row().head.unwrap()));
    assert_eq!(tab.requests.borrow().len(), 6);
    for at in 0..6 {
        assert_eq!(pictures(&requests(&tab, at)), ["image/png:aGVsbG8="], "request {at}");
    }
}

/// However a message that names an image file is sent, its picture goes with it.
#[test]
fn named_image_file_is_attached_to_raced_resent_and_edited_messages() {
    let bytes = b"\x89PNG\r\n\x1a\nabc";
    let expected = [format!("image/png:{}", base64_of(bytes))];
    let begin = |tab: &Tab| write_file(tab, "logo.png", &image_text(bytes).unwrap());
    let newest = |tab: &Tab| pictures(&tab.requests.borrow().last().unwrap().1);
    let raced = tab(|_, _| says("a cat"));
    begin(&raced);
    let config = raced.world().agent(&"engineer".into()).unwrap().config.clone();
    let models =
        ["one", "two"].map(|model| ModelConfig { model: format!("gemini-{model}"), ..config.clone() });
    let prompt = RacePrompt::Message { text: "look at #logo.png".into(), attachments: Vec::new() };
    let (session, agent) = (raced.session, "engineer".into());
    raced.send(Command::Race(RaceRequest { session, prompt, agent, models: models.to_vec() })).unwrap();
    raced.settle();
    assert_eq!(newest(&raced), expected, "raced");

    let resent = tab(|_, _| says("a cat"));
    begin(&resent);
    resent.say("@Engineer look").unwrap();
    let session = resent.session;
    let message = resent.world().turn(&resent.session_row().head.unwrap()).unwrap().query[0];
    let text = "@Engineer look at #logo.png".to_owned();
    let edited = Command::Resend { session, message, text, attachments: Vec::new(), overrides: None };
    resent.send(edited).unwrap();
    resent.settle();
    assert_eq!(newest(&resent), expected, "resent");
    let message = resent.world().turn(&resent.session_row().head.unwrap()).unwrap().query[0];
    let text = "@Engineer look at #logo.png again".to_owned();
    let again = Command::Resend { session, message, text, attachments: Vec::new(), overrides: None };
    resent.send(again).unwrap();
    resent.settle();
    assert_eq!(newest(&resent), expected, "once, also when resent again");

    let queued = tab(|_, _| trickles(&["slow"]));
    begin(&queued);
    queued.say("@Engineer at work").unwrap();
    queued.say("@Engineer look").unwrap();
    let item = queued.world().waiting(queued.session)[0].id;
    queued.send(Command::EditQueued { item, text: "@Engineer look at #logo.png".into() }).unwrap();
    queued.send(Command::Stop { session: queued.session }).unwrap();
    queued.send(Command::SendHeld { item }).unwrap();
    queued.settle();
    assert_eq!(newest(&queued), expected, "edited in the queue");
}
