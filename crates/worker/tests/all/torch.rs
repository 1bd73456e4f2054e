//! The real thing where there is a Python with PyTorch: a net of random numbers, on the processor.

use features::{Labels, Planes};
use infer::native::{Architecture, Floats, Reference, positions};
use infer::{Backend, Shape};
use rules::Game;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use think::WallTime;
use worker::{Settings, Worker};

const SHAPE: Shape =
    Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };

fn net() -> Floats {
    let sizes =
        Architecture { shape: SHAPE, blocks: 2, channels: 32, value_channels: 5, value_hidden: 16 };
    Floats::random(sizes, 1)
}

#[test]
fn pytorch_answers_as_our_own_arithmetic_does() {
    let Some(python) = fixtures::python_with("torch") else { return };
    let net = net();
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("net.nuedf");
    net.write(&mut std::fs::File::create(&file).unwrap()).unwrap();
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
        file.display().to_string(),
    ];
    let reference = Reference::new(&net);
    let canaries = || Box::new(|shape| infer::random_positions(shape, 4, 1));
    let (settings, time) = (Settings::new(words.to_vec()), Arc::new(WallTime::start()));
    let worker = Worker::start(settings, SHAPE.game, canaries(), time.clone()).unwrap();
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
    let error = Worker::start(missing, SHAPE.game, canaries(), time).unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
}
