//! Whole files: what is written is read, and damage costs only what it touched.

use crate::codes::outcome_from_code;
use crate::{
    Block, Candidate, Cursor, Flags, Game, Header, Ply, Reader, STORED_REASONS, TeacherError,
    Writer,
};
use proptest::prelude::*;
use rules::{AnyPosition, Color, Game as Rules, Kings, Minishogi, Move, Shogi};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use tempfile::NamedTempFile;

const STARTS: &[(Rules, &str)] = &[
    (Rules::Shogi, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
    (Rules::Shogi, "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    (Rules::Shogi, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 87"),
    (Rules::Shogi, "9/9/4k4/9/4G4/9/9/9/9 b RP 1"),
    (Rules::Shogi, "4P4/9/9/9/4P4/9/9/9/9 b RP 999999"),
    (Rules::Minishogi, "rbsgk/4p/5/P4/KGSBR b - 1"),
    (Rules::Minishogi, "4k/5/5/5/K4 w RBGSPrbgsp 40"),
];

/// A game at random: everything that can vary varies.
fn game(start: usize, choices: &[(u16, i16, u8)], ends: u8) -> Game {
    let (rules, sfen) = STARTS[start % STARTS.len()];
    let start = AnyPosition::from_sfen_with(rules, sfen, Kings::Lenient).unwrap();
    let mut position = start.clone();
    let mut game = Game::new(start);
    for (index, &(choice, score, bits)) in choices.iter().enumerate() {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        let flags = Flags { random: bits & 3 == 3, skip: bits & 4 != 0 };
        game.plies.push(Ply { mv, score: (bits & 96 != 0).then_some(score), flags });
        if bits & 24 == 0 {
            for &mv in moves.iter().take(3) {
                let visits = choice;
                game.candidates.push(Candidate { ply: index as u32, mv, visits });
            }
        }
        position.play(mv);
    }
    game.outcome = outcome_from_code(ends);
    game.reason = STORED_REASONS[usize::from(ends >> 2) % STORED_REASONS.len()];
    game.guest = [None, Some(Color::Black), Some(Color::White)][usize::from(ends) % 3];
    game.last = (ends & 128 != 0 || game.plies.is_empty()).then_some(i16::from(ends) * 100 - 9000);
    game
}

fn games() -> impl Strategy<Value = Vec<Game>> {
    let ply = (any::<u16>(), any::<i16>(), any::<u8>());
    let one = (0usize..99, prop::collection::vec(ply, 0..90), any::<u8>());
    prop::collection::vec(one, 1..12).prop_map(|list| {
        let first = STARTS[list[0].0 % STARTS.len()].0;
        let all = list.iter().map(|(start, choices, ends)| game(*start, choices, *ends));
        all.filter(|g| g.start.game() == first).collect()
    })
}

/// A file with a block for every few games.
fn write(games: &[Game], a_block: usize) -> Vec<u8> {
    let header = Header::new(games[0].start.game()).with("seed", 1);
    let mut writer = Writer::new(Vec::new(), header).unwrap();
    for some in games.chunks(a_block) {
        for game in some {
            writer.write(game).unwrap();
        }
        writer.flush().unwrap();
    }
    assert_eq!(writer.games(), games.len() as u64);
    assert_eq!(writer.bytes(), writer.get_ref().len() as u64);
    writer.finish().unwrap()
}

/// Everything readable, and the error that ended it.
fn read(bytes: &[u8]) -> Result<(Vec<Game>, Option<String>), TeacherError> {
    let mut games = Vec::new();
    for game in Reader::new(bytes)?.games() {
        match game {
            Ok(game) => games.push(game),
            Err(e) => return Ok((games, Some(e.to_string()))),
        }
    }
    Ok((games, None))
}

fn sample() -> Vec<Game> {
    let choices: Vec<_> = (0..60).map(|i| (i * 77, i as i16 * 31 - 900, 32u8 + i as u8)).collect();
    (0..6).map(|i| game(i % 5, &choices[i * 3..], i as u8 * 40)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read(games in games(), a_block in 1usize..5) {
        let bytes = write(&games, a_block);
        prop_assert_eq!(read(&bytes).unwrap(), (games.clone(), None));
        let survey = Reader::new(&bytes[..]).unwrap().survey().unwrap();
        prop_assert_eq!(survey.games, games.len() as u64);
        prop_assert_eq!(survey.positions, games.iter().map(|g| g.positions() as u64).sum::<u64>());
        prop_assert_eq!((survey.end, survey.damage), (bytes.len() as u64, None));
    }

    #[test]
    fn damage_costs_only_what_it_touched(at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let games = sample();
        let mut bytes = write(&games, 2);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        match read(&bytes) {
            Err(_) => prop_assert!(at < 40, "only the header stops everything"),
            Ok((kept, error)) => {
                prop_assert!(error.is_some(), "byte {} was wrong and nobody noticed", at);
                prop_assert_eq!(&kept[..], &games[..kept.len()]);
                let survey = Reader::new(&bytes[..]).unwrap().survey().unwrap();
                prop_assert!(survey.end as usize <= at && survey.games == kept.len() as u64);
            }
        }
    }

    /// Blocks with a right checksum and wrong contents: neither a panic nor an illegal move.
    #[test]
    fn hostile_columns(
        columns in prop::array::uniform8(prop::collection::vec(any::<u8>(), 0..200)),
        small in prop::collection::vec(0u8..4, 40),
        games in 0u32..6,
    ) {
        let mut columns = columns;
        columns[0].splice(0..0, small);
        columns[1] = b"\x19rbsgk/4p/5/P4/KGSBR b - 1".repeat(3);
        let block = Block::pack(&columns, games, 7, true);
        let mut cursor = Cursor::<Minishogi>::new();
        if cursor.open(&block).is_ok() {
            while let Ok(Some(game)) = cursor.read_game() {
                write(std::slice::from_ref(&game), 1);
            }
            prop_assert!(matches!(cursor.read_game(), Ok(None)), "an error ends the block");
        }
    }

    #[test]
    fn junk_after_a_header(junk in prop::collection::vec(any::<u8>(), 1..300)) {
        let mut bytes = Header::new(Rules::Shogi).to_bytes().unwrap();
        bytes.extend(junk);
        let (games, error) = read(&bytes).unwrap();
        prop_assert!(games.is_empty() && error.is_some());
    }
}

#[test]
fn a_file_cut_anywhere_keeps_its_whole_blocks() {
    let games = sample();
    let bytes = write(&games, 2);
    let header = Header::new(Rules::Shogi).with("seed", 1).to_bytes().unwrap().len();
    let mut most = 0;
    for length in 0..=bytes.len() {
        let Ok((kept, error)) = read(&bytes[..length]) else {
            assert!(length < header, "{length}");
            continue;
        };
        assert_eq!(kept[..], games[..kept.len()], "{length}");
        assert!(kept.len() >= most && kept.len().is_multiple_of(2));
        let survey = Reader::new(&bytes[..length]).unwrap().survey().unwrap();
        assert_eq!(error.is_none(), survey.end == length as u64, "{length}");
        most = kept.len();
    }
    assert_eq!(most, games.len());
}

/// A file with that content, removed with the value.
fn file(content: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    file
}

fn open(file: &NamedTempFile) -> File {
    OpenOptions::new().read(true).write(true).open(file.path()).unwrap()
}

#[test]
fn writing_goes_on_after_a_crash_as_if_there_had_been_none() {
    let games = sample();
    let whole = write(&games, 2);
    let header = Header::new(Rules::Shogi).with("seed", 1);
    for length in (0..=whole.len()).step_by(7).chain([whole.len()]) {
        let part = file(&whole[..length]);
        let (mut writer, survey) = Writer::resume(open(&part), header.clone()).unwrap();
        assert_eq!(survey.damage.is_some(), survey.end != 0 && survey.end < length as u64);
        for some in games[writer.games() as usize..].chunks(2) {
            for game in some {
                writer.write(game).unwrap();
            }
            writer.flush().unwrap();
        }
        writer.finish().unwrap();
        let mut bytes = Vec::new();
        open(&part).read_to_end(&mut bytes).unwrap();
        assert!(bytes == whole, "cut at {length}");
    }
}

#[test]
fn nobody_elses_file_is_written_over() {
    let header = Header::new(Rules::Shogi).with("seed", 1);
    let bytes = write(&sample(), 2);
    for (name, content, wanted) in [
        ("text", b"my novel".to_vec(), header.clone()),
        ("seed", bytes.clone(), header.clone().with("seed", 2)),
        ("game", bytes.clone(), Header::new(Rules::Minishogi).with("seed", 1)),
        ("begun", bytes[..20].to_vec(), Header::new(Rules::Minishogi).with("seed", 1)),
    ] {
        let other = file(&content);
        assert!(Writer::resume(open(&other), wanted).is_err(), "{name}");
        assert_eq!(std::fs::read(other.path()).unwrap(), content, "{name}");
    }
}

#[test]
fn games_that_make_no_sense_are_refused_and_leave_no_trace() {
    let good = &sample()[0];
    let mut writer = Writer::new(Vec::new(), Header::new(Rules::Shogi).with("seed", 1)).unwrap();
    writer.write(good).unwrap();
    let mut illegal = good.clone();
    illegal.plies[20].mv = Move::from_usi(Rules::Shogi, "5e5d").unwrap();
    let mut astray = good.clone();
    astray.candidates.push(Candidate { ply: 9999, mv: good.plies[0].mv, visits: 1 });
    let empty = Game::new(AnyPosition::startpos(Rules::Shogi));
    let mut other = Game::new(AnyPosition::startpos(Rules::Minishogi));
    other.last = Some(0);
    for bad in [illegal, astray, empty, other] {
        assert!(matches!(writer.write(&bad), Err(TeacherError::Refused(_))));
    }
    writer.write(good).unwrap();
    assert_eq!(read(&writer.finish().unwrap()).unwrap().0, [good.clone(), good.clone()]);
}

#[test]
fn blocks_can_be_copied_and_games_skipped() {
    let games = sample();
    let bytes = write(&games, 2);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let mut writer = Writer::new(Vec::new(), reader.header().clone()).unwrap();
    let (mut block, mut cursor) = (Block::new(), Cursor::<Shogi>::new());
    let mut seen = 0;
    while reader.next_block(&mut block).unwrap() {
        writer.copy(&block).unwrap();
        cursor.open(&block).unwrap();
        while cursor.next_game().unwrap() {
            // One position of every game, then on to the next.
            assert!(cursor.next_position().unwrap().is_some());
            assert_eq!(cursor.head().plies as usize, games[seen].plies.len());
            assert_eq!(AnyPosition::from(cursor.start().unwrap().clone()), games[seen].start);
            seen += 1;
        }
    }
    assert_eq!(seen, games.len());
    assert_eq!(writer.finish().unwrap(), bytes);
}

#[test]
fn games_move_to_another_file_undecoded() {
    let games = sample();
    let bytes = write(&games, 3);
    let mut reader = Reader::new(&bytes[..]).unwrap();
    let (mut block, mut cursor) = (Block::new(), Cursor::<Shogi>::new());
    let mut singles = Vec::new();
    while reader.next_block(&mut block).unwrap() {
        cursor.open(&block).unwrap();
        while cursor.next_game().unwrap() {
            singles.push(cursor.extract().unwrap().as_bytes().to_vec());
        }
    }
    let mut writer = Writer::new(Vec::new(), reader.header().clone()).unwrap();
    for single in singles.iter().rev() {
        writer.adopt(&Block::from_bytes(single).unwrap()).unwrap();
    }
    let (read, error) = read(&writer.finish().unwrap()).unwrap();
    assert!(error.is_none());
    assert!(read.iter().eq(games.iter().rev()));
    assert!(Block::from_bytes(&singles[0][1..]).is_err());
    assert!(Block::from_bytes(&singles.concat()).is_err());
    let mut writer = Writer::new(Vec::new(), reader.header().clone()).unwrap();
    assert!(matches!(writer.adopt(&block), Err(TeacherError::Refused(_))), "more than one game");
}

#[test]
fn a_full_output_is_an_error_not_a_loss() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let n = bytes.len().min(self.0);
            self.0 -= n;
            if n == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(n) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Writer::new(Full(100), Header::new(Rules::Shogi)).unwrap();
    writer.write(&sample()[0]).unwrap();
    assert!(matches!(writer.finish(), Err(TeacherError::Io(_))));
}

#[test]
fn a_position_takes_few_bytes() {
    // Random moves and scores that wander: worse than any real game.
    let mut noise = seed::Rng::new(1);
    let mut next = || noise.bits() as u16;
    let mut games = Vec::new();
    for _ in 0..40 {
        let mut score = 0i16;
        let choices: Vec<_> = (0..100)
            .map(|i| {
                score += (next() % 200) as i16 - 100;
                (next(), if i % 2 == 0 { score } else { -score }, 127)
            })
            .collect();
        games.push(game(0, &choices, 1));
        games.last_mut().unwrap().candidates.clear();
    }
    let positions: usize = games.iter().map(Game::positions).sum();
    let bytes = write(&games, 100).len();
    assert!(bytes as f64 / (positions as f64) < 3.2, "{bytes} bytes for {positions} positions");
}
