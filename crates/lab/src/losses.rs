//! What a training log says: how the loss fell, and which net is the best.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// The best validation of a training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Best {
    /// Loss on games not learned from.
    pub loss: f64,
    pub epoch: Option<f64>,
}

/// The lowest loss in a log of JSON lines, of either trainer; `None` where there is no log or no
/// validation in it.
pub fn best(path: &Path) -> Option<Best> {
    let text = fs::read_to_string(path).ok()?;
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| Some(Best { loss: held_out(&line)?, epoch: line["epoch"].as_f64() }))
        .min_by(|a, b| a.loss.total_cmp(&b.loss))
}

/// The losses at one step of a training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossPoint {
    pub epoch: Option<f64>,
    pub steps: Option<u64>,
    pub train: Option<f64>,
    /// On games not learned from.
    pub validation: Option<f64>,
}

/// All losses in a log of JSON lines, of either trainer.
pub fn points(log: &str) -> Vec<LossPoint> {
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter_map(|line| {
            let steps = line["steps"].as_u64().or(line["step"].as_u64())?;
            Some(LossPoint {
                epoch: line["epoch"].as_f64(),
                steps: Some(steps),
                train: line["training"]["total"].as_f64().or(line["loss"].as_f64()),
                validation: held_out(&line),
            })
        })
        .collect()
}

fn held_out(line: &Value) -> Option<f64> {
    // The trainer in PyTorch has a line without parts.
    line["validation"]["total"].as_f64().or_else(|| line["validation_loss"].as_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_loss_of_either_trainer() {
        let place = tempfile::tempdir().unwrap();
        let log = |name: &str, text: &str| {
            let path = place.path().join(name);
            fs::write(&path, text).unwrap();
            best(&path)
        };
        let here = "{\"nue\":\"1\"}\n{\"epoch\":1,\"validation\":{\"total\":0.5}}\n\
                    {\"epoch\":2,\"validation\":{\"total\":0.4}}\n{\"epoch\":3,\"validation\":{\"total\":0.45}}\n{\"ep";
        assert_eq!(log("here", here), Some(Best { loss: 0.4, epoch: Some(2.0) }));
        assert_eq!(
            log("there", "{\"validation_loss\":0.3}\n"),
            Some(Best { loss: 0.3, epoch: None })
        );
        assert_eq!(log("empty", ""), None);
        assert_eq!(best(&place.path().join("missing")), None);
    }
}
