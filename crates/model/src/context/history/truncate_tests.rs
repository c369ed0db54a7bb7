use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn truncated_result_keeps_its_ends_and_states_the_missing_bytes(
        words in proptest::collection::vec(("[a-zä🦀\"\\\\\n]{0,40}", 0..20usize), 0..40)
    ) {
        let text: String = words.iter().map(|(word, times)| word.repeat(*times)).collect();
        let result = json!({ "text": text });
        let whole = json::write(&result).unwrap();
        match truncated(&result) {
            None => prop_assert!(whole.len() <= TRUNCATE_FROM_BYTES),
            Some(short) => {
                let (first, last) = (short["first"].as_str().unwrap(), short["last"].as_str().unwrap());
                prop_assert!(whole.starts_with(first) && whole.ends_with(last));
                let missing = whole.len() - first.len() - last.len();
                let note = format!("so {missing} of {} bytes", whole.len());
                prop_assert!(short["given_in_short"].as_str().unwrap().contains(&note));
                prop_assert!(json::write(&short).unwrap().len() <= TRUNCATE_FROM_BYTES);
                // Deterministic, so that a request can be rebuilt byte for byte.
                prop_assert_eq!(truncated(&result), Some(short));
            }
        }
    }
}
