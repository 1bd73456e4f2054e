//! Nets for tests: random ones in folders of the test's own, and a published one where the data is
//! present.

use nnue::{AnyNet, Architecture, FeatureKind, Noise, Shape};
use std::panic::Location;
use std::path::{Path, PathBuf};

/// A folder of the calling file's own.
#[track_caller]
pub(crate) fn folder(name: &str) -> PathBuf {
    let of = Path::new(Location::caller().file()).file_stem().unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(of).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// The file of a random net with a first layer of that width.
pub(crate) fn bytes(features: FeatureKind, l0: usize, seed: u64) -> Vec<u8> {
    let shape = Shape { l0, h1: 16, h2: 32 };
    let net = AnyNet::random(Architecture { features, shape }, Noise::ordinary(seed));
    let mut bytes = Vec::new();
    net.write(&mut bytes).unwrap();
    bytes
}

/// The path of a folder of that name with these bytes as `nn.bin`.
#[track_caller]
pub(crate) fn save(name: &str, bytes: &[u8]) -> String {
    let folder = folder(name);
    std::fs::write(folder.join("nn.bin"), bytes).unwrap();
    folder.to_str().unwrap().to_owned()
}

/// A published net with reference values.
#[track_caller]
pub(crate) fn reference() -> Option<PathBuf> {
    fixtures::shared_data("kp256")
}
