//! Logins that wait to be checked, in an order in which nobody can keep others waiting.
//!
//! A good hash takes its time, and a flood of wrong passwords could use up all of it. Addresses take
//! turns, those with wrong passwords with a few logins at most; those from which no wrong password has come lately go
//! first.

use server::lobby::ConnId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Logins of one address that may wait: a hall full of players behind one address comes back all
/// at once after a restart. Where wrong passwords came from, a few.
const EACH: usize = 512;
const EACH_SUSPECT: usize = 8;
/// Logins of all addresses that may wait.
const ALL: usize = 4096;

/// So many logins of good addresses are checked before one of the others, while both wait.
const PREFERENCE: u32 = 8;

/// A login to be checked.
#[derive(Debug)]
pub(crate) struct LoginCheck {
    pub(crate) id: ConnId,
    pub(crate) name: String,
    pub(crate) secret: Option<String>,
    /// Whether a new name may become an account.
    pub(crate) register: bool,
    pub(crate) peer: String,
    /// Wrong passwords from there lately.
    pub(crate) failures: u32,
}

/// Addresses that take turns.
#[derive(Debug, Default)]
struct Lane {
    turns: VecDeque<String>,
    waiting: HashMap<String, VecDeque<LoginCheck>>,
}

impl Lane {
    fn push(&mut self, check: LoginCheck, most: usize) -> bool {
        let queue = self.waiting.entry(check.peer.clone()).or_default();
        if queue.len() >= most {
            return false;
        }
        if queue.is_empty() {
            self.turns.push_back(check.peer.clone());
        }
        queue.push_back(check);
        true
    }

    fn pop(&mut self) -> Option<LoginCheck> {
        let peer = self.turns.pop_front()?;
        let queue = self.waiting.get_mut(&peer)?;
        let check = queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&peer);
        } else {
            self.turns.push_back(peer);
        }
        check
    }

    fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

#[derive(Debug, Default)]
struct Waiting {
    good: Lane,
    suspect: Lane,
    count: usize,
    /// Good addresses served since one of the others was.
    preferred: u32,
    closed: bool,
}

impl Waiting {
    fn push(&mut self, check: LoginCheck) -> bool {
        let (lane, most) = match check.failures {
            0 => (&mut self.good, EACH),
            _ => (&mut self.suspect, EACH_SUSPECT),
        };
        let pushed = self.count < ALL && lane.push(check, most);
        self.count += usize::from(pushed);
        pushed
    }

    fn pop(&mut self) -> Option<LoginCheck> {
        let suspect =
            self.good.is_empty() || (self.preferred >= PREFERENCE && !self.suspect.is_empty());
        let check = if suspect {
            self.preferred = 0;
            self.suspect.pop()
        } else {
            self.preferred += 1;
            self.good.pop()
        };
        self.count -= usize::from(check.is_some());
        check
    }
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct LoginQueue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

impl LoginQueue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a login in; `false` if its address has too many waiting already.
    pub(crate) fn push(&self, check: LoginCheck) -> bool {
        let pushed = self.lock().push(check);
        self.arrived.notify_one();
        pushed
    }

    /// The next one to be checked, when there is one; `None` once the queue is closed.
    pub(crate) fn pop(&self) -> Option<LoginCheck> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(check) = waiting.pop() {
                return Some(check);
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more is checked.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: u64, peer: &str, failures: u32) -> LoginCheck {
        let (name, secret) = (format!("n{id}"), Some("s".to_owned()));
        LoginCheck { id: ConnId(id), name, secret, register: true, peer: peer.to_owned(), failures }
    }

    fn drain(waiting: &mut Waiting) -> Vec<u64> {
        std::iter::from_fn(|| waiting.pop()).map(|check| check.id.0).collect()
    }

    #[test]
    fn a_flood_from_one_address_delays_nobody_else() {
        let mut waiting = Waiting::default();
        let taken = (0..200).filter(|&id| waiting.push(check(id, "flood", 0))).count();
        assert_eq!(taken, 200, "a hall of players behind one address");
        let wrong = (200..400).filter(|&id| waiting.push(check(id, "wrong", 1))).count();
        assert_eq!(wrong, EACH_SUSPECT, "the rest is turned away without being checked");
        let more = (2000..4000).filter(|&id| waiting.push(check(id, "flood", 0))).count();
        assert_eq!(taken + more, EACH, "the rest is turned away without being checked");
        assert!(waiting.push(check(1000, "a", 0)) && waiting.push(check(1001, "b", 0)));
        let order = drain(&mut waiting);
        assert_eq!(order[..3], [0, 1000, 1001], "one each in turn");
        assert_eq!((order.len(), waiting.count), (EACH + EACH_SUSPECT + 2, 0));
    }

    #[test]
    fn addresses_that_were_wrong_come_last_but_do_come() {
        let mut waiting = Waiting::default();
        for peer in 0..50 {
            waiting.push(check(peer, &format!("wrong{peer}"), 3));
        }
        for peer in 100..120 {
            waiting.push(check(peer, &format!("good{peer}"), 0));
        }
        let order = drain(&mut waiting);
        assert_eq!(order.len(), 70);
        assert!(order[..PREFERENCE as usize].iter().all(|&id| id >= 100), "{order:?}");
        assert!(order[..12].iter().any(|&id| id < 100), "{order:?}");
        let last_good = order.iter().rposition(|&id| id >= 100).unwrap();
        assert!(last_good < 25, "{order:?}");
    }

    #[test]
    fn a_closed_queue_ends_whoever_waits_for_it() {
        let queue = LoginQueue::default();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.pop());
            queue.close();
            assert!(waiting.join().unwrap().is_none());
        });
    }
}
