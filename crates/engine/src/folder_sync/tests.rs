use futures_util::FutureExt as _;

use super::*;
use crate::port::{FileSystemUnavailable, FolderFuture, FolderListing};
use crate::store::in_memory::ready;
use nexus_model::testing::SeqIds;

/// A folder in memory that any session can be linked to. Clones share their contents.
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
    /// Writes a file, like another program.
    fn put(&self, name: &str, bytes: &[u8]) {
        let mut folder = self.folder.borrow_mut();
        folder.changes += 1;
        let modified = folder.changes;
        folder.files.insert(name.to_owned(), (bytes.to_vec(), modified));
    }

    /// Deletes a file, like another program.
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
    fn unavailable(&self) -> Option<FileSystemUnavailable> {
        None
    }

    fn pick(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>> {
        self.folder.borrow_mut().notes.insert(session, String::new());
        self.linked_folder(session)
    }

    fn linked_folder(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>> {
        let folder = self.folder.borrow();
        let notes = folder.notes.get(&session).cloned();
        let allowed = !folder.lapsed;
        ready(Ok(notes.map(|notes| LinkedFolder { name: "memory".to_owned(), allowed, notes })))
    }

    fn request_access(&self, _session: SessionId) -> FolderFuture<bool> {
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
            FolderListing { files: folder.files.iter().map(listed).collect(), is_truncated: false }
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

    fn save_notes(&self, session: SessionId, notes: String) -> FolderFuture<()> {
        self.folder.borrow_mut().notes.insert(session, notes);
        ready(Ok(()))
    }

    fn unlink(&self, session: SessionId) -> FolderFuture<()> {
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
    sync: FolderSync,
}

fn fixture(there: &[(&str, &str)]) -> FolderSyncFixture {
    let disk = InMemoryFileSystem::default();
    for (name, text) in there {
        disk.put(name, text.as_bytes());
    }
    let session = SessionId::new(&mut SeqIds::default());
    let folder = disk.pick(session).now_or_never().unwrap().unwrap().unwrap();
    let sync = FolderSync::new(Rc::new(disk.clone()), session, &folder);
    FolderSyncFixture { disk, session, sync }
}

impl FolderSyncFixture {
    /// Scans, imports like the page, and returns the session's files afterwards.
    fn scan(&self, here: &SessionFiles) -> SessionFiles {
        let scan = self.sync.scan(here).now_or_never().unwrap().unwrap();
        let mut after = here.clone();
        for write in scan.reads {
            let (MindWrite::File { name, text } | MindWrite::New { name, text }) = write else {
                panic!("{write:?}")
            };
            after.insert(name, MindFile::new(&text));
        }
        self.sync.record_common_state(&after).now_or_never().unwrap().unwrap();
        after
    }

    fn write(&self, name: &str, text: &str, over: bool) -> WriteOutcome {
        self.sync.write(name, text, over).now_or_never().unwrap().unwrap()
    }

    fn status(&self, here: &SessionFiles) -> Vec<(String, FileStatus)> {
        self.sync.differences(here)
    }
}

#[test]
fn text_files_are_imported_and_others_are_not() {
    let fixture = fixture(&[("a.txt", "one\n"), ("src/b.txt", "two\n")]);
    fixture.disk.put("tool.bin", &[0x7f, b'E', 0, 0]);
    fixture.disk.put("huge.txt", &vec![b'x'; usize::try_from(FOLDER_FILE_BYTES).unwrap() + 1]);
    let scan = fixture.sync.scan(&SessionFiles::new()).now_or_never().unwrap().unwrap();
    assert_eq!((scan.skipped, scan.is_truncated, scan.reads.len()), (2, false, 2));
    let here = fixture.scan(&SessionFiles::new());
    assert_eq!(here, files(&[("a.txt", "one\n"), ("src/b.txt", "two\n")]));
    assert_eq!(fixture.status(&here), []);
}

#[test]
fn images_sync_both_ways_as_bytes() {
    let (one, other) = (b"\x89PNG\0one", b"\x89PNG\0two");
    let fixture = fixture(&[("a.txt", "one\n")]);
    fixture.disk.put("logo.png", one);
    let here = fixture.scan(&SessionFiles::new());
    assert_eq!(here["logo.png"].image().map(|image| image.bytes()), Some(8));
    assert_eq!(fixture.status(&here), []);
    let text = nexus_model::mind::blob::image_text(other).unwrap();
    let mut here = here;
    here.insert("logo.png".into(), MindFile::new(&text));
    assert_eq!(fixture.status(&here), [("logo.png".to_owned(), FileStatus::ChangedInSession)]);
    assert_eq!(fixture.write("logo.png", &text, false), WriteOutcome::Done);
    assert_eq!(fixture.disk.folder.borrow().files["logo.png"].0, other);
    assert_eq!(fixture.status(&here), []);
}

#[test]
fn outside_change_is_imported_and_local_change_waits_for_writing() {
    let fixture = fixture(&[("a", "1"), ("b", "1")]);
    let mut here = fixture.scan(&SessionFiles::new());
    fixture.disk.put("a", b"2");
    here.insert("b".into(), MindFile::new("mine"));
    let here = fixture.scan(&here);
    assert_eq!(here, files(&[("a", "2"), ("b", "mine")]));
    assert_eq!(fixture.status(&here), [("b".to_owned(), FileStatus::ChangedInSession)]);
    assert_eq!(fixture.write("b", "mine", false), WriteOutcome::Done);
    assert_eq!(fixture.disk.text("b").as_deref(), Some("mine"));
    assert_eq!(fixture.status(&here), []);
}

#[test]
fn contents_are_those_of_the_last_scan_and_writes_since() {
    let fixture = fixture(&[("a", "1"), ("b", "1")]);
    fixture.disk.put("c", &[0x89, b'P', 0, 0]);
    assert_eq!(fixture.sync.contents(), FolderContents::default(), "before the first look");
    let mut here = fixture.scan(&files(&[("c", "a text here")]));
    fixture.disk.put("a", b"2");
    assert_eq!(fixture.sync.contents().texts, files(&[("a", "1"), ("b", "1")]), "as it was seen");
    assert_eq!(fixture.sync.contents().unread, ["c"]);
    here.insert("b".into(), MindFile::new("mine"));
    assert_eq!(fixture.write("b", "mine", false), WriteOutcome::Done);
    fixture.scan(&here);
    assert_eq!(fixture.sync.contents().texts, files(&[("a", "2"), ("b", "mine")]));
}

#[test]
fn outside_change_is_not_overwritten_without_confirmation() {
    let fixture = fixture(&[("a", "1")]);
    let mut here = fixture.scan(&SessionFiles::new());
    here.insert("a".into(), MindFile::new("mine"));
    // No scan since then.
    fixture.disk.put("a", b"theirs");
    assert_eq!(fixture.write("a", "mine", false), WriteOutcome::ChangedOutside);
    assert_eq!(fixture.disk.text("a").as_deref(), Some("theirs"));
    let here = fixture.scan(&here);
    assert_eq!(here.get("a").unwrap().text.as_ref(), "mine", "and it is not read over mine");
    assert_eq!(fixture.status(&here), [("a".to_owned(), FileStatus::ChangedInBoth)]);
    assert_eq!(fixture.sync.text("a").as_deref(), Some("theirs"));
    assert_eq!(fixture.write("a", "mine", true), WriteOutcome::Done);
    assert_eq!(fixture.disk.text("a").as_deref(), Some("mine"));
    assert_eq!(fixture.status(&here), []);
}

#[test]
fn new_file_does_not_replace_a_binary_file() {
    let fixture = fixture(&[]);
    fixture.disk.put("a", &[0, 1, 2]);
    let here = files(&[("a", "mine")]);
    let here = fixture.scan(&here);
    assert_eq!(fixture.status(&here), [("a".to_owned(), FileStatus::ChangedInBoth)]);
    assert_eq!(fixture.write("a", "mine", false), WriteOutcome::ChangedOutside);
}

#[test]
fn deletion_on_one_side_is_not_synced() {
    let fixture = fixture(&[("a", "1"), ("b", "1")]);
    let mut here = fixture.scan(&SessionFiles::new());
    here.remove("a");
    fixture.disk.take("b");
    let here = fixture.scan(&here);
    assert_eq!(here, files(&[("b", "1")]));
    assert_eq!(
        fixture.status(&here),
        [("a".to_owned(), FileStatus::DeletedInSession), ("b".to_owned(), FileStatus::DeletedInFolder)]
    );
    assert_eq!(fixture.disk.text("a").as_deref(), Some("1"));
}

#[test]
fn common_state_survives_a_reload() {
    let first = fixture(&[("a", "1"), ("b", "1")]);
    let mut here = first.scan(&SessionFiles::new());
    here.insert("a".into(), MindFile::new("mine"));
    first.disk.put("b", b"theirs");
    let folder = first.disk.linked_folder(first.session).now_or_never().unwrap().unwrap().unwrap();
    let again = FolderSyncFixture {
        sync: FolderSync::new(Rc::new(first.disk.clone()), first.session, &folder),
        disk: first.disk.clone(),
        session: first.session,
    };
    let here = again.scan(&here);
    assert_eq!(here, files(&[("a", "mine"), ("b", "theirs")]));
    assert_eq!(again.status(&here), [("a".to_owned(), FileStatus::ChangedInSession)]);
}

#[test]
fn lapsed_permission_is_reported_and_loses_nothing() {
    let fixture = fixture(&[("a", "1")]);
    let here = fixture.scan(&SessionFiles::new());
    fixture.disk.lapse();
    assert_eq!(fixture.sync.scan(&here).now_or_never().unwrap(), Err(FileSystemError::Lapsed));
    assert_eq!(fixture.sync.write("a", "2", false).now_or_never().unwrap(), Err(FileSystemError::Lapsed));
    assert_eq!(fixture.status(&here), []);
    assert_eq!(fixture.disk.request_access(fixture.session).now_or_never().unwrap(), Ok(true));
    assert_eq!(fixture.write("a", "2", false), WriteOutcome::Done);
}

#[test]
fn only_changed_files_are_read_again() {
    let fixture = fixture(&[("a", "1"), ("b", "1")]);
    let here = fixture.scan(&SessionFiles::new());
    let read = fixture.disk.reads();
    let here = fixture.scan(&here);
    assert_eq!(fixture.disk.reads(), read);
    fixture.disk.put("b", b"2");
    fixture.scan(&here);
    assert_eq!(fixture.disk.reads(), read + 1);
}

#[test]
fn writes_survive_a_reload() {
    let first = fixture(&[("a", "1")]);
    let mut here = first.scan(&SessionFiles::new());
    here.insert("a".into(), MindFile::new("mine"));
    assert_eq!(first.write("a", "mine", false), WriteOutcome::Done);
    let here = first.scan(&here);
    first.disk.put("a", b"theirs, later");
    let folder = first.disk.linked_folder(first.session).now_or_never().unwrap().unwrap().unwrap();
    let again = FolderSync::new(Rc::new(first.disk.clone()), first.session, &folder);
    let scan = again.scan(&here).now_or_never().unwrap().unwrap();
    assert_eq!(scan.reads, [MindWrite::File { name: "a".into(), text: "theirs, later".into() }]);
}
