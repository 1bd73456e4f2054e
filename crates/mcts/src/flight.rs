//! Leaves on their way to the net and back.
//!
//! For a device all threads fill one batch (for several devices several); whoever fills it up hands it to
//! the back-end. Where the net computes on the thread that asks, every thread fills a batch of its own,
//! and no position leaves its processor. One thread at a time asks a device for finished batches; all of them then take what
//! came apart, a few leaves each, before anything new is sent out. A batch that is lost gives its visits
//! back, so that nothing stays in flight.

mod in_place;

use crate::leaves::Leaves;
use crate::search::lock;
use infer::{Backend, Batch, Fault, Pace, Shape, Ticket};
use rules::{Color, Move};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A batch and whose leaves are in it.
pub(crate) struct Cargo {
    pub(crate) batch: Batch,
    pub(crate) leaves: Leaves,
}

/// A batch being filled, away from those of other threads.
#[repr(align(128))]
struct Building(Mutex<Cargo>);

/// Batches the back-end has.
#[derive(Default)]
struct Submitted {
    leaves: HashMap<Ticket, Leaves>,
    /// Answers that came before their submitter could note the ticket; `None` for a lost one.
    early: HashMap<Ticket, Option<Batch>>,
    /// Batches that were not even taken.
    refused: u64,
}

/// What came of asking for a finished batch.
pub(crate) enum Polled {
    Nothing,
    /// There are leaves to be claimed.
    Landed,
    /// These will never be answered.
    Lost(Leaves),
}

/// Leaves of an answered batch that one thread sees to.
pub(crate) struct Claim {
    pub(crate) cargo: Arc<Cargo>,
    pub(crate) range: Range<usize>,
}

/// How the back-end was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Usage {
    pub(crate) batches: u64,
    pub(crate) positions: u64,
    /// Positions that all those batches could have held.
    pub(crate) room: u64,
}

/// Faults in a row after which the net is given up.
const MOST_FAULTS: u32 = 4;
/// Answers under unknown tickets, beyond one for every thread, after which the net is given up.
const MOST_EARLY: usize = 64;
/// Leaves a thread claims at once.
const CLAIM: usize = 16;
/// Of how many playouts of one thread among several one asks whether something is finished.
const ASK_EVERY: u32 = 4;

/// Leaves on their way.
pub(crate) struct Flight {
    backend: Arc<dyn Backend>,
    shape: Shape,
    pace: Pace,
    /// Whether the back-end answers a thread's batch where it lies.
    in_place: bool,
    /// The batches being filled: one for each thread where the net computes on it, else one for each
    /// device or so.
    building: Box<[Building]>,
    submitted: Mutex<Submitted>,
    /// Batches that are answered, and the first leaf of each that nobody has claimed.
    landed: Mutex<VecDeque<(Arc<Cargo>, usize)>>,
    has_landed: Condvar,
    spare: Mutex<Vec<Cargo>>,
    counts: Counts,
    faults: Mutex<Vec<String>>,
    faults_in_a_row: AtomicU32,
    lost: AtomicBool,
}

/// Numbers that every thread reads at every playout, away from everything else.
#[derive(Default)]
#[repr(align(128))]
struct Counts {
    /// Leaves in batches that several threads fill.
    queued: AtomicUsize,
    /// Batches on their way, those being handed over included.
    flying: AtomicUsize,
    /// Leaves flying, or queued where several threads fill a batch.
    away: AtomicUsize,
    /// Leaves answered that nobody has claimed, and those not yet seen to.
    unclaimed: AtomicUsize,
    unfinished: AtomicUsize,
    /// Somebody asks the back-end.
    asking: AtomicBool,
    /// Threads that wait until something has landed.
    waiting: AtomicUsize,
    batches: AtomicU64,
    positions: AtomicU64,
}

impl Flight {
    pub(crate) fn new(backend: Arc<dyn Backend>, batch: usize, workers: usize) -> Self {
        let (shape, mut pace) = (backend.shape(), backend.pace());
        pace.batch = batch.max(1);
        pace.threads = workers.max(1);
        let backend_answers_in_place = backend.answer(&mut Batch::new(shape, 0)).is_some();
        let building = || Cargo { batch: Batch::new(shape, pace.batch), leaves: Leaves::default() };
        // One for each two batches on their way: a single device gets whole ones, and several are not
        // kept waiting by all threads waiting for one lock.
        let devices = (pace.in_flight / 2).clamp(1, pace.threads);
        let fillers = if pace.in_flight <= 1 { pace.threads } else { devices };
        Self {
            backend,
            shape,
            pace,
            in_place: pace.in_flight <= 1 && backend_answers_in_place,
            building: (0..fillers).map(|_| Building(Mutex::new(building()))).collect(),
            submitted: Mutex::default(),
            landed: Mutex::default(),
            has_landed: Condvar::new(),
            spare: Mutex::default(),
            counts: Counts::default(),
            faults: Mutex::default(),
            faults_in_a_row: AtomicU32::new(0),
            lost: AtomicBool::new(false),
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the back-end computes on the thread that submits.
    pub(crate) const fn at_once(&self) -> bool {
        self.pace.in_flight <= 1
    }

    /// Batches that keep the back-end busy.
    fn enough(&self) -> usize {
        self.pace.in_flight.max(if self.at_once() { self.pace.threads } else { 1 })
    }

    /// Whether more leaves may be sent out from a root with so many visits by a thread whose batch holds
    /// so many: with few visits many playouts at once would all be badly aimed. A device is worth more
    /// of them than a processor, which computes a small batch as fast as a large one; there each
    /// thread has its share, so that none has to look at what the others do.
    pub(crate) fn has_room(&self, visits: u64, filled: usize) -> bool {
        let (ahead, share) = if self.at_once() { (0, 16) } else { (self.building.len(), 2) };
        let most = (self.enough() + ahead) * self.pace.batch;
        let limit = usize::try_from(8 + visits / share).unwrap_or(usize::MAX).min(most);
        if self.at_once() {
            return filled < (limit / self.pace.threads).max(1);
        }
        self.counts.away.load(Ordering::Relaxed) < limit.max(self.pace.threads)
    }

    /// Whether a device has nothing to do and there is something worth handing over.
    pub(crate) fn is_idle(&self) -> bool {
        !self.at_once()
            && self.counts.flying.load(Ordering::Relaxed) == 0
            && self.counts.queued.load(Ordering::Relaxed) >= self.pace.batch.div_ceil(4)
    }

    /// Whether any leaf waits for its value, or has it and is not seen to.
    pub(crate) fn is_waiting(&self) -> bool {
        self.counts.away.load(Ordering::Acquire) > 0
            || self.counts.unfinished.load(Ordering::Acquire) > 0
    }

    /// Collisions of one thread worth keeping, at a root with so many visits: a batch of them over
    /// all threads. None where the net computes on the threads: what a playout ran into is then waited
    /// for by nobody but those who could compute it.
    pub(crate) fn collisions(&self, visits: u64) -> usize {
        if self.at_once() {
            return 0;
        }
        let all = usize::try_from(visits / 64).unwrap_or(usize::MAX).min(self.pace.batch);
        1 + all / self.pace.threads
    }

    /// Whether the net is gone for good.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// What went wrong since this was last asked.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.faults))
    }

    /// How the back-end was used so far.
    pub(crate) fn usage(&self) -> Usage {
        let batches = self.counts.batches.load(Ordering::Relaxed);
        let positions = self.counts.positions.load(Ordering::Relaxed);
        Usage { batches, positions, room: batches * self.pace.batch as u64 }
    }

    /// The batch that a thread fills.
    fn building(&self, thread: usize) -> &Mutex<Cargo> {
        &self.building[thread % self.building.len()].0
    }

    /// Adds a leaf that a thread came to; says how many its batch holds now.
    pub(crate) fn push(
        &self,
        thread: usize,
        key: u64,
        planes: &[u8],
        labels: &[u16],
        (path, moves, turn): (&[u32], &[Move], Color),
    ) -> usize {
        let mut building = lock(self.building(thread));
        // Another thread filled it and has not come to take it: it goes first. While this one hands it
        // over, others may fill the next.
        while building.batch.is_full() {
            let full = self.take(&mut building);
            drop(building);
            self.submit(full);
            building = lock(self.building(thread));
        }
        let copied = |out: &mut [u8]| out.copy_from_slice(planes);
        building.batch.push(key, copied, labels.iter().copied());
        building.leaves.push(path, moves, turn);
        if !self.at_once() {
            self.counts.queued.fetch_add(1, Ordering::Relaxed);
            self.counts.away.fetch_add(1, Ordering::Relaxed);
        }
        building.leaves.len()
    }

    /// Whether a batch of so many is full.
    pub(crate) const fn is_full(&self, filled: usize) -> bool {
        filled >= self.pace.batch
    }

    /// So many leaves are queued no longer. A thread's own are counted now, all at once: until then
    /// they concern nobody else.
    fn leave(&self, leaves: usize) {
        if self.at_once() {
            self.counts.away.fetch_add(leaves, Ordering::AcqRel);
        } else {
            self.counts.queued.fetch_sub(leaves, Ordering::Relaxed);
        }
    }

    fn take(&self, building: &mut Cargo) -> Cargo {
        let spare = lock(&self.spare).pop();
        let fresh = spare.unwrap_or_else(|| Cargo {
            batch: Batch::new(self.shape, self.pace.batch),
            leaves: Leaves::default(),
        });
        let many = building.leaves.len();
        self.leave(many);
        self.counts.flying.fetch_add(1, Ordering::Relaxed);
        self.counts.batches.fetch_add(1, Ordering::Relaxed);
        self.counts.positions.fetch_add(many as u64, Ordering::Relaxed);
        std::mem::replace(building, fresh)
    }

    /// Batches at which one that is not full can wait: a device computes it for the price of a full
    /// one, and should have nothing else to do.
    fn busy_with(&self) -> usize {
        if self.at_once() { self.enough() } else { self.enough().div_ceil(2) }
    }

    /// Hands over the batch that a thread fills, unless it is empty or the back-end is busy and it is
    /// not full. Says whether it did.
    pub(crate) fn flush(&self, thread: usize) -> bool {
        let mut building = lock(self.building(thread));
        let busy = self.counts.flying.load(Ordering::Relaxed) >= self.busy_with();
        if building.leaves.is_empty() || busy && !building.batch.is_full() {
            return false;
        }
        let taken = self.take(&mut building);
        drop(building);
        self.submit(taken);
        true
    }

    fn submit(&self, Cargo { batch, leaves }: Cargo) {
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

    /// There was an answer. What stands beside that number is read by all threads at every playout: it is
    /// written only where that changes anything.
    fn forget_faults(&self) {
        if self.faults_in_a_row.load(Ordering::Relaxed) != 0 {
            self.faults_in_a_row.store(0, Ordering::Relaxed);
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

    /// Whether a thread should ask for finished batches before its next playout, the n-th.
    pub(crate) const fn is_time_to_ask(&self, playout: u32) -> bool {
        !self.in_place
            && (self.at_once() && self.pace.threads == 1 || playout.is_multiple_of(ASK_EVERY))
    }

    /// Asks for a finished batch and waits for it so long, unless another thread asks the device.
    pub(crate) fn poll(&self, wait: Duration) -> Polled {
        let asking = &self.counts.asking;
        if self.counts.flying.load(Ordering::Relaxed) == 0 {
            return Polled::Nothing;
        }
        // What was computed here is there: nobody keeps anybody from taking it.
        if self.at_once() {
            return self.ask(wait);
        }
        if asking.load(Ordering::Relaxed) || asking.swap(true, Ordering::Acquire) {
            return Polled::Nothing;
        }
        let polled = self.ask(wait);
        asking.store(false, Ordering::Release);
        polled
    }

    fn ask(&self, wait: Duration) -> Polled {
        if let Some((batch, leaves)) = self.match_early() {
            return self.land(batch, leaves);
        }
        match self.backend.poll(wait) {
            Ok(Some((ticket, batch))) => {
                let mut submitted = lock(&self.submitted);
                submitted.early.insert(ticket, Some(batch));
                // Only tickets that somebody is about to note may be unknown.
                if submitted.early.len() > MOST_EARLY + self.pace.threads {
                    submitted.early.retain(|_, batch| batch.is_none());
                    drop(submitted);
                    self.note(&Fault::Ended("the net answers what it was not asked".to_owned()));
                }
            }
            Ok(None) => return Polled::Nothing,
            Err(fault) => {
                self.note(&fault);
                let mut submitted = lock(&self.submitted);
                match fault.ticket() {
                    Some(ticket) => {
                        submitted.early.insert(ticket, None);
                    }
                    None if self.is_lost() => {
                        let any = submitted.leaves.keys().next().copied();
                        let leaves = any.and_then(|ticket| submitted.leaves.remove(&ticket));
                        drop(submitted);
                        return leaves.map_or(Polled::Nothing, |leaves| self.land(None, leaves));
                    }
                    None => {}
                }
            }
        }
        let matched = self.match_early();
        matched.map_or(Polled::Nothing, |(batch, leaves)| self.land(batch, leaves))
    }

    /// An answer whose leaves are known; `None` in it if it is lost.
    fn match_early(&self) -> Option<(Option<Batch>, Leaves)> {
        let mut submitted = lock(&self.submitted);
        let known = |ticket: &&Ticket| submitted.leaves.contains_key(ticket);
        let ticket = *submitted.early.keys().filter(known).min()?;
        let leaves = submitted.leaves.remove(&ticket)?;
        Some((submitted.early.remove(&ticket)?, leaves))
    }

    fn land(&self, batch: Option<Batch>, leaves: Leaves) -> Polled {
        let (counts, many) = (&self.counts, leaves.len());
        counts.flying.fetch_sub(1, Ordering::Relaxed);
        let Some(batch) = batch else { return Polled::Lost(leaves) };
        self.forget_faults();
        // First counted here, then no longer there: at no time in neither place.
        counts.unfinished.fetch_add(many, Ordering::AcqRel);
        counts.away.fetch_sub(many, Ordering::AcqRel);
        lock(&self.landed).push_back((Arc::new(Cargo { batch, leaves }), 0));
        counts.unclaimed.fetch_add(many, Ordering::Release);
        // Who asked sees to a few himself; somebody who had run into one of them may go on.
        if many <= CLAIM {
            self.has_landed.notify_one();
        } else {
            self.has_landed.notify_all();
        }
        Polled::Landed
    }

    /// A few answered leaves that nobody else sees to.
    #[inline]
    pub(crate) fn claim(&self) -> Option<Claim> {
        // Where every thread sees to its own, all of them do without the line that these numbers stand in.
        if self.in_place || self.counts.unclaimed.load(Ordering::Acquire) == 0 {
            return None;
        }
        self.claim_some()
    }

    fn claim_some(&self) -> Option<Claim> {
        let mut landed = lock(&self.landed);
        let (cargo, next) = landed.front_mut()?;
        let (cargo, from) = (Arc::clone(cargo), *next);
        let until = (from + CLAIM).min(cargo.leaves.len());
        *next = until;
        if until == cargo.leaves.len() {
            landed.pop_front();
        }
        self.counts.unclaimed.fetch_sub(until - from, Ordering::Relaxed);
        Some(Claim { cargo, range: from..until })
    }

    /// What was claimed is seen to.
    pub(crate) fn finish(&self, claim: Claim) {
        self.counts.unfinished.fetch_sub(claim.range.len(), Ordering::AcqRel);
        // Whoever is the last to finish puts it away.
        if let Some(mut cargo) = Arc::into_inner(claim.cargo) {
            cargo.batch.clear();
            cargo.leaves.clear();
            lock(&self.spare).push(cargo);
        }
    }

    /// Waits until something has landed, or as long as that.
    pub(crate) fn wait(&self, most: Duration) {
        let landed = lock(&self.landed);
        if landed.is_empty() {
            self.counts.waiting.fetch_add(1, Ordering::Relaxed);
            let _ =
                self.has_landed.wait_timeout(landed, most).unwrap_or_else(PoisonError::into_inner);
            self.counts.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// So many leaves will never have a value.
    pub(crate) fn cancel(&self, leaves: usize) {
        self.counts.away.fetch_sub(leaves, Ordering::AcqRel);
    }

    /// The leaves of batches being filled, which are not handed over.
    pub(crate) fn abandon(&self) -> impl Iterator<Item = Leaves> {
        self.building.iter().map(|building| {
            let mut building = lock(&building.0);
            building.batch.clear();
            let leaves = std::mem::take(&mut building.leaves);
            self.leave(leaves.len());
            leaves
        })
    }

    /// Leaves handed over that have not come back and are not waited for any longer.
    pub(crate) fn give_up(&self) -> Vec<Leaves> {
        let mut submitted = lock(&self.submitted);
        let given_up: Vec<Leaves> = submitted.leaves.drain().map(|(_, leaves)| leaves).collect();
        self.counts.flying.fetch_sub(given_up.len(), Ordering::Relaxed);
        self.lost.store(true, Ordering::Relaxed);
        given_up
    }
}
