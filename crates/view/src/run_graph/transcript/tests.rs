use super::*;

#[test]
fn matches_are_marked_in_any_case() {
    assert_eq!(
        marked("Grüße an GRÜSSE", "grü"),
        [(true, "Grü"), (false, "ße an "), (true, "GRÜ"), (false, "SSE")]
    );
    let whole: String = marked("İi", "i").into_iter().map(|(_, piece)| piece).collect();
    assert_eq!(whole, "İi", "no text is lost if lower-casing adds characters");
    assert_eq!(marked("aaa", "aa"), [(true, "aa"), (false, "a")]);
    assert_eq!(marked("text", ""), [(false, "text")]);
    assert_eq!(marked("", "x"), []);
}
