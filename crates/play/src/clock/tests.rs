use super::*;
use proptest::prelude::*;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn game(main: Duration, byoyomi: Duration, increment: Duration) -> GameTime {
    GameTime { main, byoyomi, increment, ..GameTime::default() }
}

/// The clock of the CSA protocol: whole seconds, over when the limit is reached.
fn csa(game: GameTime) -> ClockRule {
    let rounding = Rounding::Down(s(1));
    ClockRule { game: Some(game), rounding, edge: Edge::Over, ..ClockRule::default() }
}

#[test]
fn each_kind_of_clock_of_a_match_counts_as_its_rule_says() {
    // (main, increment, byoyomi), moves as (used, in time, left afterwards)
    for ((main, increment, byoyomi), moves) in [
        ((1000, 0, 0), vec![(400, true, 600), (600, true, 0), (1, false, 0)]),
        ((1000, 100, 0), vec![(50, true, 1050), (1150, true, 0), (101, false, 0)]),
        ((1000, 0, 500), vec![(1200, true, 0), (500, true, 0), (501, false, 0)]),
        ((0, 0, 100), vec![(100, true, 0), (101, false, 0)]),
    ] {
        let time = game(ms(main), ms(byoyomi), ms(increment));
        let mut clock = Clock::new(ClockRule { game: Some(time), ..ClockRule::default() });
        for (used, in_time, left) in moves {
            assert_eq!(clock.end_turn(ms(used)).is_ok(), in_time, "{time:?} {used}");
            assert_eq!(clock.left(), ms(left), "{time:?} {used}");
        }
    }
}

#[test]
fn the_margin_is_forgiven_and_not_owed() {
    let time = game(ms(100), ms(0), ms(10));
    let rule = ClockRule { game: Some(time), margin: ms(50), ..ClockRule::default() };
    let mut clock = Clock::new(rule);
    assert!(clock.end_turn(ms(150)).is_ok());
    assert_eq!(clock.left(), ms(0));
    assert!(clock.end_turn(ms(60)).is_ok());
    assert!(clock.end_turn(ms(61)).is_err());
}

#[test]
fn a_move_is_bounded_by_the_tightest_limit() {
    let mut rule = ClockRule { per_move: Some(ms(300)), ..ClockRule::default() };
    assert_eq!(Clock::new(rule).limit(), Some(ms(300)));
    rule.game = Some(game(ms(1000), ms(0), ms(0)));
    assert_eq!(Clock::new(rule).limit(), Some(ms(300)));
    rule.game = Some(game(ms(200), ms(0), ms(0)));
    assert_eq!(Clock::new(rule).limit(), Some(ms(200)));
    let free = ClockRule::default();
    assert!(rule.is_limited() && !free.is_limited());
    let mut clock = Clock::new(free);
    assert_eq!((clock.limit(), clock.is_over(s(1_000_000))), (None, false));
    assert_eq!(clock.end_turn(s(1_000_000)), Ok(s(1_000_000)), "it only measures");
}

/// The worked example of section 3.2.2.1 of the protocol: 300 seconds, byoyomi 10, delay 3,
/// increment 5, and Black's clock when move 81 is due.
#[test]
fn the_worked_example_of_the_csa_protocol() {
    let rule = csa(GameTime { delay: s(3), ..game(s(300), s(10), s(5)) });
    let at_move_81 = || {
        let mut clock = Clock::new(rule);
        for _ in 0..40 {
            assert_eq!(clock.end_turn(s(8 + 3)), Ok(s(8)));
        }
        assert_eq!((clock.left(), clock.left_in_turn()), (s(180), s(185)));
        clock
    };
    for (elapsed, recorded, left) in [
        (ms(0), s(0), s(185)),
        (ms(2_999), s(0), s(185)),
        (ms(3_999), s(0), s(185)),
        (s(30), s(27), s(158)),
        (ms(187_999), s(184), s(1)),
        (s(188), s(185), s(0)),
        (ms(197_999), s(194), s(0)),
    ] {
        let mut clock = at_move_81();
        assert_eq!(clock.end_turn(elapsed), Ok(recorded), "{elapsed:?}");
        assert_eq!(clock.left(), left, "{elapsed:?}");
    }
    let mut clock = at_move_81();
    assert_eq!(clock.limit(), Some(s(198)));
    assert_eq!(clock.end_turn(s(198)), Err(FlagFallen));
    assert_eq!(clock.left_in_turn(), s(185), "as it was");
}

#[test]
fn least_charge_and_rounding_up() {
    let least = ClockRule { least: s(1), ..csa(game(s(3), s(0), s(0))) };
    let mut clock = Clock::new(least);
    assert_eq!(clock.end_turn(ms(0)), Ok(s(1)));
    assert_eq!(clock.end_turn(ms(0)), Ok(s(1)));
    assert_eq!(clock.end_turn(ms(0)), Err(FlagFallen), "three seconds in all are used up");
    let rounding = Rounding::Up(s(1));
    let up = ClockRule { rounding, ..csa(GameTime { delay: s(3), ..game(s(300), s(0), s(0)) }) };
    let mut clock = Clock::new(up);
    assert_eq!(clock.end_turn(ms(2_999)), Ok(s(0)));
    assert_eq!(clock.end_turn(ms(3_001)), Ok(s(1)));
    assert_eq!(clock.end_turn(ms(5_000)), Ok(s(2)));
}

#[test]
fn increments_after_the_move() {
    let time = GameTime { credit: Credit::AfterMove, ..game(s(10), s(0), s(3)) };
    let rule = ClockRule { game: Some(time), edge: Edge::Over, ..ClockRule::default() };
    let mut clock = Clock::new(rule);
    assert_eq!(clock.limit(), Some(s(10)));
    assert_eq!(clock.end_turn(s(4)), Ok(s(4)));
    assert_eq!((clock.left(), clock.left_in_turn()), (s(9), s(9)));
    assert_eq!(clock.end_turn(s(9)), Err(FlagFallen));
}

#[test]
fn nothing_overflows() {
    for rounding in [Rounding::Exact, Rounding::Up(Duration::MAX), Rounding::Down(ms(0))] {
        let game = Some(game(Duration::MAX, Duration::MAX, Duration::MAX));
        let margin = Duration::MAX;
        let mut clock = Clock::new(ClockRule { game, rounding, margin, ..ClockRule::default() });
        clock.end_turn(Duration::MAX).unwrap();
        clock.end_turn(ms(1)).unwrap();
    }
}

/// The three clocks this one replaced, as they were written, to show that it counts like each.
mod replaced {
    use super::Duration;

    /// Of matches between engines.
    pub(super) struct Match {
        pub(super) clock: Option<[Duration; 3]>,
        pub(super) movetime: Option<Duration>,
        pub(super) left: Duration,
    }

    impl Match {
        pub(super) fn allowed(&self) -> Option<Duration> {
            let clock = self.clock.map(|[_, byoyomi, increment]| {
                self.left.saturating_add(increment).saturating_add(byoyomi)
            });
            match (clock, self.movetime) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }
        }

        pub(super) fn spend(&mut self, used: Duration, margin: Duration) -> bool {
            let in_time =
                self.allowed().is_none_or(|allowed| used <= allowed.saturating_add(margin));
            if let Some([_, _, increment]) = self.clock {
                self.left = self.left.saturating_add(increment).saturating_sub(used);
            }
            in_time
        }
    }

    /// Of the game server: everything in units.
    pub(super) struct Server {
        pub(super) unit: Duration,
        pub(super) least: u64,
        pub(super) roundup: bool,
        pub(super) total: Option<u64>,
        pub(super) byoyomi: Option<u64>,
        pub(super) delay: Option<u64>,
        pub(super) increment: Option<u64>,
        pub(super) remaining: u64,
    }

    impl Server {
        pub(super) fn span(&self, units: u64) -> Duration {
            self.unit * u32::try_from(units).unwrap()
        }

        pub(super) fn is_unlimited(&self) -> bool {
            [self.total, self.byoyomi, self.delay, self.increment] == [None; 4]
        }

        pub(super) fn begin_turn(&mut self) {
            self.remaining = self.remaining.saturating_add(self.increment.unwrap_or(0));
        }

        pub(super) fn limit(&self) -> Option<Duration> {
            let delay = self.span(self.delay.unwrap_or(0));
            (!self.is_unlimited()).then(|| delay.saturating_add(self.span(self.left())))
        }

        fn left(&self) -> u64 {
            self.remaining.saturating_add(self.byoyomi.unwrap_or(0))
        }

        fn units(&self, elapsed: Duration) -> u64 {
            if self.is_unlimited() {
                return self.least;
            }
            let delay = self.span(self.delay.unwrap_or(0));
            let counted = elapsed.saturating_sub(delay).as_nanos();
            let unit = self.unit.as_nanos().max(1);
            let units = if self.roundup { counted.div_ceil(unit) } else { counted / unit };
            u64::try_from(units).unwrap_or(u64::MAX).max(self.least)
        }

        pub(super) fn end_turn(&mut self, elapsed: Duration) -> Option<Duration> {
            let units = self.units(elapsed);
            let over = self.limit().is_some_and(|limit| {
                elapsed >= limit || (self.least > 0 && self.least >= self.left())
            });
            if over {
                return None;
            }
            self.remaining = self.remaining.saturating_sub(units);
            Some(self.span(units))
        }
    }

    /// Of the board in the browser.
    pub(super) struct Board {
        pub(super) control: Option<[Duration; 3]>,
        pub(super) left: Duration,
    }

    impl Board {
        pub(super) fn allowed(&self) -> Option<Duration> {
            self.control.map(|[_, byoyomi, _]| self.left + byoyomi)
        }

        pub(super) fn turn(&mut self, spent: Duration) -> bool {
            if self.allowed().is_some_and(|allowed| spent >= allowed) {
                return false;
            }
            let increment = self.control.map_or(Duration::ZERO, |[_, _, increment]| increment);
            self.left = self.left.saturating_sub(spent) + increment;
            true
        }
    }
}

fn times() -> impl Strategy<Value = [Duration; 3]> {
    [0u64..8, 0u64..4, 0u64..4].prop_map(|times| times.map(s))
}

/// Times on the very edges, and others.
fn moves() -> impl Strategy<Value = Vec<Duration>> {
    let edge = (0u64..12).prop_map(s);
    proptest::collection::vec(prop_oneof![edge, (0u64..12_000).prop_map(ms)], 1..20)
}

proptest! {
    #[test]
    fn like_the_clock_of_matches(
        clock in proptest::option::of(times()), per_move in proptest::option::of((0u64..9).prop_map(s)),
        margin in (0u64..2_000).prop_map(ms), moves in moves(),
    ) {
        let left = clock.map_or(s(0), |[main, _, _]| main);
        let mut old = replaced::Match { clock, movetime: per_move, left };
        let time = clock.map(|[main, byoyomi, increment]| game(main, byoyomi, increment));
        let mut new = Clock::new(ClockRule { game: time, per_move, margin, ..ClockRule::default() });
        for used in moves {
            prop_assert_eq!(new.limit(), old.allowed());
            let in_time = old.spend(used, margin);
            prop_assert_eq!(new.end_turn(used).is_ok(), in_time);
            if !in_time {
                break;
            }
            prop_assert_eq!(new.left(), old.left);
        }
    }

    #[test]
    fn like_the_clock_of_the_server(
        unit in prop_oneof![Just(ms(1000)), Just(ms(100)), Just(ms(60_000))],
        least in 0u64..2, roundup: bool, limited in proptest::option::weighted(0.9, Just(())),
        elements in [0u64..20, 0u64..5, 0u64..4, 0u64..4], moves in moves(),
    ) {
        let element = |i: usize| limited.map(|()| elements[i]);
        let [total, byoyomi, delay, increment] = [element(0), element(1), element(2), element(3)];
        let remaining = total.unwrap_or(0);
        let mut old = replaced::Server {
            unit, least, roundup, total, byoyomi, delay, increment, remaining,
        };
        let span = |units: Option<u64>| old.span(units.unwrap_or(0));
        let time = GameTime {
            main: span(total), byoyomi: span(byoyomi), increment: span(increment),
            delay: span(delay), credit: Credit::BeforeMove,
        };
        let rounding = match (old.is_unlimited(), roundup) {
            (true, _) => Rounding::Ignored,
            (false, true) => Rounding::Up(unit),
            (false, false) => Rounding::Down(unit),
        };
        let rule = ClockRule {
            game: limited.map(|()| time), per_move: None, rounding, least: old.span(least),
            edge: Edge::Over, margin: Duration::ZERO,
        };
        let mut new = Clock::new(rule);
        for elapsed in moves {
            old.begin_turn();
            prop_assert_eq!(new.limit(), old.limit());
            prop_assert_eq!(new.left_in_turn(), old.span(old.remaining));
            let recorded = old.end_turn(elapsed);
            prop_assert_eq!(new.end_turn(elapsed).ok(), recorded);
            if recorded.is_none() {
                break;
            }
            if limited.is_some() {
                prop_assert_eq!(new.left(), old.span(old.remaining));
            }
        }
    }

    #[test]
    fn like_the_clock_of_the_board(control in proptest::option::of(times()), moves in moves()) {
        let left = control.map_or(s(0), |[main, _, _]| main);
        let mut old = replaced::Board { control, left };
        let time = control.map(|[main, byoyomi, increment]| GameTime {
            credit: Credit::AfterMove, ..game(main, byoyomi, increment)
        });
        let rule = ClockRule { game: time, edge: Edge::Over, ..ClockRule::default() };
        let mut new = Clock::new(rule);
        for spent in moves {
            prop_assert_eq!(new.limit(), old.allowed());
            let over = old.allowed().is_some_and(|allowed| spent >= allowed);
            prop_assert_eq!(new.is_over(spent), over);
            prop_assert_eq!(new.end_turn(spent).is_ok(), old.turn(spent));
            if over {
                break;
            }
            prop_assert_eq!(new.left(), old.left);
        }
    }

    #[test]
    fn charges_bring_a_clock_back(time in times(), moves in moves()) {
        let [main, byoyomi, increment] = time;
        let mut clock = Clock::new(csa(game(main, byoyomi, increment)));
        let mut again = clock;
        for elapsed in moves {
            let Ok(charge) = clock.end_turn(elapsed) else { return Ok(()) };
            again.replay(charge);
            prop_assert_eq!(&again, &clock);
        }
    }
}
