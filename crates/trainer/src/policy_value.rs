//! Policy-value nets on games they have not learned from, and what their integers cost.

use corpus::batches::{Played, Units};
use corpus::{Damaged, Error, Inputs};
use infer::native::{FileError, Floats, FloatsError, Native, Net, Reference, Report, positions};
use infer::{Backend, Batch, Fault, Shape};
use play::Outcome;
use rules::{Game, Minishogi, Shogi, Variant};
use simd::Isa;
use std::fmt;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error as ThisError;

/// Positions of its own games a net is compared on where there are no files.
const OWN: usize = 512;
/// Positions every instruction set answers.
const EACH_SET: usize = 64;

/// What is looked at.
#[derive(Clone, Debug)]
pub struct PolicyValueRequest {
    /// The net of integers (.nued).
    pub net: PathBuf,
    /// The net in real numbers (.nuedf) it was made from.
    pub real: Option<PathBuf>,
    /// Games it did not learn from.
    pub games: Vec<PathBuf>,
    /// How many of their positions, from all over them.
    pub positions: usize,
}

/// Why a net cannot be looked at, or what is wrong with it.
#[derive(Debug, ThisError)]
pub enum PolicyValueError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Net { path: PathBuf, source: FileError },
    #[error("{}: {source}", path.display())]
    Real { path: PathBuf, source: FloatsError },
    #[error("{} is a net {found}, not {expected}", path.display())]
    Other { path: PathBuf, found: String, expected: String },
    #[error("{isa} gives other answers than plain code: please report this")]
    Instructions { isa: &'static str },
    #[error(transparent)]
    Games(#[from] Error),
    #[error("the games are of {found}, the net is for {expected}")]
    Game { found: Game, expected: Game },
    #[error(transparent)]
    Answer(#[from] Fault),
}

/// How often a net is right on games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Accuracy {
    pub positions: u64,
    /// Positions in which the likeliest legal move was played.
    pub moves: u64,
    /// Positions of games that somebody won.
    pub decided: u64,
    /// Those of them in which the side more likely to win did.
    pub values: u64,
}

impl Accuracy {
    fn of(answers: &Batch, known: &[Known]) -> Self {
        let mut found = Self { positions: answers.len() as u64, ..Self::default() };
        for (index, known) in known.iter().enumerate() {
            let policy = answers.policy(index);
            let likeliest = (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b]));
            found.moves += u64::from(likeliest == Some(known.played));
            if let Some(won) = known.won {
                found.decided += 1;
                found.values += u64::from((answers.value(index).win > 0.5) == won);
            }
        }
        found
    }

    /// The share of moves, and of decided games.
    pub fn shares(&self) -> (f64, f64) {
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        (share(self.moves, self.positions), share(self.values, self.decided))
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (moves, values) = self.shares();
        write!(
            f,
            "policy accuracy {:.2} % of {} positions, value accuracy {:.2} % of {} in decided games",
            100.0 * moves,
            self.positions,
            100.0 * values,
            self.decided
        )
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct PolicyValueCheck {
    /// The sizes of the net.
    pub net: String,
    /// Instruction sets that give the same answers.
    pub sets: Vec<&'static str>,
    /// On games: of the integers, and of the real numbers.
    pub integers: Option<Accuracy>,
    pub real: Option<Accuracy>,
    /// Integers against real numbers.
    pub apart: Option<Report>,
}

impl fmt::Display for PolicyValueCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: answers its test positions as when it was made", self.net)?;
        writeln!(f, "the same answers on {}", self.sets.join(", "))?;
        for (what, found) in [("integers", &self.integers), ("real numbers", &self.real)] {
            if let Some(found) = found {
                writeln!(f, "{what}: {found}")?;
            }
        }
        if let Some(apart) = &self.apart {
            writeln!(f, "integers against real numbers over {apart}")?;
        }
        Ok(())
    }
}

/// What is known of a position of a game.
struct Known {
    /// The number of the move played among the legal ones.
    played: usize,
    /// Whether the side to move won, if somebody did.
    won: Option<bool>,
}

impl PolicyValueRequest {
    /// Loads the net, asks every instruction set, and compares it with games and real numbers where
    /// there are some.
    pub fn check(&self) -> Result<PolicyValueCheck, PolicyValueError> {
        let bytes = read(&self.net)?;
        let failed = |source| PolicyValueError::Net { path: self.net.clone(), source };
        let net = Net::from_bytes(&bytes).map_err(failed)?;
        let real = self.real.as_deref().map(|path| real(path, &net)).transpose()?;
        let sets = every_set(&net)?;
        let (shape, name) = (net.shape(), net.architecture().to_string());
        let native = Native::new(Arc::new(net));
        let (batch, known) = if self.games.is_empty() {
            let own = real.as_ref().map(|reference| positions(reference, shape, OWN, 2));
            (own, Vec::new())
        } else {
            let (batch, known) = self.gathered(shape)?;
            (Some(batch), known)
        };
        let mut check =
            PolicyValueCheck { net: name, sets, integers: None, real: None, apart: None };
        let Some(batch) = batch else { return Ok(check) };
        let integers = answered(&native, batch.clone())?;
        let on_games = |answers: &Batch| (!known.is_empty()).then(|| Accuracy::of(answers, &known));
        check.integers = on_games(&integers);
        if let Some(reference) = real {
            let mut answers = batch;
            reference.answer(&mut answers);
            check.real = on_games(&answers);
            check.apart = Some(Report::new(&answers, &integers));
        }
        Ok(check)
    }

    /// Positions from all over the games. Moves chosen at random do not count.
    fn gathered(&self, shape: Shape) -> Result<(Batch, Vec<Known>), PolicyValueError> {
        let inputs = Inputs {
            paths: self.games.clone(),
            format: None,
            game: shape.game,
            damaged: Damaged::Stop,
            stop: None,
        };
        let units = Units::open(&inputs, false, &|_| ())?;
        if units.game() != shape.game {
            return Err(PolicyValueError::Game { found: units.game(), expected: shape.game });
        }
        match shape.game {
            Game::Shogi => gather::<Shogi>(&units, shape, self.positions),
            Game::Minishogi => gather::<Minishogi>(&units, shape, self.positions),
        }
    }
}

fn gather<V: Variant>(
    units: &Units,
    shape: Shape,
    count: usize,
) -> Result<(Batch, Vec<Known>), PolicyValueError> {
    let mut batch = Batch::new(shape, count);
    let mut known = Vec::new();
    let every = (units.positions() / count.max(1) as u64).max(1);
    let mut index = 0;
    units.each_position::<V>(&mut |position, Played { mv, flags, outcome }| {
        if batch.is_full() {
            return ControlFlow::Break(());
        }
        index += 1;
        let wanted = index % every == 0 && !flags.random && !flags.skip;
        if let Some(mv) = mv.filter(|_| wanted) {
            let (turn, moves) = (position.turn(), position.legal_moves());
            if let Some(played) = moves.iter().position(|&legal| legal == mv) {
                let labels = moves.iter().map(|&m| shape.labels.label(m, turn));
                batch.push(position.key(), |to| shape.planes.pack(position, to), labels);
                let won =
                    if let Outcome::Won(color) = outcome { Some(color == turn) } else { None };
                known.push(Known { played, won });
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok((batch, known))
}

fn read(path: &Path) -> Result<Vec<u8>, PolicyValueError> {
    fs::read(path).map_err(|source| PolicyValueError::Read { path: path.to_owned(), source })
}

/// The net in real numbers of a file, if it is the same kind of net.
fn real(path: &Path, net: &Net) -> Result<Reference, PolicyValueError> {
    let bytes = read(path)?;
    let failed = |source| PolicyValueError::Real { path: path.to_owned(), source };
    let floats = Floats::from_bytes(&bytes).map_err(failed)?;
    if floats.architecture != *net.architecture() {
        return Err(PolicyValueError::Other {
            path: path.to_owned(),
            found: floats.architecture.to_string(),
            expected: net.architecture().to_string(),
        });
    }
    Ok(Reference::new(&floats))
}

fn answered(net: &Native, batch: Batch) -> Result<Batch, Fault> {
    net.submit(batch)?;
    let finished = net.poll(Duration::ZERO)?;
    Ok(finished.map(|(_, batch)| batch).expect("computed in submit"))
}

/// The instruction sets of this machine, if all give the same answers.
fn every_set(net: &Net) -> Result<Vec<&'static str>, PolicyValueError> {
    let asked = |isa| {
        let native = Native::new(Arc::new(net.with_isa(isa)));
        answered(&native, infer::random_positions(net.shape(), EACH_SET, 3))
    };
    let plain = asked(Isa::SCALAR)?;
    let mut names = Vec::new();
    for &isa in Isa::available() {
        if asked(isa)? != plain {
            return Err(PolicyValueError::Instructions { isa: isa.name() });
        }
        names.push(isa.name());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use features::{Labels, Planes};
    use infer::Value;
    use infer::native::{Architecture, import};

    const SHAPE: Shape =
        Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };

    #[test]
    fn what_is_right_is_counted() {
        let mut batch = Batch::new(SHAPE, 4);
        for (number, win) in [0.9, 0.2, 0.7, 0.6].into_iter().enumerate() {
            batch.push(0, |_| (), [3, 4, 5].into_iter());
            let mut policy = [0.0; 3];
            policy[number % 3] = 1.0;
            batch.answer(number, &policy, Value { win, draw: 0.0 });
        }
        let known = [(0, Some(true)), (1, Some(true)), (0, Some(false)), (0, None)];
        let known = known.map(|(played, won)| Known { played, won });
        let found = Accuracy::of(&batch, &known);
        assert_eq!(found, Accuracy { positions: 4, moves: 3, decided: 3, values: 1 });
        assert!(found.to_string().contains("75.00 % of 4"), "{found}");
    }

    #[test]
    fn nets_are_compared_with_the_numbers_they_were_made_of() {
        let folder = tempfile::tempdir().unwrap();
        let architecture = Architecture {
            shape: SHAPE,
            blocks: 1,
            channels: 32,
            value_channels: 3,
            value_hidden: 8,
        };
        let floats = Floats::random(architecture, 3);
        let calibration = positions(&Reference::new(&floats), SHAPE, 32, 1);
        let net = import(&floats, &calibration, &mut calibration.clone(), 0.0).unwrap().net;
        let path = |name: &str| folder.path().join(name);
        net.write(&mut fs::File::create(path("net.nued")).unwrap()).unwrap();
        floats.write(&mut fs::File::create(path("net.nuedf")).unwrap()).unwrap();
        let request = PolicyValueRequest {
            net: path("net.nued"),
            real: Some(path("net.nuedf")),
            games: Vec::new(),
            positions: 100,
        };
        let check = request.check().unwrap();
        assert!(check.sets.contains(&"scalar") && check.integers.is_none());
        assert_eq!(check.apart.map(|report| report.positions), Some(OWN));
        assert!(check.to_string().contains("integers against real numbers over 512"), "{check}");

        let other = Floats::random(Architecture { blocks: 2, ..architecture }, 3);
        other.write(&mut fs::File::create(path("other.nuedf")).unwrap()).unwrap();
        let wrong = PolicyValueRequest { real: Some(path("other.nuedf")), ..request.clone() };
        let text = wrong.check().unwrap_err().to_string();
        assert!(text.contains("2x32") && text.contains("not 1x32"), "{text}");
        let missing = PolicyValueRequest { games: vec![path("none.teacher")], ..request };
        assert!(missing.check().unwrap_err().to_string().contains("none.teacher"));
    }
}
