//! Writes the `_headers` file of hosts such as Netlify and Cloudflare Pages.
//!
//! Such hosts combine all rules that match a file. Two policies would both apply, so each document has its own rule,
//! and the rule for all files has no policy.

use crate::policy;

/// Headers that only documents need.
const DOCUMENT_HEADERS: [&str; 2] = ["Content-Security-Policy", "Connection-Allowlist"];
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The rules for a site with these files.
pub(super) fn of(files: &[String]) -> String {
    let page = policy::headers();
    let (for_documents, for_all): (Vec<_>, Vec<_>) =
        page.into_iter().partition(|(name, _)| DOCUMENT_HEADERS.contains(name));
    let mut out = String::new();
    rule(&mut out, "/*", &for_all);
    let for_ever = [("Cache-Control", FOR_EVER.to_owned())];
    rule(&mut out, "/parts/*", &for_ever);
    for file in files.iter().filter(|file| !file.contains('/') && policy::never_changes(file)) {
        rule(&mut out, &format!("/{file}"), &for_ever);
    }
    for file in files.iter().filter(|file| ["sw.js", "manifest.webmanifest"].contains(&file.as_str())) {
        rule(&mut out, &format!("/{file}"), &[("Cache-Control", "no-cache".to_owned())]);
    }
    for file in files.iter().filter(|file| file.ends_with(".html")) {
        let mut own = vec![("Cache-Control", "no-cache".to_owned())];
        match policy::sandbox_headers(file) {
            Some(sandbox) => own.extend(sandbox),
            None => own.extend(for_documents.iter().cloned()),
        }
        rule(&mut out, &format!("/{file}"), &own);
        // The other paths that a host serves it at.
        if let Some(folder) = file.strip_suffix("index.html") {
            rule(&mut out, &format!("/{folder}"), &own);
        } else if let Some(bare) = file.strip_suffix(".html") {
            rule(&mut out, &format!("/{bare}"), &own);
        }
    }
    out
}

fn rule(out: &mut String, path: &str, headers: &[(&'static str, String)]) {
    out.push_str(path);
    out.push('\n');
    for (name, value) in headers {
        out.push_str(&format!("  {name}: {value}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a header that a host would send for a path.
    fn sent<'h>(headers: &'h str, path: &str, name: &str) -> Vec<&'h str> {
        let mut matches = false;
        let mut found = Vec::new();
        for line in headers.lines() {
            if let Some(pattern) = line.strip_prefix('/') {
                matches = match pattern.split_once('*') {
                    Some((start, _)) => path.trim_start_matches('/').starts_with(start),
                    None => path == format!("/{pattern}"),
                };
            } else if matches
                && let Some((this, value)) = line.trim().split_once(": ")
                && this == name
            {
                found.push(value);
            }
        }
        found
    }

    #[test]
    fn each_document_has_one_policy_and_previews_their_own() {
        let files = [
            "app-1.js",
            "parts/editor-1.js",
            "watchdog.js",
            "sw.js",
            "index.html",
            "preview.html",
            "check.html",
            "settings/index.html",
        ]
        .map(str::to_owned);
        let headers = of(&files);
        let policy = "Content-Security-Policy";
        for path in [
            "/",
            "/index.html",
            "/settings/",
            "/settings/index.html",
            "/preview.html",
            "/preview",
            "/check.html",
        ] {
            assert_eq!(sent(&headers, path, policy).len(), 1, "{path}: {headers}");
            assert_eq!(sent(&headers, path, "X-Content-Type-Options"), ["nosniff"], "{path}");
            assert_eq!(sent(&headers, path, "Cache-Control"), ["no-cache"], "{path}");
        }
        assert!(sent(&headers, "/preview.html", policy)[0].starts_with("sandbox allow-scripts"));
        assert_eq!(sent(&headers, "/preview.html", "Connection-Allowlist").len(), 1);
        assert!(sent(&headers, "/", policy)[0].contains("frame-ancestors"));
        for path in ["/app-1.js", "/parts/editor-1.js"] {
            assert_eq!(sent(&headers, path, "Cache-Control"), [FOR_EVER]);
        }
        assert!(sent(&headers, "/watchdog.js", "Cache-Control").is_empty());
        assert_eq!(sent(&headers, "/sw.js", "Cache-Control"), ["no-cache"]);
    }
}
