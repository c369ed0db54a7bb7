//! Writes a prepared batch in one transaction; it succeeds only when the whole transaction completed.
//!
//! All requests are issued at once: IndexedDB commits a transaction that has none pending.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_channel::oneshot;
use indexed_db_futures::database::Database;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::transaction::{
    Transaction, TransactionDurability, TransactionMode, TransactionOptions,
};
use indexed_db_futures::{Build, KeyRange};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::browser::idb::error::IdbError;
use crate::browser::idb::value::{EVENTS, event_key, keys_from, stream_from, value_of, value_of_event};
use nexus_engine::port::{Batch, StoreError};
use nexus_text::vec_map::VecSet;

pub(super) struct PreparedBatch {
    stores: Vec<&'static str>,
    adds: Vec<(JsValue, JsValue)>,
    removes: Vec<(&'static str, KeyRange<String>)>,
    forgets: Vec<KeyRange<JsValue>>,
    puts: Vec<(&'static str, String, JsValue)>,
    keeps: Vec<(&'static str, String, JsValue)>,
    durability: TransactionDurability,
}

impl PreparedBatch {
    pub(super) fn of(batch: &Batch) -> Result<Self, StoreError> {
        let mut stores = VecSet::new();
        let mut plan = Self {
            stores: Vec::new(),
            adds: Vec::with_capacity(batch.events.len()),
            removes: Vec::with_capacity(batch.removes.len()),
            forgets: batch.forgets.iter().map(|stream| stream_from(*stream, 0)).collect(),
            puts: Vec::with_capacity(batch.puts.len()),
            keeps: Vec::with_capacity(batch.keeps.len()),
            durability: if batch.strict {
                TransactionDurability::Strict
            } else {
                TransactionDurability::Relaxed
            },
        };
        if !batch.forgets.is_empty() {
            stores.insert(EVENTS);
        }
        for event in &batch.events {
            stores.insert(EVENTS);
            plan.adds.push((event_key(event.stream, event.seq), value_of_event(event)?));
        }
        for (table, prefix) in &batch.removes {
            stores.insert(table.name());
            plan.removes.push((table.name(), keys_from(prefix)));
        }
        for (table, (key, json)) in &batch.puts {
            stores.insert(table.name());
            plan.puts.push((table.name(), key.clone(), value_of(json)?));
        }
        for (table, (key, json)) in &batch.keeps {
            stores.insert(table.name());
            plan.keeps.push((table.name(), key.clone(), value_of(json)?));
        }
        plan.stores = stores.into_iter().collect();
        Ok(plan)
    }

    /// Writes the batch. The first poll issues every request, and the commit too unless there are `keeps`; the rest
    /// only waits.
    pub(super) async fn run(&self, database: &Database) -> Result<(), IdbError> {
        if self.stores.is_empty() {
            return Ok(());
        }
        let transaction = database
            .transaction(self.stores.as_slice())
            .with_mode(TransactionMode::Readwrite)
            .with_options(TransactionOptions::new().with_durability(self.durability))
            .build()?;
        self.issue(&transaction)?;
        let handle = transaction.as_sys().clone();
        // The transaction is committed only after all of these completed: Chromium aborts one that is committed before
        // the handler of an error in it cancelled that error.
        self.keep(&handle)?.await;
        transaction.commit().await.map_err(|error| match handle.error() {
            Some(own) => IdbError::of_thrown(own.as_ref()),
            None => IdbError::of_transaction(error, None),
        })
    }

    /// Issues events first, so that a taken position fails before anything else; then puts, then removes.
    ///
    /// Does not await the requests one by one: a failed one fails the transaction.
    fn issue(&self, transaction: &Transaction<'_>) -> Result<(), IdbError> {
        for stream in &self.forgets {
            drop(transaction.object_store(EVENTS)?.delete::<JsValue, _>(stream.clone()).build()?);
        }
        for (key, value) in &self.adds {
            drop(transaction.object_store(EVENTS)?.add(value).with_key(key).without_key_type().build()?);
        }
        for (store, key, value) in &self.puts {
            drop(
                transaction
                    .object_store(store)?
                    .put(value)
                    .with_key(key.as_str())
                    .without_key_type()
                    .build()?,
            );
        }
        for (store, keys) in &self.removes {
            drop(transaction.object_store(store)?.delete::<String, _>(keys.clone()).build()?);
        }
        Ok(())
    }

    /// Adds rows that do not exist yet; the returned future completes when all requests did. An existing key fails its
    /// request, and would fail the transaction without `prevent_default`.
    fn keep(&self, transaction: &web_sys::IdbTransaction) -> Result<impl Future<Output = ()>, IdbError> {
        let (sender, done) = oneshot::channel::<()>();
        let pending = Rc::new(Cell::new(self.keeps.len()));
        let sender = RefCell::new(Some(sender));
        let handler = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let request = event.target().and_then(|target| target.dyn_into::<web_sys::IdbRequest>().ok());
            let error = request.and_then(|request| request.error().ok().flatten());
            if error.is_some_and(|error| error.name() == "ConstraintError") {
                event.prevent_default();
                event.stop_propagation();
            }
            pending.set(pending.get().saturating_sub(1));
            if pending.get() == 0
                && let Some(sender) = sender.take()
            {
                // The receiver is gone if the transaction was dropped.
                sender.send(()).unwrap_or_default();
            }
        });
        for (store, key, value) in &self.keeps {
            let request = transaction
                .object_store(store)
                .and_then(|store| store.add_with_key(value, &JsValue::from_str(key)))
                .map_err(|thrown| IdbError::of_thrown(&thrown))?;
            request.set_onerror(Some(handler.as_ref().unchecked_ref()));
            request.set_onsuccess(Some(handler.as_ref().unchecked_ref()));
        }
        let is_any = !self.keeps.is_empty();
        Ok(async move {
            if is_any {
                done.await.unwrap_or_default();
            }
            drop(handler);
        })
    }
}
