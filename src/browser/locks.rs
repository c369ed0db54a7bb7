//! Locks between this origin's tabs (Web Locks).
//!
//! If the browser has none, every lock is granted; the store's `add` at the next position of a stream still prevents
//! two tabs from overwriting each other.

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
        // A waiting request always returns a lock.
        request(name, false).map(|held| held.unwrap_or_else(free)).boxed_local()
    }

    fn are_shared(&self) -> bool {
        manager().is_some()
    }
}

/// Never grants a lock: every session is read-only.
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

/// The lock of a browser without locks.
fn free() -> LockGuard {
    LockGuard::new(|| ())
}

/// Requests a lock; `None` if it is taken and `only_if_free`.
fn request(name: &str, only_if_free: bool) -> impl Future<Output = Option<LockGuard>> + use<> {
    let (sender, receiver) = oneshot::channel();
    let promise = send_request(name, only_if_free, sender);
    async move {
        let Some(promise) = promise else { return Some(free()) };
        // The promise settles when the lock is released, or with an error if locks are denied.
        match select(receiver, JsFuture::from(promise)).await {
            Either::Left((Ok(held), _)) => held,
            Either::Left((Err(_), _)) | Either::Right(_) => Some(free()),
        }
    }
}

/// The lock manager; `None` if the browser has none.
fn manager() -> Option<JsValue> {
    js::property(web_sys::window()?.navigator().as_ref(), "locks")
}

/// Sends the request; `None` if the browser has no locks.
fn send_request(
    name: &str,
    only_if_free: bool,
    sender: oneshot::Sender<Option<LockGuard>>,
) -> Option<Promise> {
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
        // If the requester is gone, `send` returns the guard, and dropping it releases the lock.
        drop(sender.send(guard));
        held
    });
    request.call3(&locks, &JsValue::from_str(name), &options, &granted).ok()?.dyn_into().ok()
}

/// A guard, and the promise that keeps the browser's lock until it resolves.
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
