use std::sync::Arc;

use super::*;
use nexus_model::id::{MessageId, ToolRunId, TurnId};
use nexus_model::message::content::{MessagePart, ToolCall};
use nexus_model::run::graph::{Envelope, OPERATOR_NODE, kinds};
use nexus_model::testing::{a_message, a_session, a_turn};
use nexus_model::tool::ToolStatus;
use nexus_text::content_hash::ContentHash;
use serde_json::json;

/// A session with a question and an answer with a tool call, each with hostile content.
fn a_world() -> (World, SessionId) {
    let mut world = World::default();
    let (session, turn) = (SessionId::from(1), TurnId::from(2));
    let [question, answer, more] = [3, 4, 5].map(MessageId::from);
    let mut row = a_session(session);
    row.label = "main".into();
    row.title = Some("Tea </title><script>alert(1)</script>".into());
    (row.head, row.last_sequence) = (Some(turn), 3);
    world.sessions.insert(session, Arc::new(row));
    let base64 = "aGk=";
    world.blobs.insert(ContentHash::of_text(base64), Arc::from(base64));
    let blob = |mime: &str, name: &str| {
        MessagePart::from(PartBody::Blob {
            hash: ContentHash::of_text(base64),
            mime: mime.into(),
            name: name.into(),
            bytes: 2,
        })
    };
    let question_message = Message {
        parts: vec![
            MessagePart::text("Make <b>tea</b> & \"biscuits\""),
            blob("image/png", "cup.png"),
            blob("application/pdf", "how.pdf"),
        ],
        turn: Some(turn),
        created_at: Millis(1_700_000_000_000),
        ..a_message(question, session)
    };
    let run = ToolRunId::from(6);
    let call = ToolCall {
        id: "c".into(),
        own_id: false,
        name: "write_file".into(),
        args: ToolArgs::Parsed(json!({"name": "tea.md", "text": "```\n</pre><img src=x>\n```"})),
    };
    let answers = |id: MessageId, sequence: u64, parts: Vec<MessagePart>| Message {
        sequence,
        role: Role::Assistant,
        source: None,
        agent: Some("brewer".into()),
        model: Some("m-1".into()),
        parts,
        turn: Some(turn),
        ..a_message(id, session)
    };
    let mut answer_message = answers(
        answer,
        2,
        vec![
            MessagePart::thinking("Hot </details> first"),
            MessagePart::text(
                "**Hot** water, [here](javascript:alert(1)) and [there](https://tea.example).\n\n```rust\nlet a = \"<b>\";\n```\n\n<script>alert(2)</script>",
            ),
            PartBody::ToolCall(call.clone()).into(),
        ],
    );
    answer_message.metadata.tool_run_ids = vec![run];
    let second_answer = answers(more, 3, vec![MessagePart::text("Done.")]);
    let tool = ToolRun {
        id: run,
        session,
        turn,
        agent: "brewer".into(),
        requested_by: answer,
        call,
        status: ToolStatus::Succeeded,
        result: Some(json!({"ok": true})),
        ..ToolRun::default()
    };
    world.tool_runs.insert(run, Arc::new(tool));
    for message in [question_message, answer_message, second_answer] {
        world.messages.insert(message.id, Arc::new(message));
    }
    let mut row = a_turn(turn, session);
    (row.agent, row.query, row.messages) = ("brewer".into(), vec![question], vec![answer, more]);
    row.inbox = vec![Envelope::text(kinds::OPERATOR, OPERATOR_NODE.into(), None, "Mind the <leaves>.")];
    world.turns.insert(turn, Arc::new(row));
    (world, session)
}

fn text(format: ConversationFormat) -> String {
    let (world, session) = a_world();
    let file = Conversation::of(&world, session, Millis(1_700_000_060_000), LocalTime::default()).unwrap();
    file.text(format)
}

#[test]
fn markdown_has_authors_times_attachments_and_folds() {
    let text = text(ConversationFormat::Markdown);
    assert!(text.contains("3 messages, exported from Nexus on 2023-11-14 22:14"), "{text}");
    assert!(text.contains("2023-11-14 22:13"), "{text}");
    assert!(
        text.contains("*cup.png (image/png, 2 bytes)*")
            && text.contains("*how.pdf (application/pdf, 2 bytes)*")
    );
    assert!(text.contains("## brewer\n\n") && text.contains("m-1"));
    assert!(text.contains("<summary>Thinking</summary>\n\nHot &lt;/details> first"));
    assert!(text.contains("<summary>write_file · tea.md · done</summary>"));
    assert!(text.contains("## You\n\nMind the <leaves>.\n"), "{text}");
    // An answer that continues after a tool has no second author heading.
    assert_eq!(text.matches("## brewer").count(), 1);
    assert!(text.trim_end().ends_with("Done."));
}

#[test]
fn a_fence_is_longer_than_those_in_its_text() {
    let folded =
        EntryPart::Folded { title: "t".into(), body: FoldedBody::Code(vec![("", "a\n````\nb".into())]) };
    let file = Conversation { title: "t".into(), about: String::new(), entries: vec![note(folded)] };
    assert!(file.markdown().contains("\n`````\na\n````\nb\n`````\n"));
}

#[test]
fn the_page_is_well_formed_and_has_the_content() {
    let page = text(ConversationFormat::Html);
    assert!(page.contains("default-src 'none'"));
    for hostile in ["<script", "href=\"javascript", "<b>", "<img src=x", "</pre><img", "<button", "data-act"]
    {
        assert!(!page.contains(hostile), "{hostile} in {page}");
    }
    assert!(page.contains("Make &lt;b&gt;tea&lt;/b&gt; &amp; &quot;biscuits&quot;"));
    assert!(page.contains("<img src=\"data:image/png;base64,aGk=\" alt=\"cup.png"));
    assert!(page.contains("href=\"https://tea.example\"") && page.contains("noreferrer"));
    assert!(page.contains("<strong>Hot</strong>") && page.contains("class=\"code-keyword\""));
    assert!(page.contains("<summary>Thinking</summary>") && page.contains("how.pdf"));
    assert!(page.contains("Mind the &lt;leaves&gt;."));
    // Every opened element is closed.
    for tag in ["article", "details", "div", "p", "pre", "figure", "span"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn a_file_is_named_after_its_conversation() {
    let (mut world, session) = a_world();
    let named = |world: &World, format| {
        Conversation::of(world, session, Millis(0), LocalTime::default()).unwrap().file_name(format)
    };
    let name = named(&world, ConversationFormat::Html);
    assert!(name.ends_with(".html") && !name.contains(['/', '<', '(']), "{name}");
    let mut row = world.session(&session).unwrap().as_ref().clone();
    row.title = Some("Tea for two".into());
    world.sessions.insert(session, Arc::new(row));
    assert_eq!(named(&world, ConversationFormat::Markdown), "Tea for two.md");
    assert!(Conversation::of(&world, SessionId::from(99), Millis(0), LocalTime::default()).is_none());
}
