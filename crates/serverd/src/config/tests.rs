//! Settings that are understood, and mistakes that are named.

use super::*;
use server::lobby::{EventKind, Pairing, When};

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text, Path::new("somewhere"))
}

#[test]
fn an_empty_file_is_a_server() {
    let config = parse("").unwrap();
    assert_eq!(config.file.data, Path::new("somewhere/games.sqlite"));
    assert_eq!(config.lobby.max_moves, Some(320));
}

#[test]
fn the_file_of_init_is_understood() {
    let config = parse(crate::init::SETTINGS).unwrap();
    assert!(!config.lobby.timetables.is_empty());
}

#[test]
fn whole_tournaments_and_games() {
    let config = parse(
        "max_moves = 0\n\
         [[game]]\nname = \"two-600-10\"\nstart = \"2\"\nblack_time = { total = 60, byoyomi = 5 }\n\
         [[game]]\nname = \"mini-60-1F\"\nstart = \"minishogi\"\n\
         [[rounds]]\ngame = \"floodgate-300-10F\"\nevery_minutes = 30\n\
         [[tournament]]\nname = \"cup\"\nkind = \"swiss\"\nrounds = 3\nentrants = [\"a\", \"b\", \"c\"]\n\
         start = \"2030-01-01T10:00\"\ntime = { total = 900, increment = 5 }\nmax_moves = 320\n\
         withdrawn = [{ name = \"b\", round = 3 }]\n",
    )
    .unwrap();
    assert_eq!(config.lobby.max_moves, None);
    let [two, mini] = &config.lobby.offers[..] else { panic!("two games") };
    let times = two.times.as_ref().unwrap();
    assert_eq!((times[0].byoyomi, times[1].total), (Some(5), Some(600)));
    assert_eq!(mini.start.game(), Game::Minishogi);
    assert_eq!(config.events[0].kind, EventKind::Swiss { rounds: 3 });
    assert_eq!(config.events[0].withdrawn, [("b".to_owned(), 0, 2)]);
}

#[test]
fn ports_that_are_free_may_be_any() {
    let text = "listen = \"127.0.0.1:0\"\nstatus = \"127.0.0.1:0\"";
    assert!(parse(text).is_ok());
    assert!(parse("listen = \"10.0.0.1:4081\"\nstatus = \"127.0.0.1:4081\"").is_ok());
}

/// The log lies in its folder, whatever that is called.
#[cfg(unix)]
#[test]
fn a_folder_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Path::new(std::ffi::OsStr::from_bytes(b"home\xff"));
    let config = Config::parse("", folder).unwrap();
    assert_eq!(config.file.log, folder.join("server.log"));
    assert_eq!(Config::parse("log = \"-\"", folder).unwrap().file.log.to_str(), Some("-"));
}

#[test]
fn mistakes_are_named() {
    for (text, part) in [
        ("colour = 1", "colour"),
        ("listen = \"127.0.0.1:99999\"", "listen is \"127.0.0.1:99999\": a port is a number"),
        ("status = \"127.0.0.1:99999\"", "a port is a number up to 65535"),
        ("listen = \"\"", "expected an address"),
        ("listen = \"127.0.0.1:4081\"\nstatus = \"127.0.0.1:4081\"", "twice"),
        ("listen = \"0.0.0.0:4082\"\nstatus = \"127.0.0.1:4082\"", "twice"),
        ("[tls]\nlisten = \"0.0.0.0:4081\"\ncertificate = \"c\"\nkey = \"k\"", "0.0.0.0:4081"),
        ("default_game = \"x\"", "default_game"),
        ("declaration = \"x\"", "declaration"),
        ("event = \"a b\"", "event"),
        ("durability = \"maybe\"", "durability"),
        ("[[rounds]]\ngame = \"x-1-1\"\nevery_minutes = 0", "every_minutes"),
        ("[[game]]\nname = \"x-1-1\"\nstart = \"nowhere\"", "nowhere"),
        ("[[game]]\nname = \"x-1-1\"\ntime = { unit = \"1week\" }", "1week"),
        ("[[game]]\nname = \"x-1-1\"\ntime = { byoyomi = 1, least = 1 }", "byoyomi"),
        ("[rating]\nhalf_life = 0.0", "rating"),
        (
            "[[tournament]]\nname = \"c\"\nkind = \"cup\"\nentrants = [\"a\", \"b\"]\n\
             start = \"2030-01-01T10:00\"\ntime = {}",
            "cup",
        ),
        (
            "[[tournament]]\nname = \"c\"\nkind = \"swiss\"\nrounds = 1\nentrants = [\"a\", \"a\"]\n\
             start = \"2030-01-01T10:00\"\ntime = {}",
            "twice",
        ),
        (
            "[[tournament]]\nname = \"c\"\nkind = \"round-robin\"\nentrants = [\"a\", \"b\"]\n\
             start = \"soon\"\ntime = {}",
            "soon",
        ),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn rounds_with_their_own_times_pairing_and_limits() {
    let config = parse(
        "[[rounds]]\ngame = \"floodgate-300-10F\"\nweekly = [\"Sat 13:30\", \"daily 20:00\"]\n\
         pairing = \"least-difference\"\nexclude_unrated = true\nmax_moves = 256\nleast_time = 1\n\
         declaration = \"TryRule\"\n[[game]]\nname = \"x-60-1\"\ndeclaration = \"CSARule24\"\n",
    )
    .unwrap();
    let [table] = &config.lobby.timetables[..] else { panic!("one timetable") };
    let When::Weekly(times) = &table.when else { panic!("by the week") };
    assert_eq!((times.len(), times[0]), (8, 20 * 3600));
    assert!(times.contains(&(5 * 86_400 + 13 * 3600 + 1800)));
    assert_eq!((table.pairing, table.exclude_unrated), (Pairing::LeastDifference, true));
    assert_eq!((table.max_moves, table.least_time), (Some(256), Some(1)));
    assert_eq!(table.declaration, Some(Declaration::Try));
    assert_eq!(config.lobby.offers[0].declaration, Some(Declaration::Points24));
    assert_eq!(config.lobby.declaration, Declaration::Points27H);
}

#[test]
fn more_rounds_than_opponents_are_a_mistake() {
    let cup = |rounds: usize, entrants: &str| {
        parse(&format!(
            "[[tournament]]\nname = \"c\"\nkind = \"swiss\"\nrounds = {rounds}\nentrants = [{entrants}]\n\
             start = \"2030-01-01T10:00\"\ntime = {{}}"
        ))
    };
    assert!(cup(7, "\"a\", \"b\"").unwrap_err().contains("7 rounds for 2 entrants"));
    assert!(cup(1, "\"a\", \"b\"").is_ok());
    assert!(cup(3, "\"a\", \"b\", \"c\"").is_ok(), "one of them against nobody");
}
