use super::*;

#[test]
fn a_gauge_marks_estimates() {
    let counted = WindowUsage { tokens: 4_200, window: 10_000, is_counted: true };
    let full = WindowUsage { tokens: 9_000, is_counted: false, ..counted };
    assert_eq!((gauge(&counted).as_str(), gauge_state(&counted).1), ("42 %", ""));
    assert_eq!((gauge(&full).as_str(), gauge_state(&full).1), ("≈ 90 %", "nearly full"));
    assert_eq!(
        gauge_about(&counted),
        "4,200 of 10,000 tokens of the context window, counted by the provider"
    );
    assert_eq!(gauge_about(&full), "9,000 of 10,000 tokens of the context window, estimated");
}

#[test]
fn a_failed_job_states_why_and_when_it_is_retried() {
    let failure =
        ProviderError::new(nexus_model::provider::ProviderErrorKind::Garbled, "The answer is not JSON.");
    let mut failed = FailedJob {
        job: None,
        kind: JobKind::Summary,
        end: JobEnd::Failed,
        to: None,
        provider: None,
        model: "small".into(),
        failure: None,
        unusable: 2,
        at: Millis(0),
    };
    let text = maintenance_failed(&failed, &failure);
    assert!(text.contains("failed: The answer is not JSON. Existing"), "{text}");
    failed.unusable = UNUSABLE_ANSWERS;
    let text = maintenance_failed(&failed, &failure);
    assert!(text.starts_with("The Archivist pauses until tomorrow. small did not"), "{text}");
}

#[test]
fn a_filtered_list_shows_both_counts() {
    assert_eq!((listed(1, 1).as_str(), listed(2, 7).as_str()), ("1 memory", "2 of 7 memories"));
}
