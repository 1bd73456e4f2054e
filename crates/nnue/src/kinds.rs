//! From the name of a feature set to its type: the one `match` of this room.

use crate::architecture::FeatureKind;
use features::{FeatureSet, HalfKp, HalfKpE9, HalfKpKrank, KP, KPHm};
use rules::{Game, Minishogi, Shogi, Variant};

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
}
