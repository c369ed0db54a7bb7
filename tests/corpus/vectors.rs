//! Texts that attack pages (XSS) or break programs: our own, and third-party ones if they are present.

use serde_json::Value;

use super::at_hand;

/// Our own.
pub(crate) const OWN: [&str; 40] = [
    "<script>alert(1)</script>",
    "<img src=https://attacker.example/x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext></p><img src=x onerror=alert(1)></mtext></math>",
    "<iframe srcdoc=\"<script>parent.alert(1)</script>\"></iframe>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<style>@import 'https://attacker.example/x'</style>",
    "<link rel=stylesheet href=https://attacker.example/x>",
    "<base href=https://attacker.example/>",
    "<meta http-equiv=refresh content='0;url=https://attacker.example'>",
    "<form action=https://attacker.example><input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "\"><img src=x onerror=alert(1)>",
    "x' onerror='alert(1)",
    "]]><img src=x onerror=alert(1)>",
    "--><img src=x onerror=alert(1)>",
    "`<img src=x onerror=alert(1)>`",
    "</title><script>alert(1)</script>",
    "![x](https://attacker.example/x.png)",
    "[x](javascript:alert(1))",
    "\\[\\text{<img src=x onerror=alert(1)>}\\]",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "java\tscript:alert(1)",
    "\u{1}javascript:alert(1)",
    "&#106;avascript:alert(1)",
    "x:javascript:alert(1)",
    "vbscript:alert(1)",
    "data:text/html;base64,PHNjcmlwdD4=",
    "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+",
    "blob:https://attacker.example/1",
    "//attacker.example/x.png",
    "\\\\attacker.example\\x",
    "https://attacker.example/x\" onmouseover=\"alert(1)",
    "https://attacker.example/pixel.png",
];

/// All vectors: our own and third-party ones.
#[allow(dead_code, reason = "in a browser there is nowhere to read them from")]
pub(crate) fn all() -> Vec<String> {
    let mut all: Vec<String> = OWN.map(str::to_owned).to_vec();
    for (name, key) in [("dompurify-xss-fixtures.json", Some("payload")), ("blns.json", None)] {
        let found = at_hand::text(name).unwrap_or_default();
        let text = |entry: &Value| match key {
            Some(key) => entry.get(key).and_then(Value::as_str).map(str::to_owned),
            None => entry.as_str().map(str::to_owned),
        };
        all.extend(found.as_array().into_iter().flatten().filter_map(text));
    }
    all
}

/// A text in every syntactic place of Markdown, each in its own message.
#[allow(dead_code, reason = "the flows use only the texts")]
pub(crate) fn places(text: &str) -> Vec<String> {
    vec![
        text.to_owned(),
        format!("[words]({text})"),
        format!("[words](<{text}>)"),
        format!("[words]({text} \"{text}\")"),
        format!("[words][r]\n\n[r]: {text}"),
        format!("![words]({text} '{text}')"),
        format!("<{text}>"),
        format!("```{text}\n{text}\n```"),
        format!("`{text}`"),
        format!("| a |\n| - |\n| {text} |"),
        format!("# {text}"),
        format!("- [ ] {text}"),
        format!("${text}$ $$\\text{{{text}}}$$"),
        format!("words[^1]\n\n[^1]: {text}"),
        format!("> [!NOTE]\n> {text}"),
    ]
}
