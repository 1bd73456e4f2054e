//! The layers of a net after its feature transformer, and the two things done with a net all
//! day: updating an accumulator and running the layers forward.

use crate::aligned::AlignedVec;
use crate::isa::{Isa, Level};
use crate::kernels::{Kernels, Step};
use std::fmt;

/// The sizes of a net: `l0` outputs of the transformer for each side, two hidden layers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Shape {
    /// Outputs of the transformer for one side.
    pub l0: usize,
    /// Outputs of the first layer after it.
    pub h1: usize,
    /// Outputs of the second.
    pub h2: usize,
}

impl Shape {
    /// The largest first layer: group numbers fit 16 bits and buffers fit a stack.
    pub const MAX_L0: usize = 4096;

    /// The usual way to write it: `256x2-32-32`.
    pub fn name(self) -> String {
        format!("{}x2-{}-{}", self.l0, self.h1, self.h2)
    }

    /// Weights in a row of the first layer (files pad rows to 32).
    pub const fn row1(self) -> usize {
        (2 * self.l0).next_multiple_of(32)
    }

    /// Weights in a row of the second layer.
    pub const fn row2(self) -> usize {
        self.h1.next_multiple_of(32)
    }

    /// Weights of the output layer.
    pub const fn row3(self) -> usize {
        self.h2.next_multiple_of(32)
    }

    /// Whether kernels exist for this shape.
    pub const fn is_supported(self) -> bool {
        let hidden = Layers::MAX_HIDDEN;
        self.l0 > 0
            && self.l0 <= Self::MAX_L0
            && self.l0.is_multiple_of(16)
            && self.h1 > 0
            && self.h1 <= hidden
            && self.h2 > 0
            && self.h2 <= hidden
    }
}

/// Biases and weights as a file has them: rows padded to 32, padding included.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parameters {
    /// Biases of the first layer, `h1`.
    pub b1: Vec<i32>,
    /// Weights of the first layer, `h1` rows.
    pub w1: Vec<i8>,
    /// Biases of the second layer, `h2`.
    pub b2: Vec<i32>,
    /// Weights of the second layer, `h2` rows.
    pub w2: Vec<i8>,
    /// Bias of the output.
    pub b3: i32,
    /// Weights of the output, one row.
    pub w3: Vec<i8>,
}

/// Parameters that do not fit their shape, or a shape no kernel exists for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayersError(String);

impl fmt::Display for LayersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LayersError {}

/// The layers, laid out for one instruction set's kernels.
#[derive(Clone)]
pub struct Layers {
    shape: Shape,
    isa: Isa,
    kernels: Kernels,
    parameters: Parameters,
    pub(crate) b1: AlignedVec<i32>,
    pub(crate) w1: AlignedVec<i8>,
    pub(crate) b2: AlignedVec<i32>,
    pub(crate) w2: AlignedVec<i8>,
    pub(crate) b3: i32,
    pub(crate) w3: AlignedVec<i8>,
}

impl Layers {
    /// The widest hidden layer.
    pub const MAX_HIDDEN: usize = 256;

    /// Lays the parameters out for the kernels of `isa`.
    pub fn new(isa: Isa, shape: Shape, parameters: Parameters) -> Result<Self, LayersError> {
        if !shape.is_supported() {
            return Err(LayersError(format!(
                "no kernel for a net of shape {}: the first layer must be a multiple of 16 up to \
                 {}, hidden layers 1 to {}",
                shape.name(),
                Shape::MAX_L0,
                Self::MAX_HIDDEN
            )));
        }
        let p = &parameters;
        let found = [p.b1.len(), p.w1.len(), p.b2.len(), p.w2.len(), p.w3.len()];
        let expected =
            [shape.h1, shape.h1 * shape.row1(), shape.h2, shape.h2 * shape.row2(), shape.row3()];
        if found != expected {
            return Err(LayersError(format!(
                "layers of shape {} need {expected:?} numbers, found {found:?}",
                shape.name()
            )));
        }
        let (l0, o1, o2) = padded(shape);
        let mut w3 = AlignedVec::zeroed(o2.next_multiple_of(64));
        w3[..shape.h2].copy_from_slice(&p.w3[..shape.h2]);
        Ok(Self {
            shape,
            isa,
            kernels: kernels(isa, (l0, o1, o2)),
            b1: padded_bias(&p.b1, o1),
            w1: grouped(&p.w1, shape.row1(), 2 * l0, (shape.h1, o1)),
            b2: padded_bias(&p.b2, o2),
            w2: grouped(&p.w2, shape.row2(), shape.h1, (shape.h2, o2)),
            b3: p.b3,
            w3,
            parameters,
        })
    }

    /// The same layers for another instruction set.
    pub fn with_isa(&self, isa: Isa) -> Self {
        Self { isa, kernels: kernels(isa, self.padded()), ..self.clone() }
    }

    /// The sizes.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The instruction set in use.
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// The parameters as a file has them.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(crate) fn padded(&self) -> (usize, usize, usize) {
        padded(self.shape)
    }

    /// `dst = src + Σ rows[adds] − Σ rows[subs]`, wrapping, where `rows` is a matrix of rows of
    /// `l0` numbers.
    ///
    /// # Panics
    /// If a length is not `l0` or a row number is outside the matrix.
    #[inline]
    pub fn update(&self, dst: &mut [i16], src: &[i16], rows: &[i16], adds: &[u32], subs: &[u32]) {
        let l0 = self.shape.l0;
        assert!(dst.len() == l0 && src.len() == l0, "an accumulator has {l0} numbers");
        check_rows(rows.len() / l0, adds, subs);
        // SAFETY: lengths and row numbers were just checked; `isa` is on this machine.
        unsafe {
            (self.kernels.update)(l0, dst.as_mut_ptr(), src.as_ptr(), rows.as_ptr(), adds, subs);
        }
    }

    /// [`Layers::update`] on one accumulator in place.
    ///
    /// # Panics
    /// As [`Layers::update`].
    #[inline]
    pub fn update_in_place(&self, acc: &mut [i16], rows: &[i16], adds: &[u32], subs: &[u32]) {
        let l0 = self.shape.l0;
        assert!(acc.len() == l0, "an accumulator has {l0} numbers");
        check_rows(rows.len() / l0, adds, subs);
        let acc = acc.as_mut_ptr();
        // SAFETY: as above; kernels load a tile of `src` before they store it to `dst`.
        unsafe { (self.kernels.update)(l0, acc, acc, rows.as_ptr(), adds, subs) }
    }

    /// The output of the net for two accumulators, the side to move first.
    ///
    /// # Panics
    /// If a length is not `l0`.
    #[inline]
    pub fn forward(&self, us: &[i16], them: &[i16]) -> i32 {
        let l0 = self.shape.l0;
        assert!(us.len() == l0 && them.len() == l0, "an accumulator has {l0} numbers");
        // SAFETY: lengths were just checked; `isa` is on this machine.
        unsafe { (self.kernels.forward)(self, us.as_ptr(), them.as_ptr()) }
    }
}

/// Rows that come and go with a move, for one side.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// Rows to add.
    pub added: &'a [u32],
    /// Rows to subtract.
    pub removed: &'a [u32],
}

impl Change<'_> {
    /// Both as arrays of two, if there are as many of one as of the other: `two` or one.
    #[inline]
    fn pairs(self, two: bool) -> Option<([u32; 2], [u32; 2])> {
        match (self.added, self.removed) {
            (&[a], &[r]) if !two => Some(([a, 0], [r, 0])),
            (&[a, b], &[r, s]) if two => Some(([a, b], [r, s])),
            _ => None,
        }
    }
}

impl Layers {
    /// Updates two accumulators and runs the layers on them: [`Layers::update`] twice and
    /// [`Layers::forward`], but an ordinary move goes through one kernel that does not let the
    /// accumulators leave the registers in between. `dst` and `src` hold two accumulators each
    /// (changes in the same order); `us` says which is the side to move's.
    ///
    /// # Panics
    /// If a length is not `2 · l0`, or a row number is outside the matrix.
    #[inline]
    pub fn advance(
        &self,
        dst: &mut [i16],
        src: &[i16],
        rows: &[i16],
        changes: [Change<'_>; 2],
        us: usize,
    ) -> i32 {
        let l0 = self.shape.l0;
        assert!(dst.len() == 2 * l0 && src.len() == 2 * l0, "two accumulators of {l0} numbers");
        let (us, them) = (us & 1, us & 1 ^ 1);
        let two = changes[us].added.len() == 2;
        let (own, other) = (changes[us], changes[them]);
        if let (Some(own), Some(other)) = (own.pairs(two), other.pairs(two)) {
            let count = rows.len() / l0;
            check_rows(count, &own.0, &own.1);
            check_rows(count, &other.0, &other.1);
            let (dst, src) = (dst.as_mut_ptr(), src.as_ptr());
            // SAFETY: the offsets are 0 and l0, inside the 2 · l0 elements checked above.
            let step = unsafe {
                Step {
                    dst: [dst.add(us * l0), dst.add(them * l0)],
                    src: [src.add(us * l0), src.add(them * l0)],
                    rows: rows.as_ptr(),
                    added: [own.0, other.0],
                    removed: [own.1, other.1],
                    two,
                }
            };
            // SAFETY: lengths and row numbers were just checked; `isa` is on this machine.
            return unsafe { (self.kernels.advance)(self, &step) };
        }
        let (black, white) = dst.split_at_mut(l0);
        self.update(black, &src[..l0], rows, changes[0].added, changes[0].removed);
        self.update(white, &src[l0..], rows, changes[1].added, changes[1].removed);
        if us == 0 { self.forward(black, white) } else { self.forward(white, black) }
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layers({}, {})", self.shape.name(), self.isa)
    }
}

#[inline]
fn check_rows(count: usize, adds: &[u32], subs: &[u32]) {
    for &row in adds.iter().chain(subs) {
        assert!((row as usize) < count, "row {row} of {count}");
    }
}

/// Outputs of hidden layers fill whole registers of the widest instruction set.
fn padded(shape: Shape) -> (usize, usize, usize) {
    (shape.l0, shape.h1.next_multiple_of(16), shape.h2.next_multiple_of(16))
}

/// The kernels of an instruction set; those of the specification for sizes that do not fill
/// its registers.
fn kernels(isa: Isa, sizes: (usize, usize, usize)) -> Kernels {
    match isa.0 {
        #[cfg(target_arch = "x86_64")]
        Level::Sse41 => crate::sse41::kernels(sizes),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if sizes.0.is_multiple_of(32) => crate::avx2::plain::kernels(sizes),
        #[cfg(target_arch = "x86_64")]
        Level::AvxVnni if sizes.0.is_multiple_of(32) => crate::avx2::vnni::kernels(sizes),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if sizes.0.is_multiple_of(64) => crate::avx512::bw::kernels(sizes),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512Vnni if sizes.0.is_multiple_of(64) => crate::avx512::vnni::kernels(sizes),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => crate::neon::kernels(sizes),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::Simd128 => crate::wasm::kernels(sizes),
        _ => crate::scalar::kernels(sizes),
    }
}

fn padded_bias(bias: &[i32], outputs: usize) -> AlignedVec<i32> {
    let mut out = AlignedVec::zeroed(outputs);
    out[..bias.len()].copy_from_slice(bias);
    out
}

/// Weights by groups of four inputs, then output, then input within the group; one more group
/// of zeros at the end, for lists of inputs that are rounded up with an input of zero.
fn grouped(
    rows: &[i8],
    row: usize,
    inputs: usize,
    (outputs, padded): (usize, usize),
) -> AlignedVec<i8> {
    let groups = inputs.next_multiple_of(16) / 4;
    let mut out = AlignedVec::zeroed((groups + 8) * padded * 4);
    for o in 0..outputs {
        for i in 0..inputs {
            out[(i / 4 * padded + o) * 4 + i % 4] = rows[o * row + i];
        }
    }
    out
}
