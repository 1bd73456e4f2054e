//! Problems of mate and their answers as they travel. What comes back is checked: the line is played by the
//! rules, a proof must prove what is claimed of the very position.

use crate::bytes::Bytes;
use crate::task::MateSpec;
use mate::{
    Bounds, Branch, Claim, Counted, Futile, Questions, Solution, Study, Try, Unknown, Verdict,
};
use rules::{AnyPosition, Game, Kings, Move};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bytes of a proof that travels; a longer one is named and left.
const MOST: usize = 320 << 10;

/// A problem as it travels: `shogi SFEN` or `minishogi SFEN`.
pub fn problem_text(position: &AnyPosition) -> String {
    format!("{} {}", position.game(), position.sfen())
}

/// A problem that came.
pub fn problem(text: &[u8]) -> Result<AnyPosition, String> {
    let text = std::str::from_utf8(text).map_err(|e| e.to_string())?;
    let (game, sfen) = text.split_once(' ').ok_or("a problem is a game and an SFEN")?;
    let game: Game = game.parse().map_err(|e| format!("{game:?}: {e}"))?;
    AnyPosition::from_sfen_with(game, sfen, Kings::Any).map_err(|e| e.to_string())
}

impl MateSpec {
    /// What is asked about each problem.
    pub fn questions(&self) -> Result<Questions, String> {
        let futile = self.futile.as_deref().map(str::parse::<Futile>).transpose();
        Ok(Questions {
            bounds: Bounds {
                time: self.time.map(Duration::from_millis),
                nodes: self.nodes,
                hash: (self.hash.max(1) as usize) << 20,
                threads: usize::from(self.threads.max(1)),
                shortest: self.shortest,
            },
            first_moves: self.first_moves,
            cooks: self.cooks,
            futile: futile.map_err(|e| e.to_string())?,
            proof: self.proof,
        })
    }

    /// The spec of such questions.
    pub fn of(questions: &Questions) -> Self {
        let bounds = &questions.bounds;
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            problems: None,
            time: bounds.time.map(millis),
            nodes: bounds.nodes,
            hash: u32::try_from(bounds.hash >> 20).unwrap_or(u32::MAX),
            threads: u16::try_from(bounds.threads).unwrap_or(u16::MAX),
            shortest: bounds.shortest,
            first_moves: questions.first_moves,
            cooks: questions.cooks,
            futile: questions.futile.map(|futile| futile.name().to_owned()),
            proof: questions.proof,
        }
    }
}

/// A verdict as it travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictRecord {
    Mate,
    NoMate,
    Time,
    Nodes,
    Memory,
    Stopped,
    GivenUp,
}

impl VerdictRecord {
    const fn unknown(why: Unknown) -> Self {
        match why {
            Unknown::Time => Self::Time,
            Unknown::Nodes => Self::Nodes,
            Unknown::Memory => Self::Memory,
            Unknown::Stopped => Self::Stopped,
            Unknown::GivenUp => Self::GivenUp,
        }
    }

    const fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Mate => Self::Mate,
            Verdict::NoMate => Self::NoMate,
            Verdict::Unknown(why) => Self::unknown(why),
        }
    }

    const fn verdict(self) -> Verdict {
        match self {
            Self::Mate => Verdict::Mate,
            Self::NoMate => Verdict::NoMate,
            Self::Time => Verdict::Unknown(Unknown::Time),
            Self::Nodes => Verdict::Unknown(Unknown::Nodes),
            Self::Memory => Verdict::Unknown(Unknown::Memory),
            Self::Stopped => Verdict::Unknown(Unknown::Stopped),
            Self::GivenUp => Verdict::Unknown(Unknown::GivenUp),
        }
    }

    /// Why there is no answer.
    fn why(self) -> Result<Unknown, String> {
        match self.verdict() {
            Verdict::Unknown(why) => Ok(why),
            _ => Err("an answer in the place of a reason".to_owned()),
        }
    }
}

/// A first move or a cook: (moves before, move, verdict, plies).
type TryRecord = (usize, String, VerdictRecord, u16);

/// The answers about one problem.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MateRecord {
    pub verdict: VerdictRecord,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    pub plain_plies: usize,
    pub is_shortest: bool,
    /// (moves before, reply, plies, answer).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    branches: Vec<(usize, String, u16, String)>,
    pub nodes: u64,
    millis: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    first_moves: Vec<TryRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cooks: Vec<TryRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    counted: Option<Result<CountedRecord, VerdictRecord>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proof: Option<Result<Bytes, VerdictRecord>>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct CountedRecord {
    futile: String,
    plies: u16,
    line: Vec<String>,
    free: Vec<bool>,
    is_shortest: bool,
}

impl MateRecord {
    /// A study, to travel.
    pub fn of(study: &Study) -> Self {
        let (game, solution) = (study.game, &study.solution);
        let tries = |tries: &[Try]| {
            let one = |t: &Try| (t.at, t.m.usi(game), VerdictRecord::of(t.verdict), t.plies);
            tries.iter().map(one).collect()
        };
        let branch = |b: &Branch| (b.at, b.reply.usi(game), b.plies, b.answer.usi(game));
        let counted = |counted: &Counted| CountedRecord {
            futile: counted.futile.name().to_owned(),
            plies: counted.plies,
            line: study.usi(&counted.line),
            free: counted.free.clone(),
            is_shortest: counted.is_shortest,
        };
        let proof = |bytes: &Vec<u8>| {
            (bytes.len() <= MOST).then(|| Bytes(bytes.clone())).ok_or(VerdictRecord::Memory)
        };
        Self {
            verdict: VerdictRecord::of(solution.verdict),
            line: study.usi(&solution.line),
            plain_plies: solution.plain_plies,
            is_shortest: solution.is_shortest,
            branches: solution.branches.iter().map(branch).collect(),
            nodes: solution.nodes,
            millis: u64::try_from(study.time.as_millis()).unwrap_or(u64::MAX),
            first_moves: tries(&study.first_moves),
            cooks: tries(&study.cooks),
            counted: study.counted.as_ref().map(|told| match told {
                Ok(told) => Ok(counted(told)),
                Err(why) => Err(VerdictRecord::unknown(*why)),
            }),
            proof: study.proof.as_ref().map(|told| match told {
                Ok(bytes) => proof(bytes),
                Err(why) => Err(VerdictRecord::unknown(*why)),
            }),
        }
    }

    /// Whether both say the same, apart from the time it took.
    pub fn is_same(&self, other: &Self) -> bool {
        *self == Self { millis: self.millis, ..other.clone() }
    }

    /// The study again: everything in it is possible by the rules, and a proof proves it.
    pub fn study(&self, position: &AnyPosition) -> Result<Study, String> {
        let line = played(position, &self.line)?;
        if (self.verdict == VerdictRecord::Mate) != Self::proves_mate(position, &line) {
            return Err(format!("{:?}, and a line of {} moves", self.verdict, line.len()));
        }
        let at = |at: usize, text: &str| {
            let mut position = position.clone();
            for &m in line.iter().take(at) {
                position.play(m);
            }
            let m = position.parse_usi(text).map_err(|e| format!("{text}: {e}"))?;
            position.play(m);
            Ok::<(Move, AnyPosition), String>((m, position))
        };
        let tries = |tries: &[TryRecord]| -> Result<Vec<Try>, String> {
            let one = |(place, text, verdict, plies): &TryRecord| {
                let (m, _) = at(*place, text)?;
                Ok(Try { at: *place, m, verdict: verdict.verdict(), plies: *plies })
            };
            tries.iter().map(one).collect()
        };
        let branches = self.branches.iter().map(|(place, reply, plies, answer)| {
            let (reply, after) = at(*place, reply)?;
            let answer = after.parse_usi(answer).map_err(|e| format!("{answer}: {e}"))?;
            Ok(Branch { at: *place, reply, plies: *plies, answer })
        });
        let branches = branches.collect::<Result<Vec<_>, String>>()?;
        let counted = match &self.counted {
            None => None,
            Some(Err(why)) => Some(Err(why.why()?)),
            Some(Ok(told)) => Some(Ok(Counted {
                futile: told
                    .futile
                    .parse()
                    .map_err(|e: mate::futile::UnknownFutile| e.to_string())?,
                plies: told.plies,
                line: played(position, &told.line)?,
                free: told.free.clone(),
                is_shortest: told.is_shortest,
            })),
        };
        let plain = (self.plain_plies, self.is_shortest);
        Ok(Study {
            game: position.game(),
            left_over: mate::study::left_over(position, &line),
            time: Duration::from_millis(self.millis),
            first_moves: tries(&self.first_moves)?,
            cooks: tries(&self.cooks)?,
            counted,
            proof: self.checked_proof(position)?,
            solution: Solution::told(self.verdict.verdict(), line, plain, branches, self.nodes),
        })
    }

    /// Whether the line ends in mate for the side to move.
    fn proves_mate(position: &AnyPosition, line: &[Move]) -> bool {
        let mut end = position.clone();
        for &m in line {
            end.play(m);
        }
        line.len() % 2 == 1 && end.in_check() && end.legal_moves().is_empty()
    }

    fn checked_proof(
        &self,
        position: &AnyPosition,
    ) -> Result<Option<Result<Vec<u8>, Unknown>>, String> {
        let bytes = match &self.proof {
            None => return Ok(None),
            Some(Err(why)) => return Ok(Some(Err(why.why()?))),
            Some(Ok(bytes)) => &bytes.0,
        };
        let verified = mate::verify(bytes).map_err(|e| e.to_string())?;
        // The number of the move makes no other position.
        let plain =
            |sfen: &str| sfen.rsplit_once(' ').map_or_else(String::new, |(p, _)| p.to_owned());
        let proven = verified.position.sfen();
        if plain(&proven) != plain(&position.sfen()) {
            return Err(format!("a proof about {proven}"));
        }
        match (self.verdict, &verified.claim) {
            (VerdictRecord::Mate, Claim::Mate(_)) | (VerdictRecord::NoMate, Claim::NoMate) => {
                Ok(Some(Ok(bytes.clone())))
            }
            (verdict, claim) => Err(format!("a proof of {claim} for {verdict:?}")),
        }
    }
}

/// Moves in USI notation, played by the rules.
fn played(position: &AnyPosition, line: &[String]) -> Result<Vec<Move>, String> {
    let mut position = position.clone();
    let mut moves = Vec::new();
    for text in line {
        let m = position.parse_usi(text).map_err(|e| format!("{text}: {e}"))?;
        position.play(m);
        moves.push(m);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mate::study;
    use think::{Control, ManualTime};

    const MATE_IN_ONE: &str = "shogi 4k4/9/4P4/9/9/9/9/9/9 b G 1";

    fn asked(text: &str) -> (AnyPosition, Study) {
        let position = problem(text.as_bytes()).unwrap();
        let spec = MateSpec {
            hash: 1,
            proof: true,
            first_moves: true,
            cooks: true,
            ..MateSpec::default()
        };
        let study =
            study(&position, &spec.questions().unwrap(), &Control::new(false), &ManualTime::new());
        (position, study)
    }

    #[test]
    fn answers_come_back_as_they_were() {
        for text in [MATE_IN_ONE, "shogi 4k4/9/9/9/9/9/9/9/9 b G 1"] {
            let (position, study) = asked(text);
            assert_eq!(problem_text(&position), text);
            let sent = MateRecord::of(&study);
            let text = serde_json::to_string(&sent).unwrap();
            let came: MateRecord = serde_json::from_str(&text).unwrap();
            let again = came.study(&position).unwrap();
            assert_eq!(again.solution_text(), study.solution_text());
            assert_eq!(again.details(true), study.details(true));
            assert_eq!(again.proof, study.proof);
            assert_eq!(again.solution.nodes, study.solution.nodes);
        }
    }

    #[test]
    fn answers_that_are_wrong_are_refused() {
        let (position, study) = asked(MATE_IN_ONE);
        let right = MateRecord::of(&study);
        type Lie<'a> = &'a dyn Fn(&mut MateRecord);
        let lies: [Lie<'_>; 6] = [
            &|record| record.line = vec!["G*5h".into()],
            &|record| record.line = vec!["nonsense".into()],
            &|record| record.line.clear(),
            &|record| record.verdict = VerdictRecord::NoMate,
            &|record| {
                if let Some(Ok(bytes)) = &mut record.proof {
                    bytes.0[8] ^= 1;
                }
            },
            &|record| record.proof = Some(Err(VerdictRecord::Mate)),
        ];
        for (number, lie) in lies.into_iter().enumerate() {
            let mut record = right.clone();
            lie(&mut record);
            assert_ne!(record, right, "lie {number}");
            assert!(record.study(&position).is_err(), "lie {number}");
        }
        let other = problem(b"shogi 4k4/9/3P5/9/9/9/9/9/9 b G 1").unwrap();
        assert!(right.study(&other).is_err(), "the proof is of another position");
        for text in ["", "shogi", "chess 4k4/9/9/9/9/9/9/9/9 b - 1", "shogi x b - 1"] {
            assert!(problem(text.as_bytes()).is_err(), "{text}");
        }
    }
}
