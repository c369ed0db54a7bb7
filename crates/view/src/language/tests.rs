use super::*;

const FILE: &str = r#"{
        "Save": "Speichern",
        "verb|Open": "Öffnen",
        "{name} has {0} of {1}": "Von {1} hat {name} {0}",
        "{a} or {b} or {a}": "{b} oder {a}",
        "file|files": { "one": "{n} Datei", "other": "{n} Dateien" },
        "{0} ran: {1}": "{0} lief: {1}",
        "told|Stopped.": "Beendet.",
        "turn|turns": { "one": "{n} Beitrag", "other": "{n} Beiträge" },
        "told|had {turns}": "{turns} gehabt",
        "told|It has {0}, as much as it may.": "Er hat {0}, so viel er darf.",
        "told|{0} was called {same} times": "{same}-mal wurde {0} aufgerufen"
    }"#;

fn german() {
    let platform = |what: Format<'_>| match what {
        Format::Plural(number) => Some(if number == 1 { "one" } else { "other" }.to_owned()),
        Format::Number(number, _) => Some(format!("~{number}")),
        Format::Money(_) | Format::Day(_) | Format::Time(_) | Format::List(_) => Some(String::new()),
    };
    choose(Language::read(FILE, Box::new(platform)).unwrap());
}

#[test]
fn english_needs_no_file() {
    let name = "Ada";
    assert_eq!(Text("Save").get(), "Save");
    assert_eq!(tr_in("verb", "Open"), "Open");
    assert_eq!(count(1, "file", "files"), "1 file");
    assert_eq!(count(2, "file", "files"), "2 files");
    assert_eq!(count(6_120, "file", "files"), "6,120 files");
    assert_eq!(tenths(52), "5.2");
    assert_eq!(text!("{name} has {} of {}", 1 + 1, "3"), "Ada has 2 of 3");
    assert_eq!(format(Format::Money(1.0)), None);
}

#[test]
fn another_language_has_its_own_words_order_and_plurals() {
    german();
    let name = "Ada";
    assert_eq!(Text("Save").to_string(), "Speichern");
    assert_eq!(tr_in("verb", "Open"), "Öffnen");
    assert_eq!(text!("{name} has {} of {}", 1 + 1, "3"), "Von 3 hat Ada 2");
    assert_eq!(count(1, "file", "files"), "~1 Datei");
    assert_eq!(count(0, "file", "files"), "~0 Dateien");
    let (a, b) = (1, 2);
    assert_eq!(text!("{a} or {b} or {a}"), "2 oder 1");
}

#[test]
fn texts_of_the_engine_are_translated() {
    let evidence = "It has had 3 turns, as much as it may.";
    assert_eq!(translate_template(evidence), evidence);
    german();
    assert_eq!(translate_template(evidence), "Er hat ~3 Beiträge gehabt, so viel er darf.");
    assert_eq!(
        translate_template(&evidence.replace("3 turns", "1 turn")),
        "Er hat ~1 Beitrag gehabt, so viel er darf."
    );
    assert_eq!(translate_template("1 turns"), "1 turns");
    assert_eq!(translate_template("read a. b was called 3 times"), "3-mal wurde read a. b aufgerufen");
    // Each sentence and line of a longer text, also as a value in a text of the interface.
    assert_eq!(translate_template("Stopped. “Why?” It was.\nStopped."), "Beendet. “Why?” It was.\nBeendet.");
    assert_eq!(text!("{} ran: {}", "Stopped", "Stopped."), "Stopped lief: Beendet.");
    assert_eq!(translate_template("Stopped"), "Stopped");
}

#[test]
fn untranslated_text_stays_english() {
    german();
    assert_eq!(tr("Cancel"), "Cancel");
    assert_eq!(tr_in("noun", "Open"), "Open");
    assert_eq!(count(3, "edge", "edges"), "~3 edges");
    assert!(Language::read("no JSON", Box::new(|_| None)).is_none());
}
