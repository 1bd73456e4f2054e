//! Leaves of books: positions to be searched, and what a search finds in them, as both travel. What comes back is
//! checked: every line is played by the rules.

use crate::batch::{Fault, FaultKind};
use crate::game_record::ScoreRecord;
use crate::task::LeavesSpec;
use assembly::OwnSearch;
use assembly::options::{HASH, PV_INTERVAL, ROOT_MATE_NODES, THREADS};
use rules::{AnyPosition, Declaration, Game, Move};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::key::universal::MULTI_PV;
use think::usual::ENTERING_KING_RULE;
use think::{Answer, Best, Bound, Engine, Info, Limits, MateAnswer, Report, Score, TimeSource};

/// Nodes beyond which a search that has found no value is not repeated with more.
const MOST_NODES: u64 = 100_000;

/// What a search found in a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leaf {
    /// The best moves and what follows them, the best first. None where there is no legal move, and none where the side
    /// to move declares.
    pub lines: Vec<LeafLine>,
    /// The side to move wins by declaration.
    pub declares: bool,
    pub nodes: u64,
}

/// One of the best moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeafLine {
    /// At least one.
    pub moves: Vec<Move>,
    /// For the side to move in the leaf.
    pub score: Score,
    pub depth: u32,
}

/// The same as it travels.
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
    /// What was found, if it can have been found there: every line is legal, no move comes twice, the best come first,
    /// and there are as many as were asked for.
    pub fn read(&self, position: &AnyPosition, wanted: u16) -> Result<Leaf, String> {
        let legal = position.legal_moves().len();
        if self.declares {
            if !position.can_declare(Declaration::default()) || !self.lines.is_empty() {
                return Err("nobody can declare there".to_owned());
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

/// What orders scores.
fn worth(score: Score) -> i64 {
    const MATE: i64 = 1 << 40;
    let plies = |plies: Option<u32>| i64::from(plies.unwrap_or(u32::MAX));
    match score {
        Score::Cp(cp) => cp.into(),
        Score::Mate(moves) => MATE - plies(moves),
        Score::Mated(moves) => plies(moves) - MATE,
    }
}

/// Searches leaves, one at a time, each as if it were the first.
pub struct LeafSearcher {
    engine: Box<dyn Engine>,
    nodes: Option<u64>,
    depth: Option<u32>,
    lines: u16,
}

impl LeafSearcher {
    /// Loads what evaluates.
    pub fn new(spec: &LeavesSpec, time: &Arc<dyn TimeSource>) -> Result<Self, Fault> {
        let wrong = |reason: String| Fault::new(FaultKind::Spec, reason);
        spec.check().map_err(wrong)?;
        let game: Game = spec.game.parse().map_err(|e| wrong(format!("{}: {e}", spec.game)))?;
        let net = (spec.net.as_deref(), spec.fv_scale);
        let loaded = OwnSearch::load(&spec.options, net, game, time);
        let (search, _) = loaded.map_err(|e| wrong(e.to_string()))?;
        let mut engine = search.engine(game, time).map_err(|e| wrong(e.to_string()))?;
        let mut options: Vec<(String, String)> = [
            THREADS.to(1),
            HASH.to(spec.hash.max(1) as usize),
            PV_INTERVAL.to(0),
            // Every node is counted, and nothing depends on how long a search for a mate takes.
            ROOT_MATE_NODES.to(0),
            ENTERING_KING_RULE.to(Declaration::default().name().to_owned()),
            MULTI_PV.to(usize::from(spec.lines.max(1))),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        options.extend(OwnSearch::rest(&spec.options));
        for (name, value) in &options {
            engine.set_option(name, value).map_err(|e| wrong(e.to_string()))?;
        }
        engine.is_ready(&mut |_| ());
        let lines = spec.lines.max(1);
        Ok(Self { engine, nodes: spec.nodes, depth: spec.depth, lines })
    }

    /// Searches a position; `None` if it was broken off.
    pub fn search(
        &mut self,
        position: &AnyPosition,
        abandoned: &AtomicBool,
    ) -> Result<Option<LeafRecord>, Fault> {
        let legal = position.legal_moves().len();
        if legal == 0 {
            return Ok(Some(LeafRecord::default()));
        }
        let (mut nodes, wanted) = (self.nodes, legal.min(usize::from(self.lines)));
        loop {
            self.engine.new_game();
            let given = self.engine.set_position(position.without_history());
            given.map_err(|e| Fault::new(FaultKind::Spec, e.to_string()))?;
            let found =
                self.ask(Limits { nodes, depth: self.depth, ..Limits::default() }, abandoned);
            if abandoned.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if found.best == Some(Answer::Win) {
                return Ok(Some(LeafRecord { declares: true, ..LeafRecord::default() }));
            }
            let complete = found.lines(wanted);
            match nodes {
                // Few nodes do not even suffice for one ply of every line.
                Some(few) if complete.is_none() && few < MOST_NODES => nodes = Some(4 * few),
                _ => {
                    let none = || Fault::new(FaultKind::Executable, "a search without a value");
                    let lines = complete.ok_or_else(none)?;
                    let line = |info: &Info| line_record(info, position.game());
                    let records: Option<Vec<LineRecord>> = lines.iter().map(line).collect();
                    let lines = records.ok_or_else(none)?;
                    return Ok(Some(LeafRecord { lines, declares: false, nodes: found.nodes }));
                }
            }
        }
    }

    /// One search, stopped when everything is broken off.
    fn ask(&mut self, limits: Limits, abandoned: &AtomicBool) -> Found {
        const GLANCE: Duration = Duration::from_millis(20);
        let found = Arc::new(Mutex::new(Found::default()));
        self.engine.go(limits, Box::new(Listener(Arc::clone(&found))));
        let (control, over) = (self.engine.control(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    if abandoned.load(Ordering::Relaxed) {
                        control.stop();
                    }
                    std::thread::park_timeout(GLANCE);
                }
            });
            self.engine.wait();
            over.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
        });
        std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for LeafSearcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (nodes, depth, lines) = (self.nodes, self.depth, self.lines);
        let mut text = f.debug_struct("LeafSearcher");
        text.field("nodes", &nodes).field("depth", &depth).field("lines", &lines);
        text.finish_non_exhaustive()
    }
}

fn line_record(info: &Info, game: Game) -> Option<LineRecord> {
    let pv: Vec<String> = info.pv.iter().map(|mv| mv.usi(game)).collect();
    let score = ScoreRecord::of(info.score?);
    (!pv.is_empty()).then_some(LineRecord { score, depth: info.depth.unwrap_or(0), pv })
}

/// What an engine said.
#[derive(Default)]
struct Found {
    /// The lines under way, by rank.
    current: Vec<Info>,
    /// The longest list of lines that belong together, the latest of them.
    whole: Vec<Info>,
    best: Option<Answer>,
    nodes: u64,
}

impl Found {
    /// So many lines that belong together, the best first.
    fn lines(&self, wanted: usize) -> Option<Vec<Info>> {
        let mut lines = self.whole.clone();
        let value = |info: &Info| info.score.map_or(i64::MIN, |(score, _)| worth(score));
        lines.sort_by_key(|info| std::cmp::Reverse(value(info)));
        (lines.len() == wanted).then_some(lines)
    }
}

struct Listener(Arc<Mutex<Found>>);

impl Report for Listener {
    fn info(&mut self, info: &Info) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.nodes = info.nodes.unwrap_or(0).max(found.nodes);
        // Bounds are told on the way to a value.
        if !matches!(info.score, Some((_, Bound::Exact))) || info.pv.is_empty() {
            return;
        }
        let rank = info.multipv.unwrap_or(1).max(1) as usize - 1;
        found.current.truncate(rank);
        if rank == found.current.len() {
            found.current.push(info.clone());
            // Lines of an older iteration are kept until there are as many of the newer one.
            if found.current.len() >= found.whole.len() {
                found.whole = found.current.clone();
            }
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).best = Some(best.answer);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use think::WallTime;

    fn searcher(lines: u16) -> LeafSearcher {
        let spec = LeavesSpec {
            game: "minishogi".to_owned(),
            nodes: Some(300),
            lines,
            net: Some("material".into()),
            ..LeavesSpec::default()
        };
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        LeafSearcher::new(&spec, &time).unwrap()
    }

    fn position(sfen: &str) -> AnyPosition {
        AnyPosition::from_sfen(Game::Minishogi, sfen).unwrap()
    }

    #[test]
    fn leaves_are_searched_each_as_if_it_were_the_first() {
        let start = AnyPosition::startpos(Game::Minishogi);
        let (on, stopped) = (AtomicBool::new(false), AtomicBool::new(true));
        let mut one = searcher(3);
        let first = one.search(&start, &on).unwrap().unwrap();
        let leaf = first.read(&start, 3).unwrap();
        assert_eq!(leaf.lines.len(), 3);
        assert!(leaf.nodes > 0 && leaf.lines.iter().all(|line| line.depth > 0));
        let other = position("rbsg1/4k/4P/P4/KGSBR w - 2");
        one.search(&other, &on).unwrap().unwrap().read(&other, 3).unwrap();
        assert_eq!(one.search(&start, &on).unwrap().unwrap(), first, "whatever came before");
        assert_eq!(one.search(&start, &stopped).unwrap(), None);
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<LeafRecord>(&text).unwrap(), first);
    }

    #[test]
    fn what_cannot_have_been_found_is_refused() {
        let start = AnyPosition::startpos(Game::Minishogi);
        let on = AtomicBool::new(false);
        let right = searcher(2).search(&start, &on).unwrap().unwrap();
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
