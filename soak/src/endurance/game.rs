//! One scripted game, driven from both sides, with all that is known of it from outside: which
//! moves must be there, how long each can have taken, how it must end.

use super::caller::{Caller, Manner};
use super::script::{Dice, Script, ScriptedEnd};
use super::stored::{Expected, Known};
use super::{SharedState, StepError};
use csa::{ReasonWord, ServerLine, Summary, TimeRule};
use kifu::wire;
use play::{Clock, ClockRule, GameRules};
use rules::{AnyPosition, Color, Move};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How far back the server may date an arrival: time it took itself is nobody's.
const LENIENCE: Duration = Duration::from_millis(100);

pub(super) struct ScriptedGame<'a> {
    pub(super) shared: &'a SharedState,
    pub(super) script: Script,
    names: [String; 2],
    passwords: [String; 2],
    pub(super) id: Option<String>,
    rules: Option<[TimeRule; 2]>,
    clocks: [Clock; 2],
    start: Option<AnyPosition>,
    pub(super) position: Option<AnyPosition>,
    pub(super) moves: Vec<Known>,
    /// Said, and not yet heard back; when it was said.
    pending: Option<(String, Instant)>,
    /// Between when and when the turn began.
    began: [Instant; 2],
    /// Somebody has heard it begin.
    started: bool,
    /// What has been done to end the game.
    pub(super) expected: Option<Expected>,
    interrupted: bool,
}

type Pair = [Caller; 2];

fn wrong<T>(why: String) -> Result<T, StepError> {
    Err(StepError::Wrong(why))
}

impl<'a> ScriptedGame<'a> {
    pub(super) fn new(shared: &'a SharedState, script: Script, index: u64) -> Self {
        let first = if script.accounts { 'k' } else { 's' };
        let names = ["b", "w"].map(|side| format!("{first}{index}{side}"));
        let passwords = ["B", "W"].map(|side| {
            let secret = if script.accounts { ",secret" } else { "" };
            format!("{}-{side}{secret}", script.game)
        });
        let now = Instant::now();
        Self {
            shared,
            script,
            names,
            passwords,
            id: None,
            rules: None,
            clocks: [Clock::new(ClockRule::default()); 2],
            start: None,
            position: None,
            moves: Vec::new(),
            pending: None,
            began: [now; 2],
            started: false,
            expected: None,
            interrupted: false,
        }
    }

    /// Plays the game to its end, through whatever happens.
    pub(super) async fn play(&mut self) -> Result<ReasonWord, String> {
        loop {
            match self.attempt().await {
                Ok(()) => break,
                Err(StepError::Wrong(why)) => return Err(self.complaint(&why)),
                Err(StepError::ConnectionLost) => {
                    self.shared.counts.lost.fetch_add(1, Ordering::Relaxed);
                    self.shared.until_up().await;
                    match self.is_over().await {
                        Ok(false) => {}
                        Ok(true) => break,
                        Err(why) => return Err(self.complaint(&why)),
                    }
                }
            }
        }
        self.check_stored().await.map_err(|why| self.complaint(&why))
    }

    fn complaint(&self, why: &str) -> String {
        let id = self.id.as_deref().unwrap_or(&self.script.game);
        format!("{id}, {} moves, {:?}: {why}", self.moves.len(), self.script.ending)
    }

    async fn attempt(&mut self) -> Result<(), StepError> {
        self.expected = None;
        let mut players = self.log_in_both().await?;
        loop {
            self.mishap(&mut players).await?;
            if self.is_at_the_end() {
                return self.finish(&mut players).await;
            }
            if self.make_move(&mut players).await? {
                return Ok(());
            }
        }
    }

    fn turn(&self) -> Color {
        self.position.as_ref().map_or(Color::Black, AnyPosition::turn)
    }

    /// Whether the script wants the game ended now.
    fn is_at_the_end(&self) -> bool {
        let played_out =
            matches!(self.script.ending, ScriptedEnd::MaxMoves | ScriptedEnd::Repetition);
        self.moves.len() >= self.script.length && !played_out
    }

    async fn log_in(&self, side: Color) -> Result<Caller, StepError> {
        let (name, password) = (&self.names[side.index()], &self.passwords[side.index()]);
        let caller = Caller::login(self.shared.port(), name, password).await?;
        if self.script.accounts {
            self.shared.remember(name);
        }
        Ok(caller)
    }

    /// Both log in and agree, to a new game or to the one that was broken off.
    async fn log_in_both(&mut self) -> Result<Pair, StepError> {
        let mut players = [self.log_in(Color::Black).await?, self.log_in(Color::White).await?];
        self.agree(&mut players).await?;
        Ok(players)
    }

    /// Both are shown the game and agree to it.
    async fn agree(&mut self, players: &mut Pair) -> Result<(), StepError> {
        let mut runs = false;
        for side in Color::BOTH {
            let summary = players[side.index()].summary().await?;
            runs |= summary.extra("Elapsed_Time").is_some();
            self.compare(&summary, side)?;
        }
        let before = Instant::now();
        for player in players.iter_mut() {
            player.say("AGREE").await?;
        }
        let start = format!("START:{}", self.id.as_deref().unwrap_or_default());
        for player in players.iter_mut() {
            player.expect(&start).await?;
            self.started = true;
        }
        if !runs {
            self.began = [before, Instant::now()];
        }
        Ok(())
    }

    /// Holds a proposal against what is known of the game.
    fn compare(&mut self, summary: &Summary, side: Color) -> Result<(), StepError> {
        if summary.your_turn != side || summary.names != self.names {
            return wrong(format!("{:?} as {:?}", summary.names, summary.your_turn));
        }
        let rules = Color::BOTH.map(|c| summary.times.of(c));
        // A game that nobody heard begin may be proposed anew under another id.
        if !self.started {
            self.id = Some(summary.id.clone());
            self.clocks = rules.each_ref().map(|rule| Clock::new(rule.clock_rule()));
            self.rules = Some(rules.clone());
            self.start = Some(summary.start.clone());
            self.position = Some(summary.start.clone());
        }
        if self.id.as_ref() != Some(&summary.id) {
            return wrong(format!("{} is proposed in its place", summary.id));
        }
        if self.rules.as_ref() != Some(&rules) || self.start.as_ref() != Some(&summary.start) {
            return wrong("its conditions have changed".to_owned());
        }
        self.compare_moves(summary)
    }

    fn compare_moves(&mut self, summary: &Summary) -> Result<(), StepError> {
        let mut position = summary.start.clone();
        for (index, played) in summary.played.iter().enumerate() {
            let text = wire::write_move(&position, played.m);
            let time = played.time.unwrap_or_default();
            position.play(played.m);
            match self.moves.get(index) {
                Some(known) if known.text == text && known.time == time => {}
                Some(known) => {
                    return wrong(format!("{known:?} has become {text} in {time:?}"));
                }
                None => match self.pending.take() {
                    Some((said, at)) if said == text => {
                        self.count(played.m, time, [at, Instant::now()]);
                    }
                    _ => return wrong(format!("{text} was never said")),
                },
            }
        }
        self.pending = None;
        if summary.played.len() < self.moves.len() {
            return wrong(format!("only {} moves are left", summary.played.len()));
        }
        Ok(())
    }

    /// A move is known to have been made; the next turn began between these moments.
    fn count(&mut self, m: Move, time: Duration, began: [Instant; 2]) {
        let mover = self.turn();
        let Some(position) = &mut self.position else { return };
        let text = wire::write_move(position, m);
        position.play(m);
        self.clocks[mover.index()].replay(time);
        self.moves.push(Known { text, time });
        self.began = began;
        self.shared.counts.moves.fetch_add(1, Ordering::Relaxed);
    }

    /// The clock of the side to move.
    fn clock(&self) -> Clock {
        self.clocks[self.turn().index()]
    }

    /// Connections that break, logins that take another's place, interruptions.
    async fn mishap(&mut self, players: &mut Pair) -> Result<(), StepError> {
        if self.script.interruption == Some(self.moves.len()) && !self.interrupted {
            return self.interrupt(players).await;
        }
        if !self.script.dice.once_in(25) {
            return Ok(());
        }
        let side = Color::BOTH[self.script.dice.roll(2)];
        let place = &mut players[side.index()];
        match self.script.dice.roll(3) {
            // Half a move, and gone: it must not count.
            0 => place.raw(b"+77").await?,
            1 => place.raw(b"\n").await?,
            _ => {}
        }
        let mut back = if self.script.dice.once_in(2) {
            // The old connection is still open: the new login takes its place.
            self.log_in(side).await?
        } else {
            // Closed before the new one comes.
            *place = Caller::connect(self.shared.port()).await?;
            self.log_in(side).await?
        };
        let summary = back.summary().await?;
        self.compare(&summary, side)?;
        back.say("AGREE").await?;
        back.expect(&format!("START:{}", summary.id)).await?;
        players[side.index()] = back;
        self.shared.counts.drops.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn interrupt(&mut self, players: &mut Pair) -> Result<(), StepError> {
        self.interrupted = true;
        let turn = self.turn();
        players[turn.index()].say("%CHUDAN").await?;
        for player in players.iter_mut() {
            match player.receive().await?.as_str() {
                "#CHUDAN" => {}
                // It was late: let that be found out.
                "#TIME_UP" => return Err(StepError::ConnectionLost),
                line => return wrong(format!("{line:?} instead of #CHUDAN")),
            }
        }
        players[0].say("CHALLENGE").await?;
        players[0].expect("CHALLENGE ACCEPTED").await?;
        players[1].say("CHALLENGE").await?;
        self.shared.counts.interruptions.fetch_add(1, Ordering::Relaxed);
        self.agree(players).await
    }

    fn choose(&mut self) -> Option<Move> {
        let position = self.position.as_ref()?;
        let legal = position.legal_moves();
        if self.script.ending == ScriptedEnd::Repetition
            && let Some(m) = back_and_forth(position, &legal, &mut self.script.dice)
        {
            return Some(m);
        }
        (!legal.is_empty()).then(|| legal[self.script.dice.roll(legal.len())])
    }

    /// Makes a move and hears it come back; whether the game is over with it.
    async fn make_move(&mut self, players: &mut Pair) -> Result<bool, StepError> {
        let Some(m) = self.choose() else {
            return self.finish(players).await.map(|()| true);
        };
        if self.script.dice.once_in(40) {
            sleep(Duration::from_millis(20 + self.script.dice.roll(400) as u64)).await;
        }
        let Some(mut after) = self.position.clone() else { return Ok(false) };
        let text = wire::write_move(&after, m);
        let manners = [Manner::Plain, Manner::Return, Manner::Halves, Manner::Comment];
        let manner = manners[self.script.dice.roll(12).min(3)];
        let said = Instant::now();
        self.pending = Some((text.clone(), said));
        after.play(m);
        let number = u32::try_from(self.moves.len() + 1).unwrap_or(u32::MAX);
        let rules = GameRules {
            max_moves: Some(super::script::MAX_MOVES),
            mate_ends: false,
            ..GameRules::default()
        };
        if let Some(ending) = rules.end_of(&after, number) {
            let reason = ReasonWord::of(ending.reason);
            self.expected = Some(Expected { reason, winner: ending.winner() });
        }
        players[self.turn().index()].say_as(&text, manner).await?;
        let [black, white] = players;
        let next = async |player: &mut Caller| (player.receive().await, Instant::now());
        let (one, two) = tokio::join!(next(black), next(white));
        let heard = one.1.min(two.1);
        let lines = [one.0, two.0];
        // What one of them has heard is so, whatever becomes of the other.
        for line in lines.iter().flatten() {
            match ServerLine::parse(line) {
                ServerLine::Move { text: told, time: Some(time) } if told == text => {
                    if self.pending.take().is_some() {
                        self.check_time(time, said, heard)?;
                        self.count(m, time, [said, heard]);
                    }
                }
                ServerLine::Reason(ReasonWord::TimeUp) => self.time_is_over(heard)?,
                ServerLine::Verdict(csa::Verdict::Chudan) => return Err(StepError::ConnectionLost),
                _ => return wrong(format!("{line:?} instead of {text}")),
            }
        }
        let [one, two] = lines;
        let (one, two) = (one?, two?);
        if one != two {
            return wrong(format!("{one:?} for Black, {two:?} for White"));
        }
        if one == ReasonWord::TimeUp.to_string() {
            return self.read_verdicts(players).await.map(|()| true);
        }
        let Some(expected) = self.expected else { return Ok(false) };
        let reason = expected.reason.to_string();
        for player in players.iter_mut() {
            player.expect(&reason).await?;
        }
        self.read_verdicts(players).await.map(|()| true)
    }

    /// The time told must lie between what certainly passed and what can have passed.
    fn check_time(&self, time: Duration, said: Instant, heard: Instant) -> Result<(), StepError> {
        let clock = self.clock();
        let [earliest, latest] = self.began;
        let certainly = said.saturating_duration_since(latest).saturating_sub(LENIENCE);
        let possibly = heard.saturating_duration_since(earliest);
        self.shared.counts.clocks.fetch_add(1, Ordering::Relaxed);
        if clock.limit().is_some_and(|limit| certainly >= limit) {
            return wrong(format!("a move was taken after {certainly:?}"));
        }
        if time < clock.charge(certainly) || time > clock.charge(possibly) {
            return wrong(format!(
                "{time:?} was recorded for what took {certainly:?} to {possibly:?}"
            ));
        }
        Ok(())
    }

    /// The flag of the side to move has fallen, and rightly so.
    fn time_is_over(&mut self, heard: Instant) -> Result<(), StepError> {
        let passed = heard.saturating_duration_since(self.began[0]);
        if self.clock().limit().is_none_or(|limit| passed < limit) {
            return wrong(format!("the time was over after {passed:?}"));
        }
        self.expected =
            Some(Expected { reason: ReasonWord::TimeUp, winner: Some(self.turn().opponent()) });
        Ok(())
    }

    async fn read_verdicts(&mut self, players: &mut Pair) -> Result<(), StepError> {
        let Some(expected) = self.expected else { return Ok(()) };
        for side in Color::BOTH {
            players[side.index()].expect(&expected.verdict(side)).await?;
        }
        Ok(())
    }

    /// Ends the game as the script has it, or by resigning where there is no move.
    async fn finish(&mut self, players: &mut Pair) -> Result<(), StepError> {
        let turn = self.turn();
        let mated = self.position.as_ref().is_some_and(|p| p.legal_moves().is_empty());
        let ending = if mated { ScriptedEnd::Resign } else { self.script.ending };
        let sign = if turn == Color::Black { '+' } else { '-' };
        let (speaker, line, head, reason) = match ending {
            ScriptedEnd::Resign | ScriptedEnd::MaxMoves | ScriptedEnd::Repetition => {
                (turn, "%TORYO".to_owned(), "%TORYO", ReasonWord::Resign)
            }
            ScriptedEnd::IllegalMove => {
                (turn, format!("{sign}1111FU"), "1111FU", ReasonWord::IllegalMove)
            }
            ScriptedEnd::Garbage => {
                (turn, format!("{sign}HELLO,WORLD"), "HELLO", ReasonWord::IllegalMove)
            }
            ScriptedEnd::FalseDeclaration => {
                (turn, "%KACHI".to_owned(), "%KACHI", ReasonWord::IllegalMove)
            }
            ScriptedEnd::OutOfTurn => {
                (turn.opponent(), "+9999FU".to_owned(), "", ReasonWord::IllegalAction)
            }
            ScriptedEnd::TimeUp => (turn, String::new(), "", ReasonWord::TimeUp),
        };
        self.expected = Some(Expected { reason, winner: Some(speaker.opponent()) });
        if !line.is_empty() {
            players[speaker.index()].say(&line).await?;
        }
        if !head.is_empty() && !self.read_last(players, head).await? {
            return self.read_verdicts(players).await;
        }
        for player in players.iter_mut() {
            let line = player.receive().await?;
            match line.as_str() {
                "#CHUDAN" => return Err(StepError::ConnectionLost),
                "#TIME_UP" => self.time_is_over(Instant::now())?,
                _ if line == reason.to_string() => {}
                _ => return wrong(format!("{line:?} instead of {reason}")),
            }
        }
        self.read_verdicts(players).await
    }

    /// Hears what was said last come back; `false` if the time was over before it came.
    async fn read_last(&mut self, players: &mut Pair, head: &str) -> Result<bool, StepError> {
        let mut counts = true;
        for player in players.iter_mut() {
            let line = player.receive().await?;
            match line.as_str() {
                "#CHUDAN" => return Err(StepError::ConnectionLost),
                "#TIME_UP" => {
                    self.time_is_over(Instant::now())?;
                    counts = false;
                }
                _ if line.trim_start_matches(['+', '-']).starts_with(head) => {}
                _ => return wrong(format!("{line:?} instead of {head:?}")),
            }
        }
        Ok(counts)
    }

    /// Whether the time of the side to move can have been over.
    pub(super) fn may_be_over(&self) -> bool {
        self.clock().limit().is_some_and(|limit| self.began[0].elapsed() >= limit)
    }

    pub(super) fn to_move(&self) -> Color {
        self.turn()
    }
}

/// A move that takes the last one back, or can be taken back, so that positions repeat.
fn back_and_forth(position: &AnyPosition, legal: &[Move], dice: &mut Dice) -> Option<Move> {
    let game = position.game();
    let moves = position.moves_played();
    let undo = moves.len().checked_sub(2).map(|index| {
        let text = moves[index].usi(game);
        text.get(2..4).zip(text.get(0..2)).map(|(from, to)| format!("{from}{to}"))
    });
    let find = |text: &str| legal.iter().copied().find(|m| m.usi(game) == text);
    if let Some(m) = undo.flatten().and_then(|text| find(&text)) {
        return Some(m);
    }
    let quiet: Vec<Move> = legal.iter().copied().filter(|m| reversible(position, *m)).collect();
    (!quiet.is_empty()).then(|| quiet[dice.roll(quiet.len())])
}

fn reversible(position: &AnyPosition, m: Move) -> bool {
    let text = m.usi(position.game());
    if text.contains('*') || text.ends_with('+') {
        return false;
    }
    // Kings, golds, rooks and bishops go back; a rook that goes far may not.
    let csa = wire::write_move(position, m);
    ["OU", "KI", "HI"].iter().any(|piece| csa.ends_with(piece))
}
