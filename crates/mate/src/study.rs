//! Everything that may be asked about one problem, in one call, and the answers in words.

use crate::{Bounds, Counted, Futile, Solution, Solver, Try, Unknown, Verdict};
use rules::{AnyPosition, Color, Game, Hand, Kind, Move, Piece};
use std::fmt::{self, Write};
use std::time::Duration;
use think::{Control, TimeSource};

/// What is asked besides whether there is a mate.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    pub bounds: Bounds,
    /// Every first move and whether it mates.
    pub first_moves: bool,
    /// Moves besides those of the line that mate as well.
    pub cooks: bool,
    /// Length and line without futile interpositions, by this definition.
    pub futile: Option<Futile>,
    /// A proof or disproof that can be checked without the solver.
    pub proof: bool,
}

/// The answers; what was not asked is empty or `None`.
#[derive(Clone, Debug)]
pub struct Study {
    pub game: Game,
    pub solution: Solution,
    /// Until the solution was found; the other answers not counted.
    pub time: Duration,
    pub first_moves: Vec<Try>,
    pub cooks: Vec<Try>,
    pub counted: Option<Result<Counted, Unknown>>,
    pub proof: Option<Result<Vec<u8>, Unknown>>,
    /// What the attacker still holds when the line has mated.
    pub left_over: Hand,
}

/// Solves a problem for the side to move and answers the questions about it.
pub fn study(
    position: &AnyPosition,
    questions: &Questions,
    control: &Control,
    time: &dyn TimeSource,
) -> Study {
    let started = time.now();
    let mut solver = Solver::of(position.without_history(), &questions.bounds, control, time);
    let solution = solver.solve();
    let took = time.now().saturating_sub(started);
    let mates = solution.verdict == Verdict::Mate;
    Study {
        game: position.game(),
        time: took,
        first_moves: if questions.first_moves { solver.first_moves() } else { Vec::new() },
        cooks: if questions.cooks && mates { solver.cooks(&solution.line) } else { Vec::new() },
        counted: questions.futile.filter(|_| mates).map(|f| solver.counted(&solution, f)),
        proof: questions.proof.then(|| solver.proof(&solution)),
        left_over: left_over(position, &solution.line),
        solution,
    }
}

/// What a side holds after a line.
pub fn left_over(position: &AnyPosition, line: &[Move]) -> Hand {
    let mut end = position.clone();
    for &m in line {
        end.play(m);
    }
    end.hand(position.turn())
}

impl Study {
    /// Whether something asked for could not be answered.
    pub fn is_open(&self) -> bool {
        matches!(self.solution.verdict, Verdict::Unknown(_))
            || matches!(self.counted, Some(Err(_)))
            || matches!(self.proof, Some(Err(_)))
    }

    /// The verdict in a few words.
    pub fn verdict(&self) -> String {
        let solution = &self.solution;
        let certain = if solution.is_shortest { " (shortest)" } else { "" };
        format!("{}{certain}", words(solution.verdict, solution.line.len()))
    }

    /// The solution for a person: verdict, line, what is left in hand.
    pub fn solution_text(&self) -> String {
        let solution = &self.solution;
        let mut text = self.verdict() + "\n";
        if solution.verdict != Verdict::Mate {
            return text;
        }
        if self.counted.is_none() && solution.plain_plies < solution.line.len() {
            text += &format!("without futile interpositions: {}\n", solution.plain_plies);
        }
        for (i, moves) in self.usi(&solution.line).chunks(2).enumerate() {
            text += &format!("{:>5}. {}\n", 2 * i + 1, moves.join(" "));
        }
        if !self.left_over.is_empty() {
            text += &format!("pieces left over: {}\n", hand(self.left_over));
        }
        text
    }

    /// The answers to the other questions, a line each, and the branches of the line if wanted.
    pub fn details(&self, branches: bool) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_details(&mut text, branches);
        text
    }

    fn write_details(&self, out: &mut impl Write, branches: bool) -> fmt::Result {
        match &self.counted {
            Some(Ok(counted)) => writeln!(
                out,
                "futile interpositions by {:?}: mate in {}{}: {}",
                counted.futile.name(),
                counted.plies,
                if counted.is_shortest { " (shortest)" } else { "" },
                self.counted_line(counted)
            )?,
            Some(Err(why)) => writeln!(out, "futile interpositions: {why}")?,
            None => {}
        }
        for branch in self.solution.branches.iter().filter(|_| branches) {
            let (reply, answer) = (branch.reply.usi(self.game), branch.answer.usi(self.game));
            writeln!(out, "at {:>3}: {reply} {answer} … mate in {}", branch.at + 1, branch.plies)?;
        }
        for (title, tries) in [("first move", &self.first_moves), ("also mates", &self.cooks)] {
            for t in tries {
                let at = if t.at > 0 { format!(" at {}", t.at + 1) } else { String::new() };
                let end = words(t.verdict, usize::from(t.plies));
                writeln!(out, "{title}{at}: {} {end}", t.m.usi(self.game))?;
            }
        }
        Ok(())
    }

    /// The line with the moves that do not count in brackets.
    fn counted_line(&self, counted: &Counted) -> String {
        let moves = self.usi(&counted.line);
        let shown = |(m, &free): (&String, &bool)| if free { format!("({m})") } else { m.clone() };
        moves.iter().zip(&counted.free).map(shown).collect::<Vec<_>>().join(" ")
    }

    /// Moves in USI notation.
    pub fn usi(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|m| m.usi(self.game)).collect()
    }
}

fn words(verdict: Verdict, plies: usize) -> String {
    match verdict {
        Verdict::Mate => format!("mate in {plies}"),
        Verdict::NoMate => "no mate".to_owned(),
        Verdict::Unknown(why) => format!("unknown: {why}"),
    }
}

/// A hand as SFEN writes Black's.
fn hand(hand: Hand) -> String {
    let mut text = String::new();
    for kind in Kind::HAND.into_iter().rev().filter(|&k| hand.has(k)) {
        let n = hand.count(kind);
        text += &if n > 1 { n.to_string() } else { String::new() };
        text += &Piece::new(Color::Black, kind).sfen();
    }
    text
}
