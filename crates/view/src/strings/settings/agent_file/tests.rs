use super::*;

#[test]
fn an_error_names_the_field() {
    assert!(file_problem(&AgentFileError::Unknown("agent.api_key".into())).contains("“agent.api_key”"));
    assert!(remark(&AgentFileWarning::Renamed("Critic 2".into())).contains("Critic 2"));
}
