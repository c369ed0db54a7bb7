//! A number with what it counts, in the English that is stored.

/// “1 turn”, “2 turns”. What a person reads of it is written anew in the language of the interface.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_nothing_is_not() {
        assert_eq!(counted(1, "turn", "turns"), "1 turn");
        assert_eq!(counted(0_u32, "turn", "turns"), "0 turns");
        assert_eq!(counted(2_usize, "turn", "turns"), "2 turns");
    }
}
