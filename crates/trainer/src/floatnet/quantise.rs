//! From real numbers to the integers of `nn.bin`, and back.

use super::{FloatNet, FloatNetError, OUTPUT_UNIT};
use features::FeatureSet;
use nnue::{AnyNet, FeatureKind, Net, NetVisitor, Parameters, Shape, Transformer};
use rules::Variant;
use serde_json::Value;
use simd::AlignedVec;
use std::sync::Arc;

/// What an activation of 1 is as an integer.
const ONE: f32 = 127.0;
/// What a weight of 1 is as an integer.
const WEIGHT: f32 = 64.0;

/// How many parameters did not fit their integers and were cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clipped {
    /// Biases and weights of the transformer.
    pub transformer: u64,
    /// Weights of the layers.
    pub weights: u64,
    /// Biases of the layers.
    pub biases: u64,
    /// Outputs of the transformer whose sums could leave 16 bits in the worst case. Nothing was
    /// cut: such sums wrap around, if the worst case ever happens.
    pub wrapping: u64,
}

/// A net in integers.
#[derive(Clone, Debug)]
pub struct Quantised {
    pub net: AnyNet,
    /// What did not fit.
    pub clipped: Clipped,
}

fn round(value: f32, unit: f32, most: f32, clipped: &mut u64) -> f32 {
    let scaled = (value * unit).round();
    if scaled.abs() > most {
        *clipped += 1;
    }
    scaled.clamp(-most, most)
}

fn words(values: &[f32], clipped: &mut u64) -> AlignedVec<i16> {
    let mut words = AlignedVec::<i16>::zeroed(values.len());
    for (word, &value) in words.iter_mut().zip(values) {
        *word = round(value, ONE, f32::from(i16::MAX), clipped) as i16;
    }
    words
}

/// Rows of a file are padded to a multiple of 32.
fn matrix(values: &[f32], columns: usize, padded: usize, clipped: &mut u64) -> Vec<i8> {
    let mut bytes = vec![0; values.len() / columns * padded];
    for (row, values) in bytes.chunks_exact_mut(padded).zip(values.chunks_exact(columns)) {
        for (byte, &value) in row.iter_mut().zip(values) {
            *byte = round(value, WEIGHT, f32::from(i8::MAX), clipped) as i8;
        }
    }
    bytes
}

fn longs(values: &[f32], clipped: &mut u64) -> Vec<i32> {
    // The largest float below 2^31: far beyond any bias that means something.
    let most = 2_147_483_520.0;
    values.iter().map(|&value| round(value, OUTPUT_UNIT, most, clipped) as i32).collect()
}

impl FloatNet {
    /// The net in integers. Fails only if a parameter is not a number.
    pub fn quantise(&self) -> Result<Quantised, FloatNetError> {
        self.check()?;
        let shape = self.architecture.shape;
        let mut clipped = Clipped::default();
        let transformer = Transformer {
            biases: words(&self.b0, &mut clipped.transformer),
            weights: words(&self.w0, &mut clipped.transformer),
        };
        clipped.wrapping = self.wrapping(&transformer);
        let weights = &mut clipped.weights;
        let parameters = Parameters {
            w1: matrix(&self.w1, 2 * shape.l0, shape.row1(), weights),
            w2: matrix(&self.w2, shape.h1, shape.row2(), weights),
            w3: matrix(&self.w3, shape.h2, shape.row3(), weights),
            b1: longs(&self.b1, &mut clipped.biases),
            b2: longs(&self.b2, &mut clipped.biases),
            b3: longs(&[self.b3], &mut clipped.biases)[0],
        };
        let net = assemble(self.architecture.features, shape, transformer, parameters)?;
        let net = net.with_fv_scale(self.fv_scale);
        let net = self.win_rate_scale.map_or_else(|| net.clone(), |s| net.with_win_rate_scale(s));
        Ok(Quantised { net, clipped })
    }

    /// Outputs of the transformer that could leave 16 bits, were every active feature the worst.
    fn wrapping(&self, transformer: &Transformer) -> u64 {
        let active = match self.architecture.features {
            FeatureKind::KP | FeatureKind::KPHm => 40,
            FeatureKind::MiniHalfKp => 10,
            _ => 38,
        };
        let l0 = self.architecture.shape.l0;
        let mut most = vec![0u16; l0];
        for row in transformer.weights.chunks_exact(l0) {
            most.iter_mut().zip(row).for_each(|(m, w)| *m = (*m).max(w.unsigned_abs()));
        }
        let sums = transformer.biases.iter().zip(&most);
        let sums = sums.map(|(b, &m)| u32::from(b.unsigned_abs()) + active * u32::from(m));
        sums.filter(|&sum| sum > i16::MAX as u32).count() as u64
    }

    /// The real numbers that an integer net stands for.
    pub fn from_net(net: &AnyNet) -> Self {
        struct Visitor(FloatNet);
        impl NetVisitor for Visitor {
            type Output = FloatNet;
            fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> FloatNet {
                let mut float = self.0;
                let shape = float.architecture.shape;
                let from_words = |w: &[i16]| w.iter().map(|&w| f32::from(w) / ONE).collect();
                let from_longs = |b: &[i32]| b.iter().map(|&b| b as f32 / OUTPUT_UNIT).collect();
                let from_matrix = |w: &[i8], columns: usize, padded: usize| {
                    let rows = w.chunks_exact(padded).flat_map(|row| &row[..columns]);
                    rows.map(|&w| f32::from(w) / WEIGHT).collect()
                };
                float.b0 = from_words(&net.transformer().biases);
                float.w0 = from_words(&net.transformer().weights);
                let p = net.layers().parameters();
                float.b1 = from_longs(&p.b1);
                float.w1 = from_matrix(&p.w1, 2 * shape.l0, shape.row1());
                float.b2 = from_longs(&p.b2);
                float.w2 = from_matrix(&p.w2, shape.h1, shape.row2());
                float.b3 = p.b3 as f32 / OUTPUT_UNIT;
                float.w3 = from_matrix(&p.w3, shape.h2, shape.row3());
                float.fv_scale = net.fv_scale();
                float
            }
        }
        let empty = Self {
            architecture: net.architecture(),
            fv_scale: nnue::DEFAULT_FV_SCALE,
            win_rate_scale: net.win_rate_scale(),
            notes: Value::Null,
            b0: Vec::new(),
            w0: Vec::new(),
            b1: Vec::new(),
            w1: Vec::new(),
            b2: Vec::new(),
            w2: Vec::new(),
            b3: 0.0,
            w3: Vec::new(),
        };
        net.visit(Visitor(empty))
    }
}

fn assemble(
    kind: FeatureKind,
    shape: Shape,
    transformer: Transformer,
    parameters: Parameters,
) -> Result<AnyNet, FloatNetError> {
    fn net<V: Variant, F: FeatureSet<V>>(
        shape: Shape,
        transformer: Transformer,
        parameters: Parameters,
    ) -> Result<Arc<Net<V, F>>, FloatNetError> {
        let net = Net::new(shape, transformer, parameters);
        net.map(Arc::new).map_err(|e| FloatNetError::Shape(e.to_string()))
    }
    Ok(match kind {
        FeatureKind::HalfKp => AnyNet::HalfKp(net(shape, transformer, parameters)?),
        FeatureKind::KP => AnyNet::KP(net(shape, transformer, parameters)?),
        FeatureKind::KPHm => AnyNet::KPHm(net(shape, transformer, parameters)?),
        FeatureKind::HalfKpE9 => AnyNet::HalfKpE9(net(shape, transformer, parameters)?),
        FeatureKind::HalfKpKrank => AnyNet::HalfKpKrank(net(shape, transformer, parameters)?),
        FeatureKind::MiniHalfKp => AnyNet::MiniHalfKp(net(shape, transformer, parameters)?),
    })
}
