//! Instruction sets and which of them this machine has.

use std::fmt;
use std::sync::OnceLock;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Level {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Sse41,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

/// An instruction set that this machine is known to have: holding one is the proof, so kernels
/// may be called without asking again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Isa(pub(crate) Level);

impl Isa {
    /// Plain integer code: the specification of all others.
    pub const SCALAR: Self = Self(Level::Scalar);

    /// Everything this machine has, slowest first. Never empty.
    pub fn available() -> &'static [Self] {
        static FOUND: OnceLock<Vec<Isa>> = OnceLock::new();
        FOUND.get_or_init(detect)
    }

    /// The fastest one this machine has.
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::SCALAR)
    }

    /// The name used on the command line and in benchmarks.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Level::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Level::Sse41 => "sse4.1",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::AvxVnni => "avx2-vnni",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Vnni => "avx512-vnni",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::Simd128 => "simd128",
        }
    }

    /// The instruction set of that name, if this machine has it; `auto` is [`Isa::best`].
    pub fn named(name: &str) -> Result<Self, UnknownIsa> {
        if name == "auto" {
            return Ok(Self::best());
        }
        let found = Self::available().iter().copied().find(|isa| isa.name() == name);
        found.ok_or_else(|| UnknownIsa(name.to_owned()))
    }
}

fn detect() -> Vec<Isa> {
    let mut found = vec![Isa::SCALAR];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("sse4.1")
            && is_x86_feature_detected!("ssse3")
            && is_x86_feature_detected!("popcnt")
        {
            found.push(Isa(Level::Sse41));
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") {
            found.push(Isa(Level::Avx2));
            if is_x86_feature_detected!("avxvnni") {
                found.push(Isa(Level::AvxVnni));
            }
        }
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("bmi1");
        if avx512 {
            found.push(Isa(Level::Avx512));
            if is_x86_feature_detected!("avx512vnni") {
                found.push(Isa(Level::Avx512Vnni));
            }
        }
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        found.push(Isa(Level::Neon));
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    found.push(Isa(Level::Simd128));
    found
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no instruction set of this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownIsa(pub String);

impl fmt::Display for UnknownIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this machine has no instruction set {:?}: it has auto", self.0)?;
        for isa in Isa::available() {
            write!(f, ", {isa}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownIsa {}
