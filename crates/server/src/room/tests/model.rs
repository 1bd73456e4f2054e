//! Random games against the protocol written down a second time.

use super::*;
use proptest::prelude::*;

/// What the protocol says about a game, written down a second time without cleverness: every line
/// and every second on its own.
struct Model {
    position: AnyPosition,
    moves: u32,
    since: u64,
    used: [u64; 2],
    over: Option<(&'static str, Option<Color>)>,
}

impl Model {
    fn receive(&mut self, from: Color, line: &str, now: u64) {
        if self.over.is_some() {
            return;
        }
        self.flag(now);
        if self.over.is_some() {
            return;
        }
        let turn = self.position.turn();
        if from != turn {
            self.over = Some(("#ILLEGAL_ACTION", Some(turn)));
            return;
        }
        let loses = Some(turn.opponent());
        if line == "%TORYO" {
            self.over = Some(("#RESIGN", loses));
            return;
        }
        let legal = self.position.legal_moves();
        let found =
            legal.iter().find(|&&m| kifu::wire::write_move(&self.position, m) == line).copied();
        let Some(m) = found else {
            self.over = Some(("#ILLEGAL_MOVE", loses));
            return;
        };
        self.used[turn.index()] += (now - self.since) / 1000;
        self.since = now;
        self.position.play(m);
        self.moves += 1;
        let same = self.position.occurrences();
        if same >= 4 {
            self.over = Some(("#SENNICHITE", None));
        } else if self.moves == 30 {
            self.over = Some(("#MAX_MOVES", None));
        }
    }

    /// Ten seconds and two more with every turn.
    fn flag(&mut self, now: u64) {
        let turn = self.position.turn();
        let turns = u64::from(self.moves / 2 + 1);
        let free = 10 + 2 * turns - self.used[turn.index()];
        if self.over.is_none() && now - self.since >= free * 1000 {
            self.over = Some(("#TIME_UP", Some(turn.opponent())));
        }
    }
}

proptest! {
    #[test]
    fn random_sessions_end_as_the_model_says(
        steps in proptest::collection::vec((any::<u8>(), any::<u16>(), 0u64..6_000), 1..60),
    ) {
        let rule = TimeRule::fischer(10, 2);
        let conditions = Conditions {
            max_moves: Some(30),
            ..Conditions::plain("g", ["b", "w"], rule)
        };
        let mut table = Table::running(conditions);
        let base = table.now;
        let mut model = Model {
            position: AnyPosition::startpos(Game::Shogi),
            moves: 0,
            since: 0,
            used: [0; 2],
            over: None,
        };
        let mut now = 0;
        for (kind, choice, wait) in steps {
            now += wait;
            let turn = model.position.turn();
            let moves = model.position.legal_moves();
            let good = moves
                .get(usize::from(choice) % moves.len().max(1))
                .map_or_else(|| "%TORYO".to_owned(), |&m| kifu::wire::write_move(&model.position, m));
            let (from, line) = match kind {
                0..=3 => (turn.opponent(), good),
                4..=7 => (turn, "%TORYO".to_owned()),
                8..=11 => (turn, format!("+{choice:04}FU")),
                _ => (turn, good),
            };
            model.receive(from, &line, now);
            table.now = base + Duration::from_millis(now);
            let effects = table.room.wake(table.now);
            table.perform(effects);
            table.say(from, &line);
            let got = table.room.finish().map(|f| (f.reason().to_string(), f.winner()));
            prop_assert_eq!(got, model.over.map(|(reason, winner)| (reason.to_owned(), winner)));
            if model.over.is_some() {
                break;
            }
            for color in Color::BOTH {
                let turns = u64::from((model.moves + 1 - color.index() as u32).div_ceil(2));
                let turns = if color == model.position.turn() { u64::from(model.moves / 2 + 1) } else { turns };
                let left = 10 + 2 * turns - model.used[color.index()];
                prop_assert_eq!(table.room.remaining(color), s(left));
            }
        }
    }

    #[test]
    fn a_restored_room_is_the_same_room(choices in proptest::collection::vec(any::<u16>(), 0..40)) {
        let mut table = Table::running(quick());
        let mut moves = Vec::new();
        for choice in choices {
            let legal = table.room.position().legal_moves();
            // Who is mated has yet to say so: the game goes on without a move.
            let Some(&m) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
            let text = kifu::wire::write_move(table.room.position(), m);
            table.now += Duration::from_millis(u64::from(choice % 7000));
            let turn = table.room.position().turn();
            table.say(turn, &text);
            moves.push((text, table.room.played().last().unwrap().time.unwrap()));
            if !table.room.is_running() {
                return Ok(());
            }
        }
        let stored = moves.iter().map(|(text, time)| (text.as_str(), *time));
        let mut again =
            Room::restore(Arc::clone(table.room.conditions()), None, stored, [0; 2]).unwrap();
        prop_assert_eq!(again.position(), table.room.position());
        prop_assert_eq!(again.played(), table.room.played());
        again.propose(s(0));
        again.receive(Color::Black, &ClientLine::Agree(None), s(0));
        again.receive(Color::White, &ClientLine::Agree(None), s(0));
        for color in Color::BOTH {
            prop_assert_eq!(again.remaining(color), table.room.remaining(color));
        }
    }

    #[test]
    fn no_line_panics(lines in proptest::collection::vec((any::<bool>(), "\\PC{0,20}"), 0..8)) {
        let mut table = Table::plain();
        for (black, line) in lines {
            table.say(if black { Color::Black } else { Color::White }, &line);
        }
    }
}
