//! Changes one place of a valid request, so that a rejection is due to that place.

use serde_json::Value;

/// Puts a value in this place; `-` appends to a list.
pub(super) fn set(body: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let place = body.pointer_mut(parent).unwrap();
    match (place.is_array(), key.parse::<usize>()) {
        (true, Err(_)) => place.as_array_mut().unwrap().push(value),
        (true, Ok(index)) => place[index] = value,
        (false, _) => place[key] = value,
    }
}

/// Takes this place out.
pub(super) fn remove(body: &mut Value, pointer: &str) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let place = body.pointer_mut(parent).unwrap();
    if let Some(items) = place.as_array_mut() {
        items.remove(key.parse().unwrap());
    } else {
        place.as_object_mut().unwrap().remove(key).unwrap();
    }
}

/// What the tests of a service's rules say of requests that are refused: with a place of the good one set (`-` appends
/// to a list), without a place, or as they are; each in words that hold these.
macro_rules! refusals {
    ($good:expr, $check:expr) => {
        #[track_caller]
        fn refused(pointer: &str, value: serde_json::Value, words: &str) {
            let mut body = $good;
            super::spoil::set(&mut body, pointer, value);
            refused_body(&body, words);
        }

        #[track_caller]
        fn refused_without(pointer: &str, words: &str) {
            let mut body = $good;
            super::spoil::remove(&mut body, pointer);
            refused_body(&body, words);
        }

        #[track_caller]
        fn refused_body(body: &serde_json::Value, words: &str) {
            let refusal = $check(body).expect_err("it was taken");
            assert!(
                refusal.code == 400 && refusal.message.contains(words),
                "other words: {}",
                refusal.message
            );
        }
    };
}

pub(super) use refusals;
