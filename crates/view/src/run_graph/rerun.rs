//! Re-runs: the turns of a node that can run again, and what can be changed in each.

use nexus_model::command::RerunChange;
use nexus_model::id::{AgentKey, MessageId, ProviderId, TurnId};
use nexus_model::llm::ModelConfig;
use nexus_model::message::content::text_of;
use nexus_model::world::World;

use super::DiagramNode;

/// A turn that can run again.
#[derive(Clone, Debug, PartialEq)]
pub struct RerunTurn {
    pub id: TurnId,
    pub number: usize,
    pub agent: AgentKey,
    pub config: ModelConfig,
    pub inputs: Vec<RerunInput>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RerunInput {
    pub source: RerunSource,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RerunSource {
    Message(MessageId),
    /// Envelope of the turn's inbox: its index and its sender.
    Envelope(usize, String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RerunPart {
    #[default]
    Nothing,
    Input(usize),
    Model,
    Persona,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RerunForm {
    pub part: RerunPart,
    pub text: String,
    pub provider: String,
    pub model: String,
    pub agent: String,
}

/// The ended turns of a node, newest first.
pub fn rerun_turns(world: &World, node: &DiagramNode) -> Vec<RerunTurn> {
    let turns = (1..).zip(&node.turns).filter_map(|(number, id)| Some((number, world.turn(id)?)));
    let ended = turns.filter(|(_, turn)| !turn.phase.is_open() && turn.node.is_some());
    let mut found: Vec<RerunTurn> = ended
        .map(|(number, turn)| {
            let messages = turn.query.iter().filter_map(|id| world.message(id));
            let messages = messages.map(|message| RerunInput {
                source: RerunSource::Message(message.id),
                text: text_of(&message.parts),
            });
            let envelopes = turn.inbox.iter().enumerate().map(|(at, envelope)| RerunInput {
                source: RerunSource::Envelope(at, envelope.node_id.to_string()),
                text: envelope.summary.clone(),
            });
            RerunTurn {
                id: turn.id,
                number,
                agent: turn.agent.clone(),
                config: turn.config.clone(),
                inputs: messages.chain(envelopes).collect(),
            }
        })
        .collect();
    found.reverse();
    found
}

impl RerunPart {
    pub fn code(self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Model => "model".to_owned(),
            Self::Persona => "persona".to_owned(),
            Self::Input(at) => at.to_string(),
        }
    }

    pub fn read(code: &str) -> Self {
        match code {
            "model" => Self::Model,
            "persona" => Self::Persona,
            code => code.parse().map_or(Self::Nothing, Self::Input),
        }
    }
}

impl RerunForm {
    pub fn of(turn: &RerunTurn, part: RerunPart) -> Self {
        let text = if let RerunPart::Input(at) = part {
            turn.inputs.get(at).map(|input| input.text.clone()).unwrap_or_default()
        } else {
            String::new()
        };
        Self {
            part,
            text,
            provider: turn.config.provider.to_string(),
            model: turn.config.model.clone(),
            agent: turn.agent.to_string(),
        }
    }

    /// The change of the re-run; outer `None` if an input is missing.
    pub fn change(&self, turn: &RerunTurn) -> Option<Option<RerunChange>> {
        let text = || Some(self.text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(match self.part {
            RerunPart::Nothing => None,
            RerunPart::Input(at) => Some(match turn.inputs.get(at)?.source {
                RerunSource::Message(message) => RerunChange::Message { message, text: text()? },
                RerunSource::Envelope(at, _) => RerunChange::Envelope { at, text: text()? },
            }),
            RerunPart::Model => {
                let model = Some(self.model.trim()).filter(|model| !model.is_empty())?.to_owned();
                let provider = ProviderId::from(self.provider.as_str());
                Some(RerunChange::Model(ModelConfig { provider, model, ..turn.config.clone() }))
            }
            RerunPart::Persona => Some(RerunChange::Persona(self.agent.as_str().into())),
        })
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            envelope.change(&turn),
            Some(Some(RerunChange::Envelope { at: 0, text: "Blue.".to_owned() }))
        );
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
}
