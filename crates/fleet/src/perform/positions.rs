//! Positions searched, and problems of mate answered.

use super::{broken_off, wrong};
use crate::batch::{Fault, Product};
use crate::leaves::{leaf, searched};
use crate::mates::{MateRecord, problem};
use crate::task::Task;
use assembly::leaves::LeafSearcher;
use mate::{Questions, study};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use think::{Control, TimeSource};

/// Searches leaves; broken off when somebody says so.
pub(super) fn leaves(
    searcher: &mut LeafSearcher,
    task: &Task,
    range: Range<u64>,
    abandoned: &AtomicBool,
) -> Result<Product, Fault> {
    let input = task.unit.input.as_ref().ok_or_else(|| wrong("no leaves"))?;
    let mut leaves = Vec::new();
    for number in range {
        let place = usize::try_from(number - task.unit.first).unwrap_or(usize::MAX);
        let text = input.piece(place).ok_or_else(|| wrong("there is no such leaf"))?;
        let position = leaf(text).map_err(wrong)?;
        leaves.push(searched(searcher, &position, abandoned)?.ok_or_else(broken_off)?);
    }
    Ok(Product::Leaves { leaves })
}

/// Answers problems of mate; broken off when somebody says so.
pub(super) fn mates(
    questions: &Questions,
    task: &Task,
    range: Range<u64>,
    abandoned: &AtomicBool,
    time: &dyn TimeSource,
) -> Result<Product, Fault> {
    const GLANCE: Duration = Duration::from_millis(20);
    let input = task.unit.input.as_ref().ok_or_else(|| wrong("no problems"))?;
    let (control, over) = (Control::new(false), AtomicBool::new(false));
    let mut answers = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if abandoned.load(Ordering::Relaxed) {
                    control.stop();
                }
                std::thread::park_timeout(GLANCE);
            }
        });
        let all = range.clone().try_for_each(|number| {
            let place = usize::try_from(number - task.unit.first).unwrap_or(usize::MAX);
            let text = input.piece(place).ok_or_else(|| wrong("there is no such problem"))?;
            let position = problem(text).map_err(wrong)?;
            answers.push(MateRecord::of(&study(&position, questions, &control, time)));
            if control.is_stopped() { Err(broken_off()) } else { Ok(()) }
        });
        over.store(true, Ordering::Relaxed);
        all
    })?;
    Ok(Product::Mates { answers })
}
