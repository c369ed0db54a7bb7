//! Benchmark of Markdown rendering: as a whole, and streamed in 20,000 deltas. Then pathological texts of 64 kB and
//! of 1 MB: fails if a byte of the long one costs eight times that of the short one, and the whole more than a
//! second.
//!
//! `cargo bench -p nexus-text --bench markdown`

use std::hint::black_box;
use std::time::Instant;

use nexus_text::markdown::parse::parse;
use nexus_text::markdown::read;
use nexus_text::markdown::stream::MarkdownStream;

/// A typical piece of a model's answer.
const SAMPLE: &str = "\
## What changed

The **parser** reads `text` in *one* pass, see [the manual](https://docs.example/manual?page=1) or www.example.com.
It costs $5, and $e^{i\\pi} = -1$ still holds.

1. Read the file.
2. Change what is wrong:
   - the name,
   - the place.

```rust src/main.rs
fn main() {
    // Says hello.
    println!(\"hello {}\", 1 + 2);
}
```

| name | value |
| - | -: |
| a | 1 |
| b | 2 |

> Nothing else changed.

";

const PIECES: usize = 20_000;

fn main() {
    let text = SAMPLE.repeat(400);
    rate("text to tree, whole", text.len(), 20, || {
        black_box(parse(black_box(&text)));
    });
    rate("text to page, whole", text.len(), 20, || {
        black_box(read(black_box(&text)));
    });
    let size = text.len().div_ceil(PIECES);
    rate("text to page, in 20,000 pieces", text.len(), 3, || {
        let mut growing = MarkdownStream::default();
        for piece in text.as_bytes().chunks(size) {
            black_box(growing.grow(&String::from_utf8_lossy(piece)));
        }
    });
    if !pathological() {
        std::process::exit(1);
    }
}

/// Pathological inputs for parsers, to be repeated.
const PATHOLOGICAL: [(&str, &str); 24] = [
    ("brackets", "["),
    ("open links", "[a]("),
    ("images", "!["),
    ("stars", "*"),
    ("open stars", "**a "),
    ("mixed marks", "*a_ "),
    ("crossed marks", "a**b_c* "),
    ("tildes", "~~a "),
    ("backticks", "`a``b"),
    ("quotes", "> "),
    ("lists", "- "),
    ("tables", "|-"),
    ("table rows", "|a|b|\n"),
    ("comments", "<!--"),
    ("tags", "<a href=\""),
    ("entities", "&amp"),
    ("references", "[a]: u\n"),
    ("footnotes", "[^a]"),
    ("notes", "[^a]: b\n"),
    ("dollars", "$a $"),
    ("maths", "\\(a"),
    ("hosts", "www._"),
    ("addresses", "http://a_."),
    ("mail", "a@b."),
];

/// Renders each pathological text short and long. True if all scale.
fn pathological() -> bool {
    let seconds = |text: &str| {
        let start = Instant::now();
        black_box(read(black_box(text)));
        start.elapsed().as_secs_f64()
    };
    let mut all_grow = true;
    for (name, piece) in PATHOLOGICAL {
        let (short, long) = (piece.repeat(64_000 / piece.len()), piece.repeat(1_000_000 / piece.len()));
        let (of_short, of_long) = (seconds(&short), seconds(&long));
        let times = of_long / of_short / (long.len() as f64 / short.len() as f64);
        let grows = times < 8.0 || of_long < 1.0;
        all_grow &= grows;
        let word = if grows { "" } else { "  TOO SLOW" };
        println!("{name:32} {:8.1} ms for 1 MB, {times:.1} times as much for each byte{word}", of_long * 1e3);
    }
    all_grow
}

fn rate(name: &str, bytes: usize, times: usize, mut work: impl FnMut()) {
    work();
    let start = Instant::now();
    for _ in 0..times {
        work();
    }
    let seconds = start.elapsed().as_secs_f64() / times as f64;
    println!(
        "{name:32} {:8.1} MB/s  ({} kB in {:.1} ms)",
        bytes as f64 / seconds / 1e6,
        bytes / 1000,
        seconds * 1e3
    );
}
