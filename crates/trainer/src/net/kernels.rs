//! The loops all time goes into, over plain slices, written so that the compiler makes vectors
//! of them. Lanes and orders of sums are fixed: the same bits whatever the machine.

/// Adds rows of `width` numbers, named by slot, to `out`.
#[inline(always)]
pub(super) fn add_rows(out: &mut [f32], rows: &[f32], slots: &[u32]) {
    let width = out.len();
    let (wide, narrow) = out.as_chunks_mut::<64>();
    for (i, part) in wide.iter_mut().enumerate() {
        add_part(part, rows, width, 64 * i, slots);
    }
    let begin = width - narrow.len();
    for (i, part) in narrow.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        add_part(part, rows, width, begin + 16 * i, slots);
    }
}

#[inline(always)]
fn add_part<const C: usize>(
    part: &mut [f32; C],
    rows: &[f32],
    width: usize,
    at: usize,
    slots: &[u32],
) {
    let mut sum = *part;
    for &slot in slots {
        let row = rows[slot as usize * width + at..].first_chunk::<C>();
        let Some(row) = row else { return };
        for i in 0..C {
            sum[i] += row[i];
        }
    }
    *part = sum;
}

/// Adds `part` to the rows of `C` numbers named by slot.
#[inline(always)]
pub(super) fn scatter<const C: usize>(rows: &mut [[f32; C]], part: &[f32; C], slots: &[u32]) {
    let part = *part;
    for &slot in slots {
        let row = &mut rows[slot as usize];
        for i in 0..C {
            row[i] += part[i];
        }
    }
}

/// Indices of the inputs above zero.
#[inline(always)]
pub(super) fn positive(inputs: &[f32], list: &mut Vec<u32>) {
    list.clear();
    list.resize(inputs.len(), 0);
    let mut count = 0;
    for (i, &x) in inputs.iter().enumerate() {
        list[count] = i as u32;
        count += usize::from(x > 0.0);
    }
    list.truncate(count);
}

/// Activations stay between 0 and 1.
#[inline(always)]
pub(super) fn clip(values: &mut [f32]) {
    values.iter_mut().for_each(|v| *v = v.clamp(0.0, 1.0));
}

/// A layer's outputs: `out` holds the biases, weights are one row of outputs for every input.
#[inline(always)]
pub(super) fn affine<const N: usize>(out: &mut [f32], weights: &[f32], x: &[f32], list: &[u32]) {
    let outputs = out.len();
    for (block, part) in out.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        let mut sum = *part;
        for &i in list {
            let row = weights[i as usize * outputs + N * block..].first_chunk::<N>();
            let (Some(row), x) = (row, x[i as usize]) else { return };
            for n in 0..N {
                sum[n] += x * row[n];
            }
        }
        *part = sum;
    }
}

/// A sum of products: eight sums side by side, since a plain sum would be one long chain.
#[inline(always)]
fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    let mut lanes = [0.0; 8];
    let mut at = 0;
    while at + 8 <= N {
        for n in 0..8 {
            lanes[n] += a[at + n] * b[at + n];
        }
        at += 8;
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The way back through a layer. For every input of the list: its weights' slopes are added to
/// `gradient`, and its own slope is written to `back`.
#[inline(always)]
pub(super) fn affine_back<const N: usize>(
    slopes: &[f32],
    weights: &[f32],
    x: &[f32],
    list: &[u32],
    gradient: &mut [f32],
    back: &mut [f32],
) {
    let outputs = slopes.len();
    for (block, slope) in slopes.as_chunks::<N>().0.iter().enumerate() {
        let slope = *slope;
        for &i in list {
            let i = i as usize;
            let row = weights[i * outputs + N * block..].first_chunk::<N>();
            let sums = gradient[i * outputs + N * block..].first_chunk_mut::<N>();
            let (Some(row), Some(sums)) = (row, sums) else { return };
            let x = x[i];
            for n in 0..N {
                sums[n] += x * slope[n];
            }
            let sum = dot(row, &slope);
            back[i] = if block == 0 { sum } else { back[i] + sum };
        }
    }
}

/// Slopes do not pass where an activation was cut.
#[inline(always)]
pub(super) fn mask(slopes: &mut [f32], activations: &[f32]) {
    for (slope, &x) in slopes.iter_mut().zip(activations) {
        *slope = if x > 0.0 && x < 1.0 { *slope } else { 0.0 };
    }
}

/// `sums += factor · values`.
#[inline(always)]
pub(super) fn add_scaled(sums: &mut [f32], values: &[f32], factor: f32) {
    sums.iter_mut().zip(values).for_each(|(sum, v)| *sum += factor * v);
}

/// `sums += values`.
#[inline(always)]
pub(super) fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, v)| *sum += v);
}
