//! Changing one place of a good request, so that what is refused is refused for that place.

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
