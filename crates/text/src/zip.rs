//! Writes and reads ZIP archives with uncompressed entries.
//!
//! Limited to 65,535 files and 4 GB.

/// The files as one archive. `None` where there are more than an archive of this kind can hold: 65,535 files or 4 GB.
pub fn zip<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Option<Vec<u8>> {
    let (mut out, mut directory, mut count) = (Vec::new(), Vec::new(), 0u16);
    for (name, bytes) in files {
        let begins = u32::try_from(out.len()).ok()?;
        let mut entry = Vec::new();
        // Version 2.0; names are UTF-8; stored; the first moment that the format knows, so that equal files make equal
        // archives.
        put(&mut entry, &[20, 1 << 11, 0, 0, 0x21]);
        let size = u32::try_from(bytes.len()).ok()?;
        for number in [crc32(bytes), size, size] {
            entry.extend_from_slice(&number.to_le_bytes());
        }
        put(&mut entry, &[u16::try_from(name.len()).ok()?, 0]);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&entry);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(bytes);
        directory.extend_from_slice(b"PK\x01\x02");
        // Made by version 2.0.
        put(&mut directory, &[20]);
        directory.extend_from_slice(&entry);
        // No comment, first disk, no attributes.
        put(&mut directory, &[0, 0, 0, 0, 0]);
        directory.extend_from_slice(&begins.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        count = count.checked_add(1).filter(|count| *count < u16::MAX)?;
    }
    let (begins, length) = (u32::try_from(out.len()).ok()?, u32::try_from(directory.len()).ok()?);
    out.append(&mut directory);
    out.extend_from_slice(b"PK\x05\x06");
    put(&mut out, &[0, 0, count, count]);
    for number in [length, begins] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    put(&mut out, &[0]);
    Some(out)
}

fn put(out: &mut Vec<u8>, numbers: &[u16]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// The checksum of the format. Bit by bit: a table would weigh more than it saves.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

/// Why bytes cannot be read as an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnzipError {
    /// They are no archive, or only a part of one.
    NotAnArchive,
    /// An entry is compressed or encrypted, which only [`zip`]'s counterparts elsewhere do.
    Compressed(String),
    /// An entry does not have the bytes that the directory names.
    Damaged(String),
}

/// The files of an archive whose entries are stored as they are, in its order; folders are left out.
///
/// # Errors
/// What is wrong with it. Nothing of it is to be used then.
pub fn unzip(archive: &[u8]) -> Result<Vec<(String, &[u8])>, UnzipError> {
    use UnzipError::{Compressed, Damaged, NotAnArchive};
    // The end of the directory lies before a comment of at most 65,535 bytes.
    let first = archive.len().saturating_sub(22 + usize::from(u16::MAX));
    let tail = archive.get(first..).unwrap_or_default();
    let end = tail.windows(4).rposition(|word| word == b"PK\x05\x06").ok_or(NotAnArchive)? + first;
    let short = |at: usize| Some(usize::from(u16::from_le_bytes(archive.get(at..at + 2)?.try_into().ok()?)));
    let long = |at: usize| Some(u32::from_le_bytes(archive.get(at..at + 4)?.try_into().ok()?));
    let size = |at: usize| long(at).and_then(|number| usize::try_from(number).ok()).ok_or(NotAnArchive);
    let half = |at: usize| short(at).ok_or(NotAnArchive);
    let (count, mut at) = (half(end + 10)?, size(end + 16)?);
    let mut files = Vec::with_capacity(count.min(archive.len() / 46));
    for _ in 0..count {
        let head = archive.get(at..).and_then(|rest| rest.get(..46)).ok_or(NotAnArchive)?;
        if !head.starts_with(b"PK\x01\x02") {
            return Err(NotAnArchive);
        }
        let name_size = half(at + 28)?;
        let name = archive.get(at + 46..at + 46 + name_size).ok_or(NotAnArchive)?;
        let name = String::from_utf8_lossy(name).into_owned();
        let (flags, method) = (half(at + 8)?, half(at + 10)?);
        if method != 0 || flags & 1 == 1 {
            return Err(Compressed(name));
        }
        let (sum, packed, whole, place) = (long(at + 16), size(at + 20)?, size(at + 24)?, size(at + 42)?);
        at += 46 + name_size + half(at + 30)? + half(at + 32)?;
        if name.ends_with('/') {
            continue;
        }
        // Each entry begins with a head of its own, whose name and extra field may be longer.
        let begins = archive.get(place..).and_then(|rest| rest.get(..30));
        if !begins.is_some_and(|head| head.starts_with(b"PK\x03\x04")) {
            return Err(Damaged(name));
        }
        let from = place + 30 + half(place + 26)? + half(place + 28)?;
        let bytes = archive.get(from..).and_then(|rest| rest.get(..packed));
        let Some(bytes) = bytes.filter(|bytes| packed == whole && Some(crc32(bytes)) == sum) else {
            return Err(Damaged(name));
        };
        files.push((name, bytes));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
        zip(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))).unwrap()
    }

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn no_file_makes_an_empty_archive() {
        assert_eq!(archive(&[]), [b"PK\x05\x06".as_slice(), &[0; 18]].concat());
    }

    /// What another program reads out of it, where there is one.
    #[test]
    fn other_programs_read_it() {
        let files = [
            ("src/grüße.txt".to_owned(), "hello ü\n".as_bytes().to_vec()),
            ("empty".to_owned(), Vec::new()),
            ("bin".to_owned(), (0..=255u8).cycle().take(70_000).collect()),
        ];
        let path = std::env::temp_dir().join(format!("nexus-archive-{}.zip", std::process::id()));
        std::fs::write(&path, archive(&files)).unwrap();
        let script = "import sys, zipfile, hashlib\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                      for i in z.infolist(): print(i.filename, len(z.read(i)), hashlib.sha256(z.read(i)).hexdigest())";
        let read = Command::new("python3").args(["-X", "utf8", "-c", script]).arg(&path).output();
        std::fs::remove_file(&path).unwrap();
        let Ok(read) = read else {
            eprintln!("no python3 here to read the archive with");
            return;
        };
        let told = String::from_utf8(read.stdout).unwrap();
        let expected: String = files
            .iter()
            .map(|(name, bytes)| {
                format!("{name} {} {}\n", bytes.len(), crate::content_hash::ContentHash::of_bytes(bytes))
            })
            .collect();
        assert_eq!(told, expected, "{}", String::from_utf8_lossy(&read.stderr));
    }

    #[test]
    fn what_is_no_whole_archive_is_refused() {
        let files = [("a.txt".to_owned(), b"one".to_vec()), ("b.txt".to_owned(), b"two".to_vec())];
        let whole = archive(&files);
        assert_eq!(unzip(b""), Err(UnzipError::NotAnArchive));
        assert_eq!(unzip(&[7; 100_000]), Err(UnzipError::NotAnArchive));
        assert_eq!(unzip(&whole[..whole.len() - 1]), Err(UnzipError::NotAnArchive));
        let mut changed = whole.clone();
        changed[35] = b'!';
        assert_eq!(unzip(&changed), Err(UnzipError::Damaged("a.txt".to_owned())));
        // The method of the first entry, in the directory.
        let directory = whole.windows(4).position(|word| word == b"PK\x01\x02").unwrap();
        let mut packed = whole.clone();
        packed[directory + 10] = 8;
        assert_eq!(unzip(&packed), Err(UnzipError::Compressed("a.txt".to_owned())));
        // A directory that counts more than it has, and one that leads out of the bytes.
        for (place, value) in [(10, 3), (16, 0xff), (19, 0xff)] {
            let mut wrong = whole.clone();
            let end = wrong.len() - 22;
            wrong[end + place] = value;
            assert!(unzip(&wrong).is_err(), "{place}");
        }
    }

    proptest! {
        /// Whatever the bytes are, reading ends and finds what was written.
        #[test]
        fn reading_is_the_inverse_of_writing_and_never_fails_otherwise(
            files in prop::collection::vec(("[a-zü/]{0,8}[a-z]", prop::collection::vec(any::<u8>(), 0..40)), 0..6),
            spoiled in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)
        ) {
            let mut bytes = archive(&files);
            let read: Vec<_> = unzip(&bytes).unwrap().into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
            prop_assert_eq!(&read, &files);
            for (at, value) in spoiled {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            drop(unzip(&bytes));
        }

        /// The directory at the end finds each file where it lies, whole.
        #[test]
        fn the_directory_finds_every_file(
            files in prop::collection::vec(("[a-zü/]{1,9}", prop::collection::vec(any::<u8>(), 0..40)), 0..6)
        ) {
            let zip = archive(&files);
            let word = |at: usize| usize::from(u16::from_le_bytes([zip[at], zip[at + 1]]));
            let long = |at: usize| word(at) + (word(at + 2) << 16);
            let end = zip.len() - 22;
            prop_assert_eq!(word(end + 10), files.len());
            let mut at = long(end + 16);
            prop_assert_eq!(at + long(end + 12), end);
            for (name, bytes) in &files {
                prop_assert_eq!(&zip[at..at + 4], b"PK\x01\x02");
                prop_assert_eq!(long(at + 16) as u32, crc32(bytes));
                prop_assert_eq!(&zip[at + 46..at + 46 + word(at + 28)], name.as_bytes());
                let file = long(at + 42);
                let begins = file + 30 + word(file + 26) + word(file + 28);
                prop_assert_eq!(&zip[begins..begins + long(at + 24)], bytes.as_slice());
                at += 46 + word(at + 28);
            }
        }
    }
}
