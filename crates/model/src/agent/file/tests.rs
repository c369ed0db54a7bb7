//! Tests of the agent file: round trips, no secrets in the file, name collisions, permissions, invalid fields.

use serde_json::{Value, json};

use super::*;
use crate::agent::defaults::{first_agents, first_providers};
use crate::id::ProviderId;
use crate::llm::Thinking;

fn tools() -> Vec<String> {
    ["read_file", "write_file", "fetch_page"].map(str::to_owned).to_vec()
}

fn full() -> Agent {
    let mut agent = first_agents().remove(0);
    agent.config = ModelConfig {
        provider: ProviderId::from("gemini"),
        model: "gemini-3.8-flash".into(),
        thinking: Thinking::High,
        max_tokens: Some(4_000),
        temperature: Some(0.3),
        context_tokens: Some(200_000),
    };
    agent.permissions.tools_denied = vec!["write_file".into()];
    agent.permissions.sandbox = Some(vec!["docs/*".into()]);
    agent
}

fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut tree: Value = serde_json::from_str(&write(&full(), Some(&Provider::gemini()))).unwrap();
    change(&mut tree);
    tree.to_string()
}

#[test]
fn agent_file_round_trips() {
    let agent = full();
    let file = read(&write(&agent, Some(&Provider::gemini()))).unwrap();
    let (joined, warnings) = file.join(&[], &first_providers(), &tools());
    assert_eq!(joined, Agent { key: "architect".into(), place: 0, ..agent });
    assert_eq!(warnings, [AgentFileWarning::Rules]);
}

#[test]
fn file_contains_no_key_address_or_credentials() {
    let mut agent = full();
    agent.permissions.credentials = Some(vec!["gemini".into()]);
    let text = write(&agent, Some(&Provider::gemini()));
    assert!(!text.contains("http") && !text.contains("credentials") && !text.contains("base_url"), "{text}");
}

#[test]
fn second_copy_is_renamed() {
    let here = first_agents();
    let (joined, warnings) = read(&changed(|_| ())).unwrap().join(&here, &first_providers(), &tools());
    assert_eq!((joined.key.as_str(), joined.identity.name.as_str()), ("architect-2", "Architect 2"));
    assert_eq!(warnings.first(), Some(&AgentFileWarning::Renamed("Architect 2".into())));
    assert_eq!(joined.place, 3);
}

#[test]
fn unknown_provider_is_replaced_by_demo_with_a_warning() {
    let text = changed(|tree| tree["agent"]["provider"] = json!({"protocol": "anthropic", "label": "Mine"}));
    let (joined, warnings) = read(&text).unwrap().join(&[], &first_providers(), &tools());
    assert_eq!(joined.config.provider.as_str(), "rehearsal");
    assert!(warnings.contains(&AgentFileWarning::NoProvider("Mine".into())));
}

#[test]
fn demo_agent_is_imported_without_warning() {
    let text = write(&first_agents().remove(2), Some(&Provider::demo()));
    // Files with the demo's old name are imported too.
    let (_, warnings) =
        read(&text.replace("\"Demo\"", "\"Rehearsal\"")).unwrap().join(&[], &first_providers(), &tools());
    assert!(text.contains("\"Demo\"") && warnings.is_empty(), "{text}");
    let (joined, warnings) = read(&text).unwrap().join(&[], &first_providers(), &tools());
    assert_eq!((joined.config.provider.as_str(), warnings.as_slice()), ("rehearsal", [].as_slice()));
}

#[test]
fn allowed_tools_are_imported_as_denials_of_the_others() {
    let text = changed(|tree| tree["agent"]["permissions"] = json!({"tools_allowed": ["fetch_page"]}));
    let (joined, _) = read(&text).unwrap().join(&[], &first_providers(), &tools());
    assert_eq!(joined.permissions.tools_allowed, None);
    assert_eq!(joined.permissions.tools_denied, ["read_file", "write_file"]);
}

#[test]
fn invalid_file_is_rejected_with_its_field() {
    let error_of = |text: &str| read(text).unwrap_err();
    assert!(matches!(error_of("{"), AgentFileError::NotJson(_)));
    assert_eq!(error_of("[]"), AgentFileError::NotAnAgent);
    assert_eq!(error_of(r#"{"nexus":"dump","version":1}"#), AgentFileError::NotAnAgent);
    assert_eq!(error_of(&changed(|tree| tree["version"] = json!(2))), AgentFileError::Version("2".into()));
    assert_eq!(
        error_of(&changed(|tree| tree["agent"]["api_key"] = json!("sk-1"))),
        AgentFileError::Unknown("agent.api_key".into())
    );
    assert_eq!(
        error_of(&changed(|tree| tree["agent"]["provider"]["base_url"] = json!("https://evil.example"))),
        AgentFileError::Unknown("agent.provider.base_url".into())
    );
    assert_eq!(
        error_of(&changed(|tree| tree["agent"]["permissions"]["credentials"] = json!(["gemini"]))),
        AgentFileError::Unknown("agent.permissions.credentials".into())
    );
    assert_eq!(error_of(&changed(|tree| tree["extra"] = json!(1))), AgentFileError::Unknown("extra".into()));
    assert_eq!(
        error_of(&changed(|tree| tree["agent"]["accent"] = json!("mauve"))),
        AgentFileError::Wrong("agent.accent".into())
    );
    assert_eq!(
        error_of(&changed(|tree| tree["agent"]["model"]["temperature"] = json!(3))),
        AgentFileError::Wrong("agent.model.temperature".into())
    );
    assert_eq!(
        error_of(&changed(|tree| tree["agent"]["soul"] = Value::Null)),
        AgentFileError::Missing("agent.soul".into())
    );
    assert_eq!(
        error_of(&changed(|tree| tree["agent"]["name"] = json!("  "))),
        AgentFileError::Missing("agent.name".into())
    );
    assert_eq!(error_of(&" ".repeat(AGENT_FILE_BYTES + 1)), AgentFileError::Large);
}
