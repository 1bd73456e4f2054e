//! Executables that come with a run. A worker starts none unless its owner named somebody whose signature it may
//! trust; then it runs in a folder of its own, without network and without this process' environment.

use crate::batch::{Fault, FaultKind};
use crate::names::BlobHash;
use crate::task::Pins;
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use engines::ProgramCommand;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What cuts a program off from the network: a namespace of its own, made by a tool of the system.
const UNSHARE: [&str; 5] = ["unshare", "--user", "--map-root-user", "--net", "--"];

/// The file beside an executable that holds its signature.
pub fn signature_path(executable: &Path) -> PathBuf {
    let mut name = executable.as_os_str().to_owned();
    name.push(".sig");
    PathBuf::from(name)
}

/// What is signed: nothing else a key may sign looks like it.
fn message(hash: &BlobHash) -> Vec<u8> {
    format!("nue executable sha256 {hash}").into_bytes()
}

fn bytes(text: &str, what: &str) -> Result<Vec<u8>, String> {
    HEX.decode(text.trim().as_bytes()).map_err(|e| format!("{what}: {e}"))
}

fn key_pair(secret: &str) -> Result<Ed25519KeyPair, String> {
    let secret = bytes(secret, "the key")?;
    Ed25519KeyPair::from_pkcs8(&secret).map_err(|e| format!("the key cannot be used: {e}"))
}

/// A new key: what signs, to be kept, and what others know it by.
pub fn new_key() -> Result<(String, String), String> {
    let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
    let secret = HEX.encode(made.map_err(|e| format!("no random numbers: {e}"))?.as_ref());
    let public = HEX.encode(key_pair(&secret)?.public_key().as_ref());
    Ok((secret, public))
}

/// Signs an executable.
pub fn sign(secret: &str, executable: &BlobHash) -> Result<String, String> {
    Ok(HEX.encode(key_pair(secret)?.sign(&message(executable)).as_ref()))
}

/// Somebody whose executables a worker starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signer(Vec<u8>);

impl std::str::FromStr for Signer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let key = bytes(text, "the key")?;
        match key.len() {
            32 => Ok(Self(key)),
            other => Err(format!("a public key has 32 bytes, this one has {other}")),
        }
    }
}

impl Signer {
    /// Whether it signed that executable.
    pub fn has_signed(&self, executable: &BlobHash, signature: &str) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        bytes(signature, "").is_ok_and(|text| key.verify(&message(executable), &text).is_ok())
    }
}

/// Where signed executables run.
#[derive(Clone, Debug)]
pub struct Sandbox {
    folder: PathBuf,
    signers: Vec<Signer>,
}

impl Sandbox {
    /// A sandbox below that folder for what they sign. Refused where the system cannot cut programs off from the network.
    pub fn new(folder: &Path, signers: Vec<Signer>) -> Result<Self, String> {
        let failed = |e: &dyn std::fmt::Display| {
            format!("programs cannot be cut off from the network here ({}): {e}", UNSHARE.join(" "))
        };
        let mut tried = Command::new(UNSHARE[0]);
        tried.args(&UNSHARE[1..]).arg("true").stdin(Stdio::null()).stdout(Stdio::null());
        let status = tried.stderr(Stdio::null()).status().map_err(|e| failed(&e))?;
        if !status.success() {
            return Err(failed(&status));
        }
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Self { folder, signers })
    }

    /// The command of a program that came with a task, confined; slots have folders of their own.
    pub fn confined(
        &self,
        command: &ProgramCommand,
        pins: &Pins,
        slot: usize,
    ) -> Result<ProgramCommand, Fault> {
        let refused =
            |why: String| Fault::new(FaultKind::Spec, format!("{}: {why}", command.program));
        let machine = |e: std::io::Error| Fault::new(FaultKind::Machine, e.to_string());
        let program = Path::new(&command.program);
        // Whatever else it was called, only what it is counts.
        let file = std::fs::File::open(program).map_err(machine)?;
        let hash = BlobHash::of_reader(file).map_err(machine)?;
        let signature = pins.signatures.get(&hash.to_string());
        let signature = signature
            .ok_or_else(|| refused("it is not signed; sign it with nue fleet sign".to_owned()))?;
        if !self.signers.iter().any(|signer| signer.has_signed(&hash, signature)) {
            return Err(refused(
                "its signature is by none of the keys that this worker trusts".to_owned(),
            ));
        }
        let folder = self.folder.join(format!("slot-{slot}")).join(hash.to_string());
        std::fs::create_dir_all(&folder).map_err(machine)?;
        let own = folder.join("engine");
        let is_there = std::fs::File::open(&own).and_then(BlobHash::of_reader);
        // One that has changed itself is made anew.
        if is_there.ok() != Some(hash) {
            copy(program, &own).map_err(machine)?;
        }
        os::files::make_executable(&own).map_err(machine)?;
        let own = own
            .to_str()
            .ok_or_else(|| refused("the path of its folder is not valid UTF-8".to_owned()))?;
        let mut args: Vec<String> = UNSHARE[1..].iter().map(|&word| word.to_owned()).collect();
        args.extend(["env".to_owned(), "-i".to_owned(), own.to_owned()]);
        args.extend(command.args.iter().cloned());
        let dir = Some(folder.to_string_lossy().into_owned());
        Ok(ProgramCommand { program: UNSHARE[0].to_owned(), args, dir, env: Vec::new() })
    }
}

/// Copies a file by a program of the system. Were the copy open in this process, whatever another slot starts at that moment
/// would have it open too, and no system starts a program that somebody can write to.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let copied =
        Command::new("cp").args(["-f", "--"]).args([from, to]).stdin(Stdio::null()).output()?;
    match copied.status.success() {
        true => Ok(()),
        false => {
            Err(std::io::Error::other(String::from_utf8_lossy(&copied.stderr).trim().to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn signatures_are_of_one_key_and_one_executable() {
        let (secret, public) = new_key().unwrap();
        let (_, other) = new_key().unwrap();
        let (one, two) = (BlobHash::of(b"one"), BlobHash::of(b"two"));
        let signature = sign(&secret, &one).unwrap();
        let signer: Signer = public.parse().unwrap();
        let other: Signer = other.parse().unwrap();
        assert!(signer.has_signed(&one, &signature));
        assert!(!signer.has_signed(&two, &signature) && !other.has_signed(&one, &signature));
        for wrong in ["", "zz", "00", &signature[2..]] {
            assert!(!signer.has_signed(&one, wrong), "{wrong}");
        }
        assert!("12".parse::<Signer>().is_err() && "x".parse::<Signer>().is_err());
        assert!(sign("00", &one).is_err());
    }

    /// A script stands for an engine: it tells what it sees.
    #[test]
    fn what_is_signed_runs_in_a_folder_of_its_own_without_network() {
        let folder = tempfile::tempdir().unwrap();
        let (secret, public) = new_key().unwrap();
        let signers = vec![public.parse().unwrap()];
        let sandbox = match Sandbox::new(&folder.path().join("box"), signers) {
            Ok(sandbox) => sandbox,
            Err(why) => {
                fixtures::skipped(&why);
                return;
            }
        };
        let script = folder.path().join("script");
        let text = "#!/bin/sh\npwd\n/bin/cat /proc/net/dev | /usr/bin/tail -n +3 | /usr/bin/cut -d: -f1\n/usr/bin/env\n";
        std::fs::write(&script, text).unwrap();
        let hash = BlobHash::of(text.as_bytes());
        let program = script.to_str().unwrap().to_owned();
        let command = ProgramCommand { program, args: Vec::new(), dir: None, env: Vec::new() };
        let none = sandbox.confined(&command, &Pins::default(), 0).unwrap_err();
        assert!(none.reason.contains("it is not signed; sign it with nue fleet sign"), "{none}");
        let pins = |signature: String| Pins {
            signatures: BTreeMap::from([(hash.to_string(), signature)]),
            ..Pins::default()
        };
        let (stranger, _) = new_key().unwrap();
        let foreign = pins(sign(&stranger, &hash).unwrap());
        assert!(sandbox.confined(&command, &foreign, 0).is_err());
        let right = pins(sign(&secret, &hash).unwrap());
        let confined = sandbox.confined(&command, &right, 3).unwrap();
        let dir = confined.dir.clone().unwrap();
        let ran = Command::new(&confined.program)
            .args(&confined.args)
            .current_dir(&dir)
            .env("NUE_SECRET", "x")
            .output()
            .unwrap();
        let said = String::from_utf8(ran.stdout).unwrap();
        assert!(said.lines().next().unwrap().contains("slot-3"), "{said}");
        let nets: Vec<&str> =
            said.lines().skip(1).take_while(|line| !line.contains('=')).map(str::trim).collect();
        assert_eq!(nets, ["lo"], "{said}");
        assert!(!said.contains("NUE_SECRET"), "{said}");
        // One that has changed itself is made anew.
        let own = Path::new(&dir).join("engine");
        std::fs::write(&own, "#!/bin/sh\n").unwrap();
        sandbox.confined(&command, &right, 3).unwrap();
        assert_eq!(std::fs::read_to_string(&own).unwrap(), text);
        // A file that was changed since is not what was signed.
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(sandbox.confined(&command, &right, 3).is_err());
    }
}
