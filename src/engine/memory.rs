//! Never survives the page.
//!
//! Owns what the app runs on where the browser denies storage, and what tests run on: the store in memory, and the
//! vault that keeps nothing.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use crate::domain::id::ProviderId;
use crate::domain::id::{RunId, StreamId};
use crate::domain::json;
use crate::domain::sorted::SortedMap;
use crate::engine::port::{Batch, KeptKey, NoVault, Row, Store, StoreError, Table, Vault, VaultError};
use crate::wire::http::Secret;

/// A store that keeps everything in memory. Clones share the same contents.
#[derive(Clone, Default)]
pub struct MemStore {
    kept: Rc<RefCell<Kept>>,
}

#[derive(Default)]
struct Kept {
    events: SortedMap<(StreamId, u64), String>,
    rows: SortedMap<(Table, String), String>,
    /// What the next write fails with; tests set it.
    fault: Option<StoreError>,
}

impl MemStore {
    /// Makes the next write fail.
    #[cfg(test)]
    pub(crate) fn fail_next(&self, error: StoreError) {
        self.kept.borrow_mut().fault = Some(error);
    }
}

fn ready<T: 'static>(value: T) -> LocalBoxFuture<'static, T> {
    Box::pin(std::future::ready(value))
}

impl Store for MemStore {
    fn write(&self, batch: Batch) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let mut kept = self.kept.borrow_mut();
        if let Some(error) = kept.fault.take() {
            return ready(Err(error));
        }
        if batch.events.iter().any(|event| kept.events.contains_key(&(event.stream, event.seq))) {
            return ready(Err(StoreError::Collision));
        }
        for event in batch.events {
            kept.events.insert((event.stream, event.seq), event.json);
        }
        for (table, (key, json)) in batch.puts {
            kept.rows.insert((table, key), json);
        }
        for (table, prefix) in batch.removes {
            kept.rows.retain(|(other, key), _| *other != table || !key.starts_with(&prefix));
        }
        ready(Ok(()))
    }

    fn get(
        &self,
        table: Table,
        keys: Vec<String>,
    ) -> LocalBoxFuture<'static, Result<Vec<Option<String>>, StoreError>> {
        let kept = self.kept.borrow();
        ready(Ok(keys.into_iter().map(|key| kept.rows.get(&(table, key)).cloned()).collect()))
    }

    fn scan(&self, table: Table, prefix: String) -> LocalBoxFuture<'static, Result<Vec<Row>, StoreError>> {
        let kept = self.kept.borrow();
        let rows = kept
            .rows
            .iter_from(&(table, prefix.clone()))
            .take_while(|((other, key), _)| *other == table && key.starts_with(&prefix))
            .map(|((_, key), json)| (key.clone(), json.clone()))
            .collect();
        ready(Ok(rows))
    }

    fn last_seq(&self, stream: StreamId) -> LocalBoxFuture<'static, Result<u64, StoreError>> {
        let kept = self.kept.borrow();
        let of_stream = kept.events.iter_from(&(stream, 0)).take_while(|((other, _), _)| *other == stream);
        ready(Ok(of_stream.last().map_or(0, |((_, seq), _)| *seq)))
    }

    fn events(
        &self,
        stream: StreamId,
        from: u64,
        most: usize,
    ) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let kept = self.kept.borrow();
        let of_stream = kept.events.iter_from(&(stream, from)).take_while(|((other, _), _)| *other == stream);
        ready(Ok(of_stream.take(most).map(|(_, json)| json.clone()).collect()))
    }

    fn events_of_run(&self, run: RunId) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let (kept, run) = (self.kept.borrow(), run.to_string());
        let is_of_run = |json: &str| {
            let tree = json::tree(json).ok();
            tree.is_some_and(|tree| tree.get("run").and_then(|id| id.as_str()) == Some(run.as_str()))
        };
        // The id stands in few texts: most need not be read.
        let texts = kept.events.values().filter(|json| json.contains(&run) && is_of_run(json));
        ready(Ok(texts.cloned().collect()))
    }

    fn keys(&self, table: Table, prefix: String) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let kept = self.kept.borrow();
        let rows = kept.rows.iter_from(&(table, prefix.clone()));
        let keys = rows.take_while(|((other, key), _)| *other == table && key.starts_with(&prefix));
        ready(Ok(keys.map(|((_, key), _)| key.clone()).collect()))
    }
}

/// The vault where no key outlives the tab, and why.
#[derive(Clone, Copy, Debug)]
pub struct TabOnly(pub NoVault);

impl TabOnly {
    fn refuse<T: 'static>(self) -> LocalBoxFuture<'static, Result<T, VaultError>> {
        ready(Err(VaultError::Hindered(self.0)))
    }
}

impl Vault for TabOnly {
    fn hindrance(&self) -> Option<NoVault> {
        Some(self.0)
    }

    fn list(&self) -> LocalBoxFuture<'static, Result<Vec<KeptKey>, VaultError>> {
        ready(Ok(Vec::new()))
    }

    fn open(&self, _passphrase: Secret) -> LocalBoxFuture<'static, Result<Vec<KeptKey>, VaultError>> {
        self.refuse()
    }

    fn is_open(&self) -> bool {
        false
    }

    fn close(&self) {}

    fn seal(&self, _kept: KeptKey) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        self.refuse()
    }

    fn keep_clear(&self, _kept: KeptKey) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        self.refuse()
    }

    fn forget(&self, _provider: ProviderId) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        ready(Ok(()))
    }
}
