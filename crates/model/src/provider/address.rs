//! Normalises and validates base URLs that a person typed, and says whether they are on this machine, in the local
//! network or public; and cleans a pasted API key: quotes, blanks, variable names and header names go.
//!
//! Obvious slips are fixed (missing scheme, quotes, blanks); anything else is an error. Where the host is decides
//! what the browser lets the page do there. An API key in a URL is always rejected.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressError {
    Empty,
    /// The scheme is neither `https:` nor `http:`.
    Scheme,
    Host,
    /// The port is not a number from 1 to 65535.
    Port,
    Blank,
    /// It contains a user name, password or API key, or is one.
    KeyInside,
    /// It contains `?` or `#`.
    Query,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostScope {
    Loopback,
    /// Another machine of the local network.
    LocalNetwork,
    Public,
}

/// Endpoint paths to remove, which people copy from examples.
const CALLS: [&str; 8] = [
    "/chat/completions",
    "/completions",
    "/responses",
    "/messages",
    "/models",
    "/api/chat",
    "/api/tags",
    "/api/generate",
];

/// API keys with a known prefix are at least this long, in bytes.
const SHORTEST_KEY: usize = 20;
/// Names of machines in a local network are at most this long, in bytes.
const LONGEST_NAME: usize = 30;

/// Normalises an address: removes surrounding blanks and quotes, the default port, trailing slashes and the path of an
/// endpoint; adds a missing scheme (`http` for this machine, else `https`); lower-cases scheme and host. Any other
/// path is kept.
pub fn normalise(entered: &str) -> Result<String, AddressError> {
    let text = trimmed(entered);
    if text.is_empty() {
        return Err(AddressError::Empty);
    }
    if text.chars().any(char::is_whitespace) {
        return Err(AddressError::Blank);
    }
    let (scheme, rest) = split_scheme(text)?;
    let path_at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(path_at);
    if authority.contains('@') {
        return Err(AddressError::KeyInside);
    }
    if let Some((_, query)) = path.split_once(['?', '#']) {
        return Err(if names_a_key(query) { AddressError::KeyInside } else { AddressError::Query });
    }
    if is_key(authority.split(':').next().unwrap_or(authority), LONGEST_NAME)
        || path.split('/').any(|part| is_key(part, usize::MAX))
    {
        return Err(AddressError::KeyInside);
    }
    let (host, port) = host_and_port(authority)?;
    let scheme = scheme.unwrap_or(if reach_of_host(&host) == HostScope::Loopback { "http" } else { "https" });
    let default = if scheme == "http" { 80 } else { 443 };
    let port = port.filter(|port| *port != default).map(|port| format!(":{port}")).unwrap_or_default();
    Ok(format!("{scheme}://{host}{port}{}", base_path(path)))
}

/// Scheme, host and port of an address, in lower case; `None` without host.
pub fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
    // The part before an @ is a user name, not the host.
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    Some(format!("{}://{}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

/// The distance of a normalised address.
pub fn reach(url: &str) -> HostScope {
    let origin = origin_of(url).unwrap_or_default();
    let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
    host_and_port(authority).map_or(HostScope::Public, |(host, _)| reach_of_host(&host))
}

/// True if the page's policy allows calls to this address: `https` anywhere, `http` on this machine only, and not by
/// its IPv6 address.
pub fn is_callable(url: &str) -> bool {
    let plain = url.strip_prefix("http://");
    plain.is_none_or(|rest| ["localhost", "127.0.0.1"].contains(&rest.split([':', '/']).next().unwrap_or("")))
}

/// Removes surrounding blanks and quotes, which are often copied too.
pub(crate) fn trimmed(entered: &str) -> &str {
    let is_surrounding = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || "\"'`<>“”‘’«»„\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}".contains(c)
    };
    entered.trim_matches(is_surrounding)
}

fn split_scheme(text: &str) -> Result<(Option<&'static str>, &str), AddressError> {
    if let Some((scheme, rest)) = text.split_once("://") {
        return match scheme.to_ascii_lowercase().as_str() {
            "https" => Ok((Some("https"), rest)),
            "http" => Ok((Some("http"), rest)),
            _ => Err(AddressError::Scheme),
        };
    }
    // `mailto:a` has a scheme; `localhost:1234` has a port instead.
    let host = text.split(['/', '?', '#']).next().unwrap_or(text);
    match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && !port.starts_with(|c: char| c.is_ascii_digit()) => {
            Err(if host.contains('@') { AddressError::KeyInside } else { AddressError::Scheme })
        }
        Some(_) | None => Ok((None, text.trim_start_matches('/'))),
    }
}

fn host_and_port(authority: &str) -> Result<(String, Option<u16>), AddressError> {
    let (host, port) = match authority.rsplit_once(':') {
        // IPv6 addresses have brackets around their colons.
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        Some(_) | None => (authority, None),
    };
    let number = |port: &str| port.parse().ok().filter(|port| *port > 0).ok_or(AddressError::Port);
    let port = port.map(number).transpose()?;
    let host = host.to_ascii_lowercase();
    let is_v6 = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|inner| inner.contains(':') && inner.chars().all(|c| c.is_ascii_hexdigit() || c == ':'));
    // Other letters must be entered in the form that browsers send, so that the key is bound to the host that is
    // called.
    let is_name = host.split('.').all(|label| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    });
    if is_v6 || is_name { Ok((host, port)) } else { Err(AddressError::Host) }
}

fn base_path(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let path = CALLS.iter().find_map(|call| path.strip_suffix(call)).unwrap_or(path);
    path.trim_end_matches('/')
}

fn names_a_key(query: &str) -> bool {
    const NAMES: [&str; 7] = ["key", "token", "secret", "auth", "code", "password", "sig"];
    query.split(['&', '#', '?']).filter_map(|pair| pair.split_once('=')).any(|(name, _)| {
        let name = name.to_ascii_lowercase();
        NAMES.iter().any(|known| name.contains(known))
    })
}

/// True if a name without dots is an API key in the wrong place, judged by known prefixes or its length.
fn is_key(name: &str, longest: usize) -> bool {
    const BEGINNINGS: [&str; 11] =
        ["AIza", "sk-", "sk_", "gsk_", "csk-", "xai-", "pplx-", "hf_", "nvapi-", "fw_", "tgp_"];
    let has_known_prefix = BEGINNINGS.iter().any(|known| name.starts_with(known));
    !name.contains('.') && ((has_known_prefix && name.len() >= SHORTEST_KEY) || name.len() > longest)
}

fn reach_of_host(host: &str) -> HostScope {
    // Only an address has numbers: 127.0.0.1.example is a name.
    let numbers: Result<Vec<u8>, _> = host.split('.').map(str::parse).collect();
    let numbers = numbers.unwrap_or_default();
    if matches!(host, "localhost" | "[::1]") || host.ends_with(".localhost") || numbers.first() == Some(&127)
    {
        return HostScope::Loopback;
    }
    let is_local = matches!(*numbers, [10, _, _, _] | [192, 168, _, _] | [172, 16..=31, _, _] | [169, 254, _, _])
        || [".local", ".lan", ".home.arpa"].iter().any(|end| host.ends_with(end))
        || ["[fe80:", "[fc", "[fd"].iter().any(|begin| host.starts_with(begin))
        // A name without a dot belongs to the local network.
        || !host.contains(['.', ':']);
    if is_local { HostScope::LocalNetwork } else { HostScope::Public }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyError {
    Empty,
    /// A blank or line break within it.
    Blank,
    /// A character that HTTP headers do not allow.
    Character,
    Address,
    /// Longer than `MOST_BYTES`.
    Long,
}

const MOST_BYTES: usize = 8_192;

/// Removes what is often copied along with a key: blanks, quotes, the comma or semicolon of a list.
fn stripped(text: &str) -> &str {
    let shorter = trimmed(text).trim_end_matches([',', ';']);
    if shorter == text { text } else { stripped(shorter) }
}

/// The value of an assignment to a variable, such as `OPENAI_API_KEY=`, with or without `export`.
fn assigned(text: &str) -> Option<&str> {
    let (name, value) = text.strip_prefix("export ").unwrap_or(text).split_once('=')?;
    let name = name.trim();
    let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let names_a_key = ["KEY", "TOKEN"].iter().any(|word| name.ends_with(word));
    (is_name && names_a_key && !value.is_empty()).then_some(value)
}

/// Cleans a pasted key: removes blanks, quotes, a comma, the name of a variable or header, `Bearer`.
pub fn clean_key(pasted: &str) -> Result<String, ApiKeyError> {
    let mut key = stripped(pasted);
    key = assigned(key).map_or(key, stripped);
    for wrapping in ["authorization:", "x-api-key:", "x-goog-api-key:", "bearer "] {
        let head = key.get(..wrapping.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(wrapping)) {
            key = stripped(key.get(wrapping.len()..).unwrap_or_default());
        }
    }
    if key.is_empty() || key.eq_ignore_ascii_case("bearer") {
        return Err(ApiKeyError::Empty);
    }
    if key.starts_with("https://") || key.starts_with("http://") {
        return Err(ApiKeyError::Address);
    }
    if key.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(ApiKeyError::Blank);
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ApiKeyError::Character);
    }
    if key.len() > MOST_BYTES { Err(ApiKeyError::Long) } else { Ok(key.to_owned()) }
}

#[cfg(test)]
mod tests;
