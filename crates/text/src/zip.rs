//! Writes and reads ZIP archives. The caller compresses and decompresses.
//!
//! Limited to 65,535 files and 4 GB.

const DEFLATED: u16 = 8;

/// The files as one archive: name, bytes, and the bytes compressed by DEFLATE, if the file is to be compressed. `None`
/// beyond the limits of the format: 65,535 files or 4 GB.
pub fn zip<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8], Option<&'f [u8]>)>) -> Option<Vec<u8>> {
    let (mut out, mut directory, mut count) = (Vec::new(), Vec::new(), 0u16);
    for (name, bytes, deflated) in files {
        let begins = u32::try_from(out.len()).ok()?;
        let mut entry = Vec::new();
        // Stored plain if compression does not make it smaller.
        let deflated = deflated.filter(|deflated| deflated.len() < bytes.len());
        let method = if deflated.is_some() { DEFLATED } else { 0 };
        // Version 2.0; names are UTF-8; the first time of the format, so that equal files make equal archives.
        put(&mut entry, &[20, 1 << 11, method, 0, 0x21]);
        let packed = deflated.unwrap_or(bytes);
        let (packed_size, size) = (u32::try_from(packed.len()).ok()?, u32::try_from(bytes.len()).ok()?);
        for number in [crc32(bytes), packed_size, size] {
            entry.extend_from_slice(&number.to_le_bytes());
        }
        put(&mut entry, &[u16::try_from(name.len()).ok()?, 0]);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&entry);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(packed);
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

/// CRC-32, bit by bit: a table would be larger than it is worth.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

/// Why bytes cannot be read as an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnzipError {
    /// They are no archive, or only a part of one.
    NotAnArchive,
    /// An entry is encrypted, or compressed in another way than by DEFLATE.
    Unsupported(String),
    /// An entry does not have the bytes that the directory names.
    Damaged(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipEntry<'a> {
    pub name: String,
    pub bytes: &'a [u8],
    /// True if the bytes are compressed by DEFLATE.
    pub is_deflated: bool,
    /// The size of the content in bytes, and its checksum.
    size: usize,
    sum: u32,
}

impl ZipEntry<'_> {
    /// True if this is the complete content of the entry.
    pub fn is_content(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.size && crc32(bytes) == self.sum
    }
}

/// The files of an archive in order, without folders. Their contents are not checked yet: see
/// [`ZipEntry::is_content`].
///
/// # Errors
/// The reason why the archive is invalid. None of its entries may be used then.
pub fn entries(archive: &[u8]) -> Result<Vec<ZipEntry<'_>>, UnzipError> {
    use UnzipError::{Damaged, NotAnArchive, Unsupported};
    // The end of the directory comes before a comment of at most 65,535 bytes.
    let first = archive.len().saturating_sub(22 + usize::from(u16::MAX));
    let tail = archive.get(first..).unwrap_or_default();
    let end = tail.windows(4).rposition(|word| word == b"PK\x05\x06").ok_or(NotAnArchive)? + first;
    archive.get(end..).and_then(|rest| rest.get(..22)).ok_or(NotAnArchive)?;
    let short = |at: usize| {
        let bytes = archive.get(at..at.checked_add(2)?)?;
        Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
    };
    let long = |at: usize| Some(u32::from_le_bytes(archive.get(at..at.checked_add(4)?)?.try_into().ok()?));
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
        let (sum, packed, whole, place) =
            (long(at + 16).ok_or(NotAnArchive)?, size(at + 20)?, size(at + 24)?, size(at + 42)?);
        at += 46 + name_size + half(at + 30)? + half(at + 32)?;
        if name.ends_with('/') {
            continue;
        }
        let is_deflated = method == usize::from(DEFLATED);
        if flags & 1 == 1 || !(is_deflated || method == 0) {
            return Err(Unsupported(name));
        }
        // Each entry begins with its own header, whose name and extra field may be longer.
        let begins = archive.get(place..).and_then(|rest| rest.get(..30));
        if !begins.is_some_and(|head| head.starts_with(b"PK\x03\x04")) {
            return Err(Damaged(name));
        }
        let from = place + 30 + half(place + 26)? + half(place + 28)?;
        match archive.get(from..).and_then(|rest| rest.get(..packed)) {
            Some(bytes) => files.push(ZipEntry { name, bytes, is_deflated, size: whole, sum }),
            None => return Err(Damaged(name)),
        }
    }
    Ok(files)
}

/// The entry of this name, if the archive can be read.
pub fn entry<'a>(archive: &'a [u8], name: &str) -> Option<ZipEntry<'a>> {
    entries(archive).ok()?.into_iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests;
