use super::*;
use crate::mind::{MindEdit, blob};

#[test]
fn images_are_replaced_by_descriptions() {
    let text = blob::image_text(b"GIF89a-").unwrap();
    let edit = |name: &str| MindEdit::File { name: name.into(), text: text.clone() };
    let mind = Arc::new(Mind::default().with(&[edit("a.gif"), edit("secret.gif")]));
    for visible in [VisibleMind::whole(&mind), VisibleMind::new(&mind, &sandbox(&[&["a*"]]))] {
        assert_eq!(visible.image("a.gif"), Some(("image/gif", 7)));
        assert!(!visible.file("a.gif").unwrap().contains("base64"));
        assert_eq!(visible.files["a.gif"].hash, mind.files["a.gif"].hash);
    }
    assert_eq!(VisibleMind::new(&mind, &sandbox(&[&["a*"]])).image("secret.gif"), None);
}

fn sandbox(lists: &[&[&str]]) -> Sandbox {
    Sandbox(lists.iter().map(|list| list.iter().map(|name| (*name).to_owned()).collect()).collect())
}

#[test]
fn every_list_must_allow_a_file() {
    assert!(Sandbox::default().is_open() && Sandbox::default().allows("a"));
    assert!(!Sandbox::closed().allows("a"));
    let both = sandbox(&[&["src/*"], &["src/a.rs", "docs/*"]]);
    assert!(both.allows("src/a.rs") && !both.allows("src/b.rs") && !both.allows("docs/a.md"));
}

#[test]
fn hidden_file_is_not_visible() {
    let mind = Arc::new(Mind::default().with(&[
        MindEdit::File { name: "docs/a.md".into(), text: "shown\n".into() },
        MindEdit::File { name: "plans.txt".into(), text: "hidden\n".into() },
        MindEdit::Active { name: Some("plans.txt".into()) },
    ]));
    let visible = VisibleMind::new(&mind, &sandbox(&[&["docs/*"]]));
    assert!(visible.hides_active() && visible.active_file().is_none());
    let text = format!("{visible:?}");
    assert!(text.contains("docs/a.md") && !text.contains("plans") && !text.contains("hidden\\n"));
    assert_eq!(*VisibleMind::new(&mind, &Sandbox::default()), *mind);
    let open = VisibleMind::new(&mind, &sandbox(&[&["plans*"]]));
    assert_eq!(open.active_file(), Some(("plans.txt", "hidden\n")));
    assert!(!open.hides_active());
}
