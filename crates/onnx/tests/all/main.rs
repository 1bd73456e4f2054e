//! ONNX Runtime itself, where it is at hand: `ORT_DYLIB_PATH` names it, or a Python has it.

mod file;

use features::{Labels, Planes};
use file::Face;
use infer::native::{Architecture, Floats, Reference};
use infer::{Backend, Batch, Fault, Shape, random_positions};
use onnx::{Library, Onnx, OpenError, Provider, Search, Settings};
use rules::Game;
use std::path::Path;
use std::time::Duration;
use tempfile::{NamedTempFile, TempPath};

const SHOGI: Shape = Shape { game: Game::Shogi, planes: Planes::Dlshogi, labels: Labels::Dlshogi };
const MINISHOGI: Shape =
    Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };

/// Where the library is.
fn search() -> Option<Search> {
    let usual = Search::usual("");
    if Library::find(&usual).is_ok() {
        return Some(usual);
    }
    let found = fixtures::pythons().iter().find_map(|python| onnx::of_python(python));
    let search = found.map(|folder| Search { named: Some(folder), ..Search::default() });
    fixtures::found(search, "no ONNX Runtime: ORT_DYLIB_PATH names none, no Python has it")
}

fn written(name: &str, bytes: &[u8]) -> TempPath {
    let file = NamedTempFile::with_suffix(format!("-{name}.onnx")).unwrap();
    std::fs::write(&file, bytes).unwrap();
    file.into_temp_path()
}

fn net(shape: Shape) -> Floats {
    Floats::random(
        Architecture { shape, blocks: 2, channels: 32, value_channels: 5, value_hidden: 16 },
        1,
    )
}

fn open(search: &Search, file: &Path, provider: Provider) -> Result<Onnx, OpenError> {
    Onnx::open(&Settings { model: file.to_owned(), search: search.clone(), provider })
}

/// Asks a back-end, and compares with our own arithmetic.
fn compare(backend: &Onnx, net: &Floats, count: usize, slack: f32) {
    let mut expected = random_positions(net.architecture.shape, count, 7);
    let ticket = backend.submit(expected.clone()).unwrap();
    let (back, found) = backend.poll(Duration::ZERO).unwrap().expect("computed in submit");
    assert_eq!((back, backend.in_flight()), (ticket, 0));
    Reference::new(net).answer(&mut expected);
    for index in 0..count {
        let apart = (found.value(index).win - expected.value(index).win).abs();
        assert!(apart < slack, "position {index}: win rates {apart} apart");
        for (a, b) in found.policy(index).iter().zip(expected.policy(index)) {
            assert!((a - b).abs() < slack * (1.0 + b.abs()), "position {index}: {a} and {b}");
        }
    }
}

#[test]
fn nets_answer_as_our_own_arithmetic_does() {
    let Some(search) = search() else { return };
    for (name, shape, face, slack) in [
        ("two", SHOGI, Face::Two, 1e-4),
        ("one", SHOGI, Face::One { batch: -1 }, 1e-4),
        ("fixed", SHOGI, Face::One { batch: 8 }, 1e-4),
        ("half", SHOGI, Face::Half, 2e-2),
        ("mini", MINISHOGI, Face::Two, 1e-4),
    ] {
        let net = net(shape);
        let file = written(name, &file::onnx(&net, face));
        let backend = open(&search, &file, Provider::Auto).unwrap();
        assert_eq!(backend.shape(), shape);
        assert!(backend.describe().contains("ONNX Runtime 1."), "{}", backend.describe());
        // More than are computed together, and a number that fills no batch.
        for count in [1, 21, 300] {
            compare(&backend, &net, count, slack);
        }
    }
}

#[test]
fn several_threads_ask_one_net() {
    let Some(search) = search() else { return };
    let net = net(MINISHOGI);
    let file = written("threads", &file::onnx(&net, Face::Two));
    let backend = open(&search, &file, Provider::Cpu).unwrap();
    let mut expected = random_positions(MINISHOGI, 40, 9);
    Reference::new(&net).answer(&mut expected);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    backend.submit(random_positions(MINISHOGI, 40, 9)).unwrap();
                    let (_, found) = backend.poll(Duration::from_secs(60)).unwrap().unwrap();
                    let apart = found.value(39).win - expected.value(39).win;
                    assert!(apart.abs() < 1e-4, "{apart}");
                }
            });
        }
    });
    let wrong = backend.submit(Batch::new(SHOGI, 1)).unwrap_err();
    assert!(matches!(wrong, Fault::Shape { .. }), "{wrong}");
}

#[test]
fn nets_that_give_nonsense_are_refused() {
    let Some(search) = search() else { return };
    let healthy = net(MINISHOGI);
    let nan = {
        let mut net = healthy.clone();
        net.policy_bias.fill(f32::NAN);
        net
    };
    let constant = {
        let mut net = healthy.clone();
        net.policy.fill(0.0);
        net.value_fc1.weight.fill(0.0);
        net
    };
    for (name, net, part) in
        [("nan", nan, "NaN"), ("constant", constant, "the same for every position")]
    {
        let file = written(name, &file::onnx(&net, Face::Two));
        let text = open(&search, &file, Provider::Auto).unwrap_err().to_string();
        assert!(text.contains("gives nonsense") && text.contains(part), "{text}");
    }
}

#[test]
fn what_cannot_be_opened_is_told() {
    let missing = Search { named: Some("/nowhere/libonnxruntime".into()), ..Search::default() };
    let file = written("told", b"no protocol buffer at all");
    let text = open(&missing, &file, Provider::Auto).unwrap_err().to_string();
    for part in ["no ONNX Runtime", "/nowhere/libonnxruntime", "DNN_Library"] {
        assert!(text.contains(part), "{text}");
    }
    let gone = Path::new("/nowhere/no-such-net.onnx");
    let text = open(&missing, gone, Provider::Auto).unwrap_err().to_string();
    assert!(text.contains("no-such-net.onnx cannot be read"), "{text}");

    let Some(search) = search() else { return };
    let text = open(&search, &file, Provider::Auto).unwrap_err().to_string();
    assert!(text.contains("told.onnx is not a net that ONNX Runtime 1."), "{text}");
    let library = Library::find(&search).unwrap();
    let has = library.providers();
    assert!(has.iter().any(|name| name == "CPUExecutionProvider"), "{has:?}");
    if has.iter().any(|name| name == "CUDAExecutionProvider") {
        return fixtures::skipped(
            "this ONNX Runtime has CUDA: that it is missing cannot be tested",
        );
    }
    let file = written("cuda", &file::onnx(&net(MINISHOGI), Face::Two));
    for (provider, name) in [(Provider::Cuda, "CUDA"), (Provider::TensorRt, "TensorRT")] {
        let text = open(&search, &file, provider).unwrap_err().to_string();
        let expected = format!("{name} cannot be used");
        assert!(text.contains(&expected) && text.contains("DNN_Provider"), "{text}");
    }
}
