//! Tests of changing agents and providers.

use crate::agent::defaults;
use crate::agent::defaults::{first_agents, first_providers};
use crate::command::{Command, Decision, PartialMessages, Rejection};
use crate::decide::{Env, decide};
use crate::event::{Event, EventKind};
use crate::fold::fold;
use crate::id::{AgentKey, Millis, TriggerId};
use crate::provider::address::AddressError;
use crate::provider::{Protocol, Provider};
use crate::testing::SeqIds;
use crate::world::World;

/// A new device, and the number of its last event.
struct SettingsFixture {
    world: World,
    seq: u64,
}

impl SettingsFixture {
    fn new() -> Self {
        let mut device = Self { world: World::default(), seq: 0 };
        let agents = first_agents().into_iter().map(|agent| EventKind::AgentChanged { agent });
        let providers = first_providers().into_iter().map(|provider| EventKind::ProviderChanged { provider });
        for what in agents.chain(providers) {
            device.apply(what);
        }
        device
    }

    fn apply(&mut self, kind: EventKind) {
        self.seq += 1;
        let stream = crate::id::StreamId::App;
        let event = crate::decide::NewEvent { stream, run: None, turn: None, kind };
        let event: Event = event.into_event(self.seq, Millis(self.seq));
        let rows = fold(&self.world, &[event]);
        self.world.absorb(rows);
    }

    fn run(&mut self, command: Command) -> Decision<usize> {
        let (mut ids, partials) = (SeqIds::default(), PartialMessages::new());
        let mut env = Env { now: Millis(99), ids: &mut ids, partials: &partials, run_before_turn: None };
        let events = decide(&self.world, &command, &mut env)?;
        let count = events.len();
        events.into_iter().for_each(|event| self.apply(event.kind));
        Ok(count)
    }

    fn names(&self) -> Vec<&str> {
        self.world.roster().iter().map(|agent| agent.identity.name.as_str()).collect()
    }
}

fn other(base_url: &str) -> Provider {
    Provider {
        id: "own".into(),
        label: "My host".into(),
        protocol: Protocol::Openai,
        base_url: base_url.into(),
        needs_key: false,
    }
}

#[test]
fn removed_agent_returns_to_its_place_in_the_roster() {
    let mut device = SettingsFixture::new();
    let engineer = AgentKey::from("engineer");
    let before = device.world.agent(&engineer).unwrap().as_ref().clone();
    device.run(Command::RemoveAgent { agent: engineer.clone() }).unwrap();
    assert_eq!(device.names(), ["Architect", "Critic"]);
    assert_eq!(
        device.world.agent(&engineer).unwrap().identity.name,
        "Engineer",
        "its turns still have a name"
    );
    assert_eq!(device.run(Command::RemoveAgent { agent: engineer }), Err(Rejection::NoSuchAgent));
    device.run(Command::ChangeAgent { agent: before }).unwrap();
    assert_eq!(device.names(), ["Architect", "Engineer", "Critic"]);
}

#[test]
fn last_agent_cannot_be_removed() {
    let mut device = SettingsFixture::new();
    for key in ["architect", "engineer"] {
        device.run(Command::RemoveAgent { agent: key.into() }).unwrap();
    }
    assert_eq!(device.run(Command::RemoveAgent { agent: "critic".into() }), Err(Rejection::LastAgent));
}

#[test]
fn name_of_a_removed_agent_is_free() {
    let mut device = SettingsFixture::new();
    let pattern = first_agents().remove(1);
    device.run(Command::RemoveAgent { agent: pattern.key.clone() }).unwrap();
    let all: Vec<_> = device.world.agents.values().map(|agent| agent.as_ref().clone()).collect();
    let new = defaults::agent_like(&pattern, all.iter());
    assert_eq!(new.identity.name, "Engineer");
    device.run(Command::ChangeAgent { agent: new }).unwrap();
    // Now the removed agent cannot return under this name.
    assert_eq!(device.run(Command::ChangeAgent { agent: pattern }), Err(Rejection::BadName));
}

#[test]
fn arranging_agents_makes_only_needed_changes() {
    let mut device = SettingsFixture::new();
    let order =
        |keys: &[&str]| Command::ArrangeAgents { order: keys.iter().map(|key| (*key).into()).collect() };
    assert_eq!(device.run(order(&["critic", "architect"])), Ok(3));
    assert_eq!(device.names(), ["Critic", "Architect", "Engineer"]);
    assert_eq!(device.run(order(&["critic", "engineer", "architect"])), Ok(2));
    assert_eq!(device.run(order(&["critic", "engineer", "architect"])), Ok(0));
    assert_eq!(device.run(order(&["nobody"])), Err(Rejection::NoSuchAgent));
}

#[test]
fn provider_in_use_is_removed_only_with_its_agents_moved() {
    let mut device = SettingsFixture::new();
    device.run(Command::ChangeProvider { provider: other("localhost:1234/v1") }).unwrap();
    let mut engineer = first_agents().remove(1);
    engineer.config.provider = "own".into();
    engineer.config.model = "some".into();
    device.run(Command::ChangeAgent { agent: engineer }).unwrap();
    let remove = |move_agents| Command::RemoveProvider { provider: "own".into(), move_agents };
    assert_eq!(device.run(remove(false)), Err(Rejection::InUse(vec!["Engineer".into()])));
    assert_eq!(device.run(remove(true)), Ok(2));
    assert!(device.world.live_provider(&"own".into()).is_none());
    assert_eq!(device.world.agent(&"engineer".into()).unwrap().config.provider.as_str(), "rehearsal");
    let demo = Command::RemoveProvider { provider: "rehearsal".into(), move_agents: true };
    assert_eq!(device.run(demo), Err(Rejection::BuiltIn));
}

#[test]
fn address_is_normalised_and_never_stored_with_a_key() {
    let mut device = SettingsFixture::new();
    device.run(Command::ChangeProvider { provider: other(" localhost:1234/v1/ ") }).unwrap();
    assert_eq!(device.world.live_provider(&"own".into()).unwrap().base_url, "http://localhost:1234/v1");
    let with_key = Command::ChangeProvider { provider: other("https://u:canary@example.com") };
    assert_eq!(device.run(with_key), Err(Rejection::BadAddress(AddressError::KeyInside)));
    let same_label = Provider { id: "two".into(), label: "my HOST".into(), ..other("https://example.com") };
    assert_eq!(device.run(Command::ChangeProvider { provider: same_label }), Err(Rejection::BadName));
}

#[test]
fn template_is_stored_by_name_and_rejected_if_invalid() {
    use crate::decide::tests::DecideFixture;
    use crate::run::graph::GraphError;
    use crate::run::templates::graph_templates;
    use serde_json::json;

    use crate::dump::import::{ImportProposal, proposals};
    use crate::run::templates::own_templates;
    use crate::settings::schema::GRAPH_ROWS;

    let mut device = DecideFixture::new();
    let template = graph_templates().swap_remove(0);
    let value = nexus_text::json::to_tree(&template).unwrap();
    let keep =
        |name: &str, value: serde_json::Value| Command::ChangeSetting { name: GRAPH_ROWS.row(name), value };
    device.run(&keep(&template.name, value.clone())).unwrap();
    assert_eq!(own_templates(&device.world), [(template.name.clone(), Ok(template.clone()))]);

    let bad = |error: GraphError| Err(Rejection::BadGraph(error));
    assert_eq!(device.run(&keep("Other", value.clone())), bad(GraphError::BadName(template.name.clone())));
    let newer = json!({ "version": 9 });
    assert_eq!(device.run(&keep(&template.name, newer)), bad(GraphError::NewerVersion(9)));
    let mut nowhere = value.clone();
    nowhere["edges"][0]["to"] = "moon".into();
    let rejection = device.run(&keep(&template.name, nowhere));
    assert!(matches!(rejection, Err(Rejection::BadGraph(GraphError::NoSuchNode { .. }))), "{rejection:?}");
    assert_eq!(own_templates(&device.world).len(), 1, "nothing was changed");

    let row = GRAPH_ROWS.row(&template.name);
    let proposed = proposals(&device.world, &DecideFixture::new().world);
    let wanted = ImportProposal::Setting { name: row, value };
    assert!(proposed.contains(&wanted), "{proposed:?}");
    device.run(&keep(&template.name, serde_json::Value::Null)).unwrap();
    assert!(own_templates(&device.world).is_empty());
}

#[test]
fn an_import_proposes_what_tunes_nexus_and_names_the_permissions_that_it_leaves_out() {
    use crate::dump::import::{ImportProposal, left_out, proposals};
    use crate::session::trigger::{PauseReason, Recipient, Schedule, Trigger, trigger};
    use crate::settings::schema::*;
    use serde_json::{Value, json};

    let set = |device: &mut SettingsFixture, name: &str, value: Value| {
        device.run(Command::ChangeSetting { name: name.to_owned(), value }).unwrap();
    };
    let mut there = SettingsFixture::new();
    for (name, value) in [
        (CORE_PROVIDER.name(), json!("")),
        (CORE_AUTO.name(), json!(false)),
        (CORE_WAIT.name(), json!(9_000)),
        (MEMORY_AUTO.name(), json!(false)),
        (JOB_CALLS.name(), json!(7)),
        (RAW_DAYS.name(), json!(30)),
        (NOTIFY.name(), json!(true)),
        (HANDS_FREE.name(), json!(false)),
        (TOOL_RULES.name(), json!([])),
    ] {
        set(&mut there, name, value);
    }
    set(&mut there, &EMBEDDER_ROWS.row("https://host.example"), json!({}));
    let hourly = Trigger {
        id: TriggerId::from(7),
        name: "Hourly".into(),
        when: Schedule::Every { ms: 3_600_000, from: Millis(5) },
        to: Recipient::Persona("critic".into()),
        text: "Look again.".into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    };
    there.run(Command::ChangeTrigger(hourly.clone())).unwrap();

    let mut here = SettingsFixture::new();
    let proposed = |here: &SettingsFixture| proposals(&there.world, &here.world);
    let names = |all: Vec<ImportProposal>| -> Vec<String> {
        all.into_iter()
            .map(|one| match &one {
                ImportProposal::Setting { name, value } => format!("{name} = {value}"),
                ImportProposal::Trigger(trigger) => format!("trigger {}", trigger.name),
                ImportProposal::Provider { .. } | ImportProposal::Agent { .. } => {
                    panic!("{one:?} is the same")
                }
            })
            .collect()
    };
    let settings =
        ["core_auto = false", "core_wait_ms = 9000", "memory_auto = false", "job_calls = 7", "raw_days = 30"];
    assert_eq!(names(proposed(&here)), [&settings[..], &["trigger Hourly"]].concat());
    assert_eq!(left_out(&there.world, &here.world), ["Page that may insert drafts", "Show notifications"]);

    let all = proposed(&here);
    let Some(ImportProposal::Trigger(proposed_trigger)) = all.last().cloned() else { panic!("{all:?}") };
    here.run(Command::ChangeTrigger(*proposed_trigger)).unwrap();
    let added = trigger(&here.world, hourly.id).unwrap();
    assert_eq!((added.pause_reason, added.since), (Some(PauseReason::Paused), Millis(99)), "it would fire");
    assert_eq!(names(proposed(&here)), settings, "it is here now");
    assert_eq!(left_out(&there.world, &there.world), [""; 0]);
}
