//! What there is to say about a net without evaluating anything.

use crate::architecture::{Architecture, Hashes};
use crate::net::Net;
use features::FeatureSet;
use rules::Variant;

/// How the numbers of one group of parameters are spread.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spread {
    pub count: u64,
    pub min: i32,
    pub max: i32,
    /// Mean of the absolute values.
    pub mean_abs: f64,
    /// Share that is zero.
    pub zero: f64,
}

impl Spread {
    /// Of some numbers.
    pub fn of(values: impl Iterator<Item = i32>) -> Self {
        let (mut count, mut min, mut max, mut sum, mut zeros) = (0u64, i32::MAX, i32::MIN, 0u64, 0);
        for v in values {
            count += 1;
            min = min.min(v);
            max = max.max(v);
            sum += u64::from(v.unsigned_abs());
            zeros += u64::from(v == 0);
        }
        if count == 0 {
            return Self::default();
        }
        let share = |n: u64| n as f64 / count as f64;
        Self { count, min, max, mean_abs: share(sum), zero: share(zeros) }
    }
}

/// A net's identity card.
#[derive(Clone, PartialEq, Debug)]
pub struct NetInfo {
    /// Feature set and shape.
    pub architecture: Architecture,
    /// The description in its file.
    pub description: String,
    /// What a score is worth, if its file says so.
    pub win_rate_scale: Option<f64>,
    /// The hashes in its file.
    pub hashes: Hashes,
    /// The hashes its architecture should have.
    pub expected_hashes: Hashes,
    /// Size of its file.
    pub bytes: u64,
    /// Number of parameters.
    pub parameters: u64,
    /// Groups of parameters by name.
    pub spreads: Vec<(&'static str, Spread)>,
    /// Rows of the transformer that are all zero: features it never learned.
    pub empty_rows: usize,
    /// What is odd about the file, in words; empty if nothing is.
    pub remarks: Vec<String>,
}

impl NetInfo {
    /// Collects it. Reads every parameter once.
    pub(crate) fn of<V: Variant, F: FeatureSet<V>>(net: &Net<V, F>) -> Self {
        let architecture = net.architecture();
        let header = net.header();
        let (t, p) = (net.transformer(), net.layers().parameters());
        let words = |w: &[i16]| Spread::of(w.iter().map(|&x| i32::from(x)));
        let bytes = |w: &[i8]| Spread::of(w.iter().map(|&x| i32::from(x)));
        let longs = |w: &[i32]| Spread::of(w.iter().copied());
        let spreads = vec![
            ("transformer biases", words(&t.biases)),
            ("transformer weights", words(&t.weights)),
            ("layer 1 biases", longs(&p.b1)),
            ("layer 1 weights", bytes(&p.w1)),
            ("layer 2 biases", longs(&p.b2)),
            ("layer 2 weights", bytes(&p.w2)),
            ("output bias", longs(&[p.b3])),
            ("output weights", bytes(&p.w3)),
        ];
        let rows = t.weights.chunks_exact(architecture.shape.l0);
        let description = String::from_utf8_lossy(&header.description).into_owned();
        let expected_hashes = architecture.hashes();
        Self {
            architecture,
            win_rate_scale: header.win_rate_scale(),
            hashes: header.hashes,
            expected_hashes,
            bytes: 12 + header.description.len() as u64 + architecture.payload(),
            parameters: architecture.parameters(),
            spreads,
            empty_rows: rows.filter(|row| row.iter().all(|&x| x == 0)).count(),
            remarks: remarks(architecture, &description, header.hashes),
            description,
        }
    }
}

fn remarks(architecture: Architecture, description: &str, found: Hashes) -> Vec<String> {
    let mut remarks = Vec::new();
    let expected = architecture.hashes();
    let hashes = [
        ("file", found.file, expected.file),
        ("transformer", found.transformer, expected.transformer),
        ("network", found.network, expected.network),
    ];
    for (name, found, expected) in hashes {
        if found != expected {
            remarks.push(format!(
                "{name} hash is {found:#010x}, for {architecture} it should be {expected:#010x}"
            ));
        }
    }
    if Architecture::parse(description) != Some(architecture) {
        remarks.push(format!(
            "the description does not describe the {architecture} that the file's size shows"
        ));
    }
    remarks
}
