use proptest::prelude::*;

use super::*;

fn assert_keeps(own: &str, wanted: &str, said: &str) {
    assert_eq!(with_own_sentences(own, wanted, &Words::of(said)), own, "{wanted:?}");
}

fn assert_takes(own: &str, wanted: &str, said: &str) {
    let settled = with_own_sentences(own, wanted, &Words::of(said));
    assert_eq!(settled.trim_end(), wanted.trim_end(), "{own:?}, {said:?}");
}

#[test]
fn rephrased_sentences_are_kept() {
    let own = "Convert our CSV of tram stops to GeoJSON.";
    // The first case is a real answer of a Core.
    assert_keeps(own, "Convert the CSV of tram stops to GeoJSON.", "our the everything");
    assert_keeps(own, "Convert our CSV of tram stops to GeoJSON", "make it so");
    assert_keeps(
        own,
        "convert OUR csv of tram stops, to GeoJSON!",
        "convert our csv of tram stops to geojson",
    );
    assert_keeps(own, "To GeoJSON, convert our CSV of tram stops.", "convert");
    assert_keeps(own, "Transform our CSV of tram stops to GeoJSON.", "it is done");
    assert_keeps(own, "Converts our CSV of tram stops to GeoJSON.", "convert");
    assert_keeps("Unser Fahrplan als Karte.", "Der Fahrplan als Karte.", "der Fahrplan ist da");
}

#[test]
fn requested_change_is_taken_and_other_sentences_stay() {
    let own = "Convert our CSV of tram stops to GeoJSON. Keep our names.";
    assert_takes(own, "Convert our CSV of tram stops to KML. Keep our names.", "make it KML instead");
    let wanted = "Convert the CSV of tram stops to KML. Keep the names.";
    let half = "Convert the CSV of tram stops to KML. Keep our names.";
    assert_eq!(with_own_sentences(own, wanted, &Words::of("make it KML instead")), half);
    // Numbers count as words.
    assert_takes("Be done in 3 days.", "Be done in 5 days.", "we have 5 days");
    assert_keeps("Be done in 3 days.", "Be done in 5 days.", "hurry up");
}

#[test]
fn sentences_are_added_and_dropped_only_if_the_operator_mentioned_them() {
    let own = "Build our timer.\nIt beeps.\n";
    assert_takes(own, "Build our timer.\nIt beeps.\nIt is blue.\n", "blue would be nice");
    assert_keeps(own, "Build our timer.\nIt beeps.\nIt is well tested.\n", "blue would be nice");
    assert_keeps(
        own,
        "Build our timer.\nIt beeps.\nA watch with blue hands for divers.\n",
        "blue would be nice",
    );
    assert_takes(own, "Build our timer.\n", "no beep, please");
    assert_keeps(own, "Build our timer.\n", "blue would be nice");
    assert_keeps(own, "It beeps.\nBuild our timer.\n", "blue would be nice");
    assert_keeps(own, "A wholly different plan.", "go on");
}

#[test]
fn repeated_requirement_is_never_dropped() {
    let own = "Build a URL shortener CLI. Use sqlite, never Postgres.";
    let said = "@engineer use sqlite please, never postgres in the store module";
    let short = "Build a URL shortener CLI.";
    assert_keeps(own, short, said);
    assert_keeps(own, "Build a URL shortener CLI. Use sqlite.", said);
    assert_keeps(own, "Build a URL shortener CLI. Use sqlite in the store module.", said);
    assert_keeps(own, "Build a URL shortener CLI. Use sqlite or Postgres.", said);
    assert_keeps(own, short, "write the sqlite store");
    assert_keeps(own, "Build a URL shortener CLI. Use sqlite in the store module.", "write the store module");
    assert_keeps(
        "Build it. Use sqlite.",
        "Build it.",
        "use sqlite, not postgres. The Postgres driver is not needed",
    );
    assert_keeps("Build it. It beeps.", "Build it.", "It should beep louder");
    assert_keeps(own, short, "forget sqlite, but still never postgres");
    let mut files = Words::default();
    files.add_name("postgres.rs");
    assert_eq!(with_own_sentences(own, short, &files), own);
}

#[test]
fn requirement_is_dropped_once_the_operator_turns_from_it() {
    let own = "Build a URL shortener CLI. Use sqlite, never Postgres.";
    assert_takes(own, "Build a URL shortener CLI. Use Postgres.", "postgres it is, instead of sqlite");
    assert_takes(own, "Build a URL shortener CLI. Use sqlite.", "Postgres is fine, too");
    assert_takes(own, "Build a URL shortener CLI.", "forget sqlite");
    for said in [
        "the beep is not needed",
        "We don't need the beep.",
        "Remove the beep, please",
        "no longer beep",
        "it is no beep but a gong",
        "the timer needs no beep",
    ] {
        assert_takes("Build our timer.\nIt beeps.\n", "Build our timer.\n", said);
    }
    assert_takes("Baue es. Ein Piepton ertönt.", "Baue es.", "den Piepton brauchen wir nicht mehr");
}

#[test]
fn empty_objective_may_be_written() {
    assert_takes("", "Build a timer.", "");
    assert_takes(" \n", "Build a timer.", "");
}

proptest! {
    #[test]
    fn nothing_changes_without_a_reason(own in "[a-c .\n]{1,40}", wanted in "[a-z .\n]{0,40}") {
        prop_assume!(!own.trim().is_empty());
        prop_assert_eq!(with_own_sentences(&own, &wanted, &Words::default()), own);
    }

    #[test]
    fn sentences_join_to_the_whole_text(text in "[a-c .!?\n。]{0,40}") {
        prop_assert_eq!(sentences(&text).concat(), if text.trim().is_empty() { String::new() } else { text });
    }
}
