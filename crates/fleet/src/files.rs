//! Files a spec names, on machines that are not where it was written.
//!
//! In a spec that leaves its machine a file is written `blob:HASH/NAME`. Whoever does the work fetches
//! the blob once, checks its hash, keeps it in a folder and puts its own path in that place.

use crate::batch::{Fault, FaultKind};
use crate::names::BlobHash;
use crate::queue::{Queue, QueueError};
use crate::task::Spec;
use serde_json::Value;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How a reference begins.
const SCHEME: &str = "blob:";

/// Bytes fetched at a time.
const PART: u64 = 1 << 18;

/// A reference to a blob, as a spec has it.
pub fn reference(hash: &BlobHash, name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    // A name of dots alone would be a folder.
    let name = if name.trim_matches('.').is_empty() { "file" } else { &name };
    format!("{SCHEME}{hash}/{name}")
}

/// A folder of files fetched before.
#[derive(Clone, Debug)]
pub struct FileCache {
    folder: PathBuf,
}

impl FileCache {
    /// A cache in that folder. Its path stands in the words engines are described by, in which commas and
    /// backslashes mean something.
    pub fn new(folder: &Path) -> Result<Self, String> {
        let text = folder
            .to_str()
            .ok_or_else(|| format!("{}: choose a folder whose name is UTF-8", folder.display()))?;
        if text.contains([',', '\\']) {
            return Err(format!("{text}: choose a folder without commas and backslashes"));
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// The spec with paths in the place of references.
    pub fn resolve(&self, spec: &Spec, queue: &dyn Queue) -> Result<Spec, Fault> {
        let wrong = |e: serde_json::Error| Fault::new(FaultKind::Spec, e.to_string());
        let mut value = serde_json::to_value(spec).map_err(wrong)?;
        self.resolve_in(&mut value, queue)?;
        serde_json::from_value(value).map_err(wrong)
    }

    fn resolve_in(&self, value: &mut Value, queue: &dyn Queue) -> Result<(), Fault> {
        match value {
            Value::String(text) if text.contains(SCHEME) => {
                *text = self.resolve_text(text, queue)?;
                Ok(())
            }
            Value::Array(list) => list.iter_mut().try_for_each(|v| self.resolve_in(v, queue)),
            Value::Object(map) => map.values_mut().try_for_each(|v| self.resolve_in(v, queue)),
            _ => Ok(()),
        }
    }

    fn resolve_text(&self, text: &str, queue: &dyn Queue) -> Result<String, Fault> {
        let mut parts = text.split(SCHEME);
        let mut resolved = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find([',', ':', ' ']).unwrap_or(part.len());
            let (named, rest) = part.split_at(end);
            let wrong = || {
                Fault::new(FaultKind::Spec, format!("{SCHEME}{named} does not name a stored file"))
            };
            let (hash, name) = named.split_once('/').ok_or_else(wrong)?;
            let hash: BlobHash = hash.parse().map_err(|_| wrong())?;
            if reference(&hash, name) != format!("{SCHEME}{named}") {
                return Err(wrong());
            }
            let path = self.fetch(&hash, name, queue)?;
            resolved.push_str(&path.to_string_lossy());
            resolved.push_str(rest);
        }
        Ok(resolved)
    }

    /// Puts a file of this folder into a queue's store if it is not there.
    pub fn share(&self, hash: &BlobHash, queue: &dyn Queue) -> Result<(), QueueError> {
        if queue.blob_length(hash)?.is_some() {
            return Ok(());
        }
        let folder = self.folder.join(hash.to_string());
        let mut files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let bytes = files.find_map(|file| std::fs::read(file.path()).ok());
        let bytes = bytes.filter(|bytes| BlobHash::of(bytes) == *hash);
        let bytes = bytes.ok_or(QueueError::NoBlob { hash: *hash })?;
        queue.put_blob(&bytes).map(drop)
    }

    /// The file of a blob, fetched if need be.
    pub fn fetch(&self, hash: &BlobHash, name: &str, queue: &dyn Queue) -> Result<PathBuf, Fault> {
        let path = self.folder.join(hash.to_string()).join(name);
        let machine =
            |e: io::Error| Fault::new(FaultKind::Machine, format!("{}: {e}", path.display()));
        if path.is_file() {
            let file = std::fs::File::open(&path).map_err(machine)?;
            if BlobHash::of_reader(file).map_err(machine)? == *hash {
                return Ok(path);
            }
        }
        let missing = |e: QueueError| Fault::new(FaultKind::Machine, format!("blob {hash}: {e}"));
        let length = queue.blob_length(hash).map_err(missing)?;
        let length = length.ok_or_else(|| missing(QueueError::NoBlob { hash: *hash }))?;
        let mut draft = durable::Draft::new(&path).map_err(machine)?;
        let mut all = Vec::new();
        let mut at = 0;
        while at < length {
            let part = queue.get_blob(hash, at..(at + PART).min(length)).map_err(missing)?;
            if part.is_empty() {
                break;
            }
            at += part.len() as u64;
            all.extend_from_slice(&part);
        }
        if BlobHash::of(&all) != *hash {
            let why = format!("blob {hash}: what came has another hash");
            return Err(Fault::new(FaultKind::Machine, why));
        }
        draft.write_all(&all).map_err(machine)?;
        draft.publish(true).map_err(machine)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_process::InProcess;
    use crate::queue::Settings;
    use crate::task::SelfPlaySpec;
    use arena::selfplay::settings::SelfPlaySettings;
    use std::sync::Arc;
    use think::ManualTime;

    fn spec(net: &str, openings: &str) -> Spec {
        let openings = vec![openings.to_owned()];
        let settings = SelfPlaySettings { openings, ..SelfPlaySettings::default() };
        Spec::SelfPlay(Box::new(SelfPlaySpec { settings, net: Some(net.into()), fv_scale: 16 }))
    }

    #[test]
    fn references_become_paths_of_files_with_the_right_hash() {
        let folder = tempfile::tempdir().unwrap();
        let queue = InProcess::new(Settings::default(), Arc::new(ManualTime::new()));
        let bytes = vec![7; PART as usize + 5];
        let hash = queue.put_blob(&bytes).unwrap();
        let cache = FileCache::new(folder.path()).unwrap();
        let net = reference(&hash, "nn.bin");
        let resolved = cache.resolve(&spec(&net, &format!("{net}:3")), &queue).unwrap();
        let path = folder.path().join(hash.to_string()).join("nn.bin");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        let text = path.to_str().unwrap();
        assert_eq!(resolved, spec(text, &format!("{text}:3")));
        // A file that was changed is fetched anew.
        std::fs::write(&path, "x").unwrap();
        cache.resolve(&spec(&net, ""), &queue).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let queue = InProcess::new(Settings::default(), Arc::new(ManualTime::new()));
        let hash = queue.put_blob(b"x").unwrap();
        let cache = FileCache::new(folder.path()).unwrap();
        for bad in ["blob:", "blob:x/y", &format!("blob:{hash}"), &format!("blob:{hash}/../../x")] {
            assert!(cache.resolve(&spec(bad, ""), &queue).is_err(), "{bad}");
        }
        let absent = reference(&BlobHash::of(b"absent"), "x");
        let fault = cache.resolve(&spec(&absent, ""), &queue).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Machine);
        assert!(FileCache::new(Path::new("/a,b")).is_err());
        assert_eq!(reference(&hash, "a b,c/..\\d"), format!("blob:{hash}/a_b_c_.._d"));
        assert_eq!(reference(&hash, ".."), format!("blob:{hash}/file"));
    }
}
