//! Several devices as one.

use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::Batch;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long one device is waited for before the next is asked.
const SLICE: Duration = Duration::from_micros(200);

/// Hands each batch to the device with the fewest in flight. A device that ends, ends all: what it
/// had in flight is lost.
pub struct Split {
    devices: Vec<Arc<dyn Backend>>,
    next: AtomicUsize,
}

impl Split {
    /// # Panics
    /// If there is no device, or not all are for the same planes and labels.
    pub fn new(devices: Vec<Arc<dyn Backend>>) -> Self {
        let shape = devices.first().expect("at least one device").shape();
        assert!(devices.iter().all(|device| device.shape() == shape), "devices of one shape");
        Self { devices, next: AtomicUsize::new(0) }
    }

    /// A device's ticket among those of all.
    fn outer(&self, device: usize, ticket: Ticket) -> Ticket {
        Ticket(ticket.0 * self.devices.len() as u64 + device as u64)
    }

    fn ask(&self, device: usize, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        match self.devices[device].poll(wait) {
            Ok(done) => Ok(done.map(|(ticket, batch)| (self.outer(device, ticket), batch))),
            Err(fault) => Err(match fault.ticket() {
                Some(ticket) => super::relay::under(self.outer(device, ticket), fault),
                None => fault,
            }),
        }
    }
}

impl Backend for Split {
    fn shape(&self) -> Shape {
        self.devices[0].shape()
    }

    fn describe(&self) -> String {
        let all: Vec<String> = self.devices.iter().map(|device| device.describe()).collect();
        format!("{} devices: {}", all.len(), all.join(" | "))
    }

    fn pace(&self) -> Pace {
        let paces: Vec<Pace> = self.devices.iter().map(|device| device.pace()).collect();
        Pace {
            batch: paces.iter().map(|pace| pace.batch).max().unwrap_or(1),
            in_flight: paces.iter().map(|pace| pace.in_flight).sum(),
            threads: paces.iter().fold(0, |sum, pace| pace.threads.saturating_add(sum)),
        }
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        // From another one each time, so that equals take turns.
        let (count, start) = (self.devices.len(), self.next.fetch_add(1, Ordering::Relaxed));
        let order = (0..count).map(|i| (start + i) % count);
        let device = order.min_by_key(|&i| self.devices[i].in_flight()).unwrap_or(0);
        let ticket = self.devices[device].submit(batch)?;
        Ok(self.outer(device, ticket))
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        let (count, start) = (self.devices.len(), self.next.fetch_add(1, Ordering::Relaxed));
        let mut left = wait;
        loop {
            let mut busy = None;
            for device in (0..count).map(|i| (start + i) % count) {
                if let Some(done) = self.ask(device, Duration::ZERO)? {
                    return Ok(Some(done));
                }
                if self.devices[device].in_flight() > 0 {
                    busy.get_or_insert(device);
                }
            }
            let Some(device) = busy.filter(|_| !left.is_zero()) else { return Ok(None) };
            let slice = left.min(SLICE);
            if let Some(done) = self.ask(device, slice)? {
                return Ok(Some(done));
            }
            left -= slice;
        }
    }

    fn in_flight(&self) -> usize {
        self.devices.iter().map(|device| device.in_flight()).sum()
    }
}
