//! The back-end, and what a net must answer before it is believed.

use crate::api::{Device, DeviceKind};
use crate::library::{Library, LibraryError, Search};
use crate::model::{Model, ModelError};
use crate::net::{Net, Scratch};
use infer::{Backend, Batch, Fault, Finished, Pace, Shape, Ticket, random_positions};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use thiserror::Error;

/// Positions a net is tried with, and the seed they are made from.
const CANARIES: (usize, u64) = (64, 1);
/// How far a device may be from the processor: of a logit, for every unit it is away from zero, and
/// of a probability. Half precision passes, nonsense does not.
const DEVICE_SLACK: (f32, f32) = (0.05, 0.02);
/// The same for one net in batches of another size.
const BATCH_SLACK: (f32, f32) = (5e-3, 2e-3);
/// Sizes batches on a device are filled up to.
const SIZES: &[usize] = &[16, 64, 128, 256, 512, 1024];
/// Positions of a batch, on a device and on the processor.
const DEVICE_BATCH: usize = 256;
const CPU_BATCH: usize = 16;
/// Batches that keep a device busy, and threads that compute them: while one waits for the device
/// the other writes planes.
const IN_FLIGHT: usize = 3;
const THREADS: usize = 2;

/// What is to compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Provider {
    /// CUDA where the library has it and it works, else the processor.
    #[default]
    Auto,
    Cpu,
    Cuda,
    /// Builds an engine for the net on this device when first asked, which takes minutes.
    TensorRt,
}

impl Provider {
    pub const ALL: [Self; 4] = [Self::Auto, Self::Cpu, Self::Cuda, Self::TensorRt];

    /// The name as options have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::TensorRt => "tensorrt",
        }
    }

    /// The one with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }
}

/// What to open.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The file of the net.
    pub model: PathBuf,
    pub search: Search,
    pub provider: Provider,
}

/// Why there is no net.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error("{} cannot be read: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error("{} is not a net that ONNX Runtime {version} can load: {words}", path.display())]
    Load { path: PathBuf, version: String, words: String },
    #[error("{} is not a policy-value net of a known kind: {source}", path.display())]
    Model { path: PathBuf, source: ModelError },
    #[error("{} gives nonsense and is not used: {what}", path.display())]
    Nonsense { path: PathBuf, what: String },
    #[error(
        "{provider} cannot be used: {words}. The library has {has}; set DNN_Provider to cpu to do \
         without"
    )]
    Provider { provider: &'static str, words: String, has: String },
    #[error("could not start a thread: {0}")]
    Thread(io::Error),
}

/// A net computed by ONNX Runtime.
pub struct Onnx {
    shared: Arc<Shared>,
    about: String,
    /// Where a device computes.
    device: Option<Queue>,
}

/// Threads, and what sends them batches.
struct Queue {
    to: Sender<(Ticket, Batch)>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    net: Net,
    finished: Finished,
    /// As many as ever computed at a time.
    scratch: Mutex<Vec<Scratch>>,
}

impl Onnx {
    /// Loads the library and the net and tries it: what is not finite, not a probability, the same
    /// for every position, another thing in another batch, or another thing on a device than on the
    /// processor is nonsense.
    pub fn open(settings: &Settings) -> Result<Self, OpenError> {
        let path = &settings.model;
        let file =
            std::fs::read(path).map_err(|source| OpenError::File { path: path.clone(), source })?;
        let library = Library::find(&settings.search)?;
        let version = library.version().to_owned();
        let load = |words| OpenError::Load { path: path.clone(), version: version.clone(), words };
        let session = library.runtime.session(&file, 1, &[]).map_err(load)?;
        let (inputs, outputs) = (session.inputs().map_err(load)?, session.outputs().map_err(load)?);
        let model = Model::of(&inputs, &outputs)
            .map_err(|source| OpenError::Model { path: path.clone(), source })?;
        let opening = Opening { path, file: &file, library: &library };
        let processor = Net::new(session, model, &[]);
        let answers = opening.tried(&processor)?;
        let (net, about) = opening.on_device(settings.provider, processor, &answers)?;
        let about = format!("{}, ONNX Runtime {version} on {about}", net.model().shape);
        Self::start(net, about)
    }

    fn start(net: Net, about: String) -> Result<Self, OpenError> {
        let on_device = net.on_device();
        let shared =
            Arc::new(Shared { net, finished: Finished::default(), scratch: Mutex::default() });
        let mut device = None;
        if on_device {
            let (to, from) = channel();
            let from = Arc::new(Mutex::new(from));
            let spawn = |number: usize| {
                let (shared, from) = (Arc::clone(&shared), Arc::clone(&from));
                let thread = thread::Builder::new().name(format!("onnx {number}"));
                thread.spawn(move || shared.compute(&from)).map_err(OpenError::Thread)
            };
            let threads = (0..THREADS).map(spawn).collect::<Result<_, _>>()?;
            device = Some(Queue { to, threads });
        }
        Ok(Self { shared, about, device })
    }
}

/// A net while it is opened.
struct Opening<'a> {
    path: &'a Path,
    file: &'a [u8],
    library: &'a Library,
}

impl Opening<'_> {
    fn nonsense(&self, what: impl Into<String>) -> OpenError {
        OpenError::Nonsense { path: self.path.to_owned(), what: what.into() }
    }

    /// The answers for some positions, if they are sound.
    fn asked(&self, net: &Net) -> Result<Batch, OpenError> {
        let mut batch = random_positions(net.model().shape, CANARIES.0, CANARIES.1);
        net.answer(&mut batch, &mut Scratch::default()).map_err(|words| self.nonsense(words))?;
        batch.verify(Ticket(0)).map_err(|fault| self.nonsense(fault.to_string()))?;
        Ok(batch)
    }

    /// The answers of the net on the processor, if they are believable.
    fn tried(&self, net: &Net) -> Result<Batch, OpenError> {
        let together = self.asked(net)?;
        if !depends_on_positions(&together) {
            return Err(self.nonsense("it answers the same for every position"));
        }
        let mut alone = Batch::new(together.shape(), 1);
        for index in [0, together.len() / 2, together.len() - 1] {
            alone.clear();
            let planes = together.planes(index);
            let labels = together.labels(index).iter().copied();
            alone.push(0, |to| to.copy_from_slice(planes), labels);
            net.answer(&mut alone, &mut Scratch::default())
                .map_err(|words| self.nonsense(words))?;
            if let Some(what) = apart((&together, index), (&alone, 0), BATCH_SLACK) {
                return Err(self.nonsense(format!("{what} with and without other positions")));
            }
        }
        Ok(together)
    }

    /// The net on what is asked for; the processor's own where that is all there is.
    fn on_device(
        &self,
        provider: Provider,
        processor: Net,
        answers: &Batch,
    ) -> Result<(Net, String), OpenError> {
        let has = self.library.providers();
        let cuda = || self.device(DeviceKind::Cuda, processor.model(), answers, true);
        match provider {
            Provider::Cpu => Ok((processor, "the processor".to_owned())),
            Provider::Auto if !has.iter().any(|name| name == "CUDAExecutionProvider") => {
                Ok((processor, "the processor".to_owned()))
            }
            Provider::Auto => match cuda() {
                Ok(net) => Ok((net, "CUDA".to_owned())),
                Err(words) => {
                    Ok((processor, format!("the processor (CUDA cannot be used: {words})")))
                }
            },
            Provider::Cuda => cuda().map(|net| (net, "CUDA".to_owned())).map_err(|words| {
                OpenError::Provider { provider: "CUDA", words, has: has.join(", ") }
            }),
            Provider::TensorRt => {
                let build =
                    |half| self.device(DeviceKind::TensorRt, processor.model(), answers, half);
                // In half precision where that is near enough to the processor.
                build(true)
                    .map(|net| (net, "TensorRT in 16 bits".to_owned()))
                    .or_else(|_| build(false).map(|net| (net, "TensorRT in 32 bits".to_owned())))
                    .map_err(|words| {
                        let provider = "TensorRT";
                        OpenError::Provider { provider, words, has: has.join(", ") }
                    })
            }
        }
    }

    /// The net on a device, compared with the processor and made ready for all sizes.
    fn device(
        &self,
        kind: DeviceKind,
        model: &Model,
        answers: &Batch,
        half: bool,
    ) -> Result<Net, String> {
        let devices = match kind {
            DeviceKind::Cuda => vec![cuda()],
            // What TensorRT does not do is left to CUDA.
            DeviceKind::TensorRt => vec![self.tensorrt(model, half), cuda()],
        };
        let session = self.library.runtime.session(self.file, 1, &devices)?;
        let net = Net::new(session, model.clone(), SIZES);
        let found = self.asked(&net).map_err(|error| error.to_string())?;
        let pairs = (0..found.len()).map(|index| ((answers, index), (&found, index)));
        if let Some(what) = pairs.filter_map(|(a, b)| apart(a, b, DEVICE_SLACK)).next() {
            return Err(format!("{what} on the processor and on the device"));
        }
        for &size in SIZES {
            let mut batch = random_positions(model.shape, size, 2);
            net.answer(&mut batch, &mut Scratch::default())?;
        }
        Ok(net)
    }

    /// TensorRT's settings. Engines are kept beside the net, in a folder named after all that
    /// decides what they are; the library adds the device.
    fn tensorrt(&self, model: &Model, half: bool) -> Device {
        let sum = crc32fast::hash(self.file);
        let bits = if half { 16 } else { 32 };
        let mut folder = self.path.as_os_str().to_owned();
        folder.push(format!(".tensorrt/{sum:08x}-{}-{bits}", self.library.version()));
        let side = model.shape.game.size();
        let shapes = |size: usize| {
            let one = |input: &crate::model::Input| {
                let name = input.name.to_string_lossy();
                format!("{name}:{}x{}x{side}x{side}", model.fixed.unwrap_or(size), input.channels)
            };
            model.inputs.iter().map(one).collect::<Vec<_>>().join(",")
        };
        let settings = [
            ("device_id", "0".to_owned()),
            ("trt_fp16_enable", u8::from(half).to_string()),
            ("trt_engine_cache_enable", "1".to_owned()),
            ("trt_engine_cache_path", folder.to_string_lossy().into_owned()),
            ("trt_profile_min_shapes", shapes(1)),
            ("trt_profile_opt_shapes", shapes(DEVICE_BATCH)),
            ("trt_profile_max_shapes", shapes(SIZES[SIZES.len() - 1])),
        ];
        let settings = settings.map(|(key, value)| (key.to_owned(), value)).to_vec();
        Device { kind: DeviceKind::TensorRt, settings }
    }
}

fn cuda() -> Device {
    // Trying every algorithm for every size would take longer than they differ.
    let settings = [("device_id", "0"), ("cudnn_conv_algo_search", "HEURISTIC")];
    let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    Device { kind: DeviceKind::Cuda, settings }
}

/// Whether the answers are not the same for every position: another value, or another logit for a
/// move that was legal before.
fn depends_on_positions(batch: &Batch) -> bool {
    let mut known = HashMap::new();
    (0..batch.len()).any(|index| {
        let mut pairs = batch.labels(index).iter().zip(batch.policy(index));
        batch.value(index) != batch.value(0)
            || pairs.any(|(&label, &logit)| *known.entry(label).or_insert(logit) != logit)
    })
}

/// How two answers for a position differ, if it is by more than `slack`.
fn apart((a, i): (&Batch, usize), (b, j): (&Batch, usize), slack: (f32, f32)) -> Option<String> {
    let pairs = a.policy(i).iter().zip(b.policy(j));
    let logits = pairs.map(|(x, y)| (x - y).abs() / (1.0 + x.abs())).fold(0.0, f32::max);
    let value = (a.value(i).win - b.value(j).win).abs();
    // Written so that what is not a number is apart.
    let near = logits <= slack.0 && value <= slack.1;
    (!near).then(|| format!("logits differ by {logits:.2} of their size and wins by {value:.2}"))
}

impl Shared {
    fn answer(&self, ticket: Ticket, mut batch: Batch) {
        let kept = || self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = kept().pop().unwrap_or_default();
        match self.net.answer(&mut batch, &mut scratch) {
            Ok(()) => self.finished.finish(ticket, batch),
            Err(words) => self.finished.end(&format!("ONNX Runtime cannot compute: {words}")),
        }
        kept().push(scratch);
    }

    /// Computes what comes until nobody sends any more.
    fn compute(&self, from: &Mutex<Receiver<(Ticket, Batch)>>) {
        loop {
            let next = from.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((ticket, batch)) = next else { return };
            self.answer(ticket, batch);
        }
    }
}

impl Backend for Onnx {
    fn shape(&self) -> Shape {
        self.shared.net.model().shape
    }

    fn describe(&self) -> String {
        self.about.clone()
    }

    fn pace(&self) -> Pace {
        match (&self.device, self.shared.net.model().fixed) {
            (Some(_), fixed) => {
                let batch = fixed.unwrap_or(DEVICE_BATCH);
                Pace { batch, in_flight: IN_FLIGHT, threads: THREADS }
            }
            (None, fixed) => {
                Pace { batch: fixed.unwrap_or(CPU_BATCH), in_flight: 1, threads: usize::MAX }
            }
        }
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        if batch.shape() != self.shape() {
            return Err(Fault::Shape { found: batch.shape(), expected: self.shape() });
        }
        let ticket = self.shared.finished.begin()?;
        match &self.device {
            None => self.shared.answer(ticket, batch),
            Some(queue) => {
                if queue.to.send((ticket, batch)).is_err() {
                    self.shared.finished.end("the threads of ONNX Runtime are gone");
                }
            }
        }
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.shared.finished.poll(wait)
    }

    fn in_flight(&self) -> usize {
        self.shared.finished.in_flight()
    }
}

impl Drop for Onnx {
    fn drop(&mut self) {
        if let Some(Queue { to, threads }) = self.device.take() {
            drop(to);
            for thread in threads {
                // A thread that panicked has said so.
                let _ = thread.join();
            }
        }
    }
}

impl fmt::Debug for Onnx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Onnx({})", self.about)
    }
}
