//! What workers have, and how much of it is in use.

use crate::names::WorkerId;
use crate::needs::Needs;
use crate::worker::Worker;
use std::collections::HashMap;

#[derive(Default)]
struct Room {
    /// Processors and MiB as announced.
    has: Option<(u64, u64)>,
    /// The same as leased.
    used: (u64, u64),
}

/// The room of every worker.
#[derive(Default)]
pub(super) struct Rooms(HashMap<WorkerId, Room>);

impl Rooms {
    pub(super) fn announced(&mut self, worker: &Worker) {
        let has = (u64::from(worker.cores), worker.memory_mib);
        self.0.entry(worker.id.clone()).or_default().has = Some(has);
    }

    /// Whether a worker can take on a task with such needs.
    pub(super) fn is_enough(&self, worker: &WorkerId, needs: &Needs) -> bool {
        let room = self.0.get(worker);
        let Some((room, (cores, memory))) = room.and_then(|room| Some((room, room.has?))) else {
            return needs.cores <= 1;
        };
        let fits = |asked: u64, used: u64, has: u64| used.saturating_add(asked) <= has;
        fits(u64::from(needs.cores), room.used.0, cores)
            && (memory == 0 || fits(needs.memory_mib, room.used.1, memory))
    }

    pub(super) fn take(&mut self, worker: &WorkerId, needs: &Needs) {
        let used = &mut self.0.entry(worker.clone()).or_default().used;
        used.0 += u64::from(needs.cores);
        used.1 += needs.memory_mib;
    }

    pub(super) fn give_back(&mut self, worker: &WorkerId, needs: &Needs) {
        let Some(room) = self.0.get_mut(worker) else { return };
        room.used.0 = room.used.0.saturating_sub(u64::from(needs.cores));
        room.used.1 = room.used.1.saturating_sub(needs.memory_mib);
        if room.has.is_none() && room.used == (0, 0) {
            self.0.remove(worker);
        }
    }
}
