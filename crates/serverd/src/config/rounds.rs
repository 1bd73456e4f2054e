//! `[[rounds]]`: games at fixed times of the day or of the week.

use super::{declaration, game_name};
use serde::Deserialize;
use server::lobby::{Pairing, Timetable, When};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoundsTable {
    game: String,
    every_minutes: Option<u32>,
    #[serde(default)]
    offset_minutes: u32,
    /// Days and times of the week, such as `"Sat 13:30"` or `"daily 20:00"`.
    #[serde(default)]
    weekly: Vec<String>,
    #[serde(default)]
    pairing: PairingWord,
    #[serde(default)]
    exclude_unrated: bool,
    max_moves: Option<u32>,
    least_time: Option<u64>,
    declaration: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PairingWord {
    #[default]
    Neighbours,
    Swiss,
    Random,
    LeastDifference,
}

/// What a table says.
pub(super) fn timetable(table: &RoundsTable) -> Result<Timetable, String> {
    let wrong = |why: String| format!("rounds of {:?}: {why}", table.game);
    let game = game_name("game", &table.game)?;
    let when = match (table.every_minutes, &table.weekly[..]) {
        (Some(0), _) => return Err(wrong("every_minutes is 0".to_owned())),
        (Some(every), []) => When::Every {
            every: i64::from(every) * 60,
            offset: i64::from(table.offset_minutes) * 60,
        },
        (None, [_, ..]) => When::Weekly(weekly(&table.weekly).map_err(wrong)?),
        _ => return Err(wrong("either every_minutes or weekly says when they begin".to_owned())),
    };
    let pairing = match table.pairing {
        PairingWord::Neighbours => Pairing::Neighbours,
        PairingWord::Swiss => Pairing::Swiss,
        PairingWord::Random => Pairing::Random,
        PairingWord::LeastDifference => Pairing::LeastDifference,
    };
    Ok(Timetable {
        game,
        when,
        pairing,
        exclude_unrated: table.exclude_unrated,
        max_moves: table.max_moves,
        least_time: table.least_time,
        declaration: table.declaration.as_deref().map(declaration).transpose().map_err(wrong)?,
    })
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Seconds of the week, in order.
fn weekly(texts: &[String]) -> Result<Vec<i64>, String> {
    let mut times = Vec::new();
    for text in texts {
        let wrong = || {
            format!("{text:?} is not a time of the week; write \"Sat 13:30\" or \"daily 20:00\"")
        };
        let (day, time) = text.split_once(' ').ok_or_else(wrong)?;
        let (hour, minute) = time.split_once(':').ok_or_else(wrong)?;
        let number = |text: &str, below: i64| {
            let plain =
                !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<i64>().ok().filter(|&n| plain && n < below).ok_or_else(wrong)
        };
        let seconds = number(hour, 24)? * 3600 + number(minute, 60)? * 60;
        match DAYS.iter().position(|name| name.eq_ignore_ascii_case(day)) {
            Some(day) => times.push(day as i64 * 86_400 + seconds),
            None if day == "daily" => times.extend((0..7).map(|day| day * 86_400 + seconds)),
            None => return Err(wrong()),
        }
    }
    times.sort_unstable();
    times.dedup();
    Ok(times)
}
