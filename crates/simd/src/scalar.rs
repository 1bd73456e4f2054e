//! The specification: plain loops over the parameters as the file has them.

use crate::kernels::{Kernels, Step};
use crate::layers::Layers;

/// Right shift between layers.
const SHIFT: u32 = 6;

fn clip16(x: i16) -> u8 {
    x.clamp(0, 127) as u8
}

fn clip32(x: i32) -> u8 {
    (x >> SHIFT).clamp(0, 127) as u8
}

/// `bias + weights · x` for every row.
fn affine(x: &[u8], bias: &[i32], weights: &[i8], row: usize) -> Vec<i32> {
    let dot = |w: &[i8], b: i32| {
        let products = w.iter().zip(x).map(|(&w, &x)| i32::from(w) * i32::from(x));
        products.fold(b, i32::wrapping_add)
    };
    weights.chunks_exact(row).zip(bias).map(|(w, &b)| dot(w, b)).collect()
}

unsafe fn update(
    l0: usize,
    dst: *mut i16,
    src: *const i16,
    rows: *const i16,
    adds: &[u32],
    subs: &[u32],
) {
    for i in 0..l0 {
        // SAFETY: the caller vouches for `l0` elements and for every row number.
        unsafe {
            let mut sum = src.add(i).read();
            for &row in subs {
                sum = sum.wrapping_sub(rows.add(row as usize * l0 + i).read());
            }
            for &row in adds {
                sum = sum.wrapping_add(rows.add(row as usize * l0 + i).read());
            }
            dst.add(i).write(sum);
        }
    }
}

unsafe fn forward(layers: &Layers, us: *const i16, them: *const i16) -> i32 {
    let p = layers.parameters();
    let shape = layers.shape();
    // SAFETY: the caller vouches for `l0` elements each.
    let (us, them) = unsafe {
        (std::slice::from_raw_parts(us, shape.l0), std::slice::from_raw_parts(them, shape.l0))
    };
    let x: Vec<u8> = us.iter().chain(them).map(|&v| clip16(v)).collect();
    let h1 = affine(&x, &p.b1, &p.w1, shape.row1());
    let h1: Vec<u8> = h1.into_iter().map(clip32).collect();
    let h2 = affine(&h1, &p.b2, &p.w2, shape.row2());
    let h2: Vec<u8> = h2.into_iter().map(clip32).collect();
    affine(&h2, &[p.b3], &p.w3, shape.row3())[0]
}

unsafe fn advance(layers: &Layers, step: &Step) -> i32 {
    let l0 = layers.shape().l0;
    let count = if step.two { 2 } else { 1 };
    for side in 0..2 {
        let (adds, subs) = (&step.added[side][..count], &step.removed[side][..count]);
        // SAFETY: the caller vouches for the step.
        unsafe { update(l0, step.dst[side], step.src[side], step.rows, adds, subs) };
    }
    // SAFETY: as above.
    unsafe { forward(layers, step.dst[0], step.dst[1]) }
}

/// The kernels, for every shape.
pub(crate) fn kernels(_sizes: (usize, usize, usize)) -> Kernels {
    Kernels { update, forward, advance }
}
