//! What the inputs and outputs of a file say about planes and labels.

use crate::api::{Element, Port};
use features::{Labels, Planes, Segment};
use infer::Shape;
use rules::Game;
use std::ffi::CString;
use thiserror::Error;

/// A file that is no policy-value net known here.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ModelError {
    #[error(
        "its inputs are {0}; nets have planes as input1 and input2 (dlshogi's) or as one input"
    )]
    Inputs(String),
    #[error(
        "it sees {channels} planes of {side}x{side}; known are dlshogi's 62+57, PAL's 77 and Aoba's \
         318 of 9x9, and the 46+22 of minishogi"
    )]
    Planes { channels: i64, side: i64 },
    #[error("its outputs are {0}; nets have logits of moves (output_policy) and output_value")]
    Outputs(String),
    #[error("it has {found} logits of moves, which fits no known numbering of {game}'s moves")]
    Labels { found: i64, game: Game },
    #[error("{name} holds {element}; known are 32-bit and 16-bit floating-point numbers")]
    Element { name: String, element: String },
}

/// An input of a net: which planes it wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Input {
    pub(crate) name: CString,
    pub(crate) half: bool,
    pub(crate) channels: usize,
}

/// A net's face.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Model {
    pub(crate) shape: Shape,
    /// All planes in order, cut into one or two inputs.
    pub(crate) inputs: Vec<Input>,
    pub(crate) policy: CString,
    pub(crate) value: CString,
    /// The size of every batch, where the file fixes it.
    pub(crate) fixed: Option<usize>,
}

impl Model {
    pub(crate) fn of(inputs: &[Port], outputs: &[Port]) -> Result<Self, ModelError> {
        let (planes, inputs, fixed) = seen(inputs)?;
        let game = planes.game();
        let flat = |port: &&Port| matches!(port.dimensions[..], [_] | [_, _]);
        let named = |name: &str| outputs.iter().find(|p| p.name.as_bytes() == name.as_bytes());
        let width = |port: &Port| if port.dimensions.len() == 2 { port.dimensions[1] } else { 1 };
        // Other nets' names differ; the value is what has one number.
        let policy = named("output_policy").or_else(|| outputs.iter().find(|p| width(p) > 1));
        let value = named("output_value").or_else(|| outputs.iter().find(|p| width(p) == 1));
        let (Some(policy), Some(value)) = (policy.filter(flat), value.filter(flat)) else {
            return Err(ModelError::Outputs(listed(outputs)));
        };
        [policy, value].into_iter().try_for_each(numbers)?;
        let found = width(policy);
        let labels = Labels::ALL
            .into_iter()
            .find(|labels| labels.game() == game && i64::try_from(labels.count()) == Ok(found));
        let labels = labels.ok_or(ModelError::Labels { found, game })?;
        if width(value) != 1 {
            return Err(ModelError::Outputs(listed(outputs)));
        }
        let (policy, value) = (policy.name.clone(), value.name.clone());
        Ok(Self { shape: Shape { game, planes, labels }, inputs, policy, value, fixed })
    }
}

/// Planes, inputs in their order, and the size of batches if it is fixed.
fn seen(ports: &[Port]) -> Result<(Planes, Vec<Input>, Option<usize>), ModelError> {
    let wrong = || ModelError::Inputs(listed(ports));
    let mut ports: Vec<&Port> = ports.iter().collect();
    if ports.is_empty() || ports.len() > 2 {
        return Err(wrong());
    }
    if ports[0].name.as_bytes() == b"input2" {
        ports.reverse();
    }
    let (mut channels, mut side, mut batch) = (0, None, None);
    for port in &ports {
        let &[size, planes, height, width] = &port.dimensions[..] else { return Err(wrong()) };
        if planes <= 0 || height != width || side.is_some_and(|side| side != height) {
            return Err(wrong());
        }
        numbers(port)?;
        (channels, side) = (channels + planes, Some(height));
        batch = usize::try_from(size).ok().filter(|&size| size > 0).or(batch);
    }
    let side = side.unwrap_or_default();
    let fits = |planes: &Planes| {
        i64::try_from(planes.count()) == Ok(channels)
            && i64::try_from(planes.game().size()) == Ok(side)
    };
    let planes = Planes::ALL.into_iter().find(fits);
    let planes = planes.ok_or(ModelError::Planes { channels, side })?;
    let input = |port: &&Port| Input {
        name: port.name.clone(),
        half: port.element == Element::F16,
        channels: port.dimensions[1] as usize,
    };
    let inputs: Vec<Input> = ports.iter().map(input).collect();
    // Two inputs are the planes of the board and the constant ones.
    let cut = match planes.segments() {
        [Segment::Boards(boards), rest @ ..] => {
            let mixed = rest.iter().any(|segment| matches!(segment, Segment::Boards(_)));
            (!mixed).then_some(*boards)
        }
        _ => None,
    };
    if inputs.len() == 2 && cut != Some(inputs[0].channels) {
        return Err(wrong());
    }
    Ok((planes, inputs, batch))
}

fn numbers(port: &Port) -> Result<(), ModelError> {
    match port.element {
        Element::F32 | Element::F16 => Ok(()),
        Element::Other(_) => Err(ModelError::Element {
            name: port.name.to_string_lossy().into_owned(),
            element: port.element.to_string(),
        }),
    }
}

/// Names and dimensions.
fn listed(ports: &[Port]) -> String {
    let one = |port: &Port| {
        let size = |&n: &i64| if n > 0 { n.to_string() } else { "?".to_owned() };
        let sizes: Vec<String> = port.dimensions.iter().map(size).collect();
        format!("{} [{}]", port.name.to_string_lossy(), sizes.join(", "))
    };
    if ports.is_empty() {
        "none".to_owned()
    } else {
        ports.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, dimensions: &[i64]) -> Port {
        let name = CString::new(name).unwrap();
        Port { name, element: Element::F32, dimensions: dimensions.to_vec() }
    }

    fn answers() -> Vec<Port> {
        vec![port("output_policy", &[-1, 2187]), port("output_value", &[-1, 1])]
    }

    #[test]
    fn nets_of_the_field_are_known_by_their_inputs_and_outputs() {
        let (one, two) = (port("input1", &[-1, 62, 9, 9]), port("input2", &[-1, 57, 9, 9]));
        let dlshogi = Model::of(&[one.clone(), two.clone()], &answers()).unwrap();
        let shape = Shape { game: Game::Shogi, planes: Planes::Dlshogi, labels: Labels::Dlshogi };
        assert_eq!((dlshogi.shape, dlshogi.fixed), (shape, None));
        assert_eq!(Model::of(&[two, one], &answers()), Ok(dlshogi), "in any order");
        let whole = Model::of(&[port("x", &[16, 119, 9, 9])], &answers()).unwrap();
        assert_eq!((whole.shape, whole.fixed, whole.inputs[0].channels), (shape, Some(16), 119));
        let other = [port("v", &[-1]), port("p", &[-1, 3781])];
        let pal = Model::of(&[port("input", &[-1, 77, 9, 9])], &other).unwrap();
        assert_eq!((pal.shape.planes, pal.shape.labels), (Planes::Pal, Labels::Pal));
        assert_eq!((pal.policy.to_bytes(), pal.value.to_bytes()), (&b"p"[..], &b"v"[..]));
        let mini = [port("input1", &[-1, 46, 5, 5]), port("input2", &[-1, 22, 5, 5])];
        let mini = Model::of(&mini, &[port("v", &[-1, 1]), port("p", &[-1, 525])]).unwrap();
        assert_eq!(mini.shape.game, Game::Minishogi);
    }

    #[test]
    fn other_files_are_refused_with_a_sentence() {
        let planes = port("input", &[-1, 119, 9, 9]);
        let bytes = Port { element: Element::Other(2), ..planes.clone() };
        for (inputs, outputs, part) in [
            (vec![], answers(), "its inputs are none"),
            (vec![port("image", &[1, 3, 224, 200])], answers(), "image [1, 3, 224, 200]"),
            (vec![port("image", &[-1, 3, 224, 224])], answers(), "3 planes of 224x224"),
            (vec![port("input", &[-1, 119])], answers(), "input [?, 119]"),
            (vec![bytes], answers(), "ONNX type 2"),
            (
                vec![port("input1", &[-1, 60, 9, 9]), port("input2", &[-1, 59, 9, 9])],
                answers(),
                "input1 [?, 60, 9, 9]",
            ),
            (vec![planes.clone()], vec![answers()[0].clone()], "its outputs are output_policy"),
            (
                vec![planes.clone()],
                vec![port("output_policy", &[-1, 525]), port("output_value", &[-1, 1])],
                "525 logits",
            ),
            (
                vec![planes],
                vec![answers()[0].clone(), port("output_value", &[-1, 3])],
                "output_value [?, 3]",
            ),
        ] {
            let text = Model::of(&inputs, &outputs).unwrap_err().to_string();
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
