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

/// How often the reply of each rank was played in real games, of those that our tree search put in
/// order after a few playouts; what is below the last goes down by a fifth for each.
const RANKS: [f64; 8] = [0.38, 0.16, 0.10, 0.07, 0.045, 0.035, 0.03, 0.025];

/// Chances of replies from their scores for the side that chooses, best or not first. Of a reply
/// that is named twice the first counts: lines of two iterations may stand beside each other.
pub fn by_score(scores: &[(Move, f64)]) -> Vec<Reply> {
    let best = scores.iter().map(|s| s.1).fold(f64::MIN, f64::max);
    let weight = |score: f64| ((score - best) / TEMPERATURE).exp();
    let mut replies = distinct(scores.iter().map(|&(reply, score)| (reply, weight(score))));
    // Stable: of equals the one that was named first.
    replies.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    replies
}

/// Chances of replies from their order alone, the likeliest first: what a policy net, or a tree search
/// that has hardly begun, has to say, whose scores mean nothing yet.
pub fn by_rank(moves: &[Move]) -> Vec<Reply> {
    let last = RANKS[RANKS.len() - 1];
    let weight = |rank: usize| {
        let below = rank.saturating_sub(RANKS.len() - 1) as i32;
        RANKS.get(rank).copied().unwrap_or(last * 0.8f64.powi(below))
    };
    distinct(moves.iter().enumerate().map(|(rank, &reply)| (reply, weight(rank))))
}

/// Weights as chances, every reply once.
fn distinct(weighted: impl Iterator<Item = (Move, f64)>) -> Vec<Reply> {
    let mut replies: Vec<Reply> = Vec::new();
    for (reply, chance) in weighted {
        if !replies.iter().any(|known| known.reply == reply) {
            replies.push(Reply { reply, chance });
        }
    }
    let sum: f64 = replies.iter().map(|reply| reply.chance).sum();
    replies.iter_mut().for_each(|reply| reply.chance /= sum.max(f64::MIN_POSITIVE));
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
        let replies = by_score(&[(m("2g2f"), 10.0), (m("7g7f"), 50.0), (m("1g1f"), -400.0)]);
        assert_eq!(replies[0].reply, m("7g7f"));
        assert!(replies[0].chance > 0.6 && replies[2].chance < 0.01);
        assert!((replies.iter().map(|r| r.chance).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(by_score(&[]), []);
    }

    #[test]
    fn a_reply_named_twice_counts_once() {
        let replies = by_score(&[(m("7g7f"), 50.0), (m("7g7f"), 40.0), (m("2g2f"), 50.0)]);
        assert_eq!(replies.len(), 2);
        assert!((replies[0].chance - 0.5).abs() < 1e-9);
        let twice = [m("7g7f"), m("2g2f"), m("7g7f")];
        assert_eq!(by_rank(&twice).len(), 2);
    }

    #[test]
    fn ranks_alone_are_chances_too() {
        let replies = by_rank(&[m("2g2f"), m("7g7f"), m("1g1f")]);
        assert_eq!(replies[0].reply, m("2g2f"));
        assert!(replies[0].chance > 0.5 && replies[1].chance > replies[2].chance);
        assert!((replies.iter().map(|r| r.chance).sum::<f64>() - 1.0).abs() < 1e-9);
        let position = AnyPosition::startpos(Game::Shogi);
        let all = by_rank(&position.legal_moves());
        assert!(all[6..].windows(2).skip(1).all(|two| two[0].chance > two[1].chance));
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
