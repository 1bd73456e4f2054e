//! What is written for people and for later: the view, the log, weights learned from it.

use crate::harness::{engine, start};
use board::watch_cluster::{
    ClusterChild, ClusterChildState, ClusterDoing, ClusterTask, ClusterView,
};
use cluster::config;
use cluster::weights::{Weights, learn_from};
use rules::Game;
use std::path::Path;
use std::time::Duration;

/// Waits until the view of that file is as wanted.
fn until(file: &Path, wanted: impl Fn(&ClusterView) -> bool) -> ClusterView {
    let read = || std::fs::read_to_string(file).unwrap_or_default();
    for _ in 0..1500 {
        if let Some(view) = serde_json::from_str(&read()).ok().filter(&wanted) {
            return view;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the view is {}", read());
}

#[test]
fn the_view_shows_what_each_child_thinks_while_it_thinks() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(
        "name = \"Pair\"\nview = \"pair.json\"\n\
         [[child]]\nname = \"first\"\ninside = \"alphabeta\"\noptions = { USI_Hash = 16, Threads = 1 }\n\
         [[child]]\nname = \"second\"\ninside = \"alphabeta\"\noptions = { USI_Hash = 16, Threads = 1 }\n",
        folder.path(),
    );
    let file = folder.path().join("pair.json");
    until(&file, |view| view.children.iter().all(|c| c.state == ClusterChildState::Ready));
    running.say("position startpos");
    running.say("go infinite");
    // Both think at the same time, and the view has both their lines and values.
    let view = until(&file, |view| {
        let thinks = |task| task == ClusterTask::Thinks;
        view.children.iter().all(|c| thinks(c.task) && c.win_rate.is_some() && c.depth.is_some())
    });
    assert_eq!((&*view.name, view.doing, view.ply), ("Pair", ClusterDoing::Thinking, 1));
    for child in &view.children {
        let lengths = [child.line.usi.len(), child.line.ja.len(), child.line.en.len()];
        assert!(lengths[0] > 0 && lengths == [lengths[0]; 3], "{child:?}");
    }
    running.say("stop");
    running.said.wait("bestmove ");
    let view = until(&file, |view| view.doing == ClusterDoing::Idle && !view.decisions.is_empty());
    assert_eq!((&*view.decisions[0].why, view.decisions[0].played.ja.len()), ("majority", 1));
    running.quit();
}

/// Plays, disagrees, learns from the log, and plays with what was learned.
#[test]
fn weights_are_learned_from_the_log_and_read_by_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let team = "log = \"team.jsonl\"\n\
        [[child]]\nname = \"good\"\ninside = \"alphabeta\"\noptions = { USI_Hash = 16, Threads = 1 }\n\
        [[child]]\nname = \"bad\"\ninside = \"alphabeta\"\n\
        options = { USI_Hash = 16, Threads = 1, EvalDir = \"material\", SkillLevel = 0 }\n";
    let running = start(team, folder.path());
    let mut moves = String::new();
    for _ in 0..60 {
        running.say(&format!("position startpos{moves}"));
        running.say("go nodes 300");
        let best = running.said.wait("bestmove ");
        let best = best.split(' ').nth(1).unwrap().to_owned();
        if best == "resign" {
            break;
        }
        moves = if moves.is_empty() { format!(" moves {best}") } else { format!("{moves} {best}") };
    }
    running.quit();
    let (log, file) = (folder.path().join("team.jsonl"), folder.path().join("weights.toml"));
    let mut judge = (engine().factory)(Game::Shogi);
    judge.is_ready(&mut |_| ());
    let told = learn_from(&log, &file, false, judge, (Game::Shogi, 3000)).unwrap();
    assert!(told.contains("good ") && told.contains("bad "), "{told}");
    let learned = Weights::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let (good, bad) = (learned.of("good").unwrap(), learned.of("bad").unwrap());
    assert!(good > bad, "{told}");
    let path = folder.path().join("team.toml");
    std::fs::write(&path, format!("weights = \"weights.toml\"\n{team}")).unwrap();
    let (config, _) = config::load(Some(&path)).unwrap();
    assert_eq!((config.children[0].weight, config.children[1].weight), (good, bad));
    // A file that is missing, or no such file, is told by name.
    std::fs::write(&file, "nonsense").unwrap();
    let error = config::load(Some(&path)).unwrap_err().to_string();
    assert!(error.contains("weights.toml") && error.contains("nue cluster learn"), "{error}");
}

/// A predictor that is a tree search with a policy net: replies by rank, and a group ponders on each.
#[test]
fn a_policy_net_predicts() {
    let folder = tempfile::tempdir().unwrap();
    let child = |name: &str, rest: &str| format!("[[child]]\nname = \"{name}\"\n{rest}\n");
    let ab = "inside = \"alphabeta\"\noptions = { USI_Hash = 16, Threads = 1 }";
    let running = start(
        &format!(
            "view = \"p.json\"\n[ponder]\npredictor = \"seer\"\nby = \"rank\"\nreplies = 4\n{}{}{}",
            child("one", ab),
            child("two", ab),
            child("seer", "inside = \"puct\"\nrole = \"predictor\"\noptions = { Threads = 1 }")
        ),
        folder.path(),
    );
    running.say("setoption name USI_Ponder value true");
    running.say("position startpos");
    running.say("go nodes 500");
    running.said.wait("bestmove ");
    let view = until(&folder.path().join("p.json"), |view| {
        let on_one = |name: &str| view.replies.iter().any(|reply| reply.groups == [name]);
        let predicts = view.children.iter().any(|c| c.task == ClusterTask::Predicts);
        let told = |c: &ClusterChild| c.task == ClusterTask::Ponders && c.about.ja.len() == 1;
        let ponder = view.children.iter().filter(|c| told(c)).count() == 2;
        on_one("one") && on_one("two") && predicts && ponder
    });
    assert_eq!(view.doing, ClusterDoing::Waiting);
    assert!(view.replies.iter().all(|reply| reply.reply.ja[0].starts_with('△')), "{view:?}");
    running.quit();
}
