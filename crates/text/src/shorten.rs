//! Shortens texts to a number of characters or bytes, and marks the cut.
//!
//! Also formats counts, in the English of stored texts.

pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `most` characters of a text, with an ellipsis if there are more.
pub fn ellipsis(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}

/// At most `most` bytes of a text, in whole characters.
pub fn first_bytes(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// At most `most` bytes of a text, with a note for the model if there are more.
pub fn cut(text: &str, most: usize) -> String {
    let first = first_bytes(text, most);
    if first.len() < text.len() { format!("{first}\n(cut here)") } else { text.to_owned() }
}

/// “1 turn”, “2 turns”. The interface formats what it shows in its own language.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests;
