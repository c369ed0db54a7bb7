use futures_util::FutureExt as _;
use proptest::prelude::*;

use super::*;
use crate::port::Batch;
use crate::store::in_memory::InMemoryStore;
use nexus_model::mind::{MindEdit, MindWrite, resolve};

fn long() -> String {
    (0..200).map(|number| format!("line {number} of a file that somebody writes\n")).collect()
}

/// A page that stores one mind after the other.
struct DeltaStoreFixture {
    store: InMemoryStore,
    deltas: DeltaStore,
    world: World,
    minds: Vec<ContentHash>,
    bytes: Vec<usize>,
}

impl DeltaStoreFixture {
    fn new() -> Self {
        let (store, deltas, world) = (InMemoryStore::default(), DeltaStore::default(), World::default());
        let mut fixture = Self { store, deltas, world, minds: Vec::new(), bytes: Vec::new() };
        let files = |name: &str| MindEdit::File { name: name.into(), text: long() };
        fixture.keep(Mind::default().with(&[files("a.rs"), MindEdit::Scratchpad { text: long() }]));
        fixture
    }

    fn mind(&self) -> Arc<Mind> {
        self.minds.last().and_then(|hash| self.world.mind(hash)).cloned().unwrap_or_default()
    }

    fn write(&mut self, write: MindWrite) {
        let mind = self.mind();
        let edits = resolve(&mind, &mind, &[write]).unwrap();
        self.keep(mind.with(&edits));
    }

    fn keep(&mut self, mind: Mind) {
        let mut rows = World::default();
        for file in mind.files.values().filter(|file| self.world.blob(&file.hash).is_none()) {
            rows.blobs.insert(file.hash, Arc::clone(&file.text));
        }
        let (old, hash) = (self.minds.last().and_then(|hash| self.world.mind(hash)).cloned(), mind.hash());
        if self.world.mind(&hash).is_none() {
            rows.minds.insert(hash, Arc::new(mind));
        }
        self.minds.push(hash);
        let PackedRows { rows: put_if_absent, links } =
            self.deltas.rows_after(old.as_ref(), &self.world, &rows, &[]);
        self.bytes.push(put_if_absent.iter().map(|(_, (_, json))| json.len()).sum());
        self.store.write(Batch { put_if_absent, ..Batch::default() }).now_or_never().unwrap().unwrap();
        self.deltas.stored(links);
        self.world.absorb(rows);
    }

    /// Checks that everything stored is read back unchanged.
    fn check(&self) {
        let expected: VecSet<ContentHash> = self.minds.iter().cloned().collect();
        let mut damaged = Vec::new();
        let minds = minds(&self.store, &expected, &mut damaged).now_or_never().unwrap().unwrap();
        assert_eq!(minds.len(), expected.len());
        for (hash, row) in minds {
            let files: VecSet<ContentHash> = row.files.values().cloned().collect();
            let texts = texts(&self.store, &files, &mut damaged).now_or_never().unwrap().unwrap();
            let mind = Mind::of_row(row, |hash| texts.get(hash).cloned());
            assert_eq!(mind.hash(), hash);
            assert_eq!(Some(&mind), self.world.mind(&hash).map(|mind| &**mind));
        }
        assert_eq!(damaged, Vec::<String>::new());
    }
}

#[test]
fn hundred_changes_of_a_long_file_take_little_more_than_their_lines() {
    let mut fixture = DeltaStoreFixture::new();
    for number in 0..100 {
        let (search, replace) = (format!("line {number} of"), format!("row {number} of"));
        fixture.write(MindWrite::Replace { name: "a.rs".into(), search, replace, all: false });
    }
    fixture.check();
    let whole = fixture.bytes.iter().filter(|bytes| **bytes > long().len()).count();
    assert!((3..=5).contains(&whole), "a whole copy now and then: {:?}", fixture.bytes);
    let middle = |mut bytes: Vec<usize>| {
        bytes.sort_unstable();
        bytes[bytes.len() / 2]
    };
    assert!(middle(fixture.bytes.clone()) < 1_000, "{:?}", fixture.bytes);
}

#[test]
fn existing_contents_are_not_rewritten_and_a_new_page_starts_with_a_full_copy() {
    let mut fixture = DeltaStoreFixture::new();
    fixture.write(MindWrite::Scratchpad(long().replacen("line 3", "row 3", 1)));
    let image = fixture.store.image();
    let hash = fixture.minds.last().unwrap().to_string();
    let put_if_absent = vec![(Table::Minds, (hash, "{}".to_owned()))];
    fixture.store.write(Batch { put_if_absent, ..Batch::default() }).now_or_never().unwrap().unwrap();
    assert_eq!(fixture.store.image(), image);
    fixture.deltas = DeltaStore::default();
    fixture.write(MindWrite::Scratchpad(long().replacen("line 4", "row 4", 1)));
    assert!(*fixture.bytes.last().unwrap() > long().len());
    fixture.check();
}

#[test]
fn missing_bases_and_cycles_are_reported_and_the_rest_is_read() {
    let store = InMemoryStore::default();
    let (one, two, three) =
        (ContentHash::of_text("one"), ContentHash::of_text("two"), ContentHash::of_text("three"));
    let link = |hash: &ContentHash, from: &ContentHash| {
        let json = json::write(&DeltaRow { from: *from, changes: Vec::new() }).unwrap();
        (Table::Blobs, (hash.to_string(), json))
    };
    let whole = (Table::Blobs, (three.to_string(), r#"{"text":"three"}"#.to_owned()));
    let put_if_absent = vec![link(&one, &two), link(&two, &one), whole];
    store.write(Batch { put_if_absent, ..Batch::default() }).now_or_never().unwrap().unwrap();
    let mut damaged = Vec::new();
    let expected = [one, three, ContentHash::of_text("never stored")].into_iter().collect();
    let found = texts(&store, &expected, &mut damaged).now_or_never().unwrap().unwrap();
    assert_eq!(found.iter().map(|(hash, text)| (hash, &**text)).collect::<Vec<_>>(), [(&three, "three")]);
    assert_eq!(damaged.len(), 1, "{damaged:?}");
    let removes = vec![(Table::Blobs, two.to_string())];
    store.write(Batch { removes, ..Batch::default() }).now_or_never().unwrap().unwrap();
    let found = texts(&store, &expected, &mut damaged).now_or_never().unwrap().unwrap();
    assert_eq!((found.len(), damaged.len()), (1, 2));
}

proptest! {
    // Each is a history of its own, of thirty steps on average.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn stored_minds_round_trip(
        steps in proptest::collection::vec((0..3_usize, 0..200_usize, 0..4_usize), 1..60)
    ) {
        let mut fixture = DeltaStoreFixture::new();
        for (file, at, kind) in steps {
            let name = ["a.rs", "b.rs", "c.rs"][file].to_owned();
            let mut lines: Vec<String> = fixture.mind().file(&name).map_or_else(long, str::to_owned)
                .split_inclusive('\n').map(str::to_owned).collect();
            let at = at.min(lines.len().saturating_sub(1));
            match kind {
                0 if !lines.is_empty() => drop(lines.remove(at)),
                1 => lines.insert(at, format!("new {at}\n")),
                2 => fixture.deltas = DeltaStore::default(),
                _ => lines.push("no end".to_owned()),
            }
            fixture.write(MindWrite::File { name, text: lines.concat() });
        }
        fixture.check();
    }
}
