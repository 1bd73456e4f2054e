//! Files: sizes and hashes the field publishes, round trips, and everything that can be wrong.

use crate::{AnyNet, Architecture, FeatureKind, NetError, Noise, Shape};
use proptest::prelude::*;

fn architecture(features: FeatureKind, l0: usize, h1: usize, h2: usize) -> Architecture {
    Architecture { features, shape: Shape { l0, h1, h2 } }
}

fn bytes(net: &AnyNet) -> Vec<u8> {
    let mut bytes = Vec::new();
    net.write(&mut bytes).unwrap();
    bytes
}

/// (kind, l0, h1, h2, transformer hash, network hash, file hash, description, total bytes)
#[test]
fn sizes_and_hashes_of_the_field() {
    use FeatureKind::{HalfKp, HalfKpE9, KP};
    let table = [
        (HalfKp, 256, 32, 32, 0x5D69_D7B8, 0x6333_7156, 0x3E5A_A6EE, 178, 64_217_066),
        (KP, 256, 32, 32, 0x3F57_15FF, 0x6333_7156, 0x5C64_64A9, 165, 893_917),
        (HalfKpE9, 256, 32, 32, 0x5D69_D7B8, 0x6333_7156, 0x3E5A_A6EE, 181, 577_806_317),
        (HalfKp, 768, 16, 64, 0x5D69_D3B8, 0x6333_719A, 0x3E5A_A222, 181, 192_624_717),
        (HalfKp, 512, 16, 32, 0x5D69_D1B8, 0x6333_76CA, 0x3E5A_A772, 181, 128_416_173),
        (HalfKp, 1024, 8, 32, 0x5D69_DDB8, 0x6333_6A54, 0x3E5A_B7EC, 179, 256_814_475),
        (HalfKp, 1024, 8, 64, 0x5D69_DDB8, 0x6333_6A24, 0x3E5A_B79C, 179, 256_815_659),
    ];
    for (kind, l0, h1, h2, transformer, network, file, length, total) in table {
        let a = architecture(kind, l0, h1, h2);
        let h = a.hashes();
        assert_eq!((h.transformer, h.network, h.file), (transformer, network, file), "{a}");
        assert_eq!(a.description().len(), length, "{a}");
        assert_eq!(12 + length as u64 + a.payload(), total, "{a}");
        assert_eq!(Architecture::parse(&a.description()), Some(a));
        assert!(Architecture::of_size(a.payload()).contains(&a));
    }
}

#[test]
fn sparse_input_spelling_is_understood() {
    let a = architecture(FeatureKind::HalfKp, 256, 32, 32);
    let text =
        a.description().replace("AffineTransform[32<-512]", "AffineTransformSparseInput[32<-512]");
    assert_eq!(Architecture::parse(&text), Some(a));
}

#[test]
fn round_trips() {
    for (kind, l0, h1, h2) in [
        (FeatureKind::KP, 256, 32, 32),
        (FeatureKind::KP, 512, 8, 96),
        (FeatureKind::MiniHalfKp, 256, 32, 32),
        (FeatureKind::HalfKp, 64, 16, 8),
    ] {
        let a = architecture(kind, l0, h1, h2);
        let net = AnyNet::random(a, Noise::extreme(3));
        let written = bytes(&net);
        let read = AnyNet::from_bytes(&written).unwrap();
        assert_eq!(read.architecture(), a);
        assert!(bytes(&read) == written);
        let info = read.info();
        assert_eq!((info.bytes, info.remarks.len()), (written.len() as u64, 0));
        assert_eq!(info.hashes, info.expected_hashes);
    }
}

/// A wrong text, as some trainers write it, is kept; size and hashes decide.
#[test]
fn size_decides_over_text() {
    let a = architecture(FeatureKind::KP, 512, 8, 96);
    let mut file = bytes(&AnyNet::random(a, Noise::ordinary(5)));
    let old = a.description();
    let new = architecture(FeatureKind::KP, 256, 32, 32).description();
    file.splice(12..12 + old.len(), new.bytes());
    file[8..12].copy_from_slice(&(new.len() as u32).to_le_bytes());
    let net = AnyNet::from_bytes(&file).unwrap();
    assert_eq!(net.architecture(), a);
    assert_eq!(net.info().remarks.len(), 1, "{:?}", net.info().remarks);
    assert!(bytes(&net) == file);
    // A wrong hash is only remarked upon.
    file[4] ^= 1;
    assert_eq!(AnyNet::from_bytes(&file).unwrap().info().remarks.len(), 2);
}

#[test]
fn refusals_say_why() {
    let good = bytes(&AnyNet::random(architecture(FeatureKind::KP, 64, 8, 8), Noise::ordinary(5)));
    let check = |file: &[u8], words: &[&str]| {
        let error = AnyNet::from_bytes(file).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{error:?} lacks {word:?}");
        }
    };
    check(&[], &["0 bytes"]);
    check(&good[..11], &["11 bytes"]);
    check(&good[..100], &["100 bytes", "header"]);
    check(&good[..good.len() - 1], &["cut short", "K+P 64x2-8-8", &good.len().to_string()]);
    check(&[good.clone(), vec![0]].concat(), &["too long", &good.len().to_string()]);
    let mut other = good.clone();
    other[0] = 0x17;
    check(&other, &["not an NNUE file", "0x7af32f17", "0x7af32f16"]);
    other = good.clone();
    other[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    check(&other, &["4294967295"]);
    let text = b"ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[73305->1536x2]";
    let mut sfnn = good[..12].to_vec();
    sfnn[8..12].copy_from_slice(&(text.len() as u32).to_le_bytes());
    sfnn.extend_from_slice(text);
    sfnn.extend_from_slice(&[0; 1000]);
    check(&sfnn, &["unknown kind", "HalfKA_hm2", "HalfKP"]);
    check(b"\x89PNG\r\n\x1a\n          ", &["not an NNUE file"]);
}

#[test]
fn errors_name_the_path() {
    let error = AnyNet::load("no/such/nn.bin".as_ref()).unwrap_err();
    assert!(matches!(error, NetError::At { .. }));
    let text = error.to_string();
    assert!(text.contains("no/such/nn.bin") && text.starts_with("net /"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_survived(mut file in proptest::collection::vec(any::<u8>(), 0..400), keep in any::<bool>()) {
        if keep && file.len() >= 12 {
            file[..4].copy_from_slice(&crate::VERSION.to_le_bytes());
            file[9..12].fill(0);
        }
        prop_assert!(AnyNet::from_bytes(&file).is_err());
    }

    #[test]
    fn any_description_is_survived(text in "(Features=)?[HalfKP+(Friend)]{0,12}\\[[0-9]{0,25}->[0-9]{0,25}x2\\],(\\[[0-9]{0,22}<-[0-9]{0,22}\\]){0,4}") {
        let _ = Architecture::parse(&text);
    }

    #[test]
    fn damage_in_the_header_is_survived(at in 0usize..200, value in any::<u8>()) {
        let a = architecture(FeatureKind::KP, 64, 8, 8);
        let mut file = bytes(&AnyNet::random(a, Noise::ordinary(5)));
        file[at] = value;
        if let Ok(net) = AnyNet::from_bytes(&file) {
            prop_assert!(bytes(&net) == file);
        }
    }
}
