//! A game between two players with clocks.

use crate::adjudication::Adjudication;
use crate::ending::GameEnd;
use crate::game::{Abandoned, Played, PlayedMove, forfeit, play};
use crate::opening::Opening;
use crate::time_control::TimeControl;
use engines::{
    Allowed, Conclusion, Decision, EngineFault, GameLine, Player, PlayerError, SearchRequest,
};
use play::{Clock, GameRules};
use rules::Color;
use std::time::Duration;
use think::Answer;
use think::Clocks;
use usi::{GameResult, Go, Times};

/// What both players of a game are bound by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    pub rules: GameRules,
    /// Early endings.
    pub adjudication: Adjudication,
    /// How much a player may overstep its time without losing: it covers what cannot be measured
    /// apart, such as the waking of a process.
    pub margin: Duration,
}

/// A player is about to think: the move that led there, and what both have left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// `None` before the first move.
    pub last: Option<PlayedMove>,
    /// By colour; `None` for a player without a clock.
    pub left: [Option<Duration>; 2],
}

/// Plays one game; players are given by colour. Both are told how it ended.
pub fn play_timed(
    opening: &Opening,
    terms: &Terms,
    controls: [TimeControl; 2],
    players: [&mut dyn Player; 2],
) -> Result<Played, Abandoned> {
    play_watched(opening, terms, controls, players, &mut |_| ())
}

/// The same, and somebody is told whenever it is the other player's turn.
pub fn play_watched(
    opening: &Opening,
    terms: &Terms,
    controls: [TimeControl; 2],
    players: [&mut dyn Player; 2],
    watch: &mut dyn FnMut(Turn),
) -> Result<Played, Abandoned> {
    let mut clocks = controls.map(|control| Clock::new(control.clock_rule(terms.margin)));
    let mut players = players;
    let mut last: Option<PlayedMove> = None;
    let played = match begin(opening, &mut players) {
        Ok(()) => play(opening, &terms.rules, terms.adjudication, &mut |line| {
            let left =
                |color: Color| controls[color.index()].clock.map(|_| clocks[color.index()].left());
            watch(Turn { last: last.take(), left: Color::BOTH.map(left) });
            let decision = move_of(line, &controls, &mut clocks, &mut players)?;
            if let Answer::Move(played) = decision.answer {
                let (time, info) = (decision.time, decision.info.clone());
                last = Some(PlayedMove { played, time, info });
            }
            Ok(decision)
        }),
        Err((_, PlayerError::Abandoned)) => Err(Abandoned),
        Err((loser, PlayerError::Fault(fault))) => Ok(forfeit(opening, loser, fault)),
    };
    for color in Color::BOTH {
        let conclusion = match &played {
            Err(Abandoned) => Conclusion::Abandoned,
            Ok(played) => conclusion_for(color, &played.end),
        };
        players[color.index()].finish(conclusion);
    }
    played
}

fn begin(
    opening: &Opening,
    players: &mut [&mut dyn Player; 2],
) -> Result<(), (Color, PlayerError)> {
    Color::BOTH.into_iter().try_for_each(|c| {
        players[c.index()].prepare(opening.game(), &mut |_| ()).map_err(|error| (c, error))
    })
}

fn move_of(
    line: &GameLine,
    controls: &[TimeControl; 2],
    clocks: &mut [Clock; 2],
    players: &mut [&mut dyn Player; 2],
) -> Result<Decision, PlayerError> {
    let mover = line.position().turn();
    let go = go_for(mover, controls, clocks);
    let clock = &mut clocks[mover.index()];
    let (allowed, margin) = (clock.limit(), clock.rule().margin);
    let limit = allowed.map(|time| time.saturating_add(margin));
    let request = SearchRequest::new(line, go, limit.map_or(Allowed::Untimed, Allowed::Within));
    let mut decision = players[mover.index()].think(&request, None)?;
    let in_time = !clock.is_over(decision.time);
    clock.replay(clock.charge(decision.time));
    let could_have = in_time || {
        let own_time = decision.time.saturating_sub(decision.starved);
        limit.is_none_or(|allowed| own_time <= allowed)
    };
    if !could_have {
        return Err(EngineFault::late(decision.time, allowed.unwrap_or_default()).into());
    }
    if in_time {
        decision.starved = Duration::ZERO;
    }
    // Late only because the machine was busy elsewhere is no player's fault.
    players[mover.index()].ponder(&go_for(mover, controls, clocks))?;
    Ok(decision)
}

/// The `go` of the side to move, given both clocks.
fn go_for(mover: Color, controls: &[TimeControl; 2], clocks: &[Clock; 2]) -> Go {
    let own = &clocks[mover.index()];
    let control = &controls[mover.index()];
    let mut go = Go {
        nodes: control.nodes,
        depth: control.depth,
        movetime: control.movetime.map(millis),
        ..Go::default()
    };
    let Some(rule) = control.clock else { return go };
    // An opponent without a clock is told as one with ours: engines expect both.
    let of = |color: Color| {
        let clock = &clocks[color.index()];
        controls[color.index()]
            .clock
            .map_or((own.left(), rule.increment), |r| (clock.left(), r.increment))
    };
    let [(btime, binc), (wtime, winc)] = Color::BOTH.map(of);
    let increment = if rule.increment.is_zero() { [Duration::ZERO; 2] } else { [binc, winc] };
    let clocks = Clocks { time: [btime, wtime], increment, byoyomi: rule.byoyomi };
    go.times = Times::of(&clocks);
    go
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn conclusion_for(color: Color, end: &GameEnd) -> Conclusion<'_> {
    match (end.fault(), end.winner()) {
        (Some((loser, fault)), _) if loser == color => Conclusion::OwnFault(fault),
        (_, None) => Conclusion::Over(Some(GameResult::Draw)),
        (_, Some(winner)) if winner == color => Conclusion::Over(Some(GameResult::Win)),
        (_, Some(_)) => Conclusion::Over(Some(GameResult::Lose)),
    }
}
