//! Strings for importing an agent file. Shows nothing of the file but names of fields.

use nexus_model::agent::file::{AgentFileError, AgentFileWarning};

/// Why a file cannot be taken in.
pub fn file_problem(problem: &AgentFileError) -> String {
    match problem {
        AgentFileError::Large => "The file is too large for an agent. One has less than 1 MB.".to_owned(),
        AgentFileError::NotJson(why) => format!("The file is not JSON: {why}."),
        AgentFileError::NotAnAgent => {
            "The file is no agent of Nexus. One begins with {\"nexus\": \"agent\"}.".to_owned()
        }
        AgentFileError::Version(version) => {
            format!(
                "The file is of version {version}; this program reads version 1. Reload to get a newer one."
            )
        }
        AgentFileError::Unknown(field) => {
            format!(
                "No agent has a field “{field}”. Take it out of the file, so that nothing is taken in unseen."
            )
        }
        AgentFileError::Missing(field) => format!("The field “{field}” is missing or empty."),
        AgentFileError::Wrong(field) => format!("The field “{field}” holds something that it cannot hold."),
    }
}

/// What is worth saying about an agent that was taken in.
pub fn remark(remark: &AgentFileWarning) -> String {
    match remark {
        AgentFileWarning::Renamed(name) => format!("The name was taken, so it is called {name}."),
        AgentFileWarning::NoProvider(label) if label.is_empty() => {
            "None of your providers fits, so the demo answers for it.".to_owned()
        }
        AgentFileWarning::NoProvider(label) => {
            format!("You have no provider “{label}” of its kind, so the demo answers for it.")
        }
        AgentFileWarning::Rules => "Its rules that forbid or ask were kept; none that allows was.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_the_field() {
        assert!(file_problem(&AgentFileError::Unknown("agent.api_key".into())).contains("“agent.api_key”"));
        assert!(remark(&AgentFileWarning::Renamed("Critic 2".into())).contains("Critic 2"));
    }
}
