//! One net in real numbers from several of one kind.

use super::FloatNet;
use nnue::SurgeryError;

impl FloatNet {
    /// The weighted mean of nets; weights are scaled to a sum of one.
    pub fn mix(mut nets: Vec<(Self, f64)>) -> Result<Self, SurgeryError> {
        let sum: f64 = nets.iter().map(|(_, weight)| weight).sum();
        let Some((first, _)) = nets.first() else { return Err(SurgeryError::Nothing) };
        if sum <= 0.0 {
            return Err(SurgeryError::Weights { sum });
        }
        let (kind, scale) = (first.architecture, first.fv_scale);
        if let Some((other, _)) = nets.iter().find(|(net, _)| net.architecture != kind) {
            return Err(SurgeryError::Kinds {
                first: Box::new(kind),
                other: Box::new(other.architecture),
            });
        }
        if let Some((other, _)) = nets.iter().find(|(net, _)| net.fv_scale != scale) {
            return Err(SurgeryError::Divisors { first: scale, other: other.fv_scale });
        }
        let mut mixed = Self::zeroed(kind);
        mixed.fv_scale = scale;
        for (part, values) in mixed.parts_mut().into_iter().enumerate() {
            let parts: Vec<(&[f32], f64)> = nets
                .iter_mut()
                .map(|(net, weight)| {
                    let [b0, w0, b1, w1, b2, w2, b3, w3] = net.parts_mut();
                    let all: [&[f32]; 8] = [b0, w0, b1, w1, b2, w2, b3, w3];
                    (all[part], *weight / sum)
                })
                .collect();
            for (i, value) in values.iter_mut().enumerate() {
                let mean: f64 =
                    parts.iter().map(|(list, weight)| f64::from(list[i]) * weight).sum();
                *value = mean as f32;
            }
        }
        Ok(mixed)
    }
}
