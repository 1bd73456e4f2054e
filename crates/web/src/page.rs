//! The built page, inside the executable: every file with its type, its tag and its compressed form.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::HashMap;
use std::io::Write;
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What somebody sees who comes without the token, in both languages: no file of the page is for them.
pub const WITHOUT_TOKEN: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Nue 鵺</title>\n<main>\n\
    <h1>Nue 鵺</h1>\n\
    <p>This board is open to those who have its whole address, with the token at its end \
    (<code>?token=…</code>). It was printed when the server started: ask whoever started it, and open \
    that address once in this browser.</p>\n\
    <p lang=\"ja\">この将棋盤を開くには、末尾にトークン（<code>?token=…</code>）の付いたアドレスが必要です。\
    サーバーの起動時に表示されたアドレスを起動した人に尋ね、このブラウザで一度開いてください。</p>\n</main>\n</html>\n";

/// What is sent where no page was built in.
const BARE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Nue</title>\
    <p>This executable was built without its page. The API is at /api/openapi.json.</p></html>";

/// A file as it is sent.
pub struct File {
    pub bytes: &'static [u8],
    /// The same as gzip has them, where that is shorter.
    pub gzip: Option<Vec<u8>>,
    pub kind: &'static str,
    /// Changes when the bytes do.
    pub tag: String,
    /// Whether its name changes when its bytes do.
    pub lasting: bool,
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether compressing such a file pays.
fn compressible(kind: &str) -> bool {
    kind.starts_with("text/")
        || kind.contains("json")
        || kind.contains("svg")
        || kind.contains("wasm")
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn file(name: &str, bytes: &'static [u8]) -> File {
    let kind = kind(name);
    let packed =
        compressible(kind).then(|| gzip(bytes)).filter(|p| !p.is_empty() && p.len() < bytes.len());
    let tag = format!("\"{:08x}-{:x}\"", crc32fast::hash(bytes), bytes.len());
    File { bytes, gzip: packed, kind, tag, lasting: name.starts_with("assets/") }
}

/// The file of that path; `/` is `index.html`.
pub fn find(path: &str) -> Option<&'static File> {
    static ALL: OnceLock<HashMap<&'static str, OnceLock<File>>> = OnceLock::new();
    static NOTICE: OnceLock<File> = OnceLock::new();
    let all = ALL.get_or_init(|| FILES.iter().map(|(name, _)| (*name, OnceLock::new())).collect());
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    match (all.get_key_value(name), name) {
        (Some((name, slot)), _) => {
            let bytes = FILES.iter().find(|(n, _)| n == name)?.1;
            Some(slot.get_or_init(|| file(name, bytes)))
        }
        (None, "index.html") => Some(NOTICE.get_or_init(|| file("index.html", BARE.as_bytes()))),
        _ => None,
    }
}

/// Names of all files built in.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn there_is_always_a_page() {
        let index = find("/").expect("a page");
        assert_eq!(index.kind, "text/html; charset=utf-8");
        assert!(find("/index.html").is_some() && find("/no-such-file").is_none());
        assert!(find("/../Cargo.toml").is_none() && find("/assets/..").is_none());
        for name in names() {
            let file = find(name).expect("listed");
            assert!(file.tag.len() > 10, "{name}");
        }
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let text = b"the same again and again, ".repeat(100);
        let packed = gzip(&text);
        assert!(packed.len() < 100);
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
    }

    #[test]
    fn types_are_known() {
        assert_eq!(kind("a/b.js"), "text/javascript; charset=utf-8");
        assert_eq!(kind("noextension"), "application/octet-stream");
        assert!(compressible(kind("x.svg")) && !compressible(kind("x.woff2")));
    }
}
