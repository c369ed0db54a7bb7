//! Never shows what a file holds, but for the names of its fields.
//!
//! Owns what is said when an agent is taken in from a file.

use crate::domain::agent_file::{FileProblem, Remark};

/// Why a file cannot be taken in.
pub fn file_problem(problem: &FileProblem) -> String {
    match problem {
        FileProblem::Large => "The file is too large for an agent. One has less than 1 MB.".to_owned(),
        FileProblem::NotJson(why) => format!("The file is not JSON: {why}."),
        FileProblem::NotAnAgent => {
            "The file is no agent of Nexus. One begins with {\"nexus\": \"agent\"}.".to_owned()
        }
        FileProblem::Version(version) => {
            format!(
                "The file is of version {version}; this program reads version 1. Reload to get a newer one."
            )
        }
        FileProblem::Unknown(field) => {
            format!(
                "No agent has a field “{field}”. Take it out of the file, so that nothing is taken in unseen."
            )
        }
        FileProblem::Missing(field) => format!("The field “{field}” is missing or empty."),
        FileProblem::Wrong(field) => format!("The field “{field}” holds something that it cannot hold."),
    }
}

/// What is worth saying about an agent that was taken in.
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::Renamed(name) => format!("The name was taken, so it is called {name}."),
        Remark::NoProvider(label) if label.is_empty() => {
            "None of your providers fits, so Rehearsal answers for it.".to_owned()
        }
        Remark::NoProvider(label) => {
            format!("You have no provider “{label}” of its kind, so Rehearsal answers for it.")
        }
        Remark::Rules => "Its rules that forbid tools or files were kept; none that allows was.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_the_field() {
        assert!(file_problem(&FileProblem::Unknown("agent.api_key".into())).contains("“agent.api_key”"));
        assert!(remark(&Remark::Renamed("Critic 2".into())).contains("Critic 2"));
    }
}
