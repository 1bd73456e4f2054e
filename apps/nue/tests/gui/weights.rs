//! Nets for tests: random ones in folders of the test's own, and a published one where the data is
//! present.

use nnue::{AnyNet, Architecture, FeatureKind, Noise, Shape};
use std::path::{Path, PathBuf};

/// A folder of this test program's own.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(name);
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
pub(crate) fn save(name: &str, bytes: &[u8]) -> String {
    let folder = folder(name);
    std::fs::write(folder.join("nn.bin"), bytes).unwrap();
    folder.to_str().unwrap().to_owned()
}

/// A published net with reference values.
pub(crate) fn reference() -> Option<PathBuf> {
    let named = std::env::var_os("NUE_SHARED_DATA").map(PathBuf::from);
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = named.unwrap_or(beside).join("kp256");
    folder.is_dir().then_some(folder)
}
