//! Malformed input without end: nothing hangs, nothing crashes, and the engine still plays.

use crate::gui::Gui;
use seed::Rng;

const WORDS: [&str; 49] = [
    "usi",
    "isready",
    "setoption",
    "name",
    "value",
    "usinewgame",
    "position",
    "startpos",
    "sfen",
    "moves",
    "go",
    "stop",
    "ponderhit",
    "gameover",
    "win",
    "ponder",
    "btime",
    "wtime",
    "byoyomi",
    "binc",
    "infinite",
    "mate",
    "depth",
    "nodes",
    "movetime",
    "searchmoves",
    "rtime",
    "perft",
    "1",
    "-1",
    "3",
    "99999999999999999999",
    "1e3",
    "7g7f",
    "3c3d",
    "P*5e",
    "8h2b+",
    "USI_Hash",
    "USI_Variant",
    "minishogi",
    "shogi",
    "d",
    "eval",
    "\u{0}",
    "歩",
    "\t",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "rbsgk/4p/5/P4/KGSBR w - 1",
    "4k4/9/9/9/9/9/9/9/9 b G 1",
];

fn line(rng: &mut Rng) -> Vec<u8> {
    if rng.below(8) == 0 {
        let length = rng.below(200);
        return (0..length).map(|_| rng.below(256) as u8).filter(|&b| b != b'\n').collect();
    }
    // Most lines begin with a real command, so that the depths of the grammar are reached.
    let mut words = vec![WORDS[[0, 1, 2, 6, 10, 11, 12, 13, 41, 42][rng.below(10)]]];
    for _ in 0..rng.below(8) {
        words.push(WORDS[rng.below(WORDS.len())]);
    }
    words.join(" ").into_bytes()
}

#[test]
fn a_storm_of_malformed_lines_leaves_a_playing_engine() {
    for seed in 1..=4u64 {
        let mut rng = Rng::for_purpose(seed, &[1]);
        let mut gui = Gui::start(&[]);
        for round in 0..1500 {
            let mut bytes = line(&mut rng);
            bytes.push(b'\n');
            gui.send_bytes(&bytes);
            if round % 100 == 99 {
                gui.send("stop");
                gui.send("isready");
                gui.until("readyok");
            }
        }
        gui.send("stop");
        gui.ask("setoption name USI_Variant value shogi\nposition startpos");
        gui.send("go depth 1 searchmoves 7g7f");
        gui.until("bestmove 7g7f");
        assert_eq!(gui.quit().1, 0, "seed {seed}");
    }
}

#[test]
fn a_storm_that_ends_in_the_middle_ends_the_engine() {
    for seed in 1..=10u64 {
        let mut rng = Rng::for_purpose(seed, &[2]);
        let mut gui = Gui::start(&[]);
        for _ in 0..rng.below(60) {
            let mut bytes = line(&mut rng);
            bytes.push(b'\n');
            gui.send_bytes(&bytes);
        }
        assert_eq!(gui.close().1, 0, "seed {seed}");
    }
}
