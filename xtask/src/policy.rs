//! The page's security policy as response headers, and which pages may embed it.
//!
//! `index.html` carries the same policy for hosts that cannot set headers, without `frame-ancestors`, which only
//! works as a header. Never relaxed for development.

/// The directives, in the order in which `index.html` has them.
const DIRECTIVES: [&str; 15] = [
    "default-src 'none'",
    // The hashes are those of the script and the style that stand in the page.
    "script-src 'self' 'wasm-unsafe-eval' 'sha384-5FfmPF76TBPmbJ2U2a/0x0Ev/WLBB4IpJGIh/8LNhMH8IYklDBhF9bUDHOjWHasg'",
    "style-src 'self' 'sha384-M1QVZg8FOQoXJVrsrAfi6xoLiqE2M6Nq2kXIvPehi7scftivpLEU/RwZ702fEaU0'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    // Providers are the operator's choice, so the static policy has to leave `https:` open;
    // public/boot.js closes it to the origins that are set up.
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

/// The policy as the page itself carries it.
pub(crate) fn for_meta() -> String {
    DIRECTIVES.join("; ")
}

/// The variable that names the origins, with blanks between them, of pages that may embed what is served here.
pub(crate) const EMBEDDERS: &str = "NEXUS_EMBEDDERS";

/// Who may embed the page. What is no plain origin is left out: nothing else may come into the header.
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

/// The headers that go with every answer.
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

/// What the document that previews run in lets them do with themselves.
const PREVIEW: [&str; 10] = [
    "default-src 'none'",
    // Modules of the session are addresses that hold them, and can do no more than what stands in the page. Those that
    // are JSON count as being fetched.
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

/// What the document lets checks do, which run in workers of it. They compute and reach nothing.
const CHECKS: [&str; 5] = [
    "default-src 'none'",
    // Scripts without modules are evaluated; modules of the session are blobs.
    "script-src 'unsafe-inline' 'unsafe-eval' blob:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
];

/// Whether a file of the page keeps its content: its name holds a hash, and another page names another. The watchdog
/// and the worker have the same name in each release.
pub(crate) fn never_changes(file: &str) -> bool {
    !["watchdog.js", "sw.js"].contains(&file)
        && [".js", ".css", ".wasm", ".svg"].iter().any(|kind| file.ends_with(kind))
}

/// The headers that go with a document that runs what agents wrote, in the place of those of the page; `None` for any
/// other file. Only as headers count the sandbox, and the last one, without which WebRTC and bare connections stay open:
/// where they are missing, scripts of previews are off until a click. Checks run in workers, which have neither.
pub(crate) fn sandbox_headers(file: &str) -> Option<[(&'static str, String); 2]> {
    let directives: &[&str] = match file {
        "preview.html" => &PREVIEW,
        "check.html" => &CHECKS,
        _ => return None,
    };
    // All that stand around a frame are asked about, so who may embed the page may stand around its previews.
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
    fn documents_for_what_agents_wrote_carry_their_policy_before_their_script() {
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
    fn the_page_carries_the_policy_before_anything_it_governs() {
        let page = include_str!("../../index.html");
        let meta = format!(r#"<meta http-equiv="Content-Security-Policy" content="{}">"#, for_meta());
        let policy = page.find(&meta).expect("index.html carries the policy of policy.rs");
        for governed in ["<script", "<link", "<style"] {
            if let Some(place) = page.find(governed) {
                assert!(policy < place, "{governed} stands before the policy");
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
    fn nothing_unsafe_is_allowed() {
        let policy = for_meta();
        for weak in ["'unsafe-inline'", "'unsafe-eval'", "'unsafe-hashes'", "'allow-duplicates'"] {
            assert!(!policy.contains(weak), "{weak}");
        }
    }

    #[test]
    fn the_policy_names_what_stands_in_the_page_by_its_hash_and_nothing_else() {
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
