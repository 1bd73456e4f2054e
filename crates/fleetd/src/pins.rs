//! Files a run names, put into the store, so that every worker has the very same.

use crate::error::FleetError;
use fleet::files::reference;
use fleet::signed::signature_path;
use fleet::{BlobHash, Pins, Queue, Spec};
use serde_json::Value;
use std::path::Path;

/// The spec with references in the place of files that are there, and what they refer to. In the words an
/// engine is described by, values that name a file count too.
pub fn pin(spec: &Spec, queue: &dyn Queue) -> Result<(Spec, Pins), FleetError> {
    let mut value = serde_json::to_value(spec)?;
    let mut pins = Pins::default();
    pin_in(&mut value, queue, &mut pins)?;
    Ok((serde_json::from_value(value)?, pins))
}

fn pin_in(value: &mut Value, queue: &dyn Queue, pins: &mut Pins) -> Result<(), FleetError> {
    match value {
        Value::String(text) => {
            if let Some(pinned) = pinned(text, queue, pins)? {
                *text = pinned;
            }
            Ok(())
        }
        Value::Array(list) => list.iter_mut().try_for_each(|v| pin_in(v, queue, pins)),
        Value::Object(map) => map.values_mut().try_for_each(|v| pin_in(v, queue, pins)),
        _ => Ok(()),
    }
}

fn pinned(text: &str, queue: &dyn Queue, pins: &mut Pins) -> Result<Option<String>, FleetError> {
    if let Some(whole) = pin_file(text, queue, pins)? {
        return Ok(Some(whole));
    }
    // FILE:SHARE, as in openings of self-play.
    if let Some((path, share)) = text.rsplit_once(':')
        && let Some(file) = pin_file(path, queue, pins)?
    {
        return Ok(Some(format!("{file}:{share}")));
    }
    if !text.contains('=') {
        return Ok(None);
    }
    let mut changed = false;
    let mut parts = Vec::new();
    for (key, value) in arena::spec::pairs(text) {
        let file = if key == "name" { None } else { pin_file(&value, queue, pins)? };
        if file.is_some() && key == "cmd" {
            pin_signature(Path::new(&value), pins)?;
        }
        changed |= file.is_some();
        let value = file.unwrap_or(value).replace('\\', "\\\\").replace(',', "\\,");
        parts.push(format!("{key}={value}"));
    }
    Ok(changed.then(|| parts.join(",")))
}

/// An executable goes with the signature that lies beside it.
fn pin_signature(executable: &Path, pins: &mut Pins) -> Result<(), FleetError> {
    let path = signature_path(executable);
    let signature = std::fs::read_to_string(&path).map_err(|e| {
        let name = executable.display();
        let why = format!("{name} is a program, and its signature cannot be read: {}: {e}; nue fleet sign makes one", path.display());
        FleetError::Refused(why)
    })?;
    let failed = |source| FleetError::File { path: executable.to_owned(), source };
    let file = std::fs::File::open(executable).map_err(failed)?;
    let hash = BlobHash::of_reader(file).map_err(failed)?;
    pins.signatures.insert(hash.to_string(), signature.trim().to_owned());
    Ok(())
}

fn pin_file(text: &str, queue: &dyn Queue, pins: &mut Pins) -> Result<Option<String>, FleetError> {
    let path = Path::new(text);
    // Only what is written as a path or has an extension: a player may be called like a folder.
    if text.is_empty() || !path.is_file() {
        return Ok(None);
    }
    let failed = |source| FleetError::File { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    let hash = queue.put_blob(&bytes)?;
    let name = path.file_name().map_or_else(|| "file".into(), |name| name.to_string_lossy());
    pins.files.insert(name.into_owned(), hash);
    let name = path.file_name().map_or_else(|| "file".into(), |name| name.to_string_lossy());
    Ok(Some(reference(&hash, &name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::request::MatchRequest;
    use fleet::files::FileCache;
    use fleet::{InProcess, MatchSpec};
    use std::sync::Arc;
    use think::ManualTime;

    #[test]
    fn files_become_references_and_files_again() {
        let folder = tempfile::tempdir().unwrap();
        let (net, openings) = (folder.path().join("nn.bin"), folder.path().join("o.txt"));
        std::fs::write(&net, [1; 1000]).unwrap();
        std::fs::write(&openings, "startpos moves 7g7f\n").unwrap();
        let queue = InProcess::new(fleet::Settings::default(), Arc::new(ManualTime::new()));
        let request = MatchRequest {
            engines: vec![
                format!("cmd=self,nodes=1,option.EvalDir={}", net.display()),
                "cmd=self,name=b,nodes=1".to_owned(),
            ],
            openings: Some(openings.clone()),
            ..MatchRequest::default()
        };
        let spec = Spec::Match(Box::new(MatchSpec { request, reference_speed: None }));
        let (pinned, pins) = pin(&spec, &queue).unwrap();
        assert_eq!(pins.files.len(), 2);
        let text = serde_json::to_string(&pinned).unwrap();
        assert!(!text.contains(folder.path().to_str().unwrap()), "{text}");
        let cache = FileCache::new(&folder.path().join("cache")).unwrap();
        let Spec::Match(resolved) = cache.resolve(&pinned, &queue).unwrap() else { panic!() };
        let fetched = resolved.request.openings.clone().unwrap();
        assert_eq!(std::fs::read(fetched).unwrap(), std::fs::read(&openings).unwrap());
        assert!(resolved.request.engines[0].ends_with("/nn.bin"), "{:?}", resolved.request);
    }

    #[test]
    fn programs_go_with_their_signature_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("engine");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        let queue = InProcess::new(fleet::Settings::default(), Arc::new(ManualTime::new()));
        let engine = format!("cmd={},name=a,nodes=1", program.display());
        let request = MatchRequest {
            engines: vec![engine, "cmd=self,name=b,nodes=1".to_owned()],
            ..MatchRequest::default()
        };
        let spec = Spec::Match(Box::new(MatchSpec { request, reference_speed: None }));
        let refused = pin(&spec, &queue).unwrap_err().to_string();
        assert!(refused.contains("nue fleet sign"), "{refused}");
        std::fs::write(signature_path(&program), "12ab\n").unwrap();
        let (pinned, pins) = pin(&spec, &queue).unwrap();
        let hash = BlobHash::of(b"#!/bin/sh\n").to_string();
        assert_eq!(pins.signatures.get(&hash).map(String::as_str), Some("12ab"));
        assert!(serde_json::to_string(&pinned).unwrap().contains(&format!("blob:{hash}/engine")));
        assert!(!pinned.is_reproducible(), "nobody knows what it does");
    }
}
