//! Leaves on their way to the net and back.
//!
//! All threads fill one batch; whoever fills it up hands it to the back-end. Whoever has time takes
//! finished batches. A batch that is lost gives its visits back, so that nothing stays in flight.

use crate::arena::Index;
use crate::search::lock;
use infer::{Backend, Batch, Fault, Pace, Shape, Ticket};
use rules::{Color, Move};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A leaf that waits for its value.
#[derive(Default)]
pub(crate) struct Pending {
    /// From the root to the leaf.
    pub(crate) path: Vec<Index>,
    /// Moves of the leaf, in the order of the labels.
    pub(crate) moves: Vec<Move>,
    /// Who is to move there.
    pub(crate) turn: Option<Color>,
}

/// The batch being filled, and whose leaves are in it.
struct Building {
    batch: Batch,
    leaves: Vec<Pending>,
}

/// Batches the back-end has.
#[derive(Default)]
struct Submitted {
    leaves: HashMap<Ticket, Vec<Pending>>,
    /// Answers that came before their submitter could note the ticket; `None` for a lost one.
    early: HashMap<Ticket, Option<Batch>>,
    /// Batches that were not even taken.
    refused: u64,
}

/// What came back.
pub(crate) enum Arrival {
    Answered(Batch, Vec<Pending>),
    /// These will never be answered.
    Lost(Vec<Pending>),
}

/// Faults in a row after which the net is given up.
const MOST_FAULTS: u32 = 4;

/// Leaves on their way.
pub(crate) struct Flight {
    backend: Arc<dyn Backend>,
    shape: Shape,
    pace: Pace,
    building: Mutex<Building>,
    submitted: Mutex<Submitted>,
    spare: Mutex<Vec<Batch>>,
    /// Leaves in the batch being filled.
    queued: AtomicUsize,
    /// Batches on their way, those being handed over included.
    flying: AtomicUsize,
    /// Leaves that wait for their value.
    leaves: AtomicUsize,
    faults: Mutex<Vec<String>>,
    faults_in_a_row: AtomicU32,
    lost: AtomicBool,
}

impl Flight {
    pub(crate) fn new(backend: Arc<dyn Backend>, batch: usize, workers: usize) -> Self {
        let (shape, mut pace) = (backend.shape(), backend.pace());
        pace.batch = batch.max(1);
        pace.threads = workers.max(1);
        let building = Building { batch: Batch::new(shape, pace.batch), leaves: Vec::new() };
        Self {
            backend,
            shape,
            pace,
            building: Mutex::new(building),
            submitted: Mutex::default(),
            spare: Mutex::default(),
            queued: AtomicUsize::new(0),
            flying: AtomicUsize::new(0),
            leaves: AtomicUsize::new(0),
            faults: Mutex::default(),
            faults_in_a_row: AtomicU32::new(0),
            lost: AtomicBool::new(false),
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the back-end computes on the thread that submits.
    const fn at_once(&self) -> bool {
        self.pace.in_flight <= 1
    }

    /// Batches that keep the back-end busy.
    fn enough(&self) -> usize {
        self.pace.in_flight.max(if self.at_once() { self.pace.threads } else { 1 })
    }

    /// Whether more leaves may be sent out from a root with so many visits: with few visits many
    /// playouts at once would all be badly aimed.
    pub(crate) fn has_room(&self, visits: u64) -> bool {
        let ahead = if self.at_once() { 0 } else { 1 };
        let most = (self.enough() + ahead) * self.pace.batch;
        let limit = usize::try_from(8 + visits / 16).unwrap_or(usize::MAX).min(most);
        self.leaves.load(Ordering::Relaxed) < limit.max(self.pace.threads)
    }

    /// Whether a device has nothing to do and there is something worth handing over.
    pub(crate) fn is_idle(&self) -> bool {
        !self.at_once()
            && self.flying.load(Ordering::Relaxed) == 0
            && self.queued.load(Ordering::Relaxed) >= self.pace.batch.div_ceil(4)
    }

    /// Leaves that wait for their value.
    pub(crate) fn waiting(&self) -> usize {
        self.leaves.load(Ordering::Relaxed)
    }

    /// Collisions of one thread worth keeping, at a root with so many visits.
    pub(crate) fn collisions(&self, visits: u64) -> usize {
        usize::try_from(1 + visits / 64).unwrap_or(usize::MAX).min(self.pace.batch)
    }

    /// Whether the net is gone for good.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// What went wrong since this was last asked.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.faults))
    }

    fn new_batch(&self) -> Batch {
        lock(&self.spare).pop().unwrap_or_else(|| Batch::new(self.shape, self.pace.batch))
    }

    /// Adds a leaf; says whether the batch is full.
    pub(crate) fn push(&self, key: u64, planes: &[u8], labels: &[u16], leaf: Pending) -> bool {
        let mut building = lock(&self.building);
        // Another thread filled it and has not come to take it: it goes first. While this one hands it
        // over, others may fill the next.
        while building.batch.is_full() {
            let full = self.take(&mut building);
            drop(building);
            self.submit(full);
            building = lock(&self.building);
        }
        let copied = |out: &mut [u8]| out.copy_from_slice(planes);
        building.batch.push(key, copied, labels.iter().copied());
        building.leaves.push(leaf);
        self.queued.fetch_add(1, Ordering::Relaxed);
        self.leaves.fetch_add(1, Ordering::Relaxed);
        building.batch.is_full()
    }

    fn take(&self, building: &mut Building) -> Building {
        let fresh = Building { batch: self.new_batch(), leaves: Vec::new() };
        self.queued.fetch_sub(building.leaves.len(), Ordering::Relaxed);
        self.flying.fetch_add(1, Ordering::Relaxed);
        std::mem::replace(building, fresh)
    }

    /// Hands over the batch being filled, unless it is empty or the back-end is busy and it is not
    /// full. Says whether it did.
    pub(crate) fn flush(&self) -> bool {
        let mut building = lock(&self.building);
        let busy = self.flying.load(Ordering::Relaxed) >= self.enough();
        if building.leaves.is_empty() || busy && !building.batch.is_full() {
            return false;
        }
        let taken = self.take(&mut building);
        drop(building);
        self.submit(taken);
        true
    }

    fn submit(&self, Building { batch, leaves }: Building) {
        match self.backend.submit(batch) {
            Ok(ticket) => {
                let mut submitted = lock(&self.submitted);
                submitted.leaves.insert(ticket, leaves);
            }
            Err(fault) => {
                // Kept under a ticket nobody has, to be found by whoever looks for lost ones.
                let mut submitted = lock(&self.submitted);
                submitted.refused += 1;
                let ticket = Ticket(u64::MAX - submitted.refused);
                submitted.early.insert(ticket, None);
                submitted.leaves.insert(ticket, leaves);
                drop(submitted);
                self.note(&fault);
            }
        }
    }

    fn note(&self, fault: &Fault) {
        let in_a_row = self.faults_in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
        let ended = matches!(fault, Fault::Ended(_) | Fault::Shape { .. });
        if (ended || in_a_row >= MOST_FAULTS) && !self.lost.swap(true, Ordering::Relaxed) {
            lock(&self.faults).push(format!("the net cannot be used any more: {fault}"));
        } else if in_a_row == 1 {
            lock(&self.faults).push(format!("an answer of the net was lost: {fault}"));
        }
    }

    /// Waits for something to come back.
    pub(crate) fn poll(&self, wait: Duration) -> Option<Arrival> {
        if self.flying.load(Ordering::Relaxed) == 0 {
            return None;
        }
        if let Some(arrival) = self.match_early() {
            return Some(arrival);
        }
        match self.backend.poll(wait) {
            Ok(Some((ticket, batch))) => {
                lock(&self.submitted).early.insert(ticket, Some(batch));
            }
            Ok(None) => {}
            Err(fault) => {
                self.note(&fault);
                let mut submitted = lock(&self.submitted);
                match fault.ticket() {
                    Some(ticket) => {
                        submitted.early.insert(ticket, None);
                    }
                    None if self.is_lost() => return Self::any_lost(&mut submitted, &self.flying),
                    None => {}
                }
            }
        }
        self.match_early()
    }

    /// An answer whose leaves are known.
    fn match_early(&self) -> Option<Arrival> {
        let mut submitted = lock(&self.submitted);
        let known = |ticket: &&Ticket| submitted.leaves.contains_key(ticket);
        let ticket = *submitted.early.keys().filter(known).min()?;
        let leaves = submitted.leaves.remove(&ticket)?;
        let batch = submitted.early.remove(&ticket)?;
        drop(submitted);
        self.flying.fetch_sub(1, Ordering::Relaxed);
        Some(match batch {
            Some(batch) => {
                self.faults_in_a_row.store(0, Ordering::Relaxed);
                Arrival::Answered(batch, leaves)
            }
            None => Arrival::Lost(leaves),
        })
    }

    fn any_lost(submitted: &mut Submitted, flying: &AtomicUsize) -> Option<Arrival> {
        let ticket = *submitted.leaves.keys().next()?;
        let leaves = submitted.leaves.remove(&ticket)?;
        flying.fetch_sub(1, Ordering::Relaxed);
        Some(Arrival::Lost(leaves))
    }

    /// One leaf has its value, or never will.
    pub(crate) fn landed(&self, leaves: usize) {
        self.leaves.fetch_sub(leaves, Ordering::Relaxed);
    }

    /// A batch to be used again.
    pub(crate) fn give_back(&self, mut batch: Batch) {
        batch.clear();
        lock(&self.spare).push(batch);
    }

    /// The leaves of the batch being filled, which is not handed over.
    pub(crate) fn abandon(&self) -> Vec<Pending> {
        let mut building = lock(&self.building);
        building.batch.clear();
        self.queued.store(0, Ordering::Relaxed);
        std::mem::take(&mut building.leaves)
    }

    /// Leaves handed over that have not come back and are not waited for any longer.
    pub(crate) fn give_up(&self) -> Vec<Pending> {
        let mut submitted = lock(&self.submitted);
        let given_up: Vec<Vec<Pending>> = submitted.leaves.drain().map(|(_, l)| l).collect();
        self.flying.fetch_sub(given_up.len(), Ordering::Relaxed);
        self.lost.store(true, Ordering::Relaxed);
        given_up.into_iter().flatten().collect()
    }
}
