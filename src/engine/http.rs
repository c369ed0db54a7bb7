//! Never opens a connection itself.
//!
//! Owns the choice between the outside world and Rehearsal, which answers in the page.

use std::rc::Rc;

use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use futures_util::stream;

use crate::domain::provider::REHEARSAL_URL;
use crate::engine::parts::Parts;
use crate::engine::port::{Clock, Http, HttpAnswer, HttpError};
use crate::engine::rehearsal::{Rehearsal, Script};
use crate::wire::http::HttpRequest;

/// Sends requests for Rehearsal to Rehearsal and all others outside.
pub(super) struct Routed {
    pub(super) outside: Rc<dyn Http>,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) parts: Rc<dyn Parts>,
    pub(super) rehearsal: Rehearsal,
}

impl Http for Routed {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpAnswer, HttpError>> {
        if !request.url.starts_with(REHEARSAL_URL) {
            return self.outside.send(request);
        }
        let (parts, clock, rehearsal) = (Rc::clone(&self.parts), Rc::clone(&self.clock), self.rehearsal);
        Box::pin(async move {
            let answer = parts.rehearsal().await.map_err(|lost| HttpError::Unreachable(lost.to_string()))?;
            Ok(played(answer(rehearsal, &request), clock))
        })
    }
}

/// A script as an answer that takes its time.
fn played(script: Script, clock: Rc<dyn Clock>) -> HttpAnswer {
    let body = stream::iter(script.beats).then(move |beat| {
        let clock = Rc::clone(&clock);
        async move {
            clock.sleep(u64::from(beat.pause_ms)).await;
            Ok(beat.bytes)
        }
    });
    HttpAnswer {
        status: script.status,
        content_type: Some(script.content_type.to_owned()),
        retry_after: None,
        retry_after_ms: None,
        body: body.boxed_local(),
    }
}
