use super::*;
use nexus_model::provider::ProviderErrorKind;
use nexus_text::diff::LineCount;

#[test]
fn pending_times_count_down_and_past_ones_up() {
    let (core, jobs) = (CoreState::default(), SessionJobs::default());
    assert_eq!(core_state(&core, &jobs, false), "not synced");
    assert_eq!(core_time(&core, &jobs, None, Millis(0)), "");
    assert_eq!(core_state(&core, &jobs, true), "syncs");
    assert_eq!(core_time(&core, &jobs, Some(Millis(3_000)), Millis(0)), "in 3 s");
    assert_eq!(core_time(&core, &jobs, Some(Millis(3_000)), Millis(2_001)), "in 1 s");
    assert_eq!(core_time(&core, &jobs, Some(Millis(3_000)), Millis(9_000)), "in 0 s");
}

#[test]
fn usage_includes_the_cost_if_known() {
    assert_eq!(core_spent(&RunUsage::default()), None);
    let mut used = RunUsage { calls: 1, tokens: 900, ..RunUsage::default() };
    assert_eq!(core_spent(&used).unwrap(), "In this session: 1 call · 900 tokens");
    (used.calls, used.cost) = (2, nexus_model::provider::price::Cost::dollars(2));
    assert!(core_spent(&used).unwrap().starts_with("In this session: 2 calls · 900 tokens · ≈ $2"));
    used.unpriced = 1;
    assert!(core_spent(&used).unwrap().ends_with("+"));
}

#[test]
fn a_change_names_its_fields_and_dropped_edits() {
    let lines = LineCount { added: 2, removed: 1 };
    let touched = FileChange { field: "scratchpad".into(), is_file: false, lines };
    let note = CoreNote {
        sync: nexus_model::id::JobId::new(&mut nexus_model::testing::SeqIds::default()),
        touched: vec![touched],
        dropped: vec!["objective".into()],
        kept_words: true,
        after: None,
    };
    let said = core_note(&note);
    assert_eq!(said[0], "Changed the scratchpad +2 −1");
    assert!(said[1].contains("the objective") && said[1].contains("Your version is kept"));
    assert_eq!(said[2], *KEPT_WORDS);
    assert_eq!(core_change(&[]), "Changed nothing");
}

#[test]
fn an_answer_without_a_patch_has_its_own_notice() {
    let mut failure = ProviderError::new(ProviderErrorKind::Garbled, "The answer is not JSON.");
    let usual = || Notice::new("usual", "");
    assert_eq!(core_failure(&failure, usual).title, "usual");
    failure.code = Some(NO_PATCH.into());
    assert_eq!(core_failure(&failure, usual).title, "The answer could not be used");
}
