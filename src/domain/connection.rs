//! Never asks a provider anything, and never claims a cause that cannot be known.
//!
//! Owns what a test of a connection is told to have seen, step by step, from what came of asking for the models.

use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::provider::{ModelInfo, Provider};

/// One thing that the test looks at, in the order of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The address can be called from this page.
    Address,
    /// Something answers there.
    Reached,
    /// The key is accepted.
    Key,
    /// The provider gives a list of its models.
    Models,
    /// The models that agents use are in the list.
    InUse,
}

/// How a check came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Good.
    Passed(Seen),
    /// Not good.
    Failed(Seen),
    /// Cannot be told from what came.
    Unknown(Seen),
}

/// What was seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// The address, which this page may call.
    MayCall(String),
    /// The page must load again before it may call this origin.
    NeedsReload(String),
    /// No page may call it: plain `http` to another machine.
    NoPageMayCall(String),
    /// An answer with this status; absent where the list came without one being noted.
    Answered(Option<u16>),
    /// No answer, with the browser's words.
    NoAnswer(String),
    /// The provider took the key.
    KeyTaken,
    /// The provider wants no key.
    NoKeyNeeded,
    /// There is no key in this tab.
    NoKey,
    /// The key waits under the passphrase.
    KeyLocked,
    /// The provider refused the key, in its own words.
    KeyRefused(String),
    /// The provider knows the key but forbids this, in its own words.
    Forbidden(String),
    /// It was not looked at, because an earlier check failed.
    NotTried,
    /// The provider said something else, in its own words.
    Said(String),
    /// This many models.
    Models(usize),
    /// The provider keeps no list at its address; a model's id can be typed.
    NoList,
    /// All of these models are in the list.
    AllListed(Vec<String>),
    /// These models, used by agents, are not in the list.
    NotListed(Vec<String>),
    /// No agent uses the provider.
    NobodyUses,
}

/// Whether the page may call the provider as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// It may.
    Open,
    /// Once it has loaded again.
    AfterReload,
    /// Never.
    Closed,
}

/// What is known of the provider's key before it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAtHand {
    /// There is one.
    Yes,
    /// There is none.
    No,
    /// There is one, under the passphrase.
    Locked,
}

/// The checks that can be made before the provider is asked; where one of them fails it need not be.
pub fn before(provider: &Provider, gate: Gate, key: KeyAtHand) -> Vec<(Check, Outcome)> {
    let url = provider.base_url.clone();
    let origin = || provider.origin().unwrap_or_else(|| url.clone());
    let address = match gate {
        Gate::Open => Outcome::Passed(Seen::MayCall(url.clone())),
        Gate::AfterReload => Outcome::Failed(Seen::NeedsReload(origin())),
        Gate::Closed => Outcome::Failed(Seen::NoPageMayCall(url.clone())),
    };
    let mut checks = vec![(Check::Address, address)];
    if gate == Gate::Open && provider.needs_key {
        match key {
            KeyAtHand::Yes => {}
            KeyAtHand::No => checks.push((Check::Key, Outcome::Failed(Seen::NoKey))),
            KeyAtHand::Locked => checks.push((Check::Key, Outcome::Failed(Seen::KeyLocked))),
        }
    }
    checks
}

/// All checks after the provider was asked for its models. `used` are the models that agents call there.
pub fn after(
    provider: &Provider,
    had_key: bool,
    used: &[String],
    answer: &Result<Vec<ModelInfo>, Failure>,
) -> Vec<(Check, Outcome)> {
    let address = (Check::Address, Outcome::Passed(Seen::MayCall(provider.base_url.clone())));
    let [reached, key, models] = match answer {
        Ok(models) => listed(provider, had_key, models),
        Err(failure) => refused(had_key, failure),
    };
    let in_use = in_use(used, answer.as_ref().ok());
    vec![
        address,
        (Check::Reached, reached),
        (Check::Key, key),
        (Check::Models, models),
        (Check::InUse, in_use),
    ]
}

fn listed(provider: &Provider, had_key: bool, models: &[ModelInfo]) -> [Outcome; 3] {
    let key = match (had_key, provider.needs_key) {
        (true, _) => Outcome::Passed(Seen::KeyTaken),
        (false, false) => Outcome::Passed(Seen::NoKeyNeeded),
        // Some hosts give the list to everybody.
        (false, true) => Outcome::Unknown(Seen::NoKey),
    };
    [Outcome::Passed(Seen::Answered(None)), key, Outcome::Passed(Seen::Models(models.len()))]
}

fn refused(had_key: bool, failure: &Failure) -> [Outcome; 3] {
    use FailureCategory as Category;
    let words = || failure.message.clone();
    let reached = Outcome::Passed(Seen::Answered(failure.status));
    let not_tried = || Outcome::Unknown(Seen::NotTried);
    match failure.category {
        Category::Unreachable | Category::Stalled | Category::CutOff => {
            [Outcome::Failed(Seen::NoAnswer(words())), not_tried(), not_tried()]
        }
        Category::Authentication if had_key => {
            [reached, Outcome::Failed(Seen::KeyRefused(words())), not_tried()]
        }
        Category::Authentication | Category::NotSetUp => {
            [reached, Outcome::Failed(Seen::NoKey), Outcome::Unknown(Seen::Said(words()))]
        }
        Category::Permission => [reached, Outcome::Failed(Seen::Forbidden(words())), not_tried()],
        Category::NotFound => [reached, not_tried(), Outcome::Unknown(Seen::NoList)],
        Category::Quota
        | Category::RateLimit
        | Category::Overloaded
        | Category::Server
        | Category::BadRequest
        | Category::ContextOverflow
        | Category::Blocked
        | Category::Garbled
        | Category::Empty => [reached, not_tried(), Outcome::Failed(Seen::Said(words()))],
    }
}

fn in_use(used: &[String], models: Option<&Vec<ModelInfo>>) -> Outcome {
    let Some(models) = models else { return Outcome::Unknown(Seen::NotTried) };
    if used.is_empty() {
        return Outcome::Unknown(Seen::NobodyUses);
    }
    let is_listed = |id: &&String| models.iter().any(|model| model.id == **id);
    let missing: Vec<_> = used.iter().filter(|id| !is_listed(id)).cloned().collect();
    if missing.is_empty() {
        Outcome::Passed(Seen::AllListed(used.to_vec()))
    } else {
        Outcome::Failed(Seen::NotListed(missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str) -> ModelInfo {
        crate::domain::json::read(&format!(r#"{{"id":"{id}","name":"{id}"}}"#)).unwrap()
    }

    fn failed(category: FailureCategory, status: Option<u16>) -> Result<Vec<ModelInfo>, Failure> {
        Err(Failure { status, ..Failure::new(category, "their words") })
    }

    fn outcome(checks: &[(Check, Outcome)], wanted: Check) -> Outcome {
        checks.iter().find(|(check, _)| *check == wanted).map(|(_, outcome)| outcome.clone()).unwrap()
    }

    #[test]
    fn a_good_answer_passes_every_check() {
        let used = vec!["b".to_owned()];
        let checks = after(&Provider::gemini(), true, &used, &Ok(vec![model("a"), model("b")]));
        assert_eq!(checks.len(), 5);
        assert!(checks.iter().all(|(_, outcome)| matches!(outcome, Outcome::Passed(_))), "{checks:?}");
        assert_eq!(outcome(&checks, Check::Models), Outcome::Passed(Seen::Models(2)));
    }

    #[test]
    fn no_answer_says_nothing_of_the_key() {
        let checks = after(&Provider::gemini(), true, &[], &failed(FailureCategory::Unreachable, None));
        assert_eq!(outcome(&checks, Check::Reached), Outcome::Failed(Seen::NoAnswer("their words".into())));
        assert_eq!(outcome(&checks, Check::Key), Outcome::Unknown(Seen::NotTried));
    }

    #[test]
    fn a_refused_key_keeps_the_provider_s_words() {
        let checks =
            after(&Provider::gemini(), true, &[], &failed(FailureCategory::Authentication, Some(401)));
        assert_eq!(outcome(&checks, Check::Reached), Outcome::Passed(Seen::Answered(Some(401))));
        assert_eq!(outcome(&checks, Check::Key), Outcome::Failed(Seen::KeyRefused("their words".into())));
    }

    #[test]
    fn a_host_without_a_list_is_no_fault() {
        let checks = after(&Provider::gemini(), true, &[], &failed(FailureCategory::NotFound, Some(404)));
        assert_eq!(outcome(&checks, Check::Models), Outcome::Unknown(Seen::NoList));
    }

    #[test]
    fn a_model_that_is_not_listed_is_named() {
        let used = vec!["a".to_owned(), "gone".to_owned()];
        let checks = after(&Provider::gemini(), true, &used, &Ok(vec![model("a")]));
        assert_eq!(outcome(&checks, Check::InUse), Outcome::Failed(Seen::NotListed(vec!["gone".into()])));
    }

    #[test]
    fn what_cannot_succeed_is_not_asked() {
        let provider = Provider::gemini();
        let first =
            |gate, key| before(&provider, gate, key).into_iter().map(|(_, outcome)| outcome).collect();
        let origin = "https://generativelanguage.googleapis.com".to_owned();
        let checks: Vec<Outcome> = first(Gate::AfterReload, KeyAtHand::Yes);
        assert_eq!(checks, [Outcome::Failed(Seen::NeedsReload(origin.clone()))]);
        let checks: Vec<Outcome> = first(Gate::Open, KeyAtHand::Locked);
        assert_eq!(checks, [Outcome::Passed(Seen::MayCall(origin)), Outcome::Failed(Seen::KeyLocked)]);
    }
}
