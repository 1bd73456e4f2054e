//! A game between two players with clocks.

use crate::adjudication::Adjudication;
use crate::clock::{Clock, TimeControl};
use crate::fault::{Fault, Halt};
use crate::game::{Abandoned, Played, Standing, forfeit, play};
use crate::opening::Opening;
use crate::player::{Player, Thought, Turn};
use crate::referee::{End, HouseRules};
use rules::Color;
use std::time::Duration;
use think::Clocks;
use usi::{GameResult, Go, Times};

/// What both players of a game are bound by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    /// Rules of the match.
    pub rules: HouseRules,
    /// Early endings.
    pub adjudication: Adjudication,
    /// How much a player may overstep its time without losing: it covers what cannot be measured
    /// apart, such as the waking of a process.
    pub margin: Duration,
}

/// Plays one game; players are given by colour. Both are told how it ended.
pub fn bout(
    opening: &Opening,
    terms: &Terms,
    controls: [TimeControl; 2],
    players: [&mut dyn Player; 2],
) -> Result<Played, Abandoned> {
    let mut clocks = controls.map(Clock::new);
    let mut players = players;
    let played = match begin(opening, &mut players) {
        Ok(()) => play(opening, &terms.rules, terms.adjudication, &mut |standing| {
            move_of(&standing, terms.margin, &mut clocks, &mut players)
        }),
        Err((_, Halt::Abandoned)) => Err(Abandoned),
        Err((loser, Halt::Fault(fault))) => Ok(forfeit(opening, loser, fault)),
    };
    for color in Color::BOTH {
        let (result, fault) = match &played {
            Err(Abandoned) => (None, None),
            Ok(played) => (Some(result_for(color, &played.end)), own_fault(color, &played.end)),
        };
        players[color.index()].finish(result, fault);
    }
    played
}

fn begin(opening: &Opening, players: &mut [&mut dyn Player; 2]) -> Result<(), (Color, Halt)> {
    Color::BOTH
        .into_iter()
        .try_for_each(|c| players[c.index()].prepare(opening.game()).map_err(|halt| (c, halt)))
}

fn move_of(
    standing: &Standing<'_>,
    margin: Duration,
    clocks: &mut [Clock; 2],
    players: &mut [&mut dyn Player; 2],
) -> Result<Thought, Halt> {
    let mover = standing.position.turn();
    let go = go_for(mover, clocks);
    let clock = &mut clocks[mover.index()];
    let allowed = clock.allowed();
    let turn = Turn {
        position: standing.position,
        line: standing.line,
        go,
        allowed: allowed.map(|time| time.saturating_add(margin)),
    };
    let mut thought = players[mover.index()].think(&turn)?;
    let in_time = clock.spend(thought.time, margin);
    let could_have = in_time || {
        let own_time = thought.time.saturating_sub(thought.starved);
        turn.allowed.is_none_or(|allowed| own_time <= allowed)
    };
    if !could_have {
        return Err(Fault::late(thought.time, allowed.unwrap_or_default()).into());
    }
    if in_time {
        thought.starved = Duration::ZERO;
    }
    // Late only because the machine was busy elsewhere is no player's fault.
    players[mover.index()].ponder(&go_for(mover, clocks))?;
    Ok(thought)
}

/// The `go` of the side to move, given both clocks.
fn go_for(mover: Color, clocks: &[Clock; 2]) -> Go {
    let own = &clocks[mover.index()];
    let control = own.control();
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
        clock.control().clock.map_or((own.left(), rule.increment), |r| (clock.left(), r.increment))
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

fn result_for(color: Color, end: &End) -> GameResult {
    match end.winner() {
        None => GameResult::Draw,
        Some(winner) if winner == color => GameResult::Win,
        Some(_) => GameResult::Lose,
    }
}

fn own_fault(color: Color, end: &End) -> Option<&Fault> {
    end.fault().filter(|(loser, _)| *loser == color).map(|(_, fault)| fault)
}
