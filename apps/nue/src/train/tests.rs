//! The command on real files.

use super::*;
use clap::Parser;
use nnue::AnyNet;
use rules::{AnyPosition, Color, Game as Rules};
use std::fs;
use std::path::PathBuf;
use teacher::{Flags, Game, Header, Ply, Writer};
use tempfile::TempDir;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: TrainArgs,
}

/// A folder of one test, removed with it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.games("data", 30, 1, Flags::default());
        folder.games("held", 10, 2, Flags::default());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, line: &str) -> CommandResult {
        let words = line.split(' ').map(|w| match w.strip_prefix('@') {
            Some(path) => self.path(path).to_string_lossy().into_owned(),
            None => w.to_owned(),
        });
        let line = Line::try_parse_from(std::iter::once("train".to_owned()).chain(words));
        run(&line.unwrap_or_else(|e| panic!("{e}")).args)
    }

    /// Random games whose scores are their material.
    fn games(&self, name: &str, count: u64, seed: u64, flags: Flags) {
        let header = Header::new(Rules::Minishogi);
        let mut writer = Writer::new(Vec::new(), header).unwrap();
        for number in 0..count {
            let mut random = seed::Rng::for_purpose(seed, &[number]);
            let mut game = Game::new(AnyPosition::startpos(Rules::Minishogi));
            let mut position = game.start.clone();
            for _ in 0..30 {
                let moves = position.legal_moves();
                let AnyPosition::Minishogi(inner) = &position else { break };
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len())];
                let material = ::eval::material(inner, &::eval::PIECE_VALUES) as i16;
                let score = if inner.turn() == Color::Black { material } else { -material };
                game.plies.push(Ply { mv, score: Some(score), flags });
                position.play(mv);
            }
            game.outcome = teacher::Outcome::Draw;
            writer.write(&game).unwrap();
        }
        fs::write(self.path(name), writer.finish().unwrap()).unwrap();
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let list = fs::read_dir(self.0.path()).unwrap().filter_map(Result::ok);
        let mut names: Vec<_> =
            list.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

const LINE: &str = "@data --validation @held --arch halfkp-32x2-8-8 --batch 100 --lr 0.01 \
                    --limit 30000 --threads 2";

#[test]
fn a_net_a_log_and_a_curve_come_out() {
    let folder = Folder::new();
    let line = LINE.replace("                    ", "");
    folder.run(&format!("{line} -o @nn.bin --float @nn.nuef --epochs 3 --agreement 20")).unwrap();
    let files =
        ["data", "held", "nn.bin", "nn.bin.checkpoint", "nn.bin.jsonl", "nn.bin.svg", "nn.nuef"];
    assert_eq!(folder.files(), files);
    let net = AnyNet::load(&folder.path("nn.bin")).unwrap();
    assert_eq!(net.architecture().to_string(), "HalfKP 32x2-8-8 (minishogi)");
    let log = String::from_utf8(folder.bytes("nn.bin.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["run"]["data"]["games"], 30);
    let loss = |line: usize| lines[line]["validation"]["total"].as_f64().unwrap();
    assert!(loss(4) < loss(1), "{log}");
    assert!(lines[4]["agreement"].as_f64().unwrap() <= 1.0);
    let apart = &lines[4]["net"]["integers"];
    assert!(apart["count"].as_u64().unwrap() > 100, "{apart}");
    assert!(apart["mean"].as_f64().unwrap() < 30.0, "{apart}");

    // What exists is not lost, and the same command gives the same net.
    let again = folder.run(&format!("{line} -o @nn.bin --epochs 3"));
    assert!(matches!(&again, Err(Failure::Usage(m)) if m.contains("--resume")));
    folder.run(&format!("{line} -o @b.bin --epochs 3")).unwrap();
    assert!(folder.bytes("nn.bin") == folder.bytes("b.bin"));
    // Going on for more epochs is the same as having asked for them at once.
    folder.run(&format!("{line} -o @b.bin --epochs 4 --resume")).unwrap();
    folder.run(&format!("{line} -o @c.bin --epochs 4")).unwrap();
    assert!(folder.bytes("b.bin") == folder.bytes("c.bin"));
    // Another beginning: the net itself, in either form.
    for from in ["@nn.bin", "@nn.nuef"] {
        let line = line.replace("--arch halfkp-32x2-8-8", "--from");
        let line = line.replace("--from", &format!("--from {from}"));
        let line = line.replace("--lr 0.01", "--lr 0.003");
        folder.run(&format!("{line} -o @d.bin --epochs 3 --force --leaf")).unwrap();
    }
}

#[test]
fn wrong_questions_are_answered_and_touch_nothing() {
    let folder = Folder::new();
    let good = folder.bytes("data");
    fs::write(folder.path("cut"), &good[..good.len() - 3]).unwrap();
    fs::write(folder.path("text"), "hello").unwrap();
    folder.games("marked", 5, 3, Flags { random: false, skip: true });
    let before = folder.files();
    for (line, why) in [
        ("@none --validation @held --arch halfkp-32x2-8-8", "none"),
        ("@cut --validation @held --arch halfkp-32x2-8-8", "nue data merge"),
        ("@text --validation @held --arch halfkp-32x2-8-8", "unknown format"),
        ("@data --validation @text --arch halfkp-32x2-8-8", "unknown format"),
        ("@data --validation @held --arch kp-32x2-8-8", "feature set"),
        ("@data --validation @held --arch halfkp-31x2-8-8", "multiple of 16"),
        ("@data --validation @held --from @text", "text"),
        ("@data --validation @marked --arch halfkp-32x2-8-8", "no position"),
    ] {
        let outcome = folder.run(&format!("{line} -o @nn.bin"));
        let Err(Failure::Usage(message) | Failure::Failed(message)) = outcome else {
            panic!("{line}: {outcome:?}");
        };
        assert!(message.contains(why), "{line}: {message}");
        assert_eq!(folder.files(), before, "{line}");
    }
    let outcome = folder.run("@data --validation @held --arch halfkp-32x2-8-8 -o @held --force");
    assert!(matches!(outcome, Err(Failure::Usage(m)) if m.contains("is an input")));
    for flags in
        ["--lambda 2", "--scale 0", "--lr -1", "--batch 0", "--optimizer best", "--epochs 0"]
    {
        let words = format!("train a --validation b -o c --arch d {flags}");
        assert!(Line::try_parse_from(words.split(' ')).is_err(), "{flags}");
    }
}
