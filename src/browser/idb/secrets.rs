//! The object store of API keys, by provider.
//!
//! Separate from every table, so that no export or scan includes it. Only the vault knows what a record contains.

use indexed_db_futures::Build;
use indexed_db_futures::database::Database;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::query_source::QuerySource;
use indexed_db_futures::transaction::{TransactionDurability, TransactionMode, TransactionOptions};
use wasm_bindgen::JsValue;

use crate::browser::idb::fault::IdbError;

/// Keys, encrypted or as the operator wanted them kept; nothing but them, so that an export can leave the store out.
pub(super) const SECRETS: &str = "secrets";

/// Every record with its key.
pub(super) async fn all(database: &Database) -> Result<Vec<(String, JsValue)>, IdbError> {
    let transaction = database.transaction(SECRETS).build()?;
    let store = transaction.object_store(SECRETS)?;
    let keys = store.get_all_keys::<String>().build()?;
    let values = store.get_all::<JsValue>().build()?;
    keys.await?.zip(values.await?).map(|(key, value)| Ok((key?, value?))).collect()
}

/// Puts records in the place of those that are there, or takes them away: all or none. Ends when it is safe.
pub(super) async fn change(
    database: &Database,
    records: &[(String, Option<JsValue>)],
) -> Result<(), IdbError> {
    let options = TransactionOptions::new().with_durability(TransactionDurability::Strict);
    let transaction =
        database.transaction(SECRETS).with_mode(TransactionMode::Readwrite).with_options(options).build()?;
    {
        let store = transaction.object_store(SECRETS)?;
        for (key, record) in records {
            match record {
                Some(record) => drop(store.put(record).with_key(key.as_str()).without_key_type().build()?),
                None => drop(store.delete::<String, _>(key.clone()).build()?),
            }
        }
    }
    let handle = transaction.as_sys().clone();
    transaction.commit().await.map_err(|error| IdbError::of_transaction(error, handle.error()))
}
