//! ONNX files written by hand, so that the library is tested with nets whose answers are known.

use infer::native::Floats;

/// A message of the protocol buffers that ONNX files are made of.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(mut self, field: u64, number: i64) -> Self {
        self.varint(field << 3);
        self.varint(number as u64);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn part(self, field: u64, part: &Self) -> Self {
        self.bytes(field, &part.0)
    }
}

const F32: i64 = 1;
const F16: i64 = 10;

/// How a net is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    /// dlshogi's: the planes of the board and the constant ones apart.
    Two,
    /// One input, batches of a fixed size.
    One { batch: i64 },
    /// dlshogi's, with numbers of 16 bits.
    Half,
}

struct Graph {
    body: Message,
    next: usize,
    half: bool,
}

impl Graph {
    fn tensor(&mut self, dimensions: &[usize], numbers: &[f32]) -> String {
        assert_eq!(dimensions.iter().product::<usize>(), numbers.len());
        self.next += 1;
        let name = format!("w{}", self.next);
        let mut tensor = Message::default();
        for &size in dimensions {
            tensor = tensor.number(1, size as i64);
        }
        let bytes: Vec<u8> = if self.half {
            let halves = numbers.iter().map(|&x| infer::half::from_f32(x));
            halves.flat_map(u16::to_le_bytes).collect()
        } else {
            numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
        };
        let kind = if self.half { F16 } else { F32 };
        let tensor = tensor.number(2, kind).text(8, &name).bytes(9, &bytes);
        self.body = std::mem::take(&mut self.body).part(5, &tensor);
        name
    }

    /// A node; gives the name of its result.
    fn node(&mut self, kind: &str, inputs: &[&str], attributes: &[(&str, &[i64])]) -> String {
        self.next += 1;
        let name = format!("x{}", self.next);
        self.named(kind, inputs, attributes, &name);
        name
    }

    fn named(&mut self, kind: &str, inputs: &[&str], attributes: &[(&str, &[i64])], name: &str) {
        let mut node = Message::default();
        for input in inputs {
            node = node.text(1, input);
        }
        node = node.text(2, name).text(4, kind);
        for (name, numbers) in attributes {
            let mut attribute = Message::default().text(1, name);
            attribute = match numbers {
                [one] => attribute.number(3, *one).number(20, 2),
                many => many.iter().fold(attribute, |a, &n| a.number(8, n)).number(20, 7),
            };
            node = node.part(5, &attribute);
        }
        self.body = std::mem::take(&mut self.body).part(1, &node);
    }

    fn port(&mut self, field: u64, name: &str, dimensions: &[i64]) {
        let mut shape = Message::default();
        for &size in dimensions {
            let one = Message::default();
            let one = if size > 0 { one.number(1, size) } else { one.text(2, "batch") };
            shape = shape.part(1, &one);
        }
        let kind = if self.half { F16 } else { F32 };
        let tensor = Message::default().number(1, kind).part(2, &shape);
        let port = Message::default().text(1, name).part(2, &Message::default().part(1, &tensor));
        self.body = std::mem::take(&mut self.body).part(field, &port);
    }

    fn convolve(&mut self, x: &str, sizes: [usize; 3], weight: &[f32], bias: &[f32]) -> String {
        let [outputs, inputs, side] = sizes;
        let weight = self.tensor(&[outputs, inputs, side, side], weight);
        let bias = self.tensor(&[outputs], bias);
        let (kernel, pad) = ([side as i64; 2], [(side / 2) as i64; 4]);
        self.node("Conv", &[x, &weight, &bias], &[("kernel_shape", &kernel), ("pads", &pad)])
    }

    fn dense(&mut self, x: &str, sizes: [usize; 2], weight: &[f32], bias: &[f32]) -> String {
        let (weight, bias) = (self.tensor(&sizes, weight), self.tensor(&[sizes[0]], bias));
        self.node("Gemm", &[x, &weight, &bias], &[("transB", &[1])])
    }
}

/// A net as an ONNX file.
pub(crate) fn onnx(net: &Floats, face: Face) -> Vec<u8> {
    let a = &net.architecture;
    let (game, planes, channels) = (a.shape.game, a.shape.planes, a.channels);
    let (side, labels) = (game.size() as i64, a.shape.labels.count());
    let mut g = Graph { body: Message::default(), next: 0, half: face == Face::Half };
    let boards = planes.segments()[0].count() as i64;
    let all = planes.count() as i64;
    let batch = if let Face::One { batch } = face { batch } else { -1 };
    let mut x = "input".to_owned();
    if let Face::One { .. } = face {
        g.port(11, "input", &[batch, all, side, side]);
    } else {
        g.port(11, "input1", &[batch, boards, side, side]);
        g.port(11, "input2", &[batch, all - boards, side, side]);
        x = g.node("Concat", &["input1", "input2"], &[("axis", &[1])]);
    }
    let stem = [channels, planes.count(), 3];
    x = g.convolve(&x, stem, &net.stem.weight, &net.stem.bias);
    x = g.node("Relu", &[&x], &[]);
    for [first, second] in &net.blocks {
        let mut y = g.convolve(&x, [channels, channels, 3], &first.weight, &first.bias);
        y = g.node("Relu", &[&y], &[]);
        y = g.convolve(&y, [channels, channels, 3], &second.weight, &second.bias);
        x = g.node("Add", &[&x, &y], &[]);
        x = g.node("Relu", &[&x], &[]);
    }
    let heads = a.policy_planes();
    let mut p = g.convolve(&x, [heads, channels, 1], &net.policy, &vec![0.0; heads]);
    p = g.node("Flatten", &[&p], &[("axis", &[1])]);
    let bias = g.tensor(&[labels], &net.policy_bias);
    g.named("Add", &[&p, &bias], &[], "output_policy");
    let (wide, hidden) = (a.value_channels, a.value_hidden);
    let mut v = g.convolve(&x, [wide, channels, 1], &net.value.weight, &net.value.bias);
    v = g.node("Relu", &[&v], &[]);
    v = g.node("Flatten", &[&v], &[("axis", &[1])]);
    let inputs = wide * game.squares();
    v = g.dense(&v, [hidden, inputs], &net.value_fc1.weight, &net.value_fc1.bias);
    v = g.node("Relu", &[&v], &[]);
    v = g.dense(&v, [1, hidden], &net.value_fc2.weight, &net.value_fc2.bias);
    g.named("Sigmoid", &[&v], &[], "output_value");
    g.port(12, "output_policy", &[batch, labels as i64]);
    g.port(12, "output_value", &[batch, 1]);
    let graph = g.body.text(2, "net");
    let opset = Message::default().text(1, "").number(2, 13);
    Message::default().number(1, 7).part(7, &graph).part(8, &opset).0
}
