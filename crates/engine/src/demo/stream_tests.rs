use super::*;

#[test]
fn pieces_are_small_and_lose_nothing() {
    for text in ["", "one", "a plan of six words here\n\n- and a list", &"長".repeat(100)] {
        let pieces = pieces(text);
        assert_eq!(pieces.concat(), text);
        assert!(pieces.iter().all(|piece| piece.chars().count() <= CHARS_PER_PIECE));
    }
}
