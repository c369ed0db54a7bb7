//! Addresses in a page: the file of the session that one means, and pictures and texts as addresses.

/// What a picture is given as; the rest of the address is the picture.
const PICTURE: &str = "data:image/svg+xml,";

/// The name of the file that `address` means in the file `from`; `None` for the address of something else, or a place in
/// the same page. Whether there is such a file is not asked here.
pub fn named_file(from: &str, address: &str) -> Option<String> {
    let address = address.trim();
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let scheme = path.split('/').next().unwrap_or_default();
    if path.is_empty() || path.starts_with("//") || path.starts_with('\\') || scheme.contains(':') {
        return None;
    }
    let mut steps: Vec<&str> = match path.starts_with('/') {
        true => Vec::new(),
        false => from.rsplit_once('/').map(|(folder, _)| folder.split('/').collect()).unwrap_or_default(),
    };
    for step in path.split('/') {
        match step {
            "" | "." => {}
            // Above the top there is the top, as on a host.
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    let name = decoded(&steps.join("/"));
    (!name.is_empty()).then_some(name)
}

/// With its escaped signs as they are meant; as it was written where that gives no text.
fn decoded(name: &str) -> String {
    let mut bytes = name.bytes();
    let mut decoded = Vec::with_capacity(name.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
        match (digit(), digit()) {
            (Some(high), Some(low)) => decoded.extend(u8::try_from(high * 16 + low)),
            _ => return name.to_owned(),
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| name.to_owned())
}

/// A text as a picture's address.
pub(super) fn picture(svg: &str) -> String {
    let mut address = PICTURE.to_owned();
    escape(svg, &mut address);
    address
}

/// Writes a text so that an address can hold it, in quotes or without.
pub(super) fn escape(text: &str, address: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'~'
            | b'/'
            | b':'
            | b'='
            | b' ' => {
                address.push(char::from(byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// Whether a file's text is a picture.
pub(super) fn is_picture(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".svg")
}
