//! A new message on its way from the composer into a session, and the overrides for its turns.

use crate::agent::Permissions;
use crate::id::SessionId;
use crate::llm::ModelConfig;
use crate::message::{MessageOrigin, Source};
use crate::mind::blob::NewBlob;
use crate::run::graph::GraphTemplate;
use crate::session::{KeepGoing, QueueItem, QueueMode, Target};

/// A message that is to be sent in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    pub session: SessionId,
    /// The words; `@Name` in them targets like `target` does. They may be empty where something is attached.
    pub text: String,
    /// What goes along with the words, such as pictures.
    pub attachments: Vec<NewBlob>,
    pub source: Source,
    /// From where it comes, where it was not typed in its session by hand. Such a session need not be open.
    pub origin: Option<MessageOrigin>,
    pub target: Target,
    /// What happens if a run works.
    pub mode: QueueMode,
    /// How the run is to repeat; one round where absent.
    pub keep_going: Option<KeepGoing>,
    pub overrides: Option<Box<MessageOverrides>>,
    /// The graph that the run follows; its nodes name who answers, whatever the target says.
    pub graph: Option<Box<GraphTemplate>>,
}

impl NewMessage {
    /// A message of the operator's to all agents, with nothing but words.
    pub fn new(session: SessionId, text: impl Into<String>) -> Self {
        Self {
            session,
            text: text.into(),
            attachments: Vec::new(),
            source: Source::Human,
            origin: None,
            target: Target::All,
            mode: QueueMode::default(),
            keep_going: None,
            overrides: None,
            graph: None,
        }
    }
}

/// What holds for the turns of one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageOverrides {
    /// The model and its parameters, where they are not those of the agents.
    pub config: Option<ModelConfig>,
    /// What is said of tools: denied, asked about, or allowed without asking. A deny of others stays one.
    pub tools: Option<Permissions>,
}

impl MessageOverrides {
    pub fn of(item: &QueueItem) -> Self {
        Self { config: item.config.as_deref().cloned(), tools: item.tools.as_deref().cloned() }
    }

    pub fn is_empty(&self) -> bool {
        self.config.is_none() && self.tools.as_ref().is_none_or(|tools| *tools == Permissions::default())
    }
}
