//! Never loads anything itself.
//!
//! Owns the port through which the engine gets those of its own parts that the page loads when they are needed: the
//! work, which changes things, the codec of each provider family, the Core, Rehearsal. Natively all are there at once.

use std::fmt;

use futures_util::future::LocalBoxFuture;

use crate::domain::provider::Protocol;
use crate::engine::archivist::Archivist;
use crate::engine::core::Core;
use crate::engine::data::{DataPart, Desk};
use crate::engine::rehearsal::{Rehearsal, Script};
use crate::engine::work::Work;
use crate::wire::codec::Codec;
use crate::wire::http::HttpRequest;

/// A part of the program did not come. Asked for again, it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLoaded;

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("A part of the program could not be loaded.")
    }
}

/// A part on its way.
pub type Coming<T> = LocalBoxFuture<'static, Result<T, NotLoaded>>;

/// Gets the parts of the engine. What has come once is there at once.
pub trait Parts {
    /// What lets the work begin.
    fn work(&self) -> Coming<fn(Work)>;
    /// The codec of a family.
    fn codec(&self, protocol: Protocol) -> Coming<&'static Codec>;
    /// The service of the Core.
    fn core(&self) -> Coming<fn(Core)>;
    /// The service of the Archivist.
    fn archivist(&self) -> Coming<fn(Archivist)>;
    /// The stand-in model.
    fn rehearsal(&self) -> Coming<fn(Rehearsal, &HttpRequest) -> Script>;
    /// What exports, imports and keeps restore points.
    fn data(&self) -> Coming<DataPart>;
}

/// All parts in one program, as tests and tools have them. Naming this puts every part into the first load of a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllHere;

impl Parts for AllHere {
    fn work(&self) -> Coming<fn(Work)> {
        Box::pin(std::future::ready(Ok(Work::begin as fn(Work))))
    }

    fn codec(&self, protocol: Protocol) -> Coming<&'static Codec> {
        Box::pin(std::future::ready(Ok(crate::wire::codec::of(protocol))))
    }

    fn core(&self) -> Coming<fn(Core)> {
        Box::pin(std::future::ready(Ok(Core::begin as fn(Core))))
    }

    fn archivist(&self) -> Coming<fn(Archivist)> {
        Box::pin(std::future::ready(Ok(Archivist::begin as fn(Archivist))))
    }

    fn rehearsal(&self) -> Coming<fn(Rehearsal, &HttpRequest) -> Script> {
        Box::pin(std::future::ready(Ok(Rehearsal::answer_to as fn(Rehearsal, &HttpRequest) -> Script)))
    }

    fn data(&self) -> Coming<DataPart> {
        let part = DataPart { device: crate::engine::data::memory::device, keep: Desk::keep };
        Box::pin(std::future::ready(Ok(part)))
    }
}
