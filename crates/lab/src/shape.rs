//! Architectures as the trainer in PyTorch wants them.

use crate::error::LabError;
use std::str::FromStr;

/// A net with two hidden layers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Name of the features.
    pub features: String,
    /// Width of the transformer for one side, and of the two hidden layers.
    pub widths: [usize; 3],
}

/// From a name like `halfkp-256x2-32-32`.
impl FromStr for Shape {
    type Err = LabError;

    fn from_str(name: &str) -> Result<Self, LabError> {
        let wrong = || LabError::Shape(name.to_owned());
        let parts: Vec<&str> = name.split('-').collect();
        let [features, first, second, third] = parts[..] else { return Err(wrong()) };
        let first = first.strip_suffix("x2").ok_or_else(wrong)?;
        let mut widths = [0; 3];
        for (width, text) in widths.iter_mut().zip([first, second, third]) {
            *width = text.parse().map_err(|_| wrong())?;
        }
        Ok(Self { features: features.to_owned(), widths })
    }
}

impl Shape {
    /// The same as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["--features".to_owned(), self.features.clone()];
        for (name, width) in ["--width", "--hidden1", "--hidden2"].iter().zip(self.widths) {
            words.extend([(*name).to_owned(), width.to_string()]);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nets() {
        let shape: Shape = "halfkp-256x2-32-16".parse().unwrap();
        assert_eq!(
            shape.words().join(" "),
            "--features halfkp --width 256 --hidden1 32 --hidden2 16"
        );
        for wrong in ["", "kkppt", "halfkp-256-32-32", "halfkp-256x2-32", "halfkp-ax2-32-32"] {
            assert!(wrong.parse::<Shape>().is_err(), "{wrong}");
        }
    }
}
