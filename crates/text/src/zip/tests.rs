use std::process::Command;

use proptest::prelude::*;

use super::*;

fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    zip(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice(), None))).unwrap()
}

#[test]
fn checksum_is_crc32() {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    assert_eq!(crc32(b""), 0);
}

#[test]
fn no_files_make_an_empty_archive() {
    assert_eq!(archive(&[]), [b"PK\x05\x06".as_slice(), &[0; 18]].concat());
}

/// The output of another program that reads it, if there is one.
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
    let output = String::from_utf8(read.stdout).unwrap();
    let expected: String = files
        .iter()
        .map(|(name, bytes)| {
            format!("{name} {} {}\n", bytes.len(), crate::content_hash::ContentHash::of_bytes(bytes))
        })
        .collect();
    assert_eq!(output, expected, "{}", String::from_utf8_lossy(&read.stderr));
}

/// Archives of another program can be read, and that program reads ours.
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
    let stored = entry(&archive, "c.txt").unwrap();
    assert_eq!((stored.bytes, stored.is_deflated, stored.is_content(b"c")), (b"c".as_slice(), false, true));
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

#[test]
fn incomplete_archive_is_rejected() {
    let files = [("a.txt".to_owned(), b"one".to_vec()), ("b.txt".to_owned(), b"two".to_vec())];
    let whole = archive(&files);
    assert_eq!(entries(b""), Err(UnzipError::NotAnArchive));
    assert_eq!(entries(&[7; 100_000]), Err(UnzipError::NotAnArchive));
    assert_eq!(entries(&whole[..whole.len() - 1]), Err(UnzipError::NotAnArchive));
    let mut changed = whole.clone();
    changed[35] = b'!';
    let read = entries(&changed).unwrap();
    assert!(!read[0].is_content(read[0].bytes) && read[1].is_content(read[1].bytes));
    // The method of the first entry, in the directory.
    let directory = whole.windows(4).position(|word| word == b"PK\x01\x02").unwrap();
    let mut packed = whole.clone();
    packed[directory + 10] = 9;
    assert_eq!(entries(&packed), Err(UnzipError::Unsupported("a.txt".to_owned())));
    // A directory that counts more than it has, and one that leads out of the bytes.
    for (place, value) in [(10, 3), (16, 0xff), (19, 0xff)] {
        let mut wrong = whole.clone();
        let end = wrong.len() - 22;
        wrong[end + place] = value;
        assert!(entries(&wrong).is_err(), "{place}");
    }
}

proptest! {
    /// Reading restores what was written, and ends on damaged bytes.
    #[test]
    fn reading_restores_files_and_ends_on_damage(
        files in prop::collection::vec(("[a-zü/]{0,8}[a-z]", prop::collection::vec(any::<u8>(), 0..40)), 0..6),
        spoiled in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)
    ) {
        let mut bytes = archive(&files);
        let read = entries(&bytes).unwrap();
        prop_assert!(read.iter().all(|entry| entry.is_content(entry.bytes)));
        let read: Vec<_> = read.into_iter().map(|entry| (entry.name, entry.bytes.to_vec())).collect();
        prop_assert_eq!(&read, &files);
        for (at, value) in spoiled {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        drop(entries(&bytes));
    }

    /// The directory at the end locates each complete file.
    #[test]
    fn directory_locates_every_file(
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
