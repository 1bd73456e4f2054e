//! Random sessions of many, against what must always hold.

use super::*;
use proptest::prelude::*;

/// What one of them does next.
#[derive(Clone, Debug)]
enum Act {
    Connect,
    Drop,
    Send(usize, u16),
    GameRequest(u16),
}

const LINES: [&str; 22] = [
    "LOGIN",
    "LOGIN",
    "AGREE",
    "AGREE",
    "AGREE",
    "move",
    "move",
    "move",
    "move",
    "move",
    "REJECT",
    "LOGOUT",
    "CHALLENGE",
    "%TORYO",
    "%KACHI",
    "%CHUDAN",
    "",
    "%%WHO",
    "%%LIST",
    "%%GAME x-10-1 *",
    "garbage",
    "+9999XX",
];

fn act() -> impl Strategy<Value = (u8, Act)> {
    let what = prop_oneof![
        1 => Just(Act::Connect),
        1 => Just(Act::Drop),
        12 => (0..LINES.len(), any::<u16>()).prop_map(|(line, n)| Act::Send(line, n)),
        2 => any::<u16>().prop_map(Act::GameRequest),
    ];
    (0u8..4, what)
}

/// What is known of the games from what was stored alone.
#[derive(Default)]
struct Ledger {
    games: HashMap<String, (AnyGame, usize)>,
    read: usize,
}

struct AnyGame {
    position: rules::AnyPosition,
    over: bool,
}

impl Ledger {
    /// Follows what was stored: legal moves only, numbered without gaps, one end.
    fn follow(&mut self, stored: &[Stored]) {
        for entry in &stored[self.read..] {
            let Stored::Game { conditions, entry, .. } = entry else { continue };
            if *entry == Entry::Started {
                let game = AnyGame { position: conditions.start.clone(), over: false };
                let before = self.games.insert(conditions.id.clone(), (game, 0));
                assert!(before.is_none_or(|(game, _)| game.over), "{} twice", conditions.id);
                continue;
            }
            let (game, moves) = self.games.get_mut(&conditions.id).expect("it was started");
            assert!(!game.over, "{entry:?} after the end");
            match entry {
                Entry::Move { number, text, .. } => {
                    *moves += 1;
                    assert_eq!(*number as usize, *moves);
                    let m = kifu::wire::read_move(&game.position, text).expect("a legal move");
                    game.position.play(m);
                }
                Entry::Ended(_) => game.over = true,
                Entry::Started | Entry::Interrupted(_) | Entry::Resumed => {}
            }
        }
        self.read = stored.len();
    }
}

proptest! {
    #[test]
    fn nothing_anybody_does_breaks_the_books(acts in proptest::collection::vec(act(), 1..120)) {
        let mut server = TestLobby::open();
        let mut conns: [Option<ConnId>; 4] = [None; 4];
        let mut ledger = Ledger::default();
        // Two games to begin with.
        for (slot, conn) in conns.iter_mut().enumerate() {
            let id = server.connect_from(&format!("peer{slot}")).unwrap();
            server.say(id, &format!("LOGIN p{slot} x-10-1,s"));
            *conn = Some(id);
        }
        for id in conns.into_iter().flatten() {
            server.say(id, "AGREE");
        }
        prop_assert_eq!(server.lobby.running(), 2);
        for (who, act) in acts {
            let slot = usize::from(who);
            if conns[slot].is_some_and(|id| server.closed.contains(&id)) {
                conns[slot] = None;
            }
            match (act, conns[slot]) {
                (Act::Connect, None) => conns[slot] = server.connect_from(&format!("peer{slot}")),
                (Act::Drop, Some(id)) => {
                    server.drop_line(id);
                    conns[slot] = None;
                }
                (Act::GameRequest(n), _) => server.wait(Duration::from_millis(u64::from(n))),
                (Act::Send(line, n), Some(id)) => {
                    let text = match LINES[line] {
                        "LOGIN" => format!("LOGIN p{slot} x-10-1,s{}", if n % 9 == 0 { " x1" } else { "" }),
                        "move" => any_move(&server, id, n),
                        text => text.to_owned(),
                    };
                    server.say(id, &text);
                }
                _ => {}
            }
            ledger.follow(&server.stored);
            for open in server.lobby.rooms.values() {
                if let Some((game, moves)) = ledger.games.get(&open.room.conditions().id)
                    && open.room.has_begun()
                {
                    prop_assert_eq!(open.room.played().len(), *moves);
                    prop_assert_eq!(open.room.position(), &game.position);
                }
            }
        }
        // When everybody has gone and all time has passed, nothing is left lying about.
        for id in conns.into_iter().flatten() {
            server.drop_line(id);
        }
        server.wait(s(100_000));
        ledger.follow(&server.stored);
        prop_assert_eq!(server.lobby.connections.len(), 0);
        prop_assert!(server.lobby.waiting.is_empty() && server.lobby.playing.is_empty());
        prop_assert!(server.lobby.present.is_empty() && server.lobby.per_address.is_empty());
        prop_assert_eq!(server.lobby.running(), 0);
        prop_assert!(server.lobby.timers.is_empty());
        let unfinished = ledger.games.values().filter(|(game, _)| !game.over).count();
        prop_assert_eq!(unfinished, server.lobby.suspended.len(), "only interrupted games may wait");
    }
}

/// A legal move of the game a connection plays, more often than not.
fn any_move(server: &TestLobby, id: ConnId, n: u16) -> String {
    let state = server.lobby.connections.get(&id).map(|c| c.state.clone());
    if let Some(ConnectionState::Playing(key, _)) = state
        && let Some(open) = server.lobby.rooms.get(&key)
        && !n.is_multiple_of(16)
    {
        let position = open.room.position();
        let moves = position.legal_moves();
        if let Some(&m) = moves.get(usize::from(n) % moves.len().max(1)) {
            return kifu::wire::write_move(position, m);
        }
    }
    format!("+{:04}FU", n % 10_000)
}
