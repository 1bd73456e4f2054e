//! Nets: what they begin with, and the files they become.

use super::args::{Plan, TrainArgs};
use super::run::{self, Product};
use crate::failure::{Failure, Outcome};
use durable::Draft;
use features::FeatureSet;
use nnue::{AnyNet, Architecture, KindVisitor, visit_kind};
use rules::Variant;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use trainer::{Corpus, Distance, FloatNet, NetModel};

/// Positions on which integers and real numbers are compared.
const COMPARED: usize = 1000;

/// Trains a net.
pub(super) fn train(args: &TrainArgs, plan: &Plan, data: Corpus, validation: Corpus) -> Outcome {
    let begin = args.from.as_deref().map(read).transpose()?;
    let architecture = match (plan.architecture, &begin) {
        (Some(wanted), Some(net)) if wanted != net.architecture => {
            let found = net.architecture;
            return Err(Failure::usage(format!("--from is a net {found}, --arch says {wanted}")));
        }
        (Some(architecture), _) => architecture,
        (None, Some(net)) if net.game() != plan.game => {
            let (net, game) = (net.game(), plan.game);
            return Err(Failure::usage(format!("--from is a net for {net}, the data are {game}")));
        }
        (None, Some(net)) => net.architecture,
        (None, None) => return Err(Failure::usage("--arch or --from is needed")),
    };
    let kind = architecture.features;
    visit_kind(kind, Training { args, plan, architecture, begin, data, validation })
}

/// Reads a net of either kind of file, or the one in a folder.
fn read(path: &Path) -> Result<FloatNet, Failure> {
    let inside = path.join("nn.bin");
    let path = if path.is_dir() { &inside } else { path };
    let failed = |e: &dyn std::fmt::Display| Failure::failed(format!("{}: {e}", path.display()));
    if let Ok(mut file) = File::open(path) {
        let mut magic = [0; 8];
        if file.read_exact(&mut magic).is_ok() && &magic == b"NueFloat" {
            let file = File::open(path).map_err(|e| failed(&e))?;
            let size = file.metadata().map_err(|e| failed(&e))?.len();
            let from = BufReader::with_capacity(1 << 20, file);
            return FloatNet::read(from, size).map_err(|e| failed(&e));
        }
    }
    let net = AnyNet::load(path).map_err(|e| Failure::failed(e.to_string()))?;
    Ok(FloatNet::from_net(&net))
}

struct Training<'a> {
    args: &'a TrainArgs,
    plan: &'a Plan,
    architecture: Architecture,
    begin: Option<FloatNet>,
    data: Corpus,
    validation: Corpus,
}

impl KindVisitor for Training<'_> {
    type Output = Outcome;

    fn visit<V: Variant, F: FeatureSet<V>>(self) -> Outcome {
        let (args, plan) = (self.args, self.plan);
        let mut model = match &self.begin {
            Some(net) => NetModel::<V, F>::from_float(net, plan.options),
            None => NetModel::<V, F>::random(self.architecture, plan.options, args.seed),
        };
        if let Some(fv_scale) = args.fv_scale {
            model.set_fv_scale(fv_scale);
        }
        run::train(args, plan, self.data, self.validation, model)
    }
}

impl<V: Variant, F: FeatureSet<V>> Product for NetModel<V, F> {
    fn publish(&self, args: &TrainArgs, validation: &Corpus) -> Result<Value, Failure> {
        let failed = |path: &Path, e: &dyn std::fmt::Display| {
            Failure::failed(format!("{}: cannot write: {e}", path.display()))
        };
        let mut float = self.to_float();
        float.notes = json!({ "by": concat!("nue ", env!("CARGO_PKG_VERSION")) });
        let quantised = float.quantise();
        let quantised = quantised.map_err(|e| Failure::failed(format!("training failed: {e}")))?;
        let distance = Distance::on_corpus(&quantised.net, &float, validation, COMPARED);
        let distance = distance.map_err(|e| Failure::failed(e.to_string()))?;
        write(&args.out, |to| write_net(&quantised.net, to)).map_err(|e| failed(&args.out, &e))?;
        if let Some(path) = &args.float {
            write(path, |mut to| float.write(&mut to)).map_err(|e| failed(path, &e))?;
        }
        let clipped = quantised.clipped;
        let cut = clipped.transformer + clipped.weights + clipped.biases;
        Ok(json!({ "integers": distance, "cut": cut, "wrapping": clipped.wrapping }))
    }
}

fn write_net(net: &AnyNet, mut to: &mut dyn Write) -> std::io::Result<()> {
    net.write(&mut to)
}

/// A file that appears whole, in the place of one that may be there.
pub(super) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 20, Draft::new(path)?);
    fill(&mut output)?;
    output.into_inner().map_err(std::io::IntoInnerError::into_error)?.publish(true)
}
