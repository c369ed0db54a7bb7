//! Writes a prepared batch in one transaction; it succeeds only when the whole transaction completed.
//!
//! All requests are issued at once: IndexedDB commits a transaction that waits for anything else.

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Event, IdbDatabase, IdbKeyRange, IdbRequest, IdbTransaction};

use crate::browser::idb::error::IdbError;
use crate::browser::idb::request;
use crate::browser::idb::request::first_of;
use crate::browser::idb::value::{
    EVENTS, damaged, event_key, keys_from, stream_from, value_of, value_of_event,
};
use nexus_engine::port::{Batch, StoreError};
use nexus_text::vec_map::VecSet;

pub(super) struct PreparedBatch {
    stores: Vec<&'static str>,
    adds: Vec<(JsValue, JsValue)>,
    removes: Vec<(&'static str, IdbKeyRange)>,
    forgets: Vec<IdbKeyRange>,
    puts: Vec<(&'static str, String, JsValue)>,
    keeps: Vec<(&'static str, String, JsValue)>,
    durability: &'static str,
}

impl PreparedBatch {
    pub(super) fn of(batch: &Batch) -> Result<Self, StoreError> {
        let mut stores = VecSet::new();
        let mut plan = Self {
            stores: Vec::new(),
            adds: Vec::with_capacity(batch.events.len()),
            removes: Vec::with_capacity(batch.removes.len()),
            forgets: Vec::with_capacity(batch.delete_streams.len()),
            puts: Vec::with_capacity(batch.puts.len()),
            keeps: Vec::with_capacity(batch.put_if_absent.len()),
            durability: if batch.strict { "strict" } else { "relaxed" },
        };
        for stream in &batch.delete_streams {
            stores.insert(EVENTS);
            plan.forgets.push(stream_from(*stream, 0).map_err(damaged)?);
        }
        for event in &batch.events {
            stores.insert(EVENTS);
            plan.adds.push((event_key(event.stream, event.seq), value_of_event(event)?));
        }
        for (table, prefix) in &batch.removes {
            stores.insert(table.name());
            plan.removes.push((table.name(), keys_from(prefix).map_err(damaged)?));
        }
        for (table, (key, json)) in &batch.puts {
            stores.insert(table.name());
            plan.puts.push((table.name(), key.clone(), value_of(json)?));
        }
        for (table, (key, json)) in &batch.put_if_absent {
            stores.insert(table.name());
            plan.keeps.push((table.name(), key.clone(), value_of(json)?));
        }
        plan.stores = stores.into_iter().collect();
        Ok(plan)
    }

    /// Writes the batch. The first poll issues every request, and the commit too if there are no contents to keep; the
    /// rest only waits.
    pub(super) async fn run(&self, database: &IdbDatabase) -> Result<(), IdbError> {
        if self.stores.is_empty() {
            return Ok(());
        }
        // A request for an existing key fails, and with it the transaction, unless the error is handled.
        let taken = Closure::<dyn FnMut(Event)>::new(|event: Event| {
            let request = event.target().and_then(|target| target.dyn_into::<IdbRequest>().ok());
            let error = request.and_then(|request| request.error().ok().flatten());
            if error.is_some_and(|error| error.name() == "ConstraintError") {
                event.prevent_default();
                event.stop_propagation();
            }
        });
        let issue = |transaction: &IdbTransaction| {
            self.issue(transaction)?;
            self.keep(transaction, &taken)
        };
        // Commits only after the results of the contents: Chromium aborts a transaction that was committed before an
        // error in it was handled.
        request::write(database, &self.stores, self.durability, &issue).await
    }

    /// Events first, so that a taken position fails before anything else; then puts, then deletions. The requests are
    /// not awaited one by one: a failed one fails the transaction.
    fn issue(&self, transaction: &IdbTransaction) -> Result<(), JsValue> {
        for stream in &self.forgets {
            transaction.object_store(EVENTS)?.delete(stream)?;
        }
        for (key, value) in &self.adds {
            transaction.object_store(EVENTS)?.add_with_key(value, key)?;
        }
        for (store, key, value) in &self.puts {
            transaction.object_store(store)?.put_with_key(value, &JsValue::from_str(key))?;
        }
        for (store, keys) in &self.removes {
            transaction.object_store(store)?.delete(keys)?;
        }
        Ok(())
    }

    /// Adds missing contents, and returns their results.
    fn keep(
        &self,
        transaction: &IdbTransaction,
        taken: &Closure<dyn FnMut(Event)>,
    ) -> Result<Vec<JsFuture>, JsValue> {
        let answer = |(store, key, value): &(&str, String, JsValue)| {
            let request = transaction.object_store(store)?.add_with_key(value, &JsValue::from_str(key))?;
            request.set_onerror(Some(taken.as_ref().unchecked_ref()));
            Ok(first_of(&request, &["success", "error"]))
        };
        self.keeps.iter().map(answer).collect()
    }
}
