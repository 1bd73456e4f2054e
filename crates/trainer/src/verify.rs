//! Integers against the real numbers they were made from.

use crate::floatnet::FloatNet;
use corpus::Error;
use corpus::batches::Units;
use eval::Evaluator;
use features::FeatureSet;
use nnue::{AnyNet, Net, NetVisitor, Nnue};
use rules::Variant;
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Arc;

/// How far two nets are apart, in the unit of the evaluation.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Distance {
    /// Positions compared.
    pub count: u64,
    /// Mean of the differences.
    pub mean: f64,
    pub most: f64,
    /// Mean size of the values themselves, to compare with.
    pub size: f64,
}

impl Distance {
    /// Compares an integer net with the net in real numbers it was made from, on about `count`
    /// positions from all over files of its game.
    pub fn on_files(
        net: &AnyNet,
        float: &FloatNet,
        units: &Units,
        count: usize,
    ) -> Result<Self, Error> {
        net.visit(OnFiles { float, units, count })
    }
}

struct OnFiles<'a> {
    float: &'a FloatNet,
    units: &'a Units,
    count: usize,
}

impl NetVisitor for OnFiles<'_> {
    type Output = Result<Distance, Error>;

    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> Self::Output {
        let mut nnue = Nnue::new(net);
        let mut distance = Distance::default();
        let Self { float, units, count } = self;
        let every = (units.positions() / count.max(1) as u64).max(1);
        let (mut index, mut given) = (0, 0);
        units.each_position::<V>(&mut |position, _| {
            if given == count {
                return ControlFlow::Break(());
            }
            index += 1;
            if (index - 1) % every != 0 {
                return ControlFlow::Continue(());
            }
            given += 1;
            let turn = position.turn();
            if position.king(turn).is_none() || position.king(turn.opponent()).is_none() {
                return ControlFlow::Continue(());
            }
            nnue.refresh(position);
            let value = f64::from(float.output::<V, F>(position) * float.unit());
            let apart = (f64::from(nnue.evaluate(position)) - value).abs();
            distance.count += 1;
            distance.mean += apart;
            distance.size += value.abs();
            distance.most = distance.most.max(apart);
            ControlFlow::Continue(())
        })?;
        let count = distance.count.max(1) as f64;
        distance.mean /= count;
        distance.size /= count;
        Ok(distance)
    }
}
