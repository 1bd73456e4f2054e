//! New nets from old ones: mixtures, assembly by the rank of the king, differences.
//!
//! All of it is arithmetic on the integers of the files, in double precision and rounded once.
//! Deliberately absent: judging the result; that takes positions, or games.

use crate::any::AnyNet;
use crate::architecture::{Architecture, FeatureKind};
use crate::net::{Net, Transformer};
use features::{FeatureSet, HalfKp, Numbering};
use rules::{Game, Shogi, Variant};
use simd::{AlignedVec, LayersError, Parameters, Shape};
use std::sync::Arc;

/// Why nets cannot be put together.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SurgeryError {
    /// There is nothing to work on.
    #[error("no nets given")]
    Nothing,
    /// Nets of different kinds.
    #[error("the nets are of different kinds: {first} and {other}")]
    Kinds { first: Box<Architecture>, other: Box<Architecture> },
    /// Weights that cannot be scaled to a sum of one.
    #[error("the weights add up to {sum}: a sum above zero is needed")]
    Weights { sum: f64 },
    /// Nets in real numbers with different divisors of their output.
    #[error("the nets have different divisors: {first} and {other}")]
    Divisors { first: i32, other: i32 },
    /// A net that is not of the HalfKP family.
    #[error("a net {found} cannot be taken apart by the king's rank: HalfKP and HalfKPKrank can")]
    Family { found: Box<Architecture> },
    /// A net by the other king's rank where one by the own king's is made.
    #[error(
        "a net {found} has a matrix for each rank of the other king: only HalfKPKrank can be made \
         of it"
    )]
    HasRanks { found: Box<Architecture> },
    /// Not one net for every rank.
    #[error("{found} nets for {ranks} ranks")]
    Ranks { found: usize, ranks: usize },
    /// Parameters that do not fit their shape.
    #[error("{0}")]
    Layers(#[from] LayersError),
}

/// How two groups of parameters differ.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Difference {
    /// How many parameters there are.
    pub count: u64,
    /// How many are different.
    pub different: u64,
    /// The largest difference.
    pub largest: u64,
    /// Mean of the absolute differences.
    pub mean: f64,
    /// Correlation of the two groups; 1 where both are the same, 0 where one is constant.
    pub correlation: f64,
}

impl AnyNet {
    /// A net of that architecture from its parameters, with the usual header.
    ///
    /// # Panics
    /// If the transformer does not have `l0` biases and `l0` weights for every input.
    pub fn from_parts(
        architecture: Architecture,
        transformer: Transformer,
        parameters: Parameters,
    ) -> Result<Self, LayersError> {
        fn net<V: Variant, F: FeatureSet<V>>(
            shape: Shape,
            (transformer, parameters): (Transformer, Parameters),
        ) -> Result<Arc<Net<V, F>>, LayersError> {
            Net::new(shape, transformer, parameters).map(Arc::new)
        }
        let (shape, parts) = (architecture.shape, (transformer, parameters));
        Ok(match architecture.features {
            FeatureKind::HalfKp => Self::HalfKp(net(shape, parts)?),
            FeatureKind::KP => Self::KP(net(shape, parts)?),
            FeatureKind::KPHm => Self::KPHm(net(shape, parts)?),
            FeatureKind::HalfKpE9 => Self::HalfKpE9(net(shape, parts)?),
            FeatureKind::HalfKpKrank => Self::HalfKpKrank(net(shape, parts)?),
            FeatureKind::MiniHalfKp => Self::MiniHalfKp(net(shape, parts)?),
        })
    }

    /// The first layer.
    pub fn transformer(&self) -> &Transformer {
        match self {
            Self::HalfKp(net) => net.transformer(),
            Self::KP(net) => net.transformer(),
            Self::KPHm(net) => net.transformer(),
            Self::HalfKpE9(net) => net.transformer(),
            Self::HalfKpKrank(net) => net.transformer(),
            Self::MiniHalfKp(net) => net.transformer(),
        }
    }

    /// The same parameters under the usual description and hashes.
    pub fn stripped(&self) -> Result<Self, SurgeryError> {
        let (transformer, parameters) = (self.transformer().clone(), self.parameters().clone());
        let bare = Self::from_parts(self.architecture(), transformer, parameters)?;
        // What a score is worth is part of the net.
        Ok(self.win_rate_scale().map_or_else(|| bare.clone(), |s| bare.with_win_rate_scale(s)))
    }

    /// The weighted mean of nets of one kind. Weights are scaled to a sum of one; single ones may
    /// be below zero. What leaves the range of its integers is cut.
    pub fn mix(nets: &[(&Self, f64)]) -> Result<Self, SurgeryError> {
        let Some(&(first, _)) = nets.first() else { return Err(SurgeryError::Nothing) };
        for (net, _) in nets {
            same_kind(first, net)?;
        }
        let sum: f64 = nets.iter().map(|(_, weight)| weight).sum();
        if !(sum.is_finite() && sum > 0.0) {
            return Err(SurgeryError::Weights { sum });
        }
        let weights: Vec<f64> = nets.iter().map(|(_, weight)| weight / sum).collect();
        let words = |part: &dyn Fn(&Transformer) -> &[i16]| {
            let lists: Vec<&[i16]> = nets.iter().map(|(net, _)| part(net.transformer())).collect();
            let mut mixed = AlignedVec::<i16>::zeroed(lists[0].len());
            for (i, word) in mixed.iter_mut().enumerate() {
                let mean = mean(lists.iter().map(|list| f64::from(list[i])), &weights);
                *word = mean.clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16;
            }
            mixed
        };
        let transformer =
            Transformer { biases: words(&|t| &t.biases), weights: words(&|t| &t.weights) };
        let bytes = |part: &dyn Fn(&Parameters) -> &[i8]| -> Vec<i8> {
            let lists: Vec<&[i8]> = nets.iter().map(|(net, _)| part(net.parameters())).collect();
            let at = |i: usize| mean(lists.iter().map(|list| f64::from(list[i])), &weights);
            (0..lists[0].len()).map(|i| at(i).clamp(-128.0, 127.0) as i8).collect()
        };
        let longs = |part: &dyn Fn(&Parameters) -> Vec<i32>| -> Vec<i32> {
            let lists: Vec<Vec<i32>> = nets.iter().map(|(net, _)| part(net.parameters())).collect();
            let at = |i: usize| mean(lists.iter().map(|list| f64::from(list[i])), &weights);
            (0..lists[0].len()).map(|i| at(i) as i32).collect()
        };
        let parameters = Parameters {
            b1: longs(&|p| p.b1.clone()),
            w1: bytes(&|p| &p.w1),
            b2: longs(&|p| p.b2.clone()),
            w2: bytes(&|p| &p.w2),
            b3: longs(&|p| vec![p.b3])[0],
            w3: bytes(&|p| &p.w3),
        };
        Ok(Self::from_parts(first.architecture(), transformer, parameters)?)
    }

    /// A net of the HalfKP family whose rows come from several nets, chosen by rank (`by_rank[0]` is
    /// the far one), and whose biases and layers come from `base`. The rank is the own king's; with
    /// `krank` the other king's, each of which has a matrix of its own in the net that is made.
    pub fn assemble_by_rank(
        krank: bool,
        base: &Self,
        by_rank: &[&Self],
    ) -> Result<Self, SurgeryError> {
        let game = base.game();
        let ranks = game.size();
        if by_rank.len() != ranks {
            return Err(SurgeryError::Ranks { found: by_rank.len(), ranks });
        }
        let shape = base.shape();
        for net in by_rank.iter().chain([&base]) {
            let found = net.architecture();
            if !is_family(found.features) {
                return Err(SurgeryError::Family { found: Box::new(found) });
            }
            if !krank && has_ranks(net) {
                return Err(SurgeryError::HasRanks { found: Box::new(found) });
            }
            if net.shape() != shape || net.game() != game {
                let (first, other) = (Box::new(base.architecture()), Box::new(found));
                return Err(SurgeryError::Kinds { first, other });
            }
        }
        let features = match (krank, game) {
            (false, Game::Shogi) => FeatureKind::HalfKp,
            (true, Game::Shogi) => FeatureKind::HalfKpKrank,
            (false, Game::Minishogi) => FeatureKind::MiniHalfKp,
            (true, Game::Minishogi) => {
                let found = Box::new(base.architecture());
                return Err(SurgeryError::Family { found });
            }
        };
        // Rows of one king square stand together: pieces times outputs.
        let square = Numbering::of(game).end() * shape.l0;
        let matrix = square * game.squares();
        let mut weights = AlignedVec::<i16>::zeroed(features.inputs() * shape.l0);
        let mut copy = |from: &Self, source: usize, target: usize, len: usize| {
            weights[target..][..len].copy_from_slice(&from.transformer().weights[source..][..len]);
        };
        if krank {
            for (rank, from) in by_rank.iter().enumerate() {
                let source = if has_ranks(from) { rank * matrix } else { 0 };
                copy(from, source, rank * matrix, matrix);
            }
        } else {
            for king in 0..game.squares() {
                copy(by_rank[king % ranks], king * square, king * square, square);
            }
        }
        let transformer = Transformer { biases: base.transformer().biases.clone(), weights };
        let architecture = Architecture { features, shape };
        Ok(Self::from_parts(architecture, transformer, base.parameters().clone())?)
    }

    /// Whether biases and layers, all that comes after the rows, are the same.
    pub fn same_layers(&self, other: &Self) -> bool {
        self.transformer().biases == other.transformer().biases
            && self.parameters() == other.parameters()
    }

    /// How two nets of one kind differ, by group of parameters.
    pub fn difference(
        &self,
        other: &Self,
    ) -> Result<Vec<(&'static str, Difference)>, SurgeryError> {
        same_kind(self, other)?;
        let (t, u) = (self.transformer(), other.transformer());
        let (p, q) = (self.parameters(), other.parameters());
        Ok(vec![
            ("transformer biases", compare(&t.biases, &u.biases)),
            ("transformer weights", compare(&t.weights, &u.weights)),
            ("layer 1 biases", compare(&p.b1, &q.b1)),
            ("layer 1 weights", compare(&p.w1, &q.w1)),
            ("layer 2 biases", compare(&p.b2, &q.b2)),
            ("layer 2 weights", compare(&p.w2, &q.w2)),
            ("output bias", compare(&[p.b3], &[q.b3])),
            ("output weights", compare(&p.w3, &q.w3)),
        ])
    }
}

/// Whether a net has a matrix for each rank of the other king.
fn has_ranks(net: &AnyNet) -> bool {
    net.architecture().features == FeatureKind::HalfKpKrank
}

/// HalfKP matrices over 9×9, one or one by rank, and over 5×5.
fn is_family(kind: FeatureKind) -> bool {
    // Both sets begin with the same row for a king on square 0, and keep a king's rows together.
    debug_assert_eq!(<HalfKp as FeatureSet<Shogi>>::offset(1), Numbering::of(Game::Shogi).end());
    matches!(kind, FeatureKind::HalfKp | FeatureKind::HalfKpKrank | FeatureKind::MiniHalfKp)
}

fn same_kind(first: &AnyNet, other: &AnyNet) -> Result<(), SurgeryError> {
    let (first, other) = (first.architecture(), other.architecture());
    if first == other {
        return Ok(());
    }
    Err(SurgeryError::Kinds { first: Box::new(first), other: Box::new(other) })
}

fn mean(values: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    values.zip(weights).map(|(value, weight)| value * weight).sum::<f64>().round()
}

fn compare<T: Copy + Into<i64>>(a: &[T], b: &[T]) -> Difference {
    let mut found = Difference { count: a.len() as u64, ..Difference::default() };
    let (mut sum, mut means) = (0u64, [0f64; 2]);
    for (&a, &b) in a.iter().zip(b) {
        let (a, b): (i64, i64) = (a.into(), b.into());
        let distance = a.abs_diff(b);
        found.different += u64::from(distance > 0);
        found.largest = found.largest.max(distance);
        sum += distance;
        means[0] += a as f64;
        means[1] += b as f64;
    }
    let count = (a.len() as f64).max(1.0);
    found.mean = sum as f64 / count;
    let [mean_a, mean_b] = means.map(|sum| sum / count);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (&a, &b) in a.iter().zip(b) {
        let (a, b): (i64, i64) = (a.into(), b.into());
        let (a, b) = (a as f64 - mean_a, b as f64 - mean_b);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    found.correlation = match (found.different, aa * bb > 0.0) {
        (0, _) => 1.0,
        (_, true) => ab / (aa * bb).sqrt(),
        (_, false) => 0.0,
    };
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Noise;

    fn net(features: FeatureKind, l0: usize, seed: u64) -> AnyNet {
        let shape = Shape { l0, h1: 8, h2: 16 };
        AnyNet::random(Architecture { features, shape }, Noise::ordinary(seed))
    }

    fn bytes(net: &AnyNet) -> Vec<u8> {
        let mut bytes = Vec::new();
        net.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_mixture_of_one_net_is_that_net() {
        let a = net(FeatureKind::KP, 32, 1);
        let b = net(FeatureKind::KP, 32, 2);
        for mixed in [
            AnyNet::mix(&[(&a, 3.0)]),
            AnyNet::mix(&[(&a, 0.5), (&a, 0.5)]),
            AnyNet::mix(&[(&a, 1.0), (&b, 0.0)]),
            AnyNet::mix(&[(&a, 2.0), (&b, 1.0), (&b, -1.0)]),
            a.stripped(),
        ] {
            assert!(bytes(&mixed.unwrap()) == bytes(&a));
        }
    }

    #[test]
    fn a_mean_lies_between() {
        let (a, b) = (net(FeatureKind::KP, 32, 1), net(FeatureKind::KP, 32, 2));
        let mixed = AnyNet::mix(&[(&a, 3.0), (&b, 1.0)]).unwrap();
        let all = |net: &AnyNet| -> Vec<i64> {
            let (t, p) = (net.transformer(), net.parameters());
            let words = t.biases.iter().chain(t.weights.iter()).map(|&x| i64::from(x));
            let longs = p.b1.iter().chain(&p.b2).chain([&p.b3]).map(|&x| i64::from(x));
            let bytes = p.w1.iter().chain(&p.w2).chain(&p.w3).map(|&x| i64::from(x));
            words.chain(longs).chain(bytes).collect()
        };
        for ((a, b), m) in all(&a).into_iter().zip(all(&b)).zip(all(&mixed)) {
            assert!((4 * m - 3 * a - b).abs() <= 2, "{a} {b} {m}");
        }
        // Extrapolation is cut, not wrapped.
        let far = AnyNet::mix(&[(&a, 1000.0), (&b, -999.0)]).unwrap();
        let pairs = a.parameters().w1.iter().zip(&b.parameters().w1).zip(&far.parameters().w1);
        for ((a, b), f) in pairs {
            assert_eq!(a.cmp(b), f.cmp(a).then(a.cmp(b)), "{a} {b} {f}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let a = net(FeatureKind::KP, 32, 1);
        let wide = net(FeatureKind::KP, 64, 1);
        let mini = net(FeatureKind::MiniHalfKp, 32, 1);
        let text = |result: Result<AnyNet, SurgeryError>| result.unwrap_err().to_string();
        assert_eq!(text(AnyNet::mix(&[])), "no nets given");
        let different = text(AnyNet::mix(&[(&a, 1.0), (&wide, 1.0)]));
        assert!(different.contains("32x2") && different.contains("64x2"), "{different}");
        for weights in [[0.0, 0.0], [1.0, -1.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0]] {
            let [x, y] = weights;
            assert!(text(AnyNet::mix(&[(&a, x), (&a, y)])).contains("add up to"), "{weights:?}");
        }
        assert!(text(AnyNet::assemble_by_rank(false, &a, &[&a; 9])).contains("K+P"));
        assert_eq!(text(AnyNet::assemble_by_rank(false, &mini, &[&mini; 9])), "9 nets for 5 ranks");
        assert!(text(AnyNet::assemble_by_rank(true, &mini, &[&mini; 5])).contains("HalfKPKrank"));
        let wide = net(FeatureKind::MiniHalfKp, 64, 1);
        let mixed = [&mini, &mini, &mini, &wide, &mini];
        assert!(text(AnyNet::assemble_by_rank(false, &mini, &mixed)).contains("64x2"));
        assert!(a.difference(&wide).is_err());
    }

    #[test]
    fn rows_come_from_the_net_of_their_rank() {
        let nets: Vec<AnyNet> = (0..5).map(|seed| net(FeatureKind::MiniHalfKp, 16, seed)).collect();
        let by_rank: Vec<&AnyNet> = nets.iter().collect();
        let whole = AnyNet::assemble_by_rank(false, &nets[2], &by_rank).unwrap();
        assert!(whole.same_layers(&nets[2]) && !whole.same_layers(&nets[1]));
        let rows = Numbering::of(Game::Minishogi).end() * 16;
        for king in 0..25 {
            let part = |net: &AnyNet| net.transformer().weights[king * rows..][..rows].to_vec();
            assert!(part(&whole) == part(&nets[king % 5]), "{king}");
        }
        // One net for every rank is that net.
        let same = AnyNet::assemble_by_rank(false, &nets[0], &[&nets[0]; 5]).unwrap();
        assert!(bytes(&same) == bytes(&nets[0]));
    }

    #[test]
    fn a_net_by_rank_holds_what_its_nets_hold_and_gives_it_back() {
        let (a, b) = (net(FeatureKind::HalfKp, 16, 1), net(FeatureKind::HalfKp, 16, 2));
        let by_rank = [&a, &a, &a, &b, &b, &b, &a, &b, &a];
        let krank = AnyNet::assemble_by_rank(true, &a, &by_rank).unwrap();
        assert_eq!(krank.architecture().features, FeatureKind::HalfKpKrank);
        let rows = a.transformer().weights.len();
        for (rank, net) in by_rank.iter().enumerate() {
            let other = <features::HalfKpKrank as FeatureSet<Shogi>>::other_offset(rank) * 16;
            assert!(krank.transformer().weights[other..][..rows] == net.transformer().weights[..]);
        }
        // Single matrices can be exchanged.
        let mut again = [&krank; 9];
        assert!(bytes(&AnyNet::assemble_by_rank(true, &a, &again).unwrap()) == bytes(&krank));
        again[8] = &b;
        let by_rank = [&a, &a, &a, &b, &b, &b, &a, &b, &b];
        let wanted = AnyNet::assemble_by_rank(true, &a, &by_rank).unwrap();
        assert!(bytes(&AnyNet::assemble_by_rank(true, &a, &again).unwrap()) == bytes(&wanted));
        let refused = AnyNet::assemble_by_rank(false, &a, &[&krank; 9]).unwrap_err().to_string();
        assert!(refused.contains("for each rank of the other king"), "{refused}");
    }

    #[test]
    fn differences_are_counted() {
        let a = net(FeatureKind::KP, 32, 1);
        for (_, d) in a.difference(&a).unwrap() {
            assert_eq!((d.different, d.largest, d.correlation), (0, 0, 1.0));
        }
        let b = net(FeatureKind::KP, 32, 2);
        let found = a.difference(&b).unwrap();
        let counts: u64 = found.iter().map(|(_, d)| d.count).sum();
        // Padding of rows counts too: it is in the file.
        assert!(counts >= a.architecture().parameters());
        let (_, weights) = found[1];
        assert!(weights.different > weights.count / 2 && weights.correlation.abs() < 0.1);
    }
}
