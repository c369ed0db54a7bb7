use super::*;

#[test]
fn changed_content_survives_json() {
    let old: String = (0..200).map(|line| format!("line {line}\n")).collect();
    let new = old.replacen("line 7\n", "line seven\n", 1);
    let from = ContentHash::of_text(&old);
    let content = StoredContent::new(&new, Some((&from, &old)));
    let json = serde_json::to_string(&content).unwrap();
    assert!(json.len() < 200, "{json}");
    let read: StoredContent = serde_json::from_str(&json).unwrap();
    assert_eq!(read, content);
    let stored = |hash: &ContentHash| (*hash == from).then(|| Arc::from(old.as_str()));
    assert_eq!(read.text(stored).as_deref(), Some(new.as_str()));
    assert_eq!(read.text(|_| None), None, "the other content is missing");
    // The older format: a text.
    let read: StoredContent = serde_json::from_str("\"all of it\"").unwrap();
    assert_eq!(read.text(|_| None).as_deref(), Some("all of it"));
}
