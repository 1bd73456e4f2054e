use balance::{Balance, ResignRule, ResignThreshold, Start, Table, Temperature, WinRate};
use features::{Labels, Planes};
use infer::{Backend, Delay, Failing, Faulty, Hashed, Shape, Uniform};
use play::Reason;
use reinforce::lots::{Assignments, Lots};
use reinforce::records::{RecordError, play_to_file, unfinished};
use reinforce::{FinishedGame, PlayError, PlaySettings, PlayerNet, Review, SelfPlay};
use rules::Game;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use teacher::Header;
use think::{ManualTime, TimeSource, WallTime};

fn shape(game: Game) -> Shape {
    match game {
        Game::Shogi => Shape { game, planes: Planes::Dlshogi, labels: Labels::Dlshogi },
        Game::Minishogi => Shape { game, planes: Planes::Minishogi, labels: Labels::Minishogi },
    }
}

fn hashed(game: Game, threads: usize) -> PlayerNet {
    let net = |_| Arc::new(Hashed::new(shape(game), 5)) as Arc<dyn Backend>;
    PlayerNet::OnThreads((0..threads).map(net).collect())
}

/// Few playouts, short games.
fn settings(game: Game) -> PlaySettings {
    PlaySettings {
        playouts: 16,
        fast_playouts: 4,
        fast_share: 0.5,
        max_moves: 60,
        ..PlaySettings::usual(game)
    }
}

static RUNNING: AtomicBool = AtomicBool::new(false);

/// Nobody is weakened.
fn lots(settings: &PlaySettings) -> Lots {
    let (game, starts) = (settings.game, settings.starts.clone());
    let rule = balance::Settings::default();
    let balance = Balance::new(game, starts, rule, Table::published(), 7).unwrap();
    let assignments = Assignments::Balanced { balance, first: 0 };
    Lots { assignments, seed: 7, played_out: settings.played_out }
}

fn review(path: &Path, settings: &PlaySettings) -> Result<Review, RecordError> {
    Review::read(path, settings, &lots(settings), ResignThreshold::new(settings.resign))
}

fn order<'a>(
    settings: &'a PlaySettings,
    lots: &'a Lots,
    net: PlayerNet,
    games: u64,
) -> SelfPlay<'a> {
    let threads = match &net {
        PlayerNet::OnThreads(nets) => nets.len().max(1),
        PlayerNet::Device(_) => 3,
    };
    SelfPlay {
        settings,
        lots,
        resign: Some(WinRate::from_thousandths(20)),
        first: 0,
        last: games,
        net,
        other: None,
        threads: NonZeroUsize::new(threads).unwrap(),
        games: NonZeroUsize::new(17).unwrap(),
        stop: &RUNNING,
    }
}

fn played(settings: &PlaySettings, net: PlayerNet, games: u64) -> Vec<FinishedGame> {
    let mut all = Vec::new();
    let taken = order(settings, &lots(settings), net, games).run(&mut |game| {
        all.push(game);
        ControlFlow::Continue(())
    });
    taken.unwrap();
    all
}

fn file(settings: &PlaySettings, net: PlayerNet, games: u64, path: &Path) -> bool {
    let header = Header::new(settings.game).with("seed", 7);
    let lots = lots(settings);
    let mut order = order(settings, &lots, net, games);
    play_to_file(&mut order, path, header, &WallTime::start(), &mut |_| ()).unwrap()
}

/// Threads, batches and a device that takes its time change nothing.
#[test]
fn a_game_depends_on_its_own_answers_alone() {
    for game in Game::ALL {
        let settings = settings(game);
        let games = if game == Game::Shogi { 6 } else { 20 };
        let alone = played(&settings, hashed(game, 1), games);
        assert_eq!(alone.len(), games as usize);
        assert!(alone.iter().map(|game| game.number).eq(0..games));
        assert_eq!(played(&settings, hashed(game, 3), games), alone);
        let device = Arc::new(Hashed::new(shape(game), 5));
        assert_eq!(played(&settings, PlayerNet::Device(device.clone()), games), alone);
        let clock = WallTime::start();
        let slow = Delay::new(device, Duration::from_micros(300), Arc::new(move || clock.now()));
        // One game: every answer is waited for, and it waits for thousands.
        assert_eq!(played(&settings, PlayerNet::Device(Arc::new(slow)), 1), alone[..1]);
        let turned = Faulty::new(Arc::new(Hashed::new(shape(game), 5)), Failing::Reorders);
        assert_eq!(played(&settings, PlayerNet::Device(Arc::new(turned)), games), alone);
        let other = Arc::new(Hashed::new(shape(game), 6));
        assert_ne!(played(&settings, PlayerNet::Device(other), games), alone);
        let different: BTreeSet<u64> = alone.iter().map(|g| g.game.fingerprint()).collect();
        assert!(different.len() > games as usize * 9 / 10);
    }
}

/// Every way to search gives games the referee confirms, with targets that are whole.
#[test]
fn every_option_gives_games_the_referee_confirms() {
    let usual = settings(Game::Minishogi);
    let rows: [(&str, PlaySettings); 7] = [
        ("caps", usual.clone()),
        (
            "no caps, no forced playouts",
            PlaySettings { fast_share: 0.0, forced: 0.0, ..usual.clone() },
        ),
        ("gumbel", PlaySettings { gumbel: 8, fast_share: 0.0, ..usual.clone() }),
        (
            "gumbel, flatter",
            PlaySettings {
                gumbel: 8,
                fast_share: 0.0,
                policy_temperature: 1.5,
                target_temperature: 1.5,
                ..usual.clone()
            },
        ),
        (
            "gain",
            PlaySettings { least_gain: 0.01, playouts: 400, fast_share: 0.0, ..usual.clone() },
        ),
        ("dlshogi", PlaySettings { constants: "dlshogi".to_owned(), ..usual.clone() }),
        (
            "resigning",
            PlaySettings {
                resign: ResignRule {
                    moves: 1,
                    highest: WinRate::from_thousandths(400),
                    ..ResignRule::default()
                },
                played_out: 0.2,
                ..usual
            },
        ),
    ];
    let place = tempfile::tempdir().unwrap();
    for (name, settings) in rows {
        let path = place.path().join(name);
        assert!(file(&settings, hashed(Game::Minishogi, 2), 30, &path), "{name}");
        let review = review(&path, &settings).unwrap();
        let scored: u64 = review.scores.iter().map(balance::Wdl::games).sum();
        assert_eq!((review.games, scored), (30, 30), "{name}");
        assert!(review.learned > 0 && review.learned <= review.positions, "{name}");
        let full = settings.fast_share == 0.0;
        let games = teacher::Reader::new(std::fs::File::open(&path).unwrap()).unwrap().games();
        for game in games.map(Result::unwrap) {
            for (number, ply) in game.plies.iter().enumerate() {
                let own = game.candidates.iter().filter(|c| c.ply as usize == number);
                let sum: u32 = own.map(|c| u32::from(c.visits)).sum();
                let wanted = if ply.flags.skip { 0..=0 } else { 9_900..=10_100 };
                assert!(wanted.contains(&sum), "{name}: {sum}");
                assert!(!full || !ply.flags.skip, "{name}");
            }
        }
    }
}

#[test]
fn the_search_gain_saves_playouts() {
    let settings = PlaySettings { playouts: 400, fast_share: 0.0, ..settings(Game::Minishogi) };
    let evaluations = |least_gain| {
        let settings = PlaySettings { least_gain, ..settings.clone() };
        let games = played(&settings, hashed(Game::Minishogi, 1), 4);
        let plies: usize = games.iter().map(|game| game.game.plies.len()).sum();
        games.iter().map(|game| game.evaluations).sum::<u64>() as f64 / plies as f64
    };
    let (whole, saved) = (evaluations(0.0), evaluations(0.05));
    assert!(saved < 0.8 * whole, "{saved} of {whole}");
}

/// Handicaps, and a start that is a position from the middle of some game: its moves count from the start on.
#[test]
fn games_begin_from_every_start() {
    let mut settings =
        PlaySettings { max_moves: 12, playouts: 4, fast_playouts: 2, ..settings(Game::Shogi) };
    settings.starts.push(Start::parse(Game::Shogi, "4k4/9/9/9/9/9/9/9/4K4 b RB2G 17").unwrap());
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("games");
    assert!(file(&settings, hashed(Game::Shogi, 1), 60, &path));
    let review = review(&path, &settings).unwrap();
    assert!(review.scores.iter().all(|score| score.games() > 0), "{:?}", review.scores);
    assert!(review.endings.contains_key(&Reason::MaxMoves.to_string()), "{:?}", review.endings);
}

/// A stronger net of no opinion still mates: games from a mate in one last one move.
#[test]
fn a_mate_in_one_is_played() {
    let mut settings = settings(Game::Minishogi);
    settings.starts = vec![Start::parse(Game::Minishogi, "4k/5/4P/5/K4 b G 1").unwrap()];
    let net = PlayerNet::Device(Arc::new(Uniform::new(shape(Game::Minishogi))));
    for game in played(&settings, net, 3) {
        assert_eq!((game.game.plies.len(), game.evaluations), (1, 0));
        assert_eq!(game.game.reason, Reason::Mate);
        assert_eq!(game.game.candidates[0].visits, 10_000);
    }
}

/// Who is cold plays what was visited most, who is hot often something else: Black in every second game.
#[test]
fn temperature_is_a_sides_own() {
    let mut settings = PlaySettings { fast_share: 0.0, ..settings(Game::Minishogi) };
    settings.exploration.plies = 0;
    let pairs = vec![(Temperature::from_thousandths(3000), Temperature::ZERO)];
    let assignments = Assignments::Paired { pairs, starts: 1 };
    let lots = Lots { assignments, seed: 7, played_out: 0.0 };
    let play = order(&settings, &lots, hashed(Game::Minishogi, 2), 20);
    let (mut best, mut all) = ([0; 2], [0; 2]);
    let run = play.run(&mut |finished| {
        let game = finished.game;
        for (number, ply) in game.plies.iter().enumerate() {
            // Black begins.
            let side = (number + finished.number as usize) % 2;
            let first = game.candidates.iter().find(|c| c.ply as usize == number).unwrap();
            best[side] += usize::from(first.mv == ply.mv);
            all[side] += 1;
        }
        ControlFlow::Continue(())
    });
    run.unwrap();
    assert_eq!(best[1], all[1], "cold");
    assert!(best[0] * 10 < all[0] * 8 && best[0] > 0, "hot: {} of {}", best[0], all[0]);
}

/// Without noise there is nothing to draw at Gumbel's root: cold games from the same start are the same, whatever the
/// seed. With it they differ, but what is played is what is written down first.
#[test]
fn gumbels_root_has_chance_only_where_it_is_wanted() {
    let mut settings = PlaySettings { fast_share: 0.0, gumbel: 4, ..settings(Game::Minishogi) };
    settings.exploration.plies = 0;
    let pairs = vec![(Temperature::ZERO, Temperature::ZERO)];
    let games = |noise, seed| {
        let settings = PlaySettings { noise, ..settings.clone() };
        let assignments = Assignments::Paired { pairs: pairs.clone(), starts: 1 };
        let lots = Lots { assignments, seed, played_out: 1.0 };
        let mut all = Vec::new();
        let play = order(&settings, &lots, hashed(Game::Minishogi, 1), 6);
        play.run(&mut |finished| {
            all.push(finished.game);
            ControlFlow::Continue(())
        })
        .unwrap();
        all
    };
    let still = games(0.0, 7);
    assert!(still.iter().all(|game| game == &still[0]));
    assert_eq!(games(0.0, 8), still);
    let stirred = games(0.25, 7);
    assert_ne!(stirred, games(0.25, 8));
    for game in stirred {
        for (number, ply) in game.plies.iter().enumerate() {
            let mut own = game.candidates.iter().filter(|c| c.ply as usize == number);
            let first = own.next().unwrap();
            let tied = own.any(|other| other.visits == first.visits && other.mv == ply.mv);
            assert!(tied || first.mv == ply.mv, "ply {number}");
        }
    }
}

/// Broken off anywhere and gone on with, the file is the same.
#[test]
fn a_file_that_was_broken_off_becomes_the_same() {
    let settings = settings(Game::Minishogi);
    let place = tempfile::tempdir().unwrap();
    let (whole, parts) = (place.path().join("whole"), place.path().join("parts"));
    assert!(file(&settings, hashed(Game::Minishogi, 1), 40, &whole));
    // Somebody says stop after some games.
    let (stop, header) = (AtomicBool::new(false), || Header::new(Game::Minishogi).with("seed", 7));
    let lots = lots(&settings);
    let mut broken =
        SelfPlay { stop: &stop, ..order(&settings, &lots, hashed(Game::Minishogi, 2), 40) };
    let watch = &mut |progress: &reinforce::records::PlayProgress| {
        stop.store(progress.games >= 11, Ordering::Relaxed);
    };
    let done = play_to_file(&mut broken, &parts, header(), &ManualTime::new(), watch).unwrap();
    assert!(!done && !parts.exists());
    // A kill leaves half a block behind.
    let part = unfinished(&parts);
    let mut bytes = std::fs::read(&part).unwrap();
    bytes.extend_from_slice(b"NTbk half of a block");
    std::fs::write(&part, bytes).unwrap();
    assert!(file(&settings, hashed(Game::Minishogi, 1), 40, &parts));
    let games = |path: &Path| {
        let reader = teacher::Reader::new(std::fs::File::open(path).unwrap()).unwrap();
        reader.games().map(Result::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(games(&parts), games(&whole));
    assert!(!part.exists());
    // Another seed is another file.
    std::fs::remove_file(&parts).unwrap();
    std::fs::copy(&whole, &part).unwrap();
    let other = Header::new(Game::Minishogi).with("seed", 8);
    let mut order = order(&settings, &lots, hashed(Game::Minishogi, 1), 40);
    let mut again = |path: &Path, header: &Header| {
        let played =
            play_to_file(&mut order, path, header.clone(), &ManualTime::new(), &mut |_| ());
        played.map_err(|e| e.to_string())
    };
    let refused = again(&parts, &other).unwrap_err();
    assert!(refused.contains("seed is \"7\" in the file, now \"8\""), "{refused}");
    // So it is when it is whole, and neither touches it.
    assert_eq!(again(&whole, &header()), Ok(true));
    let (before, refused) = (std::fs::read(&whole).unwrap(), again(&whole, &other).unwrap_err());
    assert!(refused.contains("seed is \"7\" in the file, now \"8\""), "{refused}");
    assert_eq!(std::fs::read(&whole).unwrap(), before);
    std::fs::write(&parts, b"no games").unwrap();
    let refused = again(&parts, &header()).unwrap_err();
    assert!(refused.contains("no games"), "{refused}");
}

#[test]
fn damage_and_untrue_records_are_told() {
    let settings = settings(Game::Minishogi);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("games");
    assert!(file(&settings, hashed(Game::Minishogi, 1), 10, &path));
    let told = |settings: &PlaySettings| review(&path, settings).unwrap_err().to_string();
    // By other rules some game is not over, or went on too long.
    let shorter = PlaySettings { max_moves: 3, ..settings.clone() };
    assert!(told(&shorter).contains("game 0"), "{}", told(&shorter));
    let mut elsewhere = settings.clone();
    elsewhere.starts = vec![Start::parse(Game::Minishogi, "4k/5/4P/5/K4 b G 1").unwrap()];
    assert!(told(&elsewhere).contains("begins from"));
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert!(told(&settings).contains("damaged at byte"), "{}", told(&settings));
}

#[test]
fn nets_that_cannot_play_are_refused_or_end_the_games() {
    let settings = settings(Game::Minishogi);
    let lots = lots(&settings);
    let run = |net| order(&settings, &lots, net, 5).run(&mut |_| ControlFlow::Continue(()));
    assert!(matches!(run(hashed(Game::Shogi, 1)), Err(PlayError::Net { .. })));
    assert!(matches!(run(PlayerNet::OnThreads(Vec::new())), Err(PlayError::NoNet)));
    for failing in [Failing::NotANumber(3), Failing::Dies(3)] {
        let inner = Arc::new(Hashed::new(shape(Game::Minishogi), 5));
        let net = PlayerNet::Device(Arc::new(Faulty::new(inner, failing)));
        assert!(matches!(run(net), Err(PlayError::Fault(_))));
    }
}
