use proptest::prelude::*;

use super::*;
use crate::mind::{MindWrite, resolve};

fn long(line: &str) -> String {
    (0..100).map(|number| format!("{number} {line}\n")).collect()
}

#[test]
fn edit_of_a_long_file_is_encoded_by_lines() {
    let text = long("is a line of some length");
    let edits = [
        MindEdit::File { name: "a".into(), text: text.clone() },
        MindEdit::Scratchpad { text: text.clone() },
    ];
    let mind = Mind::default().with(&edits);
    let new = text.replacen("7 is", "7 was", 1);
    let writes = [
        MindWrite::File { name: "a".into(), text: new.clone() },
        MindWrite::Scratchpad(new.clone()),
        MindWrite::Replace { name: "a".into(), search: "9 is".into(), replace: "9 was".into(), all: true },
    ];
    let edits = resolve(&mind, &mind, &writes).unwrap();
    let json = serde_json::to_string(&edits).unwrap();
    assert!(json.contains("file_lines") && json.contains("scratchpad_lines"), "{json}");
    assert!(json.len() < text.len(), "{}", json.len());
    let after = mind.with(&serde_json::from_str::<Vec<MindEdit>>(&json).unwrap());
    assert_eq!(after.scratchpad, new);
    assert_eq!(after.file("a").unwrap(), new.replace("9 is", "9 was"));
}

#[test]
fn delta_of_another_text_changes_nothing() {
    let text = long("is a line of some length");
    let mind = Mind::default().with(&[MindEdit::File { name: "a".into(), text: text.clone() }]);
    let edit = MindEdit::File { name: "a".into(), text: format!("{text}more\n") }.shortened(&mind);
    let other = Mind::default().with(&[MindEdit::File { name: "a".into(), text: long("is another") }]);
    assert_eq!(other.with(std::slice::from_ref(&edit)), other);
    assert_eq!(Mind::default().with(&[edit]), Mind::default());
}

proptest! {
    #[test]
    fn shortened_edit_has_the_same_result(
        steps in proptest::collection::vec((0..3_usize, 0..100_usize, any::<bool>()), 1..12)
    ) {
        let mut mind = Mind::default();
        for (file, line, removed) in steps {
            let name = format!("file{file}");
            let mut lines: Vec<String> =
                mind.file(&name).map_or_else(|| long("is a line of some length"), str::to_owned).lines().map(str::to_owned).collect();
            let at = line.min(lines.len().saturating_sub(1));
            if removed { lines.remove(at); } else { lines[at].push('!'); }
            let edit = MindEdit::File { name, text: lines.join("\n") };
            let whole = mind.with(std::slice::from_ref(&edit));
            prop_assert_eq!(&mind.with(&shortened(&mind, vec![edit])), &whole);
            mind = whole;
        }
    }
}
