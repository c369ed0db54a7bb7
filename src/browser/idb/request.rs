//! Requests and transactions of IndexedDB as futures, with errors classified by who has to act; and small databases
//! without versions, such as `nexus-points`.
//!
//! IndexedDB commits a transaction that has no pending request: await only its own requests before the commit. Restore
//! points have a database of their own, so that none contains restore points.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Object, Promise};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, EventTarget, IdbDatabase, IdbFactory, IdbObjectStore, IdbRequest, IdbRequestReadyState,
    IdbTransaction, IdbVersionChangeEvent,
};

use crate::browser::js;
use crate::browser::js::Listener;
use nexus_engine::port::{RestorePoint, StoreError};
use nexus_model::id::Millis;
use nexus_text::json;

/// Creates the missing object stores of a database with this version; the version is 0 if it is new.
pub(crate) type LayOut = Box<dyn Fn(&IdbDatabase, f64) -> Result<(), JsValue>>;

/// The first of these events, with listeners added at once.
pub(super) fn first_of(target: &EventTarget, events: &[&str]) -> JsFuture {
    JsFuture::from(Promise::new(&mut |heard, _| {
        for event in events {
            // Adding a listener with a function never throws.
            drop(target.add_event_listener_with_callback(event, &heard));
        }
    }))
}

pub(crate) async fn answer(request: &IdbRequest) -> Result<JsValue, IdbError> {
    if request.ready_state() != IdbRequestReadyState::Done {
        // This promise is never rejected.
        drop(first_of(request, &["success", "error"]).await);
    }
    match request.error() {
        Ok(Some(error)) => Err(IdbError::of_thrown(&error)),
        _ => request.result().map_err(|thrown| IdbError::of_thrown(&thrown)),
    }
}

/// The items of a result that is an array.
pub(super) fn items(answer: &JsValue) -> impl Iterator<Item = JsValue> + use<> {
    Array::from(answer).into_iter()
}

pub(crate) fn factory() -> Result<IdbFactory, IdbError> {
    let factory = web_sys::window().and_then(|window| window.indexed_db().ok()?);
    factory.ok_or_else(|| IdbError::Disconnected("the database cannot be opened here".to_owned()))
}

/// Opens a database in the layout of this version. Sets `blocked` if another connection prevents the upgrade.
pub(super) async fn open(
    name: &str,
    version: u32,
    lay_out: LayOut,
    blocked: Rc<Cell<bool>>,
) -> Result<IdbDatabase, IdbError> {
    let opening = factory()?.open_with_u32(name, version);
    let request =
        opening.map_err(|_| IdbError::Disconnected("the database cannot be opened here".to_owned()))?;
    let _blocked = Listener::on(&request, "blocked", move |_| blocked.set(true));
    let opened = request.clone();
    let _upgrade = Listener::on(&request, "upgradeneeded", move |event| {
        let from = event.unchecked_ref::<IdbVersionChangeEvent>().old_version();
        let made = opened.result().and_then(|database| lay_out(database.unchecked_ref(), from));
        if let (Err(_), Some(transaction)) = (made, opened.transaction()) {
            // Leaves no incomplete database. If aborting fails, the transaction has already ended.
            drop(transaction.abort());
        }
    });
    answer(&request).await.map(JsValue::unchecked_into)
}

/// An object store for reading.
pub(super) fn store(database: &IdbDatabase, name: &str) -> Result<IdbObjectStore, JsValue> {
    database.transaction_with_str(name)?.object_store(name)
}

/// Runs a write transaction on these stores: `issue` makes the requests, and the commit waits for the events that it
/// returns. Completes when the data is safe; if a request cannot be made, the transaction is aborted.
pub(super) async fn write(
    database: &IdbDatabase,
    stores: &[&str],
    durability: &str,
    issue: &dyn Fn(&IdbTransaction) -> Result<Vec<JsFuture>, JsValue>,
) -> Result<(), IdbError> {
    let (options, names) = (Object::new(), stores.iter().copied().map(JsValue::from_str).collect::<Array>());
    js::set(&options, "durability", &JsValue::from_str(durability));
    let begun = js::method(database, "transaction").ok_or(JsValue::UNDEFINED);
    let begun = begun.and_then(|begin| begin.call3(database, &names, &"readwrite".into(), &options));
    let transaction: IdbTransaction = begun.map_err(|thrown| IdbError::of_thrown(&thrown))?.unchecked_into();
    let ended = first_of(&transaction, &["complete", "abort"]);
    let committed = match issue(&transaction) {
        Ok(awaited) => {
            for answer in awaited {
                drop(answer.await);
            }
            let commit = js::method(&transaction, "commit").ok_or(JsValue::UNDEFINED);
            commit.and_then(|commit| commit.call0(&transaction))
        }
        Err(thrown) => {
            drop(transaction.abort());
            Err(thrown)
        }
    };
    let is_complete = match &committed {
        Ok(_) => {
            ended.await.is_ok_and(|event| js::property(&event, "type").is_some_and(|of| of == "complete"))
        }
        Err(_) => false,
    };
    // A full disk is reported only here: the requests themselves succeeded.
    match (is_complete, transaction.error(), committed) {
        (true, ..) => Ok(()),
        (false, Some(own), Ok(_)) => Err(IdbError::of_thrown(&own)),
        (false, None, Ok(_)) => Err(IdbError::Disconnected("the transaction was broken off".to_owned())),
        (false, own, Err(thrown)) => {
            Err(IdbError::of_thrown(own.as_ref().map_or(&thrown, |own| own.as_ref())))
        }
    }
}

/// A database whose layout never changed. It is open only during each operation, so that deleting all data need not
/// wait.
pub(crate) struct SmallDatabase {
    pub(crate) name: &'static str,
    pub(crate) stores: &'static [&'static str],
}

impl SmallDatabase {
    async fn open(&self) -> Result<Opened, IdbError> {
        let stores = self.stores;
        let make: LayOut = Box::new(move |database, _| {
            stores.iter().try_for_each(|store| database.create_object_store(store).map(drop))
        });
        open(self.name, 1, make, Rc::default()).await.map(Opened)
    }

    /// All values of a store, or only the value of `key`.
    pub(crate) async fn values(&self, from: &str, key: Option<&str>) -> Result<Vec<JsValue>, IdbError> {
        let database = self.open().await?;
        let request = store(&database.0, from).and_then(|store| match key {
            Some(key) => store.get_all_with_key(&JsValue::from_str(key)),
            None => store.get_all(),
        });
        let found = answer(&request.map_err(|thrown| IdbError::of_thrown(&thrown))?).await?;
        Ok(items(&found).collect())
    }

    /// Replaces or deletes the value of a key.
    pub(crate) async fn change(&self, of: &str, key: &str, value: Option<&JsValue>) -> Result<(), IdbError> {
        let database = self.open().await?;
        write(&database.0, &[of], "strict", &|transaction| {
            put_or_delete(&transaction.object_store(of)?, key, value).map(|()| Vec::new())
        })
        .await
    }
}

pub(super) fn put_or_delete(of: &IdbObjectStore, key: &str, value: Option<&JsValue>) -> Result<(), JsValue> {
    let key = JsValue::from_str(key);
    value.map_or_else(|| of.delete(&key), |value| of.put_with_key(value, &key)).map(drop)
}

struct Opened(IdbDatabase);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.close();
    }
}

pub(crate) const DATABASE: &str = "nexus-points";
const POINTS: &str = "points";
const NOTES: &str = "notes";
const NOTE: &str = "import";
const POINT_DATABASE: SmallDatabase = SmallDatabase { name: DATABASE, stores: &[POINTS, NOTES] };

pub(crate) struct PointRecord {
    pub(crate) point: RestorePoint,
    pub(crate) file: Blob,
    pub(crate) is_packed: bool,
}

/// All restore points, oldest first, without reading the files.
pub(crate) async fn restore_points() -> Result<Vec<PointRecord>, StoreError> {
    let rows = POINT_DATABASE.values(POINTS, None).await.map_err(IdbError::into_error)?;
    Ok(rows.iter().filter_map(point_of).collect())
}

pub(crate) async fn add_restore_point(kept: &PointRecord) -> Result<(), StoreError> {
    let record = Object::new();
    let point = json::write(&kept.point).map_err(|error| StoreError::Damaged(error.to_string()))?;
    js::set(&record, "point", &JsValue::from_str(&point));
    js::set(&record, "file", &kept.file);
    js::set(&record, "packed", &JsValue::from_bool(kept.is_packed));
    change(POINTS, &key_of(kept.point.at), Some(&record)).await
}

pub(crate) async fn delete_restore_point(at: Millis) -> Result<(), StoreError> {
    change(POINTS, &key_of(at), None).await
}

/// Sets or deletes the note.
pub(crate) async fn set_note(text: Option<&str>) -> Result<(), StoreError> {
    let text = text.map(JsValue::from_str);
    change(NOTES, NOTE, text.as_ref()).await
}

pub(crate) async fn read_note() -> Result<Option<String>, StoreError> {
    let notes = POINT_DATABASE.values(NOTES, None).await.map_err(IdbError::into_error)?;
    Ok(notes.first().and_then(JsValue::as_string))
}

/// Thirteen digits until the year 2286: keys sort by time.
fn key_of(at: Millis) -> String {
    format!("{:013}", at.0)
}

fn point_of(record: &JsValue) -> Option<PointRecord> {
    let point = js::property(record, "point")?.as_string()?;
    Some(PointRecord {
        point: json::read(&point).ok()?,
        file: js::property(record, "file")?.dyn_into().ok()?,
        is_packed: js::property(record, "packed")?.as_bool()?,
    })
}

async fn change(store: &str, key: &str, record: Option<&JsValue>) -> Result<(), StoreError> {
    POINT_DATABASE.change(store, key, record).await.map_err(IdbError::into_error)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdbError {
    /// The connection is unusable; nothing was written, so a new connection may retry.
    Disconnected(String),
    /// Retrying would not help.
    Final(StoreError),
}

impl IdbError {
    pub(crate) fn into_error(self) -> StoreError {
        match self {
            Self::Disconnected(message) => StoreError::Lost(message),
            Self::Final(error) => error,
        }
    }

    /// Classifies a thrown value by its name.
    pub(super) fn of_thrown(thrown: &JsValue) -> Self {
        let message = || format!("{}: {}", js::name(thrown), js::message(thrown));
        match js::name(thrown).as_str() {
            "QuotaExceededError" => Self::Final(StoreError::Full),
            "ConstraintError" => Self::Final(StoreError::Collision),
            "VersionError" => Self::Final(StoreError::Newer),
            "DataCloneError" | "DataError" | "SyntaxError" | "NotReadableError" | "EncodingError" => {
                Self::Final(StoreError::Damaged(message()))
            }
            // Includes a closed connection, a dead storage process, and a transaction that the browser aborted.
            _ => Self::Disconnected(message()),
        }
    }
}
