use proptest::prelude::*;

use super::*;

fn any_input() -> impl Strategy<Value = TurnInput> {
    prop_oneof![
        Just(TurnInput::ContextRequested),
        Just(TurnInput::ContextBuilt),
        Just(TurnInput::ResponseBegan),
        Just(TurnInput::AnsweredWithCalls),
        Just(TurnInput::CallRetried),
        Just(TurnInput::ToolsEnded),
        Just(TurnInput::Closed(TurnEnd::Completed)),
        Just(TurnInput::Closed(TurnEnd::Cancelled)),
        Just(TurnInput::Closed(TurnEnd::Error)),
    ]
}

proptest! {
    #[test]
    fn closed_turn_rejects_all_inputs_and_open_turn_can_always_be_cancelled(
        inputs in proptest::collection::vec(any_input(), 0..40)
    ) {
        let mut phase = TurnPhase::Pending;
        for input in inputs {
            if let Some(next) = step(phase, input) {
                prop_assert!(phase.is_open());
                phase = next;
            }
            let stopped = step(phase, TurnInput::Closed(TurnEnd::Cancelled));
            prop_assert_eq!(stopped.is_some(), phase.is_open());
        }
    }
}

#[test]
fn only_these_transitions_are_legal() {
    use TurnPhase as P;
    let phases = [
        P::Pending,
        P::BuildingContext,
        P::AwaitingLlmDecision,
        P::GeneratingResponse,
        P::AwaitingToolResult,
        P::Completed,
        P::Failed,
    ];
    let ends = [
        TurnEnd::Completed,
        TurnEnd::Error,
        TurnEnd::CutOff,
        TurnEnd::TimedOut,
        TurnEnd::Cancelled,
        TurnEnd::Interrupted,
    ];
    let inputs = [
        TurnInput::ContextRequested,
        TurnInput::ContextBuilt,
        TurnInput::ResponseBegan,
        TurnInput::AnsweredWithCalls,
        TurnInput::CallRetried,
        TurnInput::ToolsEnded,
    ];
    let in_call = [P::AwaitingLlmDecision, P::GeneratingResponse];
    let mut legal = vec![
        (P::Pending, TurnInput::ContextRequested, P::BuildingContext),
        (P::BuildingContext, TurnInput::ContextBuilt, P::AwaitingLlmDecision),
        (P::AwaitingLlmDecision, TurnInput::ResponseBegan, P::GeneratingResponse),
        (P::AwaitingToolResult, TurnInput::ToolsEnded, P::BuildingContext),
    ];
    for phase in in_call {
        legal.push((phase, TurnInput::AnsweredWithCalls, P::AwaitingToolResult));
        legal.push((phase, TurnInput::CallRetried, P::AwaitingLlmDecision));
        legal.push((phase, TurnInput::Closed(TurnEnd::Completed), P::Completed));
    }
    for phase in phases.into_iter().take(5) {
        let failed = ends.into_iter().skip(1).map(|end| (phase, TurnInput::Closed(end), P::Failed));
        legal.extend(failed);
    }
    for phase in phases {
        for input in inputs.into_iter().chain(ends.map(TurnInput::Closed)) {
            let expected = legal.iter().find(|(from, by, _)| (*from, *by) == (phase, input));
            let next = expected.map(|(_, _, to)| *to);
            assert_eq!(step(phase, input), next);
        }
    }
}

#[test]
fn turn_loop_makes_another_call_after_tools() {
    let path = [
        TurnInput::ContextRequested,
        TurnInput::ContextBuilt,
        TurnInput::ResponseBegan,
        TurnInput::AnsweredWithCalls,
        TurnInput::ToolsEnded,
        TurnInput::ContextBuilt,
        TurnInput::Closed(TurnEnd::Completed),
    ];
    let end = path.iter().try_fold(TurnPhase::Pending, |phase, input| step(phase, *input));
    assert_eq!(end, Some(TurnPhase::Completed));
    assert!(step(TurnPhase::AwaitingToolResult, TurnInput::Closed(TurnEnd::Completed)).is_none());
}
