//! Writes a ZIP archive, and finds an entry in one. Compressing and expanding is the caller's: browsers do it.
//!
//! Limited to 65,535 files and 4 GB.

/// How an entry says that it is compressed.
const DEFLATED: u16 = 8;

/// The files as one archive: name, bytes, and the bytes compressed by DEFLATE, where they are to be kept like that. `None`
/// where there are more than an archive of this kind can hold: 65,535 files or 4 GB.
pub fn zip<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8], Option<&'f [u8]>)>) -> Option<Vec<u8>> {
    let (mut out, mut directory, mut count) = (Vec::new(), Vec::new(), 0u16);
    for (name, bytes, deflated) in files {
        let begins = u32::try_from(out.len()).ok()?;
        let mut entry = Vec::new();
        // What does not get smaller is kept as it is.
        let deflated = deflated.filter(|deflated| deflated.len() < bytes.len());
        let method = if deflated.is_some() { DEFLATED } else { 0 };
        // Version 2.0; names are UTF-8; the first moment that the format knows, so that equal files make equal archives.
        put(&mut entry, &[20, 1 << 11, method, 0, 0x21]);
        let kept = deflated.unwrap_or(bytes);
        let (kept_size, size) = (u32::try_from(kept.len()).ok()?, u32::try_from(bytes.len()).ok()?);
        for number in [crc32(bytes), kept_size, size] {
            entry.extend_from_slice(&number.to_le_bytes());
        }
        put(&mut entry, &[u16::try_from(name.len()).ok()?, 0]);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&entry);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(kept);
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

/// An entry as an archive keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZipEntry<'a> {
    pub bytes: &'a [u8],
    /// Whether the bytes are compressed by DEFLATE.
    pub is_deflated: bool,
}

/// The entry of this name; `None` where there is none, or it is kept in another way than DEFLATE.
pub fn entry<'a>(archive: &'a [u8], name: &str) -> Option<ZipEntry<'a>> {
    // The end of the directory, which a comment may follow.
    let from = archive.len().saturating_sub(22 + usize::from(u16::MAX));
    let at = archive.get(from..)?.windows(4).rposition(|four| four == b"PK\x05\x06")? + from;
    let (count, mut at) = (word(archive, at + 10)?, long(archive, at + 16)?);
    for _ in 0..count {
        if archive.get(at..at.checked_add(4)?)? != b"PK\x01\x02" {
            return None;
        }
        let (flags, method) = (word(archive, at + 8)?, word(archive, at + 10)?);
        let (size, begins) = (long(archive, at + 20)?, long(archive, at + 42)?);
        let lengths =
            [word(archive, at + 28)?, word(archive, at + 30)?, word(archive, at + 32)?].map(usize::from);
        let [own, ..] = lengths;
        let names = archive.get(at + 46..(at + 46).checked_add(own)?)?;
        if names == name.as_bytes() {
            let is_readable = flags & 1 == 0 && (method == 0 || method == DEFLATED);
            // The entry has a head of its own, whose extra field may be another.
            let head = usize::from(word(archive, begins.checked_add(26)?)?)
                + usize::from(word(archive, begins + 28)?);
            let first = begins.checked_add(30)?.checked_add(head)?;
            let bytes = archive.get(first..first.checked_add(size)?).filter(|_| is_readable)?;
            return Some(ZipEntry { bytes, is_deflated: method == DEFLATED });
        }
        at = at.checked_add(46)?.checked_add(lengths.iter().sum())?;
    }
    None
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?)).ok()
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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
        zip(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice(), None))).unwrap()
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

    /// What another program compressed and packed is found, and what was compressed elsewhere is packed so that it reads it.
    #[test]
    fn compressed_entries_are_written_and_found() {
        let dir = std::env::temp_dir();
        let (theirs, ours) = (
            dir.join(format!("nexus-theirs-{}.zip", std::process::id())),
            dir.join(format!("nexus-ours-{}.zip", std::process::id())),
        );
        let make = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\n\
                    z.writestr('a/b.txt', 'word ' * 1000)\nz.writestr('c.txt', 'c', zipfile.ZIP_STORED)\nz.comment = b'PK'\nz.close()";
        let made = Command::new("python3").args(["-c", make]).arg(&theirs).status();
        if made.is_err() {
            crate::testing::not_installed("python3, to read and write archives");
            return;
        }
        let archive = std::fs::read(&theirs).unwrap();
        let found = entry(&archive, "a/b.txt").unwrap();
        assert!(found.is_deflated && found.bytes.len() < 100);
        assert_eq!(entry(&archive, "c.txt").unwrap(), ZipEntry { bytes: b"c", is_deflated: false });
        assert_eq!(entry(&archive, "b.txt"), None);
        let text = "word ".repeat(1000);
        let whole = zip([("copy.txt", text.as_bytes(), Some(found.bytes))]).unwrap();
        assert!(whole.len() < 300);
        std::fs::write(&ours, whole).unwrap();
        let read = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                    assert z.read('copy.txt') == b'word ' * 1000";
        let read = Command::new("python3").args(["-c", read]).arg(&ours).output().unwrap();
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        for path in [theirs, ours] {
            std::fs::remove_file(path).unwrap();
        }
    }

    proptest! {
        /// Whatever is read as an archive, nothing breaks.
        #[test]
        fn no_bytes_break_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..120), at in 0usize..120) {
            entry(&bytes, "a");
            let mut own = archive(&[("a".to_owned(), b"text".to_vec())]);
            let at = at % own.len();
            own.splice(at.., bytes.iter().copied());
            entry(&own, "a");
        }

        /// Each file is found where it lies.
        #[test]
        fn every_file_is_found(
            files in prop::collection::btree_map("[a-zü/]{1,9}", prop::collection::vec(any::<u8>(), 0..40), 0..6)
        ) {
            let files: Vec<_> = files.into_iter().collect();
            let zip = archive(&files);
            for (name, bytes) in &files {
                prop_assert_eq!(entry(&zip, name).map(|found| found.bytes), Some(bytes.as_slice()));
            }
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
