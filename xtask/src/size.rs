//! Measures what each entry into the program and each lazy part fetches, and checks the budgets.
//!
//! Counts fetched files, not all built ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::thread;

use crate::error::{Context, Error, Result};
use crate::page::PARTS;
use crate::page::files;
use crate::workspace::Workspace;

/// Entries into the program: what is shown, the lazy parts it needs, and its budget in `size-budget.toml`.
const ENTRIES: [(&str, &[&str], &str); 3] = [
    (
        "a later visit with an empty cache, until the conversation stands as it was left, and the composer keeps what is typed",
        &["war_room"],
        WITHOUT_PROGRAM,
    ),
    ("the first load: a new visitor, until the first start can be used", &["first_start"], "first_load_kb"),
    (
        "a later visit with an empty cache, until the war room can be used",
        &["rows", "war_room", "work"],
        "war_room_kb",
    ),
];

/// The budget of the entry that needs only what the page and its sheets are.
const WITHOUT_PROGRAM: &str = "as_left_kb";

/// Size of a file in bytes, raw and compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Weight {
    name: String,
    raw: usize,
    gzip: usize,
    brotli: usize,
}

/// The program's files in the built folder.
struct Built {
    /// Files that every entry fetches: the page and the files that it names.
    page: Vec<Weight>,
    files: BTreeMap<String, Weight>,
    /// File names of each part.
    parts: BTreeMap<String, Vec<String>>,
}

/// Prints the tables; fails above a budget.
pub(crate) fn size(workspace: &Workspace, dist: &Path) -> Result<()> {
    let path = workspace.root.join("xtask/size-budget.toml");
    let budget = fs::read_to_string(&path).context(format_args!("reading {}", path.display()))?;
    let built = Built::read(dist)?;
    println!("{}", table("files of the page", &built.page, &sum("together", &built.page)));
    let names: Vec<&str> = built.parts.keys().map(String::as_str).collect();
    let parts: Vec<Weight> =
        names.iter().map(|part| Ok(sum(part, &built.of_parts(&[part])?))).collect::<Result<_>>()?;
    let all = sum("all of them", &built.of_parts(&names)?);
    println!("\n{}", table("lazy parts, each with its shared files", &parts, &all));
    println!();
    let mut above = Vec::new();
    for (way, parts, key) in ENTRIES {
        let cap = kilobytes(&budget, key)?;
        let mut all: Vec<Weight> = built.page.iter().cloned().chain(built.of_parts(parts)?).collect();
        if key == WITHOUT_PROGRAM {
            all.retain(|file| !file.name.ends_with(".wasm") && !file.name.starts_with("nexus-"));
        }
        let Weight { raw, gzip, brotli, .. } = sum(way, &all);
        let sizes = format!("{} raw, {} gzip, {} brotli", shown(raw), shown(gzip), shown(brotli));
        println!("{way}:\n  {sizes}; the budget is {cap} kB brotli");
        if brotli > cap * 1000 {
            above.push(format!("{way}: {sizes}, above the budget of {cap} kB"));
        }
    }
    if above.is_empty() { Ok(()) } else { Err(Error::new(above.join("; "))) }
}

impl Built {
    fn read(dist: &Path) -> Result<Self> {
        let text = |name: &str| {
            fs::read_to_string(dist.join(name)).context(format_args!("reading the built {name}"))
        };
        let (index, listed) = (text("index.html")?, text(PARTS)?);
        let parts: BTreeMap<String, Vec<String>> = listed
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(part, files)| (part.to_owned(), files.split(' ').map(str::to_owned).collect()))
            .collect();
        let mut parts = parts;
        let sheets = lazy_sheets(&index);
        for (part, sheet) in &sheets {
            parts.entry(part.clone()).or_default().push(sheet.clone());
        }
        let mut built = Self { page: Vec::new(), files: BTreeMap::new(), parts };
        let mut counted = Vec::new();
        for file in files(dist)? {
            let name = file.strip_prefix(dist).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let is_named = index.contains(&format!("./{name}\""));
            let of_page = name == "index.html" || is_named && !sheets.iter().any(|(_, sheet)| *sheet == name);
            let of_part = built.parts.values().flatten().any(|listed| *listed == name);
            if !of_page && !of_part {
                continue;
            }
            let bytes = fs::read(&file).context(format_args!("reading {}", file.display()))?;
            counted.push((of_page, name, bytes));
        }
        for (of_page, weight) in weigh_all(&counted)? {
            match of_page {
                true => built.page.push(weight),
                false => drop(built.files.insert(weight.name.clone(), weight)),
            }
        }
        built.page.sort_by_key(|weight| std::cmp::Reverse(weight.brotli));
        Ok(built)
    }

    /// The files of these parts without duplicates and without those of the page.
    fn of_parts(&self, parts: &[&str]) -> Result<Vec<Weight>> {
        let mut names = Vec::new();
        for part in parts {
            let files = self.parts.get(*part).context(format_args!("the build has no part `{part}`"))?;
            names.extend(files.iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        names
            .into_iter()
            .filter(|name| self.page.iter().all(|named| named.name != **name))
            .map(|name| self.files.get(name).cloned().context(format_args!("{name} was not built")))
            .collect()
    }
}

/// Disabled style sheets of the page: the part that enables each, and its file. A shared sheet is listed once for
/// each part.
fn lazy_sheets(index: &str) -> Vec<(String, String)> {
    let value = |tag: &str, attribute: &str| {
        let (_, rest) = tag.split_once(&format!("{attribute}=\""))?;
        // The HTML writer escapes some characters without need.
        rest.split_once('"')
            .map(|(value, _)| value.trim_start_matches("./").replace("&#x5F;", "_").replace("&#x20;", " "))
    };
    let tags = index.split("<link").skip(1).filter_map(|tag| tag.split_once('>').map(|(tag, _)| tag));
    tags.filter(|tag| tag.contains(" disabled"))
        .filter_map(|tag| Some((value(tag, "data-style")?, value(tag, "href")?)))
        .flat_map(|(parts, file)| {
            let each = |part: &str| (part.to_owned(), file.clone());
            parts.split_whitespace().map(each).collect::<Vec<_>>()
        })
        .collect()
}

/// The sum of several sizes.
fn sum(name: &str, weights: &[Weight]) -> Weight {
    Weight {
        name: name.to_owned(),
        raw: weights.iter().map(|weight| weight.raw).sum(),
        gzip: weights.iter().map(|weight| weight.gzip).sum(),
        brotli: weights.iter().map(|weight| weight.brotli).sum(),
    }
}

/// Measures files on all processors: compression is most of the work.
fn weigh_all<T: Copy + Send + Sync>(files: &[(T, String, Vec<u8>)]) -> Result<Vec<(T, Weight)>> {
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let lane = |first: usize| -> Result<Vec<_>> {
        let own = files.iter().skip(first).step_by(lanes);
        own.map(|(kind, name, bytes)| Ok((*kind, weigh(name.clone(), bytes)?))).collect()
    };
    let lanes: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..lanes).map(|first| scope.spawn(move || lane(first))).collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut weighed = Vec::new();
    for lane in lanes {
        weighed.extend(lane.map_err(|_| Error::new("compression failed"))??);
    }
    Ok(weighed)
}

fn weigh(name: String, bytes: &[u8]) -> Result<Weight> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(bytes).context("packing as gzip")?;
    let gzip = gzip.finish().context("packing as gzip")?;
    let mut brotli = brotli::CompressorWriter::new(Vec::new(), 64 * 1024, 11, 22);
    brotli.write_all(bytes).context("packing as brotli")?;
    let brotli = brotli.into_inner();
    Ok(Weight { name, raw: bytes.len(), gzip: gzip.len(), brotli: brotli.len() })
}

fn table(title: &str, weights: &[Weight], total: &Weight) -> String {
    let rows: Vec<&Weight> = weights.iter().chain([total]).collect();
    let width = rows.iter().map(|row| row.name.len()).chain([title.len()]).max().unwrap_or(0);
    let mut text = format!("{title:width$} {:>10} {:>10} {:>10}", "raw", "gzip", "brotli");
    for row in rows {
        let Weight { name, raw, gzip, brotli } = row;
        let (raw, gzip, brotli) = (shown(*raw), shown(*gzip), shown(*brotli));
        // Writing to a string cannot fail.
        write!(text, "\n{name:width$} {raw:>10} {gzip:>10} {brotli:>10}").unwrap_or_default();
    }
    text
}

fn shown(bytes: usize) -> String {
    format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100)
}

/// A whole number of kilobytes from a line `key = number`.
fn kilobytes(budget: &str, key: &str) -> Result<usize> {
    budget
        .lines()
        .filter_map(|line| line.split_once('='))
        .find(|(name, _)| name.trim() == key)
        .and_then(|(_, value)| value.trim().parse().ok())
        .context(format_args!("size-budget.toml gives no whole number for {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_budget() {
        let budget = include_str!("../size-budget.toml");
        for (_, _, key) in ENTRIES {
            assert!(kilobytes(budget, key).unwrap() > 0);
        }
        // It was 350, the target is 220; it may only decrease.
        assert!(kilobytes(budget, "first_load_kb").unwrap() <= 357);
        assert!(kilobytes(budget, "gzip_kb").is_err());
    }

    #[test]
    fn compression_reduces_the_size() {
        let text = "one shared mind ".repeat(1_000);
        let weight = weigh("text".to_owned(), text.as_bytes()).unwrap();
        assert_eq!(weight.raw, 16_000);
        assert!(0 < weight.gzip && weight.gzip < 400, "{weight:?}");
        assert!(0 < weight.brotli && weight.brotli < 100, "{weight:?}");
    }

    #[test]
    fn the_table_adds_up() {
        let weight = |name: &str, raw, gzip, brotli| Weight { name: name.to_owned(), raw, gzip, brotli };
        let rows = [weight("nexus.wasm", 600_000, 240_060, 180_000), weight("a.js", 950, 400, 300)];
        let table = table("file", &rows, &sum("together", &rows));
        let total = table.lines().last().unwrap();
        assert_eq!(total, "together     600.9 kB   240.4 kB   180.3 kB");
        assert_eq!(table.lines().count(), 4);
    }

    #[test]
    fn an_entry_counts_the_page_and_each_file_of_its_parts_once() {
        let dist = std::env::temp_dir().join(format!("nexus-size-{}", std::process::id()));
        fs::create_dir_all(dist.join("settings")).unwrap();
        let page = r#"<script src="./boot-1.js"></script>
            <link rel="stylesheet" href="./room-5.css" data-style="attic&#x20;dark&#x5F;room" disabled>"#;
        fs::write(dist.join("index.html"), page).unwrap();
        fs::write(dist.join("settings/index.html"), "another screen").unwrap();
        for file in ["boot-1.js", "room-2.wasm", "both-3.wasm", "later-4.js", "room-5.css"] {
            fs::write(dist.join(file), "1").unwrap();
        }
        fs::write(dist.join(PARTS), "dark_room: both-3.wasm room-2.wasm\nattic:\nwork: both-3.wasm\n")
            .unwrap();
        let built = Built::read(&dist).unwrap();
        fs::remove_dir_all(&dist).unwrap();
        let names = |weights: &[Weight]| -> Vec<String> {
            weights.iter().map(|weight| weight.name.clone()).collect()
        };
        assert_eq!(names(&built.page), ["index.html", "boot-1.js"]);
        let files = ["both-3.wasm", "room-2.wasm", "room-5.css"];
        assert_eq!(names(&built.of_parts(&["dark_room", "work"]).unwrap()), files);
        assert_eq!(
            names(&built.of_parts(&["attic"]).unwrap()),
            ["room-5.css"],
            "a shared sheet belongs to each part"
        );
        assert!(built.of_parts(&["cellar"]).is_err());
    }
}
