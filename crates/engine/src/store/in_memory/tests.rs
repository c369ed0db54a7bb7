//! What only tests need of a store in memory: faults, power loss, and the device with restore points and notes.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::{InMemoryBytes, InMemoryStore, StoreContents, ready};
use crate::port::{
    ByteSource, DeviceStorage, RestorePoint, StorageEstimate, StoreError, StoreFuture, TextStream,
};
use nexus_model::id::Millis;
use nexus_text::vec_map::VecMap;

impl InMemoryStore {
    /// Starts tracking what a power loss would leave.
    pub fn track_power_loss(&self) {
        let mut contents = self.contents.borrow_mut();
        contents.durable = Some((contents.events.clone(), contents.rows.clone()));
    }

    /// The store as a power loss would leave it.
    pub fn after_power_loss(&self) -> Self {
        let (events, rows) = self.contents.borrow().durable.clone().unwrap_or_default();
        Self { contents: Rc::new(RefCell::new(StoreContents { events, rows, ..StoreContents::default() })) }
    }

    pub fn fail_next(&self, error: StoreError) {
        self.fail_after(0, error);
    }

    /// Lets `writes` writes succeed and fails the next one.
    pub fn fail_after(&self, writes: usize, error: StoreError) {
        self.contents.borrow_mut().fault_after = Some((writes, error));
    }

    /// Lets `writes` writes succeed and never answers later ones; `None` answers again.
    pub fn stop_after(&self, writes: Option<usize>) {
        self.contents.borrow_mut().stops_after = writes;
    }

    /// True if the last answered write was made.
    pub fn is_stopped(&self) -> bool {
        self.contents.borrow().stops_after == Some(0)
    }

    /// All contents, for comparison.
    pub fn image(&self) -> String {
        let contents = self.contents.borrow();
        let events: Vec<_> = contents.events.iter().collect();
        let rows: Vec<_> = contents.rows.iter().collect();
        format!("{events:?} {rows:?}")
    }
}

type InMemoryPoint = (RestorePoint, Rc<Vec<u8>>);

/// Device storage in memory: restore points and notes last as long as this value.
#[derive(Clone, Debug, Default)]
pub struct InMemoryDeviceStorage {
    points: Rc<RefCell<VecMap<Millis, InMemoryPoint>>>,
    note: Rc<RefCell<Option<String>>>,
    facts: Rc<RefCell<StorageEstimate>>,
}

impl InMemoryDeviceStorage {
    pub fn set_facts(&self, facts: StorageEstimate) {
        self.facts.replace(facts);
    }
}

impl DeviceStorage for InMemoryDeviceStorage {
    fn estimate(&self) -> LocalBoxFuture<'static, StorageEstimate> {
        ready(*self.facts.borrow())
    }

    fn persist(&self) -> LocalBoxFuture<'static, bool> {
        ready(false)
    }

    fn restore_points(&self) -> StoreFuture<Vec<RestorePoint>> {
        ready(Ok(self.points.borrow().values().rev().map(|(point, _)| point.clone()).collect()))
    }

    fn save_restore_point(&self, point: RestorePoint, dump: TextStream) -> StoreFuture<u64> {
        let points = Rc::clone(&self.points);
        Box::pin(async move {
            let InMemoryBytes(whole) = InMemoryBytes::of(dump).await?;
            let bytes = u64::try_from(whole.len()).unwrap_or(u64::MAX);
            points.borrow_mut().insert(point.at, (RestorePoint { bytes, ..point }, whole));
            Ok(bytes)
        })
    }

    fn restore_point(&self, at: Millis) -> StoreFuture<Rc<dyn ByteSource>> {
        let whole = self.points.borrow().get(&at).map(|(_, whole)| Rc::clone(whole));
        let missing = || StoreError::Damaged("there is no such restore point".to_owned());
        ready(whole.map(|whole| Rc::new(InMemoryBytes(whole)) as Rc<dyn ByteSource>).ok_or_else(missing))
    }

    fn delete_restore_point(&self, at: Millis) -> StoreFuture<()> {
        self.points.borrow_mut().remove(&at);
        ready(Ok(()))
    }

    fn set_note(&self, text: Option<String>) -> StoreFuture<()> {
        self.note.replace(text);
        ready(Ok(()))
    }

    fn read_note(&self) -> StoreFuture<Option<String>> {
        ready(Ok(self.note.borrow().clone()))
    }

    fn delete_everything(&self) -> StoreFuture<()> {
        self.points.borrow_mut().clear();
        self.note.replace(None);
        ready(Ok(()))
    }
}
