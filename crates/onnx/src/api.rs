//! ONNX Runtime's C interface: the few functions of it that are needed, behind safe ones.
//!
//! Together with [`table`] the only place that calls it. Deliberately absent: nets and positions.

#![allow(unsafe_code)] // the C interface

mod table;

use std::error::Error;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use table::{Any, Base, Count, Name, Part, Release, Status, Table};

/// The version of the table, which is also the oldest library that has all of it: 1.12.
pub(crate) const API: u32 = 12;

/// Something of the library's, released at the end.
struct Owned {
    pointer: Any,
    release: Release,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the library made it, `release` is the function for its kind, and nobody else
        // releases it.
        unsafe { (self.release)(self.pointer) }
    }
}

// SAFETY: what is kept across threads here are environments, sessions and descriptions of memory,
// and the library allows their use by several threads at a time. Values stay where they are made.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

/// What the numbers of a tensor are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    F32,
    F16,
    /// Another one, by the library's number.
    Other(i32),
}

impl Element {
    const F32_NUMBER: c_int = 1;
    const F16_NUMBER: c_int = 10;

    const fn of(number: c_int) -> Self {
        match number {
            Self::F32_NUMBER => Self::F32,
            Self::F16_NUMBER => Self::F16,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::F32 => f.write_str("32-bit numbers"),
            Self::F16 => f.write_str("16-bit numbers"),
            Self::Other(number) => write!(f, "elements of ONNX type {number}"),
        }
    }
}

/// An input or an output of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Port {
    pub(crate) name: CString,
    pub(crate) element: Element,
    /// Not positive where it is free.
    pub(crate) dimensions: Vec<i64>,
}

/// Numbers of a tensor.
#[derive(Debug)]
pub(crate) enum Numbers<'a> {
    F32(&'a [f32]),
    F16(&'a [u16]),
}

/// Numbers for an input.
#[derive(Debug)]
pub(crate) enum Fed<'a> {
    F32(&'a mut [f32]),
    F16(&'a mut [u16]),
}

/// A library that is loaded.
pub(crate) struct Runtime {
    table: &'static Table,
    env: Owned,
    memory: Owned,
    version: String,
}

/// Why a file is no library that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unusable {
    /// The system does not load it.
    Load(String),
    /// It is another library.
    AnotherLibrary,
    /// It is older than [`API`].
    Old(String),
    /// It says what is wrong.
    Reported(String),
}

impl Runtime {
    /// Loads a library: a path, or a name that the system knows.
    pub(crate) fn load(path: &Path) -> Result<Self, Unusable> {
        // SAFETY: loading runs the library's initialisers. The user named it, or installed it under
        // the name of ONNX Runtime, which does nothing at load that we would have to prepare for.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|error| {
            // The reason is the system's.
            let source = error.source().map(|source| format!(": {source}"));
            Unusable::Load(format!("{error}{}", source.unwrap_or_default()))
        })?;
        // SAFETY: this is the function's type in every version of the library.
        let base = unsafe {
            library.get::<unsafe extern "system" fn() -> *const Base>(b"OrtGetApiBase\0")
        };
        let Ok(base) = base.map(|symbol| *symbol) else {
            return Err(Unusable::AnotherLibrary);
        };
        // It is never unloaded: its threads and what it does at exit need its code.
        std::mem::forget(library);
        // SAFETY: the function takes nothing; base and table are constants of the library, which
        // stays, and a version it does not have gives null. The version is text that ends.
        let (table, version) = unsafe {
            let Some(base) = base().as_ref() else { return Err(Unusable::AnotherLibrary) };
            let version = text((base.version)());
            let Some(table) = (base.table)(API).as_ref() else {
                return Err(Unusable::Old(version));
            };
            (table, version)
        };
        let told = Unusable::Reported;
        const WARNINGS_AND_LESS_ARE_NOT_SAID: c_int = 3;
        let mut env = null_mut();
        // SAFETY: the name is text that ends, the place for the result is ours.
        let status = unsafe {
            (table.create_env)(WARNINGS_AND_LESS_ARE_NOT_SAID, c"nue".as_ptr(), &mut env)
        };
        check(table, status).map_err(told)?;
        let env = Owned { pointer: env, release: table.release_env };
        // Builds for Windows report their use to their maker unless told not to.
        // SAFETY: the environment was just made.
        check(table, unsafe { (table.disable_telemetry)(env.pointer) }).map_err(told)?;
        let mut memory = null_mut();
        // SAFETY: ordinary memory (1 is the arena allocator, 0 the default kind of memory).
        check(table, unsafe { (table.cpu_memory)(1, 0, &mut memory) }).map_err(told)?;
        let memory = Owned { pointer: memory, release: table.release_memory };
        Ok(Self { table, env, memory, version })
    }

    /// As the library says it: 1.31.1.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Names of the execution providers it was built with.
    pub(crate) fn providers(&self) -> Result<Vec<String>, String> {
        let (mut list, mut count) = (null_mut(), 0);
        // SAFETY: both places are ours.
        check(self.table, unsafe { (self.table.providers)(&mut list, &mut count) })?;
        // SAFETY: the library says how many texts stand in its list.
        let names = (0..count.max(0) as usize).map(|at| unsafe { text(*list.add(at)) }).collect();
        // SAFETY: the list is the one it gave, and is not used any more.
        check(self.table, unsafe { (self.table.release_providers)(list, count) })?;
        Ok(names)
    }

    /// A net for an execution provider.
    pub(crate) fn session(
        self: &Arc<Self>,
        model: &[u8],
        threads: usize,
        devices: &[Device],
    ) -> Result<Session, String> {
        let table = self.table;
        let mut options = null_mut();
        // SAFETY: the place is ours.
        check(table, unsafe { (table.create_options)(&mut options) })?;
        let options = Owned { pointer: options, release: table.release_options };
        const ALL: c_int = 99;
        // SAFETY: options of the library's own making; the numbers are within what it knows.
        unsafe {
            check(table, (table.set_optimisation)(options.pointer, ALL))?;
            check(table, (table.set_threads)(options.pointer, threads as c_int))?;
        }
        for device in devices {
            self.append(&options, device)?;
        }
        let mut session = null_mut();
        // SAFETY: the bytes are read during the call only; environment and options live.
        let status = unsafe {
            let bytes = model.as_ptr().cast();
            let env = self.env.pointer;
            (table.create_session)(env, bytes, model.len(), options.pointer, &mut session)
        };
        check(table, status)?;
        let session = Owned { pointer: session, release: table.release_session };
        Ok(Session { session, runtime: Arc::clone(self) })
    }

    /// Puts an execution provider into options.
    fn append(&self, options: &Owned, device: &Device) -> Result<(), String> {
        let t = self.table;
        let (create, update, append, release) = match device.kind {
            DeviceKind::Cuda => (t.create_cuda, t.update_cuda, t.append_cuda, t.release_cuda),
            DeviceKind::TensorRt => {
                (t.create_tensorrt, t.update_tensorrt, t.append_tensorrt, t.release_tensorrt)
            }
        };
        let texts = |which: fn(&(String, String)) -> &String| -> Result<Vec<CString>, String> {
            let each = device.settings.iter().map(|pair| CString::new(which(pair).as_str()));
            each.collect::<Result<_, _>>().map_err(|error| error.to_string())
        };
        let (keys, values) = (texts(|pair| &pair.0)?, texts(|pair| &pair.1)?);
        let pointers = |texts: &[CString]| texts.iter().map(|t| t.as_ptr()).collect::<Vec<_>>();
        let (key_list, value_list) = (pointers(&keys), pointers(&values));
        let mut made = null_mut();
        // SAFETY: the four functions are of one kind of provider; the lists hold as many texts as
        // is said, and both they and the texts live until after the call.
        unsafe {
            check(t, create(&mut made))?;
            let made = Owned { pointer: made, release };
            check(t, update(made.pointer, key_list.as_ptr(), value_list.as_ptr(), keys.len()))?;
            check(t, append(options.pointer, made.pointer))
        }
    }
}

/// What computes other than the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeviceKind {
    Cuda,
    TensorRt,
}

/// An execution provider and its settings, by the library's names.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    pub(crate) kind: DeviceKind,
    pub(crate) settings: Vec<(String, String)>,
}

/// A net that can be asked, by several threads at a time.
pub(crate) struct Session {
    session: Owned,
    /// Lives as long as what it made.
    runtime: Arc<Runtime>,
}

impl Session {
    pub(crate) fn inputs(&self) -> Result<Vec<Port>, String> {
        let t = self.runtime.table;
        self.ports(t.input_count, t.input_name, t.input_type)
    }

    pub(crate) fn outputs(&self) -> Result<Vec<Port>, String> {
        let t = self.runtime.table;
        self.ports(t.output_count, t.output_name, t.output_type)
    }

    fn ports(&self, count: Count, name: Name, kind: Part) -> Result<Vec<Port>, String> {
        let (t, session) = (self.runtime.table, self.session.pointer);
        let (mut number, mut allocator) = (0, null_mut());
        // SAFETY: the session lives; the default allocator belongs to the library.
        unsafe {
            check(t, count(session, &mut number))?;
            check(t, (t.allocator)(&mut allocator))?;
        }
        let port = |index| {
            let (mut letters, mut info, mut tensor) = (null_mut(), null_mut(), null_mut());
            // SAFETY: the index is below the count; the name is the allocator's and given back
            // after it is copied; the tensor's description is part of `info`, which outlives it.
            unsafe {
                check(t, name(session, index, allocator, &mut letters))?;
                let name = CStr::from_ptr(letters).to_owned();
                check(t, (t.free)(allocator, letters.cast()))?;
                check(t, kind(session, index, &mut info))?;
                let info = Owned { pointer: info, release: t.release_type };
                check(t, (t.tensor_info)(info.pointer, &mut tensor))?;
                if tensor.is_null() {
                    return Err(format!("{} is not a tensor", name.to_string_lossy()));
                }
                let (element, dimensions) = described(t, tensor)?;
                Ok(Port { name, element, dimensions })
            }
        };
        (0..number).map(port).collect()
    }

    /// Computes: inputs by name with their dimensions, the wanted outputs by name.
    pub(crate) fn run(
        &self,
        inputs: &mut [(&CStr, Vec<i64>, Fed<'_>)],
        outputs: &[&CStr],
    ) -> Result<Vec<Output>, String> {
        let t = self.runtime.table;
        let mut values = Vec::new();
        for (_, dimensions, fed) in inputs.iter_mut() {
            let (data, bytes, element) = match fed {
                Fed::F32(x) => (x.as_mut_ptr().cast(), size_of_val(*x), Element::F32_NUMBER),
                Fed::F16(x) => (x.as_mut_ptr().cast(), size_of_val(*x), Element::F16_NUMBER),
            };
            let mut value = null_mut();
            let (shape, rank) = (dimensions.as_ptr(), dimensions.len());
            let memory = self.runtime.memory.pointer;
            // SAFETY: the library checks dimensions against bytes, and uses the memory until the
            // value is released, which is before this function returns.
            let status =
                unsafe { (t.create_tensor)(memory, data, bytes, shape, rank, element, &mut value) };
            check(t, status)?;
            values.push(Owned { pointer: value, release: t.release_value });
        }
        let names: Vec<*const c_char> = inputs.iter().map(|(name, ..)| name.as_ptr()).collect();
        let fed: Vec<Any> = values.iter().map(|value| value.pointer).collect();
        let wanted: Vec<*const c_char> = outputs.iter().map(|name| name.as_ptr()).collect();
        let mut found = vec![null_mut(); wanted.len()];
        // SAFETY: lists of the lengths said, of texts and values that live; outputs are null, so
        // that the library makes them, in ordinary memory.
        let status = unsafe {
            (t.run)(
                self.session.pointer,
                null::<c_void>().cast_mut(),
                names.as_ptr(),
                fed.as_ptr(),
                fed.len(),
                wanted.as_ptr(),
                wanted.len(),
                found.as_mut_ptr(),
            )
        };
        let made = found.into_iter().filter(|value| !value.is_null());
        let made: Vec<Owned> =
            made.map(|pointer| Owned { pointer, release: t.release_value }).collect();
        check(t, status)?;
        Ok(made.into_iter().map(|value| Output { value, table: t }).collect())
    }
}

/// An answer, in the library's memory.
pub(crate) struct Output {
    value: Owned,
    table: &'static Table,
}

impl Output {
    /// Its numbers, one after the other.
    pub(crate) fn numbers(&self) -> Result<Numbers<'_>, String> {
        let t = self.table;
        let (mut shape, mut count, mut data) = (null_mut(), 0, null_mut());
        // SAFETY: the value is a tensor that lives as long as `self`, and its data with it.
        unsafe {
            check(t, (t.tensor_shape)(self.value.pointer, &mut shape))?;
            let shape = Owned { pointer: shape, release: t.release_shape };
            let (element, _) = described(t, shape.pointer)?;
            check(t, (t.element_count)(shape.pointer, &mut count))?;
            check(t, (t.tensor_data)(self.value.pointer, &mut data))?;
            match element {
                _ if count == 0 || data.is_null() => Ok(Numbers::F32(&[])),
                Element::F32 => Ok(Numbers::F32(std::slice::from_raw_parts(data.cast(), count))),
                Element::F16 => Ok(Numbers::F16(std::slice::from_raw_parts(data.cast(), count))),
                Element::Other(_) => Err(format!("an answer of {element}")),
            }
        }
    }
}

/// Elements and dimensions of a tensor's description.
///
/// # Safety
/// `tensor` is a description of the library's that lives.
unsafe fn described(t: &Table, tensor: Any) -> Result<(Element, Vec<i64>), String> {
    let (mut element, mut rank) = (0, 0);
    // SAFETY: the description lives; there is room for as many dimensions as it says it has.
    unsafe {
        check(t, (t.element_type)(tensor, &mut element))?;
        check(t, (t.dimension_count)(tensor, &mut rank))?;
        let mut dimensions = vec![0; rank];
        check(t, (t.dimensions)(tensor, dimensions.as_mut_ptr(), rank))?;
        Ok((Element::of(element), dimensions))
    }
}

/// The library's own words where something went wrong.
fn check(table: &Table, status: Status) -> Result<(), String> {
    if status.is_null() {
        return Ok(());
    }
    // SAFETY: a status that is not null is an error with a text, ours to release.
    unsafe {
        let words = text((table.error_message)(status));
        (table.release_status)(status);
        Err(words)
    }
}

/// A copy of a C text, in one line.
///
/// # Safety
/// `letters` is null or a text that ends with zero.
unsafe fn text(letters: *const c_char) -> String {
    if letters.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(letters) }.to_string_lossy();
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
