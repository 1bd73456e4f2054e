//! Section 3.3 and 3.4 of the protocol sentence by sentence, in virtual time.

mod interruptions;
mod model;

use super::*;
use csa::TimeRule;
use rules::Game;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A room and what each side has been told and what has been stored, since last asked.
struct Table {
    room: Room,
    now: Moment,
    told: [Vec<String>; 2],
    stored: Vec<Entry>,
}

impl Table {
    fn with(conditions: Conditions) -> Self {
        let mut table = Self {
            room: Room::new(Arc::new(conditions), Some(s(300))),
            now: s(1000),
            told: [Vec::new(), Vec::new()],
            stored: Vec::new(),
        };
        let effects = table.room.propose(table.now);
        table.perform(effects);
        table
    }

    fn plain() -> Self {
        Self::with(Conditions::plain("g", ["b", "w"], TimeRule::seconds(600, 10)))
    }

    /// A game both have agreed to, nothing said yet.
    fn running(conditions: Conditions) -> Self {
        let mut table = Self::with(conditions);
        table.say(Color::Black, "AGREE");
        table.say(Color::White, "AGREE");
        table.told();
        table.stored.clear();
        table
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        let mut told = false;
        for effect in effects {
            match effect {
                Effect::Store(entry) => {
                    assert!(!told, "{entry:?} is stored after somebody was told");
                    self.stored.push(entry);
                }
                Effect::Tell(to, text) => {
                    told = true;
                    self.told[to.index()].extend(text.split('\n').map(str::to_owned));
                }
                Effect::Show(_) | Effect::Now(_) => {}
            }
        }
    }

    fn say(&mut self, from: Color, line: &str) {
        let effects = self.room.receive(from, &ClientLine::parse(line), self.now);
        self.perform(effects);
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        let effects = self.room.wake(self.now);
        self.perform(effects);
    }

    /// Takes what was told.
    fn told(&mut self) -> [Vec<String>; 2] {
        std::mem::take(&mut self.told)
    }

    /// Plays moves of both sides in turn, none of which ends the game.
    fn play(&mut self, moves: &[&str]) {
        for text in moves {
            let from = self.room.position.turn();
            self.say(from, text);
            assert!(self.room.is_running(), "{text} ended the game: {:?}", self.told);
        }
        self.told();
        self.stored.clear();
    }

    fn expect(&mut self, black: &[&str], white: &[&str]) {
        let told = self.told();
        assert_eq!(told[0], black);
        assert_eq!(told[1], white);
    }
}

fn quick() -> Conditions {
    Conditions::plain("g", ["b", "w"], TimeRule::seconds(600, 10))
}

fn from_sfen(sfen: &str) -> Conditions {
    Conditions { start: AnyPosition::from_sfen(Game::Shogi, sfen).unwrap(), ..quick() }
}

#[test]
fn both_are_told_the_conditions_with_their_own_colour() {
    let told = Table::plain().told();
    for (lines, sign) in told.iter().zip(["+", "-"]) {
        assert_eq!(lines[0], "BEGIN Game_Summary");
        assert_eq!(lines.last().unwrap(), "END Game_Summary");
        for want in [
            "Game_ID:g",
            "Name+:b",
            "Name-:w",
            "To_Move:+",
            "Declaration:Jishogi 1.1",
            &format!("Your_Turn:{sign}"),
        ] {
            assert!(lines.iter().any(|l| l == want), "{want}");
        }
    }
}

#[test]
fn the_game_starts_when_both_agree_and_the_clock_with_it() {
    for (black, white) in [("AGREE", "AGREE g"), ("AGREE g", "AGREE")] {
        let mut table = Table::plain();
        table.told();
        table.say(Color::Black, black);
        table.wait(s(50));
        table.say(Color::White, "AGREE another");
        table.expect(&[], &[]);
        table.say(Color::White, white);
        table.expect(&["START:g"], &["START:g"]);
        assert_eq!(table.stored, [Entry::Started]);
        table.wait(s(7));
        table.say(Color::Black, "+7776FU");
        table.expect(&["+7776FU,T7"], &["+7776FU,T7"]);
    }
}

#[test]
fn a_rejection_ends_the_proposal_for_both() {
    let mut table = Table::plain();
    table.told();
    table.say(Color::Black, "AGREE");
    table.say(Color::White, "REJECT g");
    table.expect(&["REJECT:g by w"], &["REJECT:g by w"]);
    assert_eq!(table.stored, []);
    table.say(Color::White, "AGREE");
    table.expect(&[], &[]);
}

#[test]
fn a_proposal_lapses_by_the_fault_of_who_did_not_answer() {
    let mut table = Table::plain();
    table.told();
    table.say(Color::Black, "AGREE");
    table.wait(s(119));
    table.expect(&[], &[]);
    table.wait(s(1));
    table.expect(&["REJECT:g by w"], &["REJECT:g by w"]);
    let mut table = Table::plain();
    table.told();
    let effects = table.room.leave(Color::Black, table.now);
    table.perform(effects);
    table.expect(&["REJECT:g by b"], &["REJECT:g by b"]);
}

#[test]
fn a_legal_move_goes_to_both_with_its_time_and_without_its_comment() {
    let mut table = Table::running(quick());
    table.wait(Duration::from_millis(12_900));
    table.say(Color::Black, "+7776FU,'* 35 -3334FU");
    table.expect(&["+7776FU,T12"], &["+7776FU,T12"]);
    let want = Entry::Move {
        number: 1,
        text: "+7776FU".to_owned(),
        time: s(12),
        comment: Some("* 35 -3334FU".to_owned()),
    };
    assert_eq!(table.stored, [want]);
    assert_eq!(table.room.remaining(Color::Black), s(588));
    table.say(Color::White, "-3334FU");
    table.expect(&["-3334FU,T0"], &["-3334FU,T0"]);
}

/// Kings and rooks walk to and fro: the position after move 12 stands there for the fourth time.
const SHUFFLE: [&str; 4] = ["+2838HI", "-8272HI", "+3828HI", "-7282HI"];

#[test]
fn the_fourth_occurrence_is_a_draw() {
    let mut table = Table::running(quick());
    for _ in 0..2 {
        table.play(&SHUFFLE);
    }
    table.play(&SHUFFLE[..3]);
    table.say(Color::White, SHUFFLE[3]);
    let end = ["-7282HI,T0", "#SENNICHITE", "#DRAW"];
    table.expect(&end, &end);
    assert_eq!(table.stored.len(), 2, "the move and the end");
}

#[test]
fn perpetual_check_loses() {
    // The rook gives check on two files in turn, the king steps to and fro.
    let cycle = ["-5242OU", "+5848HI", "-4252OU", "+4858HI"];
    let mut table = Table::running(from_sfen("9/4k4/9/9/9/9/9/4R4/8K w - 1"));
    for _ in 0..2 {
        table.play(&cycle);
    }
    table.play(&cycle[..3]);
    table.say(Color::Black, cycle[3]);
    let line = "+4858HI,T0";
    table.expect(&[line, "#OUTE_SENNICHITE", "#LOSE"], &[line, "#OUTE_SENNICHITE", "#WIN"]);
    // The side in check may be the one whose move completes the repetition.
    let mut table = Table::running(from_sfen("9/5k3/9/9/9/9/9/4R4/8K b - 1"));
    let cycle = ["+5848HI", "-4252OU", "+4858HI", "-5242OU"];
    for _ in 0..2 {
        table.play(&cycle);
    }
    table.play(&cycle[..3]);
    table.say(Color::White, cycle[3]);
    let line = "-5242OU,T0";
    table.expect(&[line, "#OUTE_SENNICHITE", "#LOSE"], &[line, "#OUTE_SENNICHITE", "#WIN"]);
}

#[test]
fn an_illegal_or_unreadable_move_loses_and_is_quoted() {
    for (line, quoted) in [
        ("+0031FU", "+0031FU"),
        ("+7775FU", "+7775FU"),
        ("-3334FU", "-3334FU"),
        ("+7775FU,'* 12", "+7775FU"),
        ("+77", "+77"),
        ("+7775FUxxxxxx", "+7775FU"),
        ("-", "-"),
        ("+hello world", "+hello "),
        (" +7775FU", "+7775FU"),
        ("LOGOUT", "LOGOUT"),
    ] {
        let mut table = Table::running(quick());
        table.wait(s(1));
        table.say(Color::Black, line);
        let first = format!("{quoted},T1");
        table.expect(&[&first, "#ILLEGAL_MOVE", "#LOSE"], &[&first, "#ILLEGAL_MOVE", "#WIN"]);
    }
}

#[test]
fn a_pawn_drop_that_mates_is_illegal() {
    let mut table = Table::running(from_sfen("8k/6G2/6S1P/9/9/9/9/9/4K4 b P 1"));
    table.say(Color::Black, "+0012FU");
    assert!(table.told()[0].contains(&"#ILLEGAL_MOVE".to_owned()));
}

#[test]
fn time_up_is_told_without_waiting_for_a_move() {
    let mut table = Table::running(quick());
    assert_eq!(table.room.deadline(), Some(table.now + s(610)));
    table.wait(Duration::from_millis(609_999));
    table.expect(&[], &[]);
    table.wait(Duration::from_millis(1));
    table.expect(&["#TIME_UP", "#LOSE"], &["#TIME_UP", "#WIN"]);
    assert_eq!(table.room.deadline(), None);
}

#[test]
fn a_move_that_comes_too_late_is_no_move_even_if_nobody_woke_up() {
    for line in ["+7776FU", "%TORYO", "%KACHI"] {
        let mut table = Table::running(quick());
        table.now += s(610);
        table.say(Color::Black, line);
        table.expect(&["#TIME_UP", "#LOSE"], &["#TIME_UP", "#WIN"]);
    }
}

#[test]
fn byoyomi_begins_when_the_time_is_used_up() {
    let mut table = Table::running(quick());
    table.wait(s(605));
    table.say(Color::Black, "+7776FU");
    table.expect(&["+7776FU,T605"], &["+7776FU,T605"]);
    table.play(&["-3334FU"]);
    table.wait(Duration::from_millis(9_999));
    table.say(Color::Black, "+2726FU");
    table.expect(&["+2726FU,T9"], &["+2726FU,T9"]);
    table.play(&["-8384FU"]);
    table.wait(s(10));
    table.expect(&["#TIME_UP", "#LOSE"], &["#TIME_UP", "#WIN"]);
}

#[test]
fn resignation() {
    let mut table = Table::running(quick());
    table.play(&["+7776FU"]);
    table.wait(s(4));
    table.say(Color::White, "%TORYO");
    table.expect(&["%TORYO,T4", "#RESIGN", "#WIN"], &["%TORYO,T4", "#RESIGN", "#LOSE"]);
    let last = Some(("%TORYO".to_owned(), s(4)));
    let finish = Finish { ending: Ending::won(Color::Black, Reason::Resign), last };
    assert_eq!(table.stored, [Entry::Ended(finish)]);
}

#[test]
fn a_right_declaration_wins_and_a_wrong_one_loses() {
    let sfen = "+P+P+P+P+P+P+P2/K+P+P+P+P4/9/9/9/9/9/9/8k b 2B2R2G2S2P 1";
    let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
    assert!(position.can_declare(rules::Declaration::Points27));
    let mut table = Table::running(from_sfen(sfen));
    table.wait(s(8));
    table.say(Color::Black, "%KACHI");
    table.expect(&["%KACHI,T8", "#JISHOGI", "#WIN"], &["%KACHI,T8", "#JISHOGI", "#LOSE"]);
    for wrong in [quick(), from_sfen("9/9/9/9/9/9/9/9/K7k b 2B2RG2S2P 1")] {
        let mut table = Table::running(wrong);
        table.wait(s(8));
        table.say(Color::Black, "%KACHI");
        table.expect(
            &["%KACHI,T8", "#ILLEGAL_MOVE", "#LOSE"],
            &["%KACHI,T8", "#ILLEGAL_MOVE", "#WIN"],
        );
    }
}

#[test]
fn the_limit_of_moves_breaks_the_game_off() {
    let mut table = Table::running(Conditions { max_moves: Some(2), ..quick() });
    table.play(&["+7776FU"]);
    table.say(Color::White, "-3334FU");
    let end = ["-3334FU,T0", "#MAX_MOVES", "#CENSORED"];
    table.expect(&end, &end);
    assert_eq!(table.room.finish().unwrap().winner(), None);
}

#[test]
fn other_ends_on_the_last_move_come_before_the_limit() {
    let limit = |n| Conditions { max_moves: Some(n), ..quick() };
    let mut table = Table::running(limit(1));
    table.say(Color::Black, "+7775FU");
    assert!(table.told()[0].contains(&"#ILLEGAL_MOVE".to_owned()));
    let mut table = Table::running(limit(1));
    table.say(Color::Black, "%TORYO");
    assert!(table.told()[0].contains(&"#RESIGN".to_owned()));
    let mut table = Table::running(limit(12));
    for _ in 0..2 {
        table.play(&SHUFFLE);
    }
    table.play(&SHUFFLE[..3]);
    table.say(Color::White, SHUFFLE[3]);
    assert!(table.told()[0].contains(&"#SENNICHITE".to_owned()));
}

#[test]
fn a_mate_by_the_last_move_is_broken_off_but_won() {
    let conditions = Conditions { max_moves: Some(1), ..from_sfen("7lk/9/8G/9/9/9/9/9/4K4 b G 1") };
    let mut table = Table::running(conditions);
    table.say(Color::Black, "+0012KI");
    let end = ["+0012KI,T0", "#MAX_MOVES", "#CENSORED"];
    table.expect(&end, &end);
    assert_eq!(table.room.finish().unwrap().winner(), Some(Color::Black));
}

#[test]
fn a_mate_does_not_end_the_game_by_itself() {
    let mut table = Table::running(from_sfen("7lk/9/8G/9/9/9/9/9/4K4 b G 1"));
    table.play(&["+0012KI"]);
    table.say(Color::White, "%TORYO");
    assert!(table.told()[0].contains(&"#WIN".to_owned()));
}

#[test]
fn a_move_out_of_turn_loses() {
    for line in ["-3334FU", "-xx", "\t-3334FU", "%TORYO", "%KACHI", "%CHUDAN", "LOGOUT"] {
        let mut table = Table::running(quick());
        table.say(Color::White, line);
        table.expect(&["#ILLEGAL_ACTION", "#WIN"], &["#ILLEGAL_ACTION", "#LOSE"]);
    }
}

#[test]
fn what_is_no_move_has_no_place_in_a_game_and_loses_none() {
    let lines = [
        "hello there",
        "'comment",
        "先手",
        " hello",
        "AGREE",
        "AGREE g",
        "REJECT",
        "CHALLENGE",
        "LOGIN a b",
        "%TORYOX",
        "%toryo",
    ];
    for side in Color::BOTH {
        for line in lines {
            let mut table = Table::running(quick());
            assert!(table.room.misplaced(side, &ClientLine::parse(line)).is_some(), "{line}");
            table.say(side, line);
            table.expect(&[], &[]);
            table.wait(s(2));
            table.say(Color::Black, "+7776FU");
            table.expect(&["+7776FU,T2"], &["+7776FU,T2"]);
        }
    }
    // Before both have agreed, a word on the proposal and nothing else counts.
    let table = Table::plain();
    let misplaced = |line: &str| table.room.misplaced(Color::White, &ClientLine::parse(line));
    for line in ["AGREE", "AGREE g", "REJECT", "LOGOUT"] {
        assert_eq!(misplaced(line), None, "{line}");
    }
    for line in ["AGREE another", "-3334FU", "%TORYO", "hello"] {
        assert!(misplaced(line).is_some_and(|why| why.contains("AGREE or REJECT")), "{line}");
    }
}

#[test]
fn what_crosses_the_end_on_its_way_is_let_pass() {
    let mut table = Table::running(quick());
    table.say(Color::Black, "%TORYO");
    table.told();
    table.say(Color::White, "-3334FU");
    table.say(Color::Black, "+7776FU");
    table.wait(s(10_000));
    table.expect(&[], &[]);
}

#[test]
fn minishogi_repetition_is_lost_by_black() {
    let start = AnyPosition::startpos(Game::Minishogi);
    let mut table = Table::running(Conditions { start, ..quick() });
    let cycle = ["+4544KI", "-2122KI", "+4445KI", "-2221KI"];
    for _ in 0..2 {
        table.play(&cycle);
    }
    table.play(&cycle[..3]);
    table.say(Color::White, cycle[3]);
    table.expect(&["-2221KI,T0", "#SENNICHITE", "#LOSE"], &["-2221KI,T0", "#SENNICHITE", "#WIN"]);
}

#[test]
fn texts_that_are_no_moves_are_quoted() {
    for (text, want) in [
        ("+0031FU", "+0031FU"),
        ("+7776FU,T12", "+7776FU"),
        ("+77", "+77"),
        ("AGREE something", "AGREE s"),
        ("+7\u{7f}7鵺6\t", "+776"),
        ("", ""),
    ] {
        assert_eq!(quoted(text), want, "{text:?}");
    }
}
