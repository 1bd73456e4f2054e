use super::*;
use chart::{Axis, Frame, Line, Side};
use seed::Rng;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

const USUAL: TimeOptions = TimeOptions {
    delay: ms(120),
    worst_delay: ms(1120),
    minimum: ms(2000),
    slow_mover: 100,
    whole_seconds: true,
    plan: TimePlan::USUAL,
};
const QUICK: TimeOptions = TimeOptions {
    delay: ms(0),
    worst_delay: ms(10),
    minimum: ms(0),
    slow_mover: 100,
    whole_seconds: false,
    plan: TimePlan::USUAL,
};

fn clocks(time: u64, increment: u64, byoyomi: u64) -> Clocks {
    Clocks { time: [ms(time); 2], increment: [ms(increment); 2], byoyomi: ms(byoyomi) }
}

#[test]
fn every_budget_is_ordered_and_safe() {
    for options in [USUAL, QUICK] {
        for time in [0, 1, 10, 200, 1000, 5000, 60_000, 900_000, 86_400_000] {
            for (increment, byoyomi) in [(0, 0), (2, 0), (5000, 0), (0, 100), (0, 10_000)] {
                for ply in [1, 60, 200, 511, 5000] {
                    for max_moves in [0, 256, 512] {
                        let c = clocks(time, increment, byoyomi);
                        let b = Budget::for_clocks(&c, Color::Black, ply, max_moves, options);
                        let sure = if time + byoyomi == 0 { increment } else { time + byoyomi };
                        assert!(b.minimum <= b.maximum && b.optimum <= b.maximum, "{b:?}");
                        assert!(b.maximum >= LEAST, "{b:?}");
                        assert!(b.maximum < ms(sure.max(1)), "{b:?} of {c:?}");
                        for elapsed in [ms(0), b.optimum, b.maximum] {
                            assert!(b.end(elapsed) <= b.hard.max(elapsed), "{b:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn whole_seconds_are_used() {
    let b = Budget::for_clocks(&clocks(0, 0, 10_000), Color::White, 30, 0, USUAL);
    assert_eq!(b.optimum, ms(10_000 - 1120));
    let b = Budget::for_clocks(&clocks(900_000, 5000, 0), Color::White, 30, 0, USUAL);
    assert_eq!(b.end(ms(3200)), ms(3880));
    assert_eq!(b.end(ms(10)), ms(1880));
    assert!(b.optimum > ms(9_000) && b.optimum < ms(30_000), "{b:?}");
    assert_eq!(Budget::fixed(ms(200), USUAL).maximum, ms(200));
}

#[test]
fn the_usual_delay_takes_little_of_a_short_byoyomi() {
    let used = |byoyomi, options| {
        let b = Budget::for_clocks(&clocks(0, 0, byoyomi), Color::Black, 30, 0, options);
        (b.maximum.as_secs_f64() * 1000.0).round() as u64
    };
    assert_eq!([30, 50, 250, 900].map(|t| used(t, USUAL)), [20, 35, 225, 810]);
    assert_eq!([1000, 2000, 4000, 10_000].map(|t| used(t, USUAL)), [667, 1333, 2880, 8880]);
    // Who has chosen a delay has it, as far as something is left.
    let chosen = TimeOptions { worst_delay: ms(1500), ..USUAL };
    assert_eq!([250, 900, 2000, 4000].map(|t| used(t, chosen)), [167, 600, 800, 2500]);
    assert_eq!([50, 250, 1000].map(|t| used(t, QUICK)), [40, 240, 980]);
}

/// Thousands of moves with a network that loses time at random: the clock never runs out.
#[test]
fn a_jittery_network_never_costs_the_game() {
    let mut rng = Rng::new(1);
    let mut moves = 0;
    for game in 0..400 {
        let increment = [0, 0, 2000, 5000, 10_000][game % 5];
        let byoyomi = if increment == 0 { [0, 4000, 10_000, 60_000][game % 4] } else { 0 };
        let mut left = [900_000u64, 300_000, 60_000, 10_000][game % 4].max(30_000);
        for ply in (1..600).step_by(2) {
            let c = clocks(left, increment, byoyomi);
            let b = Budget::for_clocks(&c, Color::Black, ply, 512, USUAL);
            // The search ends anywhere between its earliest and latest moment; polling is up
            // to 5 ms late, the network takes up to a second.
            let range = (b.maximum - b.minimum).as_millis() as u64 + 1;
            let decided = b.minimum + ms(rng.below(range as usize) as u64);
            let end = if rng.below(2) == 0 { b.maximum } else { b.end(decided) };
            let used =
                end.min(b.maximum).as_millis() as u64 + (rng.below(6) + rng.below(1000)) as u64;
            let charged = used / 1000 * 1000;
            let available = left + increment + byoyomi;
            assert!(charged < available.max(1), "{charged} of {available}: {b:?} {c:?}");
            left = (left + increment).saturating_sub(charged).min(left + increment);
            moves += 1;
            // A sudden-death clock below the worst delay cannot be defended by anybody.
            if left <= 4000 && byoyomi + increment == 0 {
                break;
            }
        }
    }
    assert!(moves > 20_000, "{moves}");
}

#[test]
fn an_increment_is_not_there_before_it_is_credited() {
    let b = Budget::for_clocks(&clocks(1000, 10_000, 0), Color::Black, 1, 0, USUAL);
    assert!(b.maximum < ms(1000), "{b:?}");
    // Unless there is nothing else.
    let b = Budget::for_clocks(&clocks(0, 10_000, 0), Color::Black, 1, 0, USUAL);
    assert!(b.maximum > ms(1000) && b.maximum < ms(10_000), "{b:?}");
}

#[test]
fn the_minimum_yields_to_a_share_of_the_clock() {
    let minimum = |time, increment, byoyomi| {
        let c = clocks(time, increment, byoyomi);
        Budget::for_clocks(&c, Color::Black, 1, 0, USUAL).minimum
    };
    assert_eq!(minimum(900_000, 0, 0), ms(1880));
    assert_eq!(minimum(10_000, 10_000, 0), ms(1880));
    assert_eq!(minimum(0, 0, 10_000), ms(1880));
    assert!(minimum(60_000, 0, 0) < ms(800) && minimum(15_000, 0, 0) < ms(200));
}

/// How a search ends within its budget.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Habit {
    /// As soon as the usual time is used.
    Usual,
    /// Always as late as it may.
    Longest,
    /// Anywhere in between.
    Any,
}

/// A clock as a referee keeps it.
#[derive(Clone, Copy, Debug)]
struct Case {
    time: u64,
    increment: u64,
    byoyomi: u64,
    habit: Habit,
    options: TimeOptions,
    /// Whether only whole seconds are charged.
    whole_seconds: bool,
    /// Microseconds by which a move may come late: machine and wire.
    late: u64,
}

/// A machine and a wire that do their best; who always takes the longest has less to lose.
fn usual_late(time: u64, habit: Habit) -> u64 {
    if habit == Habit::Longest { 300 } else { (time / 5).min(2000) }
}

/// Plays 500 moves against the clock, in microseconds; the time used by each, or the move that was
/// too late.
fn play_long_game(case: Case, rng: &mut Rng) -> Result<Vec<Duration>, String> {
    let mut left = ms(case.time);
    let mut uses = Vec::new();
    for number in 0..500 {
        let mut c = clocks(0, case.increment, case.byoyomi);
        // The protocol knows only whole milliseconds.
        c.time = [ms(left.as_millis() as u64); 2];
        let b = Budget::for_clocks(&c, Color::Black, 2 * number + 1, 0, case.options);
        let between = |rng: &mut Rng, from: Duration, to: Duration| {
            from + Duration::from_micros(rng.below((to - from).as_micros() as usize + 1) as u64)
        };
        let end = match case.habit {
            Habit::Usual => b.end(b.optimum).min(b.maximum),
            Habit::Longest => b.maximum,
            Habit::Any => b.end(between(rng, b.minimum, b.maximum)).min(b.maximum),
        };
        let mut used = between(rng, end, end + Duration::from_micros(case.late));
        uses.push(used);
        let sure = left + ms(case.byoyomi);
        if case.whole_seconds {
            used = Duration::from_secs(used.as_secs());
        }
        if used > sure {
            return Err(format!("move {}: {used:?} of {sure:?} used; {case:?}", number + 1));
        }
        left = left.saturating_sub(used) + ms(case.increment);
    }
    Ok(uses)
}

#[test]
fn five_hundred_moves_are_never_lost_on_time() {
    let mut rng = Rng::new(4);
    let (mut games, mut lost) = (0, Vec::new());
    let clocks = [1, 2, 3, 5, 10, 15, 30, 60, 180, 300, 600, 900, 3600, 36_000];
    let gains = [(0, 0), (10, 0), (100, 0), (1000, 0), (10_000, 0), (60_000, 0)];
    let byoyomi = [(0, 1000), (0, 3000), (0, 10_000), (0, 60_000), (2000, 10_000)];
    for seconds in clocks {
        for (increment, byoyomi) in gains.into_iter().chain(byoyomi) {
            for habit in [Habit::Usual, Habit::Longest, Habit::Any] {
                for options in [USUAL, QUICK] {
                    for whole_seconds in [false, true] {
                        let time = seconds * 1000;
                        let late = usual_late(time, habit);
                        let case =
                            Case { time, increment, byoyomi, habit, options, whole_seconds, late };
                        games += 1;
                        lost.extend(play_long_game(case, &mut rng).err());
                    }
                }
            }
        }
    }
    assert!(lost.is_empty(), "{} of {games} games lost, as {}", lost.len(), lost[0]);
}

/// The clocks of matches between programs on a machine that has twice as much to do as it can: nearly
/// all that is kept back for that may be used up by every single move.
#[test]
fn two_thousand_games_at_the_clocks_of_matches_are_not_lost_on_time() {
    let mut rng = Rng::new(8);
    let mut games = 0;
    for (time, increment, byoyomi) in [(0, 0, 50), (5000, 100, 0), (0, 0, 1000)] {
        for round in 0..700 {
            let habit = [Habit::Usual, Habit::Longest, Habit::Any][round % 3];
            let options = [USUAL, QUICK][round / 3 % 2];
            let whole_seconds = false;
            let case = Case { time, increment, byoyomi, habit, options, whole_seconds, late: 9000 };
            if let Err(lost) = play_long_game(case, &mut rng) {
                panic!("game {games}: {lost}");
            }
            games += 1;
        }
    }
    assert_eq!(games, 2100);
}

#[test]
fn most_of_a_clock_is_used_in_a_usual_game() {
    for (seconds, least) in [(1, 0.25), (10, 0.55), (60, 0.6), (900, 0.6)] {
        let case = Case {
            time: seconds * 1000,
            increment: 0,
            byoyomi: 0,
            habit: Habit::Usual,
            options: USUAL,
            whole_seconds: false,
            late: usual_late(seconds * 1000, Habit::Usual),
        };
        let uses = play_long_game(case, &mut Rng::new(1)).unwrap();
        let used: Duration = uses[..80].iter().sum();
        let part = used.as_secs_f64() / seconds as f64;
        assert!(part > least && part < 0.95, "{seconds} s: {part}");
    }
}

/// The picture of docs/usi.md, written where `NUE_WRITE_CONTRACT` is set.
#[test]
fn the_picture_of_time_use_is_up_to_date() {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures/time-use.svg");
    let games = [
        ("10 s", "#c0392b", 10_000, 0, 0),
        ("60 s", "#d68910", 60_000, 0, 0),
        ("15 min", "#1e8449", 900_000, 0, 0),
        ("5 min + 10 s a move", "#2471a3", 300_000, 10_000, 0),
        ("10 min, byoyomi 10 s", "#7d3c98", 600_000, 0, 10_000),
    ];
    let power = |decade: f64| match 10f64.powf(decade) {
        seconds if seconds < 1.0 => format!("{:.0} ms", seconds * 1000.0),
        seconds => format!("{seconds:.0} s"),
    };
    let x = Axis { from: 0.0, to: 200.0, label: &|move_number| format!("{move_number:.0}") };
    let y = Axis { from: -3.0, to: 2.0, label: &power };
    let title = "Usual time for a move, by its number";
    let mut frame = Frame::new(title, "move of the player", x, y, Side::Right);
    for (name, color, time, increment, byoyomi) in games {
        let (habit, options) = (Habit::Usual, USUAL);
        let (whole_seconds, late) = (false, usual_late(time, habit));
        let case = Case { time, increment, byoyomi, habit, options, whole_seconds, late };
        let uses = play_long_game(case, &mut Rng::new(1)).unwrap();
        let points: Vec<(f64, f64)> = uses[..200]
            .iter()
            .enumerate()
            .map(|(index, used)| (index as f64 + 1.0, used.as_secs_f64().log10()))
            .collect();
        frame = frame.curve(Line { color, width: 1.5, dashed: false, name }, points);
    }
    let picture = frame.svg();
    if std::env::var_os("NUE_WRITE_CONTRACT").is_some() {
        std::fs::write(PATH, &picture).unwrap();
    }
    assert!(
        std::fs::read_to_string(PATH).unwrap_or_default() == picture,
        "write docs/pictures/time-use.svg anew: NUE_WRITE_CONTRACT=1 cargo test -p think picture"
    );
}
