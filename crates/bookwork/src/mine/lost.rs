//! Lost games from records.

use crate::{Console, WorkError};
use kifu::archive::Source as Archive;
use kifu::{Key, Record};
use rules::{AnyPosition, Color, Game};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// The last positions of games that somebody of that name lost, with the moves that led to them.
pub(super) fn games(
    inputs: &[PathBuf],
    game: Game,
    player: Option<&str>,
    console: &mut Console<'_>,
) -> Result<Vec<AnyPosition>, WorkError> {
    let (mut lost, mut errors) = (Vec::new(), Vec::new());
    for source in Archive::collect(inputs, false, &mut errors) {
        console.check()?;
        let Some(path) = &source.path else { continue };
        let input = BufReader::new(File::open(path)?);
        let options = kifu::ReadOptions { format: None, game: Some(game) };
        for record in kifu::Reader::new(source.name.clone(), input, options) {
            match record {
                Ok(record) => lost.extend(end_of_lost(&record, game, player)),
                Err(error) => (console.tell)(&error.to_string()),
            }
        }
    }
    errors.iter().for_each(|error| (console.tell)(error));
    if !inputs.is_empty() {
        (console.tell)(&format!("lost games: {}", lost.len()));
    }
    Ok(lost)
}

fn end_of_lost(record: &Record, game: Game, player: Option<&str>) -> Option<AnyPosition> {
    let winner = record.outcome().winner()?;
    let loser = match winner {
        Color::Black => Key::White,
        Color::White => Key::Black,
    };
    let named = |player: &str| record.headers.get(&loser).is_some_and(|name| name.contains(player));
    if record.game() != game || player.is_some_and(|player| !named(player)) {
        return None;
    }
    let mut position = record.start().clone();
    for mv in record.moves() {
        if !position.is_legal(mv) {
            break;
        }
        position.play(mv);
    }
    Some(position)
}
