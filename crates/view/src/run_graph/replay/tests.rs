use super::*;
use nexus_model::testing::SeqIds;

fn turn() -> RerunTurn {
    let mut ids = SeqIds::default();
    let message = RerunSource::Message(MessageId::new(&mut ids));
    let envelope = RerunSource::Envelope(0, "plan".to_owned());
    let input = |source, text: &str| RerunInput { source, text: text.to_owned() };
    RerunTurn {
        id: TurnId::new(&mut ids),
        number: 1,
        agent: "engineer".into(),
        config: ModelConfig::new("gemini", "one"),
        inputs: vec![input(message, "Build it"), input(envelope, "The plan is written.")],
    }
}

#[test]
fn a_form_starts_with_the_turn_s_values_and_returns_one_change() {
    let turn = turn();
    let form = |part| RerunForm::of(&turn, part);
    assert_eq!(form(RerunPart::Nothing).change(&turn), Some(None));
    assert_eq!(
        (form(RerunPart::Input(0)).text.as_str(), form(RerunPart::Input(9)).change(&turn)),
        ("Build it", None)
    );
    let envelope = RerunForm { text: " Blue. ".to_owned(), ..form(RerunPart::Input(1)) };
    assert_eq!(envelope.change(&turn), Some(Some(RerunChange::Envelope { at: 0, text: "Blue.".to_owned() })));
    assert_eq!(RerunForm { text: " ".to_owned(), ..envelope }.change(&turn), None);
    let model = RerunForm { model: "two".to_owned(), ..form(RerunPart::Model) };
    assert_eq!(model.change(&turn), Some(Some(RerunChange::Model(ModelConfig::new("gemini", "two")))));
    let persona = RerunForm { agent: "critic".to_owned(), ..form(RerunPart::Persona) };
    assert_eq!(persona.change(&turn), Some(Some(RerunChange::Persona("critic".into()))));
}

#[test]
fn parts_round_trip_their_codes() {
    for part in [RerunPart::Nothing, RerunPart::Input(3), RerunPart::Model, RerunPart::Persona] {
        assert_eq!(RerunPart::read(&part.code()), part);
    }
}
