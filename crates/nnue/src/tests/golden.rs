//! A published net and the values a reference engine gives for it, where the data is present.

use crate::{AnyNet, Isa, Nnue};
use eval::Evaluator;
use rules::{Position, Shogi};

#[test]
fn equals_the_reference() {
    let Some(folder) = fixtures::shared_data("kp256") else { return };
    let net = AnyNet::load(&folder.join("nn.bin")).unwrap();
    let table = std::fs::read_to_string(folder.join("evals.tsv")).unwrap();
    assert!(net.info().remarks.is_empty(), "{:?}", net.info().remarks);
    let mut compared = 0;
    for &isa in Isa::available() {
        let AnyNet::KP(net) = net.with_isa(isa) else { panic!("not a K-P net") };
        let mut at16 = Nnue::new(net.clone());
        let mut at24 = Nnue::new(net.with_fv_scale(24).into());
        for line in table.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [sfen, raw, value16, value24] = fields[..] else { panic!("{line:?}") };
            let pos = Position::<Shogi>::from_sfen(sfen).unwrap();
            at16.refresh(&pos);
            at24.refresh(&pos);
            assert_eq!(at16.output(&pos).to_string(), raw, "{isa} {sfen}");
            assert_eq!(at16.evaluate(&pos).to_string(), value16, "{isa} {sfen}");
            assert_eq!(at24.evaluate(&pos).to_string(), value24, "{isa} {sfen}");
            compared += 1;
        }
    }
    assert!(compared > 100);
}

#[test]
fn is_written_as_it_was_read() {
    let Some(folder) = fixtures::shared_data("kp256") else { return };
    let bytes = std::fs::read(folder.join("nn.bin")).unwrap();
    let mut written = Vec::new();
    AnyNet::from_bytes(&bytes).unwrap().write(&mut written).unwrap();
    assert!(written == bytes);
}
