//! Every instruction set against the specification, and the specification against itself.

use seed::Rng;
use simd::{ByteLayer, Grid, Isa, LayerParameters, Mark, Rescale, Stream, rescaled, view};

#[derive(Clone, Copy, Debug)]
enum Flavour {
    Any,
    Extreme,
}

fn parameters(
    r: &mut Rng,
    flavour: Flavour,
    taps: usize,
    shape: (usize, usize),
) -> LayerParameters {
    let (inputs, outputs) = shape;
    let mut byte = || match flavour {
        Flavour::Any => r.bits() as i8,
        Flavour::Extreme => [i8::MIN, i8::MAX][r.below(2)],
    };
    let weights = (0..outputs * taps * inputs).map(|_| byte()).collect();
    let bias = (0..outputs).map(|_| r.below(200_001) as i32 - 100_000).collect();
    let mut multiplier = || match flavour {
        Flavour::Any => r.below(1000) as i16,
        Flavour::Extreme => [0, i16::MAX][r.below(2)],
    };
    let multipliers = (0..outputs).map(|_| multiplier()).collect();
    let shift = r.below(10) as u32;
    LayerParameters { weights, bias, rescale: Rescale { shift, multipliers } }
}

/// Boards of bytes with padding of zeros, in channels and around.
fn boards(r: &mut Rng, flavour: Flavour, grid: Grid, count: usize, channels: usize) -> Vec<u8> {
    let stride = Grid::channels(channels);
    let mut x = vec![0; count * grid.padded() * stride];
    for board in 0..count {
        for square in 0..grid.squares() {
            let at = (board * grid.padded() + grid.place(square)) * stride;
            for byte in &mut x[at..at + channels] {
                *byte = match flavour {
                    Flavour::Any => r.below(128) as u8,
                    Flavour::Extreme => [0, 127][r.below(2)],
                };
            }
        }
    }
    x
}

const CASES: [(usize, usize, usize); 5] =
    [(5, 32, 32), (9, 64, 64), (9, 96, 32), (5, 3, 27), (9, 70, 33)];

#[test]
fn a_convolution_is_the_same_everywhere() {
    let mut r = Rng::new(1);
    for (side, inputs, outputs) in CASES {
        let grid = Grid::new(side).unwrap();
        for flavour in [Flavour::Any, Flavour::Extreme] {
            let p = parameters(&mut r, flavour, 9, (inputs, outputs));
            let spec = ByteLayer::new(Isa::SCALAR, 9, inputs, p).unwrap();
            let x = boards(&mut r, flavour, grid, 2, inputs);
            let length = 2 * grid.padded() * Grid::channels(outputs);
            let before: Vec<i16> = (0..length).map(|_| r.below(32768) as i16).collect();
            let run = |isa: Isa| {
                let layer = spec.with_isa(isa);
                let (mut hidden, mut out) = (vec![0; length], vec![0; length]);
                let mut stream = before.clone();
                layer.convolve(grid, &x, &mut hidden);
                layer.add_to(grid, &x, &mut stream, 130, &mut out);
                (hidden, stream, out)
            };
            let expected = run(Isa::SCALAR);
            assert!(expected.0.iter().any(|&b| b > 0), "something is computed");
            for &isa in Isa::available() {
                let mut found = run(isa);
                // Channels of padding in the stream are touched only where registers are.
                clean(grid, outputs, &mut found.1, &expected.1);
                clean(grid, outputs, &mut found.2, &expected.2);
                assert!(found == expected, "{isa} {side} {inputs} {outputs} {flavour:?}");
            }
        }
    }
}

/// Copies what stands in channels that only pad.
fn clean<T: Copy>(grid: Grid, outputs: usize, found: &mut [T], expected: &[T]) {
    let stride = Grid::channels(outputs);
    for place in 0..2 * grid.padded() {
        let range = place * stride + outputs..(place + 1) * stride;
        found[range.clone()].copy_from_slice(&expected[range]);
    }
}

#[test]
fn rows_are_the_same_everywhere() {
    let mut r = Rng::new(2);
    for (count, inputs, outputs) in [(1, 64, 32), (9, 32, 64), (23, 100, 33), (10, 2848, 32)] {
        for flavour in [Flavour::Any, Flavour::Extreme] {
            let p = parameters(&mut r, flavour, 1, (inputs, outputs));
            let spec = ByteLayer::new(Isa::SCALAR, 1, inputs, p).unwrap();
            let stride = Grid::channels(inputs);
            let mut x = vec![0; count * stride];
            for row in x.chunks_exact_mut(stride) {
                row[..inputs].fill_with(|| r.below(128) as u8);
            }
            let run = |isa: Isa| {
                let mut out = vec![0; count * Grid::channels(outputs)];
                spec.with_isa(isa).rows(&x, &mut out);
                out
            };
            let expected = run(Isa::SCALAR);
            for &isa in Isa::available() {
                assert!(run(isa) == expected, "{isa} {count} {inputs} {outputs} {flavour:?}");
            }
        }
    }
}

#[test]
fn stamps_are_a_convolution_and_the_same_everywhere() {
    let mut r = Rng::new(3);
    let (planes, channels) = (3, 32);
    for side in Grid::SIDES {
        let grid = Grid::new(side).unwrap();
        let weights: Vec<i8> = (0..channels * 9 * planes).map(|_| r.below(41) as i8 - 20).collect();
        let mut stamps = vec![0; planes * 9 * channels];
        for output in 0..channels {
            for tap in 0..9 {
                for plane in 0..planes {
                    let weight = weights[(output * 9 + tap) * planes + plane];
                    stamps[(plane * 9 + tap) * channels + output] = i16::from(weight);
                }
            }
        }
        // As a convolution: inputs of 127 and a scale that takes the 127 out again.
        let rescale = Rescale { shift: 0, multipliers: vec![258; channels] };
        let p = LayerParameters { weights, bias: vec![0; channels], rescale };
        let layer = ByteLayer::new(Isa::SCALAR, 9, planes, p).unwrap();
        let mut x = vec![0; grid.padded() * 32];
        let mut marks = Vec::new();
        for square in 0..grid.squares() {
            for plane in 0..planes {
                // Few, so that sums stay within what is rescaled without clamping.
                if r.below(6) == 0 {
                    let place = grid.place(square);
                    x[place * 32 + plane] = 127;
                    marks.push(Mark { plane: plane as u16, place: place as u16 });
                }
            }
        }
        let length = grid.padded() * channels;
        let (mut expected, mut bytes) = (vec![0; length], vec![0; length]);
        layer.add_to(grid, &x, &mut expected, 32767, &mut bytes);
        for &isa in Isa::available() {
            let (mut stream, mut out) = (vec![0; length], vec![0; length]);
            Stream::new(isa).stamp(grid, &stamps, &marks, &mut stream);
            Stream::new(isa).rectify(grid, channels, &mut stream, 32767, &mut out);
            for square in 0..grid.squares() {
                let range = grid.place(square) * channels..(grid.place(square) + 1) * channels;
                assert_eq!(stream[range.clone()], expected[range.clone()], "{isa} {square}");
                assert_eq!(out[range.clone()], bytes[range], "{isa} {square}");
            }
        }
    }
}

#[test]
fn sums_are_rescaled_exactly() {
    for (sum, shift, multiplier, expected) in [
        (0, 0, 1, 0),
        (1000, 0, 32767, 1000),
        (-1000, 0, 16384, -500),
        (i32::MAX, 0, 32767, 32766),
        (i32::MIN, 0, 32767, -32767),
        (1 << 20, 10, 16384, 512),
        (3, 0, 16384, 2),
        (-3, 0, 16384, -1),
    ] {
        assert_eq!(rescaled(sum, shift, multiplier), expected, "{sum} {shift} {multiplier}");
    }
    assert_eq!((view(32767, 32767), view(0, 5), view(254, 16384)), (127, 0, 127));
}

#[test]
fn what_is_no_layer_is_told() {
    let good = || parameters(&mut Rng::new(4), Flavour::Any, 9, (8, 8));
    assert!(ByteLayer::new(Isa::SCALAR, 9, 8, good()).is_ok());
    assert!(ByteLayer::new(Isa::SCALAR, 9, 7, good()).is_err());
    assert!(ByteLayer::new(Isa::SCALAR, 4, 18, good()).is_err());
    let mut p = good();
    p.rescale.shift = 32;
    assert!(ByteLayer::new(Isa::SCALAR, 9, 8, p).is_err());
    let mut p = good();
    p.rescale.multipliers[3] = -1;
    assert!(ByteLayer::new(Isa::SCALAR, 9, 8, p).is_err());
    let mut p = good();
    p.bias[3] = i32::MAX;
    let error = ByteLayer::new(Isa::SCALAR, 9, 8, p).unwrap_err().to_string();
    assert!(error.starts_with("sums of a layer can reach 21"), "{error}");
    assert_eq!(Grid::new(8), None);
}
