//! `[[tournament]]`.

use super::{TimeTable, declaration, start, time_rule};
use serde::Deserialize;
use server::calendar;
use server::lobby::{EventKind, EventSettings};
use std::time::Duration;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TournamentTable {
    name: String,
    kind: String,
    entrants: Vec<String>,
    start: String,
    time: TimeTable,
    rounds: Option<usize>,
    max_moves: Option<u32>,
    declaration: Option<String>,
    #[serde(default)]
    start_position: String,
    pause: Option<i64>,
    walkover: Option<u64>,
    #[serde(default)]
    withdrawn: Vec<WithdrawalTable>,
}

/// Somebody leaves a tournament; stage and round are counted from 1.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WithdrawalTable {
    name: String,
    #[serde(default = "first")]
    stage: usize,
    round: usize,
}

const fn first() -> usize {
    1
}

/// What a table says.
pub(super) fn event(table: &TournamentTable) -> Result<EventSettings, String> {
    let wrong = |why: String| format!("tournament {:?}: {why}", table.name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if table.name.is_empty() || table.name.len() > 32 || !table.name.chars().all(plain) {
        return Err(wrong("its name may have letters, digits, _ and -".to_owned()));
    }
    if table.entrants.len() < 2 {
        return Err(wrong("needs two entrants or more".to_owned()));
    }
    for (index, name) in table.entrants.iter().enumerate() {
        csa::UserName::new(name).map_err(|error| wrong(format!("{name:?}: {error}")))?;
        if table.entrants[..index].contains(name) {
            return Err(wrong(format!("{name:?} takes part twice")));
        }
    }
    let kind = match (table.kind.as_str(), table.rounds) {
        ("championship", None) => EventKind::Championship,
        ("swiss", Some(rounds)) if rounds > 0 => {
            // In an odd field everybody also meets the player that is not there.
            let most = table.entrants.len() - 1 + table.entrants.len() % 2;
            if rounds > most {
                let count = table.entrants.len();
                let why = format!(
                    "{rounds} rounds for {count} entrants: {most} at most without meeting twice"
                );
                return Err(wrong(why));
            }
            EventKind::Swiss { rounds }
        }
        ("swiss", _) => return Err(wrong("a Swiss tournament needs rounds".to_owned())),
        ("round-robin", None) => EventKind::RoundRobin,
        ("championship" | "round-robin", Some(_)) => {
            return Err(wrong(format!("{} settles its rounds itself", table.kind)));
        }
        (other, _) => {
            return Err(wrong(format!(
                "kind is {other:?}, expected championship, swiss or round-robin"
            )));
        }
    };
    let withdrawn = table.withdrawn.iter().map(|gone| {
        let WithdrawalTable { name, stage, round } = gone;
        if !table.entrants.contains(name) || *stage == 0 || *round == 0 {
            return Err(wrong(format!(
                "{name:?} cannot withdraw from stage {stage}, round {round}"
            )));
        }
        Ok((name.clone(), stage - 1, round - 1))
    });
    let withdrawn = withdrawn.collect::<Result<Vec<_>, _>>()?;
    let begins = calendar::parse(&table.start).ok_or_else(|| {
        wrong(format!("start is {:?}, expected 2026-11-20T10:00 in Universal Time", table.start))
    })?;
    Ok(EventSettings {
        name: table.name.clone(),
        entrants: table.entrants.clone(),
        kind,
        times: time_rule(&table.time).map_err(wrong)?,
        max_moves: table.max_moves,
        declaration: table.declaration.as_deref().map(declaration).transpose().map_err(wrong)?,
        start_position: start(&table.start_position).map_err(wrong)?,
        start: begins,
        pause: table.pause.unwrap_or(300).max(0),
        walkover: Duration::from_secs(table.walkover.unwrap_or(900)),
        withdrawn,
    })
}
