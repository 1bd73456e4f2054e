use super::*;
use eval::Evaluator;
use nnue::{AnyNet, Net, NetVisitor, Nnue, Noise, Shape};
use proptest::prelude::*;
use rules::{Minishogi, Shogi};
use std::sync::Arc;

const SMALL: Shape = Shape { l0: 32, h1: 8, h2: 16 };

fn architecture(features: FeatureKind) -> Architecture {
    Architecture { features, shape: SMALL }
}

fn bytes(net: &FloatNet) -> Vec<u8> {
    let mut bytes = Vec::new();
    net.write(&mut bytes).unwrap();
    bytes
}

/// Positions of random games.
fn positions<V: Variant>(count: usize) -> Vec<Position<V>> {
    let mut found = Vec::new();
    let mut rng = seed::Rng::new(7);
    while found.len() < count {
        let mut pos = Position::<V>::startpos();
        for _ in 0..100 {
            let moves = pos.legal_moves();
            if moves.is_empty() || found.len() == count {
                break;
            }
            pos.play(moves[rng.below(moves.len())]);
            found.push(pos.without_history());
        }
    }
    found
}

/// Mean and largest difference of integer and real values over random positions.
struct Distance<'a>(&'a FloatNet);

impl NetVisitor for Distance<'_> {
    type Output = (f64, f64);
    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> (f64, f64) {
        let mut nnue = Nnue::new(net);
        let (mut sum, mut most) = (0.0, 0.0f64);
        let positions = positions::<V>(300);
        for pos in &positions {
            nnue.refresh(pos);
            let value = f64::from(self.0.output::<V, F>(pos) * self.0.unit());
            let distance = (f64::from(nnue.evaluate(pos)) - value).abs();
            sum += distance;
            most = most.max(distance);
        }
        (sum / positions.len() as f64, most)
    }
}

#[test]
fn integers_and_real_numbers_agree() {
    for kind in [FeatureKind::KP, FeatureKind::MiniHalfKp] {
        let shape = Shape { l0: 256, h1: 32, h2: 32 };
        let architecture = Architecture { features: kind, shape };
        let noise = Noise { seed: 5, transformer: 30, weight: 12, bias: 4000 };
        let net = AnyNet::random(architecture, noise);
        let float = FloatNet::from_net(&net);
        // The integers cut fractions off after each hidden layer: at most 1/127 each time.
        let (mean, most) = net.visit(Distance(&float));
        assert!(mean < 8.0 && most < 40.0, "{architecture}: {mean} {most}");
        // A net that was an integer net is the same integer net again.
        let again = float.quantise().unwrap();
        assert_eq!(again.clipped, Clipped::default());
        let (mut a, mut b) = (Vec::new(), Vec::new());
        net.write(&mut a).unwrap();
        again.net.write(&mut b).unwrap();
        assert!(a == b);
    }
}

#[test]
fn every_kind_goes_through_a_file() {
    for kind in [FeatureKind::KP, FeatureKind::HalfKp, FeatureKind::MiniHalfKp] {
        let net = AnyNet::random(architecture(kind), Noise::ordinary(3));
        let mut float = FloatNet::from_net(&net);
        float.fv_scale = 24;
        float.notes = serde_json::json!({ "by": "a test" });
        float.win_rate_scale = Some(871.5);
        let read = FloatNet::from_bytes(&bytes(&float)).unwrap();
        assert!(read == float);
        assert_eq!(read.unit(), 127.0 * 64.0 / 24.0);
        // What a score is worth goes into the integers' file, and back.
        let integers = read.quantise().unwrap().net;
        let mut written = Vec::new();
        integers.write(&mut written).unwrap();
        let integers = AnyNet::from_bytes(&written).unwrap();
        assert_eq!(FloatNet::from_net(&integers).win_rate_scale, Some(871.5));
    }
}

#[test]
fn positions_of_the_other_game_have_no_value() {
    let float = FloatNet::zeroed(architecture(FeatureKind::MiniHalfKp));
    assert_eq!(float.forward(&Position::<Shogi>::startpos().into()), None);
    assert_eq!(float.forward(&Position::<Minishogi>::startpos().into()), Some(0.0));
}

#[test]
fn what_does_not_fit_is_counted() {
    let mut float = FloatNet::zeroed(architecture(FeatureKind::MiniHalfKp));
    assert_eq!(float.quantise().unwrap().clipped, Clipped::default());
    (float.w1[3], float.w3[0], float.w2[1]) = (2.1, -5.0, 127.0 / 64.0);
    (float.b0[0], float.b2[0]) = (-300.0, 1e9);
    (float.w0[1], float.w0[2]) = (26.0, 25.0);
    let clipped = Clipped { transformer: 1, weights: 2, biases: 1, wrapping: 1 };
    let quantised = float.quantise().unwrap();
    // 10 · 26 · 127 leaves 16 bits, 10 · 25 · 127 does not; the bias was cut to fit.
    assert_eq!(quantised.clipped, clipped);
    assert_eq!(quantised.net.parameters().w3[0], -127);
    float.w2[0] = f32::NAN;
    let error = float.quantise().unwrap_err().to_string();
    assert_eq!(error, "layer 2 weight number 0 is NaN");
}

#[test]
fn malformed_files_say_what_is_wrong() {
    let good = bytes(&FloatNet::zeroed(architecture(FeatureKind::MiniHalfKp)));
    assert!(FloatNet::from_bytes(&good).is_ok());
    for length in (0..200).chain([good.len() - 1]) {
        let error = FloatNet::from_bytes(&good[..length]).unwrap_err().to_string();
        assert!(error.contains("begins") || error.contains("ends") || error.contains("cut short"));
    }
    let mut long = good.clone();
    long.push(0);
    assert!(FloatNet::from_bytes(&long).unwrap_err().to_string().contains("too long"));
    let mut infinite = good.clone();
    let end = infinite.len();
    infinite[end - 4..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let error = FloatNet::from_bytes(&infinite).unwrap_err().to_string();
    assert_eq!(error, "output weight number 15 is inf");

    let described = |json: &str| {
        let mut bytes = b"NueFloat".to_vec();
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(json.as_bytes());
        FloatNet::from_bytes(&bytes).unwrap_err().to_string()
    };
    let net = |features, width, game, scale| {
        described(&format!(
            r#"{{"features":"{features}","width":{width},"hidden1":8,"hidden2":16,"game":"{game}","fv_scale":{scale}}}"#
        ))
    };
    assert!(net("HalfKA", 32, "shogi", 16).contains("HalfKA"));
    assert!(net("KP", 32, "chess", 16).contains("chess"));
    assert!(net("KP", 33, "shogi", 16).contains("33x2-8-16"));
    assert!(net("KP", u64::MAX, "shogi", 16).contains("no net has the shape"));
    assert!(net("KP", 32, "shogi", 0).contains("fv_scale 0"));
    for scale in ["0", "-3", "1e99", "\"600\""] {
        let text = format!(
            r#"{{"features":"KP","width":32,"hidden1":8,"hidden2":16,"game":"shogi","win_rate_scale":{scale}}}"#
        );
        let error = described(&text);
        assert!(error.contains("win_rate_scale") || error.contains("invalid type"), "{error}");
    }
    assert!(net("KP", 4096, "shogi", 16).contains("cut short"));
    assert!(described("{}").contains("features"));
    assert!(described("\u{0}").contains("wrong"));
}

proptest! {
    #[test]
    fn no_bytes_panic(at in 0usize..300, byte in any::<u8>()) {
        let mut bytes = bytes(&FloatNet::zeroed(architecture(FeatureKind::MiniHalfKp)));
        bytes[at] = byte;
        let _ = FloatNet::from_bytes(&bytes);
    }
}
