//! Writes the `_headers` file that hosts such as Netlify and Cloudflare Pages read.
//!
//! Such hosts add up the rules that fit a file. Two policies would both hold, so each document has one rule of its own,
//! and what counts for all files says nothing of policies.

use crate::policy;

/// The start of a policy that only documents need.
const OF_DOCUMENTS: [&str; 2] = ["Content-Security-Policy", "Connection-Allowlist"];
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The rules for a site of these files.
pub(super) fn of(files: &[String]) -> String {
    let page = policy::headers();
    let (of_documents, of_all): (Vec<_>, Vec<_>) =
        page.into_iter().partition(|(name, _)| OF_DOCUMENTS.contains(name));
    let mut out = String::new();
    rule(&mut out, "/*", &of_all);
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
            Some(of_sandbox) => own.extend(of_sandbox),
            None => own.extend(of_documents.iter().cloned()),
        }
        rule(&mut out, &format!("/{file}"), &own);
        // What a host also serves it as.
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
        let mut fits = false;
        let mut found = Vec::new();
        for line in headers.lines() {
            if let Some(pattern) = line.strip_prefix('/') {
                fits = match pattern.split_once('*') {
                    Some((start, _)) => path.trim_start_matches('/').starts_with(start),
                    None => path == format!("/{pattern}"),
                };
            } else if fits
                && let Some((this, value)) = line.trim().split_once(": ")
                && this == name
            {
                found.push(value);
            }
        }
        found
    }

    #[test]
    fn every_document_has_one_policy_and_previews_have_their_own() {
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
        for kept in ["/app-1.js", "/parts/editor-1.js"] {
            assert_eq!(sent(&headers, kept, "Cache-Control"), [FOR_EVER]);
        }
        assert!(sent(&headers, "/watchdog.js", "Cache-Control").is_empty());
        assert_eq!(sent(&headers, "/sw.js", "Cache-Control"), ["no-cache"]);
    }
}
