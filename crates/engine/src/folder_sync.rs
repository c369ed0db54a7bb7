//! Three-way sync of a session's files with a folder on disk, from the last common state of both.
//!
//! Never overwrites an outside change unless the operator says so, and never deletes a file of the folder.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::port::{FileSystem, FileSystemError, LinkedFolder, ListedFile};
use nexus_model::id::SessionId;
use nexus_model::limits::{FOLDER_BYTES, FOLDER_FILE_BYTES, FOLDER_FILES};
use nexus_model::mind::file_name;
use nexus_model::mind::folder_sync::{FileHashes, FileStatus, FolderContents, agreed, differences};
use nexus_model::mind::image_file;
use nexus_model::mind::image_file::disk_bytes;
use nexus_model::mind::{MindFile, MindWrite};
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::vec_map::VecMap;

/// The files of a session, as they are compared with a folder.
pub type SessionFiles = VecMap<String, MindFile>;

/// A session's tie to a folder.
pub struct FolderSync {
    disk: Rc<dyn FileSystem>,
    session: SessionId,
    last: RefCell<FileHashes>,
    there: RefCell<VecMap<String, SeenFile>>,
    /// What is kept beside the tie.
    noted: RefCell<FileHashes>,
}

#[derive(Clone)]
struct SeenFile {
    bytes: u64,
    modified: u64,
    hash: ContentHash,
    /// Its text; `None` where it is none, or too large.
    text: Option<Arc<str>>,
}

/// What a look at the folder gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderScan {
    /// What reads the folder's changes in, where nothing was changed here.
    pub reads: Vec<MindWrite>,
    /// Files that are no text or too large.
    pub passed_over: usize,
    /// Whether there are more files than a session takes.
    pub cut: bool,
}

/// What came of writing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Done,
    /// It was not written: it changed outside since both were the same.
    ChangedOutside,
}

impl FolderSync {
    /// The tie of a session to the folder that was picked or found for it.
    pub fn new(disk: Rc<dyn FileSystem>, session: SessionId, folder: &LinkedFolder) -> Self {
        // Without notes every difference counts as one of both sides, which asks.
        let last: FileHashes = json::read(&folder.notes).unwrap_or_default();
        let noted = RefCell::new(last.clone());
        Self { disk, session, last: RefCell::new(last), there: RefCell::default(), noted }
    }

    pub fn session(&self) -> SessionId {
        self.session
    }

    /// Looks at the folder, and says what to read in. Only files that changed since the last look are read.
    pub async fn look(&self, here: &SessionFiles) -> Result<FolderScan, FileSystemError> {
        let listing = self.disk.list(self.session).await?;
        let (mut there, mut room, mut look) = (VecMap::new(), FOLDER_BYTES, FolderScan::default());
        look.cut = listing.cut || listing.files.len() > FOLDER_FILES;
        for file in listing.files.into_iter().take(FOLDER_FILES) {
            let fits = file.bytes <= FOLDER_FILE_BYTES && file.bytes <= room;
            if !fits {
                look.cut |= file.bytes > room;
            }
            let Some(seen) = self.see(&file, fits).await? else { continue };
            match seen.text {
                Some(_) => room = room.saturating_sub(seen.bytes),
                None => look.passed_over += 1,
            }
            // What is no text matters only where it stands in the way of a file of the session.
            if seen.text.is_some()
                || here.contains_key(&file.name)
                || self.last.borrow().contains_key(&file.name)
            {
                there.insert(file.name, seen);
            }
        }
        *self.there.borrow_mut() = there;
        for (name, standing) in self.differences(here) {
            let Some(text) = self.text(&name).filter(|_| standing.is_read()) else { continue };
            let (name, text) = (name, text.to_string());
            look.reads.push(match here.contains_key(&name) {
                true => MindWrite::File { name, text },
                false => MindWrite::New { name, text },
            });
        }
        Ok(look)
    }

    async fn see(&self, file: &ListedFile, fits: bool) -> Result<Option<SeenFile>, FileSystemError> {
        let known = self.there.borrow().get(&file.name).cloned();
        if let Some(known) =
            known.filter(|known| known.bytes == file.bytes && known.modified == file.modified)
        {
            return Ok(Some(known));
        }
        let (bytes, modified) = (file.bytes, file.modified);
        if !fits {
            return Ok(Some(not_read(bytes, modified)));
        }
        // It may be gone since it was listed.
        let content = match self.disk.read(self.session, file.name.clone()).await {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(None),
            // One file that cannot be read keeps nobody from the others.
            Err(FileSystemError::Failed(_)) => return Ok(Some(not_read(bytes, modified))),
            Err(error) => return Err(error),
        };
        let text = text_of(&content);
        let hash = address_of(&content, text.as_deref());
        Ok(Some(SeenFile { bytes, modified, hash, text: text.map(Arc::from) }))
    }

    /// How each file stands that does not stand the same, as far as the last look knows.
    pub fn differences(&self, here: &SessionFiles) -> Vec<(String, FileStatus)> {
        differences(&self.last.borrow(), &addresses(here), &self.addresses_there())
    }

    /// The text of a file as the folder had it at the last look.
    pub fn text(&self, name: &str) -> Option<Arc<str>> {
        self.there.borrow().get(name).and_then(|seen| seen.text.clone())
    }

    /// What the folder held at the last look, and what was written into it since.
    pub fn holding(&self) -> FolderContents {
        let mut holding = FolderContents::default();
        for (name, seen) in self.there.borrow().iter() {
            match &seen.text {
                Some(text) => {
                    let file = MindFile { text: Arc::clone(text), hash: seen.hash };
                    holding.texts.insert(name.clone(), file);
                }
                None => holding.unread.push(name.clone()),
            }
        }
        holding
    }

    /// Notes what is the same on both sides now, after reading in or writing.
    pub async fn agree(&self, here: &SessionFiles) -> Result<(), FileSystemError> {
        let known = agreed(&self.last.borrow(), &addresses(here), &self.addresses_there());
        *self.last.borrow_mut() = known.clone();
        if known == *self.noted.borrow() {
            return Ok(());
        }
        let notes = json::write(&known).map_err(|error| FileSystemError::Failed(error.to_string()))?;
        *self.noted.borrow_mut() = known;
        self.disk.note(self.session, notes).await
    }

    /// Writes a file into the folder, if it is there as it was when both were the same, or if `over` says to write over
    /// whatever is there now.
    pub async fn write(&self, name: &str, text: &str, over: bool) -> Result<WriteOutcome, FileSystemError> {
        let now = self.disk.read(self.session, name.to_owned()).await?;
        let now = now.map(|bytes| address_of(&bytes, text_of(&bytes).as_deref()));
        let wanted = ContentHash::of_text(text);
        if !over && now != Some(wanted) && now.as_ref() != self.last.borrow().get(name) {
            return Ok(WriteOutcome::ChangedOutside);
        }
        if now.as_ref() != Some(&wanted) {
            self.disk.write(self.session, name.to_owned(), disk_bytes(text)).await?;
        }
        // No stamp is like this one, so that the next look reads what the disk made of it.
        let seen = SeenFile { bytes: u64::MAX, modified: 0, hash: wanted, text: Some(Arc::from(text)) };
        self.there.borrow_mut().insert(name.to_owned(), seen);
        self.last.borrow_mut().insert(name.to_owned(), wanted);
        Ok(WriteOutcome::Done)
    }

    fn addresses_there(&self) -> FileHashes {
        self.there.borrow().iter().map(|(name, seen)| (name.clone(), seen.hash)).collect()
    }
}

/// The text that a session has for a file with these bytes: that of an image, too.
fn text_of(bytes: &[u8]) -> Option<String> {
    image_file::text_of(bytes).or_else(|| file_name::text_of(bytes.to_vec()))
}

/// The address of a file as the session has it; of what it does not take, that of the bytes.
fn address_of(bytes: &[u8], text: Option<&str>) -> ContentHash {
    text.map_or_else(|| ContentHash::of_bytes(bytes), ContentHash::of_text)
}

/// A file that was not read: it differs from whatever stands here, and its next change is one.
fn not_read(bytes: u64, modified: u64) -> SeenFile {
    SeenFile {
        bytes,
        modified,
        hash: ContentHash::of_text(&format!("not read: {bytes} bytes of {modified}")),
        text: None,
    }
}

fn addresses(files: &SessionFiles) -> FileHashes {
    files.iter().map(|(name, file)| (name.clone(), file.hash)).collect()
}

#[cfg(test)]
#[path = "folder_sync_tests.rs"]
mod tests;
