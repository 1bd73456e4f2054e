//! A net in memory: shared, read-only, cheap to clone.

use crate::architecture::{Architecture, FeatureKind, Hashes};
use features::FeatureSet;
use rules::{Game, Variant};
use simd::{AlignedVec, Isa, Layers, LayersError, Parameters, Shape};
use std::marker::PhantomData;
use std::sync::Arc;

/// What the output is divided by unless the user says otherwise.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// The first layer: one row of `l0` numbers for every feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Transformer {
    /// What an accumulator starts from.
    pub biases: AlignedVec<i16>,
    /// The rows, feature by feature.
    pub weights: AlignedVec<i16>,
}

/// The parts of a file that are not parameters, kept so that a net is written as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The description, usually ASCII.
    pub description: Vec<u8>,
    /// The hashes found (or computed for a new net).
    pub hashes: Hashes,
}

/// Whether a number can be the scale of win rates.
pub fn is_win_rate_scale(scale: f64) -> bool {
    (1.0..=100_000.0).contains(&scale)
}

/// The word before the win-rate scale in a description.
const WIN_RATE_SCALE: &str = "WinRateScale=";

impl Header {
    /// The score, in hundredths of a pawn, at which the side to move wins 73 % (1/(1 + 1/e)) of its
    /// games, if the description says it.
    pub fn win_rate_scale(&self) -> Option<f64> {
        let text = String::from_utf8_lossy(&self.description);
        let number = text.split(',').find_map(|part| part.strip_prefix(WIN_RATE_SCALE))?;
        number.parse().ok().filter(|&scale| is_win_rate_scale(scale))
    }

    /// The same header with the scale in its description. Programs that do not know the word pass
    /// it over.
    #[must_use]
    pub fn with_win_rate_scale(&self, scale: f64) -> Self {
        let said = format!("{WIN_RATE_SCALE}{scale}").into_bytes();
        let mut parts: Vec<&[u8]> = self.description.split(|&byte| byte == b',').collect();
        parts.retain(|part| !part.starts_with(WIN_RATE_SCALE.as_bytes()));
        parts.push(&said);
        Self { description: parts.join(&b','), ..self.clone() }
    }
}

/// A net over feature set `F` of game `V`.
#[derive(Clone, Debug)]
pub struct Net<V, F> {
    header: Header,
    transformer: Arc<Transformer>,
    layers: Arc<Layers>,
    fv_scale: i32,
    win_rate_scale: Option<f64>,
    features: PhantomData<(V, F)>,
}

impl<V: Variant, F: FeatureSet<V>> Net<V, F> {
    /// A new net from its parameters, with the usual header.
    ///
    /// # Panics
    /// If the transformer does not have `l0` biases and `l0` weights for every input.
    pub fn new(
        shape: Shape,
        transformer: Transformer,
        parameters: Parameters,
    ) -> Result<Self, LayersError> {
        let architecture = Architecture { features: Self::feature_kind(), shape };
        let header = Header {
            description: architecture.description().into_bytes(),
            hashes: architecture.hashes(),
        };
        Self::with_header(header, shape, transformer, parameters)
    }

    /// A net with the header it was read with.
    pub(crate) fn with_header(
        header: Header,
        shape: Shape,
        transformer: Transformer,
        parameters: Parameters,
    ) -> Result<Self, LayersError> {
        let layers = Layers::new(Isa::best(), shape, parameters)?;
        let (biases, weights) = (transformer.biases.len(), transformer.weights.len());
        assert!(
            biases == shape.l0 && weights == F::INPUTS * shape.l0,
            "a transformer of {biases} and {weights} numbers for {} inputs and {}",
            F::INPUTS,
            shape.name()
        );
        Ok(Self {
            win_rate_scale: header.win_rate_scale(),
            header,
            transformer: Arc::new(transformer),
            layers: Arc::new(layers),
            fv_scale: DEFAULT_FV_SCALE,
            features: PhantomData,
        })
    }

    fn feature_kind() -> FeatureKind {
        FeatureKind::ALL
            .into_iter()
            .find(|k| k.name() == F::NAME && k.game() == V::GAME)
            .unwrap_or(FeatureKind::HalfKp)
    }

    /// The same net with another divisor of the output. Zero and less count as the default.
    #[must_use]
    pub fn with_fv_scale(&self, fv_scale: i32) -> Self {
        let fv_scale = if fv_scale > 0 { fv_scale } else { DEFAULT_FV_SCALE };
        Self { fv_scale, ..self.clone() }
    }

    /// What a score of this net is worth ([`Header::win_rate_scale`]), if anybody has measured it.
    pub const fn win_rate_scale(&self) -> Option<f64> {
        self.win_rate_scale
    }

    /// The same net with that scale in its file.
    #[must_use]
    pub fn with_win_rate_scale(&self, scale: f64) -> Self {
        let header = self.header.with_win_rate_scale(scale);
        Self { header, win_rate_scale: Some(scale), ..self.clone() }
    }

    /// The same net for another instruction set.
    #[must_use]
    pub fn with_isa(&self, isa: Isa) -> Self {
        Self { layers: Arc::new(self.layers.with_isa(isa)), ..self.clone() }
    }

    /// What the output is divided by.
    #[inline]
    pub fn fv_scale(&self) -> i32 {
        self.fv_scale
    }

    /// The feature set and shape.
    pub fn architecture(&self) -> Architecture {
        Architecture { features: Self::feature_kind(), shape: self.layers.shape() }
    }

    /// The game it is for.
    pub fn game(&self) -> Game {
        V::GAME
    }

    /// Description and hashes.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The first layer.
    #[inline]
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }

    /// The other layers.
    #[inline]
    pub fn layers(&self) -> &Layers {
        &self.layers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FeatureKind;

    #[test]
    fn the_scale_travels_in_the_description() {
        let shape = Shape { l0: 256, h1: 32, h2: 32 };
        let architecture = Architecture { features: FeatureKind::HalfKp, shape };
        let description = architecture.description().into_bytes();
        let plain = Header { description, hashes: architecture.hashes() };
        assert_eq!(plain.win_rate_scale(), None);
        let told = plain.with_win_rate_scale(1340.0);
        assert_eq!(told.win_rate_scale(), Some(1340.0));
        assert_eq!(told.with_win_rate_scale(532.5).win_rate_scale(), Some(532.5));
        assert_eq!(told.with_win_rate_scale(1340.0), told);
        let text = String::from_utf8(told.description).unwrap();
        assert_eq!(Architecture::parse(&text), Some(architecture), "{text}");
        // What others wrote behind it stays.
        let description = b"a\xff,WinRateScale=7,by=me".to_vec();
        let other = Header { description, ..plain.clone() };
        assert_eq!(other.win_rate_scale(), Some(7.0));
        let told = other.with_win_rate_scale(1340.0);
        assert_eq!(told.description, b"a\xff,by=me,WinRateScale=1340");
    }

    #[test]
    fn scales_that_make_no_sense_are_passed_over() {
        let architecture =
            Architecture { features: FeatureKind::KP, shape: Shape { l0: 256, h1: 32, h2: 32 } };
        for text in ["", "0", "-5", "1e", "12x", "nan", "inf", "1e9", "0.5", " 600", "6 00"] {
            let description = format!("x,WinRateScale={text},y").into_bytes();
            let header = Header { description, hashes: architecture.hashes() };
            assert_eq!(header.win_rate_scale(), None, "{text:?}");
        }
        let description = b"NoWinRateScale=600".to_vec();
        assert_eq!(Header { description, hashes: architecture.hashes() }.win_rate_scale(), None);
    }
}
