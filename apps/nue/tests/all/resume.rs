//! One meaning of `--resume` wherever there is one: go on with what an earlier run left, begin where
//! there is nothing; never together with `--force`; without either nothing that exists is touched.

use rules::{AnyPosition, Game as Rules};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use teacher::{Flags, Game, Header, Outcome, Ply, Writer};

fn nue(folder: &Path, line: &str, more: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.args(line.split_whitespace()).args(more.split_whitespace());
    command.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn games(path: &Path) {
    let mut writer = Writer::new(Vec::new(), Header::new(Rules::Minishogi)).unwrap();
    for number in 0..30 {
        let mut random = seed::Rng::for_purpose(1, &[number]);
        let mut game = Game::new(AnyPosition::startpos(Rules::Minishogi));
        let mut position = game.start.clone();
        for _ in 0..20 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            game.plies.push(Ply { mv, score: Some(3), flags: Flags::default() });
            position.play(mv);
        }
        game.outcome = Outcome::Draw;
        writer.write(&game).unwrap();
    }
    fs::write(path, writer.finish().unwrap()).unwrap();
}

#[test]
fn resume_means_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    games(&folder.path().join("a.teacher"));
    for line in [
        "gen --game minishogi --nodes 20 --hash 1 --games 3 --out gen.teacher",
        "match --game minishogi --engine cmd=self,name=a --engine cmd=self,name=b --each \
         nodes=10,option.USI_Hash=1,option.EvalDir=material --games 2 --max-moves 10 --out m.csa",
        "tune --game minishogi --nodes 10 --iterations 1 --params rfp_margin --option \
         EvalDir=material --option USI_Hash=1 --max-moves 10 --out t.jsonl",
        "train a.teacher --validation a.teacher --arch halfkp-16x2-8-8 --epochs 1 --batch 64 --out net.bin",
        "data convert a.teacher -o c.psv",
        "data filter a.teacher -o f.teacher --no-check",
        "data rescore a.teacher -o r.teacher --net material",
    ] {
        let both = nue(folder.path(), line, "--resume --force");
        assert_eq!(both.status.code(), Some(2), "{line}");
        let first = nue(folder.path(), line, "--resume");
        let told = String::from_utf8_lossy(&first.stderr).into_owned();
        // A training that finds nothing better than its beginning says so with a code of its own.
        assert!(matches!(first.status.code(), Some(0 | 3)), "{line}: {told}");
        let again = nue(folder.path(), line, "");
        let told = String::from_utf8_lossy(&again.stderr).into_owned();
        assert_eq!(again.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains("--force"), "{line}: {told}");
    }
}
