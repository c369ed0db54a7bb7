use super::*;

#[test]
fn lines_and_bytes_are_counted() {
    assert_eq!(figures(""), "0 lines · 0 B");
    assert_eq!(figures("a"), "1 line · 1 B");
    assert_eq!(figures("a\nb\n"), "2 lines · 4 B");
    assert_eq!(figures(&"x".repeat(1536)), "1 line · 1.5 kB");
}

#[test]
fn size_of_a_comparison_names_files_and_plan() {
    assert_eq!(compare::changed(2, 0), "2 files changed");
    assert_eq!(compare::changed(0, 2), "Plan changed");
    assert_eq!(compare::changed(1, 2), "1 file and plan");
    assert_eq!(compare::figures(2, 0, 3, 3), "2 files · 3 changes");
    assert_eq!(compare::figures(0, 2, 2, 1), "Plan · 2 changes · 1 to review");
    assert_eq!(compare::figures(1, 1, 2, 2), "1 file and plan · 2 changes");
    assert_eq!(compare::accept_field(&MindField::Scratchpad), "Accept scratchpad");
}
