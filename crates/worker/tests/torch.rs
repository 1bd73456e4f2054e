//! The real thing where there is a Python with PyTorch: a net of random numbers, on the processor.

use features::{Labels, Planes};
use infer::native::{Architecture, Convolution, Floats, Reference, positions};
use infer::{Backend, Shape};
use rules::Game;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use think::WallTime;
use worker::{Settings, Worker};

const SHAPE: Shape =
    Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };

/// A Python that has PyTorch: the one `PYTHON` names, the one on the path, the system's.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("PYTHON").map(PathBuf::from);
    let candidates = named.into_iter().chain(["python3", "/usr/bin/python3"].map(PathBuf::from));
    let has_torch = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", "import torch"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    fixtures::found(candidates.into_iter().find(has_torch), "no Python with PyTorch")
}

fn net() -> Floats {
    let architecture =
        Architecture { shape: SHAPE, blocks: 2, channels: 32, value_channels: 5, value_hidden: 16 };
    let mut state = 1u32;
    let mut layer = |outputs: usize, inputs: usize| {
        let mut numbers = |count: usize| -> Vec<f32> {
            let size = (6.0 / inputs as f32).sqrt();
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                size * ((state >> 8) as f32 / (1 << 23) as f32 - 1.0)
            };
            (0..count).map(|_| next()).collect()
        };
        Convolution { weight: numbers(outputs * inputs), bias: numbers(outputs) }
    };
    let stem = layer(32, SHAPE.planes.count() * 9);
    let blocks = (0..2).map(|_| [layer(32, 32 * 9), layer(32, 32 * 9)]).collect();
    let policy = layer(architecture.policy_planes(), 32).weight;
    let policy_bias = layer(SHAPE.labels.count(), 6).bias;
    let (value, value_fc1, value_fc2) = (layer(5, 32), layer(16, 5 * 25), layer(1, 16));
    Floats { architecture, stem, blocks, policy, policy_bias, value, value_fc1, value_fc2 }
}

/// A file that is removed at the end.
struct File(PathBuf);

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn pytorch_answers_as_our_own_arithmetic_does() {
    let Some(python) = python() else { return };
    let net = net();
    let file = File(std::env::temp_dir().join(format!("nue-torch-{}.nuedf", std::process::id())));
    net.write(&mut std::fs::File::create(&file.0).unwrap()).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    let words = [
        "/usr/bin/env".to_owned(),
        format!("PYTHONPATH={}", folder.display()),
        python.display().to_string(),
        "-m".to_owned(),
        "nue_trainer".to_owned(),
        "serve".to_owned(),
        "--device".to_owned(),
        "cpu".to_owned(),
        "--net".to_owned(),
        file.0.display().to_string(),
    ];
    let reference = Reference::new(&net);
    let canaries = positions(&reference, SHAPE, 4, 1);
    let settings = Settings::new(words.to_vec());
    let worker = Worker::start(settings, canaries, Arc::new(WallTime::start())).unwrap();
    assert!(worker.describe().contains("2x32 fp32, PyTorch on CPU"), "{}", worker.describe());
    let mut expected = positions(&reference, SHAPE, 40, 2);
    worker.submit(expected.clone()).unwrap();
    reference.answer(&mut expected);
    let (_, found) = worker.poll(Duration::from_secs(60)).unwrap().expect("answered in a minute");
    for index in 0..expected.len() {
        let apart = (found.value(index).win - expected.value(index).win).abs();
        assert!(apart < 1e-4, "position {index}: win rates {apart} apart");
        for (a, b) in found.policy(index).iter().zip(expected.policy(index)) {
            // Logits come in 16 bits.
            assert!((a - b).abs() < 2e-3 * (1.0 + b.abs()), "position {index}: {a} and {b}");
        }
    }
    let missing = Settings::new(
        words.iter().map(|word| word.replace(".nuedf", ".missing")).collect::<Vec<_>>(),
    );
    let canaries = positions(&reference, SHAPE, 1, 1);
    let error = Worker::start(missing, canaries, Arc::new(WallTime::start())).unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
}
