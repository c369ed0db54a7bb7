use super::*;

#[test]
fn markup_is_removed_and_words_stay() {
    let cases = [
        ("**list of birds**", "list of birds"),
        ("## What I would do", "What I would do"),
        ("- [x] `tick` it\n> - quoted", "tick it\nquoted"),
        ("```js\nexport 1\n```\nthen", "export 1\nthen"),
        ("2 * 3 and a#b, #hash", "2 * 3 and a#b, #hash"),
        ("-5 degrees, snake_case", "-5 degrees, snake_case"),
        ("", ""),
        ("| a | **b** |\n| - | :-: |\n| 1 | 2 |", "a · b\n1 · 2"),
        ("|", "|"),
        ("ä **ö**", "ä ö"),
        ("a way to *ask*, and _one_ more", "a way to ask, and one more"),
        ("_private, 2*3*4 and * alone*", "_private, 2*3*4 and * alone*"),
    ];
    for (text, words) in cases {
        assert_eq!(plain(text), words);
    }
}
