//! Parses the answer to a model list request: the list, or why it failed.

use serde_json::Value;

use crate::http_error;
use nexus_model::provider::ModelInfo;
use nexus_model::provider::failure::ProviderError;

/// The models of a list, in the provider's order, without those that `model` does not take. `find` gives the list in
/// the body; what has none is what `classify` says of it.
pub(super) fn read(
    (status, body): (u16, &str),
    find: fn(&Value) -> Option<&[Value]>,
    model: fn(&Value) -> Option<ModelInfo>,
    classify: fn(u16, Option<&str>, &str) -> ProviderError,
) -> Result<Vec<ModelInfo>, ProviderError> {
    let value = serde_json::from_str::<Value>(body).ok();
    match value.as_ref().and_then(find) {
        Some(models) if (200..300).contains(&status) => Ok(models.iter().filter_map(model).collect()),
        Some(_) => Err(http_error::unexplained(status, None, body)),
        None => Err(classify(status, None, body)),
    }
}

/// The list where most families keep it.
pub(super) fn in_data(value: &Value) -> Option<&[Value]> {
    Some(value.get("data")?.as_array()?.as_slice())
}
