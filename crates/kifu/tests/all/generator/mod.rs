//! Random records: legal games with variations, times, comments, evaluations and endings.

use kifu::{BlackScore, Evaluation, Key, NodeId, Record, Replay, Step, Termination};
use proptest::prelude::*;
use rules::{AnyPosition, Color, Game, Handicap, Kings, Move};
use std::time::Duration;

/// How a random record is made; everything else follows from the numbers.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    start: usize,
    length: usize,
    branches: Vec<(usize, usize)>,
    seeds: Vec<u16>,
    pub(crate) texts: Vec<String>,
    ending: usize,
}

/// Recipes for any record.
pub(crate) fn recipes() -> impl Strategy<Value = Recipe> {
    let texts = prop::collection::vec("[^\\p{C}\r\n\u{2028}\u{85}]{0,12}", 1..6);
    let seeds = prop::collection::vec(any::<u16>(), 8..64);
    let branches = prop::collection::vec((0..40_usize, 1..8_usize), 0..6);
    (0..40_usize, 0..60_usize, branches, seeds, texts, 0..40_usize).prop_map(
        |(start, length, branches, seeds, texts, ending)| Recipe {
            start,
            length,
            branches,
            seeds,
            texts,
            ending,
        },
    )
}

/// Source of numbers that depends only on the recipe.
struct Dice<'a> {
    recipe: &'a Recipe,
    used: usize,
}

impl Dice<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        let seeds = &self.recipe.seeds;
        let seed = usize::from(seeds[self.used % seeds.len()]);
        self.used += 1;
        (seed.wrapping_mul(self.used.wrapping_mul(2_654_435_761)) >> 7) % sides.max(1)
    }

    fn text(&mut self) -> String {
        let index = self.roll(self.recipe.texts.len());
        self.recipe.texts[index].clone()
    }
}

fn start(number: usize) -> AnyPosition {
    let sfens = [
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "4k4/9/2+P+P+P4/2+P1+P4/2+P+P+P4/4+B1+B2/9/3+R1+R3/4K4 b 2G2S2N2L4P 1",
        "3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1",
    ];
    match number {
        0..16 => AnyPosition::from_sfen(Game::Shogi, &Handicap::ALL[number].sfen()).unwrap(),
        16..19 => AnyPosition::from_sfen_with(Game::Shogi, sfens[number - 16], Kings::Any)
            .unwrap_or_else(|e| panic!("{e}")),
        19..24 => AnyPosition::startpos(Game::Minishogi),
        24 => AnyPosition::from_sfen(Game::Minishogi, "r1s1k/P3b/1P3/5/K1SBR w 2G 1").unwrap(),
        _ => AnyPosition::startpos(Game::Shogi),
    }
}

fn ending(number: usize) -> Option<Termination> {
    use Color::{Black, White};
    Some(match number {
        0 => Termination::Resign,
        1 => Termination::Interrupted,
        2 => Termination::Repetition,
        3 => Termination::PerpetualCheck(Black),
        4 => Termination::PerpetualCheck(White),
        5 => Termination::Impasse,
        6 => Termination::Draw,
        7 => Termination::TimeUp,
        8 => Termination::IllegalMove(None),
        9 => Termination::IllegalMove(Some("+7775FU".to_owned())),
        10 => Termination::IllegalAction(Black),
        11 => Termination::IllegalAction(White),
        12 => Termination::Declaration,
        13 => Termination::MaxMoves,
        14 => Termination::Mate,
        15 => Termination::NoMate,
        16 => Termination::TakenBack,
        17 => Termination::Error,
        18 => Termination::DefaultWin,
        19 => Termination::DefaultLoss,
        20 => Termination::Sealed,
        21 => Termination::Abandoned(None),
        22 => Termination::Abandoned(Some(White)),
        23 => Termination::Won(Black),
        24 => Termination::Won(White),
        25 => Termination::Other("休憩".to_owned()),
        26 => Termination::Other("two words".to_owned()),
        _ => return None,
    })
}

/// The record of a recipe.
pub(crate) fn cook(recipe: &Recipe) -> Record {
    let mut dice = Dice { recipe, used: 0 };
    let mut record = Record::new(start(recipe.start));
    for key in [Key::Black, Key::White, Key::Event, Key::Site, Key::named("対局ID")] {
        // A name must not be empty: CSA leaves such headers out.
        record.headers.set(key, &format!("x{}", dice.text()));
    }
    record.headers.set(Key::StartTime, "2024/02/29 09:08:07");
    record.headers.set(Key::TimeLimit, "各５時間");
    extend(&mut record, NodeId::ROOT, recipe.length, &mut dice);
    for &(depth, length) in &recipe.branches {
        let target = dice.roll(record.len());
        let candidates: Vec<NodeId> =
            record.ids().filter(|&id| record.node(id).ending().is_none()).collect();
        let from = candidates[(target + depth) % candidates.len()];
        extend(&mut record, from, length, &mut dice);
    }
    let last = record.line_from(NodeId::ROOT).last().unwrap();
    if let Some(ending) = ending(recipe.ending) {
        let id = record.add(last, Step::End(ending));
        decorate(&mut record, id, &mut dice);
    }
    record
}

/// Plays random moves from a node.
fn extend(record: &mut Record, from: NodeId, length: usize, dice: &mut Dice<'_>) {
    let mut replay = Replay::new(record);
    let mut at = from;
    if at == NodeId::ROOT && record.is_empty() {
        decorate(record, at, dice);
    }
    for _ in 0..length {
        replay.go_to(record, at);
        let moves = replay.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        // Captures and promotions come up more often than by chance.
        let tries: Vec<Move> = (0..3).map(|_| moves[dice.roll(moves.len())]).collect();
        let lively = tries
            .iter()
            .find(|m| m.is_promotion() || replay.position().piece_at(m.to()).is_some())
            .unwrap_or(&tries[0]);
        let before = record.len();
        at = record.add(at, Step::Move(*lively));
        if record.len() > before {
            decorate(record, at, dice);
        }
    }
}

/// Adds times, comments and so on to a node.
fn decorate(record: &mut Record, id: NodeId, dice: &mut Dice<'_>) {
    let mut replay = Replay::new(record);
    replay.go_to(record, id);
    let eval = evaluation(replay.position(), dice);
    let time = Duration::from_millis(dice.roll(5_000_000) as u64);
    let comments: Vec<String> = (0..dice.roll(3)).map(|_| plain(&dice.text())).collect();
    let remarks: Vec<String> = (0..dice.roll(2)).map(|_| format!("r{}", dice.text())).collect();
    let bookmark = (dice.roll(9) == 0).then(|| dice.text());
    let is_end = record.node(id).ending().is_some();
    let node = record.node_mut(id);
    if id != NodeId::ROOT && dice.roll(4) > 0 {
        node.time = Some(time);
    }
    if dice.roll(4) == 0 {
        node.comments = comments;
    }
    if dice.roll(6) == 0 {
        node.remarks = remarks;
    }
    node.bookmark = bookmark;
    if dice.roll(4) == 0 && !is_end {
        node.eval = Some(eval);
    }
}

/// A comment nobody could take for an evaluation.
fn plain(text: &str) -> String {
    format!("c{}", text.replace(['=', '：'], ""))
}

fn evaluation(pos: &AnyPosition, dice: &mut Dice<'_>) -> Evaluation {
    let score = match dice.roll(4) {
        0 => BlackScore::Mate { winner: Color::White, plies: None },
        1 => BlackScore::Mate { winner: Color::Black, plies: Some(dice.roll(99) as u32 + 1) },
        _ => BlackScore::Cp(dice.roll(4000) as i32 - 2000),
    };
    let mut pos = pos.clone();
    let mut pv = Vec::new();
    for _ in 0..dice.roll(5) {
        let moves = pos.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[dice.roll(moves.len())];
        pos.play(m);
        pv.push(m);
    }
    Evaluation {
        score: Some(score),
        pv,
        tail: if dice.roll(5) == 0 { "%TORYO".to_owned() } else { String::new() },
        nodes: (dice.roll(2) == 0).then(|| dice.roll(1_000_000) as u64),
        depth: (dice.roll(2) == 0).then(|| dice.roll(60) as u32),
    }
}
