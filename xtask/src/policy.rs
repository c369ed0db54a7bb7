//! The page's security policy as response headers, and who may embed the page.
//!
//! `index.html` has the same policy for hosts that cannot set headers, without `frame-ancestors`, which works only as
//! a header. It is the same in development.

/// The directives in the order of `index.html`.
const DIRECTIVES: [&str; 15] = [
    "default-src 'none'",
    // Hashes of the inline script and style of the page.
    "script-src 'self' 'wasm-unsafe-eval' 'sha384-74Csjs04eFxlc9DDzihEvQDPZEUDKPtpCkxkKPqYY5g5kKWRg1ecVtt6qvtDobnR'",
    "style-src 'self' 'sha384-DUpnXhWDgOjMb5UsZA7DerW1OweDpzCbcqdvHIHk4k9iLDZQSkJAdU9GmJ3R2Lp5'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    // The operator chooses the providers, so the static policy allows all of `https:`; public/boot.js restricts it to
    // the origins that are set up.
    "connect-src 'self' https: http://localhost:* http://127.0.0.1:* ws://localhost:* \
     ws://127.0.0.1:*",
    "worker-src 'self'",
    "frame-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "manifest-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types nexus",
];

/// The policy for the page's `meta` element.
pub(crate) fn for_meta() -> String {
    DIRECTIVES.join("; ")
}

/// The variable with the origins, separated by spaces, of pages that may embed the served page.
pub(crate) const EMBEDDERS: &str = "NEXUS_EMBEDDERS";

/// The `frame-ancestors` directive. Anything but plain origins is dropped: nothing else may enter the header.
pub(crate) fn ancestors(embedders: &str) -> String {
    let is_origin = |word: &&str| {
        let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
    };
    let origins: Vec<_> =
        ["'self'"].into_iter().chain(embedders.split_whitespace().filter(is_origin)).collect();
    format!("frame-ancestors {}", origins.join(" "))
}

/// The headers of every response.
pub(crate) fn headers() -> Vec<(&'static str, String)> {
    let ancestors = ancestors(&std::env::var(EMBEDDERS).unwrap_or_default());
    vec![
        ("Content-Security-Policy", format!("{}; {ancestors}", for_meta())),
        ("X-Content-Type-Options", "nosniff".to_owned()),
        ("Referrer-Policy", "no-referrer".to_owned()),
        ("Cross-Origin-Opener-Policy", "same-origin".to_owned()),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(self)".to_owned()),
    ]
}

/// Policy of the document that runs previews.
const PREVIEW: [&str; 10] = [
    "default-src 'none'",
    // Modules of the session are data URLs, and can do no more than the page's scripts. JSON modules count as
    // fetched.
    "script-src 'unsafe-inline' data:",
    "connect-src data:",
    "worker-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "media-src data: blob:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
];

/// Policy of the document that runs checks in workers: they compute and have no network access.
const CHECKS: [&str; 5] = [
    "default-src 'none'",
    // Classic scripts are evaluated; modules of the session are blobs.
    "script-src 'unsafe-inline' 'unsafe-eval' blob:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
];

/// True if the file is immutable, because its name contains a hash. The watchdog and the service worker keep their
/// names in each release.
pub(crate) fn never_changes(file: &str) -> bool {
    !["watchdog.js", "sw.js"].contains(&file)
        && [".js", ".css", ".wasm", ".svg"].iter().any(|kind| file.ends_with(kind))
}

/// The headers of a document that runs code of agents, in place of the page's; `None` for any other file. The sandbox
/// and `Connection-Allowlist` work only as headers, and the latter blocks WebRTC and plain connections: without
/// headers, scripts of previews are off until a click. Checks run in workers, which have neither.
pub(crate) fn sandbox_headers(file: &str) -> Option<[(&'static str, String); 2]> {
    let directives: &[&str] = match file {
        "preview.html" => &PREVIEW,
        "check.html" => &CHECKS,
        _ => return None,
    };
    // `frame-ancestors` checks all ancestors of a frame, so pages that may embed the page must also be allowed for
    // its previews.
    let ancestors = ancestors(&std::env::var(EMBEDDERS).unwrap_or_default());
    let policy = format!("sandbox allow-scripts; {}; {ancestors}", directives.join("; "));
    Some([
        ("Content-Security-Policy", policy),
        ("Connection-Allowlist", "(response-origin); webrtc=block".to_owned()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest;

    #[test]
    fn sandbox_documents_have_their_policy_before_their_script() {
        let documents: [(&str, &str, &[&str]); 2] = [
            ("preview.html", include_str!("../../public/preview.html"), &PREVIEW),
            ("check.html", include_str!("../../public/check.html"), &CHECKS),
        ];
        for (file, page, directives) in documents {
            let meta =
                format!(r#"<meta http-equiv="Content-Security-Policy" content="{}">"#, directives.join("; "));
            assert!(page.find(&meta).expect("its policy") < page.find("<script").expect("its script"));
            let [(_, policy), _] = sandbox_headers(file).expect("its headers");
            assert!(policy.starts_with("sandbox allow-scripts; default-src 'none'"), "{policy}");
            for weak in [
                "allow-same-origin",
                "allow-popups",
                "allow-top-navigation",
                "allow-forms",
                "http",
                "'self' ",
            ] {
                assert!(!policy.contains(weak), "{file}: {weak}");
            }
        }
        assert!(sandbox_headers("index.html").is_none());
        assert!(!CHECKS.iter().any(|directive| directive.starts_with("connect-src")), "the default stays");
    }

    #[test]
    fn the_page_has_the_policy_before_anything_it_governs() {
        let page = include_str!("../../index.html");
        let meta = format!(r#"<meta http-equiv="Content-Security-Policy" content="{}">"#, for_meta());
        let policy = page.find(&meta).expect("index.html has the policy of policy.rs");
        for governed in ["<script", "<link", "<style"] {
            if let Some(place) = page.find(governed) {
                assert!(policy < place, "{governed} precedes the policy");
            }
        }
    }

    #[test]
    fn only_plain_origins_may_embed_the_page() {
        assert_eq!(ancestors(""), "frame-ancestors 'self'");
        assert_eq!(
            ancestors("https://docs.example  http://localhost:9000"),
            "frame-ancestors 'self' https://docs.example http://localhost:9000"
        );
        for odd in [
            "*",
            "https://*.example",
            "https://a;",
            "https://a/b",
            "data:",
            "'none'",
            "https://a,b",
            "https://",
        ] {
            assert_eq!(ancestors(odd), "frame-ancestors 'self'", "{odd}");
        }
    }

    #[test]
    fn unsafe_sources_are_not_allowed() {
        let policy = for_meta();
        for weak in ["'unsafe-inline'", "'unsafe-eval'", "'unsafe-hashes'", "'allow-duplicates'"] {
            assert!(!policy.contains(weak), "{weak}");
        }
    }

    #[test]
    fn the_policy_has_exactly_the_hashes_of_inline_elements() {
        let page = include_str!("../../index.html");
        let mut inline = Vec::new();
        for (tag, end) in [("<script", "</script>"), ("<style", "</style>")] {
            for rest in page.split(tag).skip(1) {
                let (attributes, rest) = rest.split_once('>').expect("the end of a tag");
                let (text, _) = rest.split_once(end).expect("the end of an element");
                assert_eq!(text.is_empty(), attributes.contains("src="), "{tag}{attributes}>");
                if !text.is_empty() {
                    assert_eq!(attributes, "", "{tag}{attributes}>");
                    inline.push(format!("'{}'", digest::integrity(text.as_bytes())));
                }
            }
        }
        let policy = for_meta();
        let hashes = policy.split([' ', ';']).filter(|word| word.starts_with("'sha"));
        assert_eq!(hashes.map(str::to_owned).collect::<Vec<_>>(), inline);
        assert!(!page.contains(" style=\""));
        assert!(!page.contains(" onclick=") && !page.contains(" onload="));
    }
}
