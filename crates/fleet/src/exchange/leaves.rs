//! Leaves of a book searched through a queue of this process.

use super::{Exchange, with_local_fleet};
use crate::batch::{Fault, FaultKind, Product};
use crate::leaves::{Leaf, leaf_key, leaf_text};
use crate::perform::Equipment;
use crate::queue::QueueError;
use crate::task::{Input, LeavesSpec, Spec, Unit};
use rules::AnyPosition;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use think::TimeSource;

type Answer = Result<Leaf, Fault>;

/// Where leaves are searched, from as many threads as one likes. Whoever asks for a position that is being searched
/// gets the answer of that search: a position is leased once at a time.
pub struct LeafSearch<'a> {
    exchange: &'a Exchange<'a>,
    slots: usize,
    lines: u16,
    under_way: Mutex<HashMap<String, Vec<Sender<Answer>>>>,
}

/// Runs something that has leaves searched by so many slots of this process.
pub fn with_leaf_search<R>(
    spec: &LeavesSpec,
    slots: usize,
    time: &std::sync::Arc<dyn TimeSource>,
    command: impl FnOnce(&LeafSearch<'_>) -> R,
) -> Result<R, QueueError> {
    let mut equipment = Equipment::own(std::sync::Arc::clone(time), 1);
    // A command's own work: whatever it was told to start.
    equipment.programs = true;
    let lines = spec.lines;
    with_local_fleet(Spec::Leaves(spec.clone()), slots, &equipment, |exchange| {
        let under_way = Mutex::default();
        command(&LeafSearch { exchange, slots: slots.max(1), lines, under_way })
    })
}

impl LeafSearch<'_> {
    fn under_way(&self) -> MutexGuard<'_, HashMap<String, Vec<Sender<Answer>>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searches a position, and waits for it.
    pub fn one(&self, position: &AnyPosition) -> Answer {
        let key = leaf_key(position);
        let waiting = {
            let mut under_way = self.under_way();
            match under_way.get_mut(&key) {
                Some(twins) => {
                    let (tell, told) = channel();
                    twins.push(tell);
                    Some(told)
                }
                None => {
                    under_way.insert(key.clone(), Vec::new());
                    None
                }
            }
        };
        if let Some(told) = waiting {
            let ended = || Err(Fault::new(FaultKind::Leaving, "everything ended"));
            return told.recv().unwrap_or_else(|_| ended());
        }
        let answer = self.search(position);
        for twin in self.under_way().remove(&key).unwrap_or_default() {
            // Whoever has gone needs no answer.
            let _ = twin.send(answer.clone());
        }
        answer
    }

    fn search(&self, position: &AnyPosition) -> Answer {
        let input = Some(Input::of("sfen", &[leaf_text(position).into_bytes()]));
        match self.exchange.call(Unit { input, ..Unit::new(0, 1) })? {
            Product::Leaves { leaves } if leaves.len() == 1 => {
                let read = leaves[0].read(position, self.lines);
                read.map_err(|why| Fault::new(FaultKind::Dishonest, why))
            }
            _ => Err(Fault::new(FaultKind::Dishonest, "a leaf was asked for, something else came")),
        }
    }

    /// Searches positions, several at a time, and tells of each as it comes; `stop` breaks off. Ends with the first
    /// fault.
    pub fn all(
        &self,
        positions: &[AnyPosition],
        stop: &AtomicBool,
        each: &mut dyn FnMut(usize, Leaf),
    ) -> Result<(), Fault> {
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, told) = channel();
        let mut failure = None;
        thread::scope(|scope| {
            for _ in 0..self.slots.min(positions.len()) {
                let (sender, next, over) = (sender.clone(), &next, &over);
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(position) = positions.get(place) else { return };
                        if sender.send((place, self.one(position))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            while let Ok((place, answer)) = told.recv() {
                match answer {
                    Ok(leaf) => each(place, leaf),
                    Err(fault) => {
                        over.store(true, Ordering::Relaxed);
                        failure.get_or_insert(fault);
                    }
                }
            }
        });
        failure.map_or(Ok(()), Err)
    }

    /// Breaks off every search: those who wait are told at once.
    pub fn break_off(&self) {
        self.exchange.break_off();
    }
}

impl std::fmt::Debug for LeafSearch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeafSearch").field("slots", &self.slots).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;
    use std::sync::Arc;
    use think::WallTime;

    #[test]
    fn leaves_are_searched_and_twins_once() {
        let spec = LeavesSpec {
            game: "minishogi".to_owned(),
            nodes: Some(400),
            lines: 2,
            net: Some("material".into()),
            ..LeavesSpec::default()
        };
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let start = AnyPosition::startpos(Game::Minishogi);
        let mut after = start.clone();
        after.play(start.legal_moves()[0]);
        let positions = [start.clone(), after.clone(), start.clone(), start, after];
        let mut found = vec![None; positions.len()];
        let on = AtomicBool::new(false);
        let all = |search: &LeafSearch<'_>, each: &mut dyn FnMut(usize, Leaf)| {
            search.all(&positions, &on, each)
        };
        let done = with_leaf_search(&spec, 2, &time, |search| {
            all(search, &mut |place, leaf| found[place] = Some(leaf))
        });
        done.unwrap().unwrap();
        let found: Vec<Leaf> = found.into_iter().flatten().collect();
        assert_eq!(found.len(), positions.len());
        assert_eq!((&found[0], &found[1]), (&found[2], &found[4]));
        assert_ne!(found[0], found[1]);
        assert_eq!(found[0].lines.len(), 2);
        // One search answers everybody who asks for the same position meanwhile.
        let deep = LeavesSpec { nodes: Some(200_000), ..spec.clone() };
        let asked = with_leaf_search(&deep, 4, &time, |search| {
            thread::scope(|scope| {
                let ask = || scope.spawn(|| search.one(&positions[0]));
                let asked: Vec<_> = (0..4).map(|_| ask()).collect();
                let told = asked.into_iter().map(|thread| thread.join().unwrap().unwrap());
                (told.collect::<Vec<_>>(), search.exchange.next.load(Ordering::Relaxed))
            })
        });
        let (told, next) = asked.unwrap();
        assert!(told.windows(2).all(|pair| pair[0] == pair[1]));
        assert!(next < 5, "four questions took {} searches", next - 1);
        let nothing = LeavesSpec { nodes: None, ..spec };
        let fault = with_leaf_search(&nothing, 1, &time, |search| all(search, &mut |_, _| ()));
        assert!(fault.unwrap().unwrap_err().reason.contains("how deep"));
    }
}
