//! A net of whatever kind a file turned out to hold.

use crate::architecture::{Architecture, FeatureKind};
use crate::file::NetError;
use crate::info::NetInfo;
use crate::net::{Header, Net};
use features::{FeatureSet, HalfKp, HalfKpE9, HalfKpKrank, KP, KPHm};
use rules::{Game, Minishogi, Shogi, Variant};
use simd::{Isa, Parameters, Shape};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Something to do with a net whatever its type: `AnyNet::visit` is the one `match` on kinds.
pub trait NetVisitor {
    /// What comes of it.
    type Output;

    /// Called with the concrete net.
    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> Self::Output;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $game:ident, $features:ident;)*) => {
        /// A net of any known kind. Match on it (or [`AnyNet::visit`] it) to build the engine
        /// for its type.
        #[derive(Clone, Debug)]
        pub enum AnyNet {
            $($(#[$doc])* $kind(Arc<Net<$game, $features>>),)*
        }

        impl AnyNet {
            /// Hands the concrete net to a visitor.
            pub fn visit<T: NetVisitor>(&self, visitor: T) -> T::Output {
                match self {
                    $(Self::$kind(net) => visitor.visit(Arc::clone(net)),)*
                }
            }

            pub(crate) fn read_as(
                architecture: Architecture,
                header: Header,
                from: &mut dyn Read,
            ) -> Result<Self, NetError> {
                let shape = architecture.shape;
                Ok(match architecture.features {
                    $(FeatureKind::$kind => {
                        Self::$kind(Arc::new(Net::read_parameters(header, shape, from)?))
                    })*
                })
            }

            /// A net with random parameters, for tests, benchmarks and the start of training.
            pub fn random(architecture: Architecture, noise: crate::Noise) -> Self {
                let shape = architecture.shape;
                match architecture.features {
                    $(FeatureKind::$kind => {
                        Self::$kind(Arc::new(noise.net(shape)))
                    })*
                }
            }

            /// The feature set and shape.
            pub fn architecture(&self) -> Architecture {
                match self {
                    $(Self::$kind(net) => net.architecture(),)*
                }
            }

            /// The same net with another divisor of the output.
            #[must_use]
            pub fn with_fv_scale(&self, fv_scale: i32) -> Self {
                match self {
                    $(Self::$kind(net) => Self::$kind(Arc::new(net.with_fv_scale(fv_scale))),)*
                }
            }

            /// What a score of this net is worth, if anybody has measured it.
            pub fn win_rate_scale(&self) -> Option<f64> {
                match self {
                    $(Self::$kind(net) => net.win_rate_scale(),)*
                }
            }

            /// The same net with that scale in its file.
            #[must_use]
            pub fn with_win_rate_scale(&self, scale: f64) -> Self {
                match self {
                    $(Self::$kind(net) => Self::$kind(Arc::new(net.with_win_rate_scale(scale))),)*
                }
            }

            /// The same net for another instruction set.
            #[must_use]
            pub fn with_isa(&self, isa: Isa) -> Self {
                match self {
                    $(Self::$kind(net) => Self::$kind(Arc::new(net.with_isa(isa))),)*
                }
            }

            /// Writes the file.
            pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
                match self {
                    $(Self::$kind(net) => net.write(to),)*
                }
            }

            /// What there is to say about it.
            pub fn info(&self) -> NetInfo {
                match self {
                    $(Self::$kind(net) => NetInfo::of(net),)*
                }
            }

            /// The layers after the transformer.
            pub fn layers(&self) -> &simd::Layers {
                match self {
                    $(Self::$kind(net) => net.layers(),)*
                }
            }
        }
    };
}

kinds! {
    /// HalfKP.
    HalfKp: Shogi, HalfKp;
    /// K-P.
    KP: Shogi, KP;
    /// K-P mirrored by the own king's half.
    KPHm: Shogi, KPHm;
    /// HalfKPE9.
    HalfKpE9: Shogi, HalfKpE9;
    /// HalfKPKrank.
    HalfKpKrank: Shogi, HalfKpKrank;
    /// HalfKP for 5×5.
    MiniHalfKp: Minishogi, HalfKp;
}

impl AnyNet {
    /// The game it is for.
    pub fn game(&self) -> Game {
        self.architecture().features.game()
    }

    /// The widths.
    pub fn shape(&self) -> Shape {
        self.architecture().shape
    }

    /// The parameters of the layers after the transformer.
    pub fn parameters(&self) -> &Parameters {
        self.layers().parameters()
    }
}
