//! The integers of a net, as its file has them.

use simd::LayerParameters;

/// All numbers of a net, without padding.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Integers {
    /// The stem in units of the stream: by plane, tap, channel.
    pub(super) stem: Vec<i16>,
    /// By channel.
    pub(super) stem_bias: Vec<i16>,
    /// How the stream after so many blocks is seen as bytes.
    pub(super) views: Vec<i16>,
    pub(super) blocks: Vec<[LayerParameters; 2]>,
    /// By plane, channel.
    pub(super) policy: Vec<i16>,
    /// What a sum counts, by plane.
    pub(super) policy_scales: Vec<f32>,
    /// By label.
    pub(super) policy_bias: Vec<f32>,
    pub(super) value: LayerParameters,
    /// Inputs by channel, then square.
    pub(super) value_fc1: LayerParameters,
    pub(super) value_fc2: Vec<i16>,
    /// What a sum counts.
    pub(super) value_scale: f32,
    pub(super) value_bias: f32,
}
