//! What another server has: ratings (`players.yaml` of shogi-server) and the records of its games.

use crate::config::Config;
use crate::error::Error;
use crate::store::{self, Store};
use csa::GameName;
use csa::record::Finish;
use kifu::{Key, NodeId, ReadOptions, Record};
use play::Ending;
use rules::Declaration;
use server::lobby::Stored;
use server::{Conditions, Entry, calendar};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What came of an import.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// Games that were taken over.
    pub games: usize,
    /// Games that the data file had already.
    pub known: usize,
    /// Ratings that were taken over.
    pub ratings: usize,
    /// What could not be used, and why.
    pub left_out: Vec<(PathBuf, String)>,
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} games, {} of them new", self.games + self.known, self.games)?;
        writeln!(f, "{} ratings", self.ratings)?;
        for (path, why) in &self.left_out {
            writeln!(f, "left out: {}: {why}", path.display())?;
        }
        Ok(())
    }
}

/// Takes over files and whole folders: `players.yaml` for ratings, `*.csa` for games. May be done
/// again, and while the server runs; ratings follow within minutes.
pub fn import(config: &Config, paths: &[PathBuf]) -> Result<Imported, Error> {
    let data = &config.file.data;
    let opened = Store::open(data, config.file.durability);
    let mut store = opened.map_err(|error| Error::file(data, error))?;
    let mut done = Imported::default();
    let mut waiting: Vec<PathBuf> = paths.iter().rev().cloned().collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).map_err(|error| Error::file(&path, error))?;
            let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            inside.sort();
            waiting.extend(inside.into_iter().rev().filter(|path| path.is_dir() || is_ours(path)));
            continue;
        }
        let bytes = std::fs::read(&path).map_err(|error| Error::file(&path, error))?;
        let taken = if has_ending(&path, &["yaml", "yml"]) {
            ratings(&mut store, &kifu::decode_text(&bytes), &mut done)
        } else {
            games(&mut store, &path, &bytes, &mut done)
        };
        if let Err(why) = taken {
            done.left_out.push((path, why));
        }
    }
    Ok(done)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

fn is_ours(path: &Path) -> bool {
    has_ending(path, &["csa", "yaml", "yml"])
}

/// `players.yaml`: groups of players, each with a `name` and a `rate` among other things.
fn ratings(store: &mut Store, text: &str, done: &mut Imported) -> Result<(), String> {
    let mut name: Option<String> = None;
    let mut found = 0;
    for line in text.lines() {
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        match key {
            "name" => name = csa::UserName::new(value).ok().map(|name| name.to_string()),
            "rate" => {
                let rating = value.parse::<f64>().ok().filter(|rating| rating.is_finite());
                if let (Some(name), Some(rating)) = (name.take(), rating) {
                    store.import_rating(&name, rating).map_err(|error| error.to_string())?;
                    found += 1;
                }
            }
            _ => {}
        }
    }
    done.ratings += found;
    if found == 0 { Err("no player with a name and a rate".to_owned()) } else { Ok(()) }
}

fn games(store: &mut Store, path: &Path, bytes: &[u8], done: &mut Imported) -> Result<(), String> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    for record in kifu::read(&file, bytes, ReadOptions::default()) {
        let record = record.map_err(|error| error.to_string())?;
        let entries = entries(&record, &stem)?;
        let Some(Stored::Game { conditions, .. }) = entries.first() else { continue };
        let id = conditions.id.clone();
        let there = store::game(store.connection(), &id).map_err(|error| error.to_string())?;
        if there.is_some() {
            done.known += 1;
            continue;
        }
        // Its record lies where it came from.
        store.commit(&entries, &[id], &[]).map_err(|error| error.to_string())?;
        done.games += 1;
    }
    Ok(())
}

/// What a server would have stored of a game.
fn entries(record: &Record, stem: &str) -> Result<Vec<Stored>, String> {
    let header = |key: Key| record.headers.get(&key).map(str::trim).filter(|text| !text.is_empty());
    let name = |key: Key, who: &str| {
        let name = header(key).ok_or_else(|| format!("{who} has no name"))?;
        csa::UserName::new(name).map_err(|error| format!("{name:?}: {error}"))
    };
    let names = [name(Key::Black, "Black")?, name(Key::White, "White")?];
    let time = |key: Key| calendar::parse(&header(key)?.replace('/', "-"));
    let started = time(Key::StartTime).ok_or("the record has no start time")?;
    let ended = time(Key::EndTime).unwrap_or(started);
    let Some(ending) = record.ending() else { return Err("the game has no end".to_owned()) };
    let id = header(Key::Event).unwrap_or(stem).to_owned();
    let game = id.split('+').nth(1).unwrap_or(&id).to_owned();
    let rule = GameName::parse(&game).map(|game| game.time_rule()).unwrap_or_default();
    let rate = |key: &str| {
        let text = record.headers.get(&Key::named(key))?;
        let rate: f64 = text.rsplit(':').next()?.trim().parse().ok()?;
        Some(rate.round() as i32)
    };
    let ratings = [rate("black_rate"), rate("white_rate")];
    let rated =
        record.headers.get(&Key::named("rating")).is_some() || ratings.iter().all(Option::is_some);
    let conditions = Arc::new(Conditions {
        id,
        event: game,
        names: names.map(|name| name.to_string()),
        times: [rule.clone(), rule],
        start: record.start().clone(),
        max_moves: header(Key::MaxMoves).and_then(|limit| limit.parse().ok()),
        declaration: Declaration::Points27,
        rated,
        ratings,
        interruptions: 0,
    });
    let entry = |entry, wall| Stored::Game { conditions: Arc::clone(&conditions), entry, wall };
    let mut entries = vec![entry(Entry::Started, started)];
    let mut position = record.start().clone();
    let mut number = 0;
    for id in record.line_from(NodeId::ROOT) {
        let node = record.node(id);
        let Some(m) = node.played() else { continue };
        number += 1;
        let text = kifu::wire::write_move(&position, m);
        position.play(m);
        let comment = node.comments.first().cloned();
        let time = node.time.unwrap_or_default();
        entries.push(entry(Entry::Move { number, text, time, comment }, started));
    }
    let ending: Ending = ending.decided(position.turn());
    entries.push(entry(Entry::Ended(Finish { ending, last: None }), ended));
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "V2\nN+alpha\nN-beta\n'Max_Moves:256\n'Increment:10\n\
        $EVENT:wdoor+floodgate-300-10F+alpha+beta+20200101000000\n$START_TIME:2020/01/01 00:00:00\nPI\n+\n\
        'rating:alpha+x:beta+y\n'black_rate:alpha+x:2000.4\n'white_rate:beta+y:1900.0\n\
        +7776FU\nT3\n'** 30 -3334FU\n-3334FU\nT5\n\
        'summary:time up:alpha lose:beta win\n'$END_TIME:2020/01/01 00:10:00\n";

    const PLAYERS: &str = "---\nplayers:\n  0:\n    alpha+x:\n      name: alpha\n      rating_group: 0\n      \
        rate: 2012.5\n      win: 10.0\n    beta+y:\n      name: beta\n      rate: 1890.0\n";

    #[test]
    fn games_and_ratings_of_another_server() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::parse("", folder.path()).unwrap();
        let old = folder.path().join("2020/01");
        std::fs::create_dir_all(&old).unwrap();
        std::fs::write(old.join("game.csa"), GAME).unwrap();
        std::fs::write(old.join("broken.csa"), "V2\nN+a\nPI\n+\n+7775FU\n").unwrap();
        std::fs::write(folder.path().join("players.yaml"), PLAYERS).unwrap();
        let paths = [folder.path().join("2020"), folder.path().join("players.yaml")];
        let done = import(&config, &paths).unwrap();
        assert_eq!((done.games, done.known, done.ratings), (1, 0, 2));
        assert_eq!(done.left_out.len(), 1, "{:?}", done.left_out);
        let again = import(&config, &paths).unwrap();
        assert_eq!((again.games, again.known), (0, 1), "nothing comes twice");
        let connection = store::reader(&config.file.data).unwrap();
        let id = "wdoor+floodgate-300-10F+alpha+beta+20200101000000";
        let game = store::game(&connection, id).unwrap().unwrap();
        assert_eq!((game.moves.len(), game.moves[1].time.as_secs()), (2, 5));
        assert_eq!(game.conditions.ratings, [Some(2000), Some(1900)]);
        let finish = game.finish.as_ref().unwrap();
        assert_eq!(finish.ending, Ending::lost(rules::Color::Black, play::Reason::TimeUp));
        let results = store::results(&connection, 1_577_923_200, 730.0).unwrap();
        assert_eq!(results.len(), 1, "it counts for ratings");
        let imported = store::imported(&connection).unwrap();
        assert_eq!(imported, [("alpha".to_owned(), 2012.5), ("beta".to_owned(), 1890.0)]);
    }
}
