//! Requests and transactions of IndexedDB as futures, with errors classified by who has to act; and small databases
//! without versions, such as `nexus-points`.
//!
//! IndexedDB commits a transaction that has no pending request: await only its own requests before the commit.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    EventTarget, IdbDatabase, IdbFactory, IdbObjectStore, IdbRequest, IdbRequestReadyState, IdbTransaction,
    IdbVersionChangeEvent,
};

use crate::browser::js;
use crate::browser::js::Listener;
use nexus_engine::port::StoreError;

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
    let names = stores.iter().copied().map(JsValue::from_str).collect::<Array>();
    let options = js::object(&[("durability", durability.into())]);
    let begun = js::call(database, "transaction", &[&names, &"readwrite".into(), &options]);
    let transaction: IdbTransaction = begun.map_err(|thrown| IdbError::of_thrown(&thrown))?.unchecked_into();
    let ended = first_of(&transaction, &["complete", "abort"]);
    let committed = match issue(&transaction) {
        Ok(awaited) => {
            for answer in awaited {
                drop(answer.await);
            }
            js::call(&transaction, "commit", &[])
        }
        Err(thrown) => {
            drop(transaction.abort());
            Err(thrown)
        }
    };
    let is_complete =
        committed.is_ok() && ended.await.is_ok_and(|event| js::text(&event, "type") == "complete");
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
    async fn open(&self) -> Result<Opened, StoreError> {
        let stores = self.stores;
        let make: LayOut = Box::new(move |database, _| {
            stores.iter().try_for_each(|store| database.create_object_store(store).map(drop))
        });
        open(self.name, 1, make, Rc::default()).await.map(Opened).map_err(IdbError::into_error)
    }

    /// All values of a store, or only the value of `key`.
    pub(crate) async fn values(&self, from: &str, key: Option<&str>) -> Result<Vec<JsValue>, StoreError> {
        let database = self.open().await?;
        let request = store(&database.0, from).and_then(|store| match key {
            Some(key) => store.get_all_with_key(&JsValue::from_str(key)),
            None => store.get_all(),
        });
        let request = request.map_err(|thrown| IdbError::of_thrown(&thrown).into_error())?;
        let found = answer(&request).await.map_err(IdbError::into_error)?;
        Ok(items(&found).collect())
    }

    /// Replaces or deletes the value of a key.
    pub(crate) async fn change(
        &self,
        of: &str,
        key: &str,
        value: Option<&JsValue>,
    ) -> Result<(), StoreError> {
        let database = self.open().await?;
        let issue = |transaction: &IdbTransaction| {
            put_or_delete(&transaction.object_store(of)?, key, value).map(|()| Vec::new())
        };
        write(&database.0, &[of], "strict", &issue).await.map_err(IdbError::into_error)
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
