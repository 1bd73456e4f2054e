//! What a kernel may ask of an instruction set.

/// The operations of one instruction set on its vector register.
///
/// # Safety
/// Every operation may be called only where the instruction set is enabled: all of them are
/// inlined into the `#[target_feature]` functions at the end of each file, and those are
/// reached only through an [`crate::Isa`] that was found on this machine. Pointers must be
/// valid for [`Vector::BYTES`] bytes unless said otherwise; no alignment is required.
pub(crate) trait Vector {
    /// A register.
    type Reg: Copy;
    const BYTES: usize;
    /// 32-bit lanes in it.
    const LANES: usize = Self::BYTES / 4;
    /// Largest first layer whose inputs are all multiplied, zero or not. Listing those that are
    /// not zero costs some 80 cycles and a misprediction whatever it saves, so it pays only when
    /// a multiplication is dear or there are many.
    const DENSE: usize;
    /// Independent sums to keep in flight to hide the latency of `dot`.
    const CHAINS: usize;

    unsafe fn load(p: *const u8) -> Self::Reg;
    unsafe fn store(p: *mut u8, x: Self::Reg);
    unsafe fn zero() -> Self::Reg;
    /// Wrapping, 16-bit lanes.
    unsafe fn add16(a: Self::Reg, b: Self::Reg) -> Self::Reg;
    /// Wrapping, 16-bit lanes.
    unsafe fn sub16(a: Self::Reg, b: Self::Reg) -> Self::Reg;
    /// Wrapping, 32-bit lanes.
    unsafe fn add32(a: Self::Reg, b: Self::Reg) -> Self::Reg;
    /// Two registers of 16-bit lanes, clamped to 0..=127, as one register of bytes in order.
    unsafe fn clip16(a: Self::Reg, b: Self::Reg) -> Self::Reg;
    /// Four bytes repeated in every 32-bit lane.
    unsafe fn splat(p: *const u8) -> Self::Reg;
    /// Adds to every 32-bit lane of `acc` the four products of unsigned bytes (0..=127) of `x`
    /// with signed bytes of `w`.
    unsafe fn dot(acc: Self::Reg, x: Self::Reg, w: Self::Reg) -> Self::Reg;
    /// 32-bit lanes shifted right by 6 and clamped to 0..=127, stored as `LANES` bytes.
    unsafe fn clip32(p: *mut u8, x: Self::Reg);
    /// Wrapping sum of the 32-bit lanes.
    unsafe fn sum32(x: Self::Reg) -> i32;
    /// Writes the numbers `base + lane` of the 32-bit lanes of `x` that are not zero, in order;
    /// returns how many. May write `LANES` numbers whatever the count.
    unsafe fn nonzero(p: *mut u16, base: usize, x: Self::Reg) -> usize;
}

/// For every set of four lanes, their numbers packed to the front.
#[cfg(any(target_arch = "x86_64", target_arch = "wasm32"))]
pub(crate) static PACKED: [[u16; 4]; 16] = packed();

#[cfg(any(target_arch = "x86_64", target_arch = "wasm32"))]
pub(crate) const fn packed<const LANES: usize, const SETS: usize>() -> [[u16; LANES]; SETS] {
    let mut table = [[0; LANES]; SETS];
    let mut mask = 0;
    while mask < SETS {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u16;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}
