//! Tests of the static file server on a temporary folder; no built page is needed.

use super::*;

/// Temporary folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nexus-site-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("dist/settings")).unwrap();
        fs::write(path.join("secret.txt"), "secret").unwrap();
        fs::write(path.join("dist/index.html"), "<p>room</p>").unwrap();
        fs::write(path.join("dist/settings/index.html"), "<p>settings</p>").unwrap();
        fs::write(path.join("dist/nexus_bg.wasm"), [0, 97, 115, 109]).unwrap();
        Self(path)
    }

    fn site(&self, base: &str, reloads: bool) -> Site {
        Site { folder: self.0.join("dist"), base: base.to_owned(), reloads }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn get(address: std::net::SocketAddr, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn screens_are_served_under_any_base() {
    let folder = Folder::new("screen");
    let site = folder.site("/some/path/", false);
    assert_eq!(site.answer("/some/path/"), Answer::File(folder.0.join("dist/index.html")));
    assert_eq!(
        site.answer("/some/path/settings/?session=1"),
        Answer::File(folder.0.join("dist/settings/index.html"))
    );
    assert_eq!(site.answer("/some/path"), Answer::Moved("/some/path/".to_owned()));
    assert_eq!(
        site.answer("/some/path/settings?session=1"),
        Answer::Moved("/some/path/settings/?session=1".to_owned())
    );
    assert_eq!(site.answer("/"), Answer::NotFound);
    assert_eq!(site.answer("/some/path/nothing/"), Answer::NotFound);
    assert_eq!(site.answer("/some/path/index.html/"), Answer::NotFound);
}

#[test]
fn files_outside_the_folder_are_not_served() {
    let folder = Folder::new("outside");
    let site = folder.site("/", false);
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/settings/../../secret.txt",
        "/..\\secret.txt",
        "/%5c..%5csecret.txt",
        "//../secret.txt",
        "/C:/secret.txt",
        "/secret.txt%00.html",
        "/%zz",
        "/%",
    ] {
        assert_eq!(site.answer(path), Answer::NotFound, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_symlink_out_of_the_folder_is_not_followed() {
    let folder = Folder::new("link");
    std::os::unix::fs::symlink(folder.0.join("secret.txt"), folder.0.join("dist/link.txt")).unwrap();
    assert_eq!(folder.site("/", false).answer("/link.txt"), Answer::NotFound);
}

#[test]
fn every_response_has_the_policy_and_its_content_type() {
    let folder = Folder::new("headers");
    let site = folder.site("/", false);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || site.serve(&listener));

    let page = get(address, "/settings/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(page.ends_with("\r\n\r\n<p>settings</p>"), "{page}");
    let program = get(address, "/nexus_bg.wasm");
    assert!(program.contains("Content-Type: application/wasm\r\n"), "{program}");
    let absent = get(address, "/absent.js");
    assert!(absent.starts_with("HTTP/1.1 404 Not Found\r\n"), "{absent}");
    for answer in [page, program, absent] {
        assert!(answer.contains("frame-ancestors 'self'\r\n"), "{answer}");
        assert!(answer.contains("X-Content-Type-Options: nosniff\r\n"), "{answer}");
    }
}

#[test]
fn the_reload_script_is_added_only_with_reloads() {
    let folder = Folder::new("reload");
    assert_eq!(folder.site("/", false).answer("/__reload.js"), Answer::NotFound);
    let site = folder.site("/x/", true);
    assert_eq!(site.answer("/x/__reload.js"), Answer::ReloadScript);
    assert_eq!(site.answer("/x/__reload"), Answer::ReloadStream);

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || site.serve(&listener));
    let page = get(address, "/x/");
    assert!(page.contains(r#"<script src="/x/__reload.js" defer></script>"#), "{page}");
}

#[test]
fn content_types_follow_the_extension() {
    assert_eq!(content_type(Path::new("a/boot-12ab.js")), JAVASCRIPT);
    assert_eq!(content_type(Path::new("a_bg.wasm")), "application/wasm");
    assert_eq!(content_type(Path::new("LICENSE")), "application/octet-stream");
}
