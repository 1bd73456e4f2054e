use super::*;
use rules::{AnyPosition, Bits, Color, Handicap, Kind, Minishogi, Piece, Shogi, Square};

/// A position seen plane by plane, by the definitions and without bit tricks.
struct Slow<'p, V: Variant> {
    position: &'p Position<V>,
    us: Color,
    planes: Vec<f32>,
}

impl<V: Variant> Slow<'_, V> {
    fn seen(&self, square: usize) -> Square {
        let sq = Square::new(square);
        if self.us == Color::White { sq.rotated(V::GAME) } else { sq }
    }

    fn board(&mut self, value: impl Fn(Square) -> bool) {
        for square in 0..V::SQUARES {
            self.planes.push(f32::from(u8::from(value(self.seen(square)))));
        }
    }

    fn constant(&mut self, value: f32) {
        self.planes.extend(std::iter::repeat_n(value, V::SQUARES));
    }

    fn sides(&self) -> [Color; 2] {
        [self.us, self.us.opponent()]
    }

    fn attackers(&self, color: Color, kind: Option<Kind>, sq: Square) -> usize {
        let position = self.position;
        let attackers = Square::all(V::GAME).filter(|&from| {
            let piece = position.piece_at(from);
            let wanted = piece.is_of(color) && kind.is_none_or(|k| piece.kind() == Some(k));
            wanted && attacks::<V>(position, piece, from, sq)
        });
        attackers.count()
    }

    fn pieces(&mut self, color: Color, kinds: &[Kind]) {
        for &kind in kinds {
            let position = self.position;
            self.board(|sq| position.piece_at(sq) == Piece::new(color, kind));
        }
    }

    fn attacked(&mut self, color: Color, kinds: &[Kind]) {
        for &kind in kinds {
            let hits: Vec<bool> =
                Square::all(V::GAME).map(|sq| self.attackers(color, Some(kind), sq) > 0).collect();
            self.board(|sq| hits[sq.index()]);
        }
    }

    fn counts(&self, color: Color) -> Vec<usize> {
        Square::all(V::GAME).map(|sq| self.attackers(color, None, sq)).collect()
    }

    fn at_least(&mut self, color: Color) {
        let counts = self.counts(color);
        (1..4).for_each(|n| self.board(|sq| counts[sq.index()] >= n));
    }

    fn hands(&mut self, most: &[(Kind, usize)]) {
        for color in self.sides() {
            for &(kind, most) in most {
                let count = self.position.hand(color).count(kind);
                (0..most).for_each(|n| self.constant(f32::from(u8::from(n < count))));
            }
        }
    }

    /// The steps of dlshogi's planes, over some kinds.
    fn like_dlshogi(&mut self, kinds: &[Kind], most: &[(Kind, usize)]) {
        for color in self.sides() {
            self.pieces(color, kinds);
            self.attacked(color, kinds);
            self.at_least(color);
        }
        self.hands(most);
        self.constant(f32::from(u8::from(self.position.in_check())));
    }
}

/// So far up and to the side.
type Step = (isize, isize);

/// Whether a piece attacks a square: step by step over the board.
fn attacks<V: Variant>(position: &Position<V>, piece: Piece, from: Square, to: Square) -> bool {
    let (Some(kind), Some(color)) = (piece.kind(), piece.color()) else { return false };
    let sign = if color == Color::Black { 1 } else { -1 };
    let place = |sq: Square| (sq.file(V::GAME) as isize, sq.rank(V::GAME) as isize);
    let ((file, rank), goal) = (place(from), place(to));
    let orthogonal = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    let gold = [(1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, 0)];
    let (steps, slides): (Vec<Step>, Vec<Step>) = match kind {
        Kind::Pawn => (vec![(1, 0)], vec![]),
        Kind::Lance => (vec![], vec![(1, 0)]),
        Kind::Knight => (vec![(2, 1), (2, -1)], vec![]),
        Kind::Silver => ([&diagonal[..], &[(1, 0)]].concat(), vec![]),
        Kind::Bishop => (vec![], diagonal.to_vec()),
        Kind::Rook => (vec![], orthogonal.to_vec()),
        Kind::King => ([orthogonal, diagonal].concat(), vec![]),
        Kind::Horse => (orthogonal.to_vec(), diagonal.to_vec()),
        Kind::Dragon => (diagonal.to_vec(), orthogonal.to_vec()),
        _ => (gold.to_vec(), vec![]),
    };
    let after = |(up, side): (isize, isize), n: isize| (file + side * n, rank - sign * up * n);
    let slid = slides.iter().any(|&step| {
        for n in 1.. {
            let (file, rank) = after(step, n);
            if (file, rank) == goal {
                return true;
            }
            let sq = Square::at(V::GAME, file.max(0) as usize, rank.max(0) as usize);
            if sq.is_none_or(|sq| position.piece_at(sq).is_some()) {
                return false;
            }
        }
        false
    });
    slid || steps.iter().any(|&step| after(step, 1) == goal)
}

const ALL_HANDS: [(Kind, usize); 7] = [
    (Kind::Pawn, 18),
    (Kind::Lance, 4),
    (Kind::Knight, 4),
    (Kind::Silver, 4),
    (Kind::Gold, 4),
    (Kind::Bishop, 2),
    (Kind::Rook, 2),
];

fn slow<V: Variant>(planes: Planes, position: &Position<V>) -> Vec<f32> {
    let us = position.turn();
    let mut slow = Slow { position, us, planes: Vec::new() };
    match planes {
        Planes::Dlshogi => {
            let mut hands = ALL_HANDS;
            hands[0].1 = 8;
            slow.like_dlshogi(&Kind::ALL, &hands);
        }
        Planes::Minishogi => {
            let kinds: Vec<Kind> = Kind::ALL
                .into_iter()
                .filter(|k| !matches!(k.unpromoted(), Kind::Lance | Kind::Knight))
                .collect();
            let hands: Vec<(Kind, usize)> = ALL_HANDS
                .into_iter()
                .map(|(k, _)| (k, 2))
                .filter(|(k, _)| kinds.contains(k))
                .collect();
            slow.like_dlshogi(&kinds, &hands);
            slow.constant(f32::from(us.index() as u8));
        }
        Planes::Pal => {
            let sides = slow.sides();
            sides.into_iter().for_each(|color| slow.pieces(color, &Kind::ALL));
            sides.into_iter().for_each(|color| slow.attacked(color, &Kind::ALL));
            sides.into_iter().for_each(|color| slow.at_least(color));
            for color in sides {
                for (kind, _) in ALL_HANDS {
                    slow.constant(position.hand(color).count(kind) as f32);
                }
            }
            slow.constant(f32::from(us.index() as u8));
        }
        Planes::Aoba => slow_aoba(&mut slow),
    }
    slow.planes
}

fn slow_aoba<V: Variant>(slow: &mut Slow<'_, V>) {
    let (position, sides) = (slow.position, slow.sides());
    // The kinds in hand, the king, and the promoted ones.
    let mut kinds: Vec<Kind> = ALL_HANDS.iter().map(|h| h.0).collect();
    kinds.push(Kind::King);
    kinds.extend(Kind::ALL.into_iter().filter(|k| k.is_promoted()));
    let mut earlier = position.clone();
    for step in 0..6 {
        if step > position.played() {
            (0..45).for_each(|_| slow.constant(0.0));
            continue;
        }
        let mut then = Slow { position: &earlier, us: slow.us, planes: Vec::new() };
        sides.into_iter().for_each(|color| then.pieces(color, &kinds));
        for color in sides {
            for (kind, most) in ALL_HANDS {
                then.constant(earlier.hand(color).count(kind) as f32 * (1.0 / most as f32));
            }
        }
        let before = earlier.occurrences() - 1;
        (1..4).for_each(|n| then.constant(f32::from(u8::from(before >= n))));
        slow.planes.append(&mut then.planes);
        earlier.undo();
    }
    sides.into_iter().for_each(|color| slow.attacked(color, &kinds));
    for color in sides {
        let counts = slow.counts(color);
        (0..5).for_each(|n| slow.board(|sq| counts[sq.index()].min(4) == n));
    }
    slow.constant(f32::from(u8::from(position.in_check())));
    slow.constant((position.ply() - 1) as f32 / 512.0);
    slow.constant(f32::from(slow.us.index() as u8));
    let names = [
        Handicap::Even,
        Handicap::Lance,
        Handicap::Bishop,
        Handicap::Rook,
        Handicap::Two,
        Handicap::Four,
        Handicap::Six,
    ];
    let count = |p: &Position<V>| -> Vec<usize> {
        let on_board = |k: Kind| p.kind(k).count() + k.promoted().map_or(0, |k| p.kind(k).count());
        let in_hand = |k: Kind| Color::BOTH.iter().map(|&c| p.hand(c).count(k)).sum::<usize>();
        Kind::HAND.iter().map(|&k| on_board(k) as usize + in_hand(k)).collect()
    };
    for handicap in names {
        let start = Position::<V>::from_sfen(&handicap.sfen()).unwrap();
        slow.constant(f32::from(u8::from(count(&start) == count(position))));
    }
}

/// Positions of random games, with the game up to them as history.
fn each_position<V: Variant>(
    start: &str,
    seeds: std::ops::Range<u64>,
    mut each: impl FnMut(&Position<V>),
) {
    for seed in seeds {
        let mut rng = seed::Rng::new(seed);
        let mut pos = Position::<V>::from_sfen(start).unwrap();
        for _ in 0..250 {
            each(&pos);
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            // Now and then back and forth, so that positions recur.
            let back = pos.played() > 2 && rng.below(3) == 0;
            let last = pos.moves_played();
            let home = last.len().checked_sub(2).map(|i| last[i]).filter(|m| back && !m.is_drop());
            let home = home.map(|m| rules::Move::board(m.to(), m.from(), false));
            let mv = home.filter(|m| moves.contains(m));
            pos.play(mv.unwrap_or_else(|| moves[rng.below(moves.len())]));
        }
    }
}

fn packed<V: Variant>(planes: Planes, position: &Position<V>) -> Vec<u8> {
    // What was there before must not matter.
    let mut out = vec![0xa5; planes.bytes()];
    planes.pack(position, &mut out);
    out
}

fn unpacked<V: Variant>(planes: Planes, position: &Position<V>) -> Vec<f32> {
    let mut out = vec![7.0; planes.count() * V::SQUARES];
    planes.unpack(&packed(planes, position), &mut out);
    out
}

fn compare<V: Variant>(planes: Planes, start: &str, seeds: std::ops::Range<u64>) {
    let mut number = 0;
    each_position::<V>(start, seeds, |position| {
        number += 1;
        if number % 5 != 0 {
            return;
        }
        let (fast, slow) = (unpacked(planes, position), slow(planes, position));
        assert_eq!(fast.len(), slow.len());
        for (at, (a, b)) in fast.iter().zip(&slow).enumerate() {
            let (plane, square) = (at / V::SQUARES, at % V::SQUARES);
            assert!(
                (a - b).abs() < 1e-6,
                "{} {plane} {square}: {a} {b} {}",
                planes.name(),
                position.sfen()
            );
        }
    });
    assert!(number > 100, "{number}");
}

#[test]
fn sizes_are_those_of_the_papers() {
    let sizes = Planes::ALL.map(|p| (p.name(), p.count(), p.bytes()));
    let wanted =
        [("dlshogi", 119, 635), ("pal", 77, 656), ("aoba", 318, 2260), ("minishogi", 68, 147)];
    assert_eq!(sizes, wanted);
    for planes in Planes::ALL {
        assert_eq!(Planes::by_name(planes.name()), Some(planes));
    }
    assert_eq!(Planes::by_name("Dlshogi"), None);
}

#[test]
fn planes_are_what_their_definition_says() {
    compare::<Shogi>(Planes::Dlshogi, Shogi::START, 0..4);
    compare::<Shogi>(Planes::Pal, Shogi::START, 4..6);
    compare::<Shogi>(Planes::Aoba, Shogi::START, 6..8);
    compare::<Shogi>(Planes::Aoba, &Handicap::Four.sfen(), 8..9);
    compare::<Shogi>(Planes::Dlshogi, &Handicap::Six.sfen(), 9..10);
    compare::<Minishogi>(Planes::Minishogi, Minishogi::START, 0..10);
}

/// The start position, plane by plane.
#[test]
fn planes_of_the_start_position() {
    let position = Position::<Shogi>::startpos();
    let planes = unpacked(Planes::Dlshogi, &position);
    let ones = |plane: usize| -> Vec<usize> {
        let plane = &planes[81 * plane..81 * (plane + 1)];
        (0..81).filter(|&sq| plane[sq] == 1.0).collect()
    };
    let squares = |list: &str| -> Vec<usize> {
        let square = |s| Square::from_usi(Game::Shogi, s).unwrap().index();
        let mut list: Vec<usize> = list.split_whitespace().map(square).collect();
        list.sort_unstable();
        list
    };
    assert_eq!(ones(0), squares("1g 2g 3g 4g 5g 6g 7g 8g 9g"));
    assert_eq!(ones(4), squares("8h"), "bishop");
    assert_eq!(ones(5), squares("2h"), "rook");
    assert_eq!(ones(6), squares("4i 6i"), "golds");
    assert_eq!(ones(7), squares("5i"), "king");
    assert_eq!(ones(14), squares("1f 2f 3f 4f 5f 6f 7f 8f 9f"), "pawns attack");
    assert_eq!(ones(18), squares("7g 9g 7i 9i"), "the bishop attacks");
    assert_eq!(ones(30), squares("3h 4h 5h 6h 7h 9g"), "attacked thrice");
    assert_eq!(ones(31), squares("1c 2c 3c 4c 5c 6c 7c 8c 9c"));
    assert_eq!(ones(31 + 4), squares("2b"), "their bishop");
    assert!((62..119).all(|plane| ones(plane).is_empty()), "nothing in hand, no check");
}

#[test]
fn hands_and_checks() {
    let sfen = "4k4/9/9/9/9/9/9/4g4/4K4 b 2RL10Pg 1";
    let position = Position::<Shogi>::from_sfen(sfen).unwrap();
    let planes = unpacked(Planes::Dlshogi, &position);
    let constant = |n: usize| planes[81 * (62 + n)];
    let own: Vec<usize> = (0..28).filter(|&n| constant(n) == 1.0).collect();
    // Eight pawns of ten, a lance, and the last two planes for rooks.
    assert_eq!(own, [0, 1, 2, 3, 4, 5, 6, 7, 8, 26, 27]);
    let other: Vec<usize> = (28..56).filter(|&n| constant(n) == 1.0).collect();
    assert_eq!(other, [28 + 20]);
    assert_eq!(constant(56), 1.0, "check");
    let pal = unpacked(Planes::Pal, &position);
    assert_eq!((pal[81 * 62], pal[81 * 63], pal[81 * 68]), (10.0, 1.0, 2.0));
}

/// A position turned around with colours swapped looks the same to the side to move, except where
/// a plane tells who that is.
#[test]
fn colours_do_not_matter() {
    fn turned<V: Variant>(position: &Position<V>) -> Position<V> {
        let sfen = position.sfen();
        let mut words: Vec<String> = sfen.split(' ').map(str::to_owned).collect();
        let swap = |c: char| {
            if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
        };
        let mut board = String::new();
        let mut pieces: Vec<char> = words[0].chars().rev().collect();
        // A promotion mark came before its piece.
        for i in 1..pieces.len() {
            if pieces[i] == '+' {
                pieces.swap(i - 1, i);
            }
        }
        board.extend(pieces.into_iter().map(swap));
        words[0] = board;
        words[1] = if words[1] == "b" { "w" } else { "b" }.to_owned();
        words[2] = words[2].chars().map(swap).collect();
        // Black's pieces come first.
        let mut hands: Vec<&str> = Vec::new();
        let text = words[2].clone();
        let split = text.find(|c: char| c.is_ascii_uppercase());
        let cut = split.map(|at| {
            let digits = text[..at].chars().rev().take_while(char::is_ascii_digit).count();
            at - digits
        });
        match cut {
            Some(at) if text.chars().any(|c| c.is_ascii_lowercase()) => {
                hands.extend([&text[at..], &text[..at]]);
            }
            _ => hands.push(&text),
        }
        words[2] = hands.concat();
        Position::from_sfen(&words.join(" ")).unwrap()
    }
    each_position::<Shogi>(Shogi::START, 20..24, |position| {
        let position = position.without_history();
        let other = turned(&position);
        assert_eq!(packed(Planes::Dlshogi, &position), packed(Planes::Dlshogi, &other));
        for (planes, turn) in [(Planes::Pal, 76), (Planes::Aoba, 310)] {
            let (a, b) = (unpacked(planes, &position), unpacked(planes, &other));
            for plane in (0..planes.count()).filter(|&plane| plane != turn) {
                let range = 81 * plane..81 * (plane + 1);
                assert_eq!(a[range.clone()], b[range], "{} {plane}", planes.name());
            }
            assert_ne!(a[81 * turn], b[81 * turn]);
        }
    });
    each_position::<Minishogi>(Minishogi::START, 20..30, |position| {
        let position = position.without_history();
        let (a, b) =
            (packed(Planes::Minishogi, &position), packed(Planes::Minishogi, &turned(&position)));
        assert_eq!(a[..146], b[..146]);
        // The last bit: 46 · 25 + 21.
        assert_eq!(a[146] ^ b[146], 1 << 3);
    });
}

/// A change of any plane in any position changes this.
#[test]
fn golden_hashes() {
    fn hash<V: Variant>(planes: Planes, start: &str) -> u64 {
        let mut hash = seed::FNV1A_START;
        let mut count = 0;
        each_position::<V>(start, 100..160, |position| {
            count += 1;
            for byte in packed(planes, position) {
                hash = seed::fnv1a_step(hash, u64::from(byte));
            }
        });
        assert!(count > 1000, "{count}");
        hash
    }
    let found = [
        hash::<Shogi>(Planes::Dlshogi, Shogi::START),
        hash::<Shogi>(Planes::Pal, Shogi::START),
        hash::<Shogi>(Planes::Aoba, Shogi::START),
        hash::<Minishogi>(Planes::Minishogi, Minishogi::START),
    ];
    assert_eq!(
        found.map(|hash| format!("{hash:016x}")),
        ["58f251d47cb938e0", "15e75dcf1aa62910", "c642f0cc004e9661", "9a36b80aca701d81"]
    );
}

#[test]
#[should_panic(expected = "planes minishogi are for another game")]
fn planes_of_another_game_are_refused() {
    let AnyPosition::Shogi(position) = AnyPosition::startpos(Game::Shogi) else { panic!() };
    Planes::Minishogi.pack(&position, &mut [0; 147]);
}
