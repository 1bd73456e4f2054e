//! The master in virtual time, with children whose every word is written here.

use super::*;
use crate::event::Incarnation;
use crate::journal::Entry;

const TWO: &str = "margin = 100\n[[child]]\nname = \"a\"\nprogram = \"x\"\n\
                   [[child]]\nname = \"b\"\nprogram = \"x\"\n";

/// A master, its clock, and what it did.
struct Rig {
    master: Master,
    now: Moment,
    incarnations: Vec<Option<Incarnation>>,
    sent: Vec<(usize, String)>,
    up: Vec<String>,
    log: Vec<Entry>,
    claims: Vec<u64>,
    ended: Vec<Incarnation>,
    known: Vec<(usize, usize)>,
    quit: bool,
}

impl Rig {
    /// A master none of whose children has been heard of.
    fn cold(config: &str) -> Self {
        let config = Config::parse(config).unwrap();
        let count = config.children.len();
        let mut rig = Self {
            master: Master::new(config, Game::Shogi, "test", Vec::new()),
            now: Moment::ZERO,
            incarnations: vec![None; count],
            sent: Vec::new(),
            up: Vec::new(),
            log: Vec::new(),
            claims: Vec::new(),
            ended: Vec::new(),
            known: Vec::new(),
            quit: false,
        };
        rig.give(Event::Time);
        rig
    }

    /// A master whose first children are ready.
    fn ready(config: &str, count: usize) -> Self {
        let mut rig = Self::cold(config);
        (0..count).for_each(|child| rig.start(child));
        rig.sent.clear();
        rig
    }

    fn start(&mut self, child: usize) {
        let incarnation = self.incarnations[child].expect("to be started");
        self.give(Event::Started(incarnation));
        for line in [
            "id name Script",
            "option name MultiPV type spin default 1 min 1 max 99",
            "option name USI_Ponder type check default false",
            "option name Threads type spin default 1 min 1 max 99",
            "usiok",
            "readyok",
        ] {
            self.says(child, line);
        }
    }

    fn give(&mut self, event: Event) {
        for action in self.master.handle(event, self.now) {
            match action {
                Action::Up(line) => self.up.push(line),
                Action::Send(incarnation, line) => self.sent.push((incarnation.child, line)),
                Action::Start(incarnation) => {
                    self.incarnations[incarnation.child] = Some(incarnation);
                }
                Action::End(incarnation) => self.ended.push(incarnation),
                Action::Verify { number, .. } => self.claims.push(number),
                Action::Log(entry) => self.log.push(entry),
                Action::Know { child, options } => self.known.push((child, options.len())),
                Action::Quit => self.quit = true,
            }
        }
    }

    fn gui(&mut self, line: &str) {
        self.give(Event::Gui(line.to_owned()));
    }

    fn says(&mut self, child: usize, line: &str) {
        let incarnation = self.incarnations[child].expect("it runs");
        self.give(Event::Line(incarnation, line.to_owned()));
    }

    /// Lets time pass, the master being woken when it wants to be.
    fn pass(&mut self, millis: u64) {
        let end = self.now + Duration::from_millis(millis);
        while let Some(wake) = self.master.wake().filter(|wake| *wake <= end) {
            self.now = self.now.max(wake);
            self.give(Event::Time);
        }
        self.now = end;
        self.give(Event::Time);
    }

    /// What a child was told since this was last asked.
    fn told(&mut self, child: usize) -> Vec<String> {
        let all = std::mem::take(&mut self.sent);
        let (own, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|(to, _)| *to == child);
        self.sent = rest;
        own.into_iter().map(|(_, line)| line).collect()
    }

    fn answer(&mut self) -> Option<String> {
        let found =
            self.up.iter().find_map(|line| line.strip_prefix("bestmove ")).map(str::to_owned);
        self.up.clear();
        found
    }

    fn thinks(&mut self, child: usize, score: &str, pv: &str) {
        self.says(child, &format!("info depth 9 score {score} nodes 100 pv {pv}"));
    }
}

#[test]
fn usi_and_isready_are_answered_at_once_and_late_children_join() {
    let mut rig = Rig::cold(TWO);
    rig.gui("usi");
    assert_eq!(rig.up.first().map(String::as_str), Some("id name Nue cluster"));
    assert_eq!(rig.up.last().map(String::as_str), Some("usiok"));
    rig.gui("isready");
    assert_eq!(rig.up.last().map(String::as_str), Some("readyok"));
    rig.gui("usinewgame");
    rig.gui("position startpos");
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    assert_eq!(rig.answer(), None);
    rig.pass(100);
    rig.start(1);
    let told = rig.told(1);
    assert!(told.iter().any(|line| line == "position startpos"), "{told:?}");
    assert!(
        told.last().is_some_and(|line| line.starts_with("go btime 0 wtime 0 byoyomi ")),
        "{told:?}"
    );
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    rig.gui("usi");
    assert!(rig.up.iter().any(|line| line.starts_with("option name b_Threads type spin")));
    assert!(!rig.up.iter().any(|line| line.contains("b_USI_Ponder")));
}

#[test]
fn nobody_at_all_still_means_a_legal_move_in_time() {
    let mut rig = Rig::cold(TWO);
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    rig.pass(850);
    assert_eq!(rig.answer(), None);
    rig.pass(60);
    let answer = rig.answer().expect("in time");
    assert!(AnyPosition::startpos(Game::Shogi).parse_usi(&answer).is_ok());
    assert!(matches!(rig.log.last(), Some(Entry::Decision { by, .. }) if by == "own"));
}

#[test]
fn options_go_to_the_child_they_name_and_survive_its_end() {
    assert_eq!(Rig::ready(TWO, 2).known, [(0, 3), (1, 3)], "told once each, to be remembered");
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("setoption name b_Threads value 7");
    rig.gui("setoption name USI_Hash value 7");
    rig.gui("setoption name Threads value 7");
    assert_eq!(rig.told(1), ["setoption name Threads value 7"]);
    assert!(rig.told(0).is_empty());
    assert_eq!(rig.up.len(), 1, "one remark, about the option nobody has: {:?}", rig.up);
    let incarnation = rig.incarnations[1].unwrap();
    rig.give(Event::Lost(incarnation, "killed".to_owned()));
    rig.pass(1000);
    assert_ne!(rig.incarnations[1], Some(incarnation));
    rig.start(1);
    assert!(rig.told(1).contains(&"setoption name Threads value 7".to_owned()));
}

#[test]
fn most_votes_win_and_everything_is_logged() {
    let text = format!("{TWO}[[child]]\nname = \"c\"\nprogram = \"x\"\n");
    let mut rig = Rig::ready(&text, 3);
    rig.gui("go nodes 1000");
    for child in 0..3 {
        assert_eq!(rig.told(child), ["position startpos", "go nodes 1000"]);
    }
    rig.thinks(0, "cp 300", "7g7f 3c3d");
    rig.says(0, "bestmove 7g7f");
    rig.thinks(1, "cp 10", "2g2f 8c8d");
    rig.says(1, "bestmove 2g2f ponder 8c8d");
    assert_eq!(rig.answer(), None);
    rig.says(2, "bestmove 2g2f");
    let lines = std::mem::take(&mut rig.up);
    assert_eq!(lines.last().map(String::as_str), Some("bestmove 2g2f"));
    assert!(lines.iter().any(|l| l.starts_with("info depth 9 score cp 10")), "{lines:?}");
    let asked = rig.log.iter().filter(|entry| matches!(entry, Entry::Opinion { .. })).count();
    assert_eq!((asked, rig.log.len()), (3, 4));
    // Two of three agree: the third is not waited for.
    rig.gui("go nodes 1000");
    rig.says(0, "bestmove 7g7f");
    rig.says(1, "bestmove 7g7f");
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
    assert_eq!(rig.told(2).last().map(String::as_str), Some("stop"));
}

#[test]
fn answers_are_counted_not_believed() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    rig.thinks(0, "cp 0", "7g7f");
    rig.says(0, "bestmove 7g7f");
    // The other does not answer: it is stopped, not waited for, and asked nothing new.
    rig.pass(1000);
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
    rig.told(0);
    assert_eq!(rig.told(1).last().map(String::as_str), Some("stop"));
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    assert!(rig.told(1).is_empty(), "no question before the answer to the last");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer(), None, "the answer was to the earlier question");
    let told = rig.told(1);
    assert_eq!(told.first().map(String::as_str), Some("position startpos moves 7g7f 3c3d"));
    rig.says(0, "bestmove 2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    // One answer more than questions: it cannot be told any more which belongs to which.
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.ended.len(), 1);
    assert!(rig.log.iter().any(|e| matches!(e, Entry::Fault { child, .. } if child == "b")));
}

#[test]
fn who_lies_is_cut_off_started_again_and_readmitted() {
    for lie in [
        "bestmove 5i5a",
        "bestmove nonsense",
        "bestmove win",
        "info score cp 99999999 pv 7g7f",
        "info score cp 10 pv 5i5a",
    ] {
        let mut rig = Rig::ready(TWO, 2);
        rig.gui("go btime 0 wtime 0 byoyomi 2000");
        rig.says(0, lie);
        assert_eq!(rig.ended.len(), 1, "{lie}");
        // What its earlier incarnation says is for nobody.
        rig.give(Event::Line(rig.ended[0], "bestmove 7g7f".to_owned()));
        rig.pass(600);
        rig.told(0);
        rig.start(0);
        assert!(rig.told(0).iter().any(|line| line.starts_with("go ")), "{lie}: it joins again");
        rig.says(0, "bestmove 2g2f");
        rig.says(1, "bestmove 2g2f");
        assert_eq!(rig.answer().as_deref(), Some("2g2f"), "{lie}");
    }
}

#[test]
fn what_is_not_usi_does_no_harm() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go nodes 10");
    for line in [
        "",
        "hello",
        "info",
        "info score",
        "info score cp x",
        "option",
        "bestmove",
        "\u{0}",
        "readyok",
        "usiok",
    ] {
        rig.says(0, line);
        rig.gui(line);
    }
    assert!(rig.ended.is_empty());
    rig.says(0, "bestmove 7g7f");
    rig.says(1, "bestmove 7g7f");
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
}

#[test]
fn who_floods_is_cut_off() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go nodes 10");
    for _ in 0..20_001 {
        if rig.ended.is_empty() {
            rig.says(0, "x");
        }
    }
    assert_eq!(rig.ended.len(), 1);
}

#[test]
fn who_hangs_is_left_behind_and_killed() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    rig.thinks(0, "cp 30", "7g7f");
    rig.thinks(1, "cp 40", "2g2f");
    rig.pass(1000);
    assert_eq!(rig.answer().as_deref(), Some("2g2f"), "what was last said counts");
    assert!(rig.ended.is_empty());
    rig.pass(6000);
    assert_eq!(rig.ended.len(), 2);
    assert!(rig.log.iter().any(|e| matches!(e, Entry::Fault { fault: "stall", .. })));
}

#[test]
fn who_says_nothing_is_given_up_also_without_a_clock() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go nodes 1000");
    rig.pass(50_000);
    rig.thinks(0, "cp 30", "7g7f");
    rig.pass(50_000);
    assert_eq!(rig.answer(), None, "one of them was heard of");
    rig.pass(20_000);
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
}

#[test]
fn who_fails_always_stays_out_until_the_next_game() {
    let mut rig = Rig::ready(TWO, 1);
    for _ in 0..9 {
        let incarnation = rig.incarnations[0].unwrap();
        rig.give(Event::Lost(incarnation, "no such file".to_owned()));
        rig.pass(70_000);
    }
    let last = rig.incarnations[0];
    rig.pass(600_000);
    assert_eq!(rig.incarnations[0], last, "not started again");
    rig.gui("usinewgame");
    assert_ne!(rig.incarnations[0], last);
}

#[test]
fn a_hit_keeps_the_tree_and_a_miss_thinks_at_once() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    for child in [0, 1] {
        rig.thinks(child, "cp 10", "7g7f 3c3d");
        rig.says(child, "bestmove 7g7f ponder 3c3d");
    }
    assert_eq!(rig.answer().as_deref(), Some("7g7f"), "no ponder move is told upward");
    let told = rig.told(0);
    assert_eq!(told[told.len() - 2], "position startpos moves 7g7f 3c3d");
    assert!(told[told.len() - 1].starts_with("go ponder btime 5"), "{told:?}");
    rig.told(1);
    rig.pass(3000);
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(0), ["ponderhit"], "not one of ours: no clocks");
    assert_eq!(rig.told(1), ["ponderhit"]);
    for child in [0, 1] {
        rig.thinks(child, "cp 10", "2g2f 8c8d");
        rig.says(child, "bestmove 2g2f ponder 8c8d");
    }
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    assert!(matches!(rig.log.last(), Some(Entry::Decision { hit: true, .. })));
    rig.told(0);
    rig.told(1);
    rig.gui("position startpos moves 7g7f 3c3d 2g2f 4c4d");
    rig.gui("go btime 58000 wtime 55000 byoyomi 0");
    assert_eq!(rig.told(0), ["stop"]);
    rig.says(0, "bestmove 2f2e");
    let told = rig.told(0);
    assert_eq!(told[0], "position startpos moves 7g7f 3c3d 2g2f 4c4d");
    assert!(told[1].starts_with("go btime"), "{told:?}");
    rig.says(0, "bestmove 2f2e");
    rig.says(1, "bestmove 2f2e");
    rig.says(1, "bestmove 2f2e");
    assert_eq!(rig.answer().as_deref(), Some("2f2e"));
    assert!(rig.ended.is_empty());
}

#[test]
fn our_own_children_are_told_the_clocks_of_a_hit() {
    let mut rig = Rig::cold("[[child]]\nname = \"a\"\ninside = \"alphabeta\"\n");
    let incarnation = rig.incarnations[0].unwrap();
    rig.give(Event::Started(incarnation));
    for line in ["id name Nue", "usiok", "readyok"] {
        rig.says(0, line);
    }
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    rig.told(0);
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    let told = rig.told(0);
    assert!(told[0].starts_with("ponderhit btime 58"), "{told:?}");
}

#[test]
fn who_answers_while_pondering_is_heard_at_the_hit() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    rig.says(1, "bestmove 7g7f ponder 3c3d");
    rig.answer();
    rig.told(0);
    rig.told(1);
    rig.thinks(0, "cp 10", "2g2f");
    rig.says(0, "bestmove 2g2f");
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert!(rig.told(0).is_empty(), "it has answered already");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
}

/// A second answer to the question before would be taken for an answer to this one.
#[test]
fn an_answer_while_pondering_that_fits_no_line_is_not_believed() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    rig.says(1, "bestmove 7g7f ponder 3c3d");
    rig.says(0, "bestmove 2g2f");
    assert_eq!(rig.ended.len(), 1);
}

#[test]
fn the_interface_may_ponder_itself() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go ponder btime 60000 wtime 60000 byoyomi 0");
    assert!(rig.told(0)[1].starts_with("go ponder btime"));
    for child in [0, 1] {
        rig.thinks(child, "cp 10", "2g2f");
        rig.says(child, "bestmove 2g2f");
    }
    rig.pass(100_000);
    assert_eq!(rig.answer(), None, "not before the hit");
    rig.gui("ponderhit");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    rig.gui("go ponder btime 60000 wtime 60000 byoyomi 0");
    rig.thinks(0, "cp 1", "2g2f");
    rig.gui("stop");
    rig.says(0, "bestmove 2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    rig.gui("ponderhit");
    assert!(rig.up.iter().any(|line| line.contains("ponderhit without go ponder")));
}

#[test]
fn stop_gameover_and_quit_end_what_is_under_way() {
    for word in ["stop", "gameover lose", "quit"] {
        let mut rig = Rig::ready(TWO, 2);
        rig.gui("go infinite");
        rig.thinks(0, "cp 1", "7g7f");
        rig.pass(100_000);
        assert_eq!(rig.answer(), None);
        rig.gui(word);
        let told = rig.told(0);
        rig.pass(100);
        assert_eq!(rig.answer().as_deref(), Some("7g7f"), "{word}");
        assert_eq!(
            told.last().map(String::as_str),
            Some(if word == "quit" { "quit" } else { "stop" })
        );
        assert_eq!(rig.quit, word == "quit");
        if word == "gameover lose" {
            rig.says(0, "bestmove 7g7f");
            assert_eq!(rig.told(0), ["gameover lose"]);
        }
        rig.gui("stop");
        assert_eq!(rig.answer(), None, "{word}: a second stop says nothing");
    }
}

const MATE: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";

#[test]
fn a_mate_is_played_when_it_is_verified() {
    let text = format!("{TWO}[[child]]\nname = \"m\"\nprogram = \"x\"\nrole = \"mate\"\n");
    let mut rig = Rig::ready(&text, 3);
    rig.gui(MATE);
    rig.gui("go btime 0 wtime 0 byoyomi 10000");
    assert!(rig.told(2)[1].starts_with("go mate "));
    rig.says(2, "checkmate G*5b");
    assert_eq!(rig.answer(), None);
    let number = rig.claims[0];
    rig.give(Event::Verified { number, mates: true });
    assert_eq!(rig.answer().as_deref(), Some("G*5b"));
    // One that is none is not even voted for.
    rig.says(0, "bestmove 5i5h");
    rig.says(1, "bestmove 5i5h");
    rig.gui("go btime 0 wtime 0 byoyomi 10000");
    rig.thinks(0, "mate 3", "G*4b");
    let number = *rig.claims.last().unwrap();
    rig.give(Event::Verified { number, mates: false });
    assert_eq!(rig.answer(), None);
    rig.says(2, "checkmate nomate");
    rig.thinks(1, "cp 100", "G*5b");
    rig.says(1, "bestmove G*5b");
    rig.says(0, "bestmove G*5b");
    assert_eq!(rig.answer().as_deref(), Some("G*5b"));
}

#[test]
fn a_mate_search_is_handed_on() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go mate 1000");
    assert_eq!(rig.up.last().map(String::as_str), Some("checkmate notimplemented"));
    let text = format!("{TWO}[[child]]\nname = \"m\"\nprogram = \"x\"\nrole = \"mate\"\n");
    let mut rig = Rig::ready(&text, 3);
    rig.gui(MATE);
    rig.gui("go mate infinite");
    assert!(rig.told(0).is_empty(), "only who looks for mates is asked");
    rig.says(2, "checkmate G*5b");
    assert_eq!(rig.up.last().map(String::as_str), Some("checkmate G*5b"));
}

#[test]
fn values_are_exchanged_after_half_the_time() {
    let text = format!(
        "{TWO}[[group]]\nname = \"g\"\nchildren = [\"a\", \"b\"]\nconsult = \"exchange\"\n"
    );
    let mut rig = Rig::ready(&text, 2);
    rig.gui("go nodes 1000");
    assert_eq!(rig.told(0).last().map(String::as_str), Some("go nodes 450"));
    rig.thinks(0, "cp 100", "7g7f");
    rig.says(0, "bestmove 7g7f");
    rig.thinks(1, "cp 150", "2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer(), None);
    assert_eq!(rig.told(0), ["position startpos moves 2g2f", "go nodes 450"]);
    assert!(rig.told(1).contains(&"position startpos moves 7g7f".to_owned()));
    // Seen by the opponent: 7g7f is good for us, 2g2f is bad.
    rig.thinks(0, "cp 200", "8c8d");
    rig.says(0, "bestmove 8c8d");
    rig.thinks(1, "cp -90", "8c8d");
    rig.says(1, "bestmove 8c8d");
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
    assert!(matches!(rig.log.last(), Some(Entry::Decision { why: "exchange", .. })));
}

#[test]
fn an_arbiter_is_asked_only_when_they_disagree() {
    let text = format!(
        "{TWO}[[child]]\nname = \"c\"\nprogram = \"x\"\nrole = \"arbiter\"\n\
         [[group]]\nname = \"g\"\nchildren = [\"a\", \"b\"]\narbiter = \"c\"\n"
    );
    let mut rig = Rig::ready(&text, 3);
    rig.gui("go nodes 1000");
    rig.says(0, "bestmove 7g7f");
    rig.says(1, "bestmove 7g7f");
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
    assert!(rig.told(2).is_empty());
    rig.gui("go nodes 1000");
    rig.thinks(0, "cp 200", "7g7f");
    rig.says(0, "bestmove 7g7f");
    rig.thinks(1, "cp 100", "2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer(), None);
    assert_eq!(rig.told(2), ["position startpos", "go nodes 400 searchmoves 7g7f 2g2f"]);
    rig.says(2, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
}

#[test]
fn who_plays_is_switched_by_rules() {
    let text = format!(
        "{TWO}[[group]]\nname = \"g\"\nchildren = [\"a\", \"b\"]\nconsult = \"switch\"\n\
         [[group.switch]]\nchild = \"b\"\nfrom_ply = 3\n"
    );
    let mut rig = Rig::ready(&text, 2);
    rig.gui("go nodes 10");
    assert_eq!((rig.told(0).len(), rig.told(1).len()), (2, 0), "no rule fits: the first plays");
    rig.says(0, "bestmove 7g7f");
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go nodes 10");
    assert_eq!((rig.told(0).len(), rig.told(1).len()), (0, 2));
}

/// Three groups of one and a predictor beside them.
const SEERS: &str = "margin = 100\n[ponder]\npredictor = \"seer\"\nreplies = 3\ndwell = 1000\n\
     [[child]]\nname = \"a\"\nprogram = \"x\"\n[[child]]\nname = \"b\"\nprogram = \"x\"\n\
     [[child]]\nname = \"c\"\nprogram = \"x\"\n\
     [[child]]\nname = \"seer\"\nprogram = \"x\"\nrole = \"predictor\"\n";

fn predicts(rig: &mut Rig, replies: &[(&str, i32)]) {
    for (rank, (reply, score)) in replies.iter().enumerate() {
        rig.says(3, &format!("info depth 5 multipv {} score cp {score} pv {reply}", rank + 1));
    }
}

fn position_of(told: &[String]) -> Option<&str> {
    told.iter().rev().find_map(|line| line.strip_prefix("position startpos moves "))
}

#[test]
fn replies_are_shared_out_and_predicted_anew() {
    let mut rig = Rig::ready(SEERS, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    assert_eq!((rig.told(0).len(), rig.told(1).len()), (2, 0), "the first group thinks");
    rig.thinks(0, "cp 10", "7g7f 3c3d");
    rig.says(0, "bestmove 7g7f");
    let seer = rig.told(3);
    assert_eq!(
        seer,
        ["setoption name MultiPV value 3", "position startpos moves 7g7f", "go infinite"]
    );
    predicts(&mut rig, &[("8c8d", 20), ("3c3d", 15), ("4a3b", 0)]);
    rig.pass(1500);
    // Whoever was on the likeliest at first is where it is wanted now; the others follow.
    for child in 0..3 {
        if rig.master.children[child].questions.len() == 1
            && rig.master.children[child].questions[0].stopped.is_some()
        {
            rig.says(child, "bestmove 2g2f");
        }
    }
    let mut at: Vec<String> =
        (0..3).map(|child| position_of(&rig.told(child)).unwrap_or_default().to_owned()).collect();
    at.sort();
    assert_eq!(at, ["7g7f 3c3d", "7g7f 4a3b", "7g7f 8c8d"]);
    // The view changes: one reply is given up for another.
    predicts(&mut rig, &[("8c8d", 20), ("3c3d", 15), ("5c5d", 10)]);
    rig.pass(1500);
    let stopped: Vec<usize> =
        (0..3).filter(|&c| rig.told(c).contains(&"stop".to_owned())).collect();
    assert_eq!(stopped.len(), 1);
    rig.says(stopped[0], "bestmove 2g2f");
    assert_eq!(position_of(&rig.told(stopped[0])), Some("7g7f 5c5d"));
    // It is played: who pondered on it goes on, the others are free.
    rig.answer();
    rig.gui("position startpos moves 7g7f 5c5d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(stopped[0]), ["ponderhit"]);
    rig.says(stopped[0], "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
}

#[test]
fn whoever_thought_last_ponders_on_the_likeliest_and_thinks_after_a_miss() {
    let text = SEERS.replace("dwell = 1000", "dwell = 1000\nahead = false\nmiss = \"last\"");
    let mut rig = Rig::ready(&text, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    predicts(&mut rig, &[("3c3d", 20), ("8c8d", 15), ("4a3b", 0)]);
    assert_eq!(position_of(&rig.told(0)), Some("7g7f 3c3d"), "it has thought");
    // All were on the one reply that was known; the others leave it at once.
    [1, 2].into_iter().for_each(|child| rig.says(child, "bestmove 2g2f"));
    assert_eq!(position_of(&rig.told(2)), Some("7g7f 8c8d"));
    rig.told(1);
    rig.gui("position startpos moves 7g7f 8c8d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(2), ["ponderhit"]);
    [0, 1].into_iter().for_each(|child| rig.says(child, "bestmove 2g2f"));
    rig.says(3, "bestmove 3c3d");
    rig.thinks(2, "cp 10", "2g2f 8d8e");
    rig.answer();
    rig.says(2, "bestmove 2g2f ponder 8d8e");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    predicts(&mut rig, &[("8d8e", 20), ("3c3d", 15), ("4a3b", 0)]);
    assert_eq!(position_of(&rig.told(2)), Some("7g7f 8c8d 2g2f 8d8e"), "the likeliest");
    let is_stopped = |rig: &Rig, child: usize| {
        rig.master.children[child].questions.iter().any(|question| question.stopped.is_some())
    };
    let mut others: Vec<String> = Vec::new();
    for child in [0, 1] {
        if is_stopped(&rig, child) {
            rig.says(child, "bestmove 2f2e");
        }
        others.extend(position_of(&rig.told(child)).map(str::to_owned));
    }
    others.sort();
    assert_eq!(others, ["7g7f 8c8d 2g2f 3c3d", "7g7f 8c8d 2g2f 4a3b"]);
    rig.gui("position startpos moves 7g7f 8c8d 2g2f 1c1d");
    rig.gui("go btime 58000 wtime 55000 byoyomi 0");
    assert_eq!((rig.told(0), rig.told(2)), (vec!["stop".to_owned()], vec!["stop".to_owned()]));
    [0, 1, 2].into_iter().for_each(|child| rig.says(child, "bestmove 2f2e"));
    let told = rig.told(2);
    assert_eq!(position_of(&told), Some("7g7f 8c8d 2g2f 1c1d"));
    assert!(told[1].starts_with("go btime"), "{told:?}");
    assert_eq!(rig.told(0), [""; 0]);
}

#[test]
fn a_reply_nobody_foresaw_is_thought_about_by_the_first() {
    let mut rig = Rig::ready(SEERS, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    predicts(&mut rig, &[("8c8d", 20), ("3c3d", 15), ("4a3b", 0)]);
    (0..4).for_each(|child| drop(rig.told(child)));
    rig.answer();
    rig.gui("position startpos moves 7g7f 1c1d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(0), ["stop"]);
    rig.says(0, "bestmove 2g2f");
    assert_eq!(rig.told(0)[0], "position startpos moves 7g7f 1c1d");
    assert_eq!(rig.told(3), ["stop"]);
    // Meanwhile the others look at replies to the move it may play.
    for child in 1..4 {
        rig.says(child, if child == 3 { "bestmove 8c8d" } else { "bestmove 2g2f" });
    }
    rig.thinks(0, "cp 5", "2g2f 8c8d");
    rig.pass(1500);
    assert_eq!(position_of(&rig.told(3)), Some("7g7f 1c1d 2g2f"));
    assert_eq!(position_of(&rig.told(1)), Some("7g7f 1c1d 2g2f 8c8d"));
    rig.says(0, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    assert!(rig.told(1).is_empty(), "it goes on with what it has begun");
}

/// Four groups of one, the first of which predicts too.
const SHARED: &str = "margin = 100\n[ponder]\npredictor = \"a\"\npredict = 300\ndwell = 200\n\
                      [[child]]\nname = \"a\"\nprogram = \"x\"\n[[child]]\nname = \"b\"\nprogram = \"x\"\n\
                      [[child]]\nname = \"c\"\nprogram = \"x\"\n[[child]]\nname = \"d\"\nprogram = \"x\"\n";

#[test]
fn a_player_that_predicts_looks_again_while_the_opponent_thinks_long() {
    let mut rig = Rig::ready(SHARED, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000");
    rig.says(0, "bestmove 7g7f");
    rig.pass(10);
    let predicted = |told: &[String]| told.iter().any(|line| line == "go infinite");
    assert!(predicted(&rig.told(0)), "it predicts first");
    rig.says(0, "info multipv 1 score cp 10 pv 3c3d");
    rig.pass(400);
    rig.says(0, "bestmove 3c3d");
    let told = rig.told(0);
    assert!(told.iter().any(|line| line.starts_with("go ponder")), "it ponders then: {told:?}");
    rig.pass(2000);
    assert!(!predicted(&rig.told(0)));
    rig.pass(950);
    let told = rig.told(0);
    assert_eq!(told.first().map(String::as_str), Some("stop"), "{told:?}");
    rig.says(0, "bestmove 2g2f");
    assert!(predicted(&rig.told(0)), "after a while it looks again");
    rig.pass(400);
    rig.says(0, "bestmove 3c3d");
    assert!(rig.told(0).iter().any(|line| line.starts_with("go ponder")));
    // Then ever more seldom.
    rig.pass(5000);
    assert!(!predicted(&rig.told(0)));
}

#[test]
fn a_player_that_predicts_does_so_after_its_own_move_too() {
    let mut rig = Rig::ready(SHARED, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000");
    rig.thinks(0, "cp 30", "7g7f 3c3d");
    rig.pass(600);
    // The others are ahead already, while the predictor thinks about our move.
    assert_eq!(position_of(&rig.told(1)), Some("7g7f 3c3d"));
    drop(rig.told(0));
    rig.says(0, "bestmove 7g7f");
    rig.pass(10);
    assert!(rig.told(0).iter().any(|line| line == "go infinite"));
}

#[test]
fn groups_to_spare_ponder_on_replies_to_other_moves_of_ours() {
    let config = "margin = 100\n[ponder]\npredictor = \"seer\"\ndwell = 200\n\
                  [[child]]\nname = \"a\"\nprogram = \"x\"\n[[child]]\nname = \"b\"\nprogram = \"x\"\n\
                  [[child]]\nname = \"c\"\nprogram = \"x\"\n[[child]]\nname = \"d\"\nprogram = \"x\"\n\
                  [[child]]\nname = \"seer\"\nprogram = \"x\"\nrole = \"predictor\"\n\
                  [[group]]\nname = \"pair\"\nchildren = [\"a\", \"b\"]\n\
                  [[group]]\nname = \"third\"\nchildren = [\"c\"]\n\
                  [[group]]\nname = \"fourth\"\nchildren = [\"d\"]\n";
    let mut rig = Rig::ready(config, 5);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("position startpos");
    rig.gui("go btime 60000 wtime 60000");
    rig.thinks(0, "cp 30", "7g7f 3c3d");
    rig.thinks(1, "cp 20", "2g2f 8c8d");
    rig.pass(600);
    let (third, fourth) = (rig.told(2), rig.told(3));
    assert_eq!(position_of(&third), Some("7g7f 3c3d"), "{third:?}");
    assert_eq!(position_of(&fourth), Some("2g2f 8c8d"), "{fourth:?}");
    // We play the other move after all: who pondered on a reply to it goes on.
    rig.thinks(0, "cp 10", "2g2f 3c3d");
    rig.says(0, "bestmove 2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    assert!(!rig.told(3).contains(&"stop".to_owned()), "it goes on");
    assert!(rig.told(2).contains(&"stop".to_owned()), "it is of no use any more");
    rig.gui("position startpos moves 2g2f 8c8d");
    rig.gui("go btime 60000 wtime 60000");
    assert!(rig.told(3).iter().any(|line| line.starts_with("ponderhit")));
}
