//! Every instruction set against the specification, on random and on extreme numbers.

use seed::Rng;
use simd::{AlignedVec, Change, Gather, Isa, Layers, Parameters, Shape};

#[derive(Clone, Copy, Debug)]
enum Flavour {
    Ordinary,
    Any,
    Extreme,
}

const FLAVOURS: [Flavour; 3] = [Flavour::Ordinary, Flavour::Any, Flavour::Extreme];

fn byte(r: &mut Rng, f: Flavour) -> i8 {
    match f {
        Flavour::Ordinary => (r.below(41) as i8) - 20,
        Flavour::Any => r.bits() as i8,
        Flavour::Extreme => [i8::MIN, i8::MAX][r.below(2)],
    }
}

fn word(r: &mut Rng, f: Flavour) -> i16 {
    match f {
        Flavour::Ordinary => (r.below(301) as i16) - 150,
        Flavour::Any => r.bits() as i16,
        Flavour::Extreme => [i16::MIN, i16::MAX, -1, 0, 1, 126, 127, 128, 255, 256][r.below(10)],
    }
}

fn long(r: &mut Rng, f: Flavour) -> i32 {
    match f {
        Flavour::Ordinary => (r.below(8001) as i32) - 4000,
        Flavour::Any => r.bits() as i32,
        Flavour::Extreme => [i32::MIN, i32::MAX, 0][r.below(3)],
    }
}

fn parameters(r: &mut Rng, f: Flavour, s: Shape) -> Parameters {
    let mut bytes = |n: usize| (0..n).map(|_| byte(r, f)).collect::<Vec<_>>();
    let (w1, w2, w3) = (bytes(s.h1 * s.row1()), bytes(s.h2 * s.row2()), bytes(s.row3()));
    let b1 = (0..s.h1).map(|_| long(r, f)).collect();
    let b2 = (0..s.h2).map(|_| long(r, f)).collect();
    Parameters { b1, w1, b2, w2, b3: long(r, f), w3 }
}

const SHAPES: [(usize, usize, usize); 16] = [
    (256, 32, 32),
    (512, 8, 32),
    (512, 8, 64),
    (512, 8, 96),
    (512, 16, 32),
    (512, 32, 32),
    (768, 16, 64),
    (768, 8, 96),
    (1024, 8, 32),
    (1024, 8, 64),
    (1024, 8, 96),
    (1024, 16, 32),
    (1536, 15, 128),
    (64, 1, 1),
    (96, 7, 256),
    (16, 33, 5),
];

#[test]
fn forward_is_the_same_everywhere() {
    let mut r = Rng::new(0x9E37_79B9_7F4A_7C15);
    for (l0, h1, h2) in SHAPES {
        let shape = Shape { l0, h1, h2 };
        for flavour in FLAVOURS {
            let spec = Layers::new(Isa::SCALAR, shape, parameters(&mut r, flavour, shape)).unwrap();
            for input in FLAVOURS {
                let us: Vec<i16> = (0..l0).map(|_| word(&mut r, input)).collect();
                let them: Vec<i16> = (0..l0).map(|_| word(&mut r, input)).collect();
                let expected = spec.forward(&us, &them);
                for &isa in Isa::available() {
                    let found = spec.with_isa(isa).forward(&us, &them);
                    assert_eq!(found, expected, "{isa} {shape:?} {flavour:?} {input:?}");
                }
            }
            // Nothing but zeros, and nothing but the largest value.
            for value in [i16::MIN, 0, i16::MAX] {
                let acc = vec![value; l0];
                let expected = spec.forward(&acc, &acc);
                for &isa in Isa::available() {
                    assert_eq!(spec.with_isa(isa).forward(&acc, &acc), expected, "{isa} {value}");
                }
            }
        }
    }
}

#[test]
fn update_is_the_same_everywhere_and_wraps() {
    let mut r = Rng::new(12345);
    for (l0, h1, h2) in SHAPES {
        let shape = Shape { l0, h1, h2 };
        let spec =
            Layers::new(Isa::SCALAR, shape, parameters(&mut r, Flavour::Any, shape)).unwrap();
        for flavour in FLAVOURS {
            let count = 50;
            let mut rows = AlignedVec::<i16>::zeroed(count * l0);
            rows.iter_mut().for_each(|w| *w = word(&mut r, flavour));
            let src: Vec<i16> = (0..l0).map(|_| word(&mut r, flavour)).collect();
            for (n_add, n_sub) in [(0, 0), (1, 1), (2, 2), (38, 0), (0, 3), (5, 40)] {
                let mut pick = |n| (0..n).map(|_| r.below(count) as u32).collect::<Vec<_>>();
                let (adds, subs): (Vec<u32>, Vec<u32>) = (pick(n_add), pick(n_sub));
                let mut expected = vec![0; l0];
                spec.update(&mut expected, &src, &rows, &adds, &subs);
                let i = l0 - 1;
                let by_hand = |list: &[u32]| {
                    let column = list.iter().map(|&n| rows[n as usize * l0 + i]);
                    column.fold(0i16, i16::wrapping_add)
                };
                let last = src[i].wrapping_add(by_hand(&adds)).wrapping_sub(by_hand(&subs));
                assert_eq!(expected[i], last);
                for &isa in Isa::available() {
                    let layers = spec.with_isa(isa);
                    let mut found = vec![1; l0];
                    layers.update(&mut found, &src, &rows, &adds, &subs);
                    assert_eq!(found, expected, "{isa} {shape:?} {flavour:?} {n_add} {n_sub}");
                    let mut found = src.clone();
                    layers.update_in_place(&mut found, &rows, &adds, &subs);
                    assert_eq!(found, expected, "in place: {isa} {shape:?} {flavour:?}");
                }
            }
        }
    }
}

#[test]
fn advance_is_update_and_forward() {
    let mut r = Rng::new(99);
    for (l0, h1, h2) in SHAPES {
        let shape = Shape { l0, h1, h2 };
        for flavour in FLAVOURS {
            let spec = Layers::new(Isa::SCALAR, shape, parameters(&mut r, flavour, shape)).unwrap();
            let count = 30;
            let mut rows = AlignedVec::<i16>::zeroed(count * l0);
            rows.iter_mut().for_each(|w| *w = word(&mut r, flavour));
            let src: Vec<i16> = (0..2 * l0).map(|_| word(&mut r, flavour)).collect();
            for counts in [[1, 1, 1, 1], [2, 2, 2, 2], [0, 0, 1, 1], [2, 2, 1, 1], [3, 1, 0, 2]] {
                let lists =
                    counts.map(|n| (0..n).map(|_| r.below(count) as u32).collect::<Vec<_>>());
                let change =
                    |side: usize| Change { added: &lists[2 * side], removed: &lists[2 * side + 1] };
                let changes = [change(0), change(1)];
                let mut expected = vec![0; 2 * l0];
                for (side, dst) in expected.chunks_mut(l0).enumerate() {
                    let Change { added, removed } = changes[side];
                    spec.update(dst, &src[side * l0..][..l0], &rows, added, removed);
                }
                for us in 0..2 {
                    let (own, other) =
                        (&expected[us * l0..][..l0], &expected[(1 - us) * l0..][..l0]);
                    let value = spec.forward(own, other);
                    for &isa in Isa::available() {
                        let mut found = vec![0; 2 * l0];
                        let layers = spec.with_isa(isa);
                        let got = layers.advance(&mut found, &src, &rows, changes, us);
                        assert_eq!(got, value, "{isa} {shape:?} {flavour:?} {counts:?} {us}");
                        assert_eq!(found, expected, "{isa} {shape:?} {flavour:?} {counts:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn gather_is_the_same_everywhere() {
    let mut r = Rng::new(777);
    let row: Vec<i16> = (0..2 * 1548).map(|_| word(&mut r, Flavour::Any)).collect();
    for len in 0..70 {
        let mut list: Vec<u32> = (0..len).map(|_| r.below(1548) as u32).collect();
        if let Some(last) = list.last_mut() {
            *last = 1547;
        }
        let spec = Gather::new(Isa::SCALAR);
        for &isa in Isa::available() {
            let gather = Gather::new(isa);
            assert_eq!(gather.pairs(&row, &list), spec.pairs(&row, &list), "{isa} {len}");
            let single = &row[..1549];
            assert_eq!(gather.singles(single, &list), spec.singles(single, &list), "{isa} {len}");
        }
    }
}

#[test]
#[should_panic(expected = "entry 1548 of 1548")]
fn gather_refuses_what_is_outside() {
    Gather::new(Isa::best()).pairs(&[0; 2 * 1548], &[3, 1548]);
}

#[test]
#[should_panic(expected = "row 4 of 4")]
fn update_refuses_what_is_outside() {
    let shape = Shape { l0: 64, h1: 8, h2: 8 };
    let p = parameters(&mut Rng::new(1), Flavour::Any, shape);
    let layers = Layers::new(Isa::best(), shape, p).unwrap();
    layers.update_in_place(&mut [0; 64], &[0; 256], &[4], &[]);
}

#[test]
fn shapes_and_sizes_are_checked() {
    let good = Shape { l0: 64, h1: 8, h2: 8 };
    let p = parameters(&mut Rng::new(1), Flavour::Any, good);
    let bad = [(0, 8, 8), (72, 8, 8), (64, 0, 8), (64, 8, 257), (8192, 8, 8), (128, 8, 8)];
    for (l0, h1, h2) in bad {
        assert!(Layers::new(Isa::SCALAR, Shape { l0, h1, h2 }, p.clone()).is_err());
    }
    assert!(Layers::new(Isa::SCALAR, good, p).is_ok());
}

#[test]
fn instruction_sets_have_names() {
    for &isa in Isa::available() {
        assert_eq!(Isa::named(isa.name()), Ok(isa));
    }
    assert_eq!(Isa::named("auto"), Ok(Isa::best()));
    let error = Isa::named("sse9").unwrap_err().to_string();
    assert!(error.contains("\"sse9\"") && error.contains("scalar"), "{error}");
}

#[test]
fn memory_is_aligned_and_zero() {
    for len in [0, 1, 33, 3 << 20] {
        let v = AlignedVec::<i16>::zeroed(len);
        assert_eq!(v.as_ptr() as usize % if len > 1 << 20 { 2 << 20 } else { 64 }, 0);
        assert!(v.iter().all(|&x| x == 0) && v.len() == len);
    }
}
