//! Nets of random numbers: integers against real numbers, instruction sets against each other,
//! files there and back.

use super::*;
use crate::backend::{Backend, Shape};
use crate::batch::Batch;
use features::{Labels, Planes};
use rules::Game;
use seed::Rng;
use simd::Isa;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn shape(game: Game) -> Shape {
    match game {
        Game::Shogi => Shape { game, planes: Planes::Dlshogi, labels: Labels::Dlshogi },
        Game::Minishogi => Shape { game, planes: Planes::Minishogi, labels: Labels::Minishogi },
    }
}

fn random(game: Game, blocks: usize, channels: usize, seed: u64) -> Floats {
    let sizes =
        Architecture { shape: shape(game), blocks, channels, value_channels: 5, value_hidden: 40 };
    Floats::random(sizes, seed)
}

fn imported(game: Game, channels: usize) -> (Floats, Imported, Batch) {
    let floats = random(game, 2, channels, 7);
    let reference = Reference::new(&floats);
    let calibration = positions(&reference, shape(game), 24, 1);
    let mut comparison = positions(&reference, shape(game), 24, 2);
    let imported = import(&floats, &calibration, &mut comparison, 0.8).expect("a sound net");
    (floats, imported, comparison)
}

fn bytes(net: &Net) -> Vec<u8> {
    let mut bytes = Vec::new();
    net.write(&mut bytes).expect("memory");
    bytes
}

#[test]
fn integers_are_near_the_real_numbers() {
    for game in Game::ALL {
        let (_, imported, _) = imported(game, 32);
        let report = imported.report;
        assert_eq!(report.positions, 24);
        assert!(report.value_error < 0.01 && report.divergence < 0.005, "{game}: {report}");
    }
}

#[test]
fn an_import_tells_how_far_it_is_and_is_the_same_every_time() {
    let mut file = Vec::new();
    random(Game::Minishogi, 2, 32, 7).write(&mut file).expect("memory");
    let counts = Counts { calibration: 16, comparison: 24 };
    let made = || {
        let told = Mutex::new(Vec::new());
        let watch = |done, all| told.lock().expect("nobody panicked").push((done, all));
        let imported = import_file(&file, counts, 0.0, &watch).expect("a sound net");
        assert_eq!(imported.report.positions, 24);
        let told = told.into_inner().expect("nobody panicked");
        assert!(told.len() > 40 && told.contains(&(1, 80)), "{told:?}");
        assert!(told.iter().all(|&(done, all)| done <= all && all == 80), "{told:?}");
        bytes(&imported.net)
    };
    assert_eq!(made(), made());
}

#[test]
fn every_instruction_set_answers_with_the_same_bits() {
    for (game, channels) in [(Game::Shogi, 32), (Game::Minishogi, 64)] {
        let (_, imported, comparison) = imported(game, channels);
        let answers = |isa: Isa| {
            let backend = Native::new(Arc::new(imported.net.with_isa(isa)));
            backend.submit(comparison.clone()).expect("the same shape");
            let (_, batch) = backend.poll(Duration::ZERO).expect("sound").expect("finished");
            batch
        };
        let expected = answers(Isa::SCALAR);
        for &isa in Isa::available() {
            assert!(answers(isa) == expected, "{game} on {isa}");
        }
    }
}

#[test]
fn an_answer_does_not_depend_on_its_batch() {
    let (_, imported, comparison) = imported(Game::Minishogi, 32);
    let net = &imported.net;
    let mut whole = comparison.clone();
    net.answer(&mut whole, &mut net.scratch());
    for index in 0..comparison.len() {
        let mut one = Batch::new(net.shape(), 1);
        let labels = comparison.labels(index).iter().copied();
        one.push(0, |to| to.copy_from_slice(comparison.planes(index)), labels);
        net.answer(&mut one, &mut net.scratch());
        assert_eq!(one.policy(0), whole.policy(index));
        assert_eq!(one.value(0), whole.value(index));
    }
}

#[test]
fn files_read_back() {
    let (floats, imported, _) = imported(Game::Shogi, 32);
    let mut file = Vec::new();
    floats.write(&mut file).unwrap();
    assert_eq!(Floats::from_bytes(&file).unwrap(), floats);
    let written = bytes(&imported.net);
    let read = Net::from_bytes(&written).unwrap();
    assert_eq!(read.integers, imported.net.integers);
    assert_eq!(bytes(&read), written);
    assert_eq!(read.architecture().to_string(), floats.architecture.to_string());
}

#[test]
fn a_damaged_file_is_refused() {
    let (_, imported, _) = imported(Game::Minishogi, 32);
    let whole = bytes(&imported.net);
    for length in [0, 3, 4, 15, 19, 20, 100, whole.len() / 2, whole.len() - 1] {
        assert!(Net::from_bytes(&whole[..length]).is_err(), "{length}");
    }
    let mut rng = Rng::new(5);
    for _ in 0..50 {
        let mut bytes = whole.clone();
        let at = rng.below(bytes.len());
        bytes[at] ^= 1 << rng.below(8);
        assert!(Net::from_bytes(&bytes).is_err(), "byte {at}");
    }
}

/// A file with this byte changed and its checksum made right again.
fn altered(whole: &[u8], at: usize, by: impl Fn(u8) -> u8) -> Vec<u8> {
    let mut bytes = whole[..whole.len() - 4].to_vec();
    bytes[at] = by(bytes[at]);
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn a_net_that_answers_otherwise_than_when_it_was_made_is_refused() {
    let (_, imported, _) = imported(Game::Minishogi, 32);
    let whole = bytes(&imported.net);
    // The last number before the checksum is a win rate of the canaries.
    let error = Net::from_bytes(&altered(&whole, whole.len() - 6, |b| b ^ 0x40)).unwrap_err();
    assert!(error.to_string().contains("does not answer as it did"), "{error}");
    let error = Net::from_bytes(&altered(&whole, 4, |_| 9)).unwrap_err();
    assert_eq!(error.to_string(), "version 9 of the file: this executable reads version 1");
    let error = Net::from_bytes(&altered(&whole, 8, |b| b ^ 1)).unwrap_err();
    assert!(error.to_string().contains("of another arithmetic"), "{error}");
    // Any byte at all: an error or a net, never a panic.
    let mut rng = Rng::new(6);
    for _ in 0..100 {
        let at = 4 + rng.below(whole.len() - 8);
        let _ = Net::from_bytes(&altered(&whole, at, |b| b ^ 0x80));
    }
}

#[test]
fn wrong_float_files_are_told_apart() {
    let mut file = Vec::new();
    random(Game::Minishogi, 1, 32, 3).write(&mut file).unwrap();
    let end = file.iter().position(|&b| b == b'\n').unwrap();
    let header = String::from_utf8(file[..end].to_vec()).unwrap();
    for (from, to, words) in [
        ("nue-deep", "nue-shallow", "format \"nue-shallow\""),
        ("\"version\":1", "\"version\":2", "version 2"),
        ("\"relu\"", "\"swish\"", "plain residual nets with ReLU only"),
        ("\"labels\":\"minishogi\"", "\"labels\":\"dlshogi\"", "labels dlshogi for shogi"),
        ("\"blocks\":1", "\"blocks\":2", "tensor [\"policy.conv.weight\""),
        ("\"blocks\":1", "\"blocks\":-1", "the header's blocks is -1"),
        ("\"channels\":32", "\"channels\":48", "channels 48"),
        ("\"crc32\":", "\"crc32\":1", "the checksum is"),
        ("{", "{\"numbers\":\"float8\",", "the header's numbers is \"float8\""),
        ("{", "{\"numbers\":\"float16\",", "bytes of numbers, but the tensors need"),
        ("{", "[", "no header"),
        ("}", "", "not JSON"),
    ] {
        let mut changed = header.replacen(from, to, 1).into_bytes();
        changed.extend(&file[end..]);
        let error = Floats::from_bytes(&changed).expect_err(words).to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    assert!(Floats::from_bytes(&file[..file.len() - 1]).is_err());
    assert!(Floats::from_bytes(b"").is_err());
}

#[test]
fn numbers_of_sixteen_bits_are_read() {
    let mut file = Vec::new();
    random(Game::Minishogi, 1, 32, 3).write(&mut file).unwrap();
    let end = file.iter().position(|&b| b == b'\n').unwrap();
    let count = (file.len() - end - 1) / 4;
    let written = |halves: &[u16]| {
        let data: Vec<u8> =
            (0..count).flat_map(|at| halves[at % halves.len()].to_le_bytes()).collect();
        let mut header: serde_json::Value = serde_json::from_slice(&file[..end]).unwrap();
        header["numbers"] = "float16".into();
        header["crc32"] = crc32fast::hash(&data).into();
        let mut whole = format!("{header}\n").into_bytes();
        whole.extend(data);
        Floats::from_bytes(&whole)
    };
    let known = [
        (0x0000, 0.0),
        (0x3c00, 1.0),
        (0xc100, -2.5),
        (0x3555, 0.333_251_95),
        (0x7bff, 65504.0),
        (0x0400, 2f32.powi(-14)),
        (0x0001, 2f32.powi(-24)),
        (0x83ff, -1023.0 * 2f32.powi(-24)),
    ];
    let floats = written(&known.map(|(bits, _)| bits)).unwrap();
    assert_eq!(floats.stem.weight[..known.len()], known.map(|(_, number)| number));
    for bits in [0x7c00, 0xfc00, 0x7e00] {
        let error = written(&[bits]).unwrap_err().to_string();
        assert!(error.contains("not finite"), "{bits:#x}: {error}");
    }
}

#[test]
fn nets_without_life_are_refused() {
    let floats = random(Game::Minishogi, 1, 32, 3);
    let reference = Reference::new(&floats);
    let calibration = positions(&reference, shape(Game::Minishogi), 4, 1);
    let attempt = |floats: &Floats, calibration: &Batch| {
        import(floats, calibration, &mut calibration.clone(), 0.0).map(|_| ()).unwrap_err()
    };
    let empty = Batch::new(shape(Game::Minishogi), 1);
    assert_eq!(attempt(&floats, &empty).to_string(), "no positions to calibrate on");
    let mut dead = floats.clone();
    dead.blocks[0][0].weight.fill(0.0);
    dead.blocks[0][0].bias.fill(-1.0);
    assert!(attempt(&dead, &calibration).to_string().contains("nothing but zeros"));
    let mut comparison = calibration.clone();
    let error = import(&floats, &calibration, &mut comparison, 1.1).unwrap_err();
    assert!(error.to_string().contains("too far from the real numbers"), "{error}");
}

#[test]
fn labels_the_net_does_not_know_are_a_fault() {
    let (_, imported, comparison) = imported(Game::Minishogi, 32);
    let backend = Native::new(Arc::new(imported.net));
    let mut batch = Batch::new(backend.shape(), 1);
    batch.push(1, |to| to.copy_from_slice(comparison.planes(0)), [60_000].into_iter());
    backend.submit(batch).unwrap();
    assert!(backend.poll(Duration::ZERO).is_err());
    let other = Batch::new(shape(Game::Shogi), 1);
    assert!(backend.submit(other).is_err());
}
