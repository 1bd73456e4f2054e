//! The master in virtual time, with children whose every word is written here.

use super::*;
use crate::event::Incarnation;
use crate::journal::Entry;

mod faults;
mod pondering;

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
