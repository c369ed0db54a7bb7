use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn editing_a_script_keeps_the_page_in_preview() {
    let files = names(&["about.html", "app.js", "index.html", "notes.md"]);
    let pictures = names(&["cat.png", "dog.png"]);
    let shown =
        |picked, active, last| shown_file(&files, &pictures, picked, active, last).map(String::as_str);
    assert_eq!(shown(None, Some("app.js"), None), Some("index.html"));
    assert_eq!(shown(None, Some("app.js"), Some("about.html")), Some("about.html"));
    assert_eq!(shown(None, Some("notes.md"), Some("about.html")), Some("notes.md"));
    assert_eq!(shown(Some("about.html"), Some("notes.md"), None), Some("about.html"));
    assert_eq!(shown(Some("gone.html"), None, Some("app.js")), Some("index.html"));
    // A picked picture stays until a file with a preview becomes active.
    assert_eq!(shown(Some("dog.png"), Some("notes.md"), None), Some("dog.png"));
    assert_eq!(shown(None, Some("app.js"), Some("dog.png")), Some("dog.png"));
    assert_eq!(shown(None, Some("notes.md"), Some("dog.png")), Some("notes.md"));
    let first = |files: &[&str], pictures: &[String]| {
        shown_file(&names(files), pictures, None, Some("a.txt"), None).cloned()
    };
    assert_eq!(first(&["a.txt", "b.svg"], &pictures).unwrap(), "b.svg");
    assert_eq!(first(&["a.txt"], &pictures).unwrap(), "cat.png");
    assert_eq!(first(&["a.txt"], &[]), None);
}

#[test]
fn picture_is_found_by_path_or_last_segment() {
    let names = ["img/cat.png", "cat.png"];
    let of = |name: &str| referenced_file(names.iter().copied(), name);
    assert_eq!(of("img/cat.png"), Some("img/cat.png"));
    assert_eq!(of("assets/cat.png"), Some("cat.png"));
    assert_eq!(of("assets/dog.png"), None);
}

#[test]
fn first_page_is_the_topmost_index() {
    assert_eq!(first_page(&names(&["a/index.html", "index.htm", "z.html"])).unwrap(), "index.htm");
    assert_eq!(first_page(&names(&["a.md", "z.HTML"])).unwrap(), "z.HTML");
    assert_eq!(first_page(&names(&["a.md"])), None);
}

#[test]
fn console_keeps_newest_lines_and_counts_dropped_ones() {
    let mut console = Console::default();
    for number in 0..PREVIEW_LINES + 3 {
        console.push(LogLevel::Log, &number.to_string());
    }
    assert_eq!((console.lines().count(), console.dropped()), (PREVIEW_LINES, 3));
    assert_eq!(console.lines().next().unwrap().text, "3");
    console.push(LogLevel::Error, &"é".repeat(PREVIEW_LINE_CHARS + 1));
    let last = console.lines().last().unwrap();
    assert_eq!(last.text.chars().count(), PREVIEW_LINE_CHARS + 1);
    assert!(last.text.ends_with('…'));
}
