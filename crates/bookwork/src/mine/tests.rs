use super::*;
use book::BookMove;
use rules::Game;
use std::sync::atomic::AtomicBool;

/// Values every legal move by its number.
struct Numbers {
    searched: Vec<String>,
}

impl Searcher for Numbers {
    fn name(&self) -> &str {
        "numbers"
    }

    fn search(
        &mut self,
        positions: &[AnyPosition],
        _: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError> {
        self.searched.extend(positions.iter().map(AnyPosition::sfen));
        let value = |position: &AnyPosition| {
            let moves = position.legal_moves();
            let valued = moves.iter().enumerate().take(3);
            valued.map(|(index, &mv)| BookMove::valued(mv, -(index as i32) * 20, 1)).collect()
        };
        Ok(positions.iter().map(value).collect())
    }
}

fn mine(book: &Path, rounds: u32) -> Mine {
    Mine {
        book: book.to_owned(),
        position: "startpos".to_owned(),
        rounds,
        leaves: 4,
        nodes: 1,
        multipv: 3,
        eval_diff: 30,
        max_value: 400,
        max_ply: 20,
        contempt_black: 0,
        contempt_white: 0,
        eval: None,
        threads: 1,
        game: Game::Minishogi,
    }
}

fn run(mine: &Mine, searcher: &mut Numbers) -> Vec<u8> {
    let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
    let mut console = Console { output: &mut output, tell: &mut |_| (), stop: &stop };
    mine.run_with(searcher, &mut console).unwrap();
    std::fs::read(&mine.book).unwrap()
}

#[test]
fn a_run_that_was_ended_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole.nbk"), folder.path().join("parts.nbk"));
    let mut one = Numbers { searched: Vec::new() };
    let at_once = run(&mine(&whole, 6), &mut one);
    let mut two = Numbers { searched: Vec::new() };
    for _ in 0..3 {
        run(&mine(&parts, 2), &mut two);
    }
    assert!(at_once == std::fs::read(&parts).unwrap());
    assert_eq!(one.searched, two.searched);
    let mut distinct = one.searched.clone();
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() == one.searched.len() && distinct.len() > 10, "each position once");
}

#[test]
fn a_position_and_its_twin_are_searched_once() {
    let root = AnyPosition::startpos(Game::Shogi);
    let leaves = Leaves { count: 10, eval_diff: 50, max_value: 400, max_ply: 60 };
    let empty = BTreeMap::new();
    assert_eq!(choose(&empty, &root, leaves).unwrap(), std::slice::from_ref(&root));
    let twin = rotated(&root).unwrap();
    let mut entry = Entry::of(&twin).unwrap();
    entry.moves = vec![BookMove::valued(twin.legal_moves()[0], 0, 1)];
    let book = BTreeMap::from([(entry.key, entry)]);
    assert!(choose(&book, &root, leaves).unwrap().is_empty(), "its twin is in the book");
}

#[test]
fn lines_that_are_decided_are_not_followed() {
    let root = AnyPosition::startpos(Game::Shogi);
    let mut entry = Entry::of(&root).unwrap();
    let moves = root.legal_moves();
    entry.moves = vec![BookMove::valued(moves[0], 500, 1), BookMove::valued(moves[1], 100, 1)];
    let leaves = Leaves { count: 10, eval_diff: 50, max_value: 400, max_ply: 60 };
    let book = |entry: &Entry| BTreeMap::from([(entry.key, entry.clone())]);
    assert!(choose(&book(&entry), &root, leaves).unwrap().is_empty());
    entry.moves[0].value = Some(120);
    // Black as owner follows its best only, White's opponent also what is nearly as good.
    assert_eq!(choose(&book(&entry), &root, leaves).unwrap().len(), 2);
}
