//! From the name of a feature set to its type: the one `match` of this room.

use crate::architecture::{Architecture, FeatureKind};
use features::{FeatureSet, HalfKp, HalfKpE9, HalfKpKrank, KP, KPHm};
use rules::{Game, Minishogi, Shogi, Variant};
use simd::{Layers, Shape};

/// Something to do with a game and a feature set, whichever they are.
pub trait KindVisitor {
    /// What comes of it.
    type Output;

    /// Called with the concrete types.
    fn visit<V: Variant, F: FeatureSet<V>>(self) -> Self::Output;
}

/// Hands the types of a kind to a visitor.
pub fn visit_kind<T: KindVisitor>(kind: FeatureKind, visitor: T) -> T::Output {
    match kind {
        FeatureKind::HalfKp => visitor.visit::<Shogi, HalfKp>(),
        FeatureKind::KP => visitor.visit::<Shogi, KP>(),
        FeatureKind::KPHm => visitor.visit::<Shogi, KPHm>(),
        FeatureKind::HalfKpE9 => visitor.visit::<Shogi, HalfKpE9>(),
        FeatureKind::HalfKpKrank => visitor.visit::<Shogi, HalfKpKrank>(),
        FeatureKind::MiniHalfKp => visitor.visit::<Minishogi, HalfKp>(),
    }
}

/// The short name of a kind; with the game it says which.
pub fn kind_name(kind: FeatureKind) -> &'static str {
    match kind {
        FeatureKind::HalfKp | FeatureKind::MiniHalfKp => "HalfKP",
        FeatureKind::KP => "KP",
        FeatureKind::KPHm => "KPHm",
        FeatureKind::HalfKpE9 => "HalfKPE9",
        FeatureKind::HalfKpKrank => "HalfKPKrank",
    }
}

/// The kind of a game that a name means: `KP`, `K-P`, `K+P`, `HalfKP(Friend)`, `halfkp`, …
pub fn feature_kind(name: &str, game: Game) -> Option<FeatureKind> {
    let plain = |text: &str| -> String {
        let text = text.to_ascii_lowercase();
        text.trim_end_matches("(friend)").chars().filter(char::is_ascii_alphanumeric).collect()
    };
    let name = plain(name);
    let name = name.strip_prefix("mini").unwrap_or(&name);
    let kinds = FeatureKind::ALL.into_iter().filter(|kind| kind.game() == game);
    kinds.into_iter().find(|kind| plain(kind_name(*kind)) == name)
}

impl Architecture {
    /// The architecture for a game that a name means: `halfkp-256x2-32-32`.
    pub fn named(name: &str, game: Game) -> Result<Self, String> {
        let shape = || {
            let mut parts = name.rsplitn(4, '-');
            let h2 = parts.next()?.parse().ok()?;
            let h1 = parts.next()?.parse().ok()?;
            let l0 = parts.next()?.strip_suffix("x2")?.parse().ok()?;
            Some((Shape { l0, h1, h2 }, parts.next()?))
        };
        let (shape, features) = shape().ok_or("expected something like halfkp-256x2-32-32")?;
        if features.starts_with("mini") && game != Game::Minishogi {
            return Err(format!("the data are games of {game}"));
        }
        let kind = feature_kind(features, game)
            .ok_or_else(|| format!("there is no feature set {features:?} for {game}"))?;
        if !shape.is_supported() {
            return Err(format!(
                "no engine has the shape {}: the first width must be a multiple of 16 up to {}, \
                 the others at most {}",
                shape.name(),
                Shape::MAX_L0,
                Layers::MAX_HIDDEN
            ));
        }
        Ok(Self { features: kind, shape })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for kind in FeatureKind::ALL {
            for name in [kind_name(kind), kind.name(), &format!("{kind:?}")] {
                assert_eq!(feature_kind(name, kind.game()), Some(kind), "{name}");
            }
        }
        assert_eq!(feature_kind("k-p", Game::Shogi), Some(FeatureKind::KP));
        assert_eq!(feature_kind("kp", Game::Minishogi), None);
        assert_eq!(feature_kind("", Game::Shogi), None);
    }

    #[test]
    fn types_are_those_of_the_kind() {
        struct Inputs;
        impl KindVisitor for Inputs {
            type Output = (usize, Game, &'static str);
            fn visit<V: Variant, F: FeatureSet<V>>(self) -> Self::Output {
                (F::INPUTS, V::GAME, F::NAME)
            }
        }
        for kind in FeatureKind::ALL {
            assert_eq!(visit_kind(kind, Inputs), (kind.inputs(), kind.game(), kind.name()));
        }
    }

    #[test]
    fn architectures_have_names() {
        let shape = Shape { l0: 256, h1: 32, h2: 32 };
        for (name, game, features) in [
            ("halfkp-256x2-32-32", Game::Shogi, FeatureKind::HalfKp),
            ("halfkp-256x2-32-32", Game::Minishogi, FeatureKind::MiniHalfKp),
            ("mini-halfkp-256x2-32-32", Game::Minishogi, FeatureKind::MiniHalfKp),
            ("kp-256x2-32-32", Game::Shogi, FeatureKind::KP),
            ("k-p-256x2-32-32", Game::Shogi, FeatureKind::KP),
            ("HalfKPE9-256x2-32-32", Game::Shogi, FeatureKind::HalfKpE9),
        ] {
            assert_eq!(
                Architecture::named(name, game),
                Ok(Architecture { features, shape }),
                "{name}"
            );
        }
        for (name, game, why) in [
            ("halfkp", Game::Shogi, "something like"),
            ("halfkp-256-32-32", Game::Shogi, "something like"),
            ("halfka-256x2-32-32", Game::Shogi, "halfka"),
            ("mini-halfkp-256x2-32-32", Game::Shogi, "games of shogi"),
            ("kp-256x2-32-32", Game::Minishogi, "kp"),
            ("halfkp-250x2-32-32", Game::Shogi, "multiple of 16"),
            ("halfkp-256x2-0-32", Game::Shogi, "multiple of 16"),
            ("halfkp-99999999999999999999x2-8-8", Game::Shogi, "something like"),
        ] {
            let error = Architecture::named(name, game).unwrap_err();
            assert!(error.contains(why), "{name}: {error}");
        }
    }
}
