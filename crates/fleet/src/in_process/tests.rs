use super::*;
use crate::conformance::{self, Harness};
use think::ManualTime;

struct Virtual {
    time: Arc<ManualTime>,
}

impl Harness for Virtual {
    fn queue(&self, settings: Settings) -> Arc<dyn Queue> {
        Arc::new(InProcess::new(settings, Arc::clone(&self.time) as Arc<dyn TimeSource>))
    }

    fn settings(&self) -> Settings {
        Settings::default()
    }

    fn pass(&self, time: Duration) {
        self.time.advance(time);
    }
}

#[test]
fn keeps_the_contract() {
    conformance::all(&Virtual { time: Arc::new(ManualTime::new()) });
}

/// Many tasks leave nothing behind but what is to be remembered.
#[test]
fn memory_does_not_grow() {
    let settings = Settings { remembered: 100, ..Settings::default() };
    let queue = InProcess::new(settings, Arc::new(ManualTime::new()));
    let worker: WorkerId = "w".parse().unwrap();
    queue.stand(&worker, Standing::Admitted).unwrap();
    for id in 0..2000 {
        queue.offer(&conformance::task(id)).unwrap();
        let lease = queue.lease(&worker, &[Pool::any()], Duration::ZERO).unwrap().unwrap();
        queue.finish(&lease.key, &conformance::batch(0)).unwrap();
        queue.acknowledge(Cursor(u64::MAX)).unwrap();
    }
    assert_eq!(queue.state().sizes(), [100, 0, 0, 0, 100]);
}
