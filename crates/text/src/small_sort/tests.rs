use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn sorts_like_the_standard_library(list: Vec<(u8, u16)>) {
        let (mut ours, mut theirs) = (list.clone(), list);
        ours.small_sort_by_key(|(key, _)| key % 16);
        theirs.sort_by_key(|(key, _)| key % 16);
        prop_assert_eq!(&ours, &theirs);
        ours.small_sort();
        theirs.sort();
        prop_assert_eq!(ours, theirs);
    }
}
