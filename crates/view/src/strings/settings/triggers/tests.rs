use super::*;

#[test]
fn a_trigger_is_described_in_a_line() {
    let every = |ms| when(&Schedule::Every { ms, from: Millis(0) }, "", |_| String::new());
    assert_eq!(every(60_000), "every 1 minute");
    assert_eq!(every(7_200_000), "every 2 hours");
    assert_eq!(every(86_400_000), "every 1 day");
    let file = Schedule::FileChanged { file: "docs/*".into(), session: None };
    assert_eq!(when(&file, ANYWHERE.get(), |_| String::new()), "when docs/* changes in any session");
    assert_eq!(failure_notice("N", &TriggerOutcome::Busy), None);
    let Notice { title, advice: told } =
        failure_notice("Daily", &TriggerOutcome::Missed { times: 3 }).unwrap();
    assert_eq!(title, "The trigger “Daily”");
    assert!(told.starts_with("Nexus was closed") && told.ends_with('.'), "{told}");
    assert!(outcome(Some(&TriggerOutcome::Refused { reason: "ReadOnly".into() })).contains("another tab"));
}
