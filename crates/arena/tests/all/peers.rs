//! Real engines of other people, where they are installed (Debian: fairy-stockfish, gpsshogi).

use crate::mocks::{engine, plan, play, spec};
use arena::record::{Caption, record};
use kifu::{Format, ReadOptions, WriteOptions};

#[test]
fn peers_play_whole_games_and_their_records_read_back() {
    let mut engines = vec![engine("mock", "good", "movetime=1000")];
    if let Some(path) = fixtures::program("fairy-stockfish") {
        engines.push(spec(&format!("cmd={},nodes=200", path.display())));
    }
    if let Some(path) = fixtures::program("gpsusi") {
        let keys = "arg=-N,arg=1,option.BookDepth=0,option.LimitDepth=4,byoyomi=2000,stall=20";
        engines.push(spec(&format!("cmd={},{keys}", path.display())));
    }
    let mut plan = plan(engines, 2);
    plan.terms.rules.max_moves = Some(30);
    for game in play(&plan) {
        assert_eq!(game.played.end.fault(), None, "{:?}", game.scheduled);
        let written = record(&game.played, &Caption::default());
        let (bytes, losses) =
            kifu::to_bytes(&written, Format::Csa, &WriteOptions::default()).unwrap();
        assert!(losses.is_none(), "{losses}");
        let options = ReadOptions { format: Some(Format::Csa), game: None };
        let read = kifu::read("game", &bytes, options);
        assert_eq!(read.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [written]);
    }
}
