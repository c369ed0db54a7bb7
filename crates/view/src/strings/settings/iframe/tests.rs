use super::*;

#[test]
fn a_rejection_names_the_page_and_the_setting() {
    let Notice { title, advice } = embed_rejected("https://docs.example", EmbedRejection::NotAllowed);
    assert_eq!(title, "https://docs.example tried to insert a draft");
    assert!(advice.contains("Settings → Triggers"), "{advice}");
    let Notice { title, advice } = embed_rejected("null", EmbedRejection::NotAllowed);
    assert!(title.starts_with("A page without an origin") && !advice.contains("Settings"), "{advice}");
    assert!(bad_page(EmbedderError::Path).contains("leave out"));
}
