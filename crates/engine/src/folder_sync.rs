//! Three-way sync of a session's files with a folder on disk, based on their last common state.
//!
//! Never overwrites an outside change unless the operator confirms it, and never deletes a file of the folder.

use crate::port::{FileSystem, FileSystemError, LinkedFolder, ListedFile};
use crate::prelude::*;
use nexus_model::limits::{FOLDER_BYTES, FOLDER_FILE_BYTES, FOLDER_FILES};
use nexus_model::mind::blob::disk_bytes;
use nexus_model::mind::folder_sync::{FileHashes, FileStatus, FolderContents, common_state, differences};
use nexus_model::mind::{MindFile, blob, file_name};

pub type SessionFiles = VecMap<String, MindFile>;

pub struct FolderSync {
    disk: Rc<dyn FileSystem>,
    session: SessionId,
    last: RefCell<FileHashes>,
    on_disk: RefCell<VecMap<String, DiskFile>>,
    saved_notes: RefCell<FileHashes>,
}

#[derive(Clone)]
struct DiskFile {
    bytes: u64,
    modified: u64,
    hash: ContentHash,
    /// Its text; `None` if it is not text or too large.
    text: Option<Arc<str>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderScan {
    /// The writes that import the folder's changes into files that did not change in the session.
    pub reads: Vec<MindWrite>,
    /// Number of files that are not text or too large.
    pub skipped: usize,
    /// True if there are more files than a session accepts.
    pub is_truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Done,
    /// Not written: it changed outside since the last common state.
    ChangedOutside,
}

impl FolderSync {
    /// Links a session to the folder that was picked or restored for it.
    pub fn new(disk: Rc<dyn FileSystem>, session: SessionId, folder: &LinkedFolder) -> Self {
        // Without notes every difference counts as a conflict and needs confirmation.
        let last: FileHashes = json::read(&folder.notes).unwrap_or_default();
        let saved_notes = RefCell::new(last.clone());
        Self { disk, session, last: RefCell::new(last), on_disk: RefCell::default(), saved_notes }
    }

    pub fn session(&self) -> SessionId {
        self.session
    }

    /// Scans the folder and returns what to import. Reads only files that changed since the last scan.
    pub async fn scan(&self, here: &SessionFiles) -> Result<FolderScan, FileSystemError> {
        let listing = self.disk.list(self.session).await?;
        let (mut on_disk, mut room, mut look) = (VecMap::new(), FOLDER_BYTES, FolderScan::default());
        look.is_truncated = listing.is_truncated || listing.files.len() > FOLDER_FILES;
        for file in listing.files.into_iter().take(FOLDER_FILES) {
            let fits = file.bytes <= FOLDER_FILE_BYTES && file.bytes <= room;
            if !fits {
                look.is_truncated |= file.bytes > room;
            }
            let Some(found) = self.read_file(&file, fits).await? else { continue };
            match found.text {
                Some(_) => room = room.saturating_sub(found.bytes),
                None => look.skipped += 1,
            }
            // Other files matter only if the session has a file of the same name.
            if found.text.is_some()
                || here.contains_key(&file.name)
                || self.last.borrow().contains_key(&file.name)
            {
                on_disk.insert(file.name, found);
            }
        }
        *self.on_disk.borrow_mut() = on_disk;
        for (name, status) in self.differences(here) {
            let Some(text) = self.text(&name).filter(|_| status.is_read()) else { continue };
            let (name, text) = (name, text.to_string());
            look.reads.push(match here.contains_key(&name) {
                true => MindWrite::File { name, text },
                false => MindWrite::New { name, text },
            });
        }
        Ok(look)
    }

    async fn read_file(&self, file: &ListedFile, fits: bool) -> Result<Option<DiskFile>, FileSystemError> {
        let known = self.on_disk.borrow().get(&file.name).cloned();
        if let Some(known) =
            known.filter(|known| known.bytes == file.bytes && known.modified == file.modified)
        {
            return Ok(Some(known));
        }
        let (bytes, modified) = (file.bytes, file.modified);
        if !fits {
            return Ok(Some(not_read(bytes, modified)));
        }
        // It may have been deleted since it was listed.
        let content = match self.disk.read(self.session, file.name.clone()).await {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(None),
            // One unreadable file does not stop the scan.
            Err(FileSystemError::Failed(_)) => return Ok(Some(not_read(bytes, modified))),
            Err(error) => return Err(error),
        };
        let text = text_of(&content);
        let hash = hash_of(&content, text.as_deref());
        Ok(Some(DiskFile { bytes, modified, hash, text: text.map(Arc::from) }))
    }

    /// The status of each file that differs, as of the last scan.
    pub fn differences(&self, here: &SessionFiles) -> Vec<(String, FileStatus)> {
        differences(&self.last.borrow(), &hashes(here), &self.hashes_on_disk())
    }

    /// The text of a file in the folder, as of the last scan.
    pub fn text(&self, name: &str) -> Option<Arc<str>> {
        self.on_disk.borrow().get(name).and_then(|seen| seen.text.clone())
    }

    /// The folder's contents as of the last scan, with files written since.
    pub fn contents(&self) -> FolderContents {
        let mut contents = FolderContents::default();
        for (name, seen) in self.on_disk.borrow().iter() {
            match &seen.text {
                Some(text) => {
                    let file = MindFile { text: Arc::clone(text), hash: seen.hash };
                    contents.texts.insert(name.clone(), file);
                }
                None => contents.unread.push(name.clone()),
            }
        }
        contents
    }

    /// Records what both sides have in common after an import or a write.
    pub async fn record_common_state(&self, here: &SessionFiles) -> Result<(), FileSystemError> {
        let known = common_state(&self.last.borrow(), &hashes(here), &self.hashes_on_disk());
        *self.last.borrow_mut() = known.clone();
        if known == *self.saved_notes.borrow() {
            return Ok(());
        }
        let notes = json::write(&known).map_err(|error| FileSystemError::Failed(error.to_string()))?;
        *self.saved_notes.borrow_mut() = known;
        self.disk.save_notes(self.session, notes).await
    }

    /// Writes a file into the folder if it has not changed there since the last common state, or if `over` allows it to
    /// be overwritten.
    pub async fn write(&self, name: &str, text: &str, over: bool) -> Result<WriteOutcome, FileSystemError> {
        let current = self.disk.read(self.session, name.to_owned()).await?;
        let current = current.map(|bytes| hash_of(&bytes, text_of(&bytes).as_deref()));
        let wanted = ContentHash::of_text(text);
        if !over && current != Some(wanted) && current.as_ref() != self.last.borrow().get(name) {
            return Ok(WriteOutcome::ChangedOutside);
        }
        if current.as_ref() != Some(&wanted) {
            self.disk.write(self.session, name.to_owned(), disk_bytes(text)).await?;
        }
        // An impossible size, so that the next scan reads the file.
        let seen = DiskFile { bytes: u64::MAX, modified: 0, hash: wanted, text: Some(Arc::from(text)) };
        self.on_disk.borrow_mut().insert(name.to_owned(), seen);
        self.last.borrow_mut().insert(name.to_owned(), wanted);
        Ok(WriteOutcome::Done)
    }

    fn hashes_on_disk(&self) -> FileHashes {
        self.on_disk.borrow().iter().map(|(name, seen)| (name.clone(), seen.hash)).collect()
    }
}

/// The text of a file with these bytes in a session, also for an image.
fn text_of(bytes: &[u8]) -> Option<String> {
    blob::image_text(bytes).or_else(|| file_name::text_of(bytes.to_vec()))
}

/// Hash of a file's text in the session; of its bytes if it has no text there.
fn hash_of(bytes: &[u8], text: Option<&str>) -> ContentHash {
    text.map_or_else(|| ContentHash::of_bytes(bytes), ContentHash::of_text)
}

/// A file that was not read: it differs from any file of the session, and each change of it is noticed.
fn not_read(bytes: u64, modified: u64) -> DiskFile {
    DiskFile {
        bytes,
        modified,
        hash: ContentHash::of_text(&format!("not read: {bytes} bytes of {modified}")),
        text: None,
    }
}

fn hashes(files: &SessionFiles) -> FileHashes {
    files.iter().map(|(name, file)| (name.clone(), file.hash)).collect()
}

#[cfg(test)]
mod tests;
