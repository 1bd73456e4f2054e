use super::Decision::{Pause, Start};
use super::Priority::{Heavy, Long, Quick};
use super::*;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn who_asks_for_much_waits_longer() {
    let mut queue = Queue::new(1);
    for id in 1..=3 {
        queue.join(id, "greedy", Quick, 1, ms(500));
    }
    queue.join(4, "modest", Quick, 1, ms(510));
    assert_eq!(queue.decide(ms(0)), [Start(1, 1)]);
    assert_eq!(queue.decide(ms(1)), []);
    queue.leave(1);
    assert_eq!(queue.decide(ms(2)), [Start(4, 1)]);
    queue.leave(4);
    assert_eq!(queue.decide(ms(3)), [Start(2, 1)]);
    assert_eq!((queue.ahead(3), queue.ahead(2)), (Some(0), None));
}

#[test]
fn what_is_due_first_goes_first() {
    let mut queue = Queue::new(1);
    queue.join(1, "a", Quick, 1, ms(900));
    queue.join(2, "b", Quick, 1, ms(500));
    queue.join(3, "c", Heavy, 1, ms(2000));
    assert_eq!(queue.decide(ms(0)), [Start(2, 1)]);
    queue.leave(2);
    assert_eq!(queue.decide(ms(0)), [Start(1, 1)]);
    queue.leave(1);
    assert_eq!(queue.decide(ms(0)), [Start(3, 1)]);
    queue.join(4, "d", Quick, 1, ms(900));
    assert_eq!(queue.decide(ms(1)), [Pause(3)], "also in place of one that runs");
    queue.paused(3);
    assert_eq!(queue.decide(ms(2)), [Start(4, 1)]);
    assert_eq!((queue.contenders(Quick), queue.contenders(Heavy)), (1, 2));
}

#[test]
fn no_crowd_of_quick_moves_keeps_a_heavy_one_waiting_for_ever() {
    let mut queue = Queue::new(1);
    queue.join(1000, "strong", Heavy, 1, ms(1000));
    let (mut now, mut served) = (ms(0), 0);
    for id in 1..100 {
        queue.join(id, &format!("{id}"), Quick, 1, now + ms(500));
        queue.join(id + 100, &format!("{id}"), Quick, 1, now + ms(500));
        if let Some(Start(started, _)) = queue.decide(now).first() {
            if *started == 1000 {
                assert!(now <= ms(2000), "{now:?}");
                return;
            }
            served += 1;
            queue.leave(*started);
        }
        now += ms(40);
    }
    panic!("never served, {served} others were");
}

#[test]
fn a_game_does_not_wait_for_an_analysis() {
    let mut queue = Queue::new(2);
    queue.join(1, "a", Long, 8, ms(0));
    assert_eq!(queue.decide(ms(0)), [Start(1, 2)], "all there are");
    queue.join(2, "b", Heavy, 1, ms(500));
    assert_eq!(queue.decide(ms(1)), [Pause(1)]);
    assert_eq!(queue.decide(ms(2)), [], "one request is enough");
    queue.paused(1);
    assert_eq!(queue.decide(ms(3)), [Start(2, 1), Start(1, 1)]);
}

#[test]
fn a_move_may_take_all_seats_and_gives_one_up() {
    let mut queue = Queue::new(2);
    queue.join(1, "a", Heavy, 9, ms(5000));
    assert_eq!(queue.decide(ms(0)), [Start(1, 2)]);
    queue.join(2, "b", Heavy, 9, ms(5000));
    assert_eq!(queue.decide(ms(1)), [], "a move is not stopped for another of its kind");
    queue.join(3, "c", Quick, 1, ms(500));
    assert_eq!(queue.decide(ms(2)), [Pause(1)]);
    queue.paused(1);
    assert_eq!(queue.decide(ms(3)), [Start(3, 1), Start(2, 1)], "who has waited goes on first");
    queue.leave(3);
    assert_eq!(queue.decide(ms(4)), [Start(1, 1)]);
}

#[test]
fn a_move_due_later_gives_way() {
    let mut queue = Queue::new(1);
    queue.join(1, "a", Heavy, 1, ms(5000));
    assert_eq!(queue.decide(ms(0)), [Start(1, 1)]);
    queue.join(2, "b", Heavy, 1, ms(2000));
    assert_eq!(queue.decide(ms(10)), []);
    assert_eq!(queue.decide(SLICE / 2), [Pause(1)]);
    assert_eq!(queue.decide(SLICE / 2), []);
    queue.paused(1);
    assert_eq!(queue.decide(SLICE / 2), [Start(2, 1)]);
    assert_eq!(queue.decide(SLICE * 9), [], "what is due sooner is not disturbed");
}

#[test]
fn analyses_share_the_seats() {
    let mut queue = Queue::new(2);
    queue.join(1, "a", Long, 2, ms(0));
    assert_eq!(queue.decide(ms(0)), [Start(1, 2)]);
    queue.join(2, "b", Long, 2, ms(0));
    assert_eq!(queue.decide(ms(10)), [], "its slice is not over");
    assert_eq!(queue.decide(SLICE), [Pause(1)]);
    queue.paused(1);
    assert_eq!(queue.decide(SLICE), [Start(2, 1), Start(1, 1)]);
    assert_eq!(queue.decide(SLICE * 9), [], "nobody waits");
}

#[test]
fn three_on_one_seat_take_turns() {
    let mut queue = Queue::new(1);
    for (id, visitor) in [(1, "a"), (2, "b"), (3, "c")] {
        queue.join(id, visitor, Long, 1, ms(0));
    }
    let mut order = Vec::new();
    let mut now = ms(0);
    for _ in 0..30 {
        for decision in queue.decide(now) {
            match decision {
                Start(id, 1) => order.push(id),
                Start(..) => panic!("there is one slot"),
                Pause(id) => queue.paused(id),
            }
        }
        now += SLICE / 2;
    }
    assert_eq!(order[..6], [1, 2, 3, 1, 2, 3]);
}

#[test]
fn empty_seats_are_found_a_use() {
    let mut queue = Queue::new(2);
    queue.join(1, "a", Long, 2, ms(0));
    queue.join(2, "b", Long, 2, ms(0));
    assert_eq!(queue.decide(ms(0)), [Start(1, 1), Start(2, 1)]);
    queue.leave(2);
    assert_eq!(queue.decide(ms(10)), []);
    assert!(!queue.is_quiet());
    assert_eq!(queue.decide(ms(10) + EMPTY), [Pause(1)]);
    queue.paused(1);
    assert_eq!(queue.decide(ms(20) + EMPTY), [Start(1, 2)]);
    assert!(queue.is_quiet());
}

#[test]
fn who_leaves_the_line_is_gone() {
    let mut queue = Queue::new(1);
    queue.join(1, "a", Quick, 1, ms(0));
    queue.join(2, "a", Quick, 1, ms(0));
    queue.leave(2);
    assert_eq!(queue.decide(ms(0)), [Start(1, 1)]);
    queue.leave(1);
    queue.paused(1);
    assert_eq!(queue.decide(ms(0)), []);
    assert_eq!(queue.contenders(Heavy), 0);
}
