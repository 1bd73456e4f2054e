//! Leaves of books: positions to be searched, and what a search finds in them, as both travel. What comes back is
//! checked: every line is played by the rules.

use crate::batch::{Fault, FaultKind};
use crate::game_record::ScoreRecord;
use crate::task::LeavesSpec;
use assembly::OwnSearch;
use assembly::leaves::{LeafError, LeafSearcher, worth};
use assembly::options::{HASH, PV_INTERVAL, ROOT_MATE_NODES, THREADS};
use rules::{AnyPosition, Declaration, Game};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::key::universal::MULTI_PV;
use think::usual::ENTERING_KING_RULE;
use think::{Bound, TimeSource};

pub use assembly::leaves::{Leaf, LeafLine};

/// What a search found in a position, as it travels.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LeafRecord {
    pub lines: Vec<LineRecord>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declares: bool,
    pub nodes: u64,
}

/// A line of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineRecord {
    #[serde(rename = "s")]
    pub score: ScoreRecord,
    #[serde(rename = "d")]
    pub depth: u32,
    pub pv: Vec<String>,
}

/// What makes two positions the same leaf: board, turn and hands, not how they came to be.
pub fn leaf_key(position: &AnyPosition) -> String {
    let sfen = position.sfen();
    let end = sfen.rfind(' ').unwrap_or(sfen.len());
    format!("{} {}", position.game(), &sfen[..end])
}

/// A leaf as it travels: `shogi SFEN` or `minishogi SFEN`.
pub fn leaf_text(position: &AnyPosition) -> String {
    format!("{} {}", position.game(), position.sfen())
}

/// A leaf that came.
pub fn leaf(text: &[u8]) -> Result<AnyPosition, String> {
    let text = std::str::from_utf8(text).map_err(|e| e.to_string())?;
    let (game, sfen) = text.split_once(' ').ok_or("a leaf is a game and an SFEN")?;
    let game: Game = game.parse().map_err(|e| format!("{game:?}: {e}"))?;
    AnyPosition::from_sfen(game, sfen).map_err(|e| e.to_string())
}

impl LeafRecord {
    fn of(leaf: &Leaf, game: Game) -> Self {
        let record = |line: &LeafLine| LineRecord {
            score: ScoreRecord::of((line.score, Bound::Exact)),
            depth: line.depth,
            pv: line.moves.iter().map(|mv| mv.usi(game)).collect(),
        };
        let lines = leaf.lines.iter().map(record).collect();
        Self { lines, declares: leaf.declares, nodes: leaf.nodes }
    }

    /// What was found, if it can have been found there: every line is legal, no move comes twice, the best come first,
    /// and there are as many as were asked for.
    pub fn read(&self, position: &AnyPosition, wanted: u16) -> Result<Leaf, String> {
        let legal = position.legal_moves().len();
        if self.declares {
            if !position.can_declare(Declaration::default()) || !self.lines.is_empty() {
                return Err("the position does not allow a declaration".to_owned());
            }
            return Ok(Leaf { declares: true, nodes: self.nodes, ..Leaf::default() });
        }
        let wanted = legal.min(usize::from(wanted.max(1)));
        if self.lines.len() != wanted {
            return Err(format!("{wanted} lines were asked for, {} came", self.lines.len()));
        }
        let lines: Result<Vec<LeafLine>, String> =
            self.lines.iter().map(|line| line.read(position)).collect();
        let lines = lines?;
        for (place, line) in lines.iter().enumerate() {
            if lines[..place].iter().any(|earlier| earlier.moves[0] == line.moves[0]) {
                return Err(format!("{} is told twice", line.moves[0].usi(position.game())));
            }
        }
        if lines.windows(2).any(|pair| worth(pair[0].score) < worth(pair[1].score)) {
            return Err("the lines are not in the order of their scores".to_owned());
        }
        Ok(Leaf { lines, declares: false, nodes: self.nodes })
    }
}

impl LineRecord {
    fn read(&self, position: &AnyPosition) -> Result<LeafLine, String> {
        let (score, bound) = self.score.read();
        if bound != Bound::Exact {
            return Err("a score that is only a bound".to_owned());
        }
        let mut after = position.clone();
        let mut moves = Vec::new();
        for text in &self.pv {
            let mv = after.parse_usi(text).map_err(|e| e.to_string())?;
            if let Some(why) = after.why_illegal(mv) {
                return Err(format!("{text}: {why}"));
            }
            after.play(mv);
            moves.push(mv);
        }
        if moves.is_empty() {
            return Err("a line without a move".to_owned());
        }
        Ok(LeafLine { moves, score, depth: self.depth })
    }
}

/// Loads what searches leaves.
pub fn searcher(spec: &LeavesSpec, time: &Arc<dyn TimeSource>) -> Result<LeafSearcher, Fault> {
    let wrong = |reason: String| Fault::new(FaultKind::Spec, reason);
    spec.check().map_err(wrong)?;
    let game: Game = spec.game.parse().map_err(|e| wrong(format!("{}: {e}", spec.game)))?;
    let net = (spec.net.as_deref(), spec.fv_scale);
    let loaded = OwnSearch::load(&spec.options, net, game, time);
    let (search, _) = loaded.map_err(|e| wrong(e.to_string()))?;
    let mut engine = search.engine(game, time).map_err(|e| wrong(e.to_string()))?;
    let lines = usize::from(spec.lines.max(1));
    let mut options: Vec<(String, String)> = [
        THREADS.to(1),
        HASH.to(spec.hash.max(1) as usize),
        PV_INTERVAL.to(0),
        // Every node is counted, and nothing depends on how long a search for a mate takes.
        ROOT_MATE_NODES.to(0),
        ENTERING_KING_RULE.to(Declaration::default().name().to_owned()),
        MULTI_PV.to(lines),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    options.extend(OwnSearch::rest(&spec.options));
    for (name, value) in &options {
        engine.set_option(name, value).map_err(|e| wrong(e.to_string()))?;
    }
    engine.is_ready(&mut |_| ());
    Ok(LeafSearcher::new(engine, (spec.nodes, spec.depth), lines))
}

/// What a search found in a position, as it travels; `None` if it was broken off.
pub fn searched(
    searcher: &mut LeafSearcher,
    position: &AnyPosition,
    abandoned: &AtomicBool,
) -> Result<Option<LeafRecord>, Fault> {
    let kind = |error: &LeafError| match error {
        LeafError::Game(_) => FaultKind::Spec,
        LeafError::NoValue => FaultKind::Executable,
    };
    let found = searcher.search(position, abandoned);
    let found = found.map_err(|error| Fault::new(kind(&error), error.to_string()))?;
    Ok(found.map(|leaf| LeafRecord::of(&leaf, position.game())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use think::{Score, WallTime};

    fn asked(lines: u16) -> LeafSearcher {
        let spec = LeavesSpec {
            game: "minishogi".to_owned(),
            nodes: Some(300),
            lines,
            net: Some("material".into()),
            ..LeavesSpec::default()
        };
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        searcher(&spec, &time).unwrap()
    }

    fn position(sfen: &str) -> AnyPosition {
        AnyPosition::from_sfen(Game::Minishogi, sfen).unwrap()
    }

    #[test]
    fn leaves_are_searched_each_as_if_it_were_the_first() {
        let start = AnyPosition::startpos(Game::Minishogi);
        let (on, stopped) = (AtomicBool::new(false), AtomicBool::new(true));
        let mut one = asked(3);
        let first = searched(&mut one, &start, &on).unwrap().unwrap();
        let leaf = first.read(&start, 3).unwrap();
        assert_eq!(leaf.lines.len(), 3);
        assert!(leaf.nodes > 0 && leaf.lines.iter().all(|line| line.depth > 0));
        let other = position("rbsg1/4k/4P/P4/KGSBR w - 2");
        searched(&mut one, &other, &on).unwrap().unwrap().read(&other, 3).unwrap();
        assert_eq!(
            searched(&mut one, &start, &on).unwrap().unwrap(),
            first,
            "whatever came before"
        );
        assert_eq!(searched(&mut one, &start, &stopped).unwrap(), None);
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<LeafRecord>(&text).unwrap(), first);
    }

    #[test]
    fn what_cannot_have_been_found_is_refused() {
        let start = AnyPosition::startpos(Game::Minishogi);
        let on = AtomicBool::new(false);
        let right = searched(&mut asked(2), &start, &on).unwrap().unwrap();
        let wrong = |change: &dyn Fn(&mut LeafRecord)| {
            let mut record = right.clone();
            change(&mut record);
            record.read(&start, 2).unwrap_err()
        };
        assert!(wrong(&|record| drop(record.lines.pop())).contains("2 lines"));
        assert!(wrong(&|record| record.lines[1] = record.lines[0].clone()).contains("twice"));
        assert!(wrong(&|record| record.declares = true).contains("declare"));
        assert!(wrong(&|record| record.lines[0].pv.clear()).contains("without a move"));
        wrong(&|record| record.lines[0].pv[0] = "1a1b".to_owned());
        let low = ScoreRecord::of((Score::Cp(-30_000), Bound::Exact));
        assert!(wrong(&|record| record.lines[0].score = low).contains("order"));
        let bound = ScoreRecord::of((Score::Cp(0), Bound::Lower));
        assert!(wrong(&|record| record.lines[0].score = bound).contains("bound"));
    }

    #[test]
    fn twins_are_one_leaf_and_have_one_text() {
        let (one, later) = ("rbsgk/4p/5/P4/KGSBR b - 1", "rbsgk/4p/5/P4/KGSBR b - 9");
        let other = "rbsgk/4p/5/P4/KGSBR w - 1";
        assert_eq!(leaf_key(&position(one)), leaf_key(&position(later)));
        assert_ne!(leaf_key(&position(one)), leaf_key(&position(other)));
        assert_eq!(leaf(leaf_text(&position(one)).as_bytes()).unwrap(), position(one));
        for wrong in ["", "shogi", "chess 8/8 w", "minishogi x", "shogi \u{ff}"] {
            assert!(leaf(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(leaf(&[0xff, 0x20]).is_err());
    }
}
