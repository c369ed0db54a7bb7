//! Never changes what a content is, and never builds upon one that this page did not store itself.
//!
//! Owns the form in which minds and texts are stored: whole, or as the lines in which they differ from the one before, with a
//! whole copy now and then. A row that is there is never written again, so what others build upon stays as it was.

use std::cell::RefCell;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::event::{Content, Event, Happening};
use crate::domain::hash::Hash;
use crate::domain::json;
use crate::domain::limits::DELTA_LINKS;
use crate::domain::mind::{Mind, MindRow};
use crate::domain::sorted::{SortedMap, SortedSet};
use crate::domain::text::delta::{LineChange, apply, between};
use crate::domain::world::World;
use crate::engine::port::{Row, Store, StoreError, Table};
use crate::engine::rows::read;

/// The most contents that are built upon; then it is begun anew, with whole copies.
const KNOWN: usize = 20_000;

/// A text as the table `blobs` keeps it whole.
#[derive(Serialize, Deserialize)]
struct BlobRow<'t> {
    text: std::borrow::Cow<'t, str>,
}

/// A content as the lines in which it differs from another one.
#[derive(Serialize, Deserialize)]
struct Link {
    from: Hash,
    #[serde(default)]
    changes: Vec<LineChange>,
}

/// A mind as lines, so that a line of the plan or a file among many is a small change.
#[derive(Serialize, Deserialize)]
struct MindLines {
    objective: Vec<String>,
    scratchpad: Vec<String>,
    active: Option<String>,
    files: SortedMap<String, Hash>,
}

fn lines_of(row: &MindRow) -> Option<String> {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect();
    let form = MindLines {
        objective: lines(&row.objective),
        scratchpad: lines(&row.scratchpad),
        active: row.active.clone(),
        files: row.files.clone(),
    };
    serde_json::to_string_pretty(&form).ok()
}

fn row_of(lines: &str) -> Option<MindRow> {
    let form: MindLines = json::read(lines).ok()?;
    let MindLines { objective, scratchpad, active, files } = form;
    Some(MindRow { objective: objective.concat(), scratchpad: scratchpad.concat(), active, files })
}

/// Rows on their way into the store.
pub(super) struct Packed {
    /// Minds and texts.
    pub(super) rows: Vec<(Table, Row)>,
    /// How many changes each rests on; for [`Packing::stored`].
    pub(super) links: Vec<(Hash, u32)>,
}

/// What this page has stored, and may build upon.
#[derive(Default)]
pub(super) struct Packing {
    links: RefCell<SortedMap<Hash, u32>>,
}

impl Packing {
    /// The minds and texts among `rows`, which follow from `events` in the world `before`, as the store keeps them.
    pub(super) fn rows(&self, before: &World, rows: &World, events: &[Event]) -> Packed {
        let old = rows.sessions.keys().find_map(|id| before.mind(&before.session(id)?.mind));
        self.rows_after(old, before, rows, events)
    }

    fn rows_after(&self, old: Option<&Arc<Mind>>, before: &World, rows: &World, events: &[Event]) -> Packed {
        let mut packed = Packed { rows: Vec::new(), links: Vec::new() };
        let mut bases: SortedMap<&Hash, (&Hash, &str)> = SortedMap::new();
        if let Some(old) = old {
            for (name, file) in rows.minds.values().flat_map(|mind| mind.files.iter()) {
                if let Some(was) = old.files.get(name).filter(|was| was.hash != file.hash) {
                    bases.insert(&file.hash, (&was.hash, &was.text));
                }
            }
        }
        for (text, from) in events.iter().filter_map(shown) {
            if let Some(was) = before.blob(from) {
                bases.insert(text, (from, was));
            }
        }
        for (hash, text) in &rows.blobs {
            let (json, links) = match bases.get(hash).and_then(|(from, old)| self.link(from, old, text)) {
                Some(link) => link,
                None => (json::write(&BlobRow { text: text.as_ref().into() }).ok(), 0),
            };
            packed.add(Table::Blobs, hash, json, links);
        }
        let old = old.and_then(|mind| Some((mind.hash(), lines_of(&mind.row())?)));
        for (hash, mind) in &rows.minds {
            let row = mind.row();
            let link = old.as_ref().and_then(|(from, old)| self.link(from, old, &lines_of(&row)?));
            let (json, links) = link.unwrap_or_else(|| (json::write(&row).ok(), 0));
            packed.add(Table::Minds, hash, json, links);
        }
        packed
    }

    /// A content as the changes of another one, if that is shorter and it can be built upon.
    fn link(&self, from: &Hash, old: &str, new: &str) -> Option<(Option<String>, u32)> {
        let links = self.links.borrow().get(from).copied().filter(|links| *links < DELTA_LINKS)?;
        let changes = between(old, new)?;
        Some((json::write(&Link { from: from.clone(), changes }).ok(), links.saturating_add(1)))
    }

    /// The rows are stored.
    pub(super) fn stored(&self, links: Vec<(Hash, u32)>) {
        let mut known = self.links.borrow_mut();
        if known.len() > KNOWN {
            known.clear();
        }
        known.extend(links);
    }

    /// Contents are gone: nothing is built upon what was here.
    pub(super) fn forget(&self) {
        self.links.borrow_mut().clear();
    }
}

impl Packed {
    fn add(&mut self, table: Table, hash: &Hash, json: Option<String>, links: u32) {
        // Our own types have no keys that JSON cannot hold, so there is always a row.
        if let Some(json) = json {
            self.rows.push((table, (hash.to_string(), json)));
            self.links.push((hash.clone(), links));
        }
    }
}

/// The mind's block of a call, and the one that it is told by.
fn shown(event: &Event) -> Option<(&Hash, &Hash)> {
    let Happening::ContextBuilt { recipe, contents, .. } = event.happening()? else { return None };
    let from = contents.iter().find_map(|content| match content {
        Content::Changed { from, .. } => Some(from),
        Content::Whole(_) => None,
    });
    Some((recipe.mind_text.as_ref()?, from?))
}

/// The texts of these addresses that are stored, whole. What cannot be read is told in `damaged`.
pub(super) async fn texts(
    store: &dyn Store,
    wanted: &SortedSet<Hash>,
    damaged: &mut Vec<String>,
) -> Result<SortedMap<Hash, Arc<str>>, StoreError> {
    let whole = |json: &str| read::<BlobRow<'_>>(Table::Blobs, json).map(|row| Arc::from(&*row.text));
    unpacked(store, Table::Blobs, wanted, &whole, damaged).await
}

/// The minds of these addresses that are stored, without the texts of their files.
pub(super) async fn minds(
    store: &dyn Store,
    wanted: &SortedSet<Hash>,
    damaged: &mut Vec<String>,
) -> Result<Vec<(Hash, MindRow)>, StoreError> {
    let whole = |json: &str| {
        let row = read::<MindRow>(Table::Minds, json)?;
        let lines = lines_of(&row).ok_or_else(|| StoreError::Damaged("minds".to_owned()))?;
        Ok(Arc::from(lines))
    };
    let lines = unpacked(store, Table::Minds, wanted, &whole, damaged).await?;
    Ok(lines.iter().filter_map(|(hash, lines)| Some((hash.clone(), row_of(lines)?))).collect())
}

/// The rows of these contents, each whole.
pub(super) async fn whole(
    store: &dyn Store,
    table: Table,
    wanted: &SortedSet<Hash>,
) -> Result<Vec<(Table, Row)>, StoreError> {
    let row = |hash: &Hash, json: Result<String, _>| json.ok().map(|json| (table, (hash.to_string(), json)));
    // What cannot be read is left as it is.
    let mut damaged = Vec::new();
    if table == Table::Minds {
        let minds = minds(store, wanted, &mut damaged).await?;
        return Ok(minds.iter().filter_map(|(hash, mind)| row(hash, json::write(mind))).collect());
    }
    let texts = texts(store, wanted, &mut damaged).await?;
    let blob = |text: &str| json::write(&BlobRow { text: text.into() });
    Ok(texts.iter().filter_map(|(hash, text)| row(hash, blob(text))).collect())
}

/// What the row of a content is told by, where it is not whole.
pub(super) fn link_of(json: &str) -> Option<Hash> {
    // Most rows are whole, and long.
    json.get(..9).filter(|head| head.starts_with("{\"from\""))?;
    json::read::<Link>(json).ok().map(|link| link.from)
}

async fn unpacked(
    store: &dyn Store,
    table: Table,
    wanted: &SortedSet<Hash>,
    whole: &dyn Fn(&str) -> Result<Arc<str>, StoreError>,
    damaged: &mut Vec<String>,
) -> Result<SortedMap<Hash, Arc<str>>, StoreError> {
    let mut texts: SortedMap<Hash, Arc<str>> = SortedMap::new();
    let mut links: SortedMap<Hash, Link> = SortedMap::new();
    let mut next: Vec<Hash> = wanted.iter().cloned().collect();
    while !next.is_empty() {
        let rows = store.get(table, next.iter().map(Hash::to_string).collect()).await?;
        let mut bases: SortedSet<Hash> = SortedSet::default();
        for (hash, json) in next.into_iter().zip(rows) {
            let Some(json) = json else { continue };
            if let Some(from) = link_of(&json) {
                match read::<Link>(table, &json) {
                    Ok(link) => {
                        bases.insert(from);
                        links.insert(hash, link);
                    }
                    Err(error) => damaged.push(format!("{error:?}")),
                }
            } else {
                match whole(&json) {
                    Ok(text) => drop(texts.insert(hash, text)),
                    Err(error) => damaged.push(format!("{error:?}")),
                }
            }
        }
        let is_new = |hash: &Hash| !texts.contains_key(hash) && !links.contains_key(hash);
        next = bases.iter().filter(|hash| is_new(hash)).cloned().collect();
    }
    let mut found: SortedMap<Hash, Arc<str>> = SortedMap::new();
    for hash in wanted.iter() {
        match followed(hash, &links, &mut texts) {
            Ok(text) => drop(found.insert(hash.clone(), text)),
            // What was never stored is no damage.
            Err(Broken::Absent) if !links.contains_key(hash) => {}
            Err(_) => damaged.push(format!("{}: {hash} is told by a content that is not here", table.name())),
        }
    }
    Ok(found)
}

enum Broken {
    Absent,
    Misfit,
}

/// The text at the end of a chain of changes; all on the way are kept, for others that rest on them.
fn followed(
    hash: &Hash,
    links: &SortedMap<Hash, Link>,
    texts: &mut SortedMap<Hash, Arc<str>>,
) -> Result<Arc<str>, Broken> {
    let mut way: Vec<&Hash> = Vec::new();
    let mut at = hash;
    while !texts.contains_key(at) {
        // A chain that comes back to itself is longer than there are rows.
        let link = links.get(at).filter(|_| way.len() <= links.len()).ok_or(Broken::Absent)?;
        way.push(at);
        at = &link.from;
    }
    let mut text = texts.get(at).cloned().ok_or(Broken::Absent)?;
    for step in way.into_iter().rev() {
        let link = links.get(step).ok_or(Broken::Absent)?;
        text = apply(&text, &link.changes).map(Arc::from).ok_or(Broken::Misfit)?;
        texts.insert(step.clone(), Arc::clone(&text));
    }
    Ok(text)
}

#[cfg(test)]
#[path = "packing_tests.rs"]
mod tests;
