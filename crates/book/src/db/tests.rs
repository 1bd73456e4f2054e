use super::*;
use crate::parallel::in_order;
use crate::sample::random_entries;

fn text_of(game: Game, entries: &[Entry]) -> (Vec<u8>, Losses) {
    let mut writer = Writer::new(Vec::new(), game).unwrap();
    for entry in entries {
        writer.write(entry).unwrap();
    }
    writer.finish().unwrap()
}

fn read(bytes: &[u8], threads: usize) -> Result<(Vec<Entry>, Problems), BookError> {
    let pieces = Pieces::new(bytes)?;
    let (mut entries, mut problems) = (Vec::new(), Problems::default());
    let game = pieces.game();
    in_order(
        threads,
        pieces,
        |piece| Ok(piece.entries(game)),
        |(more, found)| {
            entries.extend(more);
            problems.add(found);
            Ok(())
        },
    )?;
    Ok((entries, problems))
}

/// What the format can hold of an entry.
fn plain(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    for m in &mut entry.moves {
        (m.wins, m.draws, m.source) = (0, 0, None);
    }
    entry
}

#[test]
fn what_is_written_is_read_by_however_many_threads() {
    for game in [Game::Shogi, Game::Minishogi] {
        let entries = random_entries(game, 500, 21);
        let (text, losses) = text_of(game, &entries);
        let moves = || entries.iter().flat_map(|entry| &entry.moves);
        assert_eq!(losses.sources, moves().filter(|m| m.source.is_some()).count() as u64);
        assert!(losses.results > 0);
        for threads in [1, 3] {
            let (again, problems) = read(&text, threads).unwrap();
            assert_eq!(problems.count, 0, "{:?}", problems.first);
            assert!(again.iter().eq(&entries.iter().map(plain).collect::<Vec<_>>()));
        }
    }
}

#[test]
fn a_large_file_is_cut_between_positions() {
    let entries = random_entries(Game::Shogi, 400, 22);
    let (text, _) = text_of(Game::Shogi, &entries);
    let mut long = FIRST_LINE.as_bytes().to_vec();
    long.push(b'\n');
    let body = &text[FIRST_LINE.len() + 1..];
    let copies = 3 * PIECE / body.len() + 1;
    (0..copies).for_each(|_| long.extend(body));
    let (read, problems) = read(&long, 2).unwrap();
    assert_eq!((read.len(), problems.count), (copies * entries.len(), 0));
}

#[test]
fn the_ways_of_other_writers() {
    let text = "\u{feff}#YANEURAOU-DB2016 1.00\r\n# NOE:2\r\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -\r\n\
        // 開始局面\r\n7g7f 3c3d 32 10 5\r\n# よく指される\r\n# 相居飛車\r\n2g2f\r\nresign none 0 0 1\r\n\
        5g5f none none none none\r\n\r\n";
    let (entries, problems) = read(text.as_bytes(), 1).unwrap();
    assert_eq!(problems.count, 0, "{:?}", problems.first);
    let [entry] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((entry.ply, entry.comment.as_deref()), (0, Some("開始局面")));
    let usi = |mv: Move| mv.usi(Game::Shogi);
    let facts: Vec<_> = entry
        .moves
        .iter()
        .map(|m| (usi(m.mv), m.reply.map(usi), m.value, m.depth, m.count))
        .collect();
    let first = ("7g7f".to_owned(), Some("3c3d".to_owned()), Some(32), 10, 5);
    let bare = |mv: &str| (mv.to_owned(), None, None, 0, 1);
    assert_eq!(facts, [first, bare("2g2f"), bare("5g5f")]);
    assert_eq!(entry.moves[0].comment.as_deref(), Some("よく指される\n相居飛車"));
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_the_rest_is_read() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let text = format!(
        "{FIRST_LINE}\n7g7f\nsfen nonsense b - 1\n7g7f\nsfen {start}\n7g7e\n7g7f\n7g7f\nhello\n{}\n2g2f\n",
        "x".repeat(70_000)
    );
    let (entries, problems) = read(text.as_bytes(), 1).unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].moves.len(), 2);
    let lines: Vec<&str> = problems.first.iter().map(|p| p.split(':').next().unwrap()).collect();
    assert_eq!(lines, ["line 2", "line 3", "line 4", "line 6", "line 8", "line 9", "line 10"]);
}

#[test]
fn another_file_is_refused() {
    for bytes in [&b""[..], b"hello", b"\x89NueB", &[0xff; 100]] {
        let error = read(bytes, 1).err().unwrap().to_string();
        assert!(error.contains("YANEURAOU"), "{error}");
    }
}

#[test]
fn bytes_without_end_are_refused_without_end_of_memory() {
    struct Endless;
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(b'x');
            Ok(buffer.len())
        }
    }
    let input = FIRST_LINE.as_bytes().chain(Endless);
    let mut pieces = Pieces::new(input).unwrap();
    assert!(matches!(pieces.next(), Some(Err(BookError::Damaged { .. }))));
    assert!(pieces.next().is_none());
}
