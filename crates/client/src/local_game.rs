//! A game on this computer: what a server would say to the engine is decided here.

use csa::{ClientLine, Played, ReasonWord, ServerLine, Special, Summary, TimeRule, Verdict};
use kifu::wire;
use play::{Action, Clock, Ending, GameRules};
use rules::{AnyPosition, Color, Declaration, Move};
use std::time::Duration;
use think::Moment;

/// As the championship is played: a mated side resigns.
const RULES: GameRules = GameRules {
    declaration: Declaration::Points27,
    max_moves: None,
    mate_ends: false,
    mated_at_limit_loses: true,
};

const ID: &str = "manual";

/// What the game is played under.
#[derive(Clone, Debug)]
pub(crate) struct Conditions {
    /// The engine's colour.
    pub(crate) engine: Color,
    pub(crate) start: AnyPosition,
    pub(crate) times: [TimeRule; 2],
}

pub(crate) struct LocalGame {
    conditions: Conditions,
    position: AnyPosition,
    played: Vec<Played>,
    clocks: [Clock; 2],
    /// Since when the side to move thinks; `None` while nobody does.
    since: Option<Moment>,
    over: bool,
}

impl LocalGame {
    /// A game after those moves, which took no time; `None` if one does not fit.
    pub(crate) fn new(conditions: Conditions, moves: &[Move]) -> Option<Self> {
        let mut position = conditions.start.clone();
        let mut clocks = conditions.times.each_ref().map(|rule| Clock::new(rule.clock_rule()));
        let mut played = Vec::new();
        for &m in moves {
            if !position.is_legal(m) {
                return None;
            }
            clocks[position.turn().index()].replay(Duration::ZERO);
            position.play(m);
            played.push(Played { m, time: Some(Duration::ZERO) });
        }
        Some(Self { conditions, position, played, clocks, since: None, over: false })
    }

    pub(crate) const fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    pub(crate) const fn position(&self) -> &AnyPosition {
        &self.position
    }

    pub(crate) const fn is_running(&self) -> bool {
        self.since.is_some()
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.over
    }

    /// Whether the side to move may declare a win.
    pub(crate) fn can_declare(&self) -> bool {
        RULES.can_declare(&self.position)
    }

    /// The game as it is proposed to the engine.
    pub(crate) fn proposal(&self) -> String {
        let Conditions { engine, start, times } = &self.conditions;
        let names =
            if *engine == Color::Black { ["engine", "opponent"] } else { ["opponent", "engine"] };
        let names = names.map(str::to_owned);
        let summary = Summary {
            your_turn: *engine,
            played: self.played.clone(),
            ..Summary::new(ID, names, start.clone(), times.clone(), RULES.declaration)
        };
        summary.to_string()
    }

    /// A side says something; what the engine is told of it.
    pub(crate) fn receive(
        &mut self,
        from: Color,
        line: &ClientLine,
        now: Moment,
    ) -> Option<String> {
        let Some(since) = self.since else {
            let agreed = from == self.conditions.engine && matches!(line, ClientLine::Agree(_));
            return (agreed && !self.over).then(|| {
                self.since = Some(now);
                ServerLine::Start(ID.to_owned()).to_string()
            });
        };
        let turn = self.position.turn();
        if from != turn {
            return Some(self.end(Ending::lost(from, play::Reason::IllegalAction), ""));
        }
        let Ok(time) = self.clocks[turn.index()].end_turn(now.saturating_sub(since)) else {
            return Some(self.end(Ending::lost(turn, play::Reason::TimeUp), ""));
        };
        let stamp = csa::times::seconds_text(time);
        let (action, said) = match line {
            ClientLine::Move { text, .. } => {
                (wire::read_move(&self.position, text).ok().map(Action::Move), text.clone())
            }
            ClientLine::Special { special, .. } => {
                let action = match special {
                    Special::Resign => Some(Action::Resign),
                    Special::Declare => Some(Action::Declare),
                    Special::Interrupt => None,
                };
                (action, special.word().to_owned())
            }
            other => (None, other.to_string()),
        };
        let said = format!("{said},T{stamp}");
        let judged = action.map(|action| RULES.judge(&self.position, action));
        match judged.unwrap_or(Err(Ending::lost(turn, play::Reason::IllegalMove))) {
            Err(ending) => Some(self.end(ending, &said)),
            Ok(m) => {
                self.position.play(m);
                self.played.push(Played { m, time: Some(time) });
                let number = u32::try_from(self.played.len()).unwrap_or(u32::MAX);
                match RULES.end_of(&self.position, number) {
                    Some(ending) => Some(self.end(ending, &said)),
                    None => {
                        self.since = Some(now);
                        Some(said)
                    }
                }
            }
        }
    }

    /// When the time of the side to move is over.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        let limit = self.clocks[self.position.turn().index()].limit()?;
        Some(self.since?.saturating_add(limit))
    }

    /// Ends the game if time is over; what the engine is told.
    pub(crate) fn wake(&mut self, now: Moment) -> Option<String> {
        let turn = self.position.turn();
        let over = self.deadline().is_some_and(|at| now >= at);
        over.then(|| self.end(Ending::lost(turn, play::Reason::TimeUp), ""))
    }

    fn end(&mut self, ending: Ending, said: &str) -> String {
        self.since = None;
        self.over = true;
        let verdict = match ending.winner() {
            None => Verdict::Draw,
            Some(winner) if winner == self.conditions.engine => Verdict::Win,
            Some(_) => Verdict::Lose,
        };
        let head = if said.is_empty() { String::new() } else { format!("{said}\n") };
        format!("{head}{}\n{verdict}", ReasonWord::of(ending.reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn game(engine: Color) -> LocalGame {
        let start = AnyPosition::startpos(Game::Shogi);
        let times = [TimeRule::fischer(60, 5), TimeRule::seconds(30, 0)];
        let mut game = LocalGame::new(Conditions { engine, start, times }, &[]).unwrap();
        assert_eq!(game.receive(engine.opponent(), &ClientLine::Agree(None), s(1)), None);
        let start = game.receive(engine, &ClientLine::Agree(None), s(1));
        assert_eq!(start.as_deref(), Some("START:manual"));
        game
    }

    fn say(game: &mut LocalGame, from: Color, line: &str, at: Duration) -> String {
        game.receive(from, &ClientLine::parse(line), at).unwrap()
    }

    #[test]
    fn moves_times_and_a_resignation() {
        let mut game = game(Color::Black);
        assert!(game.proposal().contains("Your_Turn:+"));
        assert_eq!(say(&mut game, Color::Black, "+7776FU,'* 3", s(5)), "+7776FU,T4");
        assert_eq!(game.deadline(), Some(s(35)));
        assert_eq!(say(&mut game, Color::White, "-3334FU", s(6)), "-3334FU,T1");
        assert_eq!(game.deadline(), Some(s(6 + 60 + 5 - 4 + 5)));
        let end = say(&mut game, Color::Black, "%TORYO", s(8));
        assert_eq!(end, "%TORYO,T2\n#RESIGN\n#LOSE");
        assert!(game.is_over() && !game.is_running());
        assert_eq!(game.receive(Color::White, &ClientLine::parse("-8384FU"), s(9)), None);
    }

    #[test]
    fn time_and_wrong_moves_lose() {
        let mut late = game(Color::White);
        assert_eq!(late.wake(s(60)), None);
        assert_eq!(late.wake(s(66)).as_deref(), Some("#TIME_UP\n#WIN"));
        let mut wrong = game(Color::White);
        assert_eq!(
            say(&mut wrong, Color::Black, "+7775FU", s(2)),
            "+7775FU,T1\n#ILLEGAL_MOVE\n#WIN"
        );
        let mut eager = game(Color::White);
        assert_eq!(say(&mut eager, Color::White, "-3334FU", s(2)), "#ILLEGAL_ACTION\n#LOSE");
        let mut bold = game(Color::White);
        assert_eq!(say(&mut bold, Color::Black, "%KACHI", s(2)), "%KACHI,T1\n#ILLEGAL_MOVE\n#WIN");
    }

    #[test]
    fn a_game_may_begin_after_moves() {
        let start = AnyPosition::startpos(Game::Shogi);
        let m = start.parse_usi("7g7f").unwrap();
        let times = [TimeRule::seconds(60, 0), TimeRule::seconds(60, 0)];
        let conditions = Conditions { engine: Color::White, start, times };
        let game = LocalGame::new(conditions.clone(), &[m]).unwrap();
        assert_eq!(game.position().turn(), Color::White);
        assert!(LocalGame::new(conditions, &[m, m]).is_none());
    }
}
