//! How fast Markdown becomes a page: whole, and as 20,000 pieces of a text that grows.
//!
//! `cargo bench --no-default-features --bench markdown`

use std::hint::black_box;
use std::time::Instant;

use nexus::domain::text::markdown::parse::parse;
use nexus::domain::text::markdown::read;
use nexus::domain::text::markdown::stream::Growing;

/// A stretch of what models write.
const STRETCH: &str = "\
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
    let text = STRETCH.repeat(400);
    rate("text to tree, whole", text.len(), 20, || {
        black_box(parse(black_box(&text)));
    });
    rate("text to page, whole", text.len(), 20, || {
        black_box(read(black_box(&text)));
    });
    let size = text.len().div_ceil(PIECES);
    rate("text to page, in 20,000 pieces", text.len(), 3, || {
        let mut growing = Growing::default();
        for piece in text.as_bytes().chunks(size) {
            black_box(growing.grow(&String::from_utf8_lossy(piece)));
        }
    });
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
