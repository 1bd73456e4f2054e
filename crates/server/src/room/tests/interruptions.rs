//! Games interrupted, and players that drop and come back.

use super::*;

#[test]
fn an_interruption_where_it_is_allowed_and_the_same_position_again() {
    let conditions = Conditions { interruptions: 1, ..quick() };
    let mut table = Table::running(conditions);
    table.wait(s(5));
    table.play(&["+7776FU", "-3334FU"]);
    table.wait(s(100));
    table.say(Color::Black, "%CHUDAN");
    table.expect(&["#CHUDAN"], &["#CHUDAN"]);
    assert_eq!(table.stored, [Entry::Interrupted(Some(Color::Black))]);
    table.wait(s(5000));
    let effects = table.room.propose(table.now);
    table.perform(effects);
    let told = table.told();
    for lines in &told {
        assert!(lines.iter().any(|l| l == "+7776FU,T5"));
        assert!(lines.iter().any(|l| l == "-3334FU,T0"));
        assert!(lines.iter().any(|l| l == "To_Move:+"));
    }
    table.say(Color::White, "AGREE");
    table.say(Color::Black, "AGREE");
    table.expect(&["START:g"], &["START:g"]);
    assert_eq!(table.room.remaining(Color::Black), s(595), "as the moves say");
    table.wait(s(2));
    table.say(Color::Black, "%CHUDAN");
    table.expect(
        &["%CHUDAN,T2", "#ILLEGAL_MOVE", "#LOSE"],
        &["%CHUDAN,T2", "#ILLEGAL_MOVE", "#WIN"],
    );
}

#[test]
fn an_interruption_where_it_is_not_allowed_loses() {
    let mut table = Table::running(quick());
    table.say(Color::Black, "%CHUDAN");
    table.expect(
        &["%CHUDAN,T0", "#ILLEGAL_MOVE", "#LOSE"],
        &["%CHUDAN,T0", "#ILLEGAL_MOVE", "#WIN"],
    );
}

#[test]
fn a_player_that_drops_may_come_back_while_its_clock_runs() {
    let mut table = Table::running(quick());
    table.play(&["+7776FU"]);
    let effects = table.room.leave(Color::White, table.now);
    table.perform(effects);
    table.wait(s(60));
    let effects = table.room.come_back(Color::White, table.now);
    table.perform(effects);
    let told = table.told();
    assert!(told[0].is_empty());
    assert!(told[1].iter().any(|l| l == "Elapsed_Time:60"));
    assert!(told[1].iter().any(|l| l == "To_Move:-"));
    table.say(Color::White, "-3334FU");
    table.expect(&[], &[]);
    table.say(Color::White, "AGREE g");
    table.expect(&[], &["START:g"]);
    table.say(Color::White, "-3334FU");
    table.expect(&["-3334FU,T60"], &["-3334FU,T60"]);
}

#[test]
fn a_player_that_stays_away_loses_by_its_clock_or_by_our_patience() {
    let mut table = Table::running(quick());
    table.room.leave(Color::White, table.now);
    table.wait(s(299));
    table.play(&["+7776FU"]);
    table.wait(s(1));
    table.expect(&["#ILLEGAL_ACTION", "#WIN"], &["#ILLEGAL_ACTION", "#LOSE"]);
    assert_eq!(table.room.finish().unwrap().ending.reason, Reason::Abandoned);
}

#[test]
fn refusing_to_come_back_loses() {
    let mut table = Table::running(quick());
    table.room.leave(Color::White, table.now);
    let effects = table.room.come_back(Color::White, table.now);
    table.perform(effects);
    table.told();
    table.say(Color::White, "REJECT");
    table.expect(&["#ILLEGAL_ACTION", "#WIN"], &["#ILLEGAL_ACTION", "#LOSE"]);
}
