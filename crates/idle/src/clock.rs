//! The clock of ages. Coarse on purpose: it costs 5 ns where the fine one costs 28, and an age needs no better.
#![allow(unsafe_code, reason = "clock_gettime through libc, which takes the vDSO's cheap way")]

/// Nanoseconds of `CLOCK_MONOTONIC_COARSE`: the same origin as `CLOCK_MONOTONIC`, up to one tick behind.
#[inline]
pub(crate) fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec to write to. The call fails only for a clock that the kernel does not know
    // (before 2.6.32); then the time stays 0, and ages read as 0.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
