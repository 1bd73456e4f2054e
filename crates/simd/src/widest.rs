//! Plain loops compiled for wider vectors than every machine has.
//!
//! Loops over floating-point numbers are left to the compiler. Inlined here into a function for
//! AVX2 they use its registers where the processor has them. Nothing is reordered and no product
//! is fused into a sum, so every machine gets the same bits.

/// Work whose body is to be inlined: mark `run` and what it calls `#[inline(always)]`.
pub trait Task {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run(self) -> Self::Output;
}

/// Runs a task with the widest vectors the processor has.
#[inline]
pub fn widest<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2(task) };
    }
    task.run()
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<T: Task>(task: T) -> T::Output {
    task.run()
}
