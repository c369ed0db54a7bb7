//! Changes one place of a valid request, so that a rejection is due to that change.

use serde_json::Value;

/// Sets the value at this pointer; `-` appends to a list.
pub(super) fn set(body: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let place = body.pointer_mut(parent).unwrap();
    match (place.is_array(), key.parse::<usize>()) {
        (true, Err(_)) => place.as_array_mut().unwrap().push(value),
        (true, Ok(index)) => place[index] = value,
        (false, _) => place[key] = value,
    }
}

/// Removes the value at this pointer.
pub(super) fn remove(body: &mut Value, pointer: &str) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let place = body.pointer_mut(parent).unwrap();
    if let Some(items) = place.as_array_mut() {
        items.remove(key.parse().unwrap());
    } else {
        place.as_object_mut().unwrap().remove(key).unwrap();
    }
}

/// Assertions for the tests of a service's rules: the valid request is rejected with a changed value (`-` appends to
/// a list), or without one; or this body is. The error must contain the text.
macro_rules! rejections {
    ($good:expr, $check:expr) => {
        #[track_caller]
        fn rejected(pointer: &str, value: serde_json::Value, words: &str) {
            let mut body = $good;
            super::spoil::set(&mut body, pointer, value);
            rejected_body(&body, words);
        }

        #[track_caller]
        fn rejected_without(pointer: &str, words: &str) {
            let mut body = $good;
            super::spoil::remove(&mut body, pointer);
            rejected_body(&body, words);
        }

        #[track_caller]
        fn rejected_body(body: &serde_json::Value, words: &str) {
            let api_error = $check(body).expect_err("it was accepted");
            assert!(
                api_error.code == 400 && api_error.message.contains(words),
                "unexpected message: {}",
                api_error.message
            );
        }
    };
}

pub(super) use rejections;
