//! Never calls what it loads.
//!
//! Owns which parts of the engine are files of their own. A function marked with `wasm_split` and all that only it
//! reaches become such a file (`xtask/src/split.rs`); calling the function is what loads it. The parts of the screen are
//! in `ui::screens`. The codecs are one part: what each two or three of five parts share would be a file each.

use std::rc::Rc;

use nexus::browser::disk::BrowserDisk;
use nexus::domain::provider::Protocol;
use nexus::engine::archivist::Archivist;
use nexus::engine::core::Core;
use nexus::engine::data::{DataPart, Desk};
use nexus::engine::parts::{Coming, NotLoaded, Parts};
use nexus::engine::port::Disk;
use nexus::engine::rehearsal::{Rehearsal, Script};
use nexus::engine::speech::VoicePorts;
use nexus::engine::work::Work;
use nexus::wire::codec::{self, Codec};
use nexus::wire::http::HttpRequest;
use wasm_split_helpers::wasm_split;

/// The parts, loaded over the network.
pub(crate) struct Loaded;

impl Parts for Loaded {
    fn work(&self) -> Coming<fn(Work)> {
        Box::pin(work())
    }

    fn codec(&self, protocol: Protocol) -> Coming<&'static Codec> {
        match protocol {
            Protocol::Gemini => Box::pin(gemini()),
            Protocol::Openai => Box::pin(openai()),
            Protocol::Responses => Box::pin(responses()),
            Protocol::Anthropic => Box::pin(anthropic()),
            Protocol::Ollama => Box::pin(ollama()),
        }
    }

    fn core(&self) -> Coming<fn(Core)> {
        Box::pin(core())
    }

    fn archivist(&self) -> Coming<fn(Archivist)> {
        Box::pin(archivist())
    }

    fn rehearsal(&self) -> Coming<fn(Rehearsal, &HttpRequest) -> Script> {
        Box::pin(rehearsal())
    }

    fn data(&self) -> Coming<DataPart> {
        Box::pin(data())
    }
}

/// The way to folders on disk, for the desk and in its part.
pub(crate) fn disk() -> Coming<fn() -> Rc<dyn Disk>> {
    Box::pin(browser_disk())
}

#[wasm_split(board, fallible)]
fn browser_disk() -> Result<fn() -> Rc<dyn Disk>, NotLoaded> {
    Ok(|| Rc::new(BrowserDisk::default()))
}

/// What listens and speaks, in its part.
pub(crate) fn voice() -> Coming<fn() -> VoicePorts> {
    Box::pin(browser_voice())
}

#[wasm_split(board, fallible)]
fn browser_voice() -> Result<fn() -> VoicePorts, NotLoaded> {
    Ok(nexus::browser::speech::ports)
}

#[wasm_split(work, fallible)]
fn work() -> Result<fn(Work), NotLoaded> {
    Ok(Work::begin)
}

#[wasm_split(codecs, fallible)]
fn core() -> Result<fn(Core), NotLoaded> {
    Ok(Core::begin)
}

#[wasm_split(codecs, fallible)]
fn archivist() -> Result<fn(Archivist), NotLoaded> {
    Ok(Archivist::begin)
}

#[wasm_split(codecs, fallible)]
fn rehearsal() -> Result<fn(Rehearsal, &HttpRequest) -> Script, NotLoaded> {
    Ok(Rehearsal::answer_to)
}

#[wasm_split(settings, fallible)]
fn data() -> Result<DataPart, NotLoaded> {
    Ok(DataPart { device: nexus::browser::device::device, keep: Desk::keep })
}

#[wasm_split(codecs, fallible)]
fn gemini() -> Result<&'static Codec, NotLoaded> {
    Ok(&codec::GEMINI)
}

#[wasm_split(codecs, fallible)]
fn openai() -> Result<&'static Codec, NotLoaded> {
    Ok(&codec::OPENAI)
}

#[wasm_split(codecs, fallible)]
fn responses() -> Result<&'static Codec, NotLoaded> {
    Ok(&codec::RESPONSES)
}

#[wasm_split(codecs, fallible)]
fn anthropic() -> Result<&'static Codec, NotLoaded> {
    Ok(&codec::ANTHROPIC)
}

#[wasm_split(codecs, fallible)]
fn ollama() -> Result<&'static Codec, NotLoaded> {
    Ok(&codec::OLLAMA)
}
