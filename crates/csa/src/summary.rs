//! The `Game_Summary` block: everything about a game before it starts, the moves already played
//! included.

use crate::server::split_time;
use crate::times::{TimeRule, Times, seconds_text};
use kifu::wire;
use rules::{AnyPosition, Color, Declaration, Game, Move};
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// A move already played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move, legal where it stands.
    pub m: Move,
    /// Its recorded time.
    pub time: Option<Duration>,
}

/// The conditions of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// `Game_ID`
    pub id: String,
    /// `Name+` and `Name-`
    pub names: [String; 2],
    /// `Your_Turn`: the colour of the one who reads this.
    pub your_turn: Color,
    /// `Max_Moves`
    pub max_moves: Option<u32>,
    /// `Declaration`
    pub declaration: Option<String>,
    pub times: Times,
    /// Where the game began.
    pub start: AnyPosition,
    /// The moves played since, the game being one taken up again.
    pub played: Vec<Played>,
    /// Lines this protocol does not know, as key and value.
    pub more: Vec<(String, String)>,
}

/// The declaration rule of the protocol.
pub const JISHOGI: &str = "Jishogi 1.1";

/// Names the entering-king rule where the protocol's own line cannot: not of the protocol, which
/// knows the rule with 27 points only. The values are those of the USI option.
pub const ENTERING_KING_RULE: &str = "Entering_King_Rule";

/// Why a block cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SummaryError {
    /// Something that must be there is not.
    #[error("the game summary lacks {0}")]
    Missing(&'static str),
    /// A value that cannot be read.
    #[error("{key:?} in the game summary is {value:?}, expected {expected}")]
    Value {
        key: String,
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A line that belongs nowhere.
    #[error("the game summary has the line {0:?}, which means nothing there")]
    Line(String),
    /// The position is none.
    #[error("the position of the game summary is wrong: {0}")]
    Position(String),
    /// A move that cannot have been played.
    #[error("move {number} of the game summary, {text:?}, cannot be played there")]
    Move {
        /// Counted from 1.
        number: usize,
        text: String,
    },
    /// `To_Move` contradicts the position.
    #[error("the game summary says that {0} is to move, the position says otherwise")]
    Turn(&'static str),
    /// The block does not end.
    #[error("the game summary has more than {0} lines")]
    TooLong(usize),
}

fn sign(color: Color) -> &'static str {
    if color == Color::Black { "+" } else { "-" }
}

fn color(key: &str, value: &str) -> Result<Color, SummaryError> {
    match value {
        "+" => Ok(Color::Black),
        "-" => Ok(Color::White),
        _ => Err(wrong(key, value, "+ or -")),
    }
}

fn wrong(key: &str, value: &str, expected: &'static str) -> SummaryError {
    SummaryError::Value { key: key.to_owned(), value: value.to_owned(), expected }
}

/// Whether a rule is the one with 27 points, as it is from that start: what another says of handicaps
/// means nothing in an even game.
fn is_plain(rule: Declaration, start: &AnyPosition) -> bool {
    let needed = |rule| {
        let AnyPosition::Shogi(start) = start else { return [None; 2] };
        Color::BOTH.map(|color| start.declaration_count(color, rule).map(|count| count.needed))
    };
    match rule {
        Declaration::Points27 => true,
        Declaration::Points27H => needed(rule) == needed(Declaration::Points27),
        _ => false,
    }
}

impl Summary {
    /// A game between those two, Black first, from its start; to be read by Black, without a limit
    /// of moves.
    pub fn new(
        id: &str,
        names: [String; 2],
        start: AnyPosition,
        [black, white]: [TimeRule; 2],
        declaration: Declaration,
    ) -> Self {
        // The protocol knows one rule of declaration, the one with 27 points; what is played
        // otherwise is told on a line of our own.
        let points27 = matches!(declaration, Declaration::Points27 | Declaration::Points27H);
        let declares = points27 && start.game() == Game::Shogi;
        let more = if start.game() == Game::Shogi && !is_plain(declaration, &start) {
            vec![(ENTERING_KING_RULE.to_owned(), declaration.name().to_owned())]
        } else {
            Vec::new()
        };
        Self {
            id: id.to_owned(),
            names,
            your_turn: Color::Black,
            max_moves: None,
            declaration: declares.then(|| JISHOGI.to_owned()),
            times: Times::from_rules(black, white),
            start,
            played: Vec::new(),
            more,
        }
    }

    /// The position the game goes on from, with its history.
    pub fn position(&self) -> AnyPosition {
        let mut position = self.start.clone();
        for played in &self.played {
            position.play(played.m);
        }
        position
    }

    /// The value of a line this protocol does not know.
    pub fn extra(&self, key: &str) -> Option<&str> {
        self.more.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// How a win may be declared.
    pub fn entering_king_rule(&self) -> Declaration {
        let named = self.extra(ENTERING_KING_RULE).and_then(|rule| rule.parse().ok());
        let usual = match &self.declaration {
            Some(_) => Declaration::Points27,
            None => Declaration::None,
        };
        named.unwrap_or(usual)
    }

    /// Reads the lines between `BEGIN Game_Summary` and `END Game_Summary`.
    pub fn from_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, SummaryError> {
        let mut draft = Draft::default();
        for line in lines {
            draft.line(line)?;
        }
        draft.finish()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position();
        let format = match self.start.game() {
            Game::Shogi => "Shogi 1.0",
            Game::Minishogi => MINISHOGI,
        };
        writeln!(f, "BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server")?;
        writeln!(f, "Format:{format}")?;
        if let Some(declaration) = &self.declaration {
            writeln!(f, "Declaration:{declaration}")?;
        }
        writeln!(f, "Game_ID:{}\nName+:{}\nName-:{}", self.id, self.names[0], self.names[1])?;
        writeln!(f, "Your_Turn:{}\nRematch_On_Draw:NO", sign(self.your_turn))?;
        writeln!(f, "To_Move:{}", sign(position.turn()))?;
        if let Some(max_moves) = self.max_moves {
            writeln!(f, "Max_Moves:{max_moves}")?;
        }
        for (key, value) in &self.more {
            writeln!(f, "{key}:{value}")?;
        }
        for line in self.times.lines() {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "BEGIN Position")?;
        for line in wire::write_position(&self.start) {
            writeln!(f, "{line}")?;
        }
        let mut position = self.start.clone();
        for played in &self.played {
            f.write_str(&wire::write_move(&position, played.m))?;
            position.play(played.m);
            match played.time {
                Some(time) => writeln!(f, ",T{}", seconds_text(time))?,
                None => writeln!(f)?,
            }
        }
        f.write_str("END Position\nEND Game_Summary")
    }
}

/// Our word for the smaller game; the protocol defines only shogi.
const MINISHOGI: &str = "Minishogi 1.0";

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Block {
    #[default]
    General,
    Time(Option<Color>),
    Position,
}

#[derive(Default)]
struct Draft {
    block: Block,
    version: bool,
    game: Option<Game>,
    id: String,
    names: [Option<String>; 2],
    your_turn: Option<Color>,
    to_move: Option<Color>,
    max_moves: Option<u32>,
    declaration: Option<String>,
    both: Option<TimeRule>,
    each: [Option<TimeRule>; 2],
    statements: Vec<String>,
    start_turn: Option<Color>,
    moves: Vec<String>,
    more: Vec<(String, String)>,
}

impl Draft {
    fn line(&mut self, line: &str) -> Result<(), SummaryError> {
        match (self.block, line) {
            (Block::General, "BEGIN Time") => self.time_block(None),
            (Block::General, "BEGIN Time+") => self.time_block(Some(Color::Black)),
            (Block::General, "BEGIN Time-") => self.time_block(Some(Color::White)),
            (Block::General, "BEGIN Position") => self.block = Block::Position,
            (Block::Time(None), "END Time")
            | (Block::Time(Some(Color::Black)), "END Time+")
            | (Block::Time(Some(Color::White)), "END Time-")
            | (Block::Position, "END Position") => self.block = Block::General,
            (Block::Position, line) => return self.position_line(line),
            (_, "") => {}
            (block, line) => {
                let (key, value) =
                    line.split_once(':').ok_or_else(|| SummaryError::Line(line.to_owned()))?;
                return match block {
                    Block::Time(side) => self
                        .rule(side)
                        .set(key, value)
                        .map_err(|expected| wrong(key, value, expected)),
                    _ => self.general(key, value),
                };
            }
        }
        Ok(())
    }

    fn time_block(&mut self, side: Option<Color>) {
        self.block = Block::Time(side);
        self.rule(side);
    }

    fn rule(&mut self, side: Option<Color>) -> &mut TimeRule {
        let rule = match side {
            None => &mut self.both,
            Some(color) => &mut self.each[color.index()],
        };
        rule.get_or_insert_default()
    }

    fn general(&mut self, key: &str, value: &str) -> Result<(), SummaryError> {
        match key {
            "Protocol_Version" => {
                if !value.starts_with("1.") {
                    return Err(wrong(key, value, "1.2"));
                }
                self.version = true;
            }
            "Protocol_Mode" if value != "Server" => return Err(wrong(key, value, "Server")),
            "Rematch_On_Draw" if value != "NO" => return Err(wrong(key, value, "NO")),
            "Protocol_Mode" | "Rematch_On_Draw" => {}
            "Format" => {
                self.game = match value {
                    MINISHOGI => Some(Game::Minishogi),
                    value if value.starts_with("Shogi ") => Some(Game::Shogi),
                    _ => return Err(wrong(key, value, "Shogi 1.0")),
                }
            }
            "Declaration" => self.declaration = Some(value.to_owned()),
            "Game_ID" => value.clone_into(&mut self.id),
            "Name+" => self.names[0] = Some(value.to_owned()),
            "Name-" => self.names[1] = Some(value.to_owned()),
            "Your_Turn" => self.your_turn = Some(color(key, value)?),
            "To_Move" => self.to_move = Some(color(key, value)?),
            "Max_Moves" => {
                self.max_moves =
                    Some(value.parse().map_err(|_| wrong(key, value, "a number of moves"))?);
            }
            _ => self.more.push((key.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    fn position_line(&mut self, line: &str) -> Result<(), SummaryError> {
        match line {
            "" => {}
            "+" | "-" if self.start_turn.is_none() => {
                self.start_turn = Some(color("Position", line)?);
            }
            line if line.starts_with('P') && self.start_turn.is_none() => {
                self.statements.push(line.to_owned());
            }
            line if line.starts_with(['+', '-']) && self.start_turn.is_some() => {
                self.moves.push(line.to_owned());
            }
            line => return Err(SummaryError::Line(line.to_owned())),
        }
        Ok(())
    }

    fn finish(self) -> Result<Summary, SummaryError> {
        if self.block != Block::General {
            return Err(SummaryError::Missing("the end of a block"));
        }
        if !self.version {
            return Err(SummaryError::Missing("Protocol_Version"));
        }
        let game = self.game.ok_or(SummaryError::Missing("Format"))?;
        let to_move = self.to_move.ok_or(SummaryError::Missing("To_Move"))?;
        let your_turn = self.your_turn.ok_or(SummaryError::Missing("Your_Turn"))?;
        let [black, white] = self.names;
        let names = [
            black.ok_or(SummaryError::Missing("Name+"))?,
            white.ok_or(SummaryError::Missing("Name-"))?,
        ];
        let turn = self.start_turn.ok_or(SummaryError::Missing("the position"))?;
        let statements = self.statements.iter().map(String::as_str);
        let start = wire::read_position(Some(game), statements, turn);
        let start = start.map_err(SummaryError::Position)?;
        if start.game() != game || Color::BOTH.iter().any(|&c| start.king(c).is_none()) {
            return Err(SummaryError::Position("both kings must stand on the board".to_owned()));
        }
        let (position, played) = replay(&start, &self.moves)?;
        if position.turn() != to_move {
            return Err(SummaryError::Turn(if to_move == Color::Black {
                "Black"
            } else {
                "White"
            }));
        }
        let times = match (self.both, self.each) {
            (Some(both), [None, None]) => Times::Both(both),
            (both, [black, white]) if black.is_some() || white.is_some() => {
                let other = both.unwrap_or_default();
                let rule = |side: Option<TimeRule>| side.unwrap_or_else(|| other.clone());
                Times::Each(Box::new([rule(black), rule(white)]))
            }
            _ => Times::Unlimited,
        };
        let Self { id, max_moves, declaration, more, .. } = self;
        Ok(Summary { id, names, your_turn, max_moves, declaration, times, start, played, more })
    }
}

fn replay(
    start: &AnyPosition,
    lines: &[String],
) -> Result<(AnyPosition, Vec<Played>), SummaryError> {
    let mut position = start.clone();
    let mut played = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let bad = || SummaryError::Move { number: index + 1, text: line.clone() };
        let (text, time) = split_time(line).ok_or_else(bad)?;
        let m = wire::read_move(&position, text).map_err(|_| bad())?;
        position.play(m);
        played.push(Played { m, time });
    }
    Ok((position, played))
}

#[cfg(test)]
mod tests;
