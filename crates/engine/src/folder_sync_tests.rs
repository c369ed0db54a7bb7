use futures_util::FutureExt as _;

use super::*;
use crate::port::{FileSystemUnavailable, FolderFuture, FolderListing};
use crate::store::in_memory::ready;
use nexus_model::testing::SeqIds;

/// A folder in memory, that every session can be tied to. Clones share the same contents.
#[derive(Clone, Default)]
struct InMemoryFileSystem {
    folder: Rc<RefCell<InMemoryFolder>>,
}

#[derive(Default)]
struct InMemoryFolder {
    files: VecMap<String, (Vec<u8>, u64)>,
    notes: VecMap<SessionId, String>,
    lapsed: bool,
    changes: u64,
    reads: usize,
}

impl InMemoryFileSystem {
    /// Puts a file there, as another program does.
    fn put(&self, name: &str, bytes: &[u8]) {
        let mut folder = self.folder.borrow_mut();
        folder.changes += 1;
        let modified = folder.changes;
        folder.files.insert(name.to_owned(), (bytes.to_vec(), modified));
    }

    /// Takes a file away, as another program does.
    fn take(&self, name: &str) {
        self.folder.borrow_mut().files.remove(name);
    }

    fn text(&self, name: &str) -> Option<String> {
        self.folder.borrow().files.get(name).and_then(|(bytes, _)| String::from_utf8(bytes.clone()).ok())
    }

    /// Lets the permission lapse.
    fn lapse(&self) {
        self.folder.borrow_mut().lapsed = true;
    }

    fn reads(&self) -> usize {
        self.folder.borrow().reads
    }

    fn allowed<T: 'static>(&self, work: impl FnOnce(&mut InMemoryFolder) -> T) -> FolderFuture<T> {
        let mut folder = self.folder.borrow_mut();
        ready(if folder.lapsed { Err(FileSystemError::Lapsed) } else { Ok(work(&mut folder)) })
    }
}

impl FileSystem for InMemoryFileSystem {
    fn hindrance(&self) -> Option<FileSystemUnavailable> {
        None
    }

    fn pick(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>> {
        self.folder.borrow_mut().notes.insert(session, String::new());
        self.tied(session)
    }

    fn tied(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>> {
        let folder = self.folder.borrow();
        let notes = folder.notes.get(&session).cloned();
        let allowed = !folder.lapsed;
        ready(Ok(notes.map(|notes| LinkedFolder { name: "memory".to_owned(), allowed, notes })))
    }

    fn allow(&self, _session: SessionId) -> FolderFuture<bool> {
        self.folder.borrow_mut().lapsed = false;
        ready(Ok(true))
    }

    fn list(&self, _session: SessionId) -> FolderFuture<FolderListing> {
        self.allowed(|folder| {
            let listed = |(name, (bytes, modified)): (&String, &(Vec<u8>, u64))| ListedFile {
                name: name.clone(),
                bytes: u64::try_from(bytes.len()).unwrap(),
                modified: *modified,
            };
            FolderListing { files: folder.files.iter().map(listed).collect(), cut: false }
        })
    }

    fn read(&self, _session: SessionId, name: String) -> FolderFuture<Option<Vec<u8>>> {
        self.allowed(|folder| {
            folder.reads += 1;
            folder.files.get(&name).map(|(bytes, _)| bytes.clone())
        })
    }

    fn write(&self, _session: SessionId, name: String, bytes: Vec<u8>) -> FolderFuture<()> {
        self.allowed(|folder| {
            folder.changes += 1;
            folder.files.insert(name, (bytes, folder.changes));
        })
    }

    fn note(&self, session: SessionId, notes: String) -> FolderFuture<()> {
        self.folder.borrow_mut().notes.insert(session, notes);
        ready(Ok(()))
    }

    fn forget(&self, session: SessionId) -> FolderFuture<()> {
        self.folder.borrow_mut().notes.remove(&session);
        ready(Ok(()))
    }
}

fn files(list: &[(&str, &str)]) -> SessionFiles {
    list.iter().map(|(name, text)| ((*name).to_owned(), MindFile::new(text))).collect()
}

struct FolderSyncFixture {
    disk: InMemoryFileSystem,
    session: SessionId,
    tie: FolderSync,
}

fn bench(there: &[(&str, &str)]) -> FolderSyncFixture {
    let disk = InMemoryFileSystem::default();
    for (name, text) in there {
        disk.put(name, text.as_bytes());
    }
    let session = SessionId::new(&mut SeqIds::default());
    let folder = disk.pick(session).now_or_never().unwrap().unwrap().unwrap();
    let tie = FolderSync::new(Rc::new(disk.clone()), session, &folder);
    FolderSyncFixture { disk, session, tie }
}

impl FolderSyncFixture {
    /// Looks, reads in as the page does, and gives what stands here then.
    fn look(&self, here: &SessionFiles) -> SessionFiles {
        let look = self.tie.look(here).now_or_never().unwrap().unwrap();
        let mut after = here.clone();
        for write in look.reads {
            let (MindWrite::File { name, text } | MindWrite::New { name, text }) = write else {
                panic!("{write:?}")
            };
            after.insert(name, MindFile::new(&text));
        }
        self.tie.agree(&after).now_or_never().unwrap().unwrap();
        after
    }

    fn write(&self, name: &str, text: &str, over: bool) -> WriteOutcome {
        self.tie.write(name, text, over).now_or_never().unwrap().unwrap()
    }

    fn standing(&self, here: &SessionFiles) -> Vec<(String, FileStatus)> {
        self.tie.differences(here)
    }
}

#[test]
fn the_folders_texts_are_read_in_and_what_is_no_text_is_not() {
    let bench = bench(&[("a.txt", "one\n"), ("src/b.txt", "two\n")]);
    bench.disk.put("tool.bin", &[0x7f, b'E', 0, 0]);
    bench.disk.put("huge.txt", &vec![b'x'; usize::try_from(FOLDER_FILE_BYTES).unwrap() + 1]);
    let look = bench.tie.look(&SessionFiles::new()).now_or_never().unwrap().unwrap();
    assert_eq!((look.passed_over, look.cut, look.reads.len()), (2, false, 2));
    let here = bench.look(&SessionFiles::new());
    assert_eq!(here, files(&[("a.txt", "one\n"), ("src/b.txt", "two\n")]));
    assert_eq!(bench.standing(&here), []);
}

#[test]
fn images_go_both_ways_as_their_bytes() {
    let (one, other) = (b"\x89PNG\0one", b"\x89PNG\0two");
    let bench = bench(&[("a.txt", "one\n")]);
    bench.disk.put("logo.png", one);
    let here = bench.look(&SessionFiles::new());
    assert_eq!(here["logo.png"].image().map(|image| image.bytes()), Some(8));
    assert_eq!(bench.standing(&here), []);
    let text = image_file::text_of(other).unwrap();
    let mut here = here;
    here.insert("logo.png".into(), MindFile::new(&text));
    assert_eq!(bench.standing(&here), [("logo.png".to_owned(), FileStatus::ChangedHere)]);
    assert_eq!(bench.write("logo.png", &text, false), WriteOutcome::Done);
    assert_eq!(bench.disk.folder.borrow().files["logo.png"].0, other);
    assert_eq!(bench.standing(&here), []);
}

#[test]
fn a_change_outside_is_read_in_and_one_here_is_kept_for_writing() {
    let bench = bench(&[("a", "1"), ("b", "1")]);
    let mut here = bench.look(&SessionFiles::new());
    bench.disk.put("a", b"2");
    here.insert("b".into(), MindFile::new("mine"));
    let here = bench.look(&here);
    assert_eq!(here, files(&[("a", "2"), ("b", "mine")]));
    assert_eq!(bench.standing(&here), [("b".to_owned(), FileStatus::ChangedHere)]);
    assert_eq!(bench.write("b", "mine", false), WriteOutcome::Done);
    assert_eq!(bench.disk.text("b").as_deref(), Some("mine"));
    assert_eq!(bench.standing(&here), []);
}

#[test]
fn what_the_folder_holds_is_told_as_it_was_seen_and_written() {
    let bench = bench(&[("a", "1"), ("b", "1")]);
    bench.disk.put("c", &[0x89, b'P', 0, 0]);
    assert_eq!(bench.tie.holding(), FolderContents::default(), "before the first look");
    let mut here = bench.look(&files(&[("c", "a text here")]));
    bench.disk.put("a", b"2");
    assert_eq!(bench.tie.holding().texts, files(&[("a", "1"), ("b", "1")]), "as it was seen");
    assert_eq!(bench.tie.holding().unread, ["c"]);
    here.insert("b".into(), MindFile::new("mine"));
    assert_eq!(bench.write("b", "mine", false), WriteOutcome::Done);
    bench.look(&here);
    assert_eq!(bench.tie.holding().texts, files(&[("a", "2"), ("b", "mine")]));
}

#[test]
fn what_changed_outside_is_not_overwritten_without_asking() {
    let bench = bench(&[("a", "1")]);
    let mut here = bench.look(&SessionFiles::new());
    here.insert("a".into(), MindFile::new("mine"));
    // Nobody has looked since.
    bench.disk.put("a", b"theirs");
    assert_eq!(bench.write("a", "mine", false), WriteOutcome::ChangedOutside);
    assert_eq!(bench.disk.text("a").as_deref(), Some("theirs"));
    let here = bench.look(&here);
    assert_eq!(here.get("a").unwrap().text.as_ref(), "mine", "and it is not read over mine");
    assert_eq!(bench.standing(&here), [("a".to_owned(), FileStatus::Both)]);
    assert_eq!(bench.tie.text("a").as_deref(), Some("theirs"));
    assert_eq!(bench.write("a", "mine", true), WriteOutcome::Done);
    assert_eq!(bench.disk.text("a").as_deref(), Some("mine"));
    assert_eq!(bench.standing(&here), []);
}

#[test]
fn a_new_file_does_not_take_the_place_of_one_that_is_no_text() {
    let bench = bench(&[]);
    bench.disk.put("a", &[0, 1, 2]);
    let here = files(&[("a", "mine")]);
    let here = bench.look(&here);
    assert_eq!(bench.standing(&here), [("a".to_owned(), FileStatus::Both)]);
    assert_eq!(bench.write("a", "mine", false), WriteOutcome::ChangedOutside);
}

#[test]
fn what_is_gone_on_one_side_stays_on_the_other() {
    let bench = bench(&[("a", "1"), ("b", "1")]);
    let mut here = bench.look(&SessionFiles::new());
    here.remove("a");
    bench.disk.take("b");
    let here = bench.look(&here);
    assert_eq!(here, files(&[("b", "1")]));
    assert_eq!(
        bench.standing(&here),
        [("a".to_owned(), FileStatus::GoneHere), ("b".to_owned(), FileStatus::GoneThere)]
    );
    assert_eq!(bench.disk.text("a").as_deref(), Some("1"));
}

#[test]
fn what_was_the_same_is_known_after_a_reload() {
    let first = bench(&[("a", "1"), ("b", "1")]);
    let mut here = first.look(&SessionFiles::new());
    here.insert("a".into(), MindFile::new("mine"));
    first.disk.put("b", b"theirs");
    let folder = first.disk.tied(first.session).now_or_never().unwrap().unwrap().unwrap();
    let again = FolderSyncFixture {
        tie: FolderSync::new(Rc::new(first.disk.clone()), first.session, &folder),
        disk: first.disk.clone(),
        session: first.session,
    };
    let here = again.look(&here);
    assert_eq!(here, files(&[("a", "mine"), ("b", "theirs")]));
    assert_eq!(again.standing(&here), [("a".to_owned(), FileStatus::ChangedHere)]);
}

#[test]
fn a_lapsed_permission_is_told_and_loses_nothing() {
    let bench = bench(&[("a", "1")]);
    let here = bench.look(&SessionFiles::new());
    bench.disk.lapse();
    assert_eq!(bench.tie.look(&here).now_or_never().unwrap(), Err(FileSystemError::Lapsed));
    assert_eq!(bench.tie.write("a", "2", false).now_or_never().unwrap(), Err(FileSystemError::Lapsed));
    assert_eq!(bench.standing(&here), []);
    assert_eq!(bench.disk.allow(bench.session).now_or_never().unwrap(), Ok(true));
    assert_eq!(bench.write("a", "2", false), WriteOutcome::Done);
}

#[test]
fn only_what_changed_is_read_again() {
    let bench = bench(&[("a", "1"), ("b", "1")]);
    let here = bench.look(&SessionFiles::new());
    let read = bench.disk.reads();
    let here = bench.look(&here);
    assert_eq!(bench.disk.reads(), read);
    bench.disk.put("b", b"2");
    bench.look(&here);
    assert_eq!(bench.disk.reads(), read + 1);
}

#[test]
fn what_was_written_is_known_after_a_reload() {
    let first = bench(&[("a", "1")]);
    let mut here = first.look(&SessionFiles::new());
    here.insert("a".into(), MindFile::new("mine"));
    assert_eq!(first.write("a", "mine", false), WriteOutcome::Done);
    let here = first.look(&here);
    first.disk.put("a", b"theirs, later");
    let folder = first.disk.tied(first.session).now_or_never().unwrap().unwrap().unwrap();
    let again = FolderSync::new(Rc::new(first.disk.clone()), first.session, &folder);
    let look = again.look(&here).now_or_never().unwrap().unwrap();
    assert_eq!(look.reads, [MindWrite::File { name: "a".into(), text: "theirs, later".into() }]);
}
