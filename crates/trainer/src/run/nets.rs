//! Nets: what they begin with, and the files they become.

use super::{Ended, Material, Product, Run, RunError, write};
use crate::floatnet::FloatNet;
use crate::net::NetModel;
use crate::stored::Stored;
use crate::verify::Distance;
use corpus::batches::Units;
use features::FeatureSet;
use nnue::{AnyNet, Architecture, KindVisitor, visit_kind};
use play::centipawns;
use rules::Variant;
use serde_json::{Value, json};
use std::io::Write;

/// Positions on which integers and real numbers are compared.
const COMPARED: usize = 1000;

/// Trains a net.
pub(super) fn train(
    wanted: Option<Architecture>,
    material: Material<'_>,
) -> Result<Ended, RunError> {
    let begin = match &material.run.files.from {
        None => None,
        Some(path) => {
            let stored = Stored::load(path).map_err(|e| RunError::Failed(e.to_string()))?;
            Some(stored.into_real())
        }
    };
    let game = material.run.game;
    let architecture = match (wanted, &begin) {
        (Some(wanted), Some(net)) if wanted != net.architecture => {
            let found = net.architecture;
            let why =
                format!("the net to begin with is {found}, the architecture asked for {wanted}");
            return Err(RunError::Request(why));
        }
        (Some(architecture), _) => architecture,
        (None, Some(net)) if net.game() != game => {
            let why = format!("the net to begin with is for {}, the data are {game}", net.game());
            return Err(RunError::Request(why));
        }
        (None, Some(net)) => net.architecture,
        (None, None) => {
            return Err(RunError::Request(
                "neither an architecture nor a net to begin with is given".to_owned(),
            ));
        }
    };
    visit_kind(architecture.features, Training { architecture, begin, material })
}

struct Training<'a> {
    architecture: Architecture,
    begin: Option<FloatNet>,
    material: Material<'a>,
}

impl KindVisitor for Training<'_> {
    type Output = Result<Ended, RunError>;

    fn visit<V: Variant, F: FeatureSet<V>>(self) -> Self::Output {
        let run = self.material.run;
        let mut model = match &self.begin {
            Some(net) => NetModel::<V>::from_float::<F>(net, run.options),
            None => NetModel::random::<F>(self.architecture, run.options, run.settings.seed),
        };
        if let Some(fv_scale) = run.fv_scale {
            model.set_fv_scale(fv_scale);
        }
        self.material.train::<V>(Box::new(model))
    }
}

impl<V: Variant> Product for NetModel<V> {
    fn publish(&self, run: &Run, validation: &Units) -> Result<Value, RunError> {
        let files = &run.files;
        let mut float = self.to_float();
        float.notes = json!({ "by": concat!("nue ", env!("CARGO_PKG_VERSION")) });
        // The curve it was trained with, until its games are measured (nue net scale).
        float.win_rate_scale = Some(centipawns(f64::from(run.settings.objective.scale)).round());
        let quantised = float.quantise();
        let quantised = quantised.map_err(|e| RunError::Failed(format!("training failed: {e}")))?;
        let distance = Distance::on_files(&quantised.net, &float, validation, COMPARED)?;
        let out = &files.out;
        write(out, |to| write_net(&quantised.net, to))
            .map_err(|e| RunError::cannot_write(out, &e))?;
        if let Some(path) = &files.float {
            write(path, |mut to| float.write(&mut to))
                .map_err(|e| RunError::cannot_write(path, &e))?;
        }
        let clipped = quantised.clipped;
        let cut = clipped.transformer + clipped.weights + clipped.biases;
        Ok(json!({ "integers": distance, "cut": cut, "wrapping": clipped.wrapping }))
    }
}

fn write_net(net: &AnyNet, mut to: &mut dyn Write) -> std::io::Result<()> {
    net.write(&mut to)
}
