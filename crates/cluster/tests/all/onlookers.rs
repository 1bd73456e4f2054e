//! What is written for people and for later: the page, the log, weights learned from it.

use crate::harness::{engine, start};
use cluster::config;
use cluster::weights::{Weights, learn_from};
use rules::Game;
use std::time::Duration;

#[test]
fn the_page_shows_what_each_child_thinks_while_it_thinks() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(
        "name = \"Pair\"\npage = \"pair.html\"\n\
         [[child]]\nname = \"first\"\ninside = \"alphabeta\"\noptions = { USI_Hash = 16, Threads = 1 }\n\
         [[child]]\nname = \"second\"\ninside = \"alphabeta\"\noptions = { USI_Hash = 16, Threads = 1 }\n",
        folder.path(),
    );
    let page = || std::fs::read_to_string(folder.path().join("pair.html")).unwrap_or_default();
    let until = |wanted: &dyn Fn(&str) -> bool| {
        for _ in 0..1000 {
            if wanted(&page()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the page is {}", page());
    };
    until(&|page| page.matches("<td>ready</td>").count() == 2);
    running.say("position startpos");
    running.say("go infinite");
    // Both think at the same time, and the page has both their lines and values.
    until(&|page| {
        page.matches("<td>thinks</td>").count() == 2 && page.matches("<meter").count() == 2
    });
    assert!(page().contains("thinking about our move"));
    running.say("stop");
    running.said.wait("bestmove ");
    until(&|page| page.contains("majority") && page.contains("nothing to do"));
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
            "page = \"p.html\"\n[ponder]\npredictor = \"seer\"\nby = \"rank\"\nreplies = 4\n{}{}{}",
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
    let page = || std::fs::read_to_string(folder.path().join("p.html")).unwrap_or_default();
    for _ in 0..1500 {
        let page = page();
        let pondered = page.contains("<td>one</td></tr>") && page.contains("<td>two</td></tr>");
        if pondered && page.contains("<td>predicts</td>") && page.contains("the opponent's turn") {
            running.quit();
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{}", page());
}
