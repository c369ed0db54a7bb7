use std::sync::Arc;

use super::*;

#[test]
fn depth_limit_is_three_and_can_be_raised_or_removed() {
    let mut world = World::default();
    assert_eq!(depth_limit(&world), Some(3));
    for (value, limit) in [(5, Some(5)), (0, None), (1_000_000, Some(WORKER_DEPTH_MOST))] {
        world.settings.insert(WORKER_DEPTH_LIMIT.name().to_owned(), Arc::new(serde_json::json!(value)));
        assert_eq!(depth_limit(&world), limit);
    }
    world.settings.insert(WORKER_DEPTH_LIMIT.name().to_owned(), Arc::new(serde_json::json!("deep")));
    assert_eq!(depth_limit(&world), Some(3));
}
