//! Delta storage: stores minds and texts in full or as line deltas to an earlier one.
//!
//! Long chains are cut by a full copy. A stored row is never rewritten, whichever tab wrote it, and only rows that this
//! page wrote are used as bases, so chains have no cycles. Before a base is purged, its deltas are stored in full.

use crate::prelude::*;
use crate::store::read;
use nexus_model::event::StoredContent;
use nexus_model::limits::DELTA_LINKS;
use nexus_model::mind::MindRow;
use nexus_text::diff::delta::{LineSplice, apply, between};
use serde::{Deserialize, Serialize};

/// Max known bases; then the list is cleared, and full copies are written.
const BASES_MAX: usize = 20_000;

/// A full text in the table `blobs`.
#[derive(Serialize, Deserialize)]
struct BlobRow<'t> {
    text: std::borrow::Cow<'t, str>,
}

/// A content as line changes of another one.
#[derive(Serialize, Deserialize)]
struct DeltaRow {
    from: ContentHash,
    #[serde(default)]
    changes: Vec<LineSplice>,
}

/// A mind as lines, so that a changed line of the plan or one file among many is a small delta.
#[derive(Serialize, Deserialize)]
struct MindLines {
    objective: Vec<String>,
    scratchpad: Vec<String>,
    active: Option<String>,
    files: VecMap<String, ContentHash>,
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

pub(crate) struct PackedRows {
    pub(crate) rows: Vec<(Table, StoredRow)>,
    /// The length of each row's delta chain; for [`DeltaStore::stored`].
    pub(crate) links: Vec<(ContentHash, u32)>,
}

/// The contents that this page has stored and can use as bases.
#[derive(Default)]
pub(crate) struct DeltaStore {
    links: RefCell<VecMap<ContentHash, u32>>,
}

impl DeltaStore {
    /// Encodes the minds and texts among `rows`, which result from `events` in the world `before`.
    pub(crate) fn rows(&self, before: &World, rows: &World, events: &[Event]) -> PackedRows {
        let old = rows.sessions.keys().find_map(|id| before.mind(&before.session(id)?.mind));
        self.rows_after(old, before, rows, events)
    }

    fn rows_after(
        &self,
        old: Option<&Arc<Mind>>,
        before: &World,
        rows: &World,
        events: &[Event],
    ) -> PackedRows {
        let mut packed = PackedRows { rows: Vec::new(), links: Vec::new() };
        let mut bases: VecMap<&ContentHash, (&ContentHash, &str)> = VecMap::new();
        if let Some(old) = old {
            for (name, file) in rows.minds.values().flat_map(|mind| mind.files.iter()) {
                if let Some(was) = old.files.get(name).filter(|was| was.hash != file.hash) {
                    bases.insert(&file.hash, (&was.hash, &was.text));
                }
            }
        }
        for (text, from) in events.iter().filter_map(mind_block_base) {
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

    /// Encodes a content as a delta, if that is shorter and the base can be used.
    fn link(&self, from: &ContentHash, old: &str, new: &str) -> Option<(Option<String>, u32)> {
        let links = self.links.borrow().get(from).copied().filter(|links| *links < DELTA_LINKS)?;
        let changes = between(old, new)?;
        Some((json::write(&DeltaRow { from: *from, changes }).ok(), links.saturating_add(1)))
    }

    pub(crate) fn stored(&self, links: Vec<(ContentHash, u32)>) {
        let mut known = self.links.borrow_mut();
        if known.len() > BASES_MAX {
            known.clear();
        }
        known.extend(links);
    }

    /// Clears the bases after contents were purged.
    pub(crate) fn forget(&self) {
        self.links.borrow_mut().clear();
    }
}

impl PackedRows {
    fn add(&mut self, table: Table, hash: &ContentHash, json: Option<String>, links: u32) {
        // Never `None` for our types, whose keys are all valid in JSON.
        if let Some(json) = json {
            self.rows.push((table, (hash.to_string(), json)));
            self.links.push((*hash, links));
        }
    }
}

/// The mind block of a call, and the content that it is a delta of.
fn mind_block_base(event: &Event) -> Option<(&ContentHash, &ContentHash)> {
    let EventKind::ContextBuilt { recipe, contents, .. } = event.known_kind()? else { return None };
    let from = contents.iter().find_map(|content| match content {
        StoredContent::Changed { from, .. } => Some(from),
        StoredContent::Whole(_) => None,
    });
    Some((recipe.mind_text.as_ref()?, from?))
}

/// The full texts of these hashes, if stored. Reports unreadable ones in `damaged`.
pub(crate) async fn texts(
    store: &dyn Store,
    wanted: &VecSet<ContentHash>,
    damaged: &mut Vec<String>,
) -> StoreResult<VecMap<ContentHash, Arc<str>>> {
    let whole = |json: &str| read::<BlobRow<'_>>(Table::Blobs, json).map(|row| Arc::from(&*row.text));
    unpacked(store, Table::Blobs, wanted, &whole, damaged).await
}

/// The stored minds of these hashes, without the texts of their files.
pub(crate) async fn minds(
    store: &dyn Store,
    wanted: &VecSet<ContentHash>,
    damaged: &mut Vec<String>,
) -> StoreResult<Vec<(ContentHash, MindRow)>> {
    let whole = |json: &str| {
        let row = read::<MindRow>(Table::Minds, json)?;
        let lines = lines_of(&row).ok_or_else(|| StoreError::Damaged("minds".to_owned()))?;
        Ok(Arc::from(lines))
    };
    let lines = unpacked(store, Table::Minds, wanted, &whole, damaged).await?;
    Ok(lines.iter().filter_map(|(hash, lines)| Some((*hash, row_of(lines)?))).collect())
}

pub(crate) async fn whole(
    store: &dyn Store,
    table: Table,
    wanted: &VecSet<ContentHash>,
) -> StoreResult<Vec<(Table, StoredRow)>> {
    let row =
        |hash: &ContentHash, json: Result<String, _>| json.ok().map(|json| (table, (hash.to_string(), json)));
    // Unreadable contents are left unchanged.
    let mut damaged = Vec::new();
    if table == Table::Minds {
        let minds = minds(store, wanted, &mut damaged).await?;
        return Ok(minds.iter().filter_map(|(hash, mind)| row(hash, json::write(mind))).collect());
    }
    let texts = texts(store, wanted, &mut damaged).await?;
    let blob = |text: &str| json::write(&BlobRow { text: text.into() });
    Ok(texts.iter().filter_map(|(hash, text)| row(hash, blob(text))).collect())
}

pub(crate) fn link_of(json: &str) -> Option<ContentHash> {
    delta_of(json).map(|link| link.from)
}

fn delta_of(json: &str) -> Option<DeltaRow> {
    // A cheap check first: most rows are full, and long.
    json.get(..9).filter(|head| head.starts_with("{\"from\""))?;
    json::read(json).ok()
}

async fn unpacked(
    store: &dyn Store,
    table: Table,
    wanted: &VecSet<ContentHash>,
    whole: &dyn Fn(&str) -> StoreResult<Arc<str>>,
    damaged: &mut Vec<String>,
) -> StoreResult<VecMap<ContentHash, Arc<str>>> {
    let mut texts: VecMap<ContentHash, Arc<str>> = VecMap::new();
    let mut links: VecMap<ContentHash, DeltaRow> = VecMap::new();
    let mut next: Vec<ContentHash> = wanted.iter().copied().collect();
    while !next.is_empty() {
        let rows = store.get(table, next.iter().map(ContentHash::to_string).collect()).await?;
        let mut bases: VecSet<ContentHash> = VecSet::default();
        for (hash, json) in next.into_iter().zip(rows) {
            let Some(json) = json else { continue };
            if let Some(link) = delta_of(&json) {
                bases.insert(link.from);
                links.insert(hash, link);
            } else {
                match whole(&json) {
                    Ok(text) => drop(texts.insert(hash, text)),
                    Err(error) => damaged.push(error.to_string()),
                }
            }
        }
        let is_new = |hash: &ContentHash| !texts.contains_key(hash) && !links.contains_key(hash);
        next = bases.iter().filter(|hash| is_new(hash)).copied().collect();
    }
    let mut found: VecMap<ContentHash, Arc<str>> = VecMap::new();
    for hash in wanted.iter() {
        match resolve(hash, &links, &mut texts) {
            Some(text) => drop(found.insert(*hash, text)),
            // A content that was never stored is not damaged.
            None if !links.contains_key(hash) => {}
            None => damaged.push(format!("{}: {hash} needs a content that is missing", table.name())),
        }
    }
    Ok(found)
}

/// Resolves a chain of deltas; caches all intermediate texts for other chains.
fn resolve(
    hash: &ContentHash,
    links: &VecMap<ContentHash, DeltaRow>,
    texts: &mut VecMap<ContentHash, Arc<str>>,
) -> Option<Arc<str>> {
    let mut chain: Vec<&ContentHash> = Vec::new();
    let mut at = hash;
    while !texts.contains_key(at) {
        // A chain with more steps than there are rows is a cycle.
        let link = links.get(at).filter(|_| chain.len() <= links.len())?;
        chain.push(at);
        at = &link.from;
    }
    let mut text = texts.get(at).cloned()?;
    for step in chain.into_iter().rev() {
        let link = links.get(step)?;
        text = apply(&text, &link.changes).map(Arc::from)?;
        texts.insert(*step, Arc::clone(&text));
    }
    Some(text)
}

#[cfg(test)]
mod tests;
