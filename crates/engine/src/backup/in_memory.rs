//! In-memory device for tests: restore points, notes and a text as a readable source.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::port::{
    ByteSource, DeviceStorage, RestorePoint, StorageEstimate, StoreError, StoreFuture, TextStream,
};
use crate::store::in_memory::ready;
use nexus_model::id::Millis;
use nexus_text::vec_map::VecMap;

/// Bytes in memory as a source.
pub struct InMemoryBytes(pub Rc<Vec<u8>>);

impl ByteSource for InMemoryBytes {
    fn read(&self) -> stream::LocalBoxStream<'static, Result<Vec<u8>, String>> {
        const PIECE: usize = 64 * 1024;
        let whole = Rc::clone(&self.0);
        let pieces: Vec<_> = whole.chunks(PIECE).map(<[u8]>::to_vec).map(Ok).collect();
        stream::iter(pieces).boxed_local()
    }
}

impl InMemoryBytes {
    /// Collects the pieces of a dump.
    pub async fn of(pieces: TextStream) -> Result<Self, StoreError> {
        let join = |mut whole: Vec<u8>, piece: String| async move {
            whole.extend_from_slice(piece.as_bytes());
            Ok(whole)
        };
        Ok(Self(Rc::new(pieces.try_fold(Vec::new(), join).await?)))
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

pub fn device() -> Rc<dyn DeviceStorage> {
    Rc::new(InMemoryDeviceStorage::default())
}

impl InMemoryDeviceStorage {
    #[cfg(test)]
    pub(crate) fn set_facts(&self, facts: StorageEstimate) {
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
