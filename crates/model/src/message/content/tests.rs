use super::*;

#[test]
fn parts_round_trip_with_opaque_data() {
    let parts = vec![
        MessagePart::thinking("hm"),
        MessagePart::text("yes"),
        MessagePart {
            body: PartBody::ToolCall(ToolCall {
                id: "c1".into(),
                own_id: false,
                name: "read_file".into(),
                args: ToolArgs::Parsed(serde_json::json!({"name": "a.rs"})),
            }),
            opaque: Some(OpaqueData {
                provider: "gemini".into(),
                model: "m".into(),
                data: serde_json::json!({"thoughtSignature": "abc=="}),
            }),
        },
    ];
    let json = serde_json::to_string(&parts).unwrap();
    assert_eq!(serde_json::from_str::<Vec<MessagePart>>(&json).unwrap(), parts);
    assert_eq!(text_of(&parts), "yes");
    assert_eq!(thinking_of(&parts), "hm");
    assert_eq!(calls_of(&parts).count(), 1);
}
