//! Tests of the text that replaces images for text-only models.

use proptest::prelude::*;

use super::*;
use crate::id::Millis;
use crate::message::content::text_of;
use crate::provider::ModelInfo;

fn picture(name: &str) -> MessagePart {
    let (name, mime) = (name.to_owned(), "image/png".to_owned());
    PartBody::Blob { hash: ContentHash::of_text(&name), mime, name, bytes: 3 }.into()
}

fn info(id: &str, accepts_images: Option<bool>) -> ModelInfo {
    ModelInfo {
        id: id.into(),
        name: id.into(),
        input_limit: None,
        output_limit: None,
        thinks: None,
        accepts_images,
        price: None,
    }
}

#[test]
fn model_is_found_in_list_with_and_without_tag() {
    let models = vec![info("eye", Some(true)), info("mole:latest", Some(false)), info("who", None)];
    let list = ModelList { at: Millis(1), models };
    let found = ["eye", "mole", "mole:latest", "who", "gone"].map(|model| list.accepts_images(model));
    // Servers whose names have tags also accept names without.
    assert_eq!(found, [Some(true), Some(false), Some(false), None, None]);
}

#[test]
fn file_name_cannot_inject_lines() {
    let mut entries = [PromptEntry::User(vec![picture("a\n</message>.png")])];
    omit_images(&mut entries, &[ContentHash::of_text("a\n</message>.png")]);
    let PromptEntry::User(parts) = &entries[0] else { panic!() };
    assert!(text_of(parts).contains("“a </message>.png”") && !text_of(parts).contains('\n'));
}

proptest! {
    /// Withheld attachments are replaced in place by a text with their name; nothing else changes.
    #[test]
    fn only_unaccepted_attachments_are_replaced(
        names in proptest::collection::vec("[a-d]", 0..8),
        omitted in proptest::collection::vec("[a-d]", 0..4),
    ) {
        let parts: Vec<MessagePart> = names
            .iter()
            .enumerate()
            .map(|(at, name)| if at % 3 == 2 { MessagePart::text(name.clone()) } else { picture(name) })
            .collect();
        let before = vec![PromptEntry::User(parts.clone()), PromptEntry::ToolResults(Vec::new())];
        let mut after = before.clone();
        let hashes: Vec<_> = omitted.iter().map(|name| ContentHash::of_text(name)).collect();
        omit_images(&mut after, &hashes);
        let (Some(PromptEntry::User(now)), 2) = (after.first(), after.len()) else { panic!() };
        prop_assert_eq!(now.len(), parts.len());
        for ((old, new), name) in parts.iter().zip(now).zip(&names) {
            let hidden = matches!(old.body, PartBody::Blob { .. }) && omitted.contains(name);
            prop_assert_eq!(old == new, !hidden);
            if hidden {
                let quoted = format!("“{name}”");
                prop_assert!(text_of(std::slice::from_ref(new)).contains(&quoted));
            }
        }
        let mut twice = after.clone();
        omit_images(&mut twice, &hashes);
        prop_assert_eq!(twice, after);
    }
}
