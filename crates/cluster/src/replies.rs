//! Which replies are likely, and how many groups each is worth.

use rules::Move;

/// Hundredths of a pawn by which a reply is worse to be chosen 1/e as often. With it, ranks have
/// about the shares that were published for real games (65, 14, 6, 4 %).
const TEMPERATURE: f64 = 60.0;

/// What a second group on the same reply is worth, compared with the first.
const AGAIN: f64 = 0.08;

/// A reply and how likely it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reply {
    pub reply: Move,
    /// From 0 to 1; together at most 1.
    pub chance: f64,
}

/// Chances of replies from their scores for the side that chooses, best or not first.
pub fn chances(scores: &[(Move, f64)]) -> Vec<Reply> {
    let best = scores.iter().map(|s| s.1).fold(f64::MIN, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| ((s.1 - best) / TEMPERATURE).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut replies: Vec<Reply> = scores
        .iter()
        .zip(weights)
        .map(|(&(reply, _), weight)| Reply { reply, chance: weight / sum.max(f64::MIN_POSITIVE) })
        .collect();
    // Stable: of equals the one that was named first.
    replies.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    replies
}

/// The replies for that many groups, one each, several on the likeliest where another is hardly
/// ever chosen.
pub fn allot(replies: &[Reply], groups: usize) -> Vec<Move> {
    let mut counts = vec![0i32; replies.len()];
    let mut chosen = Vec::new();
    for _ in 0..groups {
        let gain = |i: usize| replies[i].chance * AGAIN.powi(counts[i]);
        let best = (0..replies.len()).reduce(|a, b| if gain(b) > gain(a) { b } else { a });
        let Some(best) = best else { break };
        counts[best] += 1;
        chosen.push(replies[best].reply);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{AnyPosition, Game};

    fn m(text: &str) -> Move {
        AnyPosition::startpos(Game::Shogi).parse_usi(text).unwrap()
    }

    #[test]
    fn better_replies_are_likelier_and_chances_are_one_together() {
        let replies = chances(&[(m("2g2f"), 10.0), (m("7g7f"), 50.0), (m("1g1f"), -400.0)]);
        assert_eq!(replies[0].reply, m("7g7f"));
        assert!(replies[0].chance > 0.6 && replies[2].chance < 0.01);
        assert!((replies.iter().map(|r| r.chance).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(chances(&[]), []);
    }

    #[test]
    fn groups_get_one_each_and_several_the_likeliest() {
        let reply = |text: &str, chance| Reply { reply: m(text), chance };
        let close = [reply("7g7f", 0.5), reply("2g2f", 0.3), reply("1g1f", 0.2)];
        assert_eq!(allot(&close, 3), [m("7g7f"), m("2g2f"), m("1g1f")]);
        assert_eq!(allot(&close, 4).len(), 4);
        let clear = [reply("7g7f", 0.95), reply("2g2f", 0.045), reply("1g1f", 0.005)];
        assert_eq!(allot(&clear, 3), [m("7g7f"), m("7g7f"), m("2g2f")]);
        assert_eq!(allot(&clear[..1], 2), [m("7g7f"), m("7g7f")]);
        assert_eq!(allot(&[], 3), []);
    }
}
