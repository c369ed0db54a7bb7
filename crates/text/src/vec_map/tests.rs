use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn behaves_like_a_btree_map(steps in proptest::collection::vec((any::<bool>(), 0_u8..20, any::<u16>()), 0..60)) {
        let (mut map, mut tree) = (VecMap::new(), BTreeMap::new());
        for (put, key, value) in steps {
            if put {
                prop_assert_eq!(map.insert(key, value), tree.insert(key, value));
            } else {
                prop_assert_eq!(map.remove(&key), tree.remove(&key));
            }
            prop_assert_eq!(map.get(&key), tree.get(&key));
            prop_assert!(map.iter().eq(tree.iter()));
            prop_assert!(map.iter_from(&key).eq(tree.range(key..)));
        }
        prop_assert_eq!(serde_json::to_value(&map).unwrap(), serde_json::to_value(&tree).unwrap());
        let again: VecMap<u8, u16> = tree.iter().rev().map(|(key, value)| (*key, *value)).collect();
        prop_assert_eq!(&again, &map);
        map.retain(|key, _| key % 2 == 0);
        tree.retain(|key, _| key % 2 == 0);
        prop_assert!(map.values().eq(tree.values()));
    }
}

#[test]
fn set_has_each_item_once_in_order() {
    let mut set: VecSet<&str> = ["b", "a", "b"].into_iter().collect();
    assert!(!set.insert("a") && set.insert("c") && set.remove("b"));
    assert_eq!(set.into_iter().collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn equal_keys_keep_their_order() {
    let items = [(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
    assert_eq!(by_key(items, |(key, _)| *key), [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
}

#[test]
fn value_is_made_only_if_missing() {
    let mut map = VecMap::from([(1, "one")]);
    *map.get_or_insert_with(2, || "two") = "zwei";
    map.get_or_insert_with(1, || unreachable!());
    assert_eq!(map, VecMap::from([(2, "zwei"), (1, "one")]));
}

#[test]
fn walk_has_each_item_once_nearest_first() {
    let steps = |item: i32| match item {
        1 => vec![2, 3, 3],
        2 => vec![1, 4],
        _ => vec![],
    };
    assert_eq!(reached_from([1, 1], steps), [1, 2, 3, 4]);
}
