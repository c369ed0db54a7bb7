//! Locks between this origin's tabs (Web Locks).
//!
//! Where the browser has none, every lock is granted; the store's `add` at the next position of a stream then still
//! prevents two tabs from overwriting each other.

use futures_channel::oneshot;
use futures_util::future::{Either, FutureExt, LocalBoxFuture, select};
use js_sys::{Function, Object, Promise};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::browser::js;
use nexus_engine::port::{LockGuard, Locks};

#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserLocks;

impl Locks for BrowserLocks {
    fn try_hold(&self, name: &str) -> LocalBoxFuture<'static, Option<LockGuard>> {
        request(name, true).boxed_local()
    }

    fn hold(&self, name: &str) -> LocalBoxFuture<'static, LockGuard> {
        // A request that waits is answered with a lock and never with none.
        request(name, false).map(|held| held.unwrap_or_else(free)).boxed_local()
    }

    fn are_shared(&self) -> bool {
        manager().is_some()
    }
}

/// Locks that are never granted: every session is read-only.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLocks;

impl Locks for NoLocks {
    fn try_hold(&self, _name: &str) -> LocalBoxFuture<'static, Option<LockGuard>> {
        std::future::ready(None).boxed_local()
    }

    fn hold(&self, _name: &str) -> LocalBoxFuture<'static, LockGuard> {
        std::future::pending().boxed_local()
    }
}

/// A lock where there are no locks.
fn free() -> LockGuard {
    LockGuard::new(|| ())
}

/// Asks for a lock; `None` where it is taken and `only_if_free`.
fn request(name: &str, only_if_free: bool) -> impl Future<Output = Option<LockGuard>> + use<> {
    let (answer, answered) = oneshot::channel();
    let asked = ask(name, only_if_free, answer);
    async move {
        let Some(asked) = asked else { return Some(free()) };
        // The promise ends when the lock was given back, or with an error where locks are denied.
        match select(answered, JsFuture::from(asked)).await {
            Either::Left((Ok(held), _)) => held,
            Either::Left((Err(_), _)) | Either::Right(_) => Some(free()),
        }
    }
}

/// What gives locks; `None` where the browser has none.
fn manager() -> Option<JsValue> {
    js::property(web_sys::window()?.navigator().as_ref(), "locks")
}

/// Sends the request; `None` where the browser has no locks.
fn ask(name: &str, only_if_free: bool, answer: oneshot::Sender<Option<LockGuard>>) -> Option<Promise> {
    let locks = manager()?;
    let request = js::method(&locks, "request")?;
    let options = Object::new();
    js::set(&options, "ifAvailable", &JsValue::from_bool(only_if_free));
    let granted = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        let (guard, held) = if lock.is_null() || lock.is_undefined() {
            (None, JsValue::UNDEFINED)
        } else {
            let (guard, held) = held_lock();
            (Some(guard), held)
        };
        // Where nobody waits any more the guard comes back here, and its drop gives the lock back.
        drop(answer.send(guard));
        held
    });
    request.call3(&locks, &JsValue::from_str(name), &options, &granted).ok()?.dyn_into().ok()
}

/// A guard, and the promise that the browser holds the lock for.
fn held_lock() -> (LockGuard, JsValue) {
    let mut release: Option<Function> = None;
    let held = Promise::new(&mut |resolve, _| release = Some(resolve));
    let guard = LockGuard::new(move || {
        if let Some(release) = release {
            // Resolving a promise cannot fail.
            drop(release.call0(&JsValue::UNDEFINED));
        }
    });
    (guard, held.into())
}
