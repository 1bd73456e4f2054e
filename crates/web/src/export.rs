//! The page as a folder of files that any host of files can serve: its engine comes along and runs in the
//! browser (the room `offline`), and no server is needed.

use crate::guard;
use crate::page::{self, gzip};
use crate::start::StartError;
use board::hello::Scales;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The module's file, beside the executable.
const MODULE: &str = "nue.wasm";

/// What says that a folder is such a site, and what its page reads first.
const SITE: &str = "site.json";

/// MiB of the engine's table in a browser: phones have little to spare.
const HASH: u32 = 32;

/// What the page's head says while there is a server, and what it says without.
const SERVED: &str = "<meta name=\"nue-server\" content=\"here\">";
const SERVERLESS: &str = "<meta name=\"nue-server\" content=\"none\">";

/// The list of files in the page's service worker: empty while there is a server.
const LIST: &str = "const WHOLE = [];";

/// What a site is made of, besides the page.
pub struct SiteParts<'a> {
    /// The module: the one beside the executable unless it is named.
    pub module: Option<&'a Path>,
    /// Files of the nets, for each game.
    pub nets: [&'a [u8]; 2],
    /// What they are, in words.
    pub evaluation: [String; 2],
    pub scales: Scales,
    pub version: String,
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exported {
    pub files: usize,
    pub bytes: u64,
    /// What a visitor who plays shogi fetches in all, from a host that compresses.
    pub wire: u64,
}

/// A file of the site.
struct SiteFile {
    name: String,
    bytes: Vec<u8>,
    /// Whether every visitor fetches it, be it for later; the net of minishogi comes when it is wanted.
    usual: bool,
}

/// Writes a site into a folder: a new one, an empty one, or one with an earlier edition.
pub fn export(folder: &Path, parts: &SiteParts<'_>) -> Result<Exported, StartError> {
    let files = site(&module(parts.module)?, parts)?;
    let failed = |path: &Path, error: std::io::Error| {
        StartError::failed(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(folder.join("assets")).map_err(|e| failed(folder, e))?;
    let foreign = fs::read_dir(folder).map_err(|e| failed(folder, e))?.flatten();
    let foreign = foreign.filter(|entry| entry.file_name() != "assets").count();
    if foreign > 0 && !folder.join(SITE).is_file() {
        let message = "is not empty and no site of this program; name a new folder";
        return Err(StartError::usage(format!("--export: {} {message}", folder.display())));
    }
    let mut exported = Exported { files: files.len(), bytes: 0, wire: 0 };
    // What names the others comes last: a site that was interrupted is the earlier one.
    for SiteFile { name, bytes, usual } in &files {
        let path = folder.join(name);
        durable::write_whole(&path, bytes, true).map_err(|e| failed(&path, e))?;
        exported.bytes += bytes.len() as u64;
        exported.wire += if *usual { gzip(bytes).len().min(bytes.len()) as u64 } else { 0 };
    }
    Ok(exported)
}

/// The module, or a sentence about where it comes from.
fn module(named: Option<&Path>) -> Result<Vec<u8>, StartError> {
    let beside = || {
        let executable = std::env::current_exe().unwrap_or_default();
        executable.parent().map_or_else(|| PathBuf::from(MODULE), |folder| folder.join(MODULE))
    };
    let path = named.map_or_else(beside, Path::to_path_buf);
    let bytes = fs::read(&path).map_err(|e| {
        StartError::failed(format!(
            "cannot read the engine for browsers, {}: {e}; \"cargo xtask wasm\" builds it, --wasm FILE names it",
            path.display()
        ))
    })?;
    if !bytes.starts_with(b"\0asm") {
        let message = format!("{} is no WebAssembly module", path.display());
        return Err(StartError::usage(message));
    }
    Ok(bytes)
}

/// A name that changes with the bytes.
fn named(stem: &str, bytes: &[u8], extension: &str) -> String {
    format!("assets/{stem}-{:08x}.{extension}", crc32fast::hash(bytes))
}

/// What the page is told of its own site.
#[derive(Serialize)]
struct SiteFacts<'a> {
    version: &'a str,
    evaluation: &'a [String; 2],
    scales: [f64; 2],
    /// Of the engine's table, in MiB.
    hash: u32,
    module: &'a str,
    nets: SiteNets<'a>,
}

/// Where the nets are.
#[derive(Serialize)]
struct SiteNets<'a> {
    shogi: &'a str,
    minishogi: &'a str,
}

fn json(value: &impl Serialize) -> Result<String, StartError> {
    serde_json::to_string(value).map_err(|e| StartError::failed(e.to_string()))
}

/// Every file, those that name others after them.
fn site(module: &[u8], parts: &SiteParts<'_>) -> Result<Vec<SiteFile>, StartError> {
    let engine = named("nue", module, "wasm");
    let nets = [named("shogi", parts.nets[0], "nnz"), named("minishogi", parts.nets[1], "nnz")];
    let mut files: Vec<SiteFile> = page::names()
        .filter(|name| !matches!(*name, "index.html" | "sw.js"))
        .filter_map(|name| Some((name, page::find(name)?)))
        .map(|(name, file)| SiteFile {
            name: name.to_owned(),
            bytes: file.bytes.to_vec(),
            usual: true,
        })
        .collect();
    files.push(SiteFile { name: engine.clone(), bytes: module.to_vec(), usual: true });
    files.push(SiteFile { name: nets[0].clone(), bytes: parts.nets[0].to_vec(), usual: true });
    files.push(SiteFile { name: nets[1].clone(), bytes: parts.nets[1].to_vec(), usual: false });
    let facts = SiteFacts {
        version: &parts.version,
        evaluation: &parts.evaluation,
        scales: [parts.scales.shogi, parts.scales.minishogi],
        hash: HASH,
        module: &engine,
        nets: SiteNets { shogi: &nets[0], minishogi: &nets[1] },
    };
    files.push(SiteFile {
        name: SITE.to_owned(),
        bytes: (json(&facts)? + "\n").into(),
        usual: true,
    });
    let usual = files.iter().filter(|file| file.usual).map(|file| file.name.as_str());
    let whole: Vec<&str> = usual.chain([""]).collect();
    let head = format!(
        "{SERVERLESS}\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
        guard::policy_without_server()
    );
    files.push(changed("sw.js", LIST, &format!("const WHOLE = {};", json(&whole)?))?);
    files.push(changed("index.html", SERVED, &head)?);
    Ok(files)
}

/// A file of the page that is different without a server.
fn changed(name: &str, from: &str, to: &str) -> Result<SiteFile, StartError> {
    let built = page::find(name).map(|file| String::from_utf8_lossy(file.bytes));
    let text = built.filter(|text| text.contains(from)).ok_or_else(|| {
        StartError::failed(format!("this executable was built without its page ({name})"))
    })?;
    let bytes = text.replacen(from, to, 1).into_bytes();
    Ok(SiteFile { name: name.to_owned(), bytes, usual: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const PARTS: fn() -> SiteParts<'static> = || SiteParts {
        module: None,
        nets: [b"shogi net", b"minishogi net"],
        evaluation: ["a".to_owned(), "b".to_owned()],
        scales: Scales { shogi: 600.0, minishogi: 500.0 },
        version: "1".to_owned(),
    };

    fn written(folder: &Path) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (prefix, folder) in [("", folder.to_owned()), ("assets/", folder.join("assets"))] {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                names.insert(format!("{prefix}{}", entry.file_name().to_string_lossy()));
            }
        }
        names.remove("assets");
        names
    }

    #[test]
    fn a_site_has_every_file_of_the_page_and_what_it_needs_without_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("m.wasm");
        fs::write(&module, b"\0asm rest").unwrap();
        let site = folder.path().join("site");
        let parts = SiteParts { module: Some(&module), ..PARTS() };
        let exported = export(&site, &parts).unwrap();
        let names = written(&site);
        assert_eq!(names.len(), exported.files, "{names:?}");
        assert!(page::names().all(|name| names.contains(name)), "{names:?}");
        let index = fs::read_to_string(site.join("index.html")).unwrap();
        assert!(index.contains(SERVERLESS) && !index.contains(SERVED));
        assert!(index.contains("'wasm-unsafe-eval'"), "{index}");
        let facts: serde_json::Value =
            serde_json::from_slice(&fs::read(site.join(SITE)).unwrap()).unwrap();
        let worker = fs::read_to_string(site.join("sw.js")).unwrap();
        for (file, kept) in [
            (&facts["module"], true),
            (&facts["nets"]["shogi"], true),
            (&facts["nets"]["minishogi"], false),
        ] {
            let name = file.as_str().unwrap();
            assert!(names.contains(name), "{name}");
            assert_eq!(worker.contains(name), kept, "{name} in the list of what is kept");
        }
        // A later edition goes over an earlier one, and over nothing else.
        assert!(export(&site, &parts).is_ok());
        let taken = folder.path();
        assert!(
            matches!(export(taken, &parts), Err(StartError::Usage(text)) if text.contains("not empty"))
        );
    }

    #[test]
    fn a_module_that_is_missing_or_none_is_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.wasm");
        let parts = SiteParts { module: Some(&path), ..PARTS() };
        let site = folder.path().join("site");
        let error = export(&site, &parts).unwrap_err().to_string();
        assert!(error.contains("cargo xtask wasm") && error.contains("m.wasm"), "{error}");
        fs::write(&path, b"<!doctype html>").unwrap();
        let error = export(&site, &parts).unwrap_err().to_string();
        assert!(error.contains("no WebAssembly module"), "{error}");
        assert!(!site.exists(), "nothing is begun");
    }
}
